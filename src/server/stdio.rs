//! The server on stdin and stdout, and how it ends.
//!
//! It ends when stdin does, or on SIGTERM or SIGINT. Work that is still going on
//! is cancelled: at once on a signal, and a moment after stdin ended, so that
//! `echo … | dataroom serve` still gets its answers. rmcp by itself would wait
//! five seconds for it.

use std::io;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::io::stdio_pipes;
use tokio::sync::watch;

use super::Server;
use super::lines::Lines;
use super::memory::{give_back_after, keep_little};
use crate::room::Room;

/// What a call may still take when stdin has ended.
const GRACE: Duration = Duration::from_millis(500);
/// How long the runtime waits for its threads at the end.
const LAST: Duration = Duration::from_millis(300);
/// How often what has expired is removed.
const SWEEP: Duration = Duration::from_secs(3_600);

/// The server could not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system gave no threads or no signals.
    #[error("the server cannot start: {0}")]
    System(#[from] io::Error),
    /// What came on stdin is not MCP.
    #[error("the client did not begin as MCP does: {0}")]
    Protocol(#[from] Box<ServerInitializeError>),
    /// A fault of ours.
    #[error("the server stopped by a fault of dataroom: {0}")]
    Fault(#[from] tokio::task::JoinError),
}

/// Serves a room on stdin and stdout until the client leaves.
///
/// # Errors
/// The server cannot start, or the client does not speak MCP.
pub fn serve_stdio(room: Room) -> Result<(), ServeError> {
    keep_little();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // The queues let a hundred or so in; a flood of refusals needs no more threads.
        .max_blocking_threads(256)
        .thread_keep_alive(Duration::from_secs(5))
        .enable_all()
        .build()?;
    let served = runtime.block_on(serve(room));
    // A read of a terminal cannot be cancelled; it must not hold up the end.
    runtime.shutdown_timeout(LAST);
    served
}

async fn serve(room: Room) -> Result<(), ServeError> {
    let (close, closing) = watch::channel(false);
    let (ended, mut stdin_ended) = watch::channel(false);
    #[expect(clippy::disallowed_methods, reason = "it lives as long as the runtime does")]
    tokio::spawn(look_after(room.clone()));
    let (reader, writer) = stdio_pipes();
    let reader = Lines::new(reader, ended);
    let server = Server::new(room, closing);
    #[expect(clippy::disallowed_methods, reason = "it lives as long as the runtime does")]
    tokio::spawn(give_back_after(server.ended()));
    let mut signal = std::pin::pin!(signalled()?);
    let begun = tokio::select! {
        begun = server.serve((reader, writer)) => begun,
        () = &mut signal => return Ok(()),
    };
    let running = match begun {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(ServeError::Protocol(Box::new(error))),
    };
    let stop = running.cancellation_token();
    let mut waiting = std::pin::pin!(running.waiting());
    tokio::select! {
        done = &mut waiting => return done.map(drop).map_err(ServeError::from),
        () = &mut signal => {
            close.send_replace(true);
            stop.cancel();
        }
        _ = stdin_ended.wait_for(|ended| *ended) => {
            let done = tokio::time::timeout(GRACE, &mut waiting).await;
            if let Ok(done) = done {
                return done.map(drop).map_err(ServeError::from);
            }
            close.send_replace(true);
        }
    }
    waiting.await?;
    Ok(())
}

/// Makes the first run fast, and removes what has expired.
async fn look_after(room: Room) {
    // Not set up yet is no fault: the first run says what to do.
    let warm = room.clone();
    let _ = tokio::task::spawn_blocking(move || warm.warm()).await;
    loop {
        // A store that cannot be swept is told by the tools that need it.
        let sweeping = room.clone();
        let _ = tokio::task::spawn_blocking(move || sweeping.sweep()).await;
        tokio::time::sleep(SWEEP).await;
    }
}

#[cfg(unix)]
fn signalled() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn signalled() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
