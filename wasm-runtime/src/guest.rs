//! One guest: the data behind its store, and what may stop it.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use wasmtime::ResourceLimiter;

use crate::bridge::session::Session;
use crate::limits::{LimitName, Limits};
use crate::run::Cancel;
use crate::wasi::{Wasi, WasiView};

/// Why the driver must stop a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    Cancelled,
    Wall,
}

/// The deadline and the cancel flag of one run, looked at by the driver between
/// two slices of the guest and by long host work between two batches.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    cancel: Cancel,
    deadline: Instant,
    /// Set when what is worked on is not wanted any more.
    unwanted: Option<Cancel>,
}

impl Stop {
    pub(crate) fn new(cancel: Cancel, wall: Duration) -> Self {
        let now = Instant::now();
        // A limit beyond the clock's range is no limit within a century.
        let century = Duration::from_secs(100 * 365 * 24 * 3600);
        let deadline = now.checked_add(wall).unwrap_or(now + century);
        Self { cancel, deadline, unwanted: None }
    }

    /// The same, and also when `unwanted` is set.
    pub(crate) fn until(&self, unwanted: Cancel) -> Self {
        Self { unwanted: Some(unwanted), ..self.clone() }
    }

    pub(crate) fn reason(&self) -> Option<Halt> {
        let unwanted = self.unwanted.as_ref().is_some_and(Cancel::is_cancelled);
        if unwanted || self.cancel.is_cancelled() {
            Some(Halt::Cancelled)
        } else if Instant::now() >= self.deadline {
            Some(Halt::Wall)
        } else {
            None
        }
    }
}

/// Where a suspended guest leaves word for its driver.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mailbox(Arc<Mutex<Option<Instant>>>);

impl Mailbox {
    fn set(&self, until: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// Until when the guest sleeps, if it does.
    pub(crate) fn sleeping_until(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The data of a guest's store.
#[derive(Debug)]
pub(crate) struct Guest {
    wasi: Wasi,
    pub(crate) session: Session,
    pub(crate) limits: Limits,
    pub(crate) stop: Stop,
    mailbox: Mailbox,
    memory_bytes: u64,
    /// Whether more memory was asked for than the limit allows.
    memory_refused: bool,
    over: Option<LimitName>,
}

impl Guest {
    pub(crate) fn new(wasi: Wasi, session: Session, limits: Limits, stop: Stop) -> Self {
        Self {
            wasi,
            session,
            limits,
            stop,
            mailbox: Mailbox::default(),
            memory_bytes: 0,
            memory_refused: false,
            over: None,
        }
    }

    pub(crate) fn mailbox(&self) -> Mailbox {
        self.mailbox.clone()
    }

    /// Whether the guest was refused memory. An interpreter that aborts after that
    /// has run out of it: CPython cannot raise `MemoryError` everywhere.
    pub(crate) fn memory_refused(&self) -> bool {
        self.memory_refused
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }

    /// A limit that the guest met and saw as an exception of this class, if its
    /// script let that exception through.
    pub(crate) fn limit_behind(&self, kind: &str, message: &str) -> Option<LimitName> {
        let (bytes, files) = self.wasi.files.tree.refused();
        match kind {
            // More than a 32-bit address space: on any limit it would be too much.
            "OverflowError" if message.contains("index-sized integer") => Some(LimitName::Memory),
            // CPython knows by itself how deep its C stack and its parser's are.
            "MemoryError" if message.contains("stack overflow") => Some(LimitName::Stack),
            "RecursionError" => Some(LimitName::Stack),
            "ResultTooBig" => Some(LimitName::Result),
            "MemoryError" => Some(LimitName::Memory),
            "OSError" if message.contains("[Errno 51]") && files => Some(LimitName::ScratchFiles),
            "OSError" if message.contains("[Errno 51]") && bytes => Some(LimitName::ScratchBytes),
            "OSError" if message.contains("[Errno 33]") && self.wasi.files.refused() => {
                Some(LimitName::OpenFiles)
            }
            _ => None,
        }
    }

    pub(crate) fn wasi_ref(&self) -> &Wasi {
        &self.wasi
    }
}

impl WasiView for Guest {
    fn wasi(&mut self) -> &mut Wasi {
        &mut self.wasi
    }

    fn over(&mut self, limit: LimitName) {
        self.over.get_or_insert(limit);
    }

    fn over_limit(&self) -> Option<LimitName> {
        self.over
    }

    fn sleep(&mut self, duration: Duration) -> impl Future<Output = ()> + Send + 'static {
        let mailbox = self.mailbox.clone();
        let until = Instant::now().checked_add(duration);
        std::future::poll_fn(move |_| match until {
            Some(until) if Instant::now() >= until => {
                mailbox.set(None);
                Poll::Ready(())
            }
            // Beyond the clock's range: for ever, so until the deadline.
            _ => {
                mailbox.set(Some(until.unwrap_or(Instant::now() + Duration::from_secs(1))));
                Poll::Pending
            }
        })
    }
}

impl ResourceLimiter for Guest {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let granted = desired as u64 <= self.limits.memory_bytes;
        if granted {
            self.memory_bytes = desired as u64;
        } else {
            self.memory_refused = true;
        }
        Ok(granted)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired <= 1 << 20)
    }

    fn instances(&self) -> usize {
        1
    }

    fn memories(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        4
    }
}
