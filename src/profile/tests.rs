//! Statistics worked out by hand.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and set their scenes by path"
)]

use std::sync::Arc;

use arrow::array::*;
use arrow::datatypes::{DataType, Field, Int8Type, Schema, TimeUnit, i256};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use serde_json::json;

use super::*;

fn table(columns: Vec<(&str, ArrayRef)>) -> Table {
    let fields: Vec<Field> =
        columns.iter().map(|(n, a)| Field::new(*n, a.data_type().clone(), true)).collect();
    let arrays = columns.into_iter().map(|(_, a)| a).collect();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap();
    let file = tempfile::tempfile().unwrap();
    let mut writer = ArrowWriter::try_new(file.try_clone().unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    Table::open(file).unwrap()
}

fn all(table: &Table) -> Profile {
    describe(table, None, None, &|| false).unwrap()
}

/// Type, nulls, distinct, min, max, mean of a single column.
fn of(array: impl Array + 'static) -> Value {
    let profile = all(&table(vec![("x", Arc::new(array))]));
    let c = &profile.columns[0];
    json!([c.data_type, c.nulls, c.distinct.map(|d| d.count), c.min, c.max, c.mean])
}

#[test]
fn whole_numbers_of_every_width() {
    let three = json!(["int64", 1, 2, -1, 5, 2.0]);
    assert_eq!(of(Int64Array::from(vec![Some(-1), None, Some(5)])), three);
    assert_eq!(of(Int8Array::from(vec![-128, 127])), json!(["int8", 0, 2, -128, 127, -0.5]));
    assert_eq!(
        of(UInt32Array::from(vec![u32::MAX])),
        json!(["uint32", 0, 1, u32::MAX, u32::MAX, 4294967295.0])
    );
    // The sum is far beyond 64 bits; the mean is not.
    assert_eq!(
        of(UInt64Array::from(vec![u64::MAX, u64::MAX - 2])),
        // As text, since most readers of JSON would change their last digits.
        json!([
            "uint64",
            0,
            2,
            "18446744073709551613",
            "18446744073709551615",
            1.8446744073709552e19
        ])
    );
    assert_eq!(of(Int64Array::from(vec![i64::MAX, i64::MIN, 1]))[5], json!(0.0));
}

#[test]
fn floats_with_everything_that_is_not_finite() {
    let values = vec![Some(0.0), Some(-0.0), Some(f64::NAN), Some(2.5), None];
    let profile = all(&table(vec![("x", Arc::new(Float64Array::from(values)))]));
    let column = &profile.columns[0];
    assert_eq!((column.nulls, column.null_share), (1, 0.2));
    assert_eq!(column.distinct, Some(Distinct { count: 2, exact: true }));
    assert_eq!((&column.min, &column.max), (&Some(json!(0.0)), &Some(json!(2.5))));
    assert_eq!(column.mean, Some(2.5 / 3.0));
    assert_eq!(
        profile.notes,
        ["x holds 1 NaN (not a number, not missing), left out of its statistics"]
    );
    let infinite = of(Float64Array::from(vec![f64::INFINITY, f64::NEG_INFINITY, 1.0]));
    assert_eq!(infinite, json!(["float64", 0, 3, "-inf", "inf", null]));
    let nothing = of(Float64Array::from(vec![f64::NAN]));
    assert_eq!(nothing, json!(["float64", 0, 0, null, null, null]));
    assert_eq!(of(Float32Array::from(vec![0.5, 1.5])), json!(["float32", 0, 2, 0.5, 1.5, 1.0]));
}

#[test]
fn float_sums_lose_nothing() {
    // A plain sum gives 0.0: the ones vanish beside 1e16.
    let values = vec![1e16, 1.0, 1.0, -1e16];
    assert_eq!(of(Float64Array::from(values))[5], json!(0.5));
}

#[test]
fn decimals_are_shown_as_written() {
    let money = Decimal128Array::from(vec![Some(-5), Some(1250), None]);
    let money = money.with_precision_and_scale(12, 2).unwrap();
    assert_eq!(of(money), json!(["decimal(12,2)", 1, 2, "-0.05", "12.50", 6.225]));
    let huge = Decimal256Array::from(vec![i256::from_i128(10_i128.pow(37)); 2]);
    let huge = huge.with_precision_and_scale(60, 0).unwrap();
    assert_eq!(of(huge)[3], json!("1".to_owned() + &"0".repeat(37)));
}

#[test]
fn dates_and_times() {
    assert_eq!(
        of(Date32Array::from(vec![15706, 0])),
        json!(["date", 0, 2, "1970-01-01", "2013-01-01", null])
    );
    let moment = 1_357_020_000_500_000; // 2013-01-01T06:00:00.5Z
    let naive = TimestampMicrosecondArray::from(vec![moment]);
    assert_eq!(of(naive.clone())[3], json!("2013-01-01T06:00:00.500"));
    assert_eq!(of(naive.with_timezone("Europe/Paris"))[3], json!("2013-01-01T06:00:00.500Z"));
    assert_eq!(
        of(TimestampNanosecondArray::from(vec![1]))[3],
        json!("1970-01-01T00:00:00.000000001")
    );
    assert_eq!(of(Time32MillisecondArray::from(vec![3_600_500]))[3], json!("01:00:00.500"));
    assert_eq!(of(Time64MicrosecondArray::from(vec![1]))[3], json!("00:00:00.000001"));
    assert_eq!(of(DurationSecondArray::from(vec![90]))[3], json!("90 s"));
    assert_eq!(of(TimestampSecondArray::from(vec![i64::MAX]))[1], json!(0));
}

#[test]
fn texts_categories_and_the_rest() {
    assert_eq!(
        of(StringArray::from(vec![Some("b"), Some("a"), Some("b"), None])),
        json!(["text", 1, 2, "a", "b", null])
    );
    assert_eq!(
        of(StringArray::from(vec!["x".repeat(500)]))[3].as_str().unwrap().chars().count(),
        201
    );
    let category: DictionaryArray<Int8Type> =
        vec![Some("b"), None, Some("a"), Some("b")].into_iter().collect();
    assert_eq!(of(category), json!(["category", 1, 2, "a", "b", null]));
    assert_eq!(
        of(BooleanArray::from(vec![Some(true), None, Some(true)])),
        json!(["bool", 1, 1, null, null, null])
    );
    assert_eq!(
        of(BinaryArray::from(vec![&b"\xff"[..], b"\xff", b""])),
        json!(["binary", 0, 2, null, null, null])
    );
    assert_eq!(of(NullArray::new(3)), json!(["null", 3, 0, null, null, null]));
    let lists = ListArray::from_iter_primitive::<arrow::datatypes::Int64Type, _, _>(vec![
        Some(vec![Some(1)]),
        None,
        Some(vec![Some(1)]),
        Some(vec![]),
    ]);
    assert_eq!(of(lists), json!(["list<int64>", 1, 2, null, null, null]));
}

#[test]
fn no_rows_and_nothing_but_nulls() {
    let empty = all(&table(vec![("x", Arc::new(Int64Array::from(Vec::<i64>::new())))]));
    assert_eq!((empty.rows, empty.columns[0].null_share, empty.columns[0].mean), (0, 0.0, None));
    let nulls = DataType::Timestamp(TimeUnit::Second, None);
    assert_eq!(
        of(make_array(ArrayData::new_null(&nulls, 2))),
        json!(["timestamp[s]", 2, 0, null, null, null])
    );
    assert_eq!(of(Int64Array::from(vec![None, None])), json!(["int64", 2, 0, null, null, null]));
}

#[test]
fn columns_come_as_asked_and_unknown_ones_with_the_nearest() {
    let one = || Arc::new(Int64Array::from(vec![1])) as ArrayRef;
    let table = table(vec![("dep_time", one()), ("arr_time", one()), ("carrier", one())]);
    let asked = ["carrier", "dep_time", "carrier"].map(str::to_owned);
    let profile = describe(&table, Some(&asked), None, &|| false).unwrap();
    let names: Vec<_> = profile.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["carrier", "dep_time"]);
    let error = describe(&table, Some(&["carier".to_owned()]), None, &|| false).unwrap_err();
    assert_eq!(error.to_string(), "there is no column `carier` (nearest: `carrier`)");
    assert!(matches!(describe(&table, None, None, &|| true), Err(ProfileError::Stopped)));
}

#[test]
fn without_values_no_cell_is_left() {
    let table = table(vec![
        ("same", Arc::new(Int64Array::from(vec![7, 7])) as ArrayRef),
        ("text", Arc::new(StringArray::from(vec!["secret", "x"]))),
        ("many", Arc::new(Int64Array::from(vec![1, 2]))),
    ]);
    let columns: Vec<_> =
        all(&table).columns.into_iter().map(ColumnProfile::without_values).collect();
    let kept = serde_json::to_string(&columns).unwrap();
    assert!(!kept.contains("secret") && !kept.contains('7'), "{kept}");
    assert_eq!((columns[0].mean, columns[2].mean), (None, Some(1.5)));
}
