//! The guard: an aggregate over rows that a join has multiplied is refused.
//!
//! `SELECT sum(o.total) FROM orders o JOIN items i ON i.order_id = o.id` counts an
//! order's total once for each of its items. The query is valid, the number is wrong,
//! and nobody sees it. Declared keys cannot tell, because files have none; so it is
//! measured, on the very rows that the query joins.
//!
//! ```text
//!   flow     (pure)  which tables a value comes from, and which joins could multiply them
//!   proof    (pure)  why a join cannot: its other side is grouped by the key, …
//!   measure          whether a table has a key (remembered by content), else the join's
//!                    rows against the rows that have a partner
//! ```
//!
//! A value is safe if one of the tables that it is made of still has each row once:
//! `sum(l.quantity * p.price)` over lines with their products is safe, `sum(p.price)`
//! is not. `MIN`, `MAX`, `DISTINCT`, semi-joins, joins on a key and what was grouped
//! before it was joined stay quiet; UNNEST multiplies the rows beside its elements as a join
//! does. `count(*)` counts the rows of the join, which is
//! what it says: it is warned of only where no table at all has its rows once.
//!
//! `/* allow: fanout(orders) */` in the query overrides, and is recorded with the result.
//!
//! What is of different [units] is refused beside it.

mod allow;
mod corrected;
mod flow;
mod measure;
mod proof;
mod units;

use std::collections::BTreeSet;

use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan};
use datafusion::sql::sqlparser::ast::Statement;

use self::allow::Allowed;
use self::corrected::Grouped;
use self::flow::{Flow, Multiplier, Values};
use self::measure::Measured;
use super::error::{Code, SqlError};
use super::warn::shown;

pub(super) use self::measure::{Keys, Measure};
pub(super) use self::units::KnownUnits;

/// What the guard has to say of a query that it lets through.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub warnings: Vec<String>,
    pub allowed: Vec<String>,
}

/// Refuses sums, averages and counts of multiplied rows, and of different units. `bound` is
/// the plan as it was written, `plan` the same without subqueries in expressions.
pub(super) async fn guard(
    bound: &LogicalPlan,
    plan: &LogicalPlan,
    comments: &[String],
    statement: &Statement,
    measure: &Measure<'_>,
) -> Result<Verdict, SqlError> {
    let allowed = Allowed::of(comments);
    let mut guard = Guard { allowed, statement, measure, verdict: Verdict::default() };
    for aggregate in aggregates(plan) {
        let flow = Flow::of(&aggregate.input);
        let mut known: Vec<Option<Measured>> = vec![None; flow.joins.len()];
        for expr in aggregate.aggr_expr.iter().filter(|_| !flow.joins.is_empty()) {
            if let Some(values) = watched(expr, &flow) {
                guard.judge(expr, &values, &flow, &mut known).await?;
            }
        }
    }
    let Guard { allowed, mut verdict, .. } = guard;
    units::guard(bound, &allowed, statement, measure, &mut verdict).await?;
    verdict.allowed.sort();
    verdict.allowed.dedup();
    verdict.warnings.sort();
    verdict.warnings.dedup();
    Ok(verdict)
}

fn aggregates(plan: &LogicalPlan) -> Vec<Aggregate> {
    let mut found = Vec::new();
    // A walk that only looks does not fail.
    let _ = plan.apply_with_subqueries(|plan| {
        if let LogicalPlan::Aggregate(aggregate) = plan {
            found.push(aggregate.clone());
        }
        Ok(TreeNodeRecursion::Continue)
    });
    found
}

/// The tables that an aggregate's value is made of, if it is one that counts rows.
fn watched(expr: &Expr, flow: &Flow) -> Option<Values> {
    let Expr::AggregateFunction(function) = unaliased(expr) else { return None };
    let counts = matches!(function.func.name(), "sum" | "avg" | "count");
    if !counts || function.params.distinct {
        return None;
    }
    function.params.args.first().map(|argument| flow.values(argument))
}

fn unaliased(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => unaliased(&alias.expr),
        other => other,
    }
}

struct Guard<'a> {
    allowed: Allowed,
    statement: &'a Statement,
    measure: &'a Measure<'a>,
    verdict: Verdict,
}

