//! Arrow columns as cells: the few kinds of value that text, spreadsheets and
//! JSON know, with everything that Arrow says in more than one way said in one.

use std::fmt::Write as _;

use arrow::array::cast::AsArray;
use arrow::array::types::{
    Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int64Type, UInt64Type,
};
use arrow::array::{
    Array, ArrayRef, BooleanArray, Decimal128Array, Decimal256Array, Float32Array, Float64Array,
    Int64Array, LargeBinaryArray, LargeListArray, LargeStringArray, PrimitiveArray, UInt64Array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, TimeUnit};
use arrow::error::ArrowError;

use super::time::{self, Zone};

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell<'a> {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Single(f32),
    Double(f64),
    /// The digits, with a point and a sign where they belong.
    Decimal(String),
    Text(&'a str),
    Binary(&'a [u8]),
    /// Days since 1970-01-01.
    Date(i64),
    Timestamp {
        value: i64,
        unit: TimeUnit,
        zone: &'a Option<Zone>,
    },
    /// Nanoseconds since midnight.
    Time(i64),
    Duration {
        value: i64,
        unit: TimeUnit,
    },
    /// A list or a struct, as JSON.
    Nested(String),
}

/// One column of a batch, ready to give its cells.
#[derive(Debug)]
pub(super) enum Column {
    Nothing,
    Bool(BooleanArray),
    Int(Int64Array),
    UInt(UInt64Array),
    Single(Float32Array),
    Double(Float64Array),
    Decimal(Decimal128Array),
    Decimal256(Decimal256Array),
    Text(LargeStringArray),
    Binary(LargeBinaryArray),
    Date(PrimitiveArray<Date32Type>),
    Timestamp(Int64Array, TimeUnit, Option<Zone>),
    Time(Int64Array),
    Duration(Int64Array, TimeUnit),
    List { offsets: OffsetBuffer<i64>, nulls: Option<NullBuffer>, items: Box<Column> },
    Struct { nulls: Option<NullBuffer>, fields: Vec<(String, Column)> },
}

impl Column {
    pub(super) fn new(array: &ArrayRef) -> Result<Self, ArrowError> {
        use DataType as T;
        let as_type = |wanted: &T| cast(array.as_ref(), wanted);
        Ok(match array.data_type() {
            T::Null => Self::Nothing,
            T::Boolean => Self::Bool(array.as_boolean().clone()),
            T::Int8 | T::Int16 | T::Int32 | T::Int64 => Self::Int(int64(array)?),
            T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64 => {
                Self::UInt(as_type(&T::UInt64)?.as_primitive::<UInt64Type>().clone())
            }
            T::Float16 | T::Float32 => {
                Self::Single(as_type(&T::Float32)?.as_primitive::<Float32Type>().clone())
            }
            T::Float64 => Self::Double(array.as_primitive::<Float64Type>().clone()),
            T::Decimal32(precision, scale) | T::Decimal64(precision, scale) => {
                let wide = as_type(&T::Decimal128(*precision, *scale))?;
                Self::Decimal(wide.as_primitive::<Decimal128Type>().clone())
            }
            T::Decimal128(..) => Self::Decimal(array.as_primitive::<Decimal128Type>().clone()),
            T::Decimal256(..) => Self::Decimal256(array.as_primitive::<Decimal256Type>().clone()),
            T::Utf8 | T::LargeUtf8 | T::Utf8View => {
                Self::Text(as_type(&T::LargeUtf8)?.as_string::<i64>().clone())
            }
            T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_) => {
                Self::Binary(as_type(&T::LargeBinary)?.as_binary::<i64>().clone())
            }
            T::Date32 | T::Date64 => {
                Self::Date(as_type(&T::Date32)?.as_primitive::<Date32Type>().clone())
            }
            T::Timestamp(unit, zone) => {
                Self::Timestamp(int64(array)?, *unit, zone.as_deref().map(Zone::new))
            }
            T::Time32(_) | T::Time64(_) => {
                Self::Time(int64(&as_type(&T::Time64(TimeUnit::Nanosecond))?)?)
            }
            T::Duration(unit) => Self::Duration(int64(array)?, *unit),
            T::Dictionary(_, values) => return Self::new(&as_type(values)?),
            T::RunEndEncoded(_, values) => return Self::new(&as_type(values.data_type())?),
            T::List(item)
            | T::LargeList(item)
            | T::ListView(item)
            | T::LargeListView(item)
            | T::FixedSizeList(item, _) => {
                Self::list(as_type(&T::LargeList(item.clone()))?.as_list::<i64>())?
            }
            T::Map(..) => {
                let map = array.as_map();
                let entries: ArrayRef = std::sync::Arc::new(map.entries().clone());
                let offsets = map.value_offsets().iter().map(|offset| i64::from(*offset)).collect();
                let field = Field::new("entries", entries.data_type().clone(), false);
                let nulls = map.nulls().cloned();
                let offsets = OffsetBuffer::new(offsets);
                Self::list(&LargeListArray::try_new(field.into(), offsets, entries, nulls)?)?
            }
            T::Struct(fields) => {
                let columns = array.as_struct().columns().iter().map(Self::new);
                let names = fields.iter().map(|field| field.name().clone());
                let fields: Result<_, ArrowError> =
                    names.zip(columns).map(|(name, column)| Ok((name, column?))).collect();
                Self::Struct { nulls: array.nulls().cloned(), fields: fields? }
            }
            // Intervals and what may come: Arrow's own words.
            _ => Self::Text(as_type(&T::LargeUtf8)?.as_string::<i64>().clone()),
        })
    }

    fn list(array: &LargeListArray) -> Result<Self, ArrowError> {
        Ok(Self::List {
            offsets: array.offsets().clone(),
            nulls: array.nulls().cloned(),
            items: Box::new(Self::new(array.values())?),
        })
    }

    fn is_null(&self, row: usize) -> bool {
        match self {
            Self::Nothing => true,
            Self::Bool(a) => a.is_null(row),
            Self::Int(a) | Self::Timestamp(a, ..) | Self::Time(a) | Self::Duration(a, _) => {
                a.is_null(row)
            }
            Self::UInt(a) => a.is_null(row),
            Self::Single(a) => a.is_null(row),
            Self::Double(a) => a.is_null(row),
            Self::Decimal(a) => a.is_null(row),
            Self::Decimal256(a) => a.is_null(row),
            Self::Text(a) => a.is_null(row),
            Self::Binary(a) => a.is_null(row),
            Self::Date(a) => a.is_null(row),
            Self::List { nulls, .. } | Self::Struct { nulls, .. } => {
                nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
            }
        }
    }

    /// The value in a row.
    pub(super) fn cell(&self, row: usize) -> Cell<'_> {
        if self.is_null(row) {
            return Cell::Null;
        }
        match self {
            Self::Nothing => Cell::Null,
            Self::Bool(a) => Cell::Bool(a.value(row)),
            Self::Int(a) => Cell::Int(a.value(row)),
            Self::UInt(a) => Cell::UInt(a.value(row)),
            Self::Single(a) => Cell::Single(a.value(row)),
            Self::Double(a) => Cell::Double(a.value(row)),
            Self::Decimal(a) => Cell::Decimal(a.value_as_string(row)),
            Self::Decimal256(a) => Cell::Decimal(a.value_as_string(row)),
            Self::Text(a) => Cell::Text(a.value(row)),
            Self::Binary(a) => Cell::Binary(a.value(row)),
            Self::Date(a) => Cell::Date(a.value(row).into()),
            Self::Timestamp(a, unit, zone) => {
                Cell::Timestamp { value: a.value(row), unit: *unit, zone }
            }
            Self::Time(a) => Cell::Time(a.value(row)),
            Self::Duration(a, unit) => Cell::Duration { value: a.value(row), unit: *unit },
            Self::List { .. } | Self::Struct { .. } => {
                let mut json = String::new();
                self.write_json(row, &mut json, &mut 0);
                Cell::Nested(json)
            }
        }
    }

    /// The value in a row as JSON. Counts the numbers that JSON has no word for.
    pub(super) fn write_json(&self, row: usize, out: &mut String, not_finite: &mut u64) {
        if self.is_null(row) {
            return out.push_str("null");
        }
        match self {
            Self::List { offsets, items, .. } => {
                let position = |n: usize| usize::try_from(offsets[n]).unwrap_or(0);
                out.push('[');
                for (n, item) in (position(row)..position(row + 1)).enumerate() {
                    out.push_str(if n > 0 { "," } else { "" });
                    items.write_json(item, out, not_finite);
                }
                out.push(']');
            }
            Self::Struct { fields, .. } => {
                out.push('{');
                for (n, (name, field)) in fields.iter().enumerate() {
                    out.push_str(if n > 0 { "," } else { "" });
                    push_json_text(name, out);
                    out.push(':');
                    field.write_json(row, out, not_finite);
                }
                out.push('}');
            }
            _ => self.cell(row).write_json(out, not_finite),
        }
    }
}

