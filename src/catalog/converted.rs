//! The cache of converted files: one Parquet file per contents.
//!
//! Its name is the blake3 of the original's bytes with the format they were read
//! as and the converter's version, so nothing in it can be stale. It is written
//! under a temporary name, synced and renamed: killed at any moment, it is whole
//! or absent, and two processes that convert the same file end with one of two
//! equal ones. Its footer carries the hash of the data before it, checked once
//! per process and file: a damaged one is taken for absent and built again.

use std::io::{Read as _, Seek as _, Write as _};
use std::time::Duration;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use serde::{Deserialize, Serialize};

use super::Warning;
use super::encode::Encoder;
use super::fingerprint::{Fingerprint, Memory, hash};
use super::folder::Format;
use super::text::packed::Packing;
use crate::table::Table;

/// Raised whenever the same bytes may be converted differently.
pub(super) const VERSION: u32 = 3;

/// The footer's key for [`Label`].
const KEY: &str = "dataroom.converted";

/// Files of this size are worth remembering the hash of: they take longer to read than a
/// person would call at once.
const WORTH_REMEMBERING: u64 = 8 << 20;

/// How long a hash is remembered that nobody asks for.
const FORGOTTEN: Duration = Duration::from_secs(90 * 24 * 3600);

/// No conversion leaves its temporary file untouched for that long.
const ABANDONED: Duration = Duration::from_secs(3600);

/// What is converted, and how it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    /// The hash of the file's bytes.
    pub original: String,
    /// What of it, as a part of a file's name.
    pub part: String,
}

impl Key {
    pub(super) fn new(original: &str, format: Format, packing: Packing, sheet: usize) -> Self {
        let mut part = format.name().to_owned();
        match packing {
            Packing::None => {}
            Packing::Gzip => part.push_str(".gz"),
            Packing::Zstd => part.push_str(".zst"),
        }
        if format.has_sheets() {
            part.push_str(&format!(".{sheet}"));
        }
        Self { original: original.to_owned(), part }
    }

    fn file(&self) -> String {
        format!("{}.{}-{VERSION}.parquet", self.original, self.part)
    }
}

/// What a reader of the numbers should know about how a file was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Notes {
    pub notes: Vec<String>,
    /// What makes values missing: said with everything that is computed of them.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

impl From<Vec<String>> for Notes {
    fn from(notes: Vec<String>) -> Self {
        Self { notes, warnings: Vec::new() }
    }
}

/// What the footer says about a converted file.
#[derive(Debug, Serialize, Deserialize)]
struct Label {
    original: String,
    part: String,
    version: u32,
    #[serde(flatten)]
    notes: Notes,
    body_bytes: u64,
    body_hash: String,
}

/// The folder of converted files.
#[derive(Debug)]
pub(super) struct Converted {
    dir: Dir,
    verified: Memory,
}

impl Converted {
    /// Also removes what killed conversions left behind long ago.
    pub(super) fn open(dir: Dir) -> Self {
        let this = Self { dir, verified: Memory::default() };
        this.sweep();
        this
    }

    fn sweep(&self) {
        // Tidying is not worth an error: the next start tries again.
        for entry in self.dir.entries().into_iter().flatten().flatten() {
            let name = entry.file_name();
            let older = |limit| {
                let modified = entry.metadata().ok()?.modified().ok()?.into_std();
                Some(modified.elapsed().ok()? > limit)
            };
            let text = name.to_string_lossy();
            let goes = (text.ends_with(".partial") && older(ABANDONED) == Some(true))
                || (text.ends_with(".hash") && older(FORGOTTEN) == Some(true));
            if goes {
                let _ = self.dir.remove_file(&name);
            }
        }
    }

    /// The hash of a large file that an earlier process read, by the file's fingerprint.
    pub(super) fn remembered(&self, of: &Fingerprint) -> Option<String> {
        let mut text = String::new();
        if of.bytes() < WORTH_REMEMBERING {
            return None;
        }
        let file = self.dir.open(format!("{}.hash", of.name())).ok()?;
        file.take(100).read_to_string(&mut text).ok()?;
        blake3::Hash::from_hex(&text).ok()?;
        Some(text)
    }

