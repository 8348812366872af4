//! A column's values as they arrive, into an array.
//!
//! Every value is checked for what its column is said to be: a server that sends something
//! else is an error, and nothing is cast.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, Date32Builder, Decimal128Builder, Decimal256Builder, Float32Builder,
    Float64Builder, Int8Builder, Int16Builder, Int32Builder, Int64Builder, StringBuilder,
    Time64MicrosecondBuilder, TimestampMicrosecondBuilder, UInt8Builder, UInt16Builder,
    UInt32Builder, UInt64Builder,
};
use arrow::datatypes::i256;
use chrono::{Datelike, NaiveDate};
use mysql_async::Value;

use super::kind::Kind;

/// Why a value is refused, in words, and what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bad {
    pub(super) what: &'static str,
    pub(super) next: &'static str,
}

const CHANGED: Bad = Bad {
    what: "has values of another type than the server says",
    next: "look at the table again and repeat the call",
};
const ZERO_DATE: Bad = Bad {
    what: "has a date with a month or a day of zero, such as 0000-00-00, which is no date",
    next: "leave the column out, exclude these rows, or read a view that makes them NULL: \
           NULLIF(column, '0000-00-00')",
};
const LONG_TIME: Bad = Bad {
    what: "has a time below zero or over 24 hours, which is a duration and no time of day",
    next: "leave the column out, or read a view that gives it as a number: TIME_TO_SEC(column)",
};
const NOT_UTF8: Bad = Bad {
    what: "has a text that is not valid UTF-8",
    next: "leave the column out, or read a view that gives it as bytes: CAST(column AS BINARY)",
};
const DIGITS: Bad = Bad {
    what: "has a number with more digits than the server says",
    next: "read a view that rounds it, or CAST it to a wider decimal",
};

const DAY_MICROS: i64 = 86_400_000_000;

/// The values of one column.
#[derive(Debug)]
pub(super) enum Cells {
    Int8(Int8Builder),
    Int16(Int16Builder),
    Int32(Int32Builder),
    Int64(Int64Builder),
    UInt8(UInt8Builder),
    UInt16(UInt16Builder),
    UInt32(UInt32Builder),
    UInt64(UInt64Builder),
    Float32(Float32Builder),
    Float64(Float64Builder),
    Decimal128(Decimal128Builder, i8),
    Decimal256(Decimal256Builder, i8),
    Date(Date32Builder),
    Moment(TimestampMicrosecondBuilder),
    Time(Time64MicrosecondBuilder),
    Bit(UInt64Builder),
    Text(StringBuilder),
    Binary(BinaryBuilder),
}

/// Does the same with the builder, whichever it is.
macro_rules! each {
    ($cells:expr, $builder:ident => $do:expr) => {
        match $cells {
            Cells::Int8($builder) => $do,
            Cells::Int16($builder) => $do,
            Cells::Int32($builder) => $do,
            Cells::Int64($builder) => $do,
            Cells::UInt8($builder) => $do,
            Cells::UInt16($builder) => $do,
            Cells::UInt32($builder) => $do,
            Cells::UInt64($builder) | Cells::Bit($builder) => $do,
            Cells::Float32($builder) => $do,
            Cells::Float64($builder) => $do,
            Cells::Decimal128($builder, _) => $do,
            Cells::Decimal256($builder, _) => $do,
            Cells::Date($builder) => $do,
            Cells::Moment($builder) => $do,
            Cells::Time($builder) => $do,
            Cells::Text($builder) => $do,
            Cells::Binary($builder) => $do,
        }
    };
}

/// Appends a whole number if it fits.
macro_rules! whole {
    ($builder:expr, $value:expr) => {
        $builder.append_value(match $value {
            Value::Int(number) => number.try_into().map_err(|_| CHANGED)?,
            Value::UInt(number) => number.try_into().map_err(|_| CHANGED)?,
            _ => return Err(CHANGED),
        })
    };
}

