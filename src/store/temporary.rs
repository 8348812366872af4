//! A file that becomes visible whole, or not at all.
//!
//! What is being written has a hidden name in the folder it will end in and an
//! OS lock held on it. The lock is what tells a file in the making from one left
//! by a process that died: the system drops locks when a process ends, however
//! it ends, so a temporary whose lock can be taken belongs to nobody. No process
//! numbers (they are reused), no ages (a long query is not a dead one).
//!
//! One gap has to be closed: between creating the file and locking it, another
//! process may take it for abandoned. So the maker looks, once it has the lock,
//! whether the name is still there, and starts again with another name if not.

use std::fs::{File, TryLockError};
use std::io;
use std::time::{Duration, SystemTime};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, OpenOptions};

/// Where locks are not to be had (some network file systems), a temporary this
/// old is abandoned.
const ABANDONED_WITHOUT_LOCKS: Duration = Duration::from_secs(24 * 3600);
const SUFFIX: &str = ".part";

/// A file being written. Dropped without [`publish`](Temporary::publish), it is
/// removed.
#[derive(Debug)]
pub(crate) struct Temporary {
    folder: Dir,
    name: String,
    file: File,
    published: bool,
}

impl Temporary {
    /// Creates and locks a new file in `folder`.
    pub(crate) fn create(folder: &Dir, prefix: &str) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        loop {
            let name = format!(".{prefix}{}{SUFFIX}", random_hex()?);
            let file = folder.open_with(&name, &options)?.into_std();
            let temporary = Self { folder: folder.try_clone()?, name, file, published: false };
            match temporary.file.try_lock() {
                Ok(()) | Err(TryLockError::Error(_)) => {}
                // Somebody is looking at it just now, and is about to remove it.
                Err(TryLockError::WouldBlock) => continue,
            }
            if temporary.folder.try_exists(&temporary.name)? {
                return Ok(temporary);
            }
        }
    }

    /// The open file.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Its name, for those who count what is in the folder.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Makes the bytes durable; to be called before [`publish`](Self::publish),
    /// and apart from it so that no lock need be held while the disk works.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Gives the file its name, replacing a file of that name. The name itself is
    /// durable when this returns.
    pub(crate) fn publish(mut self, name: &str) -> io::Result<()> {
        self.folder.rename(&self.name, &self.folder, name)?;
        self.published = true;
        sync_folder(&self.folder)
    }

    /// Gives the file the first free of `names`, replacing nothing, ever. Returns
    /// the name it got.
    pub(crate) fn publish_new(
        mut self,
        mut names: impl Iterator<Item = String>,
    ) -> io::Result<String> {
        let name = loop {
            let Some(name) = names.next() else {
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, "every name is taken"));
            };
            match self.claim(&name) {
                Ok(()) => break name,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        };
        self.published = true;
        sync_folder(&self.folder)?;
        Ok(name)
    }

    /// A hard link fails if the name is taken, in one step. Not every file system
    /// has them (FAT, some shares).
    fn claim(&self, name: &str) -> io::Result<()> {
        match self.folder.hard_link(&self.name, &self.folder, name) {
            Ok(()) => {
                // The file is whole under its name; a second, hidden name that
                // cannot be removed now is swept later.
                let _ = self.folder.remove_file(&self.name);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Err(_) => self.claim_without_links(name),
        }
    }

    /// Takes the name with an empty file of our own, then replaces that.
    fn claim_without_links(&self, name: &str) -> io::Result<()> {
        self.folder.open_with(name, OpenOptions::new().write(true).create_new(true))?;
        self.folder.rename(&self.name, &self.folder, name).inspect_err(|_| {
            let _ = self.folder.remove_file(name);
        })
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.published {
            let _ = self.folder.remove_file(&self.name);
        }
    }
}

/// Whether this is the name of a temporary with this prefix.
pub(crate) fn is_temporary(name: &str, prefix: &str) -> bool {
    name.strip_prefix('.')
        .and_then(|rest| rest.strip_prefix(prefix))
        .and_then(|rest| rest.strip_suffix(SUFFIX))
        .is_some_and(|middle| middle.len() == 32 && middle.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Removes the temporaries with this prefix that nobody is writing, and says how
/// many there were. What cannot be opened or removed is left for another time.
pub(crate) fn sweep_temporaries(folder: &Dir, prefix: &str) -> io::Result<u64> {
    let mut removed = 0;
    for entry in folder.entries()? {
        let Ok(entry) = entry else { continue };
        let Ok(name) = entry.file_name().into_string() else { continue };
        if !is_temporary(&name, prefix) {
            continue;
        }
        // The lock is held while the file goes: let go before, its maker could
        // take it, find the name still there, and lose it the next moment.
        if let Some(_lock) = lock_abandoned(folder, &name) {
            removed += u64::from(folder.remove_file(&name).is_ok());
        }
    }
    Ok(removed)
}

/// Locks a temporary that nobody is writing.
fn lock_abandoned(folder: &Dir, name: &str) -> Option<File> {
    let file = open_regular(folder, name).ok()??;
    let abandoned = match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => file
            .metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
            .and_then(|modified| SystemTime::now().duration_since(modified).ok())
            .is_some_and(|age| age > ABANDONED_WITHOUT_LOCKS),
    };
    abandoned.then_some(file)
}

/// Opens a regular file for reading; `None` if there is none of that name.
/// Links are not followed, and a pipe laid in our way is not waited for.
pub(crate) fn open_regular(folder: &Dir, name: &str) -> io::Result<Option<File>> {
    match folder.symlink_metadata(name) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No);
    match folder.open_with(name, &options) {
        Ok(file) => Ok(Some(file.into_std())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes the names in a folder durable. Windows has no such call and needs none.
pub(crate) fn sync_folder(folder: &Dir) -> io::Result<()> {
    if cfg!(unix) {
        folder.open(".")?.sync_all()?;
    }
    Ok(())
}

/// 128 random bits as 32 hex digits.
pub(crate) fn random_hex() -> io::Result<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
#[path = "temporary_tests.rs"]
mod tests;
