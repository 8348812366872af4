//! Datasets: the files of the `--data` folders, by name, as tables.
//!
//! Nothing is kept by name. Each question reads the folders anew ([`folder`]),
//! so a new, changed or deleted file is noticed at once; what is costly to know
//! (a file's hash, its rows) is remembered by the file's fingerprint
//! ([`fingerprint`]) and by its contents ([`converted`]). A Parquet file is opened
//! as it is. Any other is converted once into Parquet, whole: the converter looks
//! at every cell before it says what a column holds ([`csv`], [`json`], [`sheets`],
//! [`ipc`]).
//!
//! A name is never used as a path. It is looked up in the listing, so `..`,
//! absolute paths and links that leave the folder find nothing there.

mod alone;
mod converted;
mod csv;
mod encode;
mod error;
mod fingerprint;
mod folder;
mod ipc;
mod json;
mod names;
mod partitions;
mod sheets;
mod source;
mod text;

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use self::error::{CatalogError, Refusal};
pub use self::fingerprint::FileState;
pub(crate) use self::fingerprint::is_unchanged;
pub(crate) use self::folder::ENDINGS;

use self::converted::{Converted, Key, Notes};
use self::fingerprint::{Fingerprint, Memory, hash};
use self::folder::{Folder, Format, Found, Listing, refusal};
use self::names::Names;
use self::partitions::Parts;
use self::source::Source;
use self::text::encoding::{guess, utf_16};
use crate::nearest::nearest;
use crate::table::Table;

/// The name of a dataset, as [`Catalog::list`] gives it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DatasetName(pub String);

impl DatasetName {
    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for DatasetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is known about a dataset without reading it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DatasetInfo {
    /// Its name: always resolves to this file alone.
    pub name: String,
    /// `csv`, `tsv`, `parquet`, `json`, `ndjson`, `arrow`, `xlsx` or `ods`.
    pub format: &'static str,
    /// Its path in the data folder.
    pub file: String,
    /// The file's size.
    pub bytes: u64,
    /// Rows, where known: in a Parquet file, or once the file was read in its present state.
    pub rows: Option<u64>,
    /// Columns, where known.
    pub columns: Option<usize>,
}

/// What whoever computes with some columns must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// The columns that it is about.
    pub columns: Vec<String>,
    /// What is so.
    pub text: String,
}

impl Warning {
    fn new(columns: &[&str], text: String) -> Self {
        Self { columns: columns.iter().map(|name| (*name).to_owned()).collect(), text }
    }
}

/// An open dataset.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Its name.
    pub name: DatasetName,
    /// Its rows.
    pub table: Table,
    /// The blake3 of the file's bytes, in hex; of a further sheet, of that and its number.
    pub content_hash: String,
    /// What a reader of the numbers should know about how the file was read.
    pub notes: Vec<String>,
    /// What of it is missing for a reason that whoever computes with it must know.
    pub warnings: Vec<Warning>,
    /// When the file was last written to, where the system says.
    pub modified: Option<DateTime<Utc>>,
    /// Of a file that is read in place, and may be written to meanwhile.
    pub in_place: Option<FileState>,
}

/// All datasets.
#[derive(Debug)]
pub struct Catalog {
    folders: Vec<Folder>,
    converted: Converted,
    memory: Memory,
    /// Contents being converted by this process.
    busy: Mutex<HashSet<String>>,
    done: Condvar,
}

impl Catalog {
    /// Opens the data folders. Converted files are kept in `converted`.
    ///
    /// # Errors
    /// A folder does not exist or may not be read.
    pub fn open(folders: &[PathBuf], converted: cap_std::fs::Dir) -> Result<Self, CatalogError> {
        Ok(Self {
            folders: Folder::open_all(folders)?,
            converted: Converted::open(converted),
            memory: Memory::default(),
            busy: Mutex::default(),
            done: Condvar::new(),
        })
    }

    /// All datasets, by name, as the folders are now.
    ///
    /// # Errors
    /// The folders hold too many files.
    pub fn list(&self) -> Result<Vec<DatasetInfo>, CatalogError> {
        let listing = self.look()?;
        let names = Names::of(&listing, &self.folders);
        let mut infos: Vec<DatasetInfo> = listing
            .found
            .iter()
            .enumerate()
            .map(|(at, found)| {
                let shape = self.shape(found);
                DatasetInfo {
                    name: names.name(at).to_owned(),
                    format: found.format.name(),
                    file: found.file.clone(),
                    bytes: found.bytes(),
                    rows: shape.map(|s| s.0),
                    columns: shape.map(|s| s.1),
                }
            })
            .collect();
        infos.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(infos)
    }

