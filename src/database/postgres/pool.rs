//! Connections: how one is made, how many there are, and what becomes of them.
//!
//! A connection is lent to one statement at a time. What comes back whole is kept for the
//! next; what was dropped in the middle (the caller stopped, the budget was spent, nobody
//! reads any more) has its statement cancelled at the server and is closed, and its place
//! is free only when it is gone: a source never has more connections than it may.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{CancelToken, Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::error::translate;
use super::tls;
use crate::database::config::{ServerPlace, Tls};
use crate::database::{Cause, DatabaseError};

/// How long a caller waits for a connection that others have.
const BUSY: Duration = Duration::from_secs(5);
/// How long a server has to answer to a new connection.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a cancelled statement has to end, before its connection is closed all the same.
const GRACE: Duration = Duration::from_secs(5);

/// Servers before PostgreSQL 14 do not know it.
const NOTICE: &str = "SELECT pg_catalog.set_config(s.name, '2s', false) \
     FROM pg_catalog.pg_settings s WHERE s.name = 'client_connection_check_interval'";

/// The connections of one source.
#[derive(Debug)]
pub(super) struct Pool {
    place: ServerPlace,
    places: Arc<Semaphore>,
    most: u32,
    idle: Arc<Mutex<Vec<Open>>>,
}

/// A connection and what drives it.
struct Open {
    client: Client,
    task: JoinHandle<()>,
    tls: MakeRustlsConnect,
}

impl std::fmt::Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Open")
    }
}

/// A connection that is lent.
pub(super) struct Lent {
    open: Option<Open>,
    place: Option<OwnedSemaphorePermit>,
    idle: Arc<Mutex<Vec<Open>>>,
    /// Whether it was used before.
    pub(super) is_old: bool,
}

impl Pool {
    pub(super) fn new(place: ServerPlace, most: u32) -> Self {
        let places = Arc::new(Semaphore::new(most as usize));
        Self { place, places, most, idle: Arc::default() }
    }

    /// A connection: one that is there, or a new one.
    pub(super) async fn lend(&self) -> Result<Lent, DatabaseError> {
        let place = Arc::clone(&self.places).acquire_owned();
        let place = match timeout(BUSY, place).await {
            Ok(Ok(place)) => place,
            Ok(Err(_)) | Err(_) => {
                return Err(DatabaseError {
                    about: Some(format!("{} of {}", self.most, self.most)),
                    next: Some("try again when another call has ended".to_owned()),
                    ..DatabaseError::of(Cause::Busy)
                });
            }
        };
        let idle = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.retain(|open| !open.client.is_closed());
            idle.pop()
        };
        let is_old = idle.is_some();
        let open = match idle {
            Some(open) => open,
            None => connect(&self.place).await?,
        };
        Ok(Lent { open: Some(open), place: Some(place), idle: Arc::clone(&self.idle), is_old })
    }
}

impl Lent {
    /// The connection.
    pub(super) fn client(&self) -> Result<&Client, DatabaseError> {
        let open = self.open.as_ref();
        open.map(|open| &open.client).ok_or_else(|| DatabaseError::of(Cause::Lost))
    }

    /// Asks the server to end what runs on it.
    pub(super) async fn cancel(&self) {
        if let Some(open) = &self.open {
            // Whether it did, the statement's end says.
            let _ = open.client.cancel_token().cancel_query(open.tls.clone()).await;
        }
    }

    /// Gives it back: nothing runs on it any more.
    pub(super) fn give_back(mut self) {
        if let Some(open) = self.open.take()
            && !open.client.is_closed()
        {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(open);
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(open) = self.open.take() else { return };
        let place = self.place.take();
        // Without a runtime nothing runs at the server either: its socket is closed.
        let Ok(handle) = Handle::try_current() else { return };
        let end = async move {
            let Open { client, mut task, tls } = open;
            let token: CancelToken = client.cancel_token();
            // If it cannot be cancelled, it ends with its connection.
            let _ = timeout(GRACE, token.cancel_query(tls)).await;
            drop(client);
            if timeout(GRACE, &mut task).await.is_err() {
                task.abort();
            }
            drop(place);
        };
        // Not awaited by anybody: a place of the pool waits for it.
        handle.spawn(end);
    }
}

/// The address, as PostgreSQL's clients take it.
fn address(place: &ServerPlace) -> Result<Config, DatabaseError> {
    let url = place.url.read()?;
    let mut config: Config = url.expose().parse().map_err(|_| DatabaseError {
        about: Some("the address is not one of PostgreSQL's".to_owned()),
        next: Some(
            "write it as postgres://role:password@host:port/database, and TLS as `tls` of the source"
                .to_owned(),
        ),
        ..DatabaseError::of(Cause::Configuration)
    })?;
    config.application_name("dataroom").connect_timeout(CONNECT);
    Ok(config)
}

/// The strictest that one of its hosts asks for.
fn security(place: &ServerPlace, config: &Config) -> Tls {
    let of = |host: &Host| match host {
        Host::Tcp(name) => place.tls_to(name),
        #[cfg(unix)]
        Host::Unix(_) => place.tls_to("/"),
    };
    let named = config.get_hosts().iter().map(of);
    let numbered = config.get_hostaddrs().iter().map(|ip| place.tls_to(&ip.to_string()));
    let strictness = |tls: &Tls| match tls {
        Tls::Off => 0,
        Tls::Require => 1,
        Tls::Verify => 2,
    };
    named.chain(numbered).max_by_key(strictness).unwrap_or(Tls::Off)
}

async fn connect(place: &ServerPlace) -> Result<Open, DatabaseError> {
    let mut config = address(place)?;
    let security = security(place, &config);
    config.ssl_mode(match security {
        Tls::Verify | Tls::Require => SslMode::Require,
        Tls::Off => SslMode::Disable,
    });
    let tls = tls::connector(security, place.tls_roots.as_deref())?;
    let connected = timeout(CONNECT, config.connect(tls.clone())).await;
    let (client, connection) = match connected {
        Ok(connected) => connected.map_err(|error| translate(&error))?,
        Err(_) => {
            return Err(DatabaseError {
                about: Some(format!("no answer in {} s", CONNECT.as_secs())),
                ..DatabaseError::of(Cause::Unreachable)
            });
        }
    };
    // Ends with its client; how it ended, the client's next call says.
    let task = Handle::current().spawn(async move { drop(connection.await) });
    // A server that knows this setting notices, while a statement runs, that we are gone.
    let _ = client.execute(NOTICE, &[]).await;
    Ok(Open { client, task, tls })
}
