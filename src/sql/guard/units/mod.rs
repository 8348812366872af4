//! The guard over units: EUR and USD are not added, cents are not compared with euros.
//!
//! ```text
//!   facts    what a table's columns are in: by name, by the column beside, by signs
//!   walk     the plan again, with the unit of each value going along as a column
//!   expr     the unit of an expression; what must agree on the way to it
//!   arithmetic  sums, comparisons, products; what a constant does to a unit
//!   grouped  whether what an aggregate adds up has one unit in each group
//!   ask      counting, where only rows can tell
//!   told     what is said, and the query that was probably meant
//! ```
//!
//! What names say is judged from the plan. What cells say is counted, on the very rows that
//! the query uses: `sum(amount)` over EUR and USD is refused, and is quiet grouped by
//! `currency`, filtered to one currency, or over a country that has one. A blank is a unit
//! of its own, so that a number of which nobody knows the unit is not added to others;
//! `EUR` and `eur ` are one. A product with a rate (by the rate's name, or picked by a
//! CASE) has been converted, and nothing more is said of it; a constant may be none, see
//! [`arithmetic`]. Rows that are put in order by different units are a warning.
//!
//! `/* allow: units(payments) */` overrides, and is recorded with the result.

mod arithmetic;
mod ask;
mod corrected;
mod expr;
mod facts;
mod finding;
mod function;
mod grouped;
mod mark;
mod told;
mod walk;

use datafusion::logical_expr::LogicalPlan;
use datafusion::sql::sqlparser::ast::Statement;

use self::facts::Facts;
use self::finding::Verb;
use self::told::Told;
use self::walk::Walk;
use super::allow::Allowed;
use super::{Measure, Verdict};
use crate::sql::error::SqlError;

pub(in crate::sql) use self::facts::KnownUnits;

/// Refuses numbers that are made of different units.
pub(super) async fn guard(
    plan: &LogicalPlan,
    allowed: &Allowed,
    statement: &Statement,
    measure: &Measure<'_>,
    verdict: &mut Verdict,
) -> Result<(), SqlError> {
    let Some(facts) = Facts::load(plan, measure).await? else { return Ok(()) };
    let mut walk = Walk::new(&facts);
    walk.query(plan)?;
    for finding in &walk.findings {
        let Some(units) = measure.units_of(finding).await? else { continue };
        let told = Told { finding, units: &units, may_show: measure.may_show_values };
        let is_allowed =
            |origin: &mark::Origin| allowed.units(&origin.table, origin.alias.as_deref());
        if let Some(origin) = finding.of.iter().find(|origin| is_allowed(origin)) {
            verdict.allowed.push(format!("units({}): {}", origin.table, told.message()));
        } else if finding.verb == Verb::Ranks {
            verdict.warnings.push(told.message());
        } else {
            return Err(told.refusal(statement));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
