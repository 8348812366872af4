//! The statement of a scan: names in backquotes, values bound.
//!
//! A part of the condition goes to the server only if the server is certain to let pass what
//! the engine would, or more. How it compares:
//! - whole numbers, decimals, dates and moments exactly, if the value is bound as one of
//!   these (a decimal is cast: bound as text it would be compared as a float);
//! - texts under a collation, in which texts of the same letters are equal and others may
//!   be: `=` lets more pass, `<` and `<>` could let fewer pass and stay here;
//! - floats of 64 bits exactly; of 32 not as one would think.

use mysql_async::Value as Bound;

use super::catalog::Column;
use super::kind::Kind;
use crate::database::{Comparison, Predicate, Scan, TableName, Value};

/// A statement and what is bound to its placeholders.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Written {
    pub(super) sql: String,
    pub(super) bound: Vec<Bound>,
}

/// What the server lets pass of what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// That.
    Exactly,
    /// That and more.
    More,
}

/// Values of one `IN`, at most.
const VALUES: usize = 1000;

/// A name in backquotes.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A table's whole name.
pub(super) fn quoted_table(table: &TableName) -> String {
    format!("{}.{}", quoted(&table.schema), quoted(&table.table))
}

/// The rows of a scan, or their number if it wants no column.
pub(super) fn scan(scan: &Scan, columns: &[Column], limit: u64) -> Written {
    let mut written = Written::default();
    let counts = scan.columns.is_empty();
    let list = if counts {
        "1".to_owned()
    } else {
        scan.columns.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
    };
    written.sql = format!("SELECT {list} FROM {}", quoted_table(&scan.table));
    if let Some((condition, _)) = scan.filter.as_ref().and_then(|filter| condition(filter, columns))
    {
        written.sql.push_str(" WHERE ");
        written.sql.push_str(&condition.sql);
        written.bound = condition.bound;
    }
    // Of a number of rows there is one row, so that the budget is no reason to stop counting.
    let limit = if counts { scan.limit } else { Some(limit) };
    if let Some(limit) = limit {
        written.sql.push_str(&format!(" LIMIT {limit}"));
    }
    if counts {
        written.sql = format!("SELECT COUNT(*) AS n FROM ({}) AS counted", written.sql);
    }
    written
}

/// A condition as the server can take it; nothing if it is to stay here.
pub(super) fn condition(predicate: &Predicate, columns: &[Column]) -> Option<(Written, Fit)> {
    match predicate {
        Predicate::Compare { column, comparison, value } => {
            let (kind, texts) = comparable(column, columns)?;
            let (place, bound, fit) = bound(kind, texts, value)?;
            if fit == Fit::More && *comparison != Comparison::Equal {
                return None;
            }
            let sql = format!("{} {} {place}", quoted(column), comparison);
            Some((Written { sql, bound: vec![bound] }, fit))
        }
        Predicate::In { column, values } => within(column, values, columns),
        Predicate::Null { column, is } => {
            let column = columns.iter().find(|known| known.name == *column)?;
            // `IS NULL` is also true of a zero date there.
            let fit = match column.kind {
                Ok(Kind::Date | Kind::DateTime | Kind::Timestamp) => Fit::More,
                _ => Fit::Exactly,
            };
            let sql = format!("{} IS {}NULL", quoted(&column.name), if *is { "" } else { "NOT " });
            Some((Written { sql, bound: Vec::new() }, fit))
        }
        Predicate::And(parts) => {
            let known: Vec<_> = parts.iter().map(|part| condition(part, columns)).collect();
            let complete = known.iter().all(Option::is_some);
            let (written, fit) = joined(known.into_iter().flatten().collect(), " AND ")?;
            Some((written, if complete { fit } else { Fit::More }))
        }
        Predicate::Or(parts) => {
            let all: Option<Vec<_>> = parts.iter().map(|part| condition(part, columns)).collect();
            joined(all?, " OR ")
        }
    }
}

fn joined(parts: Vec<(Written, Fit)>, with: &str) -> Option<(Written, Fit)> {
    if parts.is_empty() {
        return None;
    }
    let exact = parts.iter().all(|(_, fit)| *fit == Fit::Exactly);
    let sql = parts.iter().map(|(part, _)| part.sql.as_str()).collect::<Vec<_>>().join(with);
    let bound = parts.into_iter().flat_map(|(part, _)| part.bound).collect();
    let fit = if exact { Fit::Exactly } else { Fit::More };
    Some((Written { sql: format!("({sql})"), bound }, fit))
}

fn within(column: &str, values: &[Value], columns: &[Column]) -> Option<(Written, Fit)> {
    if values.is_empty() || values.len() > VALUES {
        return None;
    }
    let (kind, texts) = comparable(column, columns)?;
    let all: Option<Vec<_>> = values.iter().map(|value| bound(kind, texts, value)).collect();
    let all = all?;
    let exact = all.iter().all(|(_, _, fit)| *fit == Fit::Exactly);
    let places = all.iter().map(|(place, ..)| place.as_str()).collect::<Vec<_>>().join(", ");
    let sql = format!("{} IN ({places})", quoted(column));
    let bound = all.into_iter().map(|(_, bound, _)| bound).collect();
    Some((Written { sql, bound }, if exact { Fit::Exactly } else { Fit::More }))
}

