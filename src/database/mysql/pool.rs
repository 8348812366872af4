//! Connections that are used again.
//!
//! At most as many as the configuration says are open at once, but for the moment of a
//! cancellation, whose `KILL QUERY` comes from a connection of its own. One that waits is
//! reset before it is used again, which also shows whether it still lives: after the
//! server was restarted the next call finds dead ones, drops them and connects.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::session::{self, Flavor};
use super::{Settings, error};
use crate::database::{Cause, DatabaseError};

/// Until one that is in use has to have come back.
const WAIT: Duration = Duration::from_secs(5);
/// Until a server that lives has answered a trifle.
const ANSWER: Duration = Duration::from_secs(5);

/// See the module.
#[derive(Debug)]
pub(super) struct Pool {
    pub(super) settings: Settings,
    permits: Arc<Semaphore>,
    idle: Mutex<Vec<Idle>>,
    server: OnceLock<(Flavor, String)>,
}

/// A connection that waits. What it says of itself would show its password.
struct Idle(Conn);

impl fmt::Debug for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Idle")
    }
}

/// A connection for one use, in a transaction that reads.
pub(super) struct Lease {
    pub(super) conn: Conn,
    pub(super) flavor: Flavor,
    pool: Arc<Pool>,
    _permit: OwnedSemaphorePermit,
}

impl Pool {
    pub(super) fn new(settings: Settings) -> Self {
        let permits = Arc::new(Semaphore::new(settings.limits.connections.max(1) as usize));
        Self { settings, permits, idle: Mutex::new(Vec::new()), server: OnceLock::new() }
    }

    /// A connection whose statements may take so long.
    pub(super) async fn lease(self: &Arc<Self>, time: Duration) -> Result<Lease, DatabaseError> {
        let permit = tokio::time::timeout(WAIT.min(time), self.permits.clone().acquire_owned());
        let Ok(Ok(permit)) = permit.await else {
            return Err(DatabaseError {
                about: Some(format!(
                    "all {} connections of this source are in use",
                    self.settings.limits.connections
                )),
                next: Some("try again when a query has ended".to_owned()),
                ..DatabaseError::of(Cause::Busy)
            });
        };
        let mut conn = match self.waiting().await {
            Some(conn) => conn,
            None => session::connect(&self.settings).await?,
        };
        let flavor = self.flavor(&mut conn).await?;
        session::begin(&mut conn, flavor, time.min(self.settings.limits.statement)).await?;
        Ok(Lease { conn, flavor, pool: Arc::clone(self), _permit: permit })
    }

    /// One that waits and lives.
    async fn waiting(&self) -> Option<Conn> {
        loop {
            let Idle(mut conn) = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            if matches!(tokio::time::timeout(ANSWER, conn.reset()).await, Ok(Ok(true))) {
                return Some(conn);
            }
            close(conn).await;
        }
    }

    async fn flavor(&self, conn: &mut Conn) -> Result<Flavor, DatabaseError> {
        if let Some((flavor, _)) = self.server.get() {
            return Ok(*flavor);
        }
        let found = session::server(conn).await?;
        Ok(self.server.get_or_init(|| found).0)
    }

    /// The server's version, once something was asked of it.
    pub(super) fn version(&self) -> String {
        self.server.get().map(|(_, version)| version.clone()).unwrap_or_default()
    }

    /// Stops what a connection does, from another one. Nothing if the server takes no more:
    /// then its own limit of time stops it.
    async fn kill(&self, id: u32) {
        let killed = async {
            let mut conn = session::connect(&self.settings).await?;
            let sent = conn.query_drop(format!("KILL QUERY {id}")).await;
            close(conn).await;
            sent.map_err(|error| error::of(&error))
        };
        // Whether it worked or not, the connection itself is closed next.
        let _ = tokio::time::timeout(ANSWER, killed).await;
    }
}

impl Lease {
    /// Gives it back after what was asked of it has ended.
    pub(super) async fn back(mut self) {
        if let Ok(Ok(())) = tokio::time::timeout(ANSWER, self.conn.query_drop("ROLLBACK")).await {
            self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).push(Idle(self.conn));
        } else {
            close(self.conn).await;
        }
    }

    /// Stops what it does at the server and closes it.
    pub(super) async fn stop(self) {
        self.pool.kill(self.conn.id()).await;
        close(self.conn).await;
    }

    /// Closes it.
    pub(super) async fn close(self) {
        close(self.conn).await;
    }

    /// Gives it back if `result` is one after which it can be used again.
    pub(super) async fn after<T>(
        self,
        result: Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        match &result {
            Err(error) if error.cause == Cause::Lost => close(self.conn).await,
            _ => self.back().await,
        }
        result
    }
}

/// Closes without reading what may still be on its way: a connection that is merely dropped
/// would read a result of any size to its end.
async fn close(conn: Conn) {
    let _ = tokio::time::timeout(ANSWER, conn.disconnect()).await;
}
