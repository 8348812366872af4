//! One owner's folder, and what is remembered of the footers in it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use cap_std::fs::{Dir, OpenOptions};
use chrono::Utc;
use dataroom_sandbox::Positioned;
use parquet::file::metadata::ParquetMetaDataReader;

use super::error::{StoreError, io_error};
use super::identity::{DataRef, Owner};
use super::meta::ArtifactMeta;
use super::temporary::{Temporary, is_temporary, open_regular, sweep_temporaries, sync_folder};
use super::{Artifact, Swept};
use crate::table::Table;

const EXTENSION: &str = ".parquet";
const TEMPORARY_PREFIX: &str = "artifact-";
const LOCK: &str = ".lock";

/// What the footers said, by folder and file name. A file that has another length
/// or time than when it was read is read again; an artifact never changes, so in
/// practice each is read once. A file that is not an artifact is remembered, too.
#[derive(Debug, Default)]
pub(super) struct Footers(Mutex<HashMap<(String, String), Seen>>);

#[derive(Debug)]
struct Seen {
    length: u64,
    modified: Option<SystemTime>,
    meta: Option<Arc<ArtifactMeta>>,
}

impl Footers {
    fn lock(&self) -> MutexGuard<'_, HashMap<(String, String), Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file of the folder that is named like an artifact.
struct Candidate {
    name: String,
    reference: DataRef,
    length: u64,
    modified: Option<SystemTime>,
}

/// One owner's folder, opened for one task.
#[derive(Debug)]
pub(super) struct OwnerFolder {
    dir: Dir,
    name: String,
    footers: Arc<Footers>,
}

impl OwnerFolder {
    /// Opens it, if it is there.
    pub(super) fn open(
        root: &Dir,
        name: String,
        footers: &Arc<Footers>,
    ) -> Result<Option<Self>, StoreError> {
        match root.open_dir(&name) {
            Ok(dir) => Ok(Some(Self { dir, name, footers: Arc::clone(footers) })),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("open the owner's folder", &error)),
        }
    }

    /// Opens it, and makes it first if need be.
    pub(super) fn make(
        root: &Dir,
        name: String,
        footers: &Arc<Footers>,
    ) -> Result<Self, StoreError> {
        match root.create_dir(&name) {
            Ok(()) => sync_folder(root).map_err(io_error("sync its folder"))?,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(StoreError::io("make the owner's folder", &error)),
        }
        let dir = root.open_dir(&name).map_err(io_error("open the owner's folder"))?;
        Ok(Self { dir, name, footers: Arc::clone(footers) })
    }

    /// A new file to write an artifact into.
    pub(super) fn temporary(&self) -> Result<Temporary, StoreError> {
        Temporary::create(&self.dir, TEMPORARY_PREFIX).map_err(io_error("create a file"))
    }

    /// Opens what has been written, for reading only.
    pub(super) fn reopen(&self, temporary: &Temporary) -> Result<File, StoreError> {
        let open = self.dir.open(temporary.name()).map_err(io_error("read the artifact back"))?;
        Ok(open.into_std())
    }

    /// Refuses if the owner's files are over the limit, after letting go of what
    /// has expired. `own` is the name of a file being written and its length.
    pub(super) fn make_room(&self, own: (&str, u64), limit: u64) -> Result<(), StoreError> {
        self.fit(limit, || {
            let others = self.bytes_of(|name| name != own.0)?;
            Ok((others, own.1))
        })
    }

    /// Gives a finished artifact its name.
    pub(super) fn publish(
        &self,
        temporary: Temporary,
        reference: &DataRef,
        bytes: u64,
        limit: u64,
    ) -> Result<(), StoreError> {
        // Whoever publishes into this folder, in whichever process, does so one
        // after the other; what others are still writing they will count themselves.
        let _lock = self.lock()?;
        self.fit(limit, || {
            let finished = self.bytes_of(|name| !is_temporary(name, TEMPORARY_PREFIX))?;
            Ok((finished, bytes))
        })?;
        temporary
            .publish(&format!("{reference}{EXTENSION}"))
            .map_err(io_error("give the artifact its name"))
    }

    fn fit(
        &self,
        limit: u64,
        count: impl Fn() -> Result<(u64, u64), StoreError>,
    ) -> Result<(), StoreError> {
        let fits = |(used, own): (u64, u64)| used.saturating_add(own) <= limit;
        if fits(count()?) {
            return Ok(());
        }
        self.sweep()?;
        let (used, own) = count()?;
        if fits((used, own)) { Ok(()) } else { Err(StoreError::OwnerFull { used, limit }) }
    }

