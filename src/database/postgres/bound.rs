//! Values as they are bound: each by the server's own words for it, so that the type of its
//! placeholder reads it, and never as a part of a statement.

use std::error::Error;

use bytes::BytesMut;
use chrono::{DateTime, Datelike as _, NaiveDate};
use tokio_postgres::types::{Format, IsNull, ToSql, Type, to_sql_checked};

use crate::database::Value;

/// A value to bind.
#[derive(Debug)]
pub(super) struct Bound(pub Value);

impl ToSql for Bound {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match words(&self.0)? {
            Some(words) => {
                out.extend_from_slice(words.as_bytes());
                Ok(IsNull::No)
            }
            None => Ok(IsNull::Yes),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}

/// What cannot be written; the value is not in it.
#[derive(Debug, thiserror::Error)]
#[error("a value that has no place in the calendar, or a text with a zero byte")]
struct Unwritable;

fn words(value: &Value) -> Result<Option<String>, Unwritable> {
    Ok(Some(match value {
        Value::Null => return Ok(None),
        Value::Bool(truth) => truth.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) if number.is_nan() => "NaN".to_owned(),
        Value::Float(number) if number.is_infinite() => {
            if *number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
        }
        Value::Float(number) => format!("{number:e}"),
        Value::Decimal { unscaled, scale } => format!("{unscaled}e{}", -i32::from(*scale)),
        Value::Text(text) if text.contains('\0') => return Err(Unwritable),
        Value::Text(text) => text.clone(),
        Value::Date(days) => {
            let day = NaiveDate::from_epoch_days(*days).ok_or(Unwritable)?;
            in_calendar(day.year())?;
            day.format("%Y-%m-%d").to_string()
        }
        Value::Timestamp { micros, utc } => {
            let moment = DateTime::from_timestamp_micros(*micros).ok_or(Unwritable)?;
            in_calendar(moment.year())?;
            let zone = if *utc { "+00" } else { "" };
            format!("{}{zone}", moment.format("%Y-%m-%d %H:%M:%S%.6f"))
        }
        Value::Uuid(bytes) => format!("{:032x}", u128::from_be_bytes(*bytes)),
    }))
}

fn in_calendar(year: i32) -> Result<(), Unwritable> {
    if (1..=9999).contains(&year) { Ok(()) } else { Err(Unwritable) }
}

/// Whether a value can be written at all.
pub(super) fn can_bind(value: &Value) -> bool {
    words(value).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_the_server_reads_them() {
        for (value, expected) in [
            (Value::Null, Some(None)),
            (Value::Integer(i64::MIN), Some(Some("-9223372036854775808"))),
            (Value::Float(0.1), Some(Some("1e-1"))),
            (Value::Float(f64::NEG_INFINITY), Some(Some("-Infinity"))),
            (Value::Decimal { unscaled: -125, scale: 2 }, Some(Some("-125e-2"))),
            (Value::Date(0), Some(Some("1970-01-01"))),
            (Value::Date(i32::MAX), None),
            (
                Value::Timestamp { micros: 1, utc: true },
                Some(Some("1970-01-01 00:00:00.000001+00")),
            ),
            (Value::Text("a'b".into()), Some(Some("a'b"))),
            (Value::Text("a\0b".into()), None),
        ] {
            let expected = expected.map(|words| words.map(str::to_owned));
            assert_eq!(words(&value).ok(), expected, "{value:?}");
        }
    }
}
