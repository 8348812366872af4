//! Which rows of a table each group of a query is made of.
//!
//! For a room that shows no small groups. Only a query of a plain form can be judged: sums,
//! averages and counts of columns of one table, over its rows or over those that a condition
//! keeps, in groups or in one. What stands above the groups (other names, arithmetic,
//! `HAVING`, an order) is a function of each group by itself. Of any other query nothing is
//! known, and nothing is shown: a minimum is one row's value, `sum(CASE …)` has a condition
//! within, a window sees other groups, a join makes other rows.
//!
//! The rows are found by a plan of our own: the condition and the groups as columns beside
//! every row of the table, in its order, so that a row's number names it in every query.

use std::collections::HashMap;

use arrow::array::{Array, AsArray as _};
use arrow::record_batch::RecordBatch;
use arrow::row::{OwnedRow, RowConverter, SortField};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::error::DataFusionError;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::physical_plan::execute_stream;

use super::engine::{Watch, next};
use super::error::{Code, SqlError};
use super::translate::{Phase, translate};

/// Groups that are judged; a query with more tells of single rows.
const MOST: usize = 20_000;

/// The rows of each group of a query.
#[derive(Debug, Clone, Default)]
pub struct Groups {
    /// The groups.
    pub all: Vec<Group>,
    /// Where in the result the columns are by which it is grouped.
    pub key_columns: Vec<usize>,
    /// Whether the result leaves groups out by their place: which ones are left tells of
    /// those that are not.
    pub is_cut: bool,
    /// Rows of the table.
    pub rows: usize,
}

/// One group.
#[derive(Debug, Clone)]
pub struct Group {
    /// What it is called: the texts of its columns.
    pub key: Vec<Option<String>>,
    /// The numbers of its rows.
    pub rows: Vec<u32>,
}

/// What can be judged of a plan.
struct Form {
    source: LogicalPlan,
    conditions: Vec<Expr>,
    by: Vec<Expr>,
    key_columns: Vec<usize>,
    is_cut: bool,
}

/// The groups of a query; `None` if it is of another form.
pub(super) async fn groups(
    plan: &LogicalPlan,
    state: &SessionState,
    watch: &Watch,
) -> Result<Option<Groups>, SqlError> {
    let Some(form) = form(plan) else { return Ok(None) };
    let planning = |error: DataFusionError| translate(&error, Phase::Planning);
    let kept = form.conditions.iter().cloned().reduce(Expr::and).unwrap_or_else(|| lit(true));
    let beside = form.by.iter().enumerate().map(|(at, expr)| expr.clone().alias(format!("by{at}")));
    let columns: Vec<Expr> = std::iter::once(kept.is_true().alias("kept")).chain(beside).collect();
    let asked = LogicalPlanBuilder::from(form.source)
        .project(columns)
        .and_then(LogicalPlanBuilder::build)
        .map_err(planning)?;
    let optimized = state.optimize(&asked).map_err(planning)?;
    let planner = state.query_planner();
    let physical = planner.create_physical_plan(&optimized, state).await.map_err(planning)?;
    let mut stream = execute_stream(physical, state.task_ctx())
        .map_err(|error| translate(&error, Phase::Running))?;
    let mut found = Found { groups: Groups::default(), places: HashMap::new(), converter: None };
    found.groups.key_columns = form.key_columns;
    found.groups.is_cut = form.is_cut;
    if form.by.is_empty() {
        // There is one group, also over nothing.
        found.groups.all.push(Group { key: Vec::new(), rows: Vec::new() });
    }
    while let Some(batch) = next(&mut stream, watch).await? {
        if !found.see(&batch).map_err(|error| failed(&error))? {
            return Ok(None);
        }
    }
    Ok(Some(found.groups))
}

fn failed(error: &arrow::error::ArrowError) -> SqlError {
    SqlError::new(Code::Internal, format!("the groups cannot be told apart: {error}")).of_data()
}

struct Found {
    groups: Groups,
    places: HashMap<OwnedRow, usize>,
    converter: Option<RowConverter>,
}

impl Found {
    /// Sorts some rows into their groups; `false` if there are too many of either.
    fn see(&mut self, batch: &RecordBatch) -> Result<bool, arrow::error::ArrowError> {
        let (first, keys) = (self.groups.rows, &batch.columns()[1..]);
        self.groups.rows += batch.num_rows();
        if u32::try_from(self.groups.rows).is_err() {
            return Ok(false);
        }
        let kept = batch.column(0).as_boolean();
        let rows = (0..batch.num_rows()).filter(|row| kept.is_valid(*row) && kept.value(*row));
        if keys.is_empty() {
            let Some(only) = self.groups.all.first_mut() else { return Ok(false) };
            only.rows.extend(rows.map(|row| (first + row) as u32));
            return Ok(true);
        }
        let converter = match &mut self.converter {
            Some(converter) => converter,
            none => {
                let fields = keys.iter().map(|key| SortField::new(key.data_type().clone()));
                none.insert(RowConverter::new(fields.collect())?)
            }
        };
        let converted = converter.convert_columns(keys)?;
        let options = FormatOptions::default();
        let texts: Vec<ArrayFormatter<'_>> = keys
            .iter()
            .map(|key| ArrayFormatter::try_new(key, &options))
            .collect::<Result<_, _>>()?;
        for row in rows {
            let all = &mut self.groups.all;
            let place = *self.places.entry(converted.row(row).owned()).or_insert_with(|| {
                let text = |(key, format): (&_, &ArrayFormatter<'_>)| {
                    Array::is_valid(key, row).then(|| format.value(row).to_string())
                };
                all.push(Group { key: keys.iter().zip(&texts).map(text).collect(), rows: vec![] });
                all.len() - 1
            });
            if all.len() > MOST {
                return Ok(false);
            }
            all[place].rows.push((first + row) as u32);
        }
        Ok(true)
    }
}

