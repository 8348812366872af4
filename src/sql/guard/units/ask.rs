//! Counting the units of rows.

use datafusion::common::Column;
use datafusion::functions_aggregate::expr_fn::{count, max, min};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};

use super::finding::{About, Finding};
use crate::sql::error::{Code, SqlError};
use crate::sql::guard::Measure;
use crate::sql::translate::{Phase, translate};
use crate::units::clash;

/// Different units, or pairs of them, that are told apart.
const UNITS: usize = 40;

/// The units that were found, with their rows.
pub(super) type Units = Vec<(String, u64)>;

impl Measure<'_> {
    /// The units that are mixed; `None` if none are.
    pub(super) async fn units_of(&self, finding: &Finding) -> Result<Option<Units>, SqlError> {
        let counted = match &finding.about {
            About::Known(..) | About::Unclear(..) => return Ok(Some(Vec::new())),
            About::Rows { input, unit, groups, only } if groups.is_empty() => {
                self.units_of_rows(input, unit, only).await
            }
            About::Rows { input, unit, groups, only } => {
                match self.is_mixed_in_a_group(input, unit, groups, only).await {
                    Ok(true) => self.units_of_rows(input, unit, only).await,
                    Ok(false) => Ok(Vec::new()),
                    Err(error) => Err(error),
                }
            }
            About::Pair { input, units, only } => self.units_of_pairs(input, units, only).await,
        };
        match counted {
            Ok(units) => Ok((!units.is_empty()).then_some(units)),
            Err(error) if matches!(error.code, Code::Cancelled | Code::Time) => Err(error),
            // The query itself computes the same and says what is wrong with it.
            Err(_) => Ok(None),
        }
    }

    async fn units_of_rows(
        &self,
        input: &LogicalPlan,
        unit: &Expr,
        only: &[Expr],
    ) -> Result<Units, SqlError> {
        let plan = where_told(input, &[unit], only)
            .and_then(|plan| plan.aggregate(vec![unit.clone().alias("unit")], vec![rows()]))
            .and_then(|plan| plan.limit(0, Some(UNITS)))
            .and_then(LogicalPlanBuilder::build)
            .map_err(|error| translate(&error, Phase::Planning))?;
        let units = self.counted(&plan, UNITS).await?;
        let mixed = units.iter().any(|(one, _)| units.iter().any(|(other, _)| clash(one, other)));
        Ok(if mixed { units } else { Vec::new() })
    }

    async fn is_mixed_in_a_group(
        &self,
        input: &LogicalPlan,
        unit: &Expr,
        groups: &[Expr],
        only: &[Expr],
    ) -> Result<bool, SqlError> {
        let ends = vec![min(unit.clone()).alias("__lo"), max(unit.clone()).alias("__hi")];
        let end = |name: &str| Expr::Column(Column::new_unqualified(name));
        let plan = where_told(input, &[unit], only)
            .and_then(|plan| plan.aggregate(groups.to_vec(), ends))
            .and_then(|plan| plan.filter(end("__lo").not_eq(end("__hi"))))
            .and_then(|plan| plan.aggregate(vec![end("__lo"), end("__hi")], vec![rows()]))
            .and_then(|plan| plan.limit(0, Some(UNITS)))
            .and_then(LogicalPlanBuilder::build)
            .map_err(|error| translate(&error, Phase::Planning))?;
        let pairs = self.texts(&plan, UNITS).await?;
        Ok(pairs.iter().any(|pair| pair.len() == 3 && clash(&pair[0], &pair[1])))
    }

    async fn units_of_pairs(
        &self,
        input: &LogicalPlan,
        (one, other): &(Expr, Expr),
        only: &[Expr],
    ) -> Result<Units, SqlError> {
        let both = vec![one.clone().alias("one"), other.clone().alias("other")];
        let plan = where_told(input, &[one, other], only)
            .and_then(|plan| plan.filter(one.clone().not_eq(other.clone())))
            .and_then(|plan| plan.aggregate(both, vec![rows()]))
            .and_then(|plan| plan.limit(0, Some(UNITS)))
            .and_then(LogicalPlanBuilder::build)
            .map_err(|error| translate(&error, Phase::Planning))?;
        let pairs = self.texts(&plan, UNITS).await?;
        let told = pairs.into_iter().filter(|pair| pair.len() == 3 && clash(&pair[0], &pair[1]));
        Ok(told
            .map(|pair| {
                let word = |key: &str| super::function::named(key);
                let rows = pair[2].parse().unwrap_or(0);
                (format!("{} with {}", word(&pair[0]), word(&pair[1])), rows)
            })
            .collect())
    }
}

fn rows() -> Expr {
    count(lit(1)).alias("__rows")
}

/// The rows that have a unit, and where the value is computed.
fn where_told(
    input: &LogicalPlan,
    units: &[&Expr],
    only: &[Expr],
) -> datafusion::common::Result<LogicalPlanBuilder> {
    let told = units.iter().map(|unit| (*unit).clone().is_not_null());
    let all = only.iter().cloned().chain(told).reduce(Expr::and);
    let plan = LogicalPlanBuilder::from(input.clone());
    match all {
        Some(all) => plan.filter(all),
        None => Ok(plan),
    }
}
