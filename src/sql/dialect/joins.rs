//! Joins: other words for them, and what a column is that USING names.
//!
//! After `a RIGHT JOIN b USING (k)` a plain `k` is `b.k`, and after a FULL JOIN it is
//! whichever there is. To this engine it is always `a.k`, which is NULL in every row that
//! only `b` has. So such a `k` is written out before it is planned. A subquery in FROM without
//! a name gets one: the engine cannot tell two without a name apart.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, GroupByExpr, Ident, JoinConstraint, JoinOperator,
    ObjectNamePart, OrderBy, OrderByKind, Query, ReplaceSelectElement, ReplaceSelectItem, Select,
    SelectItem, SetExpr, TableAlias, TableAliasColumnDef, TableFactor, TableWithJoins,
    VisitMut as _, VisitorMut,
};
use datafusion::sql::sqlparser::tokenizer::Span;

use super::functions::filled;
use crate::sql::error::{Code, SqlError};
use crate::sql::names::same;
use crate::sql::parse::last_part;

/// What a plain column of a USING stands for.
struct Merged {
    column: Ident,
    expr: Expr,
}

/// Names for subqueries, and other words for joins.
fn name(tables: &mut TableWithJoins, unnamed: &mut usize) {
    let joined = tables.joins.iter_mut().map(|join| {
        // SEMI and ANTI alone look to the left, as in DuckDB.
        let taken = std::mem::replace(&mut join.join_operator, JoinOperator::CrossApply);
        join.join_operator = match taken {
            JoinOperator::Semi(on) => JoinOperator::LeftSemi(on),
            JoinOperator::Anti(on) => JoinOperator::LeftAnti(on),
            other => other,
        };
        &mut join.relation
    });
    for factor in std::iter::once(&mut tables.relation).chain(joined) {
        match factor {
            TableFactor::Derived { alias: alias @ None, .. } => {
                *unnamed += 1;
                let name = Ident {
                    value: format!("subquery_{unnamed}"),
                    quote_style: None,
                    span: Span::empty(),
                };
                *alias = Some(TableAlias { explicit: true, name, columns: Vec::new(), at: None });
            }
            TableFactor::NestedJoin { table_with_joins, .. } => name(table_with_joins, unnamed),
            _ => unnest(factor),
        }
    }
}

/// `LATERAL UNNEST(a)` is `UNNEST(a)`, and its column is called as it is, as in PostgreSQL.
fn unnest(factor: &mut TableFactor) {
    if let TableFactor::Function { name, args, alias, .. } = factor
        && last_part(name) == "unnest"
    {
        let expr = |argument: &FunctionArg| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
            _ => None,
        };
        if let Some(array_exprs) = args.iter().map(expr).collect() {
            *factor = TableFactor::UNNEST {
                alias: alias.take(),
                array_exprs,
                with_offset: false,
                with_offset_alias: None,
                with_ordinality: false,
            };
        }
    }
    let TableFactor::UNNEST { alias, array_exprs, with_ordinality: false, .. } = factor else {
        return;
    };
    let named = alias.get_or_insert_with(|| {
        let name = Ident { value: "unnest".to_owned(), quote_style: None, span: Span::empty() };
        TableAlias { explicit: true, name, columns: Vec::new(), at: None }
    });
    if array_exprs.len() == 1 && named.columns.is_empty() {
        named.columns.push(TableAliasColumnDef { name: named.name.clone(), data_type: None });
    }
}

/// Both of all SELECTs of a query, but not of the queries within them; what it is ordered
/// by belongs to the one SELECT that it has.
///
/// # Errors
/// It is not certain which table has a column of a USING.
pub(super) fn settle(query: &mut Query, unnamed: &mut usize) -> Result<(), SqlError> {
    let SetExpr::Select(select) = query.body.as_mut() else {
        return in_body(&mut query.body, unnamed);
    };
    let named: Vec<String> = select.projection.iter().filter_map(output).collect();
    let merged = in_select(select, unnamed)?;
    if let Some(OrderBy { kind: OrderByKind::Expressions(keys), .. }) = &mut query.order_by {
        for key in keys {
            let is_output = matches!(&key.expr, Expr::Identifier(name) if named.iter().any(|one| same(one, &name.value)));
            if !is_output {
                replace(&mut key.expr, &merged);
            }
        }
    }
    Ok(())
}

/// A query in brackets comes by itself.
fn in_body(body: &mut SetExpr, unnamed: &mut usize) -> Result<(), SqlError> {
    match body {
        SetExpr::Select(select) => in_select(select, unnamed).map(drop),
        SetExpr::SetOperation { left, right, .. } => {
            in_body(left, unnamed)?;
            in_body(right, unnamed)
        }
        _ => Ok(()),
    }
}

fn in_select(select: &mut Select, unnamed: &mut usize) -> Result<Vec<Merged>, SqlError> {
    let mut merged = Vec::new();
    for tables in &mut select.from {
        name(tables, unnamed);
        merged.extend(of_tables(tables)?);
    }
    if !merged.is_empty() {
        write_out(select, &merged);
    }
    Ok(merged)
}

