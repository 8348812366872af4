//! One `setup` at a time.

use std::fs::{File, TryLockError};
use std::path::Path;

use super::error::SetupError;

/// Held while the cache is changed. The system drops it with the process.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of `folder`; calls `waiting` first, with the holder's
    /// process id where known, if another process has it.
    pub(super) fn take(
        folder: &Path,
        waiting: &mut dyn FnMut(Option<u32>),
    ) -> Result<Self, SetupError> {
        let path = folder.join("setup.lock");
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|source| SetupError::CacheFolder { path: folder.to_owned(), source })?;
        // The id stands in a file of its own: Windows does not let others read a
        // locked one.
        let id = folder.join("setup.pid");
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = std::fs::read_to_string(&id).ok();
                waiting(holder.and_then(|text| text.trim().parse().ok()));
                file.lock().map_err(|e| SetupError::io("lock", &path, e))?;
            }
            Err(TryLockError::Error(error)) => return Err(SetupError::io("lock", &path, error)),
        }
        // Only for the message above: no harm if it cannot be written.
        let _ = std::fs::write(&id, format!("{}\n", std::process::id()));
        Ok(Self { _file: file })
    }

    /// Whether somebody holds the lock of `folder` right now.
    pub(super) fn is_held(folder: &Path) -> bool {
        let Ok(file) = File::options().write(true).open(folder.join("setup.lock")) else {
            return false;
        };
        matches!(file.try_lock(), Err(TryLockError::WouldBlock))
    }
}
