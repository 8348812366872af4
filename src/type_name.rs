//! The names of column types, as a model reads them: short, the same everywhere,
//! with the words of the analyst (text, date, category), not of the file format.

use arrow::datatypes::{DataType, Field, IntervalUnit, TimeUnit};

/// A struct with more fields than this is cut short with `…`.
const FIELDS_SHOWN: usize = 8;

/// The short name of a type: `int64`, `text`, `timestamp[us, UTC]`, `decimal(12,2)`,
/// `category`, `list<int64>`, `struct<lat: float64, lon: float64>`.
#[must_use]
pub fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Null => "null".into(),
        DataType::Boolean => "bool".into(),
        DataType::Int8 => "int8".into(),
        DataType::Int16 => "int16".into(),
        DataType::Int32 => "int32".into(),
        DataType::Int64 => "int64".into(),
        DataType::UInt8 => "uint8".into(),
        DataType::UInt16 => "uint16".into(),
        DataType::UInt32 => "uint32".into(),
        DataType::UInt64 => "uint64".into(),
        DataType::Float16 => "float16".into(),
        DataType::Float32 => "float32".into(),
        DataType::Float64 => "float64".into(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text".into(),
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => "binary".into(),
        DataType::Date32 | DataType::Date64 => "date".into(),
        DataType::Time32(unit) | DataType::Time64(unit) => format!("time[{}]", of_unit(*unit)),
        DataType::Timestamp(unit, None) => format!("timestamp[{}]", of_unit(*unit)),
        DataType::Timestamp(unit, Some(zone)) => format!("timestamp[{}, {zone}]", of_unit(*unit)),
        DataType::Duration(unit) => format!("duration[{}]", of_unit(*unit)),
        DataType::Interval(IntervalUnit::YearMonth) => "interval[months]".into(),
        DataType::Interval(IntervalUnit::DayTime) => "interval[days, ms]".into(),
        DataType::Interval(IntervalUnit::MonthDayNano) => "interval[months, days, ns]".into(),
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => format!("decimal({precision},{scale})"),
        DataType::Dictionary(_, _) => "category".into(),
        DataType::RunEndEncoded(_, values) => type_name(values.data_type()),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _) => format!("list<{}>", type_name(item.data_type())),
        DataType::Struct(fields) => of_struct(fields.iter().map(AsRef::as_ref)),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(pair) if pair.len() == 2 => {
                let [key, value] = [0, 1].map(|at| type_name(pair[at].data_type()));
                format!("map<{key}, {value}>")
            }
            _ => "map".into(),
        },
        DataType::Union(_, _) => "union".into(),
    }
}

fn of_unit(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}

fn of_struct<'a>(fields: impl ExactSizeIterator<Item = &'a Field>) -> String {
    let more = fields.len() > FIELDS_SHOWN;
    let mut shown: Vec<String> = fields
        .take(FIELDS_SHOWN)
        .map(|f| format!("{}: {}", f.name(), type_name(f.data_type())))
        .collect();
    if more {
        shown.push("…".into());
    }
    format!("struct<{}>", shown.join(", "))
}

/// Whether a column holds numbers (`Some(true)`), texts (`Some(false)`), or something else.
#[must_use]
pub fn holds_numbers(data_type: &DataType) -> Option<bool> {
    match data_type {
        DataType::Dictionary(_, values) => holds_numbers(values),
        other if other.is_numeric() => Some(true),
        other if other.is_string() => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn names() {
        let text = || Field::new("item", DataType::Utf8, true);
        let point: Vec<Field> =
            ["lat", "lon"].map(|n| Field::new(n, DataType::Float64, true)).into();
        let many: Vec<Field> =
            (0..9).map(|n| Field::new(format!("f{n}"), DataType::Int8, true)).collect();
        let entries =
            DataType::Struct(vec![text(), Field::new("value", DataType::Int64, true)].into());
        for (data_type, name) in [
            (DataType::Int64, "int64"),
            (DataType::UInt8, "uint8"),
            (DataType::Utf8View, "text"),
            (DataType::Boolean, "bool"),
            (DataType::Date64, "date"),
            (DataType::Time64(TimeUnit::Microsecond), "time[us]"),
            (DataType::Timestamp(TimeUnit::Nanosecond, None), "timestamp[ns]"),
            (DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), "timestamp[us, UTC]"),
            (DataType::Duration(TimeUnit::Second), "duration[s]"),
            (DataType::Decimal128(12, 2), "decimal(12,2)"),
            (DataType::Dictionary(DataType::Int8.into(), DataType::Utf8.into()), "category"),
            (DataType::FixedSizeBinary(16), "binary"),
            (DataType::List(Arc::new(text())), "list<text>"),
            (DataType::Struct(point.into()), "struct<lat: float64, lon: float64>"),
            (DataType::Map(Arc::new(Field::new("e", entries, false)), false), "map<text, int64>"),
            (DataType::Null, "null"),
        ] {
            assert_eq!(type_name(&data_type), name);
        }
        let long = type_name(&DataType::Struct(many.into()));
        assert!(long.ends_with("f7: int8, …>"), "{long}");
    }
}
