//! Aggregates and windows: whether the rows that are added up have one unit.

use std::sync::Arc;

use datafusion::functions_aggregate::expr_fn::min;
use datafusion::logical_expr::expr::{AggregateFunction, Sort, WindowFunction};
use datafusion::logical_expr::{Aggregate, Expr, ExprFunctionExt as _, GroupingSet, LogicalPlan};

use super::finding::{About, Finding, Verb};
use super::mark::{Mark, Marks};
use super::walk::{Along, Marked, Walk, columns};
use crate::sql::error::SqlError;
use crate::sql::translate::{Phase, translate};
use crate::sql::warn::shown;

/// Aggregates that add up or lie between values.
const ADDS: &[&str] = &[
    "sum",
    "avg",
    "mean",
    "median",
    "approx_median",
    "approx_percentile_cont",
    "approx_percentile_cont_with_weight",
    "percentile_cont",
    "quantile_cont",
    "stddev",
    "stddev_pop",
    "stddev_samp",
];
/// Aggregates that find one.
const RANKS: &[&str] = &["min", "max"];
/// Aggregates whose value is one of the values.
const PICKS: &[&str] =
    &["first_value", "last_value", "nth_value", "any_value", "first", "last", "lag", "lead"];

impl Walk<'_> {
    pub(super) fn aggregate(&mut self, aggregate: &Aggregate) -> Result<Marked, SqlError> {
        let input = self.node(&aggregate.input)?;
        let sets = grouping_sets(&aggregate.group_expr);
        let mut along = Along::none();
        let mut marks = Vec::new();
        let groups: Vec<Expr> = match aggregate.group_expr.as_slice() {
            [Expr::GroupingSet(set)] => set.distinct_expr().into_iter().cloned().collect(),
            plain => plain.to_vec(),
        };
        for group in &groups {
            let mark = self.reader(&input).mark(group)?;
            marks.push(self.taken(&mut along, mark, None));
        }
        // Grouping sets have a column of their own, which says the set.
        let own = aggregate.schema.fields().len() - aggregate.aggr_expr.len();
        marks.resize(own, Mark::Free);
        for expr in &aggregate.aggr_expr {
            let mark = self.summed(expr, &input, &sets)?;
            let filter = function(expr).and_then(|function| function.params.filter.as_deref());
            marks.push(self.taken(&mut along, mark, filter));
        }
        let keys: Vec<Expr> =
            input.keys.iter().map(|key| along.add(self, &min(key.clone()))).collect();
        let aggregates = aggregate.aggr_expr.iter().cloned().chain(along.aliased()).collect();
        let groups = aggregate.group_expr.clone();
        let plan = Aggregate::try_new(Arc::new(input.plan), groups, aggregates)
            .map(LogicalPlan::Aggregate)
            .map_err(|error| translate(&error, Phase::Planning))?;
        let marks = Marks(columns(&plan).into_iter().zip(marks).collect());
        Ok(Marked { plan, marks, keys, is_loose: input.is_loose })
    }

    /// All rows of a group have one unit, or there is a finding: so the least is the one.
    fn taken(&mut self, along: &mut Along, mark: Mark, filter: Option<&Expr>) -> Mark {
        let Some(unit) = mark.carried().cloned() else { return mark };
        let mut least = min(unit);
        if let Some(filter) = filter
            && let Ok(filtered) = least.clone().filter(filter.clone()).build()
        {
            least = filtered;
        }
        let unit = along.add(self, &least);
        match mark {
            Mark::ByRow { of, .. } => Mark::ByRow { unit, of, blended: false },
            other => other.with_carried(unit),
        }
    }

    /// The mark of an aggregate's value.
    fn summed(
        &mut self,
        expr: &Expr,
        input: &Marked,
        sets: &[Vec<Expr>],
    ) -> Result<Mark, SqlError> {
        let Some(function) = function(expr) else { return Ok(Mark::Free) };
        let name = function.func.name();
        let params = &function.params;
        if let Some(filter) = &params.filter {
            self.reader(input).mark(filter)?;
        }
        let mut only: Vec<Expr> = params.filter.iter().map(|filter| (**filter).clone()).collect();
        if !ADDS.contains(&name) {
            for groups in sets {
                self.ranked(&format!("{name} ORDER BY"), &params.order_by, groups, input, &only)?;
            }
        }
        let Some(argument) = params.args.first() else { return Ok(Mark::Free) };
        let mut reader = self.reader(input);
        reader.only.clone_from(&only);
        let mark = reader.mark(argument)?.of_value();
        let verb = if ADDS.contains(&name) {
            Verb::Adds
        } else if RANKS.contains(&name) {
            Verb::Ranks
        } else {
            return Ok(if PICKS.contains(&name) { mark } else { Mark::Free });
        };
        only.push(argument.clone().is_not_null());
        for groups in sets {
            self.one_unit_in_each(shown(unaliased(expr)), verb, &mark, input, groups, &only)?;
        }
        Ok(mark)
    }

    /// Rows that are put in order by a value must have one unit, among those that the keys
    /// before it (and what they are divided by) leave together.
    pub(super) fn ranked(
        &mut self,
        what: &str,
        keys: &[Sort],
        divided: &[Expr],
        input: &Marked,
        only: &[Expr],
    ) -> Result<(), SqlError> {
        let mut groups = divided.to_vec();
        for key in keys {
            let mark = self.reader(input).mark(&key.expr)?.of_value();
            let mut only = only.to_vec();
            only.push(key.expr.clone().is_not_null());
            let expr = format!("{what} {}", shown(unaliased(&key.expr)));
            self.one_unit_in_each(expr, Verb::Ranks, &mark, input, &groups, &only)?;
            groups.push(key.expr.clone());
        }
        Ok(())
    }

    /// A question, unless it is known that each group has one unit.
    fn one_unit_in_each(
        &mut self,
        expr: String,
        verb: Verb,
        mark: &Mark,
        input: &Marked,
        groups: &[Expr],
        only: &[Expr],
    ) -> Result<(), SqlError> {
        let Mark::ByRow { unit, of, .. } = mark else { return Ok(()) };
        if input.is_loose {
            return Ok(());
        }
        for group in groups {
            if matches!(self.reader(input).mark(group)?, Mark::Tells { unit: told } if told == *unit)
            {
                return Ok(());
            }
        }
        let about = About::Rows {
            input: Box::new(input.plan.clone()),
            unit: unit.clone(),
            groups: groups.iter().chain(&input.keys).cloned().collect(),
            only: only.to_vec(),
        };
        self.found(Finding { expr, verb, of: of.clone(), about });
        Ok(())
    }

    /// The mark of a window function's value.
    pub(super) fn over(&mut self, expr: &Expr, input: &Marked) -> Result<Mark, SqlError> {
        let Expr::WindowFunction(window) = unaliased(expr) else { return Ok(Mark::Free) };
        let WindowFunction { fun, params } = window.as_ref();
        let name = fun.name();
        let what = format!("{name} OVER ORDER BY");
        self.ranked(&what, &params.order_by, &params.partition_by, input, &[])?;
        let Some(argument) = params.args.first() else { return Ok(Mark::Free) };
        let mark = self.reader(input).mark(argument)?.of_value();
        let verb = if ADDS.contains(&name) {
            Verb::Adds
        } else if RANKS.contains(&name) {
            Verb::Ranks
        } else if PICKS.contains(&name) {
            // It is another row's: only a unit for all rows is known.
            return Ok(if matches!(mark, Mark::Fixed { .. }) { mark } else { Mark::Free });
        } else {
            return Ok(Mark::Free);
        };
        let mut only: Vec<Expr> = params.filter.iter().map(|filter| (**filter).clone()).collect();
        only.push(argument.clone().is_not_null());
        let groups = &params.partition_by;
        self.one_unit_in_each(shown(unaliased(expr)), verb, &mark, input, groups, &only)?;
        Ok(mark)
    }
}

fn function(expr: &Expr) -> Option<&AggregateFunction> {
    match unaliased(expr) {
        Expr::AggregateFunction(function) => Some(function),
        _ => None,
    }
}

fn unaliased(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => unaliased(&alias.expr),
        other => other,
    }
}

/// The groups of each set; a rollup has one without any.
fn grouping_sets(groups: &[Expr]) -> Vec<Vec<Expr>> {
    match groups {
        [Expr::GroupingSet(GroupingSet::GroupingSets(sets))] => sets.clone(),
        [Expr::GroupingSet(_)] => vec![Vec::new()],
        plain => vec![plain.to_vec()],
    }
}
