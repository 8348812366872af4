//! The values in the names of folders.

use std::sync::Arc;

use arrow::array::{ArrayRef, Date32Array, Int64Array, StringArray};
use arrow::datatypes::DataType;
use chrono::NaiveDate;

use super::{Parts, pairs};

/// What Hive calls a folder of rows that have no value.
const MISSING: &str = "__HIVE_DEFAULT_PARTITION__";

/// One column a key, one value a file.
pub(super) struct Values {
    columns: Vec<(DataType, Vec<Option<String>>)>,
}

impl Values {
    pub(super) fn of(parts: &Parts, notes: &mut Vec<String>) -> Self {
        let mut columns = Vec::new();
        for at in 0..parts.keys.len() {
            let value = |file: &str| {
                let (_, pairs) = pairs(file)?;
                let value = decoded(pairs.get(at)?.1);
                (value != MISSING && !value.is_empty()).then_some(value)
            };
            let values: Vec<_> = parts.files.iter().map(|found| value(&found.file)).collect();
            columns.push((kind(&values), values));
        }
        let named: Vec<String> = parts
            .keys
            .iter()
            .zip(&columns)
            .map(|(key, (kind, _))| format!("{key} ({})", crate::type_name::type_name(kind)))
            .collect();
        notes.insert(
            0,
            format!("{} files, by the folders' {}", parts.files.len(), named.join(", ")),
        );
        Self { columns }
    }

    pub(super) fn types(&self) -> impl Iterator<Item = DataType> {
        self.columns.iter().map(|(kind, _)| kind.clone())
    }

    /// The columns for `rows` rows of the file at `at`.
    pub(super) fn arrays(&self, at: usize, rows: usize) -> Vec<ArrayRef> {
        let array = |(kind, values): &(DataType, Vec<Option<String>>)| -> ArrayRef {
            let value = values[at].as_deref();
            match kind {
                DataType::Int64 => {
                    Arc::new(Int64Array::from(vec![value.and_then(|v| v.parse().ok()); rows]))
                }
                DataType::Date32 => Arc::new(Date32Array::from(vec![value.and_then(day); rows])),
                _ => Arc::new(StringArray::from(vec![value; rows])),
            }
        };
        self.columns.iter().map(array).collect()
    }
}

/// Whole numbers, dates, or texts. `01` is a text, as in a text table and for DuckDB.
fn kind(values: &[Option<String>]) -> DataType {
    let all = |is: &dyn Fn(&str) -> bool| {
        let mut known = values.iter().flatten().peekable();
        known.peek().is_some() && known.all(|value| is(value))
    };
    let whole = |value: &str| value.parse::<i64>().is_ok_and(|whole| whole.to_string() == value);
    if all(&whole) {
        DataType::Int64
    } else if all(&|value| day(value).is_some()) {
        DataType::Date32
    } else {
        DataType::Utf8
    }
}

fn day(value: &str) -> Option<i32> {
    let date: NaiveDate = (value.len() == 10).then(|| value.parse().ok())??;
    i32::try_from(date.signed_duration_since(NaiveDate::default()).num_days()).ok()
}

/// Without the `%20` that stands for what a path cannot hold.
fn decoded(value: &str) -> String {
    let bytes = value.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let byte = hex
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        plain.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8(plain).unwrap_or_else(|_| value.to_owned())
}
