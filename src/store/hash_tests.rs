use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Decimal128Array, DictionaryArray, Float32Array,
    Float64Array, Int32Array, Int64Array, LargeStringArray, ListArray, NullArray, StringArray,
    StringViewArray, StructArray, TimestampMicrosecondArray, TimestampNanosecondArray, UInt64Array,
};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::datatypes::{Field, Int32Type, Int64Type};
use arrow::record_batch::RecordBatchOptions;

use super::super::bits::BITS_HELD;
use super::super::test_tables::every_type;
use super::*;

fn hash(batches: &[RecordBatch]) -> String {
    let mut hasher = ContentHasher::new(&batches[0].schema()).unwrap();
    for batch in batches {
        hasher.update(batch).unwrap();
    }
    hasher.finish().to_string()
}

fn one(columns: Vec<(&str, ArrayRef)>) -> String {
    hash(&[RecordBatch::try_from_iter(columns).unwrap()])
}

fn column(array: impl Array + 'static) -> String {
    one(vec![("a", Arc::new(array))])
}

/// Ways to cut a number of rows into batches, odd bits among them.
fn cuts(rows: usize) -> Vec<Vec<usize>> {
    vec![
        vec![1; rows],
        vec![rows / 2, rows - rows / 2],
        vec![1, rows - 1],
        vec![0, rows, 0],
        [vec![3; rows / 3], vec![rows % 3]].concat(),
    ]
}

#[test]
fn batches_do_not_matter_for_any_type() {
    let whole = every_type();
    let expected = hash(std::slice::from_ref(&whole));
    for lengths in cuts(whole.num_rows()) {
        let mut start = 0;
        let parts: Vec<_> = lengths
            .iter()
            .map(|length| {
                start += length;
                whole.slice(start - length, *length)
            })
            .collect();
        assert_eq!(hash(&parts), expected, "{lengths:?}");
    }
}

#[test]
fn batches_do_not_matter_beyond_the_bits_that_are_held() {
    let rows = BITS_HELD * 2 + 13;
    let flags = BooleanArray::from_iter((0..rows).map(|n| (n % 7 != 0).then_some(n % 3 == 0)));
    let whole = RecordBatch::try_from_iter([("a", Arc::new(flags) as ArrayRef)]).unwrap();
    let expected = hash(std::slice::from_ref(&whole));
    let parts = [
        whole.slice(0, 5),
        whole.slice(5, BITS_HELD + 1),
        whole.slice(BITS_HELD + 6, rows - BITS_HELD - 6),
    ];
    assert_eq!(hash(&parts), expected);
}

#[test]
fn what_differs_hashes_differently() {
    let hashes = [
        column(Int64Array::from(vec![Some(0), Some(1)])),
        column(Int64Array::from(vec![None, Some(1)])),
        column(Int64Array::from(vec![Some(1), None])),
        column(Int64Array::from(vec![Some(1), Some(0)])),
        column(Int32Array::from(vec![0, 1])),
        column(UInt64Array::from(vec![0, 1])),
        column(Float64Array::from(vec![0.0, 1.0])),
        column(Float64Array::from(vec![-0.0, 1.0])),
        column(Float64Array::from(vec![f64::NAN, 1.0])),
        column(Float64Array::from(vec![None, Some(1.0)])),
        column(StringArray::from(vec!["ab", "c"])),
        column(StringArray::from(vec!["a", "bc"])),
        column(StringArray::from(vec!["", "abc"])),
        column(StringArray::from(vec![None, Some("abc")])),
        column(BinaryArray::from(vec![b"ab".as_slice(), b"c"])),
        column(StringArray::from(Vec::<&str>::new())),
        column(NullArray::new(2)),
        column(NullArray::new(3)),
        one(vec![("b", Arc::new(Int64Array::from(vec![0, 1])))]),
        one(vec![
            ("a", Arc::new(Int32Array::from(vec![1]))),
            ("b", Arc::new(Int32Array::from(vec![2]))),
        ]),
        one(vec![
            ("b", Arc::new(Int32Array::from(vec![2]))),
            ("a", Arc::new(Int32Array::from(vec![1]))),
        ]),
        one(vec![
            ("a", Arc::new(Int32Array::from(vec![2]))),
            ("b", Arc::new(Int32Array::from(vec![1]))),
        ]),
        column(TimestampMicrosecondArray::from(vec![0, 1])),
        column(TimestampMicrosecondArray::from(vec![0, 1]).with_timezone("UTC")),
        column(TimestampNanosecondArray::from(vec![0, 1])),
        column(Decimal128Array::from(vec![0, 1]).with_precision_and_scale(10, 2).unwrap()),
        column(Decimal128Array::from(vec![0, 1]).with_precision_and_scale(10, 3).unwrap()),
        column(list(vec![Some(vec![1, 2]), Some(vec![3])])),
        column(list(vec![Some(vec![1]), Some(vec![2, 3])])),
        column(list(vec![Some(vec![]), Some(vec![1, 2, 3])])),
        column(list(vec![None, Some(vec![1, 2, 3])])),
    ];
    let distinct: std::collections::HashSet<_> = hashes.iter().collect();
    assert_eq!(distinct.len(), hashes.len());
}

