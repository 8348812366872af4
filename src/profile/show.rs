//! How a value is shown in JSON: exactly, and never as something JSON lacks.

use arrow::datatypes::{DataType, TimeUnit, i256};
use chrono::{DateTime, NaiveDate, TimeDelta};
use serde_json::{Value, json};

use crate::json_integer::json_integer;

/// A longer text is cut.
const TEXT_CHARS: usize = 200;

/// JSON has no infinity.
pub(super) fn finite(value: f64) -> Value {
    match value {
        f64::INFINITY => json!("inf"),
        f64::NEG_INFINITY => json!("-inf"),
        _ => json!(value),
    }
}

/// A text, cut if it is long.
pub(super) fn cut(text: &str) -> Value {
    match text.char_indices().nth(TEXT_CHARS) {
        Some((at, _)) => json!(format!("{}…", &text[..at])),
        None => json!(text),
    }
}

/// A decimal as written: exact, unlike any number in JSON.
pub(super) fn decimal(value: i256, scale: i8) -> String {
    let digits = value.to_string();
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits.to_owned()),
        None => ("", digits),
    };
    let places = usize::from(scale.unsigned_abs());
    if scale < 0 {
        return format!("{sign}{digits}{}", "0".repeat(places));
    }
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let dot = if places > 0 { "." } else { "" };
    format!("{sign}{whole}{dot}{fraction}")
}

/// A whole number, or the date or time it stands for.
pub(super) fn whole(value: i64, data_type: &DataType) -> Value {
    let text = match data_type {
        DataType::Date32 => DateTime::UNIX_EPOCH
            .checked_add_signed(TimeDelta::try_days(value).unwrap_or(TimeDelta::MAX))
            .map(|t| day(t.date_naive())),
        DataType::Date64 => DateTime::from_timestamp_millis(value).map(|t| day(t.date_naive())),
        DataType::Timestamp(unit, zone) => moment(value, *unit).map(|t| {
            let utc = if zone.is_some() { "Z" } else { "" };
            format!("{}T{}{utc}", day(t.date_naive()), t.format("%H:%M:%S%.f"))
        }),
        DataType::Time32(unit) | DataType::Time64(unit) => {
            moment(value, *unit).map(|t| t.format("%H:%M:%S%.f").to_string())
        }
        DataType::Duration(unit) => Some(format!("{value} {}", unit_name(*unit))),
        _ => None,
    };
    // A moment no calendar has: the bare number is still the truth.
    text.map_or_else(|| json_integer(value), Value::String)
}

fn day(date: NaiveDate) -> String {
    date.format("%Y-%m-%d").to_string()
}

fn moment(value: i64, unit: TimeUnit) -> Option<DateTime<chrono::Utc>> {
    match unit {
        TimeUnit::Second => DateTime::from_timestamp_secs(value),
        TimeUnit::Millisecond => DateTime::from_timestamp_millis(value),
        TimeUnit::Microsecond => DateTime::from_timestamp_micros(value),
        TimeUnit::Nanosecond => Some(DateTime::from_timestamp_nanos(value)),
    }
}

fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}
