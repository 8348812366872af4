use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{
    ArrayRef, BooleanArray, Decimal128Array, DictionaryArray, Int64Array, Int64Builder,
    ListBuilder, StringArray,
};
use arrow::datatypes::{Field, Schema};
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};

use super::*;
use crate::run::Cancel;

fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).unwrap()))
        .set_max_row_group_row_count(Some(1 << 30))
}

fn file(column: ArrayRef, properties: WriterPropertiesBuilder) -> Columns<Bytes> {
    let field = Field::new("a", column.data_type().clone(), true);
    let schema = Arc::new(Schema::new(vec![field]));
    let batch = RecordBatch::try_new(schema.clone(), vec![column]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let bytes = Bytes::from(bytes);
    let metadata = ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::new()).unwrap();
    Columns::new(bytes, metadata)
}

fn stop() -> Stop {
    Stop::new(Cancel::new(), Duration::from_secs(60))
}

/// The least budget, in steps of a half, that the column can be read with.
fn need(columns: &Columns<Bytes>) -> u64 {
    let enough = |bytes: &u64| column(columns, 0, (&Budget::new(*bytes), None), &stop()).is_ok();
    (10..40).map(|power| 1u64 << power).find(enough).unwrap()
}

fn texts(length: usize, rows: usize) -> ArrayRef {
    let text = "x".repeat(length);
    Arc::new(StringArray::from_iter_values(std::iter::repeat_n(text.as_str(), rows)))
}

#[test]
fn a_repeated_text_is_one_text_and_codes() {
    let columns = file(texts(10_000, 20_000), properties());
    let read = column(&columns, 0, (&Budget::new(2 << 20), None), &stop()).unwrap().decoded;
    assert_eq!((read.rows, read.nulls), (20_000, 0));
    assert_eq!(read.buffers[0].len(), 10_000);
    assert_eq!(read.buffers[1], vec![0; 80_000]);
}

#[test]
fn what_is_decoded_is_paid_for_before() {
    let plain = || properties().set_dictionary_enabled(false);
    let delta = || plain().set_encoding(Encoding::DELTA_BYTE_ARRAY);
    // 200 MB each as rows; the files have a few kilobytes.
    assert!(need(&file(texts(10_000, 20_000), plain())) >= 1 << 27);
    assert!(need(&file(texts(10_000, 20_000), delta())) >= 1 << 27);
    let zeros: ArrayRef = Arc::new(Int64Array::from(vec![0; 10_000_000]));
    let needed = need(&file(zeros, properties()));
    assert!((1 << 26..1 << 28).contains(&needed), "{needed}");
    let mut lists = ListBuilder::new(Int64Builder::new());
    for _ in 0..1_000 {
        lists.append_value((0..1_000).map(|_| Some(0)));
    }
    let needed = need(&file(Arc::new(lists.finish()), properties()));
    assert!((1 << 22..=1 << 26).contains(&needed), "{needed}");
}

#[test]
fn nothing_of_the_budget_is_left_spent() {
    let budget = Budget::new(1 << 20);
    for column_of in [
        texts(10, 1_000),
        Arc::new(Int64Array::from(vec![None, Some(1)])),
        Arc::new(DictionaryArray::<Int32Type>::from_iter(["a", "b", "a"])),
        Arc::new(Decimal128Array::from(vec![1, 2])),
    ] {
        let columns = file(column_of, properties());
        drop(column(&columns, 0, (&budget, None), &stop()).unwrap());
        drop(column(&columns, 0, (&Budget::new(10), None), &stop()).unwrap_err());
        assert!(budget.pay(1 << 20).is_ok());
    }
}

#[test]
fn nulls_come_as_a_mask_wherever_the_first_is() {
    let mut numbers: Vec<Option<i64>> = (0..200_000).map(Some).collect();
    numbers[150_000] = None;
    let columns = file(Arc::new(Int64Array::from(numbers)), properties());
    let read = column(&columns, 0, (&Budget::new(1 << 30), None), &stop()).unwrap().decoded;
    assert_eq!((read.rows, read.nulls, read.buffers[1].len()), (200_000, 1, 200_000));
    let set: Vec<usize> = (0..200_000).filter(|at| read.buffers[1][*at] != 0).collect();
    assert_eq!(set, [150_000]);
}

#[test]
fn a_read_can_be_cancelled_in_its_middle() {
    // The second half was copying all batches, which nothing could stop.
    let bits: ArrayRef = Arc::new(BooleanArray::from(vec![false; 100_000_000]));
    let columns = file(bits, properties());
    let cancel = Cancel::new();
    let stop = Stop::new(cancel.clone(), Duration::from_secs(600));
    let read = || column(&columns, 0, (&Budget::new(8 << 30), None), &stop);
    let time = || {
        let begun = Instant::now();
        assert!(read().is_ok());
        begun.elapsed()
    };
    let whole = time().min(time());
    std::thread::scope(|scope| {
        let reading = scope.spawn(read);
        std::thread::sleep(whole / 2);
        cancel.cancel();
        assert!(reading.join().unwrap().is_err());
    });
}