    fn bytes_of(&self, counted: impl Fn(&str) -> bool) -> Result<u64, StoreError> {
        let mut sum = 0u64;
        for entry in self.dir.entries().map_err(io_error("read the owner's folder"))? {
            // A file that goes while we look takes no room.
            let Ok(entry) = entry else { continue };
            if entry.file_name().to_str().is_none_or(&counted)
                && let Ok(metadata) = entry.metadata()
            {
                sum = sum.saturating_add(metadata.len());
            }
        }
        Ok(sum)
    }

    /// Waits its turn. Where locks are not to be had, the limit is as good as two
    /// looks at the same moment make it.
    fn lock(&self) -> Result<File, StoreError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        let file =
            self.dir.open_with(LOCK, &options).map_err(io_error("lock the folder"))?.into_std();
        let _ = file.lock();
        Ok(file)
    }

    /// One artifact, if it is this owner's and its time has not passed.
    pub(super) fn get(&self, owner: &Owner, reference: &DataRef) -> Result<Artifact, StoreError> {
        let unknown = || StoreError::Unknown(reference.clone());
        let file = open_regular(&self.dir, &format!("{reference}{EXTENSION}"))
            .map_err(io_error("open the artifact"))?
            .ok_or_else(unknown)?;
        let table = Table::open(file).map_err(|_| unknown())?;
        let meta = ArtifactMeta::from_footer(table.metadata().metadata()).ok_or_else(unknown)?;
        let theirs = meta.owner == *owner && meta.reference == *reference;
        if theirs && !meta.is_expired(Utc::now()) {
            Ok(Artifact { meta, table })
        } else {
            Err(unknown())
        }
    }

    /// All of the owner's artifacts whose time has not passed.
    pub(super) fn list(&self, owner: &Owner) -> Result<Vec<ArtifactMeta>, StoreError> {
        let now = Utc::now();
        let candidates = self.candidates()?;
        let metas = candidates.iter().filter_map(|candidate| {
            let meta = self.meta(candidate)?;
            let theirs = meta.owner == *owner && meta.reference == candidate.reference;
            (theirs && !meta.is_expired(now)).then(|| meta.as_ref().clone())
        });
        let mut metas: Vec<_> = metas.collect();
        metas.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| a.reference.cmp(&b.reference)));
        self.forget_all_but(&candidates);
        Ok(metas)
    }

    /// Removes what has expired, and what dead processes left.
    pub(super) fn sweep(&self) -> Result<Swept, StoreError> {
        let now = Utc::now();
        let mut swept = Swept::default();
        for candidate in self.candidates()? {
            let expired = self.meta(&candidate).is_some_and(|meta| meta.is_expired(now));
            // A reference is never used twice, so the name still means the same file.
            if expired && self.dir.remove_file(&candidate.name).is_ok() {
                swept.expired += 1;
                swept.bytes += candidate.length;
                self.footers.lock().remove(&(self.name.clone(), candidate.name));
            }
        }
        swept.abandoned = sweep_temporaries(&self.dir, TEMPORARY_PREFIX)
            .map_err(io_error("read the owner's folder"))?;
        Ok(swept)
    }

    fn candidates(&self) -> Result<Vec<Candidate>, StoreError> {
        let mut candidates = Vec::new();
        for entry in self.dir.entries().map_err(io_error("read the owner's folder"))? {
            let Ok(entry) = entry else { continue };
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Some(reference) = name.strip_suffix(EXTENSION).and_then(|r| r.parse().ok()) else {
                continue;
            };
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_file() {
                let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
                candidates.push(Candidate { name, reference, length: metadata.len(), modified });
            }
        }
        Ok(candidates)
    }

    /// What the footer of a file says; `None` if it is damaged or not ours.
    fn meta(&self, candidate: &Candidate) -> Option<Arc<ArtifactMeta>> {
        let key = (self.name.clone(), candidate.name.clone());
        if let Entry::Occupied(seen) = self.footers.lock().entry(key.clone()) {
            let seen = seen.get();
            if seen.length == candidate.length && seen.modified == candidate.modified {
                return seen.meta.clone();
            }
        }
        let file = open_regular(&self.dir, &candidate.name).ok()??;
        let meta = Positioned::new(file)
            .ok()
            .and_then(|file| ParquetMetaDataReader::new().parse_and_finish(&file).ok())
            .and_then(|footer| ArtifactMeta::from_footer(&footer))
            .map(Arc::new);
        let (length, modified) = (candidate.length, candidate.modified);
        self.footers.lock().insert(key, Seen { length, modified, meta: meta.clone() });
        meta
    }

    fn forget_all_but(&self, candidates: &[Candidate]) {
        let names: std::collections::HashSet<_> =
            candidates.iter().map(|candidate| candidate.name.as_str()).collect();
        self.footers
            .lock()
            .retain(|(folder, name), _| *folder != self.name || names.contains(name.as_str()));
    }
}