    /// Opens a dataset, by its name or by its path in the data folder, converting
    /// it first if its present contents were not converted before.
    ///
    /// # Errors
    /// No or no single dataset of that name, contents that cannot be read rightly,
    /// the disk, or `stop` said true.
    pub fn table(&self, name: &str, stop: &dyn Fn() -> bool) -> Result<Dataset, CatalogError> {
        let listing = self.look()?;
        let names = Names::of(&listing, &self.folders);
        let at = names.resolve(name)?;
        self.dataset(&listing.found[at], names.name(at).to_owned(), stop)
    }

    fn dataset(
        &self,
        found: &Found,
        name: String,
        stop: &dyn Fn() -> bool,
    ) -> Result<Dataset, CatalogError> {
        let (table, content_hash, Notes { notes, warnings }) = self.read(found, stop)?;
        let name = DatasetName(name);
        let modified = found.fingerprint.modified();
        let is_in_place = found.format == Format::Parquet && found.parts.is_none();
        let in_place = if is_in_place { FileState::of(table.file()) } else { None };
        Ok(Dataset { name, table, content_hash, notes, warnings, modified, in_place })
    }

    /// Up to three datasets whose names are near to `name`, for errors.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Vec<String> {
        let Ok(listing) = self.look() else { return Vec::new() };
        let names = Names::of(&listing, &self.folders);
        nearest(name, names.all()).into_iter().map(str::to_owned).collect()
    }

    fn look(&self) -> Result<Listing, CatalogError> {
        let mut listing = Listing::default();
        for (at, folder) in self.folders.iter().enumerate() {
            folder.list(at, &mut listing)?;
        }
        let found = std::mem::take(&mut listing.found);
        listing.found = found.into_iter().flat_map(|found| self.sheets(found)).collect();
        partitions::gather(&mut listing, &|at| self.folders[at].label.clone());
        Ok(listing)
    }

    /// A workbook's sheets; anything else as it is.
    fn sheets(&self, found: Found) -> Vec<Found> {
        if !found.format.has_sheets() {
            return vec![found];
        }
        let names = self.memory.get(&found.fingerprint).sheets.unwrap_or_else(|| {
            let file = self.folders[found.folder].open(&found.file).ok()?;
            let fingerprint = Fingerprint::of(&file.metadata().ok()?);
            let names = sheets::names(&file.into_std(), found.format);
            self.memory.put(fingerprint, |facts| facts.sheets = Some(names.clone()));
            names
        });
        found.sheets(names)
    }

    /// Rows and columns, if that is cheap.
    fn shape(&self, found: &Found) -> Option<(u64, usize)> {
        if let Some(parts) = &found.parts {
            let shapes: Option<Vec<_>> = parts.files.iter().map(|part| self.shape(part)).collect();
            let shapes = shapes?;
            let same = shapes.windows(2).all(|pair| pair[0].1 == pair[1].1);
            let columns = shapes.first().filter(|_| same)?.1 + parts.keys.len();
            return Some((shapes.iter().map(|shape| shape.0).sum(), columns));
        }
        let sheet = found.sheet.as_ref().map_or(0, |(at, _)| *at);
        if let Some(shape) = self.memory.get(&found.fingerprint).shapes.get(&sheet) {
            return Some(*shape);
        }
        if found.format != Format::Parquet {
            return None;
        }
        let file = self.folders[found.folder].open(&found.file).ok()?;
        let fingerprint = Fingerprint::of(&file.metadata().ok()?);
        let shape = shape(&Table::open(file.into_std()).ok()?);
        self.memory.put(fingerprint, |facts| {
            facts.shapes.insert(0, shape);
        });
        Some(shape)
    }

    fn read(
        &self,
        found: &Found,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Table, String, Notes), CatalogError> {
        if let Some(parts) = &found.parts {
            return self.read_parts(parts, &found.path, stop);
        }
        let path = || found.path.clone();
        let failed = |cause: std::io::Error| match refusal(&cause) {
            Refusal::LeavesFolder => {
                CatalogError::Refused { name: path(), reason: Refusal::LeavesFolder }
            }
            Refusal::Special => CatalogError::Refused { name: path(), reason: Refusal::Special },
            _ => CatalogError::Read { file: path(), cause },
        };
        let file = self.folders[found.folder].open(&found.file).map_err(failed)?;
        let fingerprint = Fingerprint::of(&file.metadata().map_err(failed)?);
        let file = file.into_std();
        let known = self.memory.get(&fingerprint).hash;
        let hash = match known.or_else(|| self.converted.remembered(&fingerprint)) {
            Some(hash) => hash,
            None => hash(&file, stop)
                .map_err(failed)?
                .ok_or_else(|| CatalogError::Stopped { file: path() })?,
        };
        let (table, notes) = if found.format == Format::Parquet {
            let table =
                Table::open(file).map_err(|cause| CatalogError::Parquet { file: path(), cause })?;
            (table, Notes::default())
        } else {
            let source = Source {
                file: &file,
                path: &found.path,
                format: found.format,
                packing: found.packing,
                encoding: encoding_rs::UTF_8,
                stop,
            };
            self.convert(&source, &hash, found.sheet.as_ref())?
        };
        self.converted.remember(&fingerprint, &hash);
        self.memory.put(fingerprint, |facts| {
            facts.hash = Some(hash.clone());
            let sheet = found.sheet.as_ref().map_or(0, |(at, _)| *at);
            facts.shapes.insert(sheet, shape(&table));
        });
        Ok((table, content(hash, found), notes))
    }

    fn read_parts(
        &self,
        parts: &Parts,
        path: &str,
        stop: &dyn Fn() -> bool,
    ) -> Result<(Table, String, Notes), CatalogError> {
        let open = |part: &Found| match stop() {
            true => Err(CatalogError::Stopped { file: path.to_owned() }),
            false => self.read(part, stop),
        };
        let looked = parts.look(&open)?;
        let key = looked.key.clone();
        let check = || match stop() {
            true => Err(CatalogError::Stopped { file: path.to_owned() }),
            false => Ok(()),
        };
        let _turn = Turn::wait(self, &key, &check)?;
        let ready = match self.converted.get(&key) {
            Some(ready) => Some(ready),
            None => {
                parts.convert(looked, &open, &check, &self.converted)?;
                self.converted.get(&key)
            }
        };
        let (table, notes) = ready.ok_or_else(|| damaged(path))?;
        Ok((table, key.original, notes))
    }

    /// The converted file, made if need be; within this process once at a time.
    fn convert(
        &self,
        source: &Source<'_>,
        hash: &str,
        sheet: Option<&(usize, String)>,
    ) -> Result<(Table, Notes), CatalogError> {
        let number = sheet.map_or(0, |(at, _)| *at);
        let key = Key::new(hash, source.format, source.packing, number);
        let _turn = Turn::wait(self, &key, &|| source.check())?;
        if let Some(ready) = self.converted.get(&key) {
            return Ok(ready);
        }
        match (source.format, sheet) {
            (Format::Arrow, _) => ipc::convert(source, &key, &self.converted)?,
            (Format::Xlsx | Format::Ods, Some((at, name))) => {
                sheets::convert(source, (name, *at), &key, &self.converted)?;
            }
            (Format::Xlsx | Format::Ods, None) => {
                return Err(source.whole(format!("it {}", sheets::why_not(source.file))));
            }
            _ => self.convert_text(source, &key)?,
        }
        self.converted.get(&key).ok_or_else(|| damaged(source.path))
    }
}

