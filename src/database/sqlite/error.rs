//! Errors of SQLite, by code.

use rusqlite::{Error, ErrorCode, ffi};

use crate::database::{Cause, DatabaseError};

/// In our words. SQLite's go to a person at a shell only.
pub(super) fn of(error: &Error) -> DatabaseError {
    match error {
        Error::SqliteFailure(failure, words) => coded(*failure, words.as_deref()),
        Error::SqlInputError { error, msg, .. } => coded(*error, Some(msg)),
        Error::MultipleStatement => DatabaseError {
            about: some("a second statement"),
            ..DatabaseError::of(Cause::Statement)
        },
        Error::Empty | Error::InvalidQuery | Error::InvalidParameterCount(..) => {
            DatabaseError::of(Cause::Statement)
        }
        Error::Utf8Error(..) => DatabaseError {
            about: some("a name or text that is not valid UTF-8"),
            ..DatabaseError::of(Cause::Value)
        },
        _ => DatabaseError::of(Cause::Server),
    }
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// Of a text that could not be made a statement: it is none, or names what there is not.
pub(super) fn of_preparing(error: &Error) -> DatabaseError {
    let words = match error {
        Error::SqliteFailure(failure, Some(words)) if failure.code == ErrorCode::Unknown => words,
        Error::SqlInputError { error, msg, .. } if error.code == ErrorCode::Unknown => msg,
        _ => return of(error),
    };
    let (cause, about) = if words.starts_with("no such table") {
        (Cause::Table, None)
    } else if words.starts_with("no such column") {
        (Cause::Statement, some("it names a column that is not there"))
    } else {
        (Cause::Statement, None)
    };
    DatabaseError { about, detail: some(words), ..DatabaseError::of(cause) }
}

fn coded(failure: ffi::Error, words: Option<&str>) -> DatabaseError {
    let (cause, about, next) = match failure.extended_code {
        ffi::SQLITE_READONLY_ROLLBACK | ffi::SQLITE_READONLY_RECOVERY => (
            Cause::Unreachable,
            "a program stopped in the middle of writing to it, which has to be undone first",
            "open it once with a program that may write, such as sqlite3 FILE 'SELECT 1'",
        ),
        ffi::SQLITE_READONLY_CANTINIT => (
            Cause::Unreachable,
            "its journal (WAL) needs files beside it that cannot be made there",
            "let the program that writes to it run, or set PRAGMA journal_mode = DELETE",
        ),
        _ => match failure.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => (
                Cause::Busy,
                "another program is writing to the file",
                "try again when it has finished",
            ),
            ErrorCode::OperationInterrupted => (Cause::Cancelled, "", ""),
            ErrorCode::DatabaseCorrupt => {
                (Cause::Server, "the file is damaged", "check it with PRAGMA integrity_check")
            }
            ErrorCode::NotADatabase => (
                Cause::Configuration,
                "the file is no database of SQLite's, or it is encrypted",
                "name another file",
            ),
            ErrorCode::CannotOpen => (
                Cause::Unreachable,
                "the file cannot be opened",
                "check that it is there and that this user may read it",
            ),
            ErrorCode::TooBig | ErrorCode::OutOfMemory => (
                Cause::Budget,
                "one text or blob is too large",
                "leave out the columns with large texts or blobs",
            ),
            ErrorCode::SystemIoFailure => {
                (Cause::Lost, "reading the file failed", "repeat the call")
            }
            ErrorCode::SchemaChanged => {
                (Cause::Changed, "", "look at the table again and repeat the call")
            }
            ErrorCode::AuthorizationForStatementDenied => (Cause::Statement, "", ""),
            // A sum that overflows, JSON that is none.
            ErrorCode::Unknown => (Cause::Value, "the statement failed on a value", ""),
            _ => (Cause::Server, "", ""),
        },
    };
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    DatabaseError {
        about: given(about),
        next: given(next),
        code: Some(failure.extended_code.to_string()),
        detail: words.map(str::to_owned),
        ..DatabaseError::of(cause)
    }
}
