//! A connection and what its session is set to.
//!
//! ```text
//! read only               also for what a statement would begin by itself
//! sql_mode                strict; a backslash is a character (see `lexer`)
//! time_zone               UTC, so that a TIMESTAMP is the moment that it is
//! max_statement_time      MariaDB's word for the limit of one statement
//! max_execution_time      MySQL's
//! lock_wait_timeout       a table that is being altered is not waited for
//! ```
//!
//! The client's library says of itself that it takes several statements in one text and
//! local files: the first is used by texts of ours alone, as everything else is prepared
//! (a prepared statement is one statement), and of the second no file is ever given.

use std::time::Duration;

use mysql_async::prelude::{FromRow, Queryable};
use mysql_async::{Conn, Opts, OptsBuilder, Params, Row, SslOpts, Value};

use super::address::{self, Address, Way};
use super::{Settings, error};
use crate::database::config::Tls;
use crate::database::{Cause, DatabaseError};

/// The largest row that is taken, in bytes; a larger one is an error.
pub(super) const LARGEST_ROW: usize = 64 << 20;

/// Until a server has to have answered that is asked to let us in.
const CONNECT: Duration = Duration::from_secs(10);

/// Connects; what it is set to is [`begin`]'s.
pub(super) async fn connect(settings: &Settings) -> Result<Conn, DatabaseError> {
    let address = address::read(&settings.place)?;
    let made = tokio::time::timeout(CONNECT, Conn::new(options(address))).await;
    let Ok(made) = made else {
        return Err(DatabaseError {
            about: Some(format!("no answer in {} s", CONNECT.as_secs())),
            next: Some("check the address, and that the server runs".to_owned()),
            ..DatabaseError::of(Cause::Unreachable)
        });
    };
    made.map_err(|error| error::of_connecting(&error))
}

fn options(address: Address) -> Opts {
    let builder = OptsBuilder::default()
        .user(Some(address.user))
        .pass(address.password)
        .db_name(address.database)
        .prefer_socket(false)
        .max_allowed_packet(Some(LARGEST_ROW))
        .wait_timeout(Some(0))
        // A statement is prepared anew each time: none is left that a changed table fools.
        .stmt_cache_size(0);
    let builder = match address.way {
        Way::Socket(path) => builder.socket(Some(path)),
        Way::Tcp { host, port, tls, roots } => {
            builder.ip_or_hostname(host).tcp_port(port).ssl_opts(secured(tls, roots))
        }
    };
    builder.into()
}

fn secured(tls: Tls, roots: Option<Vec<u8>>) -> Option<SslOpts> {
    match (tls, roots) {
        (Tls::Off, _) => None,
        (Tls::Require, _) => Some(SslOpts::default().with_danger_accept_invalid_certs(true)),
        (Tls::Verify, None) => Some(SslOpts::default()),
        (Tls::Verify, Some(pem)) => Some(
            SslOpts::default().with_disable_built_in_roots(true).with_root_certs(vec![pem.into()]),
        ),
    }
}

/// Whose words a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavor {
    MySql,
    MariaDb,
}

/// What the server says that it is.
pub(super) async fn server(conn: &mut Conn) -> Result<(Flavor, String), DatabaseError> {
    let found: Vec<(String,)> = rows(conn, "SELECT VERSION() AS a", Vec::new()).await?;
    let version = found.into_iter().next().map(|(version,)| version).unwrap_or_default();
    let flavor = if version.contains("MariaDB") { Flavor::MariaDb } else { Flavor::MySql };
    Ok((flavor, version))
}

/// Sets the session and begins a transaction that can only read.
pub(super) async fn begin(
    conn: &mut Conn,
    flavor: Flavor,
    time: Duration,
) -> Result<(), DatabaseError> {
    for statement in words(flavor, time) {
        conn.query_drop(statement).await.map_err(|error| error::of(&error))?;
    }
    Ok(())
}

fn words(flavor: Flavor, time: Duration) -> [String; 2] {
    let millis = time.as_millis().clamp(1, 1 << 31);
    let own = match flavor {
        Flavor::MySql => format!("transaction_read_only = 1, max_execution_time = {millis}"),
        Flavor::MariaDb => {
            format!("tx_read_only = 1, max_statement_time = {}.{:03}", millis / 1000, millis % 1000)
        }
    };
    let set = format!(
        "SET SESSION {own}, sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES,\
         ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', time_zone = '+00:00', \
         lock_wait_timeout = 5, character_set_client = utf8mb4, \
         character_set_results = utf8mb4, character_set_connection = utf8mb4"
    );
    [set, "START TRANSACTION READ ONLY".to_owned()]
}

/// The rows of a statement of ours that gives few.
pub(super) async fn rows<T: FromRow>(
    conn: &mut Conn,
    sql: &str,
    values: Vec<Value>,
) -> Result<Vec<T>, DatabaseError> {
    let params = if values.is_empty() { Params::Empty } else { Params::Positional(values) };
    let found: Vec<Row> = conn.exec(sql, params).await.map_err(|error| error::of(&error))?;
    found
        .into_iter()
        .map(|row| {
            mysql_async::from_row_opt(row).map_err(|_| DatabaseError {
                about: Some("its catalog has other columns than are known here".to_owned()),
                ..DatabaseError::of(Cause::Server)
            })
        })
        .collect()
}
