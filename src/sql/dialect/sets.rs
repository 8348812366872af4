//! `INTERSECT ALL` and `EXCEPT ALL`: doubles count.
//!
//! The engine does them as a semi-join, which keeps or drops all doubles of a row together. If
//! equal rows are numbered on both sides first, no row is double any more, and the distinct
//! operation counts: the third `x` of the left is in the right if there is a third one there.

use datafusion::sql::sqlparser::ast::{
    Expr, Ident, Query, SelectItem, SetExpr, SetOperator, SetQuantifier, Statement, TableFactor,
    Values, VisitMut as _,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

use super::functions::Nowhere;

/// Numbers the rows of such an operation, if its columns have names; else it stays.
pub(super) fn number(body: &mut SetExpr) {
    let SetExpr::SetOperation { op, set_quantifier: SetQuantifier::All, left, right } = body else {
        return;
    };
    let word = match op {
        SetOperator::Intersect => "INTERSECT",
        SetOperator::Except | SetOperator::Minus => "EXCEPT",
        SetOperator::Union => return,
    };
    let Some(names) = names(left) else { return };
    let own: Vec<String> = (1..=names.len()).map(|at| format!("c{at}")).collect();
    let own = own.join(", ");
    let side = format!(
        "SELECT {own}, row_number() OVER (PARTITION BY {own}) AS n FROM (SELECT 1) AS s({own})"
    );
    let shown: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(at, name)| format!("c{} AS {}", at + 1, quoted(name)))
        .collect();
    let text = format!("SELECT {} FROM ({side} {word} {side}) AS numbered", shown.join(", "));
    let Some(mut query) = parsed(&text) else { return };
    let _ = query.visit(&mut Nowhere);
    let empty = || {
        Box::new(SetExpr::Values(Values {
            explicit_row: false,
            value_keyword: false,
            rows: Vec::new(),
        }))
    };
    let sides = [std::mem::replace(left, empty()), std::mem::replace(right, empty())];
    if let Some(SetExpr::SetOperation { left, right, .. }) = derived(&mut query.body) {
        for (place, side) in [left, right].into_iter().zip(sides) {
            if let Some(place) = derived(place) {
                *place = *side;
            }
        }
    }
    *body = *query.body;
}

/// What a SELECT reads from: the body of its one subquery.
fn derived(body: &mut SetExpr) -> Option<&mut SetExpr> {
    let SetExpr::Select(select) = body else { return None };
    match &mut select.from.first_mut()?.relation {
        TableFactor::Derived { subquery, .. } => Some(subquery.body.as_mut()),
        _ => None,
    }
}

fn parsed(text: &str) -> Option<Query> {
    let statement = Parser::parse_sql(&GenericDialect {}, text).ok()?.into_iter().next()?;
    match statement {
        Statement::Query(query) => Some(*query),
        _ => None,
    }
}

fn quoted(name: &str) -> Ident {
    Ident::with_quote('"', name.replace('"', "\"\""))
}

/// The names of the columns, each once.
fn names(body: &SetExpr) -> Option<Vec<String>> {
    let names: Vec<String> = match body {
        SetExpr::Select(select) => select.projection.iter().map(name).collect::<Option<_>>()?,
        SetExpr::Query(query) => names(&query.body)?,
        SetExpr::SetOperation { left, .. } => names(left)?,
        _ => return None,
    };
    let is_once = |(at, name): (usize, &String)| !names[..at].contains(name);
    names.iter().enumerate().all(is_once).then_some(names)
}

fn name(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name.value.clone()),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => {
            parts.last().map(|name| name.value.clone())
        }
        _ => None,
    }
}
