//! The second gate: what a plan may do.
//!
//! A pure function of the bound plan. The plan has no comments, no spellings and no
//! quotes to hide behind: each step and each expression in it is one of a closed
//! set, and what is not on the list below is refused, so a step that a new version of
//! the engine brings is refused until somebody has looked at it. Subqueries are plans
//! within expressions and are walked like the rest.

use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan, WindowFunctionDefinition};

use super::error::{Code, SqlError};
use super::functions;

/// Refuses a plan that does anything but read.
pub(super) fn gate(plan: &LogicalPlan) -> Result<(), SqlError> {
    let mut refused = None;
    let walked = plan.apply_with_subqueries(|plan| {
        refused = step(plan).err();
        if refused.is_none() {
            plan.apply_expressions(|expr| {
                expr.apply(|expr| {
                    refused = refused.take().or(expression(expr).err());
                    Ok(go_on(refused.is_none()))
                })
            })?;
        }
        Ok(go_on(refused.is_none()))
    });
    match (refused, walked) {
        (Some(refused), _) => Err(refused),
        (None, Ok(_)) => Ok(()),
        (None, Err(error)) => Err(SqlError::new(Code::Internal, error.strip_backtrace())),
    }
}

fn go_on(on: bool) -> TreeNodeRecursion {
    if on { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop }
}

fn step(plan: &LogicalPlan) -> Result<(), SqlError> {
    let (code, what) = match plan {
        LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::Aggregate(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Join(_)
        | LogicalPlan::Union(_)
        | LogicalPlan::TableScan(_)
        | LogicalPlan::EmptyRelation(_)
        | LogicalPlan::Subquery(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Values(_)
        | LogicalPlan::Distinct(_)
        | LogicalPlan::Unnest(_)
        // Ended by the deadline if it does not end by itself.
        | LogicalPlan::RecursiveQuery(_)
        // The plan that they hold is walked like any other.
        | LogicalPlan::Explain(_)
        | LogicalPlan::Analyze(_) => return Ok(()),
        LogicalPlan::Dml(_) | LogicalPlan::Copy(_) => (Code::Write, "the query would write"),
        LogicalPlan::Ddl(_) => (Code::Statement, "the statement defines something"),
        LogicalPlan::Statement(_) => (Code::Statement, "the statement is no query"),
        LogicalPlan::DescribeTable(_) => (Code::Statement, "DESCRIBE is no query"),
        LogicalPlan::Repartition(_) => (Code::Plan, "the query asks for a partitioning"),
        LogicalPlan::Extension(_) => (Code::Plan, "the plan has a step that is not known here"),
    };
    Err(SqlError::new(code, format!("{what}: a query only reads")).next("write one SELECT"))
}

fn expression(expr: &Expr) -> Result<(), SqlError> {
    let name = match expr {
        Expr::ScalarFunction(function) => function.func.name(),
        Expr::HigherOrderFunction(function) => function.name(),
        Expr::AggregateFunction(function) => function.func.name(),
        Expr::WindowFunction(function) => match &function.fun {
            WindowFunctionDefinition::AggregateUDF(function) => function.name(),
            WindowFunctionDefinition::WindowUDF(function) => function.name(),
        },
        Expr::ScalarVariable(..) | Expr::Placeholder(_) => {
            return Err(SqlError::new(Code::Variable, "there are no variables and no parameters")
                .next("write the value"));
        }
        Expr::Alias(_)
        | Expr::Column(_)
        | Expr::Literal(..)
        | Expr::BinaryExpr(_)
        | Expr::Like(_)
        | Expr::SimilarTo(_)
        | Expr::Not(_)
        | Expr::IsNotNull(_)
        | Expr::IsNull(_)
        | Expr::IsTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNotFalse(_)
        | Expr::IsNotUnknown(_)
        | Expr::Negative(_)
        | Expr::Between(_)
        | Expr::Case(_)
        | Expr::Cast(_)
        | Expr::TryCast(_)
        | Expr::InList(_)
        | Expr::Exists(_)
        | Expr::InSubquery(_)
        | Expr::SetComparison(_)
        | Expr::ScalarSubquery(_)
        | Expr::GroupingSet(_)
        | Expr::OuterReferenceColumn(..)
        | Expr::Unnest(_)
        | Expr::Lambda(_)
        | Expr::LambdaVariable(_) => return Ok(()),
        #[allow(deprecated, reason = "the engine still has it; it is refused like what is unknown")]
        Expr::Wildcard { .. } => {
            return Err(SqlError::new(Code::Plan, "a * stands where none can"));
        }
    };
    if functions::is_known(name) {
        return Ok(());
    }
    Err(SqlError::new(Code::Function, format!("the function {name:?} is not available"))
        .near(functions::nearest(name)))
}