impl Cells {
    /// None yet.
    pub(super) fn new(kind: Kind) -> Self {
        let data_type = kind.data_type();
        match kind {
            Kind::Int8 => Self::Int8(Int8Builder::new()),
            Kind::Int16 | Kind::Year => Self::Int16(Int16Builder::new()),
            Kind::Int32 => Self::Int32(Int32Builder::new()),
            Kind::Int64 => Self::Int64(Int64Builder::new()),
            Kind::UInt8 => Self::UInt8(UInt8Builder::new()),
            Kind::UInt16 => Self::UInt16(UInt16Builder::new()),
            Kind::UInt32 => Self::UInt32(UInt32Builder::new()),
            Kind::UInt64 => Self::UInt64(UInt64Builder::new()),
            Kind::Bit => Self::Bit(UInt64Builder::new()),
            Kind::Float32 => Self::Float32(Float32Builder::new()),
            Kind::Float64 => Self::Float64(Float64Builder::new()),
            Kind::Decimal(digits, scale) if digits <= 38 => {
                Self::Decimal128(Decimal128Builder::new().with_data_type(data_type), scale)
            }
            Kind::Decimal(_, scale) => {
                Self::Decimal256(Decimal256Builder::new().with_data_type(data_type), scale)
            }
            Kind::Date => Self::Date(Date32Builder::new()),
            Kind::DateTime | Kind::Timestamp => {
                Self::Moment(TimestampMicrosecondBuilder::new().with_data_type(data_type))
            }
            Kind::Time => Self::Time(Time64MicrosecondBuilder::new()),
            Kind::Text => Self::Text(StringBuilder::new()),
            Kind::Binary => Self::Binary(BinaryBuilder::new()),
        }
    }

    /// One more.
    pub(super) fn push(&mut self, value: Value) -> Result<(), Bad> {
        if value == Value::NULL {
            each!(self, builder => builder.append_null());
            return Ok(());
        }
        match self {
            Self::Int8(builder) => whole!(builder, value),
            Self::Int16(builder) => whole!(builder, value),
            Self::Int32(builder) => whole!(builder, value),
            Self::Int64(builder) => whole!(builder, value),
            Self::UInt8(builder) => whole!(builder, value),
            Self::UInt16(builder) => whole!(builder, value),
            Self::UInt32(builder) => whole!(builder, value),
            Self::UInt64(builder) => whole!(builder, value),
            Self::Bit(builder) => builder.append_value(bits(&bytes(value)?)?),
            Self::Float32(builder) => match value {
                Value::Float(number) => builder.append_value(number),
                _ => return Err(CHANGED),
            },
            Self::Float64(builder) => match value {
                Value::Double(number) => builder.append_value(number),
                _ => return Err(CHANGED),
            },
            Self::Decimal128(builder, scale) => {
                let digits = digits(&bytes(value)?, *scale)?;
                builder.append_value(digits.parse::<i128>().map_err(|_| DIGITS)?);
            }
            Self::Decimal256(builder, scale) => {
                let digits = digits(&bytes(value)?, *scale)?;
                builder.append_value(i256::from_string(&digits).ok_or(DIGITS)?);
            }
            Self::Date(builder) => builder.append_value(days(&value)?),
            Self::Moment(builder) => builder.append_value(moment(&value)?),
            Self::Time(builder) => builder.append_value(time_of_day(&value)?),
            Self::Text(builder) => {
                builder.append_value(std::str::from_utf8(&bytes(value)?).map_err(|_| NOT_UTF8)?);
            }
            Self::Binary(builder) => builder.append_value(bytes(value)?),
        }
        Ok(())
    }

    /// What has arrived, as an array; none then.
    pub(super) fn take(&mut self) -> ArrayRef {
        each!(self, builder => Arc::new(builder.finish()))
    }
}

/// What a value took on its way.
pub(super) fn size(value: &Value) -> u64 {
    match value {
        Value::NULL => 1,
        Value::Bytes(bytes) => bytes.len() as u64,
        _ => 8,
    }
}

fn bytes(value: Value) -> Result<Vec<u8>, Bad> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        _ => Err(CHANGED),
    }
}

/// Up to 64 bits, the highest first.
fn bits(bytes: &[u8]) -> Result<u64, Bad> {
    if bytes.len() > 8 {
        return Err(CHANGED);
    }
    Ok(bytes.iter().fold(0, |number, byte| (number << 8) | u64::from(*byte)))
}

/// The digits of a decimal's text without its point, as many behind it as `scale` says.
fn digits(text: &[u8], scale: i8) -> Result<String, Bad> {
    let text = std::str::from_utf8(text).map_err(|_| CHANGED)?;
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let scale = usize::try_from(scale).map_err(|_| CHANGED)?;
    let missing = scale.checked_sub(part.len()).ok_or(DIGITS)?;
    Ok(format!("{whole}{part}{}", "0".repeat(missing)))
}

