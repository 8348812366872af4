//! What a column is called whose author gave it no name: as it is written.
//!
//! The engine calls it by its own words for the expression: `Int64(1)`, `sum(t.a + t.b)`,
//! `CAST(t.a AS Float64)`, the latter also for two casts of one column, which it then refuses
//! as doubles. Here `1`, `sum(a + b)` and `a::DOUBLE` are written into the statement as
//! aliases before it is planned, where a name can be seen: in the query itself, its CTEs and
//! what it reads from in FROM. An expression that stands twice gets a number.
//!
//! A suggestion ("write … instead") is made of the statement without them ([`remove`]).

use std::collections::HashSet;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Distinct, Expr, Ident, OrderBy, OrderByKind, Query, Select, SelectItem, SetExpr, Statement,
    TableFactor, TableWithJoins, VisitMut as _, VisitorMut,
};
use datafusion::sql::sqlparser::tokenizer::Span;

/// Characters of a name.
const LONGEST: usize = 60;

/// Names the columns of a statement.
pub(super) fn add(statement: &mut Statement) {
    match statement {
        Statement::Query(query) => of_query(query),
        Statement::Explain { statement, .. } => add(statement),
        _ => {}
    }
}

/// The statement as its author wrote it.
pub(super) fn remove(statement: &Statement) -> Statement {
    let mut statement = statement.clone();
    let _ = statement.visit(&mut Remover);
    statement
}

fn of_query(query: &mut Query) {
    for cte in query.with.iter_mut().flat_map(|with| &mut with.cte_tables) {
        of_query(&mut cte.query);
    }
    of_body(&mut query.body);
    // Of distinct rows, only what is selected has an order, and it is known by its name.
    if let SetExpr::Select(select) = query.body.as_ref()
        && matches!(select.distinct, Some(Distinct::Distinct))
    {
        let named: Vec<(Ident, Expr)> = select.projection.iter().filter_map(label).collect();
        for key in keys(query.order_by.as_mut()) {
            if let Some((name, _)) = named.iter().find(|(_, expr)| *expr == *key) {
                *key = Expr::Identifier(name.clone());
            }
        }
    }
}

/// What a query is ordered by.
fn keys(order: Option<&mut OrderBy>) -> impl Iterator<Item = &mut Expr> {
    let kind = order.map(|order| &mut order.kind);
    let keys = kind.and_then(|kind| match kind {
        OrderByKind::Expressions(keys) => Some(keys),
        OrderByKind::All(_) => None,
    });
    keys.into_iter().flatten().map(|key| &mut key.expr)
}

/// A name that was given here, and of what.
fn label(item: &SelectItem) -> Option<(Ident, Expr)> {
    match item {
        SelectItem::ExprWithAlias { expr, alias } if alias.span == Span::empty() => {
            Some((alias.clone(), expr.clone()))
        }
        _ => None,
    }
}

fn of_body(body: &mut SetExpr) {
    match body {
        SetExpr::Select(select) => of_select(select),
        SetExpr::Query(query) => of_query(query),
        SetExpr::SetOperation { left, right, .. } => {
            of_body(left);
            of_body(right);
        }
        _ => {}
    }
}

fn of_select(select: &mut Select) {
    select.from.iter_mut().for_each(of_tables);
    let mut taken: HashSet<String> = select.projection.iter().filter_map(given).collect();
    for item in &mut select.projection {
        let SelectItem::UnnamedExpr(expr) = item else { continue };
        if is_column(expr) || spreads(expr) {
            continue;
        }
        let text = short(&without_parentheses(expr).to_string());
        let mut numbered = (2..).map(|number| format!("{text}_{number}"));
        let is_free = |name: &String| !taken.contains(name);
        let name = Some(text.clone()).filter(is_free).or_else(|| numbered.find(is_free));
        let name = name.unwrap_or_default();
        taken.insert(name.clone());
        // What stands nowhere in the text is known by that.
        let alias = Ident { value: name, quote_style: Some('"'), span: Span::empty() };
        *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
    }
}

fn of_tables(tables: &mut TableWithJoins) {
    let joined = tables.joins.iter_mut().map(|join| &mut join.relation);
    for factor in std::iter::once(&mut tables.relation).chain(joined) {
        match factor {
            TableFactor::Derived { subquery, .. } => of_query(subquery),
            TableFactor::NestedJoin { table_with_joins, .. } => of_tables(table_with_joins),
            _ => {}
        }
    }
}

/// The name that an item has already.
fn given(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        SelectItem::UnnamedExpr(expr) => match without_parentheses(expr) {
            Expr::Identifier(name) => Some(name.value.clone()),
            Expr::CompoundIdentifier(parts) => parts.last().map(|name| name.value.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn without_parentheses(expr: &Expr) -> &Expr {
    match expr {
        Expr::Nested(inner) => without_parentheses(inner),
        other => other,
    }
}

fn is_column(expr: &Expr) -> bool {
    matches!(without_parentheses(expr), Expr::Identifier(_) | Expr::CompoundIdentifier(_))
}

/// Whether it makes columns of its own: the fields of a struct.
fn spreads(expr: &Expr) -> bool {
    matches!(expr, Expr::Function(function) if function.name.to_string().eq_ignore_ascii_case("unnest"))
}

fn short(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}

struct Remover;

impl VisitorMut for Remover {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let SetExpr::Select(select) = query.body.as_ref() {
            let named: Vec<(Ident, Expr)> = select.projection.iter().filter_map(label).collect();
            for key in keys(query.order_by.as_mut()) {
                let is = |name: &Ident| matches!(&*key, Expr::Identifier(other) if other == name && other.span == Span::empty());
                if let Some((_, expr)) = named.iter().find(|(name, _)| is(name)) {
                    *key = expr.clone();
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for item in &mut select.projection {
            if let Some((_, expr)) = label(item) {
                *item = SelectItem::UnnamedExpr(expr);
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    #[test]
    fn a_column_without_a_name_is_called_as_it_is_written() {
        for (sql, named) in [
            ("SELECT 1, a, (t.b), a+1", "SELECT 1 AS \"1\", a, (t.b), a + 1 AS \"a + 1\""),
            ("SELECT SUM(a), sum(b) AS c", "SELECT SUM(a) AS \"SUM(a)\", sum(b) AS c"),
            ("SELECT a + 1, a+1", "SELECT a + 1 AS \"a + 1\", a + 1 AS \"a + 1_2\""),
            ("SELECT 2 AS \"1\", 1", "SELECT 2 AS \"1\", 1 AS \"1_2\""),
            (
                "SELECT x FROM (SELECT max(a) FROM t) AS s",
                "SELECT x FROM (SELECT max(a) AS \"max(a)\" FROM t) AS s",
            ),
            (
                "SELECT DISTINCT -a FROM t ORDER BY -a DESC",
                "SELECT DISTINCT -a AS \"-a\" FROM t ORDER BY \"-a\" DESC",
            ),
            // A subquery within an expression shows no name.
            ("SELECT a FROM t WHERE a IN (SELECT b + 1 FROM u)", ""),
        ] {
            let statement = parse(sql, 1_000).expect("it is a query").statement;
            let want = if named.is_empty() { sql } else { named };
            assert_eq!(statement.to_string(), want);
            let plain = parse(&remove(&statement).to_string(), 1_000).expect("it is still one");
            assert_eq!(plain.statement, statement, "{sql}");
        }
        let long = format!("SELECT {}", "a + ".repeat(40) + "a");
        let named = parse(&long, 1_000).expect("it is a query").statement.to_string();
        assert!(named.ends_with("…\"") && named.len() < 250, "{named}");
    }
}
