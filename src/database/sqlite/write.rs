//! The statement of a scan: names in double quotes, values bound.
//!
//! SQLite compares values by their own types, not by the column's. What the values of a
//! column are is known, so a part goes to SQLite if its value is of that type too: whole
//! numbers, finite floats and texts, the latter letter by letter (`COLLATE BINARY`), whatever
//! the column's own order is. Texts of a database in UTF-16 are in another order than here,
//! and only compared for being equal.

use rusqlite::types::Value as Bound;

use super::classes::{Class, EXACT};
use super::shape::Known;
use crate::database::{Comparison, Predicate, Scan, Value};

/// A statement and what is bound to its placeholders.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Written {
    pub(super) sql: String,
    pub(super) bound: Vec<Bound>,
}

/// Values of one `IN`, at most.
const VALUES: usize = 1000;

/// A name in double quotes.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The rows of a scan, or their number if it wants no column.
pub(super) fn scan(scan: &Scan, known: &Known, limit: u64) -> Written {
    let counts = scan.columns.is_empty();
    let list = if counts {
        "1".to_owned()
    } else {
        scan.columns.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
    };
    let mut sql = format!("SELECT {list} FROM main.{}", quoted(&scan.table.table));
    let mut bound = Vec::new();
    if let Some(condition) = scan.filter.as_ref().and_then(|filter| condition(filter, known)) {
        sql.push_str(" WHERE ");
        sql.push_str(&condition.written.sql);
        bound = condition.written.bound;
    }
    let limit = if counts { scan.limit } else { Some(limit) };
    if let Some(limit) = limit {
        sql.push_str(&format!(" LIMIT {limit}"));
    }
    if counts {
        sql = format!("SELECT count(*) FROM ({sql})");
    }
    Written { sql, bound }
}

/// A condition, and whether nothing of it was left out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition {
    pub(super) written: Written,
    pub(super) whole: bool,
}

/// A condition as SQLite can take it; nothing if it is to stay here.
pub(super) fn condition(predicate: &Predicate, known: &Known) -> Option<Condition> {
    let whole =
        |sql: String, bound| Some(Condition { written: Written { sql, bound }, whole: true });
    match predicate {
        Predicate::Compare { column, comparison, value } => {
            let class = known.class(column)?;
            let order = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
            if order && class == Class::Text && !known.is_utf8 {
                return None;
            }
            let bound = bound(class, value)?;
            whole(format!("{} {} ?", compared(column, class, known), comparison), vec![bound])
        }
        Predicate::In { column, values } => {
            let class = known.class(column)?;
            if values.is_empty() || values.len() > VALUES {
                return None;
            }
            let bound: Option<Vec<_>> = values.iter().map(|value| bound(class, value)).collect();
            let places = vec!["?"; values.len()].join(", ");
            whole(format!("{} IN ({places})", compared(column, class, known)), bound?)
        }
        Predicate::Null { column, is } => {
            known.class(column)?;
            let not = if *is { "" } else { "NOT " };
            whole(format!("{} IS {not}NULL", quoted(column)), Vec::new())
        }
        Predicate::And(parts) => {
            let found: Vec<_> = parts.iter().map(|part| condition(part, known)).collect();
            let complete = found.iter().all(Option::is_some);
            let mut joined = joined(found.into_iter().flatten().collect(), " AND ")?;
            joined.whole &= complete;
            Some(joined)
        }
        Predicate::Or(parts) => {
            let all: Option<Vec<_>> = parts.iter().map(|part| condition(part, known)).collect();
            joined(all?, " OR ")
        }
    }
}

fn joined(parts: Vec<Condition>, with: &str) -> Option<Condition> {
    if parts.is_empty() {
        return None;
    }
    let whole = parts.iter().all(|part| part.whole);
    let sql = parts.iter().map(|part| part.written.sql.as_str()).collect::<Vec<_>>().join(with);
    let bound = parts.into_iter().flat_map(|part| part.written.bound).collect();
    Some(Condition { written: Written { sql: format!("({sql})"), bound }, whole })
}

/// A column, so that no value is taken for one of another type before it is compared. Texts
/// in a column that is declared as one of numbers need a sign before it for that, which no
/// index survives; all others are compared as they are.
fn compared(column: &str, class: Class, known: &Known) -> String {
    match class {
        Class::Text if known.is_declared_text(column) => {
            format!("{} COLLATE BINARY", quoted(column))
        }
        Class::Text => format!("+{} COLLATE BINARY", quoted(column)),
        _ => quoted(column),
    }
}

