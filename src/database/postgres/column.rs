//! Cells as they arrive, into columns.
//!
//! Each cell is a few bytes in the order of the network. What they say goes into a column
//! exactly, or is an error that names the column and never shows the value.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, BooleanBuilder, Date32Builder, Decimal128Builder, Decimal256Builder,
    Float32Builder, Float64Builder, Int16Builder, Int32Builder, Int64Builder, ListArray,
    StringBuilder, Time64MicrosecondBuilder, TimestampMicrosecondBuilder,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, Field};
use arrow::error::ArrowError;

use super::kind::Kind;
use super::numeric;

/// Days from 1970 to 2000, which is where PostgreSQL's calendar begins.
const DAYS: i32 = 10_957;
/// The same in microseconds.
const MICROS: i64 = DAYS as i64 * DAY;
/// Microseconds of a day.
const DAY: i64 = 86_400_000_000;
/// The first and the last day that everything here can show: of the years -4712 and 9999.
const CALENDAR: (i32, i32) = (-2_440_588, 2_932_896);

/// A column in the making.
pub(super) enum Column {
    Bool(BooleanBuilder),
    Int2(Int16Builder),
    Int4(Int32Builder),
    Int8(Int64Builder),
    Oid(Int64Builder),
    Float4(Float32Builder),
    Float8(Float64Builder),
    Decimal(Decimal128Builder, u8, i8),
    WideDecimal(Decimal256Builder, u8, i8),
    Text(StringBuilder),
    Char(StringBuilder),
    Jsonb(StringBuilder),
    Uuid(StringBuilder),
    Interval(StringBuilder),
    Binary(BinaryBuilder),
    Date(Date32Builder),
    Time(Time64MicrosecondBuilder),
    Timestamp(TimestampMicrosecondBuilder),
    List { inner: Box<Column>, item: DataType, ends: Vec<i32>, valid: Vec<bool>, length: i32 },
}

/// Why a cell has no place, after "a value".
type Misfit = String;

impl Column {
    pub(super) fn new(kind: &Kind) -> Self {
        match kind {
            Kind::Bool => Self::Bool(BooleanBuilder::new()),
            Kind::Int2 => Self::Int2(Int16Builder::new()),
            Kind::Int4 => Self::Int4(Int32Builder::new()),
            Kind::Int8 => Self::Int8(Int64Builder::new()),
            Kind::Oid => Self::Oid(Int64Builder::new()),
            Kind::Float4 => Self::Float4(Float32Builder::new()),
            Kind::Float8 => Self::Float8(Float64Builder::new()),
            Kind::Numeric { digits, scale, .. } if *digits <= 38 => Self::Decimal(
                Decimal128Builder::new().with_data_type(kind.data_type()),
                *digits,
                *scale,
            ),
            Kind::Numeric { digits, scale, .. } => Self::WideDecimal(
                Decimal256Builder::new().with_data_type(kind.data_type()),
                *digits,
                *scale,
            ),
            Kind::Text | Kind::Cast => Self::Text(StringBuilder::new()),
            Kind::Char => Self::Char(StringBuilder::new()),
            Kind::Jsonb => Self::Jsonb(StringBuilder::new()),
            Kind::Uuid => Self::Uuid(StringBuilder::new()),
            Kind::Interval => Self::Interval(StringBuilder::new()),
            Kind::Binary => Self::Binary(BinaryBuilder::new()),
            Kind::Date => Self::Date(Date32Builder::new()),
            Kind::Time => Self::Time(Time64MicrosecondBuilder::new()),
            Kind::Timestamp | Kind::TimestampTz => {
                Self::Timestamp(TimestampMicrosecondBuilder::new().with_data_type(kind.data_type()))
            }
            Kind::List(inner) => Self::List {
                item: inner.data_type(),
                inner: Box::new(Self::new(inner)),
                ends: vec![0],
                valid: Vec::new(),
                length: 0,
            },
        }
    }

    /// Adds a NULL.
    pub(super) fn null(&mut self) {
        match self {
            Self::Bool(column) => column.append_null(),
            Self::Int2(column) => column.append_null(),
            Self::Int4(column) => column.append_null(),
            Self::Int8(column) | Self::Oid(column) => column.append_null(),
            Self::Float4(column) => column.append_null(),
            Self::Float8(column) => column.append_null(),
            Self::Decimal(column, ..) => column.append_null(),
            Self::WideDecimal(column, ..) => column.append_null(),
            Self::Text(column)
            | Self::Char(column)
            | Self::Jsonb(column)
            | Self::Uuid(column)
            | Self::Interval(column) => column.append_null(),
            Self::Binary(column) => column.append_null(),
            Self::Date(column) => column.append_null(),
            Self::Time(column) => column.append_null(),
            Self::Timestamp(column) => column.append_null(),
            Self::List { ends, valid, length, .. } => {
                ends.push(*length);
                valid.push(false);
            }
        }
    }

