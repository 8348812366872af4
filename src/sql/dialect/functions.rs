//! Functions of other engines, as expressions of this one.
//!
//! A line of [`MEANT`] says both: `year($1)` is `date_part('year', $1)`. Where engines of
//! one name mean different things by it (`weekday`, `date_sub` with a unit), it is not there.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments,
    ObjectNamePart, Value, ValueWithSpan, VisitMut as _, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;
use datafusion::sql::sqlparser::tokenizer::Span;

/// Theirs, ours.
const MEANT: &[(&str, &str)] = &[
    ("mod($1, $2)", "($1 % $2)"),
    ("year($1)", "date_part('year', $1)"),
    ("quarter($1)", "date_part('quarter', $1)"),
    ("month($1)", "date_part('month', $1)"),
    ("week($1)", "date_part('week', $1)"),
    ("weekofyear($1)", "date_part('week', $1)"),
    ("day($1)", "date_part('day', $1)"),
    ("dayofmonth($1)", "date_part('day', $1)"),
    ("dayofyear($1)", "date_part('doy', $1)"),
    ("isodow($1)", "date_part('isodow', $1)"),
    ("hour($1)", "date_part('hour', $1)"),
    ("minute($1)", "date_part('minute', $1)"),
    ("epoch($1)", "date_part('epoch', $1)"),
    ("epoch_ms($1)", "CAST(1000 * date_part('epoch', $1) AS BIGINT)"),
    ("monthname($1)", "to_char(CAST($1 AS TIMESTAMP), '%B')"),
    ("dayname($1)", "to_char(CAST($1 AS TIMESTAMP), '%A')"),
    (
        "last_day($1)",
        "CAST(date_trunc('month', $1) + INTERVAL '1 month' - INTERVAL '1 day' AS DATE)",
    ),
    ("date($1)", "CAST($1 AS DATE)"),
    ("date_add($1, $2)", "($1 + $2)"),
    ("datediff($1, $2)", "(CAST($1 AS DATE) - CAST($2 AS DATE))"),
    ("strptime($1, $2)", "CAST(to_timestamp($1, $2) AS TIMESTAMP)"),
    ("time_bucket($1, $2)", "date_bin($1, $2, TIMESTAMP '2000-01-03 00:00:00')"),
    ("if($1, $2, $3)", "CASE WHEN $1 THEN $2 ELSE $3 END"),
    ("iif($1, $2, $3)", "CASE WHEN $1 THEN $2 ELSE $3 END"),
    ("isnull($1)", "($1 IS NULL)"),
    ("square($1)", "power($1, 2)"),
    ("regexp_matches($1, $2)", "regexp_like($1, $2)"),
    ("regexp_matches($1, $2, $3)", "regexp_like($1, $2, $3)"),
    ("string_split($1, $2)", "string_to_array($1, $2)"),
    ("str_split($1, $2)", "string_to_array($1, $2)"),
    ("split($1, $2)", "string_to_array($1, $2)"),
    ("count_if($1)", "count(*) FILTER (WHERE $1)"),
    ("countif($1)", "count(*) FILTER (WHERE $1)"),
    (
        "max_by($1, $2)",
        "first_value($1 ORDER BY $2 DESC) FILTER (WHERE $1 IS NOT NULL AND $2 IS NOT NULL)",
    ),
    (
        "arg_max($1, $2)",
        "first_value($1 ORDER BY $2 DESC) FILTER (WHERE $1 IS NOT NULL AND $2 IS NOT NULL)",
    ),
    (
        "min_by($1, $2)",
        "first_value($1 ORDER BY $2) FILTER (WHERE $1 IS NOT NULL AND $2 IS NOT NULL)",
    ),
    (
        "arg_min($1, $2)",
        "first_value($1 ORDER BY $2) FILTER (WHERE $1 IS NOT NULL AND $2 IS NOT NULL)",
    ),
];

/// How many borders of a unit lie between two moments, as DuckDB and Snowflake count
/// (`date_diff('month', '2024-01-31', '2024-02-01')` is 1). On weeks they do not agree.
const BORDERS: &[(&str, &str)] = &[
    ("year", "(date_part('year', $2) - date_part('year', $1))"),
    (
        "quarter",
        "(4 * (date_part('year', $2) - date_part('year', $1)) + date_part('quarter', $2) - date_part('quarter', $1))",
    ),
    (
        "month",
        "(12 * (date_part('year', $2) - date_part('year', $1)) + date_part('month', $2) - date_part('month', $1))",
    ),
    ("day", "(CAST($2 AS DATE) - CAST($1 AS DATE))"),
    (
        "hour",
        "CAST((date_part('epoch', date_trunc('hour', CAST($2 AS TIMESTAMP))) - date_part('epoch', date_trunc('hour', CAST($1 AS TIMESTAMP)))) / 3600 AS BIGINT)",
    ),
    (
        "minute",
        "CAST((date_part('epoch', date_trunc('minute', CAST($2 AS TIMESTAMP))) - date_part('epoch', date_trunc('minute', CAST($1 AS TIMESTAMP)))) / 60 AS BIGINT)",
    ),
    (
        "second",
        "CAST(date_part('epoch', date_trunc('second', CAST($2 AS TIMESTAMP))) - date_part('epoch', date_trunc('second', CAST($1 AS TIMESTAMP))) AS BIGINT)",
    ),
];

