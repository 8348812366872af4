//! The groups of a result that a room with `min_group` shows, and what it says of the others.

use arrow::array::Array as _;
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use serde_json::{Map, Value};

use crate::json_cell::json_cell;
use crate::policy::{Policy, capped_cell};
use crate::room::{Key, ShownGroups};
use crate::table::{Table, TableError};

/// The first rows of a result that are groups which may be shown.
pub(super) fn shown(
    table: &Table,
    groups: &ShownGroups,
    policy: &Policy,
) -> Result<Vec<Map<String, Value>>, TableError> {
    let mut shown = Vec::new();
    if groups.keys.is_empty() {
        return Ok(shown);
    }
    for batch in table.batches(None, None)? {
        let batch = batch?;
        // What cannot be told apart is not shown.
        let keys = keys(&batch, &groups.key_columns).unwrap_or_default();
        let rows = keys.iter().enumerate().filter(|(_, key)| groups.keys.contains(*key));
        for (row, _) in rows {
            if shown.len() >= policy.preview_rows {
                return Ok(shown);
            }
            let schema = batch.schema();
            let columns = schema.fields().iter().zip(batch.columns());
            let cells = columns
                .map(|(field, column)| (field.name().clone(), capped_cell(json_cell(column, row))));
            shown.push(cells.collect());
        }
    }
    Ok(shown)
}

/// What each row's group is called.
fn keys(batch: &RecordBatch, columns: &[usize]) -> Result<Vec<Key>, ArrowError> {
    let options = FormatOptions::default();
    let columns: Vec<_> = columns.iter().filter_map(|at| batch.columns().get(*at)).collect();
    let formats: Vec<ArrayFormatter<'_>> = columns
        .iter()
        .map(|column| ArrayFormatter::try_new(column, &options))
        .collect::<Result<_, _>>()?;
    let key = |row: usize| {
        let text = |(column, format): (&&arrow::array::ArrayRef, &ArrayFormatter<'_>)| {
            column.is_valid(row).then(|| format.value(row).to_string())
        };
        columns.iter().zip(&formats).map(text).collect()
    };
    Ok((0..batch.num_rows()).map(key).collect())
}

/// What to know of what is not shown.
pub(super) fn told(groups: &ShownGroups, policy: &Policy) -> Option<String> {
    let least = policy.min_group;
    if groups.keys.is_empty() {
        return Some(format!(
            "nothing of this result is shown: this room shows sums, averages and counts of columns \
             of one dataset, by groups of at least {least} rows and without LIMIT, as long as no \
             smaller group follows from them and what was shown before; the whole result is kept \
             for the person (export_data, render_chart)"
        ));
    }
    groups.some_are_withheld.then(|| {
        format!(
            "groups are withheld that have fewer than {least} rows, or from which with what was \
             shown before such a group could be computed"
        )
    })
}