impl Guard<'_> {
    async fn judge(
        &mut self,
        expr: &Expr,
        values: &Values,
        flow: &Flow,
        known: &mut [Option<Measured>],
    ) -> Result<(), SqlError> {
        for tables in values {
            // A constant counts the rows of the join: every table has a say.
            let counts_rows = tables.is_empty();
            let all: BTreeSet<usize> = (0..flow.sources.len()).collect();
            let tables = if counts_rows { &all } else { tables };
            let mut worst: Option<(usize, usize)> = None;
            // One table that keys keep from being multiplied is enough, and costs no counting.
            let mut is_safe = tables.is_empty() || self.is_one_proved(tables, flow, known).await?;
            for table in tables.iter().filter(|_| !is_safe) {
                let Some(join) = self.multiplied(*table, flow, known).await? else {
                    is_safe = true;
                    break;
                };
                worst = worst.or(Some((*table, join)));
            }
            let (false, Some((table, join))) = (is_safe, worst) else { continue };
            let Some(Measured::Multiplies { before, after }) = known[join] else { continue };
            let told = Told { expr, flow, table, join, before, after };
            let source = &flow.sources[table];
            if counts_rows {
                self.verdict.warnings.push(told.warning());
            } else if self.allowed.fanout(&source.name, source.alias.as_deref()) {
                self.verdict.allowed.push(told.allowed());
            } else {
                return Err(told.refusal(self.corrected(&flow.joins[join])));
            }
        }
        Ok(())
    }

    /// Whether keys say of one of these tables that no join multiplies its rows.
    async fn is_one_proved(
        &self,
        tables: &BTreeSet<usize>,
        flow: &Flow,
        known: &mut [Option<Measured>],
    ) -> Result<bool, SqlError> {
        for table in tables {
            let mut is_proved = true;
            for (number, join) in flow.joins.iter().enumerate() {
                if !is_proved || !join.victims.contains(table) {
                    continue;
                }
                if known[number].is_none() && self.measure.is_proved(join).await? {
                    known[number] = Some(Measured::Keeps);
                }
                is_proved = known[number] == Some(Measured::Keeps);
            }
            if is_proved {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The join that multiplies a table's rows, if one does.
    async fn multiplied(
        &mut self,
        table: usize,
        flow: &Flow,
        known: &mut [Option<Measured>],
    ) -> Result<Option<usize>, SqlError> {
        for (number, join) in flow.joins.iter().enumerate() {
            if !join.victims.contains(&table) {
                continue;
            }
            let found = match known[number] {
                Some(found) => found,
                None => self.measure.join(join).await?,
            };
            known[number] = Some(found);
            match found {
                Measured::Multiplies { .. } => return Ok(Some(number)),
                Measured::Unknown => self.verdict.warnings.push(format!(
                    "whether {} multiplies rows could not be measured within this query's memory: \
                     check it with a count",
                    join.what()
                )),
                Measured::Keeps => {}
            }
        }
        Ok(None)
    }

    /// The query with the other side of a join grouped by its key, if that is all it needs.
    fn corrected(&self, join: &Multiplier) -> Option<String> {
        let other = join.other();
        let bound = self.measure.tables.iter().find(|bound| bound.name == other.name)?;
        let fields = bound.table.schema().fields();
        let columns: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        let alias = other.alias.as_deref().unwrap_or(&other.name);
        let key = join.other_key()?;
        let grouped = Grouped { table: &other.name, alias, key: &key, columns: &columns };
        grouped.correct(self.statement)
    }
}

/// All that a message needs.
struct Told<'a> {
    expr: &'a Expr,
    flow: &'a Flow,
    table: usize,
    join: usize,
    before: u64,
    after: u64,
}

impl Told<'_> {
    fn factor(&self) -> String {
        let factor = self.after as f64 / self.before.max(1) as f64;
        let text = format!("{factor:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    fn warning(&self) -> String {
        let join = &self.flow.joins[self.join];
        format!(
            "{} counts pairs: {} has no table whose rows stand in it once; count DISTINCT keys, or \
             aggregate before joining, if pairs are not what is meant",
            shown(unaliased(self.expr)),
            join.what()
        )
    }

    fn allowed(&self) -> String {
        format!(
            "fanout({}): {} counts its rows {} times on average",
            self.flow.sources[self.table].name,
            shown(unaliased(self.expr)),
            self.factor()
        )
    }

    fn refusal(&self, corrected: Option<String>) -> SqlError {
        let source = &self.flow.sources[self.table];
        let join = &self.flow.joins[self.join];
        let message = format!(
            "{} counts rows of {:?} {} times on average: {} makes {} rows of {}",
            shown(unaliased(self.expr)),
            source.name,
            self.factor(),
            join.what(),
            self.after,
            self.before
        );
        let instead = match corrected {
            Some(query) => format!("write {query}"),
            None => join.instead(source),
        };
        SqlError::new(Code::Fanout, message).next(format!(
            "{instead}; or, if it is meant, write /* allow: fanout({}) */",
            source.name
        ))
    }
}

#[cfg(test)]
mod tests;
