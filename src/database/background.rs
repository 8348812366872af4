//! The runtime that drivers run on, and how any thread waits for what they do there.

use std::future::Future;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

use super::{Cause, DatabaseError};

/// How often a caller that waits looks whether it is to stop.
const TICK: Duration = Duration::from_millis(2);
/// Threads for all sources: they wait for servers and turn rows into columns.
const THREADS: usize = 2;

/// A runtime that is made with the first call. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Background(Arc<Made>);

#[derive(Debug, Default)]
struct Made(Mutex<Option<Runtime>>);

impl Drop for Made {
    fn drop(&mut self) {
        let runtime = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // The last clone may go on a thread of another runtime, which may not wait.
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}

impl Background {
    fn handle(&self) -> Result<Handle, DatabaseError> {
        let mut made = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = &*made {
            return Ok(runtime.handle().clone());
        }
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("database")
            .enable_all()
            .build()
            .map_err(|error| DatabaseError {
                detail: Some(error.to_string()),
                about: Some("this machine gives no threads for it".to_owned()),
                ..DatabaseError::of(Cause::Server)
            })?;
        Ok(made.insert(runtime).handle().clone())
    }

    /// Waits for `work`, unless `stop` says true; then the work is dropped, and with it goes
    /// what it had begun at the server.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        stop: &dyn Fn() -> bool,
        work: impl Future<Output = Result<T, DatabaseError>> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let (sender, answer) = sync_channel(1);
        // Who does not wait any more is told nothing.
        let task = self.handle()?.spawn(async move { drop(sender.send(work.await)) });
        loop {
            match answer.recv_timeout(TICK) {
                Ok(done) => return done,
                Err(RecvTimeoutError::Timeout) if stop() => {
                    task.abort();
                    return Err(DatabaseError::of(Cause::Cancelled));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let about = Some("the call failed inside dataroom".to_owned());
                    return Err(DatabaseError { about, ..DatabaseError::of(Cause::Server) });
                }
            }
        }
    }
}
