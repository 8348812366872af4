//! The columns of many files as those of one table.

use std::collections::HashMap;

use arrow::array::{Array as _, ArrayRef};
use arrow::compute::cast;
use arrow::compute::kernels::cmp::not_distinct;
use arrow::datatypes::{DataType, Field, Schema};

use super::super::error::CatalogError;
use super::super::folder::Found;
use super::super::source::name_some;
use super::values::Values;
use crate::table::Table;
use crate::type_name::type_name;

struct Column {
    name: String,
    data_type: DataType,
    /// Files that have it, and the first of them.
    files: usize,
    first: String,
}

/// What was seen in the files so far.
pub(super) struct Merged {
    keys: Vec<String>,
    columns: Vec<Column>,
    places: HashMap<String, usize>,
    files: usize,
    /// Columns of a file that have the name of a folder's.
    hidden: Vec<String>,
}

impl Merged {
    pub(super) fn new(keys: Vec<String>) -> Self {
        let (columns, places, hidden) = (Vec::new(), HashMap::new(), Vec::new());
        Self { keys, columns, places, files: 0, hidden }
    }

    /// Takes the columns of one more file.
    pub(super) fn add(&mut self, found: &Found, table: &Table) -> Result<(), CatalogError> {
        self.files += 1;
        for field in table.schema().fields() {
            let name = field.name();
            if self.keys.contains(name) {
                if !self.hidden.contains(name) {
                    self.hidden.push(name.clone());
                }
                continue;
            }
            let Some(&at) = self.places.get(name) else {
                self.places.insert(name.clone(), self.columns.len());
                self.columns.push(Column {
                    name: name.clone(),
                    data_type: plain(field.data_type()),
                    files: 1,
                    first: found.file.clone(),
                });
                continue;
            };
            let column = &mut self.columns[at];
            column.files += 1;
            let both = common(&column.data_type, &plain(field.data_type()));
            column.data_type = both.ok_or_else(|| CatalogError::File {
                file: found.file.clone(),
                what: format!(
                    "column {name} is {} here and {} in `{}`: one dataset has one type; \
                     write the files with the same",
                    type_name(field.data_type()),
                    type_name(&column.data_type),
                    column.first
                ),
            })?;
        }
        Ok(())
    }

    /// How many columns come from the files.
    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn schema(&self, values: &Values) -> Schema {
        let of_files = self.columns.iter().map(|c| Field::new(&c.name, c.data_type.clone(), true));
        let of_folders = self.keys.iter().zip(values.types()).map(|(k, t)| Field::new(k, t, true));
        Schema::new(of_files.chain(of_folders).collect::<Vec<_>>())
    }

    pub(super) fn note(&self, notes: &mut Vec<String>) {
        let partial: Vec<&Column> = self.columns.iter().filter(|c| c.files < self.files).collect();
        if !partial.is_empty() {
            let names: Vec<&str> = partial.iter().map(|c| c.name.as_str()).collect();
            notes.push(format!(
                "not every file has {}: it is null where it is not there",
                name_some(&names)
            ));
        }
        if !self.hidden.is_empty() {
            let names: Vec<&str> = self.hidden.iter().map(String::as_str).collect();
            notes.push(format!("the folders' {} is taken, not the files'", name_some(&names)));
        }
    }
}

fn plain(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, values) => plain(values),
        DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        other => other.clone(),
    }
}

/// A type that can hold the values of both; whether it does is looked at value by value.
fn common(one: &DataType, other: &DataType) -> Option<DataType> {
    use DataType::{Float64, Int64, Null, Timestamp, Utf8};
    if one == other {
        return Some(one.clone());
    }
    Some(match (one, other) {
        (Null, other) => other.clone(),
        (one, Null) => one.clone(),
        (one, other) if one.is_integer() && other.is_integer() => Int64,
        (one, other)
            if one.is_numeric() && other.is_numeric() && !decimal(one) && !decimal(other) =>
        {
            Float64
        }
        // An id may look like a number in one file and not in another.
        (Utf8, other) | (other, Utf8) if other.is_integer() => Utf8,
        (Timestamp(a, zone), Timestamp(b, same)) if zone == same => {
            Timestamp(*a.max(b), zone.clone())
        }
        _ => return None,
    })
}

fn decimal(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Decimal128(..) | DataType::Decimal256(..))
}

/// Whether the cast back gives every value again.
pub(super) fn is_exact(array: &ArrayRef, wide: &ArrayRef) -> bool {
    if *array.data_type() == DataType::Null {
        return true;
    }
    let Ok(back) = cast(wide, array.data_type()) else { return false };
    array.null_count() == wide.null_count()
        && not_distinct(&back, array).is_ok_and(|same| same.false_count() == 0)
}