fn date(value: &Value) -> Result<NaiveDate, Bad> {
    let Value::Date(year, month, day, ..) = value else {
        return Err(CHANGED);
    };
    NaiveDate::from_ymd_opt(i32::from(*year), u32::from(*month), u32::from(*day)).ok_or(ZERO_DATE)
}

/// The day on which counting begins, counted as chrono does.
const EPOCH: i32 = 719_163;

fn days(value: &Value) -> Result<i32, Bad> {
    Ok(date(value)?.num_days_from_ce() - EPOCH)
}

fn moment(value: &Value) -> Result<i64, Bad> {
    let days = i64::from(days(value)?);
    let Value::Date(_, _, _, hour, minute, second, micros) = value else {
        return Err(CHANGED);
    };
    Ok(days * DAY_MICROS + clock(i64::from(*hour), *minute, *second, *micros))
}

fn time_of_day(value: &Value) -> Result<i64, Bad> {
    let Value::Time(negative, days, hours, minutes, seconds, micros) = value else {
        return Err(CHANGED);
    };
    let micros = clock(i64::from(*days) * 24 + i64::from(*hours), *minutes, *seconds, *micros);
    if (*negative && micros != 0) || micros >= DAY_MICROS {
        return Err(LONG_TIME);
    }
    Ok(micros)
}

fn clock(hours: i64, minutes: u8, seconds: u8, micros: u32) -> i64 {
    ((hours * 60 + i64::from(minutes)) * 60 + i64::from(seconds)) * 1_000_000 + i64::from(micros)
}

#[cfg(test)]
mod tests {
    use arrow::util::display::array_value_to_string;

    use super::*;

    fn shown(kind: Kind, value: Value) -> Result<String, Bad> {
        let mut cells = Cells::new(kind);
        cells.push(value)?;
        Ok(array_value_to_string(&cells.take(), 0).unwrap())
    }

    #[test]
    fn values_stay_what_they_are() {
        let text = |text: &str| Value::Bytes(text.as_bytes().to_vec());
        for (kind, value, expected) in [
            (Kind::UInt64, Value::UInt(u64::MAX), "18446744073709551615"),
            (Kind::Int8, Value::Int(-128), "-128"),
            (Kind::Decimal(10, 2), text("-12345678.90"), "-12345678.90"),
            (Kind::Decimal(10, 2), text("-0.05"), "-0.05"),
            (
                Kind::Decimal(65, 30),
                text("1.000000000000000000000000000001"),
                "1.000000000000000000000000000001",
            ),
            (Kind::Bit, Value::Bytes(vec![1, 0]), "256"),
            (Kind::Date, Value::Date(1, 1, 1, 0, 0, 0, 0), "0001-01-01"),
            (
                Kind::DateTime,
                Value::Date(1969, 12, 31, 23, 59, 59, 999_999),
                "1969-12-31T23:59:59.999999",
            ),
            (Kind::Timestamp, Value::Date(2038, 1, 19, 3, 14, 7, 0), "2038-01-19T03:14:07Z"),
            (Kind::Time, Value::Time(false, 0, 23, 59, 59, 1), "23:59:59.000001"),
            (Kind::Text, text("Zoë"), "Zoë"),
            (Kind::Int64, Value::NULL, ""),
        ] {
            assert_eq!(shown(kind, value).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn what_would_become_another_value_is_refused() {
        for (kind, value, expected) in [
            (Kind::Date, Value::Date(0, 0, 0, 0, 0, 0, 0), ZERO_DATE),
            (Kind::DateTime, Value::Date(2024, 2, 0, 0, 0, 0, 0), ZERO_DATE),
            (Kind::Time, Value::Time(true, 0, 1, 0, 0, 0), LONG_TIME),
            (Kind::Time, Value::Time(false, 1, 0, 0, 0, 0), LONG_TIME),
            (Kind::Int8, Value::Int(128), CHANGED),
            (Kind::Int64, Value::Bytes(b"1".to_vec()), CHANGED),
            (Kind::Decimal(4, 1), Value::Bytes(b"1.25".to_vec()), DIGITS),
            (Kind::Text, Value::Bytes(vec![0xff]), NOT_UTF8),
        ] {
            assert_eq!(shown(kind, value), Err(expected));
        }
    }
}
