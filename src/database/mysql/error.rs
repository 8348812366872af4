//! Errors of the server and of the client, by number.

use mysql_async::{DriverError, Error, IoError};

use crate::database::{Cause, DatabaseError};

/// In our words. The server's go to a person at a shell only: see [`DatabaseError::detail`].
pub(super) fn of(error: &Error) -> DatabaseError {
    match error {
        Error::Server(server) => {
            let cause = of_number(server.code);
            DatabaseError {
                code: Some(server.code.to_string()),
                next: next(cause).map(str::to_owned),
                detail: Some(server.message.clone()),
                ..DatabaseError::of(cause)
            }
        }
        Error::Io(IoError::Tls(_)) | Error::Driver(DriverError::NoClientSslFlagFromServer) => {
            DatabaseError {
                next: next(Cause::Tls).map(str::to_owned),
                detail: Some(error.to_string()),
                ..DatabaseError::of(Cause::Tls)
            }
        }
        Error::Driver(DriverError::PacketTooLarge) => too_large(),
        Error::Io(IoError::Io(io)) if is_too_large(io) => too_large(),
        Error::Io(_) | Error::Driver(DriverError::ConnectionClosed) => DatabaseError {
            next: next(Cause::Lost).map(str::to_owned),
            ..DatabaseError::of(Cause::Lost)
        },
        Error::Driver(
            DriverError::CleartextPluginDisabled
            | DriverError::MysqlOldPasswordDisabled
            | DriverError::UnknownAuthPlugin { .. },
        ) => DatabaseError {
            about: Some("the server asks for a way to log in that is not used here".to_owned()),
            detail: Some(error.to_string()),
            ..DatabaseError::of(Cause::Login)
        },
        Error::Driver(
            DriverError::MixedParams
            | DriverError::Params(_)
            | DriverError::StmtParamsMismatch { .. }
            | DriverError::StmtParamsNumberExceedsLimit { .. }
            | DriverError::LocalInfile(_),
        ) => DatabaseError {
            about: Some("its placeholders, which are ? here".to_owned()),
            ..DatabaseError::of(Cause::Statement)
        },
        // A packet that cannot be understood, say: the words may quote it.
        Error::Driver(_) | Error::Other(_) | Error::Url(_) => DatabaseError::of(Cause::Server),
    }
}

/// Of a declared statement, which knows nothing of how its tables were a moment ago.
pub(super) fn of_declared(error: DatabaseError) -> DatabaseError {
    match (error.cause, error.code.as_deref()) {
        (Cause::Changed, Some("1054")) => DatabaseError {
            cause: Cause::Statement,
            about: Some("it names a column that is not there".to_owned()),
            next: None,
            ..error
        },
        _ => error,
    }
}

/// Of a connection that could not be made.
pub(super) fn of_connecting(error: &Error) -> DatabaseError {
    let mut error = of(error);
    if error.cause == Cause::Lost {
        error.cause = Cause::Unreachable;
        error.next = Some("check the address, and that the server runs".to_owned());
    }
    error
}

/// The client's own bound on one row, which comes as an input error of its packets.
fn is_too_large(error: &std::io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.to_string().contains("max_allowed_packet"))
}

fn too_large() -> DatabaseError {
    DatabaseError {
        about: Some(format!("one row is larger than {} MiB", super::session::LARGEST_ROW >> 20)),
        next: Some("leave out the columns with large texts or blobs".to_owned()),
        ..DatabaseError::of(Cause::Budget)
    }
}

/// MySQL's and MariaDB's numbers; where the two differ, both.
fn of_number(number: u16) -> Cause {
    match number {
        // Too many connections, of all, of this user, in an hour; a lock that is held.
        1040 | 1203 | 1226 | 1205 => Cause::Busy,
        1044 | 1142 | 1143 | 1227 | 1356 | 1370 => Cause::Denied,
        1045 | 1129 | 1130 | 1251 | 1396 | 1524 | 1698 | 1820 | 1862 | 3118 | 3159 | 3955
        | 4151 => Cause::Login,
        1046 | 1049 | 1051 | 1109 | 1146 => Cause::Table,
        // An unknown column; a table that was altered while it was read.
        1054 | 1412 | 1615 | 1932 => Cause::Changed,
        // Syntax, what cannot be prepared, what would write, what does not exist.
        1064 | 1149 | 1210 | 1235 | 1290 | 1295 | 1305 | 1318 | 1582 | 1792 | 1128 | 1568
        | 1394 | 4107 => Cause::Statement,
        1969 | 3024 => Cause::Time,
        1053 | 1077 | 1152 | 1154..=1161 | 1184 | 1317 | 1927 | 3169 | 4031 => Cause::Lost,
        1153 | 1301 | 1162 => Cause::Budget,
        // Dates, numbers and texts that are none, division by zero, JSON that is none.
        1264
        | 1292
        | 1365
        | 1366
        | 1367
        | 1406
        | 1411
        | 1525
        | 1690
        | 3140..=3157
        | 4037..=4044 => Cause::Value,
        _ => Cause::Server,
    }
}

fn next(cause: Cause) -> Option<&'static str> {
    Some(match cause {
        Cause::Busy => "try again in a moment",
        Cause::Changed => "look at the table again and repeat the call",
        Cause::Lost => "repeat the call; a new connection is made",
        Cause::Login => "check the user and the password in the source's url",
        Cause::Denied => "GRANT SELECT on it to the role, if it is to be read",
        Cause::Tls => {
            "give the certificate's issuer as tls_roots, or say tls = \"require\" or \"off\" \
             if the way to the server is trusted"
        }
        Cause::Time => "ask for less: a filter on an indexed column, or fewer rows",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use mysql_async::ServerError;

    use super::*;

    #[test]
    fn a_number_has_one_cause_and_the_words_stay_out() {
        for (number, cause) in [
            (1040, Cause::Busy),
            (1045, Cause::Login),
            (1698, Cause::Login),
            (1142, Cause::Denied),
            (1146, Cause::Table),
            (1054, Cause::Changed),
            (1064, Cause::Statement),
            (1792, Cause::Statement),
            (1969, Cause::Time),
            (3024, Cause::Time),
            (1153, Cause::Budget),
            (1317, Cause::Lost),
            (1292, Cause::Value),
            (9999, Cause::Server),
        ] {
            let error = of(&Error::Server(ServerError {
                code: number,
                message: "Truncated incorrect INTEGER value: '123-45-6789'".to_owned(),
                state: "22007".to_owned(),
            }));
            assert_eq!(error.cause, cause, "{number}");
            assert!(!error.to_string().contains("6789"), "{error}");
            assert!(error.detail.is_some_and(|detail| detail.contains("6789")));
        }
    }
}
