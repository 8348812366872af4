//! Descriptions that were made before, by the content that they describe.
//!
//! One small file for each content: its name is the hash of the content, of the columns'
//! names and types and of [`VERSION`], so that nothing in it can be stale, in this process
//! or in a later one. It is written under another name and renamed: whole or absent. What
//! cannot be read is made again.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use cap_std::fs::{Dir, OpenOptions};
use serde::{Deserialize, Serialize};

use super::ColumnProfile;
use crate::table::Table;
use crate::units::UNIT;

/// Raised whenever the same table may be described differently.
const VERSION: u32 = 4;
/// Files that are kept; beyond, the oldest go.
const MOST: usize = 2_000;
/// A larger file is no description.
const BYTES: u64 = 64 << 20;

/// The folder of descriptions.
#[derive(Debug)]
pub struct Kept(Dir);

/// The columns of a content that were described, by their place.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Entry(pub BTreeMap<usize, ColumnProfile>);

impl Kept {
    /// Descriptions in a folder.
    #[must_use]
    pub fn open(folder: Dir) -> Self {
        Self(folder)
    }

    fn name(content_hash: &str, table: &Table) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{VERSION} {content_hash} {}", table.rows()).as_bytes());
        for field in table.schema().fields() {
            let unit = field.metadata().get(UNIT);
            let line = format!("\n{:?} {} {unit:?}", field.name(), field.data_type());
            hasher.update(line.as_bytes());
        }
        format!("{}.json", hasher.finalize().to_hex())
    }

    pub(super) fn get(&self, content_hash: &str, table: &Table) -> Entry {
        let read = || {
            let file = self.0.open(Self::name(content_hash, table)).ok()?;
            let mut text = String::new();
            file.take(BYTES).read_to_string(&mut text).ok()?;
            serde_json::from_str(&text).ok()
        };
        read().unwrap_or_default()
    }

    /// Keeps a description. That it cannot be kept is no fault of the description.
    pub(super) fn put(&self, content_hash: &str, table: &Table, entry: &Entry) {
        let name = Self::name(content_hash, table);
        let Ok(random) = getrandom::u64() else { return };
        let temporary = format!("{random:016x}.partial");
        let write = || -> std::io::Result<()> {
            let text = serde_json::to_vec(entry)?;
            let options = OpenOptions::new().write(true).create_new(true).clone();
            self.0.open_with(&temporary, &options)?.write_all(&text)?;
            self.0.rename(&temporary, &self.0, &name)
        };
        if write().is_err() {
            let _ = self.0.remove_file(&temporary);
        }
        self.sweep();
    }

    fn sweep(&self) {
        let Ok(entries) = self.0.entries() else { return };
        let mut files: Vec<_> = entries
            .flatten()
            .filter_map(|entry| {
                Some((entry.metadata().ok()?.modified().ok()?.into_std(), entry.file_name()))
            })
            .collect();
        if files.len() <= MOST {
            return;
        }
        files.sort();
        for (_, name) in &files[..files.len() - MOST * 3 / 4] {
            let _ = self.0.remove_file(name);
        }
    }
}

/// Floats as texts: what reads JSON rounds them, what reads texts does not.
pub(super) mod exactly {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};
    use serde_json::{Number, Value};

    pub(crate) fn serialize<S: Serializer>(
        value: &Option<Value>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.serialize_some(&value.to_string()),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Value>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| read(&text).ok_or_else(|| D::Error::custom("no value"))).transpose()
    }

    fn read(text: &str) -> Option<Value> {
        let value: Value = serde_json::from_str(text).ok()?;
        match value {
            Value::Number(number) if number.is_f64() => {
                Number::from_f64(text.parse().ok()?).map(Value::Number)
            }
            other => Some(other),
        }
    }
}

/// The same for floats.
pub(super) mod float {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(crate) fn serialize<S: Serializer>(value: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.serialize_some(&format!("{value:?}")),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
    }
}