fn list(rows: Vec<Option<Vec<i64>>>) -> ListArray {
    let rows = rows.into_iter().map(|row| row.map(|row| row.into_iter().map(Some)));
    ListArray::from_iter_primitive::<Int64Type, _, _>(rows)
}

#[test]
fn what_lies_under_a_null_does_not_matter() {
    let nulls = NullBuffer::from(vec![true, false, true]);
    let numbers =
        |hidden| Int64Array::new(ScalarBuffer::from(vec![1, hidden, 3]), Some(nulls.clone()));
    assert_eq!(column(numbers(0)), column(numbers(99)));

    let nulls = NullBuffer::from(vec![true, false]);
    let fields = vec![Field::new("x", DataType::Int64, true)];
    let structs = |hidden| {
        let child: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), hidden]));
        StructArray::new(fields.clone().into(), vec![child], Some(nulls.clone()))
    };
    assert_eq!(column(structs(None)), column(structs(Some(7))));
}

#[test]
fn layout_does_not_matter() {
    let words = vec![Some("a"), None, Some("b"), Some("a")];
    let plain = column(StringArray::from(words.clone()));
    assert_eq!(column(LargeStringArray::from(words.clone())), plain);
    assert_eq!(column(StringViewArray::from(words.clone())), plain);
    assert_eq!(column(words.clone().into_iter().collect::<DictionaryArray<Int32Type>>()), plain);
    // Other codes and an unused category, the same words.
    let codes = Int32Array::from(vec![Some(2), None, Some(0), Some(2)]);
    let other = DictionaryArray::new(codes, Arc::new(StringArray::from(vec!["b", "x", "a"])));
    assert_eq!(column(other), plain);
    // A slice of something longer.
    let longer = StringArray::from([vec![Some("zz"), None], words, vec![Some("q")]].concat());
    assert_eq!(column(longer.slice(2, 4)), plain);
}

#[test]
fn there_is_one_nan() {
    let other = f64::from_bits(0xfff8_0000_0000_0001);
    assert_eq!(column(Float64Array::from(vec![f64::NAN])), column(Float64Array::from(vec![other])));
    let other = f32::from_bits(0xffc0_0001);
    assert_eq!(column(Float32Array::from(vec![f32::NAN])), column(Float32Array::from(vec![other])));
    assert_ne!(
        column(Float64Array::from(vec![f64::INFINITY])),
        column(Float64Array::from(vec![f64::NAN]))
    );
}

#[test]
fn empty_tables_differ_by_their_columns_and_rows() {
    let none = |rows| {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let schema = Arc::new(Schema::empty());
        hash(&[RecordBatch::try_new_with_options(schema, vec![], &options).unwrap()])
    };
    assert_ne!(none(0), none(1));
    assert_ne!(none(0), column(Int64Array::from(Vec::<i64>::new())));
}

/// The construction written out again, by hand, for one small table: a change of
/// the hash's meaning must not go unseen, because old artifacts carry old hashes.
#[test]
fn the_hash_is_what_the_module_says() {
    let b3 = |parts: &[&[u8]]| {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(part);
        }
        *hasher.finalize().as_bytes()
    };
    let fingerprint = b3(&[
        &1u64.to_le_bytes(),
        b"a",
        &5u64.to_le_bytes(),
        b"Int32",
        &1u64.to_le_bytes(),
        b"b",
        &4u64.to_le_bytes(),
        b"text",
    ]);
    let hex = blake3::Hash::from(fingerprint).to_hex();
    let a = b3(&[&b3(&[&[0b11], &2u64.to_le_bytes()]), &b3(&[&[7, 0, 0, 0, 8, 0, 0, 0]])]);
    let b = b3(&[
        &b3(&[&[0b10], &2u64.to_le_bytes()]),
        &b3(&[&2u64.to_le_bytes()]),
        &b3(&["я".as_bytes()]),
    ]);
    let expected = b3(&[DOMAIN, hex.as_bytes(), &2u64.to_le_bytes(), &a, &b]);
    let got = one(vec![
        ("a", Arc::new(Int32Array::from(vec![7, 8]))),
        ("b", Arc::new(StringArray::from(vec![None, Some("я")]))),
    ]);
    assert_eq!(got, blake3::Hash::from(expected).to_hex().to_string());
}
