//! What other engines say otherwise, brought into this one's words.
//!
//! Only what has one meaning: another name of the same function or another function for it
//! ([`functions`]), patterns of dates ([`formats`]), numbers as they are written elsewhere
//! ([`tokens`]), `FETCH FIRST n ROWS ONLY` for `LIMIT n`, a name for an expression that
//! stands twice in one SELECT, which the engine would refuse, and `1e30`, which is a double.

mod formats;
mod functions;
mod joins;
mod sets;
pub(super) mod tokens;

use std::collections::HashMap;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    CastKind, DataType, ExactNumberInfo, Expr, Ident, LimitClause, ObjectNamePart, Query, Select,
    SelectItem, Statement, Value, ValueWithSpan, VisitMut as _, VisitorMut, visit_expressions,
    visit_expressions_mut,
};

use super::error::SqlError;

/// Names of functions: theirs, ours.
const SYNONYMS: &[(&str, &str)] = &[
    ("ifnull", "coalesce"),
    ("len", "length"),
    ("sign", "signum"),
    ("first", "first_value"),
    ("last", "last_value"),
    ("variance", "var_samp"),
    ("quantile_cont", "percentile_cont"),
    ("array_concat_agg", "array_agg"),
    ("list", "array_agg"),
    ("listagg", "string_agg"),
    ("group_concat", "string_agg"),
    ("ucase", "upper"),
    ("lcase", "lower"),
    ("every", "bool_and"),
    ("approx_count_distinct", "approx_distinct"),
    ("truncate", "trunc"),
];

/// Says a statement in this engine's words.
///
/// # Errors
/// A pattern of a date is none.
pub(super) fn translate(statement: &mut Statement) -> Result<(), SqlError> {
    let mut translator = Translator { refused: None, unnamed: 0 };
    let _ = statement.visit(&mut translator);
    tell_apart(statement);
    translator.refused.map_or(Ok(()), Err)
}

struct Translator {
    refused: Option<SqlError>,
    /// Subqueries that were given a name.
    unnamed: usize,
}

