//! A table that was computed again, held against the one that was kept.
//!
//! What decides is the content hash: of names, types and values, whatever the file's
//! bytes. The rows are walked at the same time, because a hash can only say that
//! something differs. Both come in batches of any size and are never in memory whole.

use arrow::array::{Array, ArrayRef, AsArray, make_comparator};
use arrow::compute::{SortOptions, cast};
use arrow::datatypes::{DataType, Float32Type, Float64Type, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;

use crate::store::{ArtifactMeta, ContentHasher, same_type};
use crate::table::{Table, TableError};
use crate::type_name::type_name;

/// How two tables differ. Empty if they do not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// Rows before and now, where they differ.
    pub rows: Option<(u64, u64)>,
    /// Columns that were and are no more.
    pub missing: Vec<String>,
    /// Columns that were not.
    pub new: Vec<String>,
    /// Columns of another type, with the type before and now.
    pub types: Vec<(String, String, String)>,
    /// Whether the columns are the same, in another order.
    pub reordered: bool,
    /// Columns with other values.
    pub columns: Vec<ColumnDifference>,
    /// Whether the rows that are kept are not those that their own record names.
    pub damaged: bool,
    /// Whether it is a chart, which shows other numbers.
    pub chart: bool,
}

/// Where the values of a column differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnDifference {
    /// The column.
    pub name: String,
    /// In how many rows.
    pub rows: u64,
    /// The first of them, from 1.
    pub first: u64,
    /// Rows that were compared.
    pub of: u64,
}

impl Difference {
    /// Each difference in a line.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.chart {
            lines.push("the chart shows other numbers".to_owned());
        }
        if let Some((before, now)) = self.rows {
            lines.push(format!("{now} rows instead of {before}"));
        }
        lines.extend(self.missing.iter().map(|name| format!("column {name:?} is missing")));
        lines.extend(self.new.iter().map(|name| format!("column {name:?} is new")));
        lines
            .extend((self.types.iter()).map(|(name, before, now)| {
                format!("column {name:?} is {now} instead of {before}")
            }));
        if self.reordered {
            lines.push("the columns have another order".to_owned());
        }
        lines.extend(self.columns.iter().map(|column| {
            let ColumnDifference { name, rows, first, of } = column;
            format!("column {name:?} differs in {rows} of {of} rows, first in row {first}")
        }));
        if self.damaged {
            lines.push("the kept file's rows are not those that its record was made of".to_owned());
        }
        lines
    }
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, TableError>> + Send>;

/// Takes the batches of a table and compares them with an artifact's.
pub(super) struct Comparison {
    recorded_hash: String,
    recorded_rows: u64,
    hasher: ContentHasher,
    kept: Batches,
    held: Option<RecordBatch>,
    /// Places of the columns that can be compared: kept, now.
    pairs: Vec<(usize, usize, ColumnDifference)>,
    rows: u64,
    found: Difference,
}

impl Comparison {
    pub(super) fn new(
        meta: &ArtifactMeta,
        table: &Table,
        schema: &SchemaRef,
    ) -> Result<Self, String> {
        let before = table.schema();
        let (found, pairs) = compare_schemas(before, schema);
        Ok(Self {
            recorded_hash: meta.content_hash.clone(),
            recorded_rows: meta.rows,
            hasher: ContentHasher::new(schema).map_err(|error| error.to_string())?,
            kept: Box::new(table.batches(None, None).map_err(|error| error.to_string())?),
            held: None,
            pairs,
            rows: 0,
            found,
        })
    }

