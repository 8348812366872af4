//! Tables to test with.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal128Array,
    Decimal256Array, DictionaryArray, DurationNanosecondArray, FixedSizeBinaryArray,
    FixedSizeListArray, Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Int64Array,
    LargeBinaryArray, LargeStringArray, ListArray, MapBuilder, NullArray, StringArray,
    StringBuilder, StringViewArray, StructArray, Time32SecondArray, Time64NanosecondArray,
    TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
    TimestampSecondArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array,
};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{DataType, Field, Int8Type, Int64Type, i256};
use arrow::record_batch::RecordBatch;

/// Five rows, the third null, of every type that can be stored.
pub(super) fn every_type() -> RecordBatch {
    let gap = |n: usize| (n != 2).then_some(n);
    macro_rules! ints {
        ($array:ty, $native:ty) => {
            Arc::new((0..5).map(|n| gap(n).map(|n| n as $native)).collect::<$array>()) as ArrayRef
        };
    }
    let words = || (0..5).map(|n| gap(n).map(|n| ["я", "", "b", "語語", "=1"][n]));
    let bytes = || (0..5).map(|n| gap(n).map(|n| [b"\0".as_slice(), b"", b"b", b"\xff", b"xy"][n]));
    let lists = ListArray::from_iter_primitive::<Int64Type, _, _>(
        (0..5).map(|n| gap(n).map(|n| (0..n as i64).map(Some).chain([None]))),
    );
    let fixed = FixedSizeListArray::from_iter_primitive::<Int64Type, _, _>(
        (0..5).map(|n| gap(n).map(|n| vec![Some(n as i64), None])),
        2,
    );
    let inner: Vec<(Arc<Field>, ArrayRef)> = vec![
        (Arc::new(Field::new("x", DataType::Int64, true)), ints!(Int64Array, i64)),
        (
            Arc::new(Field::new("y", DataType::Utf8, true)),
            Arc::new(words().collect::<StringArray>()),
        ),
    ];
    let (fields, children): (Vec<_>, Vec<_>) = inner.into_iter().unzip();
    let there = NullBuffer::from(vec![true, true, false, true, true]);
    let inner = StructArray::new(fields.into(), children, Some(there));
    let mut maps = MapBuilder::new(None, StringBuilder::new(), arrow::array::Int64Builder::new());
    for n in 0..5 {
        maps.keys().append_value(format!("k{n}"));
        maps.values().append_value(n);
        maps.append(n != 2).unwrap();
    }
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("null", Arc::new(NullArray::new(5))),
        ("bool", Arc::new((0..5).map(|n| gap(n).map(|n| n % 2 == 0)).collect::<BooleanArray>())),
        ("i8", ints!(Int8Array, i8)),
        ("i16", ints!(Int16Array, i16)),
        ("i32", ints!(Int32Array, i32)),
        ("i64", ints!(Int64Array, i64)),
        ("u8", ints!(UInt8Array, u8)),
        ("u16", ints!(UInt16Array, u16)),
        ("u32", ints!(UInt32Array, u32)),
        ("u64", ints!(UInt64Array, u64)),
        ("f16", arrow::compute::cast(&ints!(Float32Array, f32), &DataType::Float16).unwrap()),
        ("f32", ints!(Float32Array, f32)),
        ("f64", ints!(Float64Array, f64)),
        ("text", Arc::new(words().collect::<StringArray>())),
        ("large text", Arc::new(words().collect::<LargeStringArray>())),
        ("text view", Arc::new(words().collect::<StringViewArray>())),
        ("category", Arc::new(words().collect::<DictionaryArray<Int8Type>>())),
        ("binary", Arc::new(bytes().collect::<BinaryArray>())),
        ("large binary", Arc::new(bytes().collect::<LargeBinaryArray>())),
        (
            "uuid",
            Arc::new(
                FixedSizeBinaryArray::try_from_sparse_iter_with_size(
                    (0..5).map(|n| gap(n).map(|n| [n as u8; 16])),
                    16,
                )
                .unwrap(),
            ),
        ),
        ("date", ints!(Date32Array, i32)),
        (
            "date64",
            Arc::new(
                (0..5).map(|n| gap(n).map(|n| n as i64 * 86_400_000)).collect::<Date64Array>(),
            ),
        ),
        ("ts s", ints!(TimestampSecondArray, i64)),
        ("ts ms", ints!(TimestampMillisecondArray, i64)),
        (
            "ts us",
            Arc::new(
                (0..5)
                    .map(|n| gap(n).map(|n| n as i64))
                    .collect::<TimestampMicrosecondArray>()
                    .with_timezone("Europe/Moscow"),
            ),
        ),
        ("ts ns", ints!(TimestampNanosecondArray, i64)),
        ("time s", ints!(Time32SecondArray, i32)),
        ("time ns", ints!(Time64NanosecondArray, i64)),
        ("duration", ints!(DurationNanosecondArray, i64)),
        (
            "dec",
            Arc::new(
                (0..5)
                    .map(|n| gap(n).map(|n| n as i128 * 101))
                    .collect::<Decimal128Array>()
                    .with_precision_and_scale(12, 2)
                    .unwrap(),
            ),
        ),
        (
            "dec256",
            Arc::new(
                (0..5)
                    .map(|n| gap(n).map(|n| i256::from_i128(n as i128)))
                    .collect::<Decimal256Array>()
                    .with_precision_and_scale(50, 3)
                    .unwrap(),
            ),
        ),
        ("list", Arc::new(lists)),
        ("fixed list", Arc::new(fixed)),
        ("struct", Arc::new(inner)),
        ("map", Arc::new(maps.finish())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
        .unwrap()
}
