//! The address of a server: `mysql://role:password@host:3306/database`.
//!
//! A socket is `mysql://role:password@localhost/database?socket=/path`. Letters that an
//! address cannot have are written as `%40`. What is wrong with an address is said without
//! the address.

use url::Url;

use crate::database::config::{ServerPlace, Tls};
use crate::database::{Cause, DatabaseError};

/// What is needed to connect.
pub(super) struct Address {
    pub(super) way: Way,
    pub(super) user: String,
    pub(super) password: Option<String>,
    pub(super) database: Option<String>,
}

/// How the server is reached.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Way {
    Tcp { host: String, port: u16, tls: Tls, roots: Option<Vec<u8>> },
    Socket(String),
}

/// The server's port if none is said.
const PORT: u16 = 3306;

/// Reads what the configuration names.
///
/// # Errors
/// It lacks something, or it is no such address.
pub(super) fn read(place: &ServerPlace) -> Result<Address, DatabaseError> {
    let secret = place.url.read()?;
    let url = Url::parse(secret.expose()).map_err(|_| wrong("it is none"))?;
    if !matches!(url.scheme(), "mysql" | "mariadb") {
        return Err(wrong("it does not begin with mysql:// or mariadb://"));
    }
    let user = decoded(url.username())?;
    if user.is_empty() {
        return Err(wrong("it names no role"));
    }
    let way = match socket(&url)? {
        Some(path) => Way::Socket(path),
        None => tcp(&url, place)?,
    };
    let database = decoded(url.path().trim_start_matches('/'))?;
    Ok(Address {
        way,
        user,
        password: url.password().map(decoded).transpose()?,
        database: Some(database).filter(|name| !name.is_empty()),
    })
}

fn tcp(url: &Url, place: &ServerPlace) -> Result<Way, DatabaseError> {
    let host = url.host_str().unwrap_or_default();
    if host.is_empty() {
        return Err(wrong("it names no host"));
    }
    let tls = place.tls_to(host);
    let roots = match &place.tls_roots {
        None => None,
        Some(file) => {
            #[expect(
                clippy::disallowed_methods,
                reason = "the person's configuration names this file"
            )]
            let pem = std::fs::read(file);
            Some(pem.map_err(|error| DatabaseError {
                about: Some(format!("`tls_roots` {} cannot be read ({error})", file.display())),
                ..DatabaseError::of(Cause::Configuration)
            })?)
        }
    };
    let host = host.trim_matches(['[', ']']).to_owned();
    Ok(Way::Tcp { host, port: url.port().unwrap_or(PORT), tls, roots })
}

/// The only thing that may stand behind a question mark.
fn socket(url: &Url) -> Result<Option<String>, DatabaseError> {
    let mut socket = None;
    for (key, value) in url.query_pairs() {
        match key.as_ref() {
            "socket" if value.starts_with('/') => socket = Some(value.into_owned()),
            "socket" => return Err(wrong("its socket is no absolute path")),
            _ => return Err(wrong("it has a parameter other than `socket`; TLS is set by `tls`")),
        }
    }
    Ok(socket)
}

fn wrong(what: &str) -> DatabaseError {
    DatabaseError {
        about: Some(format!("the address of the server: {what}")),
        next: Some("write it as mysql://role:password@host:3306/database".to_owned()),
        ..DatabaseError::of(Cause::Configuration)
    }
}

/// `%40` is `@`.
fn decoded(text: &str) -> Result<String, DatabaseError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).filter(|_| *first == b'%');
        let code = hex.and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).map_err(|_| wrong("it has letters that are none"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::config::UrlFrom;

    fn address(text: &str) -> Result<Address, DatabaseError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        #[expect(clippy::disallowed_methods, reason = "a file of the test's own")]
        std::fs::write(file.path(), text).unwrap();
        let url = UrlFrom::File(file.path().to_owned());
        read(&ServerPlace { url, tls: None, tls_roots: None })
    }

    #[test]
    fn addresses_are_read() {
        let found = address("mysql://r%40x:p%3Aw%25@db.example:3307/shop\n").unwrap();
        assert_eq!((found.user.as_str(), found.password.as_deref()), ("r@x", Some("p:w%")));
        assert_eq!(found.database.as_deref(), Some("shop"));
        let host = "db.example".to_owned();
        assert_eq!(found.way, Way::Tcp { host, port: 3307, tls: Tls::Verify, roots: None });
        let local = address("mariadb://r@127.0.0.1").unwrap();
        let host = "127.0.0.1".to_owned();
        assert_eq!(local.way, Way::Tcp { host, port: 3306, tls: Tls::Off, roots: None });
        let socket = address("mysql://r@localhost/?socket=%2Frun%2Fs").unwrap();
        assert_eq!(socket.way, Way::Socket("/run/s".to_owned()));
    }

    #[test]
    fn what_is_wrong_is_said_without_the_password() {
        for text in [
            "postgres://r:hunter2@h/d",
            "mysql://:hunter2@h/d",
            "mysql://r:hunter2@h/d?allow_multi=1",
            "mysql://r:hunter2@h/d?socket=x",
            "r:hunter2@h",
            "mysql://r:hunter2@h:port/d",
        ] {
            let error = address(text).err().unwrap();
            assert_eq!(error.cause, Cause::Configuration, "{text}");
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
        }
    }
}
