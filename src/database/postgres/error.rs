//! What the server says went wrong, by its SQLSTATE.

use std::error::Error as _;

use tokio_postgres::Error;
use tokio_postgres::error::DbError;

use crate::database::{Cause, DatabaseError};

/// A server's error in our words. Its own are kept apart: they may quote a value.
pub(super) fn translate(error: &Error) -> DatabaseError {
    if let Some(said) = error.as_db_error() {
        return of_server(said);
    }
    let words = error.to_string();
    let detail = match error.source() {
        Some(source) => format!("{words}: {source}"),
        None => words.clone(),
    };
    let cause = match &words {
        words if words.contains("TLS") => Cause::Tls,
        words if words.starts_with("error connecting") => Cause::Unreachable,
        words if words.starts_with("authentication") || words.contains("password missing") => {
            Cause::Login
        }
        words if words.starts_with("invalid configuration") => Cause::Configuration,
        words if words.starts_with("error serializing") => Cause::Value,
        _ if error.is_closed()
            || error.source().is_some_and(<dyn std::error::Error>::is::<std::io::Error>) =>
        {
            Cause::Lost
        }
        _ => Cause::Server,
    };
    DatabaseError { detail: Some(detail), ..of(cause) }
}

fn of_server(said: &DbError) -> DatabaseError {
    let code = said.code().code();
    let cause = cause(code);
    let mut error = DatabaseError {
        code: Some(code.to_owned()),
        detail: Some(said.message().to_owned()),
        ..of(cause)
    };
    match code {
        "55P03" => {
            error.about = Some("the table is locked by somebody who changes it".to_owned());
            error.next = Some("try again when they are done".to_owned());
        }
        "3D000" => error.about = Some("there is no database of this name".to_owned()),
        "57P03" => error.about = Some("it is starting or stopping".to_owned()),
        "25006" => error.about = Some("it would have written".to_owned()),
        _ => {}
    }
    error
}

/// The cause by the class of the code, and the codes that are apart from their class.
fn cause(code: &str) -> Cause {
    match code {
        "57014" | "55P03" => Cause::Time,
        "57P01" | "57P02" | "57P05" | "25P03" | "25P04" => Cause::Lost,
        "57P03" => Cause::Unreachable,
        "53300" => Cause::Busy,
        "42501" => Cause::Denied,
        "42P01" | "3F000" => Cause::Table,
        "42703" | "40001" => Cause::Changed,
        "3D000" => Cause::Login,
        _ => match code.get(..2).unwrap_or_default() {
            "08" => Cause::Lost,
            "28" => Cause::Login,
            "22" | "54" => Cause::Value,
            "0A" | "25" | "42" => Cause::Statement,
            _ => Cause::Server,
        },
    }
}

fn of(cause: Cause) -> DatabaseError {
    let next = match cause {
        Cause::Unreachable | Cause::Lost | Cause::Busy => Some("try again in a moment"),
        Cause::Time => Some("ask for fewer rows, or raise `statement_ms` of the source"),
        Cause::Tls => Some("see `tls` and `tls_roots` of the source"),
        Cause::Changed => Some("look at the table again and ask anew"),
        _ => None,
    };
    DatabaseError { next: next.map(str::to_owned), ..DatabaseError::of(cause) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_causes() {
        for (code, expected) in [
            ("57014", Cause::Time),
            ("42501", Cause::Denied),
            ("42P01", Cause::Table),
            ("42703", Cause::Changed),
            ("28P01", Cause::Login),
            ("53300", Cause::Busy),
            ("57P01", Cause::Lost),
            ("25006", Cause::Statement),
            ("22P02", Cause::Value),
            ("0A000", Cause::Statement),
            ("XX000", Cause::Server),
        ] {
            assert_eq!(cause(code), expected, "{code}");
        }
    }
}
