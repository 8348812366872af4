//! What the tables of this room hold that nobody should be shown.
//!
//! A table is judged by its columns' names and values, once for each content: what is found
//! is remembered by the content's hash, so that it cannot be stale and costs a small query
//! nothing. An artifact's footer says besides what its columns were made of.
//!
//! What a script made of its inputs nobody can follow. A column of its tables is taken for
//! what an input's column of the same name and kind of type is, or one of a table that it
//! got from `sql(…)`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::datatypes::{DataType, Schema};

use super::{Found, Room, RoomError};
use crate::profile::{Kind, SensitiveColumns, sensitive_columns};
use crate::store::{ArtifactMeta, schema_fingerprint};

/// Contents that are remembered.
const REMEMBERED: usize = 10_000;

/// What was found, by the content and its columns.
#[derive(Debug, Default)]
pub(super) struct Judged(Mutex<HashMap<(String, String), Arc<SensitiveColumns>>>);

impl Judged {
    fn of(&self, found: &Found) -> Result<Arc<SensitiveColumns>, RoomError> {
        let schema = found.table.schema();
        let name = (found.content_hash.clone(), schema_fingerprint(schema));
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&name) {
            return Ok(Arc::clone(known));
        }
        let columns = schema.fields().len();
        let judged: SensitiveColumns =
            sensitive_columns(&found.table, columns)?.into_iter().collect();
        let judged = Arc::new(judged);
        let mut known = lock();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(name, Arc::clone(&judged));
        Ok(judged)
    }
}

impl Room {
    /// The columns of a table that nobody should be shown.
    ///
    /// # Errors
    /// The table cannot be read.
    pub(super) fn sensitive(&self, found: &Found) -> Result<Arc<SensitiveColumns>, RoomError> {
        let judged = self.0.judged.of(found)?;
        let made_of = |meta: &ArtifactMeta| {
            let all = meta.sensitive.iter().chain(judged.iter());
            Arc::new(all.map(|(name, kind)| (name.clone(), *kind)).collect())
        };
        let meta = found.meta.as_ref().filter(|meta| !meta.sensitive.is_empty());
        Ok(meta.map(made_of).unwrap_or(judged))
    }
}

/// The sensitive columns that a script was given.
#[derive(Debug, Default)]
pub(super) struct Given(Mutex<Vec<(String, DataType, Kind)>>);

impl Given {
    /// Notes a table that the script has.
    pub(super) fn add(&self, schema: &Schema, sensitive: &SensitiveColumns) {
        let mut given = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for field in schema.fields() {
            if let Some(kind) = sensitive.get(field.name()) {
                given.push((field.name().clone(), field.data_type().clone(), *kind));
            }
        }
    }

    /// The columns of a table of the script's that are called like one that it was given.
    pub(super) fn among(&self, schema: &Schema) -> SensitiveColumns {
        let given = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kind = |name: &String, data_type: &DataType| {
            let is_it = |(known, of, _): &&(String, DataType, Kind)| {
                known == name && is_alike(of, data_type)
            };
            given.iter().find(is_it).map(|(_, _, kind)| *kind)
        };
        let fields = schema.fields().iter();
        let found = fields.filter_map(|f| Some((f.name().clone(), kind(f.name(), f.data_type())?)));
        found.collect()
    }
}

/// Whether a column of the one type can have become one of the other on its way through a
/// DataFrame: whole numbers with gaps are floats there, and an aggregate makes lists.
fn is_alike(of: &DataType, data_type: &DataType) -> bool {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) => is_alike(of, item.data_type()),
        DataType::Dictionary(_, values) => is_alike(of, values),
        _ => match of {
            DataType::List(item) | DataType::LargeList(item) => {
                is_alike(item.data_type(), data_type)
            }
            DataType::Dictionary(_, values) => is_alike(values, data_type),
            _ => {
                of == data_type
                    || (of.is_string() && data_type.is_string())
                    || (of.is_numeric() && data_type.is_numeric())
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{ArrayRef, StringArray};
    use arrow::datatypes::Field;
    use arrow::record_batch::RecordBatch;
    use parquet::arrow::ArrowWriter;

    use super::*;
    use crate::table::Table;

    fn found(content_hash: &str) -> Found {
        let mails: ArrayRef = Arc::new(StringArray::from(vec!["ada@example.org"]));
        let batch = RecordBatch::try_from_iter([("contact", mails)]).unwrap();
        let mut file = tempfile::tempfile().unwrap();
        let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        Found {
            data: "t".to_owned(),
            table: Table::open(file).unwrap(),
            content_hash: content_hash.to_owned(),
            notes: Vec::new(),
            warnings: Vec::new(),
            meta: None,
            modified: None,
            in_place: None,
        }
    }

    #[test]
    fn a_content_is_judged_once() {
        let judged = Judged::default();
        let first = judged.of(&found("one")).unwrap();
        assert_eq!(first.get("contact"), Some(&Kind::Mail));
        assert!(Arc::ptr_eq(&first, &judged.of(&found("one")).unwrap()));
        assert!(!Arc::ptr_eq(&first, &judged.of(&found("two")).unwrap()));
    }

    #[test]
    fn a_script_s_column_is_known_by_its_name_and_the_kind_of_its_type() {
        let schema = |fields: &[(&str, DataType)]| {
            let field = |(name, of): &(&str, DataType)| Field::new(*name, of.clone(), true);
            Schema::new(fields.iter().map(field).collect::<Vec<_>>())
        };
        let given = Given::default();
        let sensitive = SensitiveColumns::from([("x".to_owned(), Kind::Card)]);
        given.add(&schema(&[("x", DataType::Int64), ("n", DataType::Int64)]), &sensitive);
        let list = DataType::new_list(DataType::Int64, true);
        for (name, of, is_it) in [
            ("x", DataType::Int64, true),
            ("x", DataType::Float64, true),
            ("x", list, true),
            ("x", DataType::Boolean, false),
            ("x", DataType::Utf8, false),
            ("y", DataType::Int64, false),
            ("n", DataType::Int64, false),
        ] {
            let found = given.among(&schema(&[(name, of.clone())]));
            assert_eq!(found.contains_key(name), is_it, "{name} {of}");
        }
    }
}