fn bound(class: Class, value: &Value) -> Option<Bound> {
    match (class, value) {
        (Class::Integer, Value::Integer(number)) => Some(Bound::Integer(*number)),
        (Class::Real, Value::Integer(number)) if (-EXACT..=EXACT).contains(number) => {
            Some(Bound::Integer(*number))
        }
        (Class::Real, Value::Float(number)) if number.is_finite() => Some(Bound::Real(*number)),
        // SQLite's texts may hold one, and its functions stop there.
        (Class::Text, Value::Text(text)) if !text.contains('\0') => Some(Bound::Text(text.clone())),
        _ => None,
    }
}

/// An argument of a declared statement. Nothing: SQLite cannot hold it exactly.
pub(super) fn argument(value: &Value) -> Option<Bound> {
    Some(match value {
        Value::Null => Bound::Null,
        Value::Bool(truth) => Bound::Integer(i64::from(*truth)),
        Value::Integer(number) => Bound::Integer(*number),
        Value::Float(number) if number.is_nan() => return None,
        Value::Float(number) => Bound::Real(*number),
        Value::Decimal { unscaled, scale: 0 } => Bound::Integer(i64::try_from(*unscaled).ok()?),
        Value::Decimal { .. } => return None,
        Value::Text(text) => Bound::Text(text.clone()),
        Value::Date(days) => {
            let moment = moment(i64::from(*days).checked_mul(86_400_000_000)?)?;
            Bound::Text(moment.format("%Y-%m-%d").to_string())
        }
        Value::Timestamp { micros, .. } => {
            Bound::Text(moment(*micros)?.format("%Y-%m-%d %H:%M:%S%.6f").to_string())
        }
        Value::Uuid(bytes) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let cut = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
            Bound::Text(cut.join("-"))
        }
    })
}

fn moment(micros: i64) -> Option<chrono::NaiveDateTime> {
    use chrono::Datelike;
    let moment = chrono::DateTime::from_timestamp_micros(micros)?.naive_utc();
    (0..=9999).contains(&moment.year()).then_some(moment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::TableName;

    fn known(is_utf8: bool) -> Known {
        Known::of_tests(
            &[("id", Class::Integer), ("x", Class::Real), ("n\"m", Class::Text)],
            is_utf8,
        )
    }

    fn compare(column: &str, comparison: Comparison, value: Value) -> Predicate {
        Predicate::Compare { column: column.to_owned(), comparison, value }
    }

    #[test]
    fn names_are_quoted_and_values_bound() {
        let asked = Scan {
            table: TableName { schema: "main".to_owned(), table: "t\"; --".to_owned() },
            columns: vec!["id".to_owned(), "n\"m".to_owned()],
            filter: Some(Predicate::Or(vec![
                compare("n\"m", Comparison::Less, Value::Text("b".to_owned())),
                Predicate::Null { column: "x".to_owned(), is: true },
            ])),
            limit: None,
        };
        let written = scan(&asked, &known(true), 5);
        assert_eq!(
            written.sql,
            "SELECT \"id\", \"n\"\"m\" FROM main.\"t\"\"; --\" \
             WHERE (+\"n\"\"m\" COLLATE BINARY < ? OR \"x\" IS NULL) LIMIT 5"
        );
        assert_eq!(written.bound, [Bound::Text("b".to_owned())]);
    }

    #[test]
    fn what_is_compared_otherwise_stays_here() {
        let text = || Value::Text("b".to_owned());
        for (predicate, utf8) in [
            (compare("n\"m", Comparison::Less, text()), false),
            (compare("id", Comparison::Equal, text()), true),
            (compare("id", Comparison::Less, Value::Float(0.5)), true),
            (compare("x", Comparison::Equal, Value::Integer(EXACT + 1)), true),
            (compare("x", Comparison::Less, Value::Float(f64::NAN)), true),
            (compare("gone", Comparison::Equal, Value::Integer(1)), true),
        ] {
            assert_eq!(condition(&predicate, &known(utf8)), None, "{predicate:?}");
        }
        let equal = compare("n\"m", Comparison::Equal, text());
        assert!(condition(&equal, &known(false)).is_some());
    }
}