    /// Adds a value.
    pub(super) fn value(&mut self, raw: &[u8]) -> Result<(), Misfit> {
        match self {
            Self::Bool(column) => column.append_value(bytes::<1>(raw)? != [0]),
            Self::Int2(column) => column.append_value(i16::from_be_bytes(bytes(raw)?)),
            Self::Int4(column) => column.append_value(i32::from_be_bytes(bytes(raw)?)),
            Self::Int8(column) => column.append_value(i64::from_be_bytes(bytes(raw)?)),
            Self::Oid(column) => {
                column.append_value(i64::from(u32::from_be_bytes(bytes(raw)?)));
            }
            Self::Float4(column) => column.append_value(f32::from_be_bytes(bytes(raw)?)),
            Self::Float8(column) => column.append_value(f64::from_be_bytes(bytes(raw)?)),
            Self::Decimal(column, digits, scale) => {
                let value = numeric::to_i128(raw, *digits, *scale);
                column.append_value(value.map_err(|misfit| misfit.words().to_owned())?);
            }
            Self::WideDecimal(column, digits, scale) => {
                let value = numeric::to_i256(raw, *digits, *scale);
                column.append_value(value.map_err(|misfit| misfit.words().to_owned())?);
            }
            Self::Text(column) => column.append_value(text(raw)?),
            Self::Char(column) => column.append_value(text(raw.strip_suffix(&[0]).unwrap_or(raw))?),
            Self::Jsonb(column) => match raw.split_first() {
                Some((1, json)) => column.append_value(text(json)?),
                _ => return Err("in a form of jsonb that is not known here".to_owned()),
            },
            Self::Uuid(column) => column.append_value(uuid(bytes(raw)?)),
            Self::Interval(column) => column.append_value(interval(bytes(raw)?)),
            Self::Binary(column) => column.append_value(raw),
            Self::Date(column) => column.append_value(date(i32::from_be_bytes(bytes(raw)?))?),
            Self::Time(column) => match i64::from_be_bytes(bytes(raw)?) {
                micros @ 0..DAY => column.append_value(micros),
                _ => return Err("that is 24:00:00, which is no time of a day here".to_owned()),
            },
            Self::Timestamp(column) => {
                column.append_value(timestamp(i64::from_be_bytes(bytes(raw)?))?);
            }
            Self::List { inner, ends, valid, length, .. } => {
                *length = list(raw, inner)?
                    .checked_add(*length)
                    .ok_or_else(|| "with too many elements".to_owned())?;
                ends.push(*length);
                valid.push(true);
            }
        }
        Ok(())
    }

    /// The column, and an empty one instead.
    pub(super) fn take(&mut self) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Self::Bool(column) => Arc::new(column.finish()),
            Self::Int2(column) => Arc::new(column.finish()),
            Self::Int4(column) => Arc::new(column.finish()),
            Self::Int8(column) | Self::Oid(column) => Arc::new(column.finish()),
            Self::Float4(column) => Arc::new(column.finish()),
            Self::Float8(column) => Arc::new(column.finish()),
            Self::Decimal(column, ..) => Arc::new(column.finish()),
            Self::WideDecimal(column, ..) => Arc::new(column.finish()),
            Self::Text(column)
            | Self::Char(column)
            | Self::Jsonb(column)
            | Self::Uuid(column)
            | Self::Interval(column) => Arc::new(column.finish()),
            Self::Binary(column) => Arc::new(column.finish()),
            Self::Date(column) => Arc::new(column.finish()),
            Self::Time(column) => Arc::new(column.finish()),
            Self::Timestamp(column) => Arc::new(column.finish()),
            Self::List { inner, item, ends, valid, length } => {
                let field = Arc::new(Field::new("item", item.clone(), true));
                let ends = OffsetBuffer::new(std::mem::replace(ends, vec![0]).into());
                *length = 0;
                let valid = NullBuffer::from(std::mem::take(valid));
                Arc::new(ListArray::try_new(field, ends, inner.take()?, Some(valid))?)
            }
        })
    }
}

fn bytes<const N: usize>(raw: &[u8]) -> Result<[u8; N], Misfit> {
    raw.try_into().map_err(|_| "in a form that is not known here".to_owned())
}

fn text(raw: &[u8]) -> Result<&str, Misfit> {
    std::str::from_utf8(raw).map_err(|_| "that is no text in UTF-8".to_owned())
}

