//! A condition of a plan, if it is one that can be asked of a server.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

use crate::database::{Comparison, Predicate, Value};

/// Values of an IN that are handed over.
const MOST: usize = 200;

/// The condition, or `None`: then all rows pass.
pub(super) fn predicate(expr: &Expr) -> Option<Predicate> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            // A part that is left out passes more.
            match (predicate(left), predicate(right)) {
                (Some(one), Some(other)) => Some(Predicate::And(vec![one, other])),
                (one, other) => one.or(other),
            }
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            Some(Predicate::Or(vec![predicate(left)?, predicate(right)?]))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let comparison = comparison(*op)?;
            match (column(left), value(right)) {
                (Some(column), Some(value)) => {
                    Some(Predicate::Compare { column, comparison, value })
                }
                _ => Some(Predicate::Compare {
                    column: column(right)?,
                    comparison: turned(comparison),
                    value: value(left)?,
                }),
            }
        }
        Expr::InList(list) if !list.negated && list.list.len() <= MOST => {
            let values: Option<Vec<Value>> = list.list.iter().map(value).collect();
            let values = values.filter(|values| !values.is_empty())?;
            Some(Predicate::In { column: column(&list.expr)?, values })
        }
        Expr::Between(between) if !between.negated => {
            let part = |comparison, bound| {
                Some(Predicate::Compare {
                    column: column(&between.expr)?,
                    comparison,
                    value: value(bound)?,
                })
            };
            Some(Predicate::And(vec![
                part(Comparison::GreaterOrEqual, &between.low)?,
                part(Comparison::LessOrEqual, &between.high)?,
            ]))
        }
        Expr::IsNull(of) => Some(Predicate::Null { column: column(of)?, is: true }),
        Expr::IsNotNull(of) => Some(Predicate::Null { column: column(of)?, is: false }),
        Expr::Column(_) | Expr::IsTrue(_) => truth(expr, true),
        Expr::Not(of) => truth(of, false),
        Expr::IsFalse(of) => truth(of, false),
        _ => None,
    }
}

fn truth(expr: &Expr, is: bool) -> Option<Predicate> {
    let of = if let Expr::IsTrue(of) = expr { of.as_ref() } else { expr };
    let (comparison, value) = (Comparison::Equal, Value::Bool(is));
    Some(Predicate::Compare { column: column(of)?, comparison, value })
}

fn column(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Column(column) => Some(column.name.clone()),
        _ => None,
    }
}

fn comparison(operator: Operator) -> Option<Comparison> {
    Some(match operator {
        Operator::Eq => Comparison::Equal,
        Operator::NotEq => Comparison::NotEqual,
        Operator::Lt => Comparison::Less,
        Operator::LtEq => Comparison::LessOrEqual,
        Operator::Gt => Comparison::Greater,
        Operator::GtEq => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

/// `3 < a` is `a > 3`.
fn turned(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Equal => Comparison::Equal,
        Comparison::NotEqual => Comparison::NotEqual,
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
    }
}

fn value(expr: &Expr) -> Option<Value> {
    let Expr::Literal(value, _) = expr else { return None };
    let whole = |number: i64| Some(Value::Integer(number));
    let moment = |micros: Option<i64>, zone: &Option<std::sync::Arc<str>>| {
        // Another zone than UTC names the same moments.
        Some(Value::Timestamp { micros: micros?, utc: zone.is_some() })
    };
    match value {
        ScalarValue::Boolean(Some(truth)) => Some(Value::Bool(*truth)),
        ScalarValue::Int8(Some(number)) => whole(i64::from(*number)),
        ScalarValue::Int16(Some(number)) => whole(i64::from(*number)),
        ScalarValue::Int32(Some(number)) => whole(i64::from(*number)),
        ScalarValue::Int64(Some(number)) => whole(*number),
        ScalarValue::UInt8(Some(number)) => whole(i64::from(*number)),
        ScalarValue::UInt16(Some(number)) => whole(i64::from(*number)),
        ScalarValue::UInt32(Some(number)) => whole(i64::from(*number)),
        ScalarValue::UInt64(Some(number)) => whole(i64::try_from(*number).ok()?),
        ScalarValue::Float32(Some(number)) => Some(Value::Float(f64::from(*number))),
        ScalarValue::Float64(Some(number)) => Some(Value::Float(*number)),
        ScalarValue::Decimal128(Some(unscaled), _, scale) => {
            Some(Value::Decimal { unscaled: *unscaled, scale: *scale })
        }
        ScalarValue::Utf8(Some(text))
        | ScalarValue::LargeUtf8(Some(text))
        | ScalarValue::Utf8View(Some(text)) => Some(Value::Text(text.clone())),
        ScalarValue::Date32(Some(days)) => Some(Value::Date(*days)),
        ScalarValue::TimestampSecond(Some(number), zone) => {
            moment(number.checked_mul(1_000_000), zone)
        }
        ScalarValue::TimestampMillisecond(Some(number), zone) => {
            moment(number.checked_mul(1_000), zone)
        }
        ScalarValue::TimestampMicrosecond(Some(number), zone) => moment(Some(*number), zone),
        // A server counts in microseconds; what lies between two of them it does not have.
        ScalarValue::TimestampNanosecond(Some(number), zone) if number % 1_000 == 0 => {
            moment(Some(number / 1_000), zone)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use datafusion::logical_expr::{col, lit};

    use super::*;

    fn greater(column: &str, number: i64) -> Predicate {
        Predicate::Compare {
            column: column.into(),
            comparison: Comparison::Greater,
            value: Value::Integer(number),
        }
    }

    #[test]
    fn what_is_not_known_passes_all() {
        let (a, b) = (greater("a", 3), greater("b", 4));
        let unknown = col("a").like(lit("x%"));
        for (expr, expected) in [
            (col("a").gt(lit(3_i64)), Some(a.clone())),
            (lit(3_i64).lt(col("a")), Some(a.clone())),
            (col("a").gt(col("b")), None),
            (col("a").gt(lit(3_i64)).and(unknown.clone()), Some(a.clone())),
            (col("a").gt(lit(3_i64)).or(unknown), None),
            (col("a").gt(lit(3_i64)).or(col("b").gt(lit(4_i64))), Some(Predicate::Or(vec![a, b]))),
            (col("a").in_list(vec![lit(1_i64)], true), None),
            (col("a").eq(lit(ScalarValue::Int64(None))), None),
            (col("a").eq(lit(ScalarValue::TimestampNanosecond(Some(1), None))), None),
        ] {
            assert_eq!(predicate(&expr), expected, "{expr}");
        }
    }
}