/// The engine takes `sum(k)` and `sum(CAST(k AS DOUBLE))` for two columns of one name.
/// A `coalesce` of one around the cast has another and changes nothing else.
fn tell_apart(statement: &mut Statement) {
    let mut called: HashMap<String, Vec<String>> = HashMap::new();
    let _ = visit_expressions(statement, |expr| {
        if let Expr::Function(_) = expr {
            let text = expr.to_string();
            let texts = called.entry(without_casts(expr)).or_default();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        ControlFlow::<()>::Continue(())
    });
    called.retain(|_, texts| texts.len() > 1);
    if called.is_empty() {
        return;
    }
    let _ = visit_expressions_mut(statement, |expr| {
        if let Expr::Function(_) = expr
            && let Some(texts) = called.get(&without_casts(expr))
        {
            let text = expr.to_string();
            let times = texts.iter().position(|known| *known == text).map_or(0, |at| at + 1);
            wrap_casts(expr, times);
        }
        ControlFlow::<()>::Continue(())
    });
}

fn wrap_casts(expr: &mut Expr, times: usize) {
    let _ = visit_expressions_mut(expr, |part| {
        if matches!(part, Expr::Cast { .. }) {
            for _ in 0..times {
                *part = functions::filled("coalesce($1)", std::slice::from_ref(part));
            }
        }
        ControlFlow::<()>::Continue(())
    });
}

impl VisitorMut for Translator {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        sets::number(&mut query.body);
        if let Err(error) = joins::settle(query, &mut self.unnamed) {
            self.refused.get_or_insert(error);
            return ControlFlow::Break(());
        }
        let plain = |fetch: &&mut datafusion::sql::sqlparser::ast::Fetch| {
            !fetch.with_ties && !fetch.percent
        };
        let Some(fetch) = query.fetch.as_mut().filter(plain) else {
            return ControlFlow::Continue(());
        };
        let quantity = fetch.quantity.take().unwrap_or_else(one);
        match &mut query.limit_clause {
            None => {
                query.limit_clause = Some(LimitClause::LimitOffset {
                    limit: Some(quantity),
                    offset: None,
                    limit_by: Vec::new(),
                });
                query.fetch = None;
            }
            Some(LimitClause::LimitOffset { limit: limit @ None, .. }) => {
                *limit = Some(quantity);
                query.fetch = None;
            }
            // Two limits: the engine says so.
            Some(_) => fetch.quantity = Some(quantity),
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        let mut seen: HashMap<String, usize> = HashMap::new();
        for item in &mut select.projection {
            let SelectItem::UnnamedExpr(expr) = item else { continue };
            if matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
                continue;
            }
            let text = expr.to_string();
            let times = seen.entry(text.clone()).or_default();
            *times += 1;
            if *times > 1 {
                let alias = Ident::with_quote('"', format!("{text}_{times}"));
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::AtTimeZone { timestamp, time_zone } => {
                let arguments = [time_zone.as_ref().clone(), timestamp.as_ref().clone()];
                *expr = functions::filled("timezone($1, $2)", &arguments);
                return ControlFlow::Continue(());
            }
            // Only a function may be given another table's columns.
            Expr::Array(array) if array.elem.iter().any(|one| !matches!(one, Expr::Value(_))) => {
                let parameters: Vec<_> =
                    (1..=array.elem.len()).map(|at| format!("${at}")).collect();
                *expr = functions::filled(
                    &format!("make_array({})", parameters.join(", ")),
                    &array.elem,
                );
                return ControlFlow::Continue(());
            }
            // `INTERVAL 7 DAY`; the frame of a window takes it in quotes only.
            Expr::Interval(interval) if interval.leading_field.is_some() => {
                if let Expr::Value(ValueWithSpan { value, .. }) = interval.value.as_mut()
                    && let Value::Number(number, _) = value
                {
                    *value = Value::SingleQuotedString(number.clone());
                }
                return ControlFlow::Continue(());
            }
            _ => {}
        }
        if let Some(float) = float_literal(expr) {
            *expr = float;
            return ControlFlow::Continue(());
        }
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        let [ObjectNamePart::Identifier(name)] = function.name.0.as_mut_slice() else {
            return ControlFlow::Continue(());
        };
        if name.quote_style.is_some() {
            return ControlFlow::Continue(());
        }
        let called = name.value.to_lowercase();
        if let Some((_, ours)) = SYNONYMS.iter().find(|(theirs, _)| *theirs == called) {
            (*ours).clone_into(&mut name.value);
        }
        functions::order_within(&called, function);
        if let Err(error) = formats::settle(&called, function) {
            self.refused.get_or_insert(error);
            return ControlFlow::Break(());
        }
        if let Some(meant) = functions::meant(&called, function) {
            *expr = meant;
        }
        ControlFlow::Continue(())
    }
}

/// As the engine calls it.
fn without_casts(expr: &Expr) -> String {
    let mut expr = expr.clone();
    let _ = visit_expressions_mut(&mut expr, |part| {
        if let Expr::Cast { expr: inner, .. } = part {
            *part = (**inner).clone();
        }
        ControlFlow::<()>::Continue(())
    });
    expr.to_string().to_lowercase()
}

/// `1e30` as a double, as DuckDB has it: as a decimal it would have no digit behind the
/// point, or more digits than a decimal can have.
fn float_literal(expr: &Expr) -> Option<Expr> {
    let Expr::Value(ValueWithSpan { value: Value::Number(number, _), span }) = expr else {
        return None;
    };
    if !number.contains(['e', 'E']) {
        return None;
    }
    let text = Value::SingleQuotedString(number.clone()).with_span(*span);
    Some(Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(Expr::Value(text)),
        data_type: DataType::Double(ExactNumberInfo::None),
        array: false,
        format: None,
    })
}

fn one() -> Expr {
    Expr::value(datafusion::sql::sqlparser::ast::Value::Number("1".to_owned(), false))
}

#[cfg(test)]
mod tests {
    use crate::sql::labels::remove;
    use crate::sql::parse::parse;

    #[test]
    fn other_words_for_the_same() {
        for (theirs, ours) in [
            ("SELECT mod(7, 1 + 2)", "SELECT (7 % (1 + 2))"),
            ("SELECT IFNULL(a, 0), len(b)", "SELECT coalesce(a, 0), length(b)"),
            ("SELECT a FROM t FETCH FIRST 3 ROWS ONLY", "SELECT a FROM t LIMIT 3"),
            (
                "SELECT a FROM t OFFSET 2 ROWS FETCH NEXT ROW ONLY",
                "SELECT a FROM t LIMIT 1 OFFSET 2 ROWS",
            ),
        ] {
            let statement = remove(&parse(theirs, 1_000).unwrap().statement);
            assert_eq!(statement.to_string(), ours);
        }
        let twice = parse("SELECT a IN (SELECT 1, 1)", 1_000).unwrap().statement.to_string();
        assert!(twice.starts_with("SELECT a IN (SELECT 1, 1 AS \"1_2\")"), "{twice}");
        let cast = parse("SELECT sum(k) a, sum(CAST(k AS INT)) b", 1_000).unwrap().statement;
        assert_eq!(
            cast.to_string(),
            "SELECT sum(k) AS a, sum(coalesce((coalesce((CAST(k AS INT)))))) AS b"
        );
    }
}
