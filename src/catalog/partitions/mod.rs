//! Files in folders like `sales/year=2024/month=01/` are one dataset, `sales`, with
//! the folders' values as columns.
//!
//! As any dataset that is not one Parquet file, it is converted once per content, into
//! one file whose rows are sorted as the folders are, so that a filter on a partition
//! passes over what it excludes. Its hash is that of all paths with their files'
//! hashes. Every file is opened twice, and never all at once: once for its columns and
//! its hash, once for its rows, when the hash has to be the same.

mod schema;
mod values;

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, new_null_array};
use arrow::compute::cast;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use self::schema::{Merged, is_exact};
use self::values::Values;
use super::converted::{Converted, Key, Notes};
use super::error::{CatalogError, Refusal};
use super::folder::{Found, LeftOut, Listing};
use crate::table::Table;

/// The files of one dataset.
#[derive(Debug)]
pub(super) struct Parts {
    /// The folder that they are below, and the names in `name=value`, outermost first.
    root: String,
    pub keys: Vec<String>,
    /// By their paths.
    pub files: Vec<Found>,
}

/// A file's rows; what it is asked for is its place among the files.
type Open<'a> = &'a dyn Fn(&Found) -> Result<(Table, String, Notes), CatalogError>;

/// Where the first `name=value` of a path begins, and all of them.
fn pairs(path: &str) -> Option<(&str, Vec<(&str, &str)>)> {
    let (folders, _) = path.rsplit_once('/')?;
    let mut at = 0;
    let mut root = None;
    let mut pairs = Vec::new();
    for folder in folders.split('/') {
        if let Some((key, value)) = folder.split_once('=').filter(|(key, _)| !key.is_empty()) {
            root.get_or_insert(at);
            pairs.push((key, value));
        }
        at += folder.len() + 1;
    }
    let root = root?;
    Some((path[..root].trim_end_matches('/'), pairs))
}

/// Puts the files of a partitioned dataset together. Where files of other formats or
/// other keys are below the same folder, each stays by itself.
pub(super) fn gather(listing: &mut Listing, label: &dyn Fn(usize) -> String) {
    let mut groups: BTreeMap<(usize, String), Vec<Found>> = BTreeMap::new();
    let mut single = Vec::new();
    for found in std::mem::take(&mut listing.found) {
        match pairs(&found.file) {
            Some((root, _)) if !found.format.has_sheets() => {
                groups.entry((found.folder, root.to_owned())).or_default().push(found);
            }
            _ => single.push(found),
        }
    }
    for ((folder, root), mut files) in groups {
        files.sort_by(|a, b| a.file.cmp(&b.file));
        let keys = |found: &Found| -> Vec<String> {
            let pairs = pairs(&found.file).map(|(_, pairs)| pairs).unwrap_or_default();
            pairs.into_iter().map(|(key, _)| key.to_owned()).collect()
        };
        let (first, format) = (keys(&files[0]), files[0].format);
        if files.iter().any(|found| keys(found) != first || found.format != format) {
            single.extend(files);
            continue;
        }
        let part =
            |found: &Found| LeftOut { folder, path: found.file.clone(), reason: Refusal::Part };
        listing.left_out.extend(files.iter().map(part));
        let path = if root.is_empty() { label(folder) } else { root.clone() };
        let stem = path.rsplit_once('/').map_or(path.as_str(), |(_, last)| last).to_owned();
        let parts = Some(Arc::new(Parts { root: root.clone(), keys: first, files: files.clone() }));
        let Some(newest) = files.into_iter().max_by_key(|f| f.fingerprint.modified()) else {
            continue;
        };
        single.push(Found { file: root, path, stem, parts, ..newest });
    }
    listing.found = single;
}

impl Parts {
    /// Bytes of all files.
    pub(super) fn bytes(&self) -> u64 {
        self.files.iter().map(|found| found.fingerprint.bytes()).sum()
    }

    /// The path below the folder, which has the values of the file's columns.
    fn below<'a>(&self, found: &'a Found) -> &'a str {
        found.file[self.root.len()..].trim_start_matches('/')
    }

    /// Looks at every file, for the columns and the hash of the whole.
    pub(super) fn look(&self, open: Open<'_>) -> Result<Looked, CatalogError> {
        let mut hasher = blake3::Hasher::new();
        let mut merged = Merged::new(self.keys.clone());
        let (mut hashes, mut notes) = (Vec::new(), Vec::new());
        for found in &self.files {
            let (table, hash, of_file) = open(found)?;
            for part in [self.below(found), &hash] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part.as_bytes());
            }
            merged.add(found, &table)?;
            for note in of_file.notes {
                if !notes.contains(&note) && notes.len() < 20 {
                    notes.push(note);
                }
            }
            hashes.push(hash);
        }
        let hash = hasher.finalize().to_hex().to_string();
        let key = Key { original: hash, part: "parts".to_owned() };
        Ok(Looked { key, merged, hashes, notes })
    }

    /// Writes all rows into one file.
    pub(super) fn convert(
        &self,
        looked: Looked,
        open: Open<'_>,
        check: &dyn Fn() -> Result<(), CatalogError>,
        into: &Converted,
    ) -> Result<(), CatalogError> {
        let Looked { key, merged, hashes, mut notes } = looked;
        let values = Values::of(self, &mut notes);
        merged.note(&mut notes);
        let schema = Arc::new(merged.schema(&values));
        let write = |cause: &dyn std::fmt::Display| CatalogError::Write {
            file: self.root.clone(),
            cause: cause.to_string(),
        };
        let mut writer = into.begin(&key, schema.clone()).map_err(|e| write(&e))?;
        for (at, (found, hash)) in self.files.iter().zip(hashes).enumerate() {
            let (table, now, _) = open(found)?;
            if now != hash {
                return Err(CatalogError::Changed { file: found.file.clone() });
            }
            let damaged = |cause| CatalogError::Parquet { file: found.file.clone(), cause };
            let columns = merged.columns();
            for batch in table.batches(None, None).map_err(damaged)? {
                check()?;
                let batch = batch.map_err(damaged)?;
                let rows = batch.num_rows();
                let mut arrays = Vec::with_capacity(schema.fields().len());
                for field in &schema.fields()[..columns] {
                    arrays.push(match batch.column_by_name(field.name()) {
                        Some(array) => exactly(array, field, found)?,
                        None => new_null_array(field.data_type(), rows),
                    });
                }
                arrays.extend(values.arrays(at, rows));
                let options = RecordBatchOptions::new().with_row_count(Some(rows));
                let batch = RecordBatch::try_new_with_options(schema.clone(), arrays, &options)
                    .map_err(|e| write(&e))?;
                writer.write(batch).map_err(|e| write(&e))?;
            }
        }
        writer.finish(notes.into()).map_err(|e| write(&e))
    }
}

fn exactly(
    array: &ArrayRef,
    field: &arrow::datatypes::Field,
    found: &Found,
) -> Result<ArrayRef, CatalogError> {
    if array.data_type() == field.data_type() {
        return Ok(Arc::clone(array));
    }
    cast(array, field.data_type()).ok().filter(|wide| is_exact(array, wide)).ok_or_else(|| {
        CatalogError::File {
            file: found.file.clone(),
            what: format!(
                "column {} cannot be read as {}, which it is in other files of the dataset, \
                 without changing values; write the files with one type",
                field.name(),
                crate::type_name::type_name(field.data_type())
            ),
        }
    })
}

/// What is known before the rows are read.
pub(super) struct Looked {
    pub key: Key,
    merged: Merged,
    hashes: Vec<String>,
    notes: Vec<String>,
}