/// Whatever is 64-bit underneath, or narrower, as 64-bit integers.
fn int64(array: &ArrayRef) -> Result<Int64Array, ArrowError> {
    Ok(cast(array.as_ref(), &DataType::Int64)?.as_primitive::<Int64Type>().clone())
}

impl Cell<'_> {
    /// The value as plain text; nothing for a null.
    pub(super) fn write_text(&self, out: &mut String) {
        match self {
            Self::Null => {}
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Int(value) => push(out, value),
            Self::UInt(value) => push(out, value),
            Self::Single(value) if !value.is_finite() => push(out, value),
            Self::Double(value) if !value.is_finite() => push(out, value),
            // Shortest digits that read back as the same number; an exponent where
            // plain digits would be a page of zeros.
            Self::Single(value) => push(out, &format_args!("{value:?}")),
            Self::Double(value) => push(out, &format_args!("{value:?}")),
            Self::Decimal(digits) => out.push_str(digits),
            Self::Text(text) => out.push_str(text),
            Self::Binary(bytes) => {
                bytes.iter().for_each(|byte| push(out, &format_args!("{byte:02x}")));
            }
            Self::Date(days) => time::write_date(*days, out),
            Self::Timestamp { value, unit, zone } => {
                time::write_timestamp(*value, *unit, zone.as_ref(), ' ', out);
            }
            Self::Time(nanoseconds) => time::write_time(*nanoseconds, out),
            Self::Duration { value, unit } => time::write_duration(*value, *unit, out),
            Self::Nested(json) => out.push_str(json),
        }
    }

    fn write_json(&self, out: &mut String, not_finite: &mut u64) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Single(value) if !value.is_finite() => {
                *not_finite += 1;
                out.push_str("null");
            }
            Self::Double(value) if !value.is_finite() => {
                *not_finite += 1;
                out.push_str("null");
            }
            Self::Bool(_)
            | Self::Int(_)
            | Self::UInt(_)
            | Self::Single(_)
            | Self::Double(_)
            | Self::Decimal(_)
            | Self::Nested(_) => self.write_text(out),
            Self::Text(text) => push_json_text(text, out),
            Self::Timestamp { value, unit, zone } => {
                out.push('"');
                time::write_timestamp(*value, *unit, zone.as_ref(), 'T', out);
                out.push('"');
            }
            Self::Binary(_) | Self::Date(_) | Self::Time(_) | Self::Duration { .. } => {
                out.push('"');
                self.write_text(out);
                out.push('"');
            }
        }
    }
}

fn push(out: &mut String, value: &impl std::fmt::Display) {
    // Writing to a String cannot fail.
    let _ = write!(out, "{value}");
}

/// A JSON string.
pub(super) fn push_json_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => push(out, &format_args!("\\u{:04x}", u32::from(control))),
            plain => out.push(plain),
        }
    }
    out.push('"');
}