fn comparable(name: &str, columns: &[Column]) -> Option<(Kind, bool)> {
    let column = columns.iter().find(|column| column.name == name)?;
    Some((column.kind.clone().ok()?, column.compares_texts()))
}

/// A value, and the place that it is bound to, if the server compares it with such a column
/// as the engine does or lets more pass.
fn bound(kind: Kind, texts: bool, value: &Value) -> Option<(String, Bound, Fit)> {
    let place = "?".to_owned();
    match (kind, value) {
        (Kind::Decimal(..), Value::Integer(number)) => {
            Some((place, Bound::Int(*number), Fit::Exactly))
        }
        (kind, Value::Integer(number)) if kind.is_integer() => {
            Some((place, Bound::Int(*number), Fit::Exactly))
        }
        (Kind::Decimal(..), Value::Decimal { unscaled, scale }) => {
            let (cast, text) = decimal(*unscaled, *scale)?;
            Some((cast, Bound::Bytes(text.into_bytes()), Fit::Exactly))
        }
        (kind, Value::Decimal { unscaled, scale }) if kind.is_integer() => {
            let (cast, text) = decimal(*unscaled, *scale)?;
            Some((cast, Bound::Bytes(text.into_bytes()), Fit::Exactly))
        }
        (Kind::Float64, Value::Float(number)) if number.is_finite() => {
            Some((place, Bound::Double(*number), Fit::Exactly))
        }
        (Kind::Date, Value::Date(days)) => {
            Some(("CAST(? AS DATE)".to_owned(), date_text(*days)?, Fit::Exactly))
        }
        (Kind::DateTime, Value::Timestamp { micros, utc: false })
        | (Kind::Timestamp, Value::Timestamp { micros, utc: true }) => {
            Some(("CAST(? AS DATETIME(6))".to_owned(), moment_text(*micros)?, Fit::Exactly))
        }
        (Kind::Text, Value::Text(text)) if texts => {
            Some((place, Bound::Bytes(text.clone().into_bytes()), Fit::More))
        }
        _ => None,
    }
}

/// An argument of a declared statement, as the server takes it there. Nothing: it cannot.
pub(super) fn argument(value: &Value) -> Option<Bound> {
    Some(match value {
        Value::Null => Bound::NULL,
        Value::Bool(truth) => Bound::Int(i64::from(*truth)),
        Value::Integer(number) => Bound::Int(*number),
        Value::Float(number) => Bound::Double(*number),
        Value::Decimal { unscaled, scale } => Bound::Bytes(decimal(*unscaled, *scale)?.1.into()),
        Value::Text(text) => Bound::Bytes(text.clone().into_bytes()),
        Value::Date(days) => date_text(*days)?,
        Value::Timestamp { micros, .. } => moment_text(*micros)?,
        Value::Uuid(bytes) => Bound::Bytes(uuid(bytes).into_bytes()),
    })
}

fn uuid(bytes: &[u8; 16]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let cut = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    cut.join("-")
}

fn date_text(days: i32) -> Option<Bound> {
    let (year, month, day, ..) = calendar(i64::from(days).checked_mul(86_400_000_000)?)?;
    Some(Bound::Bytes(format!("{year:04}-{month:02}-{day:02}").into_bytes()))
}

fn moment_text(micros: i64) -> Option<Bound> {
    let (year, month, day, hour, minute, second, part) = calendar(micros)?;
    let text = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{part:06}");
    Some(Bound::Bytes(text.into_bytes()))
}

/// A decimal as a cast of its text. The server casts up to 65 digits and 30 behind the point.
fn decimal(unscaled: i128, scale: i8) -> Option<(String, String)> {
    let scale = u32::try_from(scale).ok().filter(|scale| *scale <= 30)?;
    let sign = if unscaled < 0 { "-" } else { "" };
    let digits = format!("{:0>1$}", unscaled.unsigned_abs(), scale as usize + 1);
    let (whole, part) = digits.split_at(digits.len() - scale as usize);
    let point = if scale == 0 { "" } else { "." };
    let cast = format!("CAST(? AS DECIMAL(65, {scale}))");
    Some((cast, format!("{sign}{whole}{point}{part}")))
}

/// A moment in the years that the server knows.
fn calendar(micros: i64) -> Option<(i32, u32, u32, u32, u32, u32, u32)> {
    use chrono::{DateTime, Datelike, Timelike};
    let moment = DateTime::from_timestamp_micros(micros)?.naive_utc();
    let year = moment.year();
    (1..=9999).contains(&year).then(|| {
        let part = moment.nanosecond() / 1000;
        (year, moment.month(), moment.day(), moment.hour(), moment.minute(), moment.second(), part)
    })
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