    /// Remembers the hash of a large file for later processes, unless the file may still
    /// change under its fingerprint. That it cannot is no error: it is read again then.
    pub(super) fn remember(&self, of: &Fingerprint, hash: &str) {
        if of.bytes() < WORTH_REMEMBERING || !of.settled() || self.remembered(of).is_some() {
            return;
        }
        let Ok(random) = getrandom::u64() else { return };
        let temporary = format!("{random:016x}.partial");
        let write = || -> std::io::Result<()> {
            let mut options = OpenOptions::new();
            let options = options.write(true).create_new(true);
            self.dir.open_with(&temporary, options)?.write_all(hash.as_bytes())?;
            self.dir.rename(&temporary, &self.dir, format!("{}.hash", of.name()))
        };
        if write().is_err() {
            let _ = self.dir.remove_file(&temporary);
        }
    }

    /// The converted file with its notes, if it is there and undamaged.
    pub(super) fn get(&self, key: &Key) -> Option<(Table, Notes)> {
        let file = self.dir.open(key.file()).ok()?;
        let fingerprint = Fingerprint::of(&file.metadata().ok()?);
        let mut file = file.into_std();
        let table = Table::open(file.try_clone().ok()?).ok()?;
        let pairs = table.metadata().metadata().file_metadata().key_value_metadata()?;
        let label = pairs.iter().find(|pair| pair.key == KEY)?.value.as_deref()?;
        let label: Label = serde_json::from_str(label).ok()?;
        if label.original != key.original || label.part != key.part || label.version != VERSION {
            return None;
        }
        if self.verified.get(&fingerprint).hash.as_ref() != Some(&label.body_hash) {
            file.rewind().ok()?;
            let body = hash((&file).take(label.body_bytes), &|| false).ok()??;
            if body != label.body_hash {
                return None;
            }
            self.verified.put(fingerprint, |facts| facts.hash = Some(body));
        }
        Some((table, label.notes))
    }

    /// Begins a converted file.
    pub(super) fn begin(&self, key: &Key, schema: SchemaRef) -> Result<Writer<'_>, ParquetError> {
        let random = getrandom::u64().map_err(|e| ParquetError::External(Box::new(e)))?;
        let temporary = format!("{}.{random:016x}.partial", key.original);
        let file =
            self.dir.open_with(&temporary, OpenOptions::new().write(true).create_new(true))?;
        let temporary = Temporary { dir: &self.dir, name: temporary, renamed: false };
        let made_by = format!("dataroom converter {VERSION}");
        let encoder = Encoder::new(file.into_std(), schema, made_by);
        Ok(Writer { encoder, temporary, key: key.clone(), verified: &self.verified })
    }
}

/// A converted file being written. Dropped unfinished, it leaves nothing.
pub(super) struct Writer<'a> {
    encoder: Encoder,
    temporary: Temporary<'a>,
    key: Key,
    verified: &'a Memory,
}

impl Writer<'_> {
    pub(super) fn write(&mut self, batch: RecordBatch) -> Result<(), ParquetError> {
        self.encoder.write(batch)
    }

    /// Makes it count.
    pub(super) fn finish(mut self, notes: Notes) -> Result<(), ParquetError> {
        let mut writer = self.encoder.finish()?;
        writer.flush()?;
        writer.sync()?;
        let body = writer.inner();
        let body_hash = body.hasher.finalize().to_hex().to_string();
        let label = Label {
            original: self.key.original.clone(),
            part: self.key.part.clone(),
            version: VERSION,
            notes,
            body_bytes: body.written,
            body_hash: body_hash.clone(),
        };
        let label =
            serde_json::to_string(&label).map_err(|e| ParquetError::External(Box::new(e)))?;
        writer.append_key_value_metadata(KeyValue::new(KEY.to_owned(), label));
        let file = writer.into_inner()?.file;
        file.sync_all()?;
        self.temporary.dir.rename(&self.temporary.name, self.temporary.dir, self.key.file())?;
        self.temporary.renamed = true;
        // What was hashed on its way to the disk is not read back at once.
        let metadata = Metadata::from_file(&file)?;
        self.verified.put_own(Fingerprint::of(&metadata), |facts| facts.hash = Some(body_hash));
        // The rename itself must survive a crash, where folders can be synced.
        if let Ok(folder) = self.temporary.dir.open(".") {
            let _ = File::sync_all(&folder);
        }
        Ok(())
    }
}

struct Temporary<'a> {
    dir: &'a Dir,
    name: String,
    renamed: bool,
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = self.dir.remove_file(&self.name);
        }
    }
}
