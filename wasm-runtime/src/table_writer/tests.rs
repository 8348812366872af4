use std::sync::Arc;

use arrow::array::{AsArray, DictionaryArray, Int64Array, StringArray};
use arrow::datatypes::{Field, Int8Type, Schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::categories::packed;
use super::*;

/// Values are packed as the specification's example has them: 0 to 7 in 3 bits.
#[test]
fn a_packed_run_is_as_the_specification_says() {
    let packed = packed(0..8, 8, 3);
    assert_eq!(packed, [0b11, 0b1000_1000, 0b1100_0110, 0b1111_1010]);
}

#[test]
fn order_and_unused_categories_survive_in_every_row_group() {
    let values: ArrayRef = Arc::new(StringArray::from(vec!["z", "unused", "a"]));
    let rows = ROW_GROUP_ROWS + 3;
    let keys = (0..rows).map(|row| [Some(2i8), None, Some(0)][row % 3]);
    let codes = DictionaryArray::<Int8Type>::new(keys.collect(), values);
    let schema = Arc::new(Schema::new(vec![
        Field::new("n", DataType::Int64, false),
        Field::new("c", codes.data_type().clone(), true),
    ]));
    let numbers: Int64Array = (0..rows as i64).collect();
    let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(numbers), Arc::new(codes)]);
    let batch = batch.unwrap();
    let mut bytes = Vec::new();
    let mut writer =
        TableWriter::try_new(&mut bytes, schema, None, WriterProperties::default()).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();

    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
    assert_eq!(reader.metadata().num_row_groups(), 2);
    let mut read = 0;
    for found in reader.with_batch_size(1 << 16).build().unwrap() {
        let found = found.unwrap();
        assert_eq!(found.column(1).as_any_dictionary().values().len(), 3);
        assert_eq!(found, batch.slice(read, found.num_rows()));
        read += found.num_rows();
    }
    assert_eq!(read, rows);
}

/// Encoding a big table went on for seconds after its run was cancelled.
#[test]
fn writing_ends_when_it_is_told_to() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let go_on = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < 3;
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..(STRIDE as i64 * 8)));
    let schema = Arc::new(Schema::new(vec![
        Field::new("a", DataType::Int64, false),
        Field::new("b", DataType::Int64, false),
    ]));
    let batch = RecordBatch::try_new(schema.clone(), vec![numbers.clone(), numbers]).unwrap();
    let write = |go_on: GoOn<'_>| {
        let properties = WriterProperties::default();
        let mut writer =
            TableWriter::try_new(Vec::new(), schema.clone(), None, properties).unwrap();
        writer.write_while(&batch, go_on)
    };
    assert!(write(&go_on).is_err());
    assert!(asked.into_inner() <= 5);
    assert!(write(&|| true).is_ok());
}
