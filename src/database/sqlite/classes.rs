//! What a column's values are.
//!
//! SQLite keeps a type beside each value; a column's declared type is a wish. So the types
//! of a table's columns are what its values are, counted by `typeof`, which reads the heads
//! of the rows only. While the rows are read each value is held against what was counted,
//! so that a table that is written to meanwhile is an error and never another number.
//!
//! - values of one class are that: int64, float64, text or binary;
//! - integers beside reals are float64, if each integer is one exactly (up to 2^53);
//! - any other mixture is not read: which of the two a text `1` and a number 1 would be is
//!   not ours to say;
//! - where there is no value yet, the declared type is believed.
//!
//! Dates are whatever the table keeps them as: texts or numbers.

use arrow::datatypes::DataType;
use rusqlite::{Connection, types::ValueRef};

/// What all values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Integer,
    Real,
    Text,
    Blob,
}

impl Class {
    /// The type here.
    pub(super) fn data_type(self) -> DataType {
        match self {
            Self::Integer => DataType::Int64,
            Self::Real => DataType::Float64,
            Self::Text => DataType::Utf8,
            Self::Blob => DataType::Binary,
        }
    }
}

/// Integers up to here are floats of the same value.
pub(super) const EXACT: i64 = 1 << 53;

/// How many values of each class there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) integers: u64,
    pub(super) reals: u64,
    pub(super) texts: u64,
    pub(super) blobs: u64,
    /// Whether an integer is none that a float could be.
    pub(super) large: bool,
}

impl Counts {
    /// One more value.
    pub(super) fn add(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Null => {}
            ValueRef::Integer(number) => {
                self.integers += 1;
                self.large |= !(-EXACT..=EXACT).contains(&number);
            }
            ValueRef::Real(_) => self.reals += 1,
            ValueRef::Text(_) => self.texts += 1,
            ValueRef::Blob(_) => self.blobs += 1,
        }
    }

    /// What the column is.
    ///
    /// # Errors
    /// Why it cannot be read, with the counts.
    pub(super) fn class(&self, declared: &str) -> Result<Class, String> {
        match (self.integers, self.reals, self.texts, self.blobs) {
            (0, 0, 0, 0) => Ok(of_declared(declared)),
            (_, 0, 0, 0) => Ok(Class::Integer),
            (0, _, 0, 0) => Ok(Class::Real),
            (_, _, 0, 0) if !self.large => Ok(Class::Real),
            (0, 0, _, 0) => Ok(Class::Text),
            (0, 0, 0, _) => Ok(Class::Blob),
            _ => Err(self.mixed()),
        }
    }

    fn mixed(&self) -> String {
        let counted = [
            (self.integers, "integers"),
            (self.reals, "reals"),
            (self.texts, "texts"),
            (self.blobs, "blobs"),
        ];
        let counted: Vec<_> = counted
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        format!(
            "its values are of different types ({}); a view can give it as one: CAST(column AS TEXT)",
            counted.join(", ")
        )
    }
}

/// SQLite's own rules of affinity, for a column without a value.
fn of_declared(declared: &str) -> Class {
    let declared = declared.to_ascii_uppercase();
    let has = |word: &str| declared.contains(word);
    if has("INT") || has("BOOL") {
        Class::Integer
    } else if declared.is_empty() || has("CHAR") || has("CLOB") || has("TEXT") {
        Class::Text
    } else if has("BLOB") {
        Class::Blob
    } else if has("DATE") || has("TIME") {
        Class::Text
    } else {
        Class::Real
    }
}

/// Columns that are counted by one statement: each takes five of its at most 2,000.
const AT_ONCE: usize = 300;

/// Counts the values of a table's columns, and its rows.
pub(super) fn count(
    connection: &Connection,
    table: &str,
    columns: &[&str],
) -> rusqlite::Result<(Vec<Counts>, u64)> {
    let mut counts = Vec::with_capacity(columns.len());
    let mut rows = 0;
    for columns in columns.chunks(AT_ONCE) {
        let sql = format!(
            "SELECT count(*){} FROM main.{table}",
            columns.iter().map(|column| counted(column)).collect::<String>()
        );
        connection.query_row(&sql, [], |row| {
            rows = number(row.get_ref(0)?);
            for at in 0..columns.len() {
                let value = |offset| row.get_ref(1 + at * 5 + offset).map(number);
                counts.push(Counts {
                    integers: value(0)?,
                    reals: value(1)?,
                    texts: value(2)?,
                    blobs: value(3)?,
                    large: value(4)? > 0,
                });
            }
            Ok(())
        })?;
    }
    Ok((counts, rows))
}

/// What is asked of one column, quoted already.
fn counted(column: &str) -> String {
    let of = |class: &str| format!(", sum(typeof({column}) = '{class}')");
    format!(
        "{}{}{}{}, sum(CASE typeof({column}) WHEN 'integer' \
         THEN {column} NOT BETWEEN -{EXACT} AND {EXACT} END)",
        of("integer"),
        of("real"),
        of("text"),
        of("blob"),
    )
}

/// A count; of no rows there is none.
fn number(value: ValueRef<'_>) -> u64 {
    match value {
        ValueRef::Integer(number) => u64::try_from(number).unwrap_or_default(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_decide() {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE t (i INTEGER, r REAL, n NUMERIC, b BLOB, u, m INTEGER, l, e DATETIME);
                 INSERT INTO t VALUES (1, 1, 1, x'00', 'a', 1, 9007199254740993, NULL),
                   (NULL, 2.5, 2.5, x'01', 'b', 'x', 0.5, NULL)",
            )
            .unwrap();
        let names = ["i", "r", "n", "b", "u", "m", "l", "e"];
        let (counts, rows) = count(&connection, "t", &names).unwrap();
        let classes: Vec<_> = counts.iter().map(|counts| counts.class("DATETIME")).collect();
        use Class::{Blob, Integer, Real, Text};
        assert_eq!(rows, 2);
        assert_eq!(classes[..5], [Ok(Integer), Ok(Real), Ok(Real), Ok(Blob), Ok(Text)]);
        assert!(classes[5].as_ref().unwrap_err().contains("1 integers, 1 texts"));
        assert!(classes[6].as_ref().unwrap_err().contains("1 integers, 1 reals"));
        assert_eq!(classes[7], Ok(Text));
    }

    #[test]
    fn a_value_counts_as_it_is_counted_in_a_table() {
        let mut counts = Counts::default();
        for value in [ValueRef::Integer(EXACT), ValueRef::Real(0.5), ValueRef::Null] {
            counts.add(value);
        }
        assert_eq!(counts.class(""), Ok(Class::Real));
        counts.add(ValueRef::Integer(EXACT + 1));
        assert!(counts.class("").is_err());
    }
}
