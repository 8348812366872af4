//! The store: artifacts, each one Parquet file.
//!
//! ```text
//! <store>/<hash of the owner>/data_<32 hex digits>.parquet     an artifact
//!                             .artifact-<32 hex digits>.part   one being written
//!                             .lock                            held to publish
//! ```
//!
//! The file is all there is. Its footer says who owns it, where it came from and
//! until when it is kept; folder and file name only help to find it, and a file
//! whose footer says otherwise is not there. There is no index, so none can be
//! wrong, and a restart has nothing to restore.
//!
//! An artifact is written under a hidden name, synced, and renamed: killed at any
//! moment, it is whole or absent ([`temporary`]). Any number of servers may work
//! on one folder; they meet only in two OS locks, one on each file being written
//! (so that nobody sweeps it) and one on the owner's folder while an artifact is
//! given its name (so that two cannot both take the owner's last bytes).
//!
//! An owner learns nothing about what is not theirs: unknown, expired and foreign
//! references are answered in the same words.

mod bits;
mod error;
pub mod file;
mod folder;
mod hash;
mod identity;
mod meta;
pub(crate) mod temporary;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use arrow::datatypes::SchemaRef;
use cap_std::fs::Dir;

use crate::table::Table;

pub use error::StoreError;
pub(crate) use hash::same_type;
pub use hash::{ContentHash, ContentHasher};
pub use identity::{BadDataRef, BadOwner, DataRef, Owner};
pub use meta::{
    ArtifactMeta, Draft, FOOTER_KEY, InputRecord, Kind, Origin, RemoteRead, RunRecord,
    schema_fingerprint,
};
pub(crate) use meta::{foreign_schema, key_values};
pub use writer::ArtifactWriter;
pub(crate) use writer::parquet_properties;

use error::io_error;
use folder::{Footers, OwnerFolder};

/// The store's limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreSettings {
    /// How long an artifact is kept if its maker does not say.
    pub time_to_live: Duration,
    /// The largest artifact, in bytes of its file.
    pub artifact_bytes: u64,
    /// What the files of one owner may take together.
    pub owner_bytes: u64,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            time_to_live: Duration::from_secs(7 * 24 * 3600),
            artifact_bytes: 2 << 30,
            owner_bytes: 20 << 30,
        }
    }
}

/// A finished artifact, opened.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// What is known of it.
    pub meta: ArtifactMeta,
    /// Its rows.
    pub table: Table,
}

/// What a sweep removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Artifacts whose time had passed.
    pub expired: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that dead processes had begun.
    pub abandoned: u64,
}

/// Artifacts in a folder. All methods may be called from any thread.
#[derive(Debug)]
pub struct Store {
    root: Dir,
    settings: StoreSettings,
    footers: Arc<Footers>,
}

impl Store {
    /// A store in this folder. Nothing is read or swept yet, so that a short
    /// command starts fast; a server should [`sweep`](Self::sweep) now and then.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn open(folder: Dir, settings: StoreSettings) -> Result<Self, StoreError> {
        folder.entries().map_err(io_error("read the store's folder"))?;
        Ok(Self { root: folder, settings, footers: Arc::default() })
    }

    /// Begins an artifact. The schema's metadata is kept, and comes back with the
    /// table's schema; the key [`FOOTER_KEY`] in it is ours and is ignored.
    ///
    /// # Errors
    /// A column cannot be stored, or the folder cannot be written.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "a schema is a shared pointer, handed over like this everywhere"
    )]
    pub fn create(&self, draft: Draft, schema: SchemaRef) -> Result<ArtifactWriter, StoreError> {
        let folder = OwnerFolder::make(&self.root, draft.owner.folder(), &self.footers)?;
        let reference = DataRef::random().map_err(io_error("get random bits"))?;
        let meta = ArtifactMeta::begin(draft, reference, &schema, self.settings.time_to_live);
        ArtifactWriter::create(folder, meta, &schema, self.settings)
    }

    /// Opens an artifact.
    ///
    /// # Errors
    /// [`StoreError::Unknown`] if there is none of this name that is this owner's
    /// and has not expired.
    pub fn get(&self, owner: &Owner, reference: &DataRef) -> Result<Artifact, StoreError> {
        match OwnerFolder::open(&self.root, owner.folder(), &self.footers)? {
            Some(folder) => folder.get(owner, reference),
            None => Err(StoreError::Unknown(reference.clone())),
        }
    }

    /// The owner's artifacts, newest first. Files that are damaged or not ours are
    /// passed over.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn list(&self, owner: &Owner) -> Result<Vec<ArtifactMeta>, StoreError> {
        match OwnerFolder::open(&self.root, owner.folder(), &self.footers)? {
            Some(folder) => folder.list(owner),
            None => Ok(Vec::new()),
        }
    }

    /// Removes every owner's expired artifacts, and the files that dead processes
    /// had begun. What another living process is writing stays.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn sweep(&self) -> Result<Swept, StoreError> {
        let mut all = Swept::default();
        for entry in self.root.entries().map_err(io_error("read the store's folder"))? {
            let Ok(entry) = entry else { continue };
            let Ok(name) = entry.file_name().into_string() else { continue };
            let ours = name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !ours || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if let Some(folder) = OwnerFolder::open(&self.root, name, &self.footers)? {
                let swept = folder.sweep()?;
                all.expired += swept.expired;
                all.bytes += swept.bytes;
                all.abandoned += swept.abandoned;
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod test_tables;
#[cfg(test)]
mod tests;
