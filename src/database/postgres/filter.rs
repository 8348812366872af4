//! A condition in the server's words, as far as they mean no less there than here.
//!
//! A part is left out where the server could pass fewer rows than the room's engine would:
//! texts in an order (a collation's), `<>` of texts (a collation may take two for one),
//! `char(n)` (blanks at the end), and values in forms that are not known here. What is left
//! out of an AND passes more; an OR of which one part is left out is left out whole.

use super::bound::{Bound, can_bind};
use super::kind::Kind;
use super::shape::{Equality, Readable, quoted};
use crate::database::{Comparison, Predicate, Value};

/// A condition, and the values of its placeholders.
#[derive(Debug, Default)]
pub(super) struct Filter {
    /// What follows `WHERE`; nothing if empty.
    pub sql: String,
    pub values: Vec<Bound>,
}

impl Filter {
    /// The condition as far as it goes to the server.
    pub(super) fn of(predicate: Option<&Predicate>, columns: &[Readable]) -> Self {
        let mut filter = Self::default();
        if let Some(sql) = predicate.and_then(|predicate| filter.part(predicate, columns)) {
            filter.sql = sql;
        }
        filter
    }

    fn part(&mut self, predicate: &Predicate, columns: &[Readable]) -> Option<String> {
        let column = |name: &str| columns.iter().find(|column| column.name == name);
        match predicate {
            Predicate::Null { column: name, is } => {
                let name = quoted(&column(name)?.name);
                Some(format!("({name} IS {}NULL)", if *is { "" } else { "NOT " }))
            }
            Predicate::Compare { column: name, comparison, value } => {
                let operand = operand(column(name)?, value, *comparison)?;
                let placeholder = self.bind(value, operand.cast);
                Some(format!("({} {} {placeholder})", operand.left, comparison))
            }
            Predicate::In { column: name, values } => {
                let column = column(name)?;
                let operands = values
                    .iter()
                    .map(|value| operand(column, value, Comparison::Equal))
                    .collect::<Option<Vec<_>>>()?;
                let left = operands.first()?.left.clone();
                let all = operands.iter().zip(values);
                let listed: Vec<String> =
                    all.map(|(operand, value)| self.bind(value, operand.cast)).collect();
                Some(format!("({left} IN ({}))", listed.join(", ")))
            }
            Predicate::And(parts) => {
                let parts: Vec<String> =
                    parts.iter().filter_map(|part| self.part(part, columns)).collect();
                (!parts.is_empty()).then(|| format!("({})", parts.join(" AND ")))
            }
            Predicate::Or(parts) => {
                let bound = self.values.len();
                let all: Option<Vec<String>> =
                    parts.iter().map(|part| self.part(part, columns)).collect();
                match all {
                    Some(all) if !all.is_empty() => Some(format!("({})", all.join(" OR "))),
                    _ => {
                        self.values.truncate(bound);
                        None
                    }
                }
            }
        }
    }

    fn bind(&mut self, value: &Value, cast: &str) -> String {
        self.values.push(Bound(value.clone()));
        format!("${}::{cast}", self.values.len())
    }
}

/// What a comparison is made of: its left side, and the type of its right one.
struct Operand {
    left: String,
    cast: &'static str,
}

fn operand(column: &Readable, value: &Value, comparison: Comparison) -> Option<Operand> {
    if !can_bind(value) {
        return None;
    }
    let left = quoted(&column.name);
    let is_equal = comparison == Comparison::Equal;
    let plain = |cast| Some(Operand { left: left.clone(), cast });
    match (&column.kind, value) {
        (Kind::Bool, Value::Bool(_)) => plain("pg_catalog.bool"),
        (Kind::Int2 | Kind::Int4 | Kind::Int8, Value::Integer(_)) => plain("pg_catalog.int8"),
        (
            Kind::Int2 | Kind::Int4 | Kind::Int8 | Kind::Numeric { .. },
            Value::Decimal { .. } | Value::Integer(_),
        ) => plain("pg_catalog.numeric"),
        (Kind::Float4 | Kind::Float8, Value::Float(_)) => plain("pg_catalog.float8"),
        (Kind::Date, Value::Date(_)) => plain("pg_catalog.date"),
        (Kind::Timestamp, Value::Timestamp { utc: false, .. }) => plain("pg_catalog.timestamp"),
        (Kind::TimestampTz, Value::Timestamp { utc: true, .. }) => plain("pg_catalog.timestamptz"),
        (Kind::Uuid, Value::Text(text)) if is_equal && is_uuid(text) => plain("pg_catalog.uuid"),
        (Kind::Uuid, Value::Uuid(_)) if is_equal => plain("pg_catalog.uuid"),
        (Kind::Text, Value::Text(_)) if is_equal => match column.equality {
            Equality::Plain => plain("pg_catalog.text"),
            Equality::AsText => {
                Some(Operand { left: format!("{left}::pg_catalog.text"), cast: "pg_catalog.text" })
            }
            Equality::Other => None,
        },
        _ => None,
    }
}

/// Whether this is a UUID as the server would write it; another text equals none here.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.char_indices().all(|(at, c)| match at {
            8 | 13 | 18 | 23 => c == '-',
            _ => c.is_ascii_digit() || ('a'..='f').contains(&c),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Readable> {
        let of = |name: &str, kind, equality| Readable { name: name.into(), kind, equality };
        vec![
            of("n", Kind::Int4, Equality::Other),
            of("t", Kind::Text, Equality::Plain),
            of("c", Kind::Text, Equality::Other),
            of("e", Kind::Text, Equality::AsText),
            of("u\"x", Kind::Uuid, Equality::Other),
        ]
    }

    fn compare(column: &str, comparison: Comparison, value: Value) -> Predicate {
        Predicate::Compare { column: column.into(), comparison, value }
    }

    fn sql(predicate: &Predicate) -> (String, usize) {
        let filter = Filter::of(Some(predicate), &columns());
        (filter.sql, filter.values.len())
    }

    #[test]
    fn what_could_pass_fewer_rows_is_left_out() {
        use Comparison::{Equal, Greater, NotEqual};
        let text = |text: &str| Value::Text(text.into());
        let n = compare("n", Greater, Value::Integer(3));
        let cases = [
            (n.clone(), "(\"n\" > $1::pg_catalog.int8)", 1),
            (compare("t", Equal, text("x")), "(\"t\" = $1::pg_catalog.text)", 1),
            (compare("t", Greater, text("x")), "", 0),
            (compare("t", NotEqual, text("x")), "", 0),
            (compare("c", Equal, text("x")), "", 0),
            (compare("e", Equal, text("x")), "(\"e\"::pg_catalog.text = $1::pg_catalog.text)", 1),
            (compare("u\"x", Equal, text("x")), "", 0),
            (compare("n", Equal, Value::Date(0)), "", 0),
            (
                Predicate::And(vec![compare("c", Equal, text("x")), n.clone()]),
                "((\"n\" > $1::pg_catalog.int8))",
                1,
            ),
            (Predicate::Or(vec![n, compare("c", Equal, text("x"))]), "", 0),
            (
                Predicate::In { column: "n".into(), values: vec![Value::Integer(1); 2] },
                "(\"n\" IN ($1::pg_catalog.int8, $2::pg_catalog.int8))",
                2,
            ),
            (Predicate::Null { column: "u\"x".into(), is: false }, "(\"u\"\"x\" IS NOT NULL)", 0),
        ];
        for (predicate, expected, values) in cases {
            assert_eq!(sql(&predicate), (expected.to_owned(), values), "{predicate:?}");
        }
    }
}
