//! Queries that are valid and seldom mean what they say.
//!
//! Pure functions of the analyzed plan, each a warning: a WHERE that undoes a LEFT JOIN,
//! an average of averages, a `count(*)` that counts the row of an outer join that has no
//! partner. What NOT IN does with a NULL is a question to the data ([`not_in`] only finds
//! the subqueries; the guard counts).

use std::sync::Arc;

use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{Aggregate, Expr, Filter, Join, JoinType, LogicalPlan};

use super::warn::shown;

/// All warnings of a plan.
pub(super) fn traps(plan: &LogicalPlan) -> Vec<String> {
    let mut found = Vec::new();
    // A walk that only looks does not fail.
    let _ = plan.apply_with_subqueries(|plan| {
        match plan {
            LogicalPlan::Filter(filter) => found.extend(undone_outer_join(filter)),
            LogicalPlan::Aggregate(aggregate) => {
                found.extend(counted_outer_row(aggregate));
                found.extend(average_of_averages(aggregate));
            }
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    });
    found.sort();
    found.dedup();
    found
}

/// Subqueries of a NOT IN that do not depend on the row outside.
pub(super) fn not_in(plan: &LogicalPlan) -> Vec<(String, Arc<LogicalPlan>)> {
    let mut found = Vec::new();
    let _ = plan.apply_with_subqueries(|plan| {
        plan.apply_expressions(|expr| {
            expr.apply(|expr| {
                if let Expr::InSubquery(of) = expr
                    && of.negated
                    && of.subquery.outer_ref_columns.is_empty()
                {
                    found.push((shown(&of.expr), Arc::clone(&of.subquery.subquery)));
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    });
    found
}

fn has(schema: &DFSchema, column: &Column) -> bool {
    schema.maybe_index_of_column(column).is_some()
}

/// The outer join right below, if there is one.
fn outer_join(plan: &LogicalPlan) -> Option<&Join> {
    match plan {
        LogicalPlan::Join(join) => {
            matches!(join.join_type, JoinType::Left | JoinType::Right).then_some(join)
        }
        LogicalPlan::Filter(filter) => outer_join(&filter.input),
        _ => None,
    }
}

/// The side whose rows may have no partner, and the side that gives the partners.
fn sides(join: &Join) -> (&LogicalPlan, &LogicalPlan) {
    if join.join_type == JoinType::Left {
        (&join.left, &join.right)
    } else {
        (&join.right, &join.left)
    }
}

fn undone_outer_join(filter: &Filter) -> Option<String> {
    let join = outer_join(&filter.input)?;
    let (_, optional) = sides(join);
    let conditions = split_conjunction(&filter.predicate);
    let condition = conditions.into_iter().find(|condition| {
        let columns = condition.column_refs();
        !columns.is_empty()
            && columns.iter().all(|column| has(optional.schema(), column))
            && rejects_null(condition)
    })?;
    Some(format!(
        "WHERE {} drops every row that the outer join kept without a partner: put the condition into \
         ON, or write JOIN if that is meant",
        shown(condition)
    ))
}

/// Whether a condition is never true for a NULL.
fn rejects_null(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryExpr(binary) => {
            binary.op.supports_propagation()
                && !binary.op.to_string().contains("DISTINCT")
                && [&binary.left, &binary.right].into_iter().all(|side| is_plain(side))
        }
        Expr::Like(like) => is_plain(&like.expr),
        Expr::InList(list) => is_plain(&list.expr),
        Expr::Between(between) => is_plain(&between.expr),
        _ => false,
    }
}

/// A column or a constant, which a NULL goes through.
fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Column(_) | Expr::Literal(..) => true,
        Expr::Cast(cast) => is_plain(&cast.expr),
        _ => false,
    }
}

fn counted_outer_row(aggregate: &Aggregate) -> Option<String> {
    let join = outer_join(&aggregate.input)?;
    let (kept, optional) = sides(join);
    let groups: Vec<&Column> = aggregate.group_expr.iter().flat_map(Expr::column_refs).collect();
    if groups.is_empty() || !groups.iter().all(|column| has(kept.schema(), column)) {
        return None;
    }
    let counts_rows = aggregate.aggr_expr.iter().any(|expr| match expr {
        Expr::AggregateFunction(function) => {
            function.func.name() == "count"
                && function.params.filter.is_none()
                && function.params.args.iter().all(|arg| matches!(arg, Expr::Literal(..)))
        }
        _ => false,
    });
    let key = optional.schema().iter().next().map(Column::from)?;
    counts_rows.then(|| {
        format!(
            "count(*) counts 1 where the outer join found no partner: write count({key}) for the \
             number of partners"
        )
    })
}

fn average_of_averages(aggregate: &Aggregate) -> Option<String> {
    let inner = aggregate.aggr_expr.iter().find(|expr| match expr {
        Expr::AggregateFunction(function) if function.func.name() == "avg" => {
            let columns = function.params.args.iter().flat_map(Expr::column_refs);
            columns.into_iter().any(|column| is_average(&aggregate.input, column))
        }
        _ => false,
    })?;
    Some(format!(
        "{} is an average of averages, in which small groups weigh as much as large ones: keep sum \
         and count, and divide their sums",
        shown(inner)
    ))
}

/// Whether a column of a plan is an average that was computed below.
fn is_average(plan: &LogicalPlan, column: &Column) -> bool {
    let place = || plan.schema().maybe_index_of_column(column);
    match plan {
        LogicalPlan::Projection(projection) => place().is_some_and(|at| {
            let columns = projection.expr[at].column_refs();
            columns.into_iter().any(|inner| is_average(&projection.input, inner))
        }),
        LogicalPlan::SubqueryAlias(alias) => place().is_some_and(|at| {
            let inner = Column::from(alias.input.schema().qualified_field(at));
            is_average(&alias.input, &inner)
        }),
        LogicalPlan::Aggregate(aggregate) => place().is_some_and(|at| {
            let groups = aggregate.schema.fields().len() - aggregate.aggr_expr.len();
            at >= groups
                && matches!(&aggregate.aggr_expr[at - groups],
                    Expr::AggregateFunction(function) if function.func.name() == "avg")
        }),
        LogicalPlan::Filter(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Join(_) => plan
            .inputs()
            .into_iter()
            .any(|input| has(input.schema(), column) && is_average(input, column)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Fixture;

    /// What is said of the query, and not of its having no rows.
    fn warned(sql: &str) -> String {
        let mut warnings = Fixture::new().run(sql).unwrap().planned.warnings;
        warnings.retain(|warning| !warning.starts_with("no rows"));
        warnings.join("\n")
    }

    #[test]
    fn each_trap_is_said_and_its_clean_twin_is_not() {
        let join = "FROM customers c LEFT JOIN orders o ON o.customer_id = c.id";
        for (trap, words) in [
            (format!("SELECT c.id {join} WHERE o.total > 10"), "put the condition into ON"),
            (format!("SELECT c.id, count(*) {join} GROUP BY c.id"), "found no partner"),
            (
                "SELECT avg(a) FROM (SELECT customer_id, avg(qty) AS a FROM orders GROUP BY customer_id)".into(),
                "average of averages",
            ),
            (
                "SELECT id FROM orders WHERE id NOT IN (SELECT nullif(qty, 2) FROM items)".into(),
                "NOT IN",
            ),
        ] {
            let said = warned(&trap);
            assert!(said.contains(words), "{trap}: {said:?}");
        }
        for clean in [
            format!("SELECT c.id {join} AND o.total > 10"),
            format!("SELECT c.id {join} WHERE o.id IS NULL"),
            format!("SELECT c.id {join} WHERE c.id > 0"),
            format!("SELECT c.id, count(o.id) {join} GROUP BY c.id"),
            "SELECT avg(s) FROM (SELECT customer_id, sum(qty) AS s FROM orders GROUP BY customer_id)"
                .into(),
            "SELECT max(a) FROM (SELECT customer_id, avg(qty) AS a FROM orders GROUP BY customer_id)"
                .into(),
            "SELECT id FROM orders WHERE id NOT IN (SELECT qty FROM items)".into(),
            "SELECT id FROM orders WHERE id IN (SELECT nullif(qty, 2) FROM items)".into(),
        ] {
            assert_eq!(warned(&clean), "", "{clean}");
        }
    }
}
