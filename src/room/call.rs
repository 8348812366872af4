//! One call on a room: how to stop it, and where it tells how far it is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use dataroom_sandbox::Cancel;

use crate::audit::Through;
use crate::store::DataRef;

/// How far a call is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stage {
    /// What it is doing, in words.
    pub message: String,
    /// Steps done of this stage, where they can be counted.
    pub done: Option<u64>,
    /// Steps of this stage in all.
    pub total: Option<u64>,
}

/// Stops a call and hears of its progress. Clones are the same call.
#[derive(Debug, Clone, Default)]
pub struct Call {
    cancel: Cancel,
    stage: Arc<Mutex<Stage>>,
    views: bool,
    /// Tables of databases that it has read, by name: a call reads each once.
    read: Arc<Mutex<HashMap<String, DataRef>>>,
    through: Through,
}

impl Call {
    /// A call that nobody has stopped yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The call of a client that shows views.
    #[must_use]
    pub fn with_views(self, views: bool) -> Self {
        Self { views, ..self }
    }

    /// The same call, by another road.
    #[must_use]
    pub fn by(self, through: Through) -> Self {
        Self { through, ..self }
    }

    /// The road by which it came.
    #[must_use]
    pub fn through(&self) -> Through {
        self.through
    }

    /// Whether what it makes is shown by the client itself.
    #[must_use]
    pub fn has_views(&self) -> bool {
        self.views
    }

    /// Stops the call, wherever it is.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Whether it was stopped.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// What stops its script.
    #[must_use]
    pub fn handle(&self) -> &Cancel {
        &self.cancel
    }

    /// How far it is.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn enter(&self, message: impl Into<String>) {
        self.set(Stage { message: message.into(), done: None, total: None });
    }

    pub(crate) fn count(&self, message: &str, done: u64, total: u64) {
        self.set(Stage { message: message.to_owned(), done: Some(done), total: Some(total) });
    }

    /// The snapshot of a table that this call has read whole.
    pub(super) fn was_read(&self, name: &str) -> Option<DataRef> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Notes the snapshot of a table that was read whole.
    pub(super) fn has_read(&self, name: &str, reference: DataRef) {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), reference);
    }

    fn set(&self, stage: Stage) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
    }
}

impl Call {
    /// What a part answered, unless the call was cancelled: whatever words a part
    /// has for having been stopped, they become one.
    pub(crate) fn unless_cancelled<T, E: Into<super::RoomError>>(
        &self,
        answer: Result<T, E>,
    ) -> Result<T, super::RoomError> {
        match answer {
            Ok(value) => Ok(value),
            Err(_) if self.is_cancelled() => Err(super::RoomError::Cancelled),
            Err(error) => Err(error.into()),
        }
    }
}