/// The value at a share of a group, one that is there: `percentile_disc`.
const DISCRETE: &str = "array_element(array_agg($1 ORDER BY $1) FILTER (WHERE $1 IS NOT NULL), \
    CAST(greatest(ceil($2 * count($1)), 1) AS BIGINT))";
const DISCRETE_FROM_THE_END: &str = "array_element(array_agg($1 ORDER BY $1 DESC) FILTER (WHERE $1 IS NOT NULL), \
    CAST(greatest(ceil($2 * count($1)), 1) AS BIGINT))";

/// What a call of another engine's function is here; nothing if it is none of them.
pub(super) fn meant(called: &str, function: &Function) -> Option<Expr> {
    if called == "percentile_disc" {
        return discrete(function);
    }
    let arguments = plain(function)?;
    if let ("quantile_disc" | "quantile", [_, _], None) =
        (called, arguments.as_slice(), &function.filter)
    {
        return Some(filled(DISCRETE, &arguments));
    }
    let template = match (called, arguments.as_slice()) {
        ("date_diff" | "datediff", [unit, _, _]) => {
            return Some(filled(border(unit)?, &arguments[1..]));
        }
        ("dateadd" | "date_add", [unit, number, to]) => return added(unit, number, to),
        // Months have borders of their own.
        ("time_bucket", [width, _]) if of_months(width) => {
            "date_bin($1, $2, TIMESTAMP '2000-01-01 00:00:00')"
        }
        (_, arguments) => {
            let parameters: Vec<String> =
                (1..=arguments.len()).map(|number| format!("${number}")).collect();
            let call = format!("{called}({})", parameters.join(", "));
            MEANT.iter().find(|(theirs, _)| *theirs == call)?.1
        }
    };
    let mut meant = filled(template, &arguments);
    if let Some(condition) = &function.filter {
        let Expr::Function(of_many) = &mut meant else { return None };
        let own = of_many.filter.take()?;
        let nested = |expr: Box<Expr>| Box::new(Expr::Nested(expr));
        of_many.filter = Some(Box::new(Expr::BinaryOp {
            left: nested(own),
            op: datafusion::sql::sqlparser::ast::BinaryOperator::And,
            right: nested(condition.clone()),
        }));
    }
    Some(meant)
}

/// `string_agg(a, ',') WITHIN GROUP (ORDER BY b)` has its order among its arguments here.
pub(super) fn order_within(called: &str, function: &mut Function) {
    if ["string_agg", "listagg", "group_concat", "array_agg"].contains(&called)
        && !function.within_group.is_empty()
        && let FunctionArguments::List(list) = &mut function.args
    {
        let order = std::mem::take(&mut function.within_group);
        list.clauses.push(FunctionArgumentClause::OrderBy(order));
    }
}

/// `percentile_disc(0.5) WITHIN GROUP (ORDER BY x)`.
fn discrete(function: &Function) -> Option<Expr> {
    let [key] = function.within_group.as_slice() else { return None };
    let share = Function { within_group: Vec::new(), ..function.clone() };
    let arguments = plain(&share)?;
    let ([share], None) = (arguments.as_slice(), &function.filter) else { return None };
    let template = match key.options.asc {
        Some(false) => DISCRETE_FROM_THE_END,
        _ => DISCRETE,
    };
    Some(filled(template, &[key.expr.clone(), share.clone()]))
}

/// The arguments of a call that has nothing but arguments, and perhaps a filter.
fn plain(function: &Function) -> Option<Vec<Expr>> {
    let FunctionArguments::List(list) = &function.args else { return None };
    let bare = function.over.is_none()
        && function.within_group.is_empty()
        && function.null_treatment.is_none()
        && list.duplicate_treatment.is_none()
        && !list.clauses.iter().any(|clause| matches!(clause, FunctionArgumentClause::OrderBy(_)));
    let arguments = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
        _ => None,
    });
    if bare { arguments.collect() } else { None }
}

/// The words of a unit, in quotes or bare.
fn unit(expr: &Expr) -> Option<String> {
    let text = match expr {
        Expr::Value(ValueWithSpan { value: Value::SingleQuotedString(text), .. }) => text,
        Expr::Identifier(name) if name.quote_style.is_none() => &name.value,
        _ => return None,
    };
    let text = text.to_lowercase();
    let one = match text.as_str() {
        "yy" | "yyyy" => "year",
        "qq" => "quarter",
        "mm" => "month",
        "wk" => "week",
        "dd" => "day",
        "hh" => "hour",
        "mi" => "minute",
        "ss" => "second",
        other => other.strip_suffix('s').unwrap_or(other),
    };
    Some(one.to_owned())
}

