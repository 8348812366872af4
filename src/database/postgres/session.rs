//! One transaction that only reads, and in which our words mean what we mean.
//!
//! Everything is set for the transaction and ends with it, so that a pool between us and the
//! server (PgBouncer) may hand the connection to anybody afterwards. Each statement goes by
//! the extended protocol, which takes one and never two.

use std::pin::Pin;
use std::time::Duration;

use futures::{Stream, StreamExt as _};
use tokio::time::timeout;
use tokio_postgres::{Client, Statement};

use super::error::translate;
use super::pool::{Lent, Pool};
use crate::database::{Cause, DatabaseError};

/// The longest that we wait for a lock that somebody holds.
const LOCK: Duration = Duration::from_secs(5);
/// What a server that lost us waits before it ends the transaction.
const IDLE: Duration = Duration::from_secs(60);

/// What a statement has that is cancelled.
const GRACE: Duration = Duration::from_secs(2);

const BEGIN: &str = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
const SET: &str = "SELECT pg_catalog.set_config('statement_timeout', $1, true), \
     pg_catalog.set_config('lock_timeout', $2, true), \
     pg_catalog.set_config('idle_in_transaction_session_timeout', $3, true), \
     pg_catalog.set_config('search_path', '', true), \
     pg_catalog.set_config('row_security', 'on', true), \
     pg_catalog.set_config('datestyle', 'ISO, YMD', true), \
     pg_catalog.set_config('intervalstyle', 'iso_8601', true), \
     pg_catalog.set_config('timezone', 'UTC', true), \
     pg_catalog.set_config('extra_float_digits', '3', true), \
     pg_catalog.set_config('bytea_output', 'hex', true), \
     pg_catalog.set_config('xmloption', 'content', true)";

/// A connection in a transaction that only reads.
pub(super) struct Session(Lent);

impl Session {
    /// Begins one whose statements take at most `time` each.
    pub(super) async fn begin(pool: &Pool, time: Duration) -> Result<Self, DatabaseError> {
        loop {
            let lent = pool.lend().await?;
            let is_old = lent.is_old;
            match start(lent.client()?, time).await {
                Ok(()) => return Ok(Self(lent)),
                // The server was started again since: a new connection will do.
                Err(error) if is_old && error.cause == Cause::Lost => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The connection.
    pub(super) fn client(&self) -> Result<&Client, DatabaseError> {
        self.0.client()
    }

    /// Has the server understand a statement.
    pub(super) async fn prepare(&self, sql: &str) -> Result<Statement, DatabaseError> {
        self.client()?.prepare(sql).await.map_err(|error| translate(&error))
    }

    /// Stops the statement that runs, and keeps the connection if it ends at once.
    pub(super) async fn stop<T>(self, rows: &mut Pin<Box<T>>)
    where
        T: Stream + Send,
    {
        let cancelled = timeout(GRACE, async {
            self.0.cancel().await;
            while rows.next().await.is_some() {}
        });
        if cancelled.await.is_ok() {
            self.end().await;
        }
    }

    /// Ends it: nothing was changed, so it is rolled back.
    pub(super) async fn end(self) {
        let Ok(client) = self.0.client() else { return };
        if client.execute("ROLLBACK", &[]).await.is_ok() {
            self.0.give_back();
        }
    }
}

async fn start(client: &Client, time: Duration) -> Result<(), DatabaseError> {
    let ms = |time: Duration| time.as_millis().clamp(1, i32::MAX as u128).to_string();
    client.execute(BEGIN, &[]).await.map_err(|error| translate(&error))?;
    let (statement, lock, idle) = (ms(time), ms(time.min(LOCK)), ms(IDLE));
    client
        .execute(SET, &[&statement, &lock, &idle])
        .await
        .map_err(|error| translate(&error))
        .map(drop)
}