/// The name of a column of the result.
fn output(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name.value.clone()),
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        _ => None,
    }
}

/// The columns that are not the left table's after the joins.
fn of_tables(tables: &TableWithJoins) -> Result<Vec<Merged>, SqlError> {
    let mut merged: Vec<Merged> = Vec::new();
    let mut left: Vec<&Ident> = relation(&tables.relation).into_iter().collect();
    let mut is_known = !left.is_empty();
    for join in &tables.joins {
        let right = relation(&join.relation);
        let (constraint, full, is_right) = match &join.join_operator {
            JoinOperator::FullOuter(on) => (on, true, false),
            JoinOperator::Right(on) | JoinOperator::RightOuter(on) => (on, false, true),
            JoinOperator::Join(on)
            | JoinOperator::Inner(on)
            | JoinOperator::Left(on)
            | JoinOperator::LeftOuter(on) => (on, false, false),
            _ => continue,
        };
        if let JoinConstraint::Natural = constraint
            && (full || is_right)
        {
            return Err(uncertain("a NATURAL outer join", "its columns"));
        }
        let names = match constraint {
            JoinConstraint::Using(names) if full || is_right => names.as_slice(),
            _ => &[],
        };
        for name in names {
            let Some(ObjectNamePart::Identifier(column)) = name.0.last() else { continue };
            let before = merged.iter().position(|one| same(&one.column.value, &column.value));
            let left = match (before, left.as_slice()) {
                (Some(at), _) => merged.remove(at).expr,
                (None, [only]) if is_known => qualified(only, column),
                _ => return Err(uncertain("an outer join of several tables", &column.value)),
            };
            let Some(right) = right else {
                return Err(uncertain("an outer join of a join in brackets", &column.value));
            };
            let right = qualified(right, column);
            let expr = if full { filled("coalesce($1, $2)", &[left, right]) } else { right };
            merged.push(Merged { column: column.clone(), expr });
        }
        is_known &= right.is_some();
        left.extend(right);
    }
    Ok(merged)
}

fn uncertain(what: &str, column: &str) -> SqlError {
    SqlError::new(
        Code::Unsupported,
        format!("{what} with USING leaves open which table {column} is of"),
    )
    .next("write ON a.k = b.k, and coalesce(a.k, b.k) AS k for the column of both")
}

/// What a table's columns are qualified with.
fn relation(factor: &TableFactor) -> Option<&Ident> {
    match factor {
        TableFactor::Table { alias: Some(alias), .. }
        | TableFactor::Derived { alias: Some(alias), .. }
        | TableFactor::UNNEST { alias: Some(alias), .. } => Some(&alias.name),
        TableFactor::Table { name, .. } => name.0.first().and_then(ObjectNamePart::as_ident),
        _ => None,
    }
}

fn qualified(relation: &Ident, column: &Ident) -> Expr {
    Expr::CompoundIdentifier(vec![relation.clone(), column.clone()])
}

/// Writes out what the columns of a USING stand for.
fn write_out(select: &mut Select, merged: &[Merged]) {
    for item in &mut select.projection {
        match item {
            SelectItem::UnnamedExpr(Expr::Identifier(name)) => {
                if let Some(one) = merged.iter().find(|one| same(&one.column.value, &name.value)) {
                    let alias = Ident {
                        value: name.value.clone(),
                        quote_style: Some('"'),
                        span: Span::empty(),
                    };
                    *item = SelectItem::ExprWithAlias { expr: one.expr.clone(), alias };
                }
            }
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                replace(expr, merged);
            }
            SelectItem::Wildcard(options) => {
                let element = |one: &Merged| {
                    Box::new(ReplaceSelectElement {
                        expr: one.expr.clone(),
                        column_name: one.column.clone(),
                        as_keyword: true,
                    })
                };
                let items = &mut options
                    .opt_replace
                    .get_or_insert_with(|| ReplaceSelectItem { items: Vec::new() })
                    .items;
                let free = |one: &&Merged| {
                    !items.iter().any(|item| same(&item.column_name.value, &one.column.value))
                };
                let further: Vec<_> = merged.iter().filter(free).map(element).collect();
                items.extend(further);
            }
            _ => {}
        }
    }
    let conditions = [&mut select.selection, &mut select.having, &mut select.qualify];
    conditions.into_iter().flatten().for_each(|expr| replace(expr, merged));
    if let GroupByExpr::Expressions(keys, _) = &mut select.group_by {
        keys.iter_mut().for_each(|key| replace(key, merged));
    }
}

fn replace(expr: &mut Expr, merged: &[Merged]) {
    let _ = expr.visit(&mut Replacer { merged, depth: 0 });
}

/// Replaces plain columns, but not those of subqueries.
struct Replacer<'m> {
    merged: &'m [Merged],
    depth: usize,
}

impl VisitorMut for Replacer<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.depth == 0
            && let Expr::Identifier(name) = expr
            && let Some(one) = self.merged.iter().find(|one| same(&one.column.value, &name.value))
        {
            *expr = one.expr.clone();
        }
        ControlFlow::Continue(())
    }
}