/// What a plan is, if it can be judged.
fn form(plan: &LogicalPlan) -> Option<Form> {
    let (aggregate, outputs, is_cut) = above(plan)?;
    let by = &aggregate.group_expr;
    if !by.iter().all(is_plain) || !aggregate.aggr_expr.iter().all(is_sum) {
        return None;
    }
    // Each group has to be known by its columns in the result.
    let place = |group: usize| outputs.iter().position(|output| *output == Some(group));
    let key_columns = (0..by.len()).map(place).collect::<Option<Vec<usize>>>()?;
    let mut conditions = Vec::new();
    let mut source = aggregate.input.as_ref();
    while let LogicalPlan::Filter(filter) = source {
        conditions.push(filter.predicate.clone());
        source = filter.input.as_ref();
    }
    let table = match source {
        LogicalPlan::SubqueryAlias(alias) => alias.input.as_ref(),
        other => other,
    };
    let is_table = matches!(table, LogicalPlan::TableScan(scan) if scan.filters.is_empty() && scan.fetch.is_none());
    (is_table && conditions.iter().all(is_plain)).then(|| Form {
        source: source.clone(),
        conditions,
        by: by.clone(),
        key_columns,
        is_cut,
    })
}

/// The groups below a plan, which of them each of its columns is, and whether it cuts.
fn above(plan: &LogicalPlan) -> Option<(&Aggregate, Vec<Option<usize>>, bool)> {
    match plan {
        LogicalPlan::Aggregate(aggregate) => {
            let columns = aggregate.schema.fields().len();
            let groups = aggregate.group_expr.len();
            Some((aggregate, (0..columns).map(|at| (at < groups).then_some(at)).collect(), false))
        }
        LogicalPlan::Projection(projection) => {
            let (aggregate, inputs, is_cut) = above(&projection.input)?;
            let schema = projection.input.schema();
            let output = |expr: &Expr| match unaliased(expr) {
                Expr::Column(column) => {
                    schema.maybe_index_of_column(column).and_then(|at| inputs[at])
                }
                _ => None,
            };
            let outputs = projection.expr.iter().map(output).collect();
            projection.expr.iter().all(is_plain).then_some((aggregate, outputs, is_cut))
        }
        LogicalPlan::Filter(filter) => above(&filter.input).filter(|_| is_plain(&filter.predicate)),
        LogicalPlan::Sort(sort) => {
            let (aggregate, outputs, is_cut) = above(&sort.input)?;
            Some((aggregate, outputs, is_cut || sort.fetch.is_some()))
        }
        LogicalPlan::SubqueryAlias(alias) => above(&alias.input),
        LogicalPlan::Limit(limit) => {
            let (aggregate, outputs, _) = above(&limit.input)?;
            Some((aggregate, outputs, true))
        }
        _ => None,
    }
}

/// Whether an expression depends on its row alone.
fn is_plain(expr: &Expr) -> bool {
    use datafusion::common::tree_node::TreeNode as _;
    let looks_elsewhere = expr.exists(|expr| {
        Ok(matches!(
            expr,
            Expr::ScalarSubquery(_)
                | Expr::InSubquery(_)
                | Expr::Exists(_)
                | Expr::SetComparison(_)
                | Expr::WindowFunction(_)
                | Expr::GroupingSet(_)
                | Expr::Unnest(_)
                | Expr::OuterReferenceColumn(..)
                | Expr::Placeholder(_)
        ))
    });
    !looks_elsewhere.unwrap_or(true) && !expr.is_volatile()
}

/// A sum, an average or a count of a column as it is: nothing within it chooses rows.
fn is_sum(expr: &Expr) -> bool {
    let Expr::AggregateFunction(function) = unaliased(expr) else { return false };
    let params = &function.params;
    matches!(function.func.name(), "sum" | "avg" | "count")
        && !params.distinct
        && params.filter.is_none()
        && params.order_by.is_empty()
        && params.args.iter().all(|argument| match uncast(argument) {
            Expr::Column(_) => true,
            Expr::Literal(..) => function.func.name() == "count",
            _ => false,
        })
}

fn unaliased(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => unaliased(&alias.expr),
        other => other,
    }
}

fn uncast(expr: &Expr) -> &Expr {
    match expr {
        Expr::Cast(cast) => uncast(&cast.expr),
        Expr::Alias(alias) => uncast(&alias.expr),
        other => other,
    }
}