fn border(expr: &Expr) -> Option<&'static str> {
    let unit = unit(expr)?;
    BORDERS.iter().find(|(one, _)| *one == unit).map(|(_, template)| *template)
}

/// `dateadd(month, 3, d)`.
fn added(by: &Expr, number: &Expr, to: &Expr) -> Option<Expr> {
    let unit = unit(by)?;
    BORDERS.iter().find(|(one, _)| *one == unit)?;
    let number = number.to_string();
    number.parse::<i64>().ok()?;
    let (number, unit) = match unit.as_str() {
        "quarter" => (number.parse::<i64>().ok()?.checked_mul(3)?.to_string(), "month".to_owned()),
        _ => (number, unit),
    };
    Some(filled(&format!("($1 + INTERVAL '{number} {unit}')"), std::slice::from_ref(to)))
}

fn of_months(width: &Expr) -> bool {
    let text = width.to_string().to_lowercase();
    ["month", "mon", "quarter", "year", "decade"].iter().any(|unit| text.contains(unit))
}

/// A template with these in the place of `$1`, `$2`….
pub(super) fn filled(template: &str, arguments: &[Expr]) -> Expr {
    let parsed = Parser::new(&GenericDialect {})
        .try_with_sql(template)
        .and_then(|mut parser| parser.parse_expr());
    // A test parses each of them.
    let mut expr = parsed.unwrap_or(Expr::value(Value::Null));
    let _ = expr.visit(&mut Nowhere);
    let _ = expr.visit(&mut Filler(arguments));
    expr
}

/// What a template says stands nowhere in the query.
pub(super) struct Nowhere;

impl VisitorMut for Nowhere {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::Function(function) => {
                for part in &mut function.name.0 {
                    if let ObjectNamePart::Identifier(name) = part {
                        name.span = Span::empty();
                    }
                }
            }
            Expr::Identifier(name) => name.span = Span::empty(),
            Expr::Value(value) => value.span = Span::empty(),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

struct Filler<'a>(&'a [Expr]);

impl VisitorMut for Filler<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Value(ValueWithSpan { value: Value::Placeholder(name), .. }) = expr
            && let Some(argument) = name
                .strip_prefix('$')
                .and_then(|number| number.parse::<usize>().ok())
                .and_then(|number| self.0.get(number.checked_sub(1)?))
        {
            *expr = match argument {
                Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_) => {
                    argument.clone()
                }
                other => Expr::Nested(Box::new(other.clone())),
            };
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::labels::remove;
    use crate::sql::parse::parse;

    #[test]
    fn each_template_is_an_expression() {
        let one = [Expr::value(Value::Null)];
        let discrete = [("percentile_disc", DISCRETE), ("descending", DISCRETE_FROM_THE_END)];
        for (theirs, ours) in MEANT.iter().chain(BORDERS).chain(&discrete) {
            assert_ne!(filled(ours, &one), Expr::value(Value::Null), "{theirs}");
        }
    }

    #[test]
    fn functions_of_others_are_said_in_ours() {
        for (theirs, ours) in [
            ("year(a)", "date_part('year', a)"),
            ("datediff('day', a, b + 1)", "(CAST((b + 1) AS DATE) - CAST(a AS DATE))"),
            ("DATEDIFF(dd, a, b)", "(CAST(b AS DATE) - CAST(a AS DATE))"),
            ("datediff(a, b)", "(CAST(a AS DATE) - CAST(b AS DATE))"),
            ("dateadd(quarter, -2, a)", "(a + INTERVAL '-6 month')"),
            ("if(a > 1, 'x', 'y')", "CASE WHEN (a > 1) THEN 'x' ELSE 'y' END"),
            (
                "listagg(a, ',') WITHIN GROUP (ORDER BY b DESC)",
                "string_agg(a, ',' ORDER BY b DESC)",
            ),
            ("count_if(a > 1)", "count(*) FILTER (WHERE (a > 1))"),
            (
                "arg_max(a, b) FILTER (WHERE c)",
                "first_value(a ORDER BY b DESC) FILTER (WHERE (a IS NOT NULL AND b IS NOT NULL) AND (c))",
            ),
        ] {
            let parsed = parse(&format!("SELECT {theirs} FROM t"), 1_000).unwrap();
            assert_eq!(remove(&parsed.statement).to_string(), format!("SELECT {ours} FROM t"));
        }
    }

    #[test]
    fn what_has_no_one_meaning_is_refused() {
        for sql in [
            "SELECT datediff('aeon', a, b)",
            "SELECT dateadd(day, n, d)",
            "SELECT year(a, b)",
            "SELECT weekday(a)",
        ] {
            assert!(parse(sql, 1_000).is_err(), "{sql}");
        }
    }
}
