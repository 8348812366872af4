//! A quick look at a table of which rows are about to be shown, or that a query reads.
//!
//! Lists, structs and maps are looked into: what an address is within makes it no other.

use std::collections::{BTreeMap, HashSet};

use arrow::array::{Array, ArrayRef, AsArray, cast::downcast_array};
use arrow::array::{Float64Array, MapArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use dataroom_sandbox::columns::{Budget, ReadError};

use super::{Judge, Kind, by_name};
use crate::profile::Halt;
use crate::table::{Table, TableError};
use crate::units::words;

/// Rows that are looked at.
const ROWS: usize = 1_000;
/// What looking at one column may take of memory; what takes more is judged by its name.
const MEMORY: u64 = 256 << 20;
/// Texts that are longer are not kept to know them again.
const LONG: usize = 4_000;
/// Beyond it, floats are not whole numbers that somebody wrote.
const WHOLE: f64 = 1e19;

/// The sensitive columns among a table's first `columns`, by their names and by the values of
/// its first rows.
///
/// # Errors
/// The table cannot be read.
pub fn sensitive_columns(table: &Table, columns: usize) -> Result<Vec<(String, Kind)>, TableError> {
    let fields = table.schema().fields().clone();
    let places: Vec<usize> = (0..fields.len().min(columns))
        .filter(|at| may_be_sensitive(fields[*at].data_type()))
        .collect();
    let mut looked: Vec<Leaves> = places.iter().map(|_| Leaves::default()).collect();
    let columns = table.columns();
    for (at, leaves) in places.iter().zip(&mut looked) {
        let budget = Budget::new(MEMORY);
        let read = columns.first(*at, ROWS, &budget, &|| true).map_err(Halt::from);
        let read = read.and_then(|batches| {
            batches.each(&mut budget.charge(), |column| leaves.look(fields[*at].name(), &column))
        });
        match read {
            // What nobody can look at is judged by its name.
            Ok(_) | Err(Halt::Read(ReadError::TooBig(_))) => {}
            Err(halt) => return Err(halt.into()),
        }
    }
    let found = places.iter().zip(looked).filter_map(|(at, leaves)| {
        let name = fields[*at].name();
        Some((name.clone(), leaves.kind(name, fields[*at].data_type())?))
    });
    Ok(found.collect())
}

/// What a column of this name holds that nobody should be shown, by some of its values.
pub fn sensitive_kind<'a>(name: &str, values: impl Iterator<Item = &'a str>) -> Option<Kind> {
    let mut judge = Judge::default();
    values.for_each(|value| judge.look(value));
    judge.verdict(by_name(&words(name))).map(|found| found.kind)
}

/// Texts, whole numbers, which can be a phone's or a card's (floats, where some are missing),
/// and what holds such.
fn may_be_sensitive(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => values.is_string(),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => may_be_sensitive(item.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| may_be_sensitive(field.data_type())),
        DataType::Float32 | DataType::Float64 => true,
        other => other.is_string() || other.is_integer(),
    }
}

/// The values that a column is of, by the name that they have in it.
#[derive(Default)]
struct Leaves(BTreeMap<String, Leaf>);

#[derive(Default)]
struct Leaf {
    judge: Judge,
    seen: HashSet<String>,
    /// Floats that are no whole numbers measure something.
    measures: bool,
}

impl Leaves {
    fn look(&mut self, name: &str, values: &ArrayRef) -> Result<(), Halt> {
        match values.data_type() {
            DataType::List(_) => self.look(name, values.as_list::<i32>().values()),
            DataType::LargeList(_) => self.look(name, values.as_list::<i64>().values()),
            DataType::FixedSizeList(..) => self.look(name, values.as_fixed_size_list().values()),
            DataType::Map(..) => {
                let map: MapArray = downcast_array(values.as_ref());
                self.look("key", map.keys())?;
                self.look(name, map.values())
            }
            DataType::Struct(fields) => {
                let columns = values.as_struct().columns();
                fields
                    .iter()
                    .zip(columns)
                    .try_for_each(|(field, column)| self.look(field.name(), column))
            }
            other if may_be_sensitive(other) => self.leaf(name, values),
            _ => Ok(()),
        }
    }

    fn leaf(&mut self, name: &str, values: &ArrayRef) -> Result<(), Halt> {
        let leaf = self.0.entry(name.to_owned()).or_default();
        if values.data_type().is_floating() {
            let floats = cast(values, &DataType::Float64)?;
            leaf.floats(&downcast_array(floats.as_ref()));
            return Ok(());
        }
        let texts = cast(values, &DataType::Utf8View)?;
        texts.as_string_view().iter().flatten().for_each(|text| leaf.see(text));
        Ok(())
    }

    /// What is within a column of this name.
    fn kind(&self, name: &str, data_type: &DataType) -> Option<Kind> {
        if self.0.is_empty() && !data_type.is_nested() && !data_type.is_floating() {
            return by_name(&words(name)).filter(|named| named.is_sure).map(|named| named.kind);
        }
        self.0.iter().find_map(|(name, leaf)| leaf.kind(name))
    }
}

impl Leaf {
    fn see(&mut self, text: &str) {
        if text.len() > LONG {
            self.judge.look(text);
        } else if !self.seen.contains(text) {
            self.seen.insert(text.to_owned());
            self.judge.look(text);
        }
    }

    fn floats(&mut self, floats: &Float64Array) {
        for float in floats.iter().flatten().filter(|float| !float.is_nan()) {
            self.measures |= float.fract() != 0.0 || float.abs() >= WHOLE;
            if self.measures {
                return;
            }
            self.see(&format!("{float:.0}"));
        }
    }

    fn kind(&self, name: &str) -> Option<Kind> {
        if self.measures {
            return None;
        }
        self.judge.verdict(by_name(&words(name))).map(|found| found.kind)
    }
}
