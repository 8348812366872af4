//! ORDER BY … LIMIT n that cuts between rows which tie.
//!
//! Which of them are among the n is chance. The sort keys go along, and one row more than
//! was asked for: if its keys are those of the last row that is shown, the cut is one.

use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef};
use datafusion::common::{Column, Result, ScalarValue};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{
    BinaryExpr, Expr, FetchType, Limit, LogicalPlan, LogicalPlanBuilder, Operator, Projection,
    SkipType, Sort, lit,
};

use crate::sql::error::SqlError;
use crate::sql::guard::Measure;
use crate::sql::translate::{Phase, translate};
use crate::sql::warn::shown;

/// See the module.
pub(super) struct Ties {
    limit: usize,
    keys: Vec<Expr>,
    /// What is sorted.
    sorted: Arc<LogicalPlan>,
    /// Rows that went by.
    seen: usize,
    last: Vec<ScalarValue>,
    tied: bool,
}

impl Ties {
    /// A plan that is cut after a sort, with its keys and one row more.
    pub(super) fn of(plan: &LogicalPlan) -> Result<Option<(LogicalPlan, Self)>> {
        let LogicalPlan::Limit(limit) = plan else { return Ok(None) };
        let (FetchType::Literal(Some(rows)), SkipType::Literal(_)) =
            (limit.get_fetch_type()?, limit.get_skip_type()?)
        else {
            return Ok(None);
        };
        let (sort, shown): (&Sort, Vec<Expr>) = match limit.input.as_ref() {
            LogicalPlan::Sort(sort) => {
                let columns = sort.input.schema().iter().map(Column::from);
                (sort, columns.map(Expr::Column).collect())
            }
            LogicalPlan::Projection(projection) => match projection.input.as_ref() {
                LogicalPlan::Sort(sort) => (sort, projection.expr.clone()),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let keys: Vec<Expr> = sort.expr.iter().map(|key| key.expr.clone()).collect();
        // Rows that are the same in all that is shown can take each other's place.
        if rows == 0 || sort.fetch.is_some() || shown.iter().all(|expr| keys.contains(plain(expr)))
        {
            return Ok(None);
        }
        let along =
            keys.iter().enumerate().map(|(at, key)| key.clone().alias(format!("__key_{at}")));
        let exprs = shown.into_iter().chain(along).collect();
        let projected = Projection::try_new(exprs, Arc::new(LogicalPlan::Sort(sort.clone())))?;
        let watched = LogicalPlan::Limit(Limit {
            skip: limit.skip.clone(),
            fetch: Some(Box::new(lit(i64::try_from(rows.saturating_add(1)).unwrap_or(i64::MAX)))),
            input: Arc::new(LogicalPlan::Projection(projected)),
        });
        let sorted = Arc::clone(&sort.input);
        let ties = Self { limit: rows, keys, sorted, seen: 0, last: Vec::new(), tied: false };
        Ok(Some((watched, ties)))
    }

    /// Looks at the keys of some rows; how many of the rows are shown.
    pub(super) fn see(&mut self, keys: &[ArrayRef], rows: usize) -> usize {
        let row = |at: usize| -> Vec<ScalarValue> {
            keys.iter().filter_map(|key| ScalarValue::try_from_array(key, at).ok()).collect()
        };
        let shown = rows.min(self.limit - self.seen.min(self.limit));
        if shown < rows && self.seen <= self.limit {
            let last = if shown > 0 { row(shown - 1) } else { std::mem::take(&mut self.last) };
            self.tied = last.len() == self.keys.len() && last == row(shown);
            self.last = last;
        } else if rows > 0 && keys.iter().all(|key| key.len() == rows) {
            self.last = row(rows - 1);
        }
        self.seen += rows;
        shown
    }

    pub(super) async fn told(self, measure: &Measure<'_>) -> Result<Option<String>, SqlError> {
        if !self.tied {
            return Ok(None);
        }
        let same = self.keys.iter().zip(&self.last).map(|(key, value)| {
            Expr::BinaryExpr(BinaryExpr {
                left: Box::new(key.clone()),
                op: Operator::IsNotDistinctFrom,
                right: Box::new(Expr::Literal(value.clone(), None)),
            })
        });
        let Some(same) = same.reduce(Expr::and) else { return Ok(None) };
        let counted = LogicalPlanBuilder::from(self.sorted.as_ref().clone())
            .filter(same)
            .and_then(|plan| plan.aggregate(Vec::<Expr>::new(), vec![count(lit(1)).alias("n")]))
            .and_then(LogicalPlanBuilder::build)
            .map_err(|error| translate(&error, Phase::Planning))?;
        let tied = measure.numbers(&counted).await?.first().copied().unwrap_or(0);
        let keys: Vec<String> = self.keys.iter().map(shown).collect();
        let (limit, keys) = (self.limit, keys.join(", "));
        Ok(Some(format!(
            "LIMIT {limit} cuts through a tie: {tied} rows have the {keys} of the last one, and which \
             of them are shown is chance; order by a further column that decides, or keep all of \
             them with QUALIFY rank() OVER (ORDER BY …) <= {limit}"
        )))
    }
}

fn plain(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => plain(&alias.expr),
        other => other,
    }
}
