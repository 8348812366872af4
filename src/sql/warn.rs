//! What to know of a query's numbers that is no reason to refuse it.
//!
//! Pure functions of the plan: before types are made alike, for what was mixed, and
//! after, for what is computed.

use std::collections::BTreeSet;

use arrow::datatypes::DataType;
use datafusion::common::DFSchema;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable as _, LogicalPlan, Operator, expr::AggregateFunction,
};

use super::checked::undone;
use crate::units::is_money;

/// The warnings of a plan as it was bound, and as it is computed.
pub(super) fn warnings(bound: &LogicalPlan, analyzed: &LogicalPlan) -> Vec<String> {
    let mut found = BTreeSet::new();
    each(bound, &mut |expr, schema| {
        if let Expr::BinaryExpr(binary) = expr {
            found.extend(mixed_time(binary, schema));
        }
    });
    each(analyzed, &mut |expr, schema| match expr {
        Expr::BinaryExpr(binary) => found.extend(whole_division(binary, schema)),
        Expr::AggregateFunction(function) => found.extend(float_money(function, schema)),
        _ => {}
    });
    found.into_iter().collect()
}

/// Whether the result is one row that is made of many.
pub(super) fn is_single_aggregate(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        LogicalPlan::Projection(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::SubqueryAlias(_) => plan.inputs().into_iter().all(is_single_aggregate),
        _ => false,
    }
}

/// Shows every expression of a plan, with the columns that it can name.
fn each(plan: &LogicalPlan, see: &mut dyn FnMut(&Expr, &DFSchema)) {
    // A walk that only looks does not fail.
    let _ = plan.apply_with_subqueries(|plan| {
        let schema = merge_schema(&plan.inputs());
        plan.apply_expressions(|expr| {
            expr.apply(|expr| {
                see(expr, &schema);
                Ok(TreeNodeRecursion::Continue)
            })
        })
    });
}

fn whole_division(binary: &BinaryExpr, schema: &DFSchema) -> Option<String> {
    let BinaryExpr { left, op: Operator::Divide, right } = binary else { return None };
    let whole = |expr: &Expr| expr.get_type(schema).is_ok_and(|t| t.is_integer());
    (whole(left) && whole(right)).then(|| {
        format!(
            "{} divides whole numbers and cuts the rest off (7 / 2 is 3): write {} * 1.0 / {} for \
             the exact ratio",
            shown(&Expr::BinaryExpr(binary.clone())),
            shown(left),
            shown(right)
        )
    })
}

fn mixed_time(binary: &BinaryExpr, schema: &DFSchema) -> Option<String> {
    let BinaryExpr { left, op, right } = binary;
    if !(op.supports_propagation() || *op == Operator::Minus) {
        return None;
    }
    let types = (left.get_type(schema).ok()?, right.get_type(schema).ok()?);
    let (DataType::Timestamp(_, one), DataType::Timestamp(_, other)) = &types else { return None };
    (one.is_some() != other.is_some()).then(|| {
        format!(
            "{} mixes a time with a zone and one without: the one without is taken for UTC; if it \
             is local time, write … AT TIME ZONE 'Europe/…'",
            shown(&Expr::BinaryExpr(binary.clone()))
        )
    })
}

fn float_money(function: &AggregateFunction, schema: &DFSchema) -> Option<String> {
    if !matches!(function.func.name(), "sum" | "avg") {
        return None;
    }
    let argument = function.params.args.first()?;
    if !matches!(argument.get_type(schema).ok()?, DataType::Float32 | DataType::Float64) {
        return None;
    }
    let columns = argument.column_refs();
    let money = columns.iter().find(|column| is_money(&column.name))?;
    Some(format!(
        "{} adds money as floating-point numbers, which are off by fractions of a cent: write \
         CAST({} AS DECIMAL(18,2)) for exact cents",
        shown(&Expr::AggregateFunction(function.clone())),
        money.name
    ))
}

/// An expression as its author would write it, short.
pub(super) fn shown(expr: &Expr) -> String {
    let text = undone(expr).human_display().to_string();
    if text.chars().count() <= 80 {
        return text;
    }
    text.chars().take(79).chain(['…']).collect()
}