impl Catalog {
    /// Reads a text in the encoding that it says it has; if it says none and is no UTF-8,
    /// in the one that it seems to have.
    fn convert_text(&self, source: &Source<'_>, key: &Key) -> Result<(), CatalogError> {
        let convert = |source: &Source<'_>| match source.format {
            Format::Json | Format::Ndjson => json::convert(source, key, &self.converted),
            _ => csv::convert(source, key, &self.converted),
        };
        let failed = |e| source.failed(1, e);
        if let Some(encoding) = utf_16(source.unpacked()?).map_err(failed)? {
            return convert(&Source { encoding, ..*source });
        }
        match convert(source) {
            Err(error @ CatalogError::NotUtf8 { .. }) => {
                match guess(source.unpacked()?).map_err(failed)? {
                    Some(encoding) => convert(&Source { encoding, ..*source }),
                    None => Err(error),
                }
            }
            done => done,
        }
    }
}

/// The hash of what a dataset is made of: of its file, and of which of its sheets.
fn content(hash: String, found: &Found) -> String {
    match found.sheet {
        Some((number @ 1.., _)) => {
            blake3::hash(format!("{hash} {number}").as_bytes()).to_hex().to_string()
        }
        _ => hash,
    }
}

fn damaged(path: &str) -> CatalogError {
    CatalogError::Write {
        file: path.to_owned(),
        cause: "it was damaged as soon as it was written".into(),
    }
}

fn shape(table: &Table) -> (u64, usize) {
    (table.rows(), table.schema().fields().len())
}

/// The right to convert some contents; given back when dropped.
struct Turn<'a> {
    catalog: &'a Catalog,
    key: String,
}

impl<'a> Turn<'a> {
    fn wait(
        catalog: &'a Catalog,
        key: &Key,
        check: &dyn Fn() -> Result<(), CatalogError>,
    ) -> Result<Self, CatalogError> {
        let key = format!("{}.{}", key.original, key.part);
        let mut busy = catalog.busy.lock().unwrap_or_else(PoisonError::into_inner);
        while !busy.insert(key.clone()) {
            let pause = Duration::from_millis(20);
            busy = catalog.done.wait_timeout(busy, pause).unwrap_or_else(PoisonError::into_inner).0;
            check()?;
        }
        Ok(Self { catalog, key })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut busy = self.catalog.busy.lock().unwrap_or_else(PoisonError::into_inner);
        busy.remove(&self.key);
        self.catalog.done.notify_all();
    }
}

#[cfg(test)]
mod tests;