    pub(super) fn update(&mut self, batch: &RecordBatch) -> Result<(), String> {
        self.hasher.update(batch).map_err(|error| error.to_string())?;
        let mut at = 0;
        while at < batch.num_rows() {
            let Some(kept) = self.next_kept()? else {
                break;
            };
            let rows = kept.num_rows().min(batch.num_rows() - at);
            for (before, now, difference) in &mut self.pairs {
                let before = kept.column(*before).slice(0, rows);
                let now = batch.column(*now).slice(at, rows);
                let start = self.rows + at as u64;
                compare(&before, &now, start, difference).map_err(|error| error.to_string())?;
            }
            self.held = (rows < kept.num_rows()).then(|| kept.slice(rows, kept.num_rows() - rows));
            at += rows;
        }
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    fn next_kept(&mut self) -> Result<Option<RecordBatch>, String> {
        if let Some(held) = self.held.take() {
            return Ok(Some(held));
        }
        self.kept.next().transpose().map_err(|error| error.to_string())
    }

    /// `None`: the same.
    pub(super) fn finish(self) -> Option<Difference> {
        let same = self.hasher.finish().as_str() == self.recorded_hash;
        let mut found = self.found;
        found.columns = self.pairs.into_iter().map(|(_, _, d)| d).filter(|d| d.rows > 0).collect();
        if self.rows != self.recorded_rows {
            found.rows = Some((self.recorded_rows, self.rows));
        }
        // What is computed is what was recorded; then only the kept file can be wrong.
        if same && found != Difference::default() {
            found.damaged = true;
        }
        // A hash that differs over rows that do not: the record is wrong, or the file.
        if !same && found == Difference::default() {
            found.damaged = true;
        }
        (found != Difference::default()).then_some(found)
    }
}

fn compare_schemas(
    before: &Schema,
    now: &Schema,
) -> (Difference, Vec<(usize, usize, ColumnDifference)>) {
    let mut found = Difference::default();
    let mut pairs = Vec::new();
    for (place, field) in before.fields().iter().enumerate() {
        let name = field.name().clone();
        let Some((at, other)) = now.column_with_name(&name) else {
            found.missing.push(name);
            continue;
        };
        if same_type(field.data_type(), other.data_type()) {
            pairs.push((place, at, ColumnDifference { name, rows: 0, first: 0, of: 0 }));
        } else {
            found.types.push((name, type_name(field.data_type()), type_name(other.data_type())));
        }
    }
    let known = |name: &str| before.column_with_name(name).is_some();
    let new = now.fields().iter().map(|field| field.name()).filter(|name| !known(name));
    found.new = new.cloned().collect();
    let alike = found.missing.is_empty() && found.new.is_empty();
    found.reordered = alike
        && !before.fields().iter().map(|f| f.name()).eq(now.fields().iter().map(|f| f.name()));
    (found, pairs)
}

/// Counts the rows in which two columns of one length differ.
fn compare(
    before: &ArrayRef,
    now: &ArrayRef,
    start: u64,
    difference: &mut ColumnDifference,
) -> Result<(), ArrowError> {
    difference.of += before.len() as u64;
    let now = if before.data_type() == now.data_type() {
        ArrayRef::clone(now)
    } else {
        cast(now, before.data_type())?
    };
    // Equal in memory is the rule.
    if before.to_data() == now.to_data() {
        return Ok(());
    }
    let differs = differing(before, &now)?;
    for row in (0..before.len()).filter(|row| differs(*row)) {
        if difference.rows == 0 {
            difference.first = start + row as u64 + 1;
        }
        difference.rows += 1;
    }
    Ok(())
}

/// Whether a row differs; all NaN are one value, as in the content hash.
fn differing<'a>(
    before: &'a ArrayRef,
    now: &'a ArrayRef,
) -> Result<Box<dyn Fn(usize) -> bool + 'a>, ArrowError> {
    let compare = make_comparator(before, now, SortOptions::default())?;
    macro_rules! nan {
        ($kind:ty) => {{
            let (left, right) = (before.as_primitive::<$kind>(), now.as_primitive::<$kind>());
            Box::new(move |row| {
                let both = left.is_valid(row)
                    && right.is_valid(row)
                    && left.value(row).is_nan()
                    && right.value(row).is_nan();
                !both && compare(row, row).is_ne()
            })
        }};
    }
    Ok(match before.data_type() {
        DataType::Float64 => nan!(Float64Type),
        DataType::Float32 => nan!(Float32Type),
        _ => Box::new(move |row| compare(row, row).is_ne()),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Float64Array, Int64Array, StringArray};
    use arrow::datatypes::Field;

    use super::*;

    fn between([before, now]: [ArrayRef; 2]) -> (u64, u64) {
        let mut difference = ColumnDifference { name: "a".into(), rows: 0, first: 0, of: 0 };
        compare(&before, &now, 100, &mut difference).unwrap();
        (difference.rows, difference.first)
    }

    #[test]
    fn rows_that_differ_are_counted_and_the_first_is_named() {
        let numbers =
            |values: [Option<i64>; 4]| Arc::new(Int64Array::from(values.to_vec())) as ArrayRef;
        let base = || numbers([Some(1), None, Some(3), Some(4)]);
        assert_eq!(between([base(), base()]), (0, 0));
        assert_eq!(between([base(), numbers([Some(1), Some(2), Some(3), None])]), (2, 102));
        let words = |w: &str| Arc::new(StringArray::from(vec![Some("a"), Some(w)])) as ArrayRef;
        assert_eq!(between([words("b"), words("c")]), (1, 102));
        let wide = cast(&words("b"), &DataType::LargeUtf8).unwrap();
        assert_eq!(between([words("b"), wide]), (0, 0), "one type in two layouts");
    }

    #[test]
    fn every_nan_is_one_value_and_negative_zero_is_another_than_zero() {
        let floats = |values: [f64; 3]| Arc::new(Float64Array::from(values.to_vec())) as ArrayRef;
        let odd = f64::from_bits(0xfff8_0000_0000_0001);
        assert_eq!(between([floats([f64::NAN, 0.0, 1.0]), floats([odd, 0.0, 1.0])]), (0, 0));
        assert_eq!(between([floats([f64::NAN, 0.0, 1.0]), floats([odd, -0.0, 1.0])]), (1, 102));
    }

    #[test]
    fn columns_that_come_go_change_and_move_are_named() {
        let schema = |fields: &[(&str, DataType)]| {
            Schema::new(
                fields.iter().map(|(n, t)| Field::new(*n, t.clone(), true)).collect::<Vec<_>>(),
            )
        };
        let before = schema(&[("a", DataType::Int64), ("b", DataType::Utf8)]);
        let lines = |now: &Schema| compare_schemas(&before, now).0.lines();
        assert!(lines(&schema(&[("a", DataType::Int64), ("b", DataType::LargeUtf8)])).is_empty());
        assert_eq!(
            lines(&schema(&[("a", DataType::Float64), ("c", DataType::Utf8)])),
            [
                r#"column "b" is missing"#,
                r#"column "c" is new"#,
                r#"column "a" is float64 instead of int64"#
            ]
        );
        let moved = lines(&schema(&[("b", DataType::Utf8), ("a", DataType::Int64)]));
        assert_eq!(moved, ["the columns have another order"]);
    }
}
