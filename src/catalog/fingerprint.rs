//! Has a file changed? A cheap fingerprint stands for its contents' hash, as in
//! git's index, and with git's caution: a file changed within the last moments
//! may change again without a new time stamp, so its hash is not remembered yet.

use std::collections::HashMap;
use std::io::Read;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_fs_ext::MetadataExt as _;
use cap_std::fs::Metadata;
use chrono::{DateTime, Utc};
use dataroom_sandbox::Positioned;
use parquet::file::reader::ChunkReader as _;

use crate::table::Table;

/// Coarser than the time stamps of any file system in use (FAT: 2 s).
const SETTLED: Duration = Duration::from_millis(2_500);

/// More files than this are not remembered at once.
const REMEMBERED: usize = 200_000;

/// What tells two states of a file apart without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Fingerprint {
    device: u64,
    inode: u64,
    size: u64,
    modified: i128,
    /// A program can set `modified` back, but not this one.
    changed: i128,
}

impl Fingerprint {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().map_or(0, |t| nanos(t.into_std()));
        #[cfg(unix)]
        let changed = {
            use cap_std::fs::MetadataExt as _;
            i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec())
        };
        #[cfg(not(unix))]
        let changed = modified;
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified,
            changed,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.size
    }

    pub(super) fn modified(&self) -> Option<DateTime<Utc>> {
        let seconds = i64::try_from(self.modified.div_euclid(1_000_000_000)).ok()?;
        DateTime::from_timestamp(seconds, 0)
    }

    /// A name for it, for what is remembered on disk.
    pub(super) fn name(&self) -> String {
        blake3::hash(format!("{self:?}").as_bytes()).to_hex().to_string()
    }

    pub(super) fn settled(&self) -> bool {
        let limit = i128::try_from(SETTLED.as_nanos()).unwrap_or(i128::MAX);
        nanos(SystemTime::now()) - self.modified.max(self.changed) > limit
    }
}

/// What an open file was like when it was hashed, to know whether it still is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    length: u64,
    modified: Option<SystemTime>,
    changed: i128,
    settled: bool,
}

impl FileState {
    pub(super) fn of(file: &Positioned) -> Option<Self> {
        let metadata = file.metadata().ok()?;
        let modified = metadata.modified().ok();
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt as _;
            i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec())
        };
        #[cfg(not(unix))]
        let changed = 0;
        let last = modified.map_or(i128::MAX, nanos).max(changed);
        let limit = i128::try_from(SETTLED.as_nanos()).unwrap_or(i128::MAX);
        let settled = nanos(SystemTime::now()).saturating_sub(last) > limit;
        Some(Self { length: metadata.len(), modified, changed, settled })
    }
}

/// Whether a table's file, opened in place, still holds what it held when it had this
/// hash. It is read again only if something happened to it: to be renamed or deleted
/// changes an open file's times too, but not its contents.
pub(crate) fn is_unchanged(
    table: &Table,
    before: &FileState,
    wanted: &str,
    stop: &dyn Fn() -> bool,
) -> bool {
    if before.settled && FileState::of(table.file()).as_ref() == Some(before) {
        return true;
    }
    let same = |from| hash(from, stop).is_ok_and(|now| now.is_none_or(|now| now == wanted));
    // What was appended is a change, too: the whole file has the hash.
    table.file().metadata().is_ok_and(|metadata| metadata.len() == table.file().length())
        && table.file().get_read(0).is_ok_and(same)
}

fn nanos(time: SystemTime) -> i128 {
    let signed = |d: Duration| i128::try_from(d.as_nanos()).unwrap_or(i128::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => signed(after),
        Err(before) => -signed(before.duration()),
    }
}

/// What is known about a file without reading it again.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// blake3 of its bytes.
    pub hash: Option<String>,
    /// Rows and columns, of a workbook's sheets by their place.
    pub shapes: HashMap<usize, (u64, usize)>,
    /// The names of a workbook's sheets; within, `None` if it has none that can be read.
    pub sheets: Option<Option<Vec<String>>>,
}

/// Facts by fingerprint, for as long as the process lives.
#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<HashMap<Fingerprint, Facts>>);

impl Memory {
    pub(super) fn get(&self, of: &Fingerprint) -> Facts {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(of).cloned().unwrap_or_default()
    }

    /// Remembers, unless the file may still change under its fingerprint.
    pub(super) fn put(&self, of: Fingerprint, update: impl FnOnce(&mut Facts)) {
        if of.settled() {
            self.put_own(of, update);
        }
    }

    /// The same of a file that nobody else writes to.
    pub(super) fn put_own(&self, of: Fingerprint, update: impl FnOnce(&mut Facts)) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            known.clear();
        }
        update(known.entry(of).or_default());
    }
}

/// The blake3 of what is left to read, in hex; `None` if asked to stop.
pub(super) fn hash(
    mut from: impl Read,
    stop: &dyn Fn() -> bool,
) -> std::io::Result<Option<String>> {
    let mut hasher = blake3::Hasher::new();
    let mut chunk = vec![0; 1 << 20];
    loop {
        if stop() {
            return Ok(None);
        }
        match from.read(&mut chunk) {
            Ok(0) => return Ok(Some(hasher.finalize().to_hex().to_string())),
            Ok(read) => {
                hasher.update(&chunk[..read]);
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}