fn endless() -> Misfit {
    "that is infinite, or of a year before -4712 or after 9999; leave it out in a view".to_owned()
}

fn date(days: i32) -> Result<i32, Misfit> {
    let days = days.checked_add(DAYS).filter(|days| (CALENDAR.0..=CALENDAR.1).contains(days));
    days.ok_or_else(endless)
}

fn timestamp(micros: i64) -> Result<i64, Misfit> {
    let (first, last) = (i64::from(CALENDAR.0) * DAY, (i64::from(CALENDAR.1) + 1) * DAY);
    let micros = micros.checked_add(MICROS).filter(|micros| (first..last).contains(micros));
    micros.ok_or_else(endless)
}

fn uuid(bytes: [u8; 16]) -> String {
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// As ISO 8601 has it, with a sign at each part: `P1Y2M-3DT4H5M6.7S`.
fn interval(bytes: [u8; 16]) -> String {
    let [a, b, c, d, e, f, g, h, day @ .., i, j, k, l] = bytes;
    let micros = i64::from_be_bytes([a, b, c, d, e, f, g, h]);
    let (days, months) = (i32::from_be_bytes(day), i32::from_be_bytes([i, j, k, l]));
    let mut text = "P".to_owned();
    let mut part = |number: i64, letter: &str| {
        if number != 0 {
            text.push_str(&format!("{number}{letter}"));
        }
    };
    part(i64::from(months / 12), "Y");
    part(i64::from(months % 12), "M");
    part(i64::from(days), "D");
    if micros != 0 {
        text.push('T');
        let mut part = |number: i64, letter: &str| {
            if number != 0 {
                text.push_str(&format!("{number}{letter}"));
            }
        };
        part(micros / 3_600_000_000, "H");
        part(micros / 60_000_000 % 60, "M");
        let below = micros % 60_000_000;
        if below != 0 {
            let sign = if below < 0 { "-" } else { "" };
            let (seconds, rest) = (below.abs() / 1_000_000, below.abs() % 1_000_000);
            let rest = format!("{rest:06}");
            let rest = rest.trim_end_matches('0');
            let point = if rest.is_empty() { "" } else { "." };
            text.push_str(&format!("{sign}{seconds}{point}{rest}S"));
        }
    }
    if text == "P" { "PT0S".to_owned() } else { text }
}

/// Reads an array of one dimension; how many elements it had.
fn list(raw: &[u8], inner: &mut Column) -> Result<i32, Misfit> {
    let broken = || "in a form of array that is not known here".to_owned();
    let take = |from: &mut &[u8]| -> Result<i32, Misfit> {
        let (four, rest) = from.split_first_chunk::<4>().ok_or_else(broken)?;
        *from = rest;
        Ok(i32::from_be_bytes(*four))
    };
    let mut left = raw;
    let dimensions = take(&mut left)?;
    let (_flags, _type) = (take(&mut left)?, take(&mut left)?);
    match dimensions {
        0 => return Ok(0),
        1 => {}
        _ => return Err("that is an array of more than one dimension".to_owned()),
    }
    let (elements, _from) = (take(&mut left)?, take(&mut left)?);
    for _ in 0..elements {
        match usize::try_from(take(&mut left)?) {
            Err(_) => inner.null(),
            Ok(length) => {
                let (element, rest) = left.split_at_checked(length).ok_or_else(broken)?;
                left = rest;
                inner.value(element)?;
            }
        }
    }
    if left.is_empty() { Ok(elements) } else { Err(broken()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_written_as_iso_8601_has_them() {
        for ((months, days, micros), expected) in [
            ((0, 0, 0), "PT0S"),
            ((14, -3, 14_706_700_000), "P1Y2M-3DT4H5M6.7S"),
            ((0, 0, -1), "PT-0.000001S"),
            ((-1, 0, 60_000_000), "P-1MT1M"),
            ((0, 1, 90_000_000_000), "P1DT25H"),
        ] {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&i64::to_be_bytes(micros));
            bytes[8..12].copy_from_slice(&i32::to_be_bytes(days));
            bytes[12..].copy_from_slice(&i32::to_be_bytes(months));
            assert_eq!(interval(bytes), expected);
        }
    }

    #[test]
    fn a_calendar_has_ends() {
        assert_eq!(date(0), Ok(DAYS));
        assert!(date(i32::MAX).is_err() && date(i32::MIN).is_err());
        assert_eq!(timestamp(0), Ok(946_684_800_000_000));
        assert!(timestamp(i64::MAX).is_err() && timestamp(i64::MIN).is_err());
    }
}
