//! A quick look at a table of which rows are about to be shown.

use std::collections::HashSet;

use arrow::array::AsArray;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field};

use super::{Judge, Kind, by_name};
use crate::table::{Table, TableError};
use crate::units::words;

/// Rows that are looked at.
const ROWS: usize = 1_000;

/// The sensitive columns among a table's first `columns`, by their names and by the values of
/// its first rows.
///
/// # Errors
/// The table cannot be read.
pub fn sensitive_columns(table: &Table, columns: usize) -> Result<Vec<(String, Kind)>, TableError> {
    let fields = table.schema().fields().clone();
    let places: Vec<usize> =
        (0..fields.len().min(columns)).filter(|at| may_be_sensitive(&fields[*at])).collect();
    let mut judges: Vec<Judge> = places.iter().map(|_| Judge::default()).collect();
    let mut seen: Vec<HashSet<String>> = places.iter().map(|_| HashSet::new()).collect();
    if !places.is_empty() && table.rows() > 0 {
        for batch in table.batches(Some(&places), Some(ROWS))? {
            for (at, column) in batch?.columns().iter().enumerate() {
                let texts =
                    cast(column, &DataType::Utf8).map_err(|error| TableError(error.into()))?;
                for text in texts.as_string::<i32>().iter().flatten() {
                    if seen[at].insert(text.to_owned()) {
                        judges[at].look(text);
                    }
                }
            }
        }
    }
    Ok(places
        .iter()
        .zip(judges)
        .filter_map(|(at, judge)| {
            let name = fields[*at].name();
            let found = judge.verdict(by_name(&words(name)))?;
            Some((name.clone(), found.kind))
        })
        .collect())
}

/// What a column of this name holds that nobody should be shown, by some of its values.
pub fn sensitive_kind<'a>(name: &str, values: impl Iterator<Item = &'a str>) -> Option<Kind> {
    let mut judge = Judge::default();
    values.for_each(|value| judge.look(value));
    judge.verdict(by_name(&words(name))).map(|found| found.kind)
}

/// Texts, and whole numbers, which can be a phone's or a card's.
fn may_be_sensitive(field: &Field) -> bool {
    match field.data_type() {
        DataType::Dictionary(_, values) => values.is_string(),
        other => other.is_string() || other.is_integer(),
    }
}
