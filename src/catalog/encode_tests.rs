//! What is written is what was given, however it is written.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and set their scenes by path"
)]

use std::sync::Arc;

use arrow::array::{Float64Array, Int64Array, RecordBatch, StringArray};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Encoding;
use parquet::file::metadata::ParquetMetaData;

use super::Encoder;

fn schema() -> SchemaRef {
    let of = [
        ("id", DataType::Int64),
        ("kind", DataType::Int64),
        ("price", DataType::Float64),
        ("name", DataType::Utf8),
        ("region", DataType::Utf8),
        ("sorted", DataType::Utf8),
    ];
    let fields: Vec<Field> = of.map(|(name, of)| Field::new(name, of, true)).to_vec();
    Arc::new(Schema::new(fields))
}

/// Rows of which every seventh has nothing.
fn batch(from: i64, rows: i64) -> RecordBatch {
    let of = |row: i64| (row % 7 != 3).then_some(row);
    let all = || (from..from + rows).map(of);
    let text = |row: i64| format!("n{}", row.wrapping_mul(2_654_435_761) % 1_000_003);
    #[allow(clippy::cast_precision_loss, reason = "small numbers")]
    let price = |row: i64| (row * 7919 % 1_000_003) as f64 / 100.0;
    let columns: Vec<arrow::array::ArrayRef> = vec![
        Arc::new(all().map(|row| row.map(|row| row * 3 - 5)).collect::<Int64Array>()),
        Arc::new(all().map(|row| row.map(|row| row % 9)).collect::<Int64Array>()),
        Arc::new(all().map(|row| row.map(price)).collect::<Float64Array>()),
        Arc::new(all().map(|row| row.map(text)).collect::<StringArray>()),
        Arc::new(
            all().map(|row| row.map(|row| ["b", "a"][(row % 2) as usize])).collect::<StringArray>(),
        ),
        Arc::new(
            all().map(|row| row.map(|row| format!("{:09}", row / 1000))).collect::<StringArray>(),
        ),
    ];
    RecordBatch::try_new(schema(), columns).unwrap()
}

fn encoded(batches: &[RecordBatch]) -> (RecordBatch, Arc<ParquetMetaData>) {
    let file = tempfile::tempfile().unwrap();
    let mut encoder = Encoder::new(file.try_clone().unwrap(), schema(), "test".into());
    for batch in batches {
        encoder.write(batch.clone()).unwrap();
    }
    encoder.finish().unwrap().close().unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let metadata = reader.metadata().clone();
    let read: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
    (concat_batches(&schema(), &read).unwrap(), metadata)
}

#[test]
fn what_is_read_is_what_was_written_of_none_one_and_many_batches() {
    for count in [0, 1, 2, 5] {
        let batches: Vec<_> = (0..count).map(|at| batch(at * 20_000, 20_000)).collect();
        let (read, _) = encoded(&batches);
        assert_eq!(read, concat_batches(&schema(), &batches).unwrap(), "{count}");
    }
}

#[test]
fn a_column_is_written_as_its_first_rows_say() {
    let (_, metadata) = encoded(&[batch(0, 20_000), batch(20_000, 20_000)]);
    let group = metadata.row_group(0);
    let has = |column: usize, encoding| group.column(column).encodings().any(|e| e == encoding);
    let lists: Vec<bool> = (0..6).map(|column| has(column, Encoding::RLE_DICTIONARY)).collect();
    assert_eq!(lists, [false, true, false, false, true, true]);
    assert!(has(0, Encoding::DELTA_BINARY_PACKED) && has(2, Encoding::PLAIN));
    // The smallest and largest of texts only where a group can be left out by them.
    let known: Vec<bool> =
        (0..6).map(|column| group.column(column).statistics().is_some()).collect();
    assert_eq!(known, [true, true, true, false, false, true]);
}

/// The bet on the first rows may be lost: only the file's size says so.
#[test]
fn columns_that_turn_out_otherwise_are_whole() {
    let early = batch(0, 20_000);
    let constant = early.slice(1, 1);
    let batches = [concat_batches(&schema(), &vec![constant.clone(); 20_000]).unwrap(), early];
    assert_eq!(encoded(&batches).0, concat_batches(&schema(), &batches).unwrap());
    let batches = [batches[1].clone(), batches[0].clone()];
    assert_eq!(encoded(&batches).0, concat_batches(&schema(), &batches).unwrap());
}

#[test]
fn an_error_of_the_disk_is_said_and_a_file_given_up_is_let_go() {
    // A file that cannot be written to.
    let path = tempfile::NamedTempFile::new().unwrap();
    let file = std::fs::File::open(path.path()).unwrap();
    let mut encoder = Encoder::new(file, schema(), "test".into());
    let failed = (0..200).any(|at| encoder.write(batch(at * 20_000, 20_000)).is_err());
    let failed = failed || encoder.finish().and_then(ArrowWriter::close).is_err();
    assert!(failed);
    let mut encoder = Encoder::new(tempfile::tempfile().unwrap(), schema(), "test".into());
    for at in 0..3 {
        encoder.write(batch(at * 20_000, 20_000)).unwrap();
    }
    drop(encoder);
}
