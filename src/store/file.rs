//! A file as an artifact: its bytes, in portions, in the one column of a table.
//!
//! So a file has an owner, a history, a time to live and a content hash like every
//! artifact, and there is still nothing in the store but Parquet.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;

use super::Kind;
use crate::table::{Table, TableError};

/// Bytes in a row.
const PORTION: usize = 1 << 20;
/// Rows that are in memory at the same time.
const ROWS_AT_ONCE: usize = 8;
const COLUMN: &str = "bytes";
/// Endings of files that are looked at and not read, and what they are to a browser.
const PICTURES: &[(&str, &str)] = &[
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("webp", "image/webp"),
    ("gif", "image/gif"),
];
/// Endings of pages: what plotly keeps a figure as.
const PAGES: &[&str] = &["html", "htm"];

/// The columns of every file.
#[must_use]
pub fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new(COLUMN, DataType::Binary, false)]))
}

/// A file's rows.
pub fn batches(bytes: &[u8]) -> impl Iterator<Item = RecordBatch> + '_ {
    bytes.chunks(PORTION * ROWS_AT_ONCE).map(|part| {
        let column: ArrayRef = Arc::new(BinaryArray::from_iter_values(part.chunks(PORTION)));
        // One column without nulls, as the schema says.
        RecordBatch::try_new(schema(), vec![column]).unwrap_or(RecordBatch::new_empty(schema()))
    })
}

/// What an artifact of this file is.
#[must_use]
pub fn kind(name: &str) -> Kind {
    match media_type(name) {
        Some(media_type) if media_type.starts_with("image/") => Kind::Chart,
        _ => Kind::File,
    }
}

/// What a browser takes a file of this name for, if it is a picture or a page.
#[must_use]
pub fn media_type(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    if PAGES.contains(&ending.as_str()) {
        return Some("text/html");
    }
    PICTURES.iter().find(|(known, _)| *known == ending).map(|(_, media_type)| *media_type)
}

/// The portions of a file that is kept in this table.
///
/// # Errors
/// The table cannot be read; each portion may fail on its own.
pub fn portions(
    table: &Table,
) -> Result<impl Iterator<Item = Result<Vec<u8>, TableError>>, TableError> {
    let batches = table.batches(None, None)?;
    Ok(batches.flat_map(|batch| {
        let rows: Vec<Result<Vec<u8>, TableError>> = match batch {
            Ok(batch) => {
                let column = batch.column(0).as_binary_opt::<i32>();
                let column = column.map(|column| column.iter().flatten().map(<[u8]>::to_vec));
                column.into_iter().flatten().map(Ok).collect()
            }
            Err(error) => vec![Err(error)],
        };
        rows
    }))
}

#[cfg(test)]
mod tests {
    use arrow::array::Array;

    use super::*;

    #[test]
    fn portions_are_all_of_the_bytes_in_their_order() {
        for length in [0, 1, PORTION, PORTION + 1, PORTION * ROWS_AT_ONCE + 1] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let back: Vec<u8> = batches(&bytes)
                .flat_map(|batch| {
                    let column = batch.column(0).as_binary::<i32>().clone();
                    (0..column.len()).flat_map(|row| column.value(row).to_vec()).collect::<Vec<_>>()
                })
                .collect();
            assert!(back == bytes, "{length}");
        }
    }

    #[test]
    fn what_is_looked_at_is_a_chart() {
        for (name, expected) in [
            ("a.png", Kind::Chart),
            ("A.SVG", Kind::Chart),
            ("a.png.csv", Kind::File),
            ("png", Kind::File),
            ("", Kind::File),
        ] {
            assert_eq!(kind(name), expected, "{name:?}");
        }
    }
}
