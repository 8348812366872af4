//! EXISTS and IN (SELECT …) as a value: `CASE WHEN id IN (SELECT …) THEN 'again' ELSE 'new' END`.
//!
//! The engine does both as conditions of WHERE and HAVING, and of a join, only. What it does
//! everywhere is a subquery of one value, so that is what they become here: how many rows there
//! are, and of IN also whether there is any, and one that is NULL, because then a value that is
//! not found may still be the one. Below an aggregate they are columns of their own first.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::common::{Column, DFSchema, Result, ScalarValue, Spans};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::expr::{Exists, InSubquery};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{
    Aggregate, Distinct, Expr, ExprSchemable as _, FetchType, Filter, LogicalPlan,
    LogicalPlanBuilder, Projection, SkipType, Sort, Subquery, lit, when,
};
use datafusion::optimizer::AnalyzerRule;

/// See the module. It comes before types are made alike.
#[derive(Debug)]
pub(super) struct SubqueriesAreCounted;

impl AnalyzerRule for SubqueriesAreCounted {
    fn name(&self) -> &'static str {
        "subqueries_are_counted"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up_with_subqueries(counted)?.data)
    }
}

fn counted(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let has_some = plan.expressions().iter().any(|expr| {
        expr.exists(|expr| Ok(matches!(expr, Expr::Exists(_) | Expr::InSubquery(_))))
            .unwrap_or(false)
    });
    match plan {
        LogicalPlan::Projection(Projection { expr, input, .. }) if has_some => {
            let mut values = Values { schema: input.schema(), columns: Vec::new() };
            let expr = values.taken_from(expr, &NamePreserver::new_for_projection())?;
            let input = values.beside(&input)?;
            Ok(Transformed::yes(LogicalPlan::Projection(Projection::try_new(expr, input)?)))
        }
        LogicalPlan::Aggregate(Aggregate { input, group_expr, aggr_expr, .. }) if has_some => {
            let mut values = Values { schema: input.schema(), columns: Vec::new() };
            let names = NamePreserver::new_for_projection();
            let group_expr = values.taken_from(group_expr, &names)?;
            let aggr_expr = values.taken_from(aggr_expr, &names)?;
            let input = values.beside(&input)?;
            let aggregate = Aggregate::try_new(input, group_expr, aggr_expr)?;
            Ok(Transformed::yes(LogicalPlan::Aggregate(aggregate)))
        }
        other => Ok(Transformed::no(other)),
    }
}

/// What became a column of its own.
struct Values<'s> {
    schema: &'s DFSchema,
    columns: Vec<Expr>,
}

impl Values<'_> {
    /// The expressions, with columns in the place of subqueries.
    fn taken_from(&mut self, expressions: Vec<Expr>, names: &NamePreserver) -> Result<Vec<Expr>> {
        let taken = |expr: Expr| {
            let name = names.save(&expr);
            let expr = expr.transform_up(|expr| {
                let value = match expr {
                    Expr::Exists(exists) => of_exists(exists)?,
                    Expr::InSubquery(one) => of_in(one, self.schema)?,
                    other => return Ok(Transformed::no(other)),
                };
                let column = format!("__subquery_{}", self.columns.len() + 1);
                self.columns.push(value.alias(&column));
                Ok(Transformed::yes(Expr::Column(Column::new_unqualified(column))))
            })?;
            Ok(expr.update_data(|expr| name.restore(expr)).data)
        };
        expressions.into_iter().map(taken).collect()
    }

    /// The input with those columns.
    fn beside(self, input: &Arc<LogicalPlan>) -> Result<Arc<LogicalPlan>> {
        if self.columns.is_empty() {
            return Ok(Arc::clone(input));
        }
        let own = input.schema().columns().into_iter().map(Expr::Column);
        let all = own.chain(self.columns).collect();
        Ok(Arc::new(LogicalPlan::Projection(Projection::try_new(all, Arc::clone(input))?)))
    }
}

fn of_exists(Exists { subquery, negated }: Exists) -> Result<Expr> {
    let rows = how_many(&subquery, None)?;
    Ok(if negated { rows.eq(lit(0_i64)) } else { rows.gt(lit(0_i64)) })
}

fn of_in(InSubquery { expr, subquery, negated }: InSubquery, schema: &DFSchema) -> Result<Expr> {
    let own = subquery.subquery.schema();
    let column = Expr::Column(Column::from(own.qualified_field(0)));
    let wanted = outer(*expr.clone(), schema)?;
    let found = how_many(&subquery, Some(column.clone().eq(wanted)))?.gt(lit(0_i64));
    let may_be_null = expr.nullable(schema)? || column.nullable(own)?;
    let value = if may_be_null {
        let none = how_many(&subquery, None)?.eq(lit(0_i64));
        let nulls = how_many(&subquery, Some(column.is_null()))?.gt(lit(0_i64));
        when(found, lit(true))
            .when(none, lit(false))
            .when(expr.is_null().or(nulls), Expr::Literal(ScalarValue::Boolean(None), None))
            .otherwise(lit(false))?
    } else {
        found
    };
    Ok(if negated { Expr::Not(Box::new(value)) } else { value })
}

/// How many rows of the subquery there are, of which a condition holds.
fn how_many(subquery: &Subquery, condition: Option<Expr>) -> Result<Expr> {
    let mut plan = Arc::clone(&subquery.subquery);
    if condition.is_none() {
        while let Some(input) = of_as_many(&plan) {
            plan = input;
        }
    }
    if let Some(condition) = condition {
        plan = Arc::new(LogicalPlan::Filter(Filter::try_new(condition, plan)?));
    }
    let rows = count(lit(1_i64)).alias("rows");
    let counted = LogicalPlanBuilder::from(plan).aggregate(Vec::<Expr>::new(), [rows])?.build()?;
    let outer_ref_columns = counted.all_out_ref_exprs();
    let subquery = Arc::new(counted);
    Ok(Expr::ScalarSubquery(Subquery { subquery, outer_ref_columns, spans: Spans::new() }))
}

/// What a plan reads from that has rows if and only if that has.
fn of_as_many(plan: &LogicalPlan) -> Option<Arc<LogicalPlan>> {
    match plan {
        LogicalPlan::Projection(Projection { input, .. })
        | LogicalPlan::Sort(Sort { input, .. })
        | LogicalPlan::Distinct(Distinct::All(input)) => Some(Arc::clone(input)),
        LogicalPlan::Limit(limit) => {
            let skips = !matches!(limit.get_skip_type(), Ok(SkipType::Literal(0)));
            let some = matches!(limit.get_fetch_type(), Ok(FetchType::Literal(Some(1..))));
            (some && !skips).then(|| Arc::clone(&limit.input))
        }
        _ => None,
    }
}

/// The expression as a subquery sees it.
fn outer(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    let seen = |expr| match expr {
        Expr::Column(column) => {
            let field = schema.qualified_field_from_column(&column)?.1;
            Ok(Transformed::yes(Expr::OuterReferenceColumn(Arc::clone(field), column)))
        }
        other => Ok(Transformed::no(other)),
    };
    Ok(expr.transform_up(seen)?.data)
}
