//! An aggregate over no rows: SUM, AVG, MIN and MAX give NULL, count gives 0.
//!
//! One row comes out, so that nothing looks empty. It is looked into only where a
//! NULL or a 0 is in the answer.

use arrow::array::{Array as _, ArrayRef, AsArray as _};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type};
use datafusion::common::Column;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, LogicalPlanBuilder, lit};

use crate::sql::error::SqlError;
use crate::sql::guard::Measure;
use crate::sql::translate::{Phase, translate};
use crate::sql::zero;

/// See the module.
pub(super) struct Nothing {
    aggregate: Aggregate,
    /// Columns of the answer that are an aggregate's value, with their names.
    values: Vec<(usize, String)>,
    nulls: Vec<String>,
    zero: bool,
}

impl Nothing {
    /// The aggregate without groups at the top of a plan.
    pub(super) fn of(plan: &LogicalPlan) -> Option<Self> {
        let aggregate = top(plan)?.clone();
        let names = plan.schema().fields().iter().map(|field| field.name().clone());
        let values = names.enumerate().filter(|(at, _)| is_value(plan, *at)).collect();
        Some(Self { aggregate, values, nulls: Vec::new(), zero: false })
    }

    pub(super) fn see(&mut self, columns: &[ArrayRef], rows: usize) {
        if rows != 1 {
            return;
        }
        for (at, name) in &self.values {
            let Some(column) = columns.get(*at) else { continue };
            if column.is_null(0) {
                self.nulls.push(name.clone());
            } else if let Ok(number) = cast(column, &DataType::Float64) {
                self.zero |=
                    number.as_primitive::<Float64Type>().iter().flatten().all(|n| n == 0.0);
            }
        }
    }

    pub(super) async fn told(
        self,
        may_show: bool,
        measure: &Measure<'_>,
    ) -> Result<Vec<String>, SqlError> {
        if self.nulls.is_empty() && !self.zero {
            return Ok(Vec::new());
        }
        let counted = LogicalPlanBuilder::from(self.aggregate.input.as_ref().clone())
            .aggregate(Vec::<Expr>::new(), vec![count(lit(1)).alias("n")])
            .and_then(LogicalPlanBuilder::build)
            .map_err(|error| translate(&error, Phase::Planning))?;
        let rows = measure.numbers(&counted).await?.first().copied().unwrap_or(0);
        if rows == 0 {
            let mut told = vec![
                "the aggregate is over no rows at all: sum, avg, min and max of nothing are NULL, and \
                 count is 0"
                    .to_owned(),
            ];
            told.extend(zero::explain(&self.aggregate.input, may_show, measure).await?);
            return Ok(told);
        }
        let none = |name: &String| {
            format!(
                "{name} is NULL: none of the {rows} rows has a value for it (or passes its FILTER)"
            )
        };
        Ok(self.nulls.iter().map(none).collect())
    }
}

fn top(plan: &LogicalPlan) -> Option<&Aggregate> {
    match plan {
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty().then_some(aggregate),
        LogicalPlan::Projection(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::SubqueryAlias(_) => top(plan.inputs()[0]),
        _ => None,
    }
}

/// Whether a column is an aggregate's value as it is.
fn is_value(plan: &LogicalPlan, at: usize) -> bool {
    match plan {
        LogicalPlan::Aggregate(_) => true,
        LogicalPlan::Projection(projection) => {
            let place = column(&projection.expr[at])
                .and_then(|column| projection.input.schema().maybe_index_of_column(column));
            place.is_some_and(|at| is_value(&projection.input, at))
        }
        _ => plan.inputs().first().is_some_and(|input| is_value(input, at)),
    }
}

fn column(expr: &Expr) -> Option<&Column> {
    match expr {
        Expr::Column(column) => Some(column),
        Expr::Alias(alias) => column(&alias.expr),
        _ => None,
    }
}
