//! What a query asks for twice is computed once.
//!
//! A `WITH` that is used twice stands twice in the plan, and the engine would compute it
//! twice. Groups that are alike to the last expression, literal and type are computed before
//! the query, kept, and read in all of their places. They are kept within a part of the
//! query's memory; what is larger is computed in each place, as if nobody had tried.
//!
//! It is done when a plan has been checked, guarded and optimized: so much is alike only
//! where nothing of the places around has moved into it.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::{Field, Schema};
use arrow::record_batch::RecordBatch;
use datafusion::catalog::MemTable;
use datafusion::common::tree_node::{Transformed, TreeNode as _, TreeNodeRecursion};
use datafusion::common::{Column, DataFusionError, Result, TableReference};
use datafusion::datasource::provider_as_source;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::physical_plan::execute_stream;

use super::engine::{Watch, next};
use super::error::{Code, SqlError};
use super::translate::{Phase, translate};

/// One part of how many of a query's memory may be kept so.
const PART: usize = 4;

/// A plan whose equal parts are computed, and what keeps their memory taken.
pub(super) struct Shared {
    pub plan: LogicalPlan,
    _kept: Option<MemoryReservation>,
}

impl Shared {
    /// A plan as it is.
    pub(super) fn of(plan: LogicalPlan) -> Self {
        Self { plan, _kept: None }
    }
}

/// Computes once what stands in a plan more than once.
pub(super) async fn shared(
    plan: LogicalPlan,
    state: &SessionState,
    memory: u64,
    watch: &Watch,
) -> Result<Shared, SqlError> {
    let planning = |error: DataFusionError| translate(&error, Phase::Planning);
    let twice = twice(&plan).map_err(planning)?;
    if twice.is_empty() {
        return Ok(Shared::of(plan));
    }
    let most = usize::try_from(memory).unwrap_or(usize::MAX) / PART;
    let mut kept =
        MemoryConsumer::new("a part used twice").register(&state.runtime_env().memory_pool);
    let mut plan = plan;
    for (number, part) in twice.into_iter().enumerate() {
        let Some(batches) = computed(&part, state, most, &mut kept, watch).await? else { continue };
        let read = read(&part, number, batches).map_err(planning)?;
        plan = plan
            .transform_down_with_subqueries(|node| {
                Ok(if node == part {
                    Transformed::new(read.clone(), true, TreeNodeRecursion::Jump)
                } else {
                    Transformed::no(node)
                })
            })
            .map_err(planning)?
            .data;
    }
    Ok(Shared { plan, _kept: Some(kept) })
}

/// Groups that stand in a plan more than once, without those within others.
fn twice(plan: &LogicalPlan) -> Result<Vec<LogicalPlan>> {
    // What a recursive query has so far is another table in each round.
    if plan.exists(|node| Ok(matches!(node, LogicalPlan::RecursiveQuery(_))))? {
        return Ok(Vec::new());
    }
    let mut seen: HashMap<LogicalPlan, usize> = HashMap::new();
    plan.apply_with_subqueries(|node| {
        if matches!(node, LogicalPlan::Aggregate(_)) && is_constant(node)? {
            *seen.entry(node.clone()).or_default() += 1;
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    if seen.values().all(|times| *times < 2) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    plan.apply_with_subqueries(|node| {
        if seen.get(node).is_none_or(|times| *times < 2) {
            return Ok(TreeNodeRecursion::Continue);
        }
        if !found.contains(node) {
            found.push(node.clone());
        }
        Ok(TreeNodeRecursion::Jump)
    })?;
    Ok(found)
}

/// Whether a plan gives the same rows each time, and wherever it stands.
fn is_constant(plan: &LogicalPlan) -> Result<bool> {
    let mut is_constant = true;
    plan.apply_with_subqueries(|node| {
        for expr in node.expressions() {
            expr.apply(|expr| {
                let varies =
                    expr.is_volatile_node() || matches!(expr, Expr::OuterReferenceColumn(..));
                is_constant &= !varies;
                Ok(TreeNodeRecursion::Continue)
            })?;
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(is_constant)
}

/// The rows of a plan, unless they take more than `most` bytes or than is left.
async fn computed(
    plan: &LogicalPlan,
    state: &SessionState,
    most: usize,
    kept: &mut MemoryReservation,
    watch: &Watch,
) -> Result<Option<Vec<RecordBatch>>, SqlError> {
    let planning = |error: DataFusionError| translate(&error, Phase::Planning);
    let planner = state.query_planner();
    let physical = planner.create_physical_plan(plan, state).await.map_err(planning)?;
    let mut stream = execute_stream(physical, state.task_ctx())
        .map_err(|error| translate(&error, Phase::Running))?;
    let (mut batches, before) = (Vec::new(), kept.size());
    loop {
        let batch = match next(&mut stream, watch).await {
            Ok(Some(batch)) => batch,
            Ok(None) => return Ok(Some(batches)),
            // In its place it may have what is taken here.
            Err(error) if matches!(error.code, Code::Memory | Code::Spill) => break,
            Err(error) => return Err(error),
        };
        let bytes = batch.get_array_memory_size();
        if kept.size() + bytes > most || kept.try_grow(bytes).is_err() {
            break;
        }
        batches.push(batch);
    }
    kept.resize(before);
    Ok(None)
}

/// Reads rows under the names that the plan gave them.
fn read(plan: &LogicalPlan, number: usize, batches: Vec<RecordBatch>) -> Result<LogicalPlan> {
    // Two columns of a plan may have one name, of different tables.
    let name = |at: usize| format!("column {at}");
    let fields = plan.schema().fields().iter().enumerate();
    let fields: Vec<Field> =
        fields.map(|(at, field)| field.as_ref().clone().with_name(name(at))).collect();
    let schema = Arc::new(Schema::new(fields));
    let batches = batches
        .into_iter()
        .map(|batch| RecordBatch::try_new(Arc::clone(&schema), batch.columns().to_vec()))
        .collect::<Result<Vec<_>, _>>()?;
    let source = provider_as_source(Arc::new(MemTable::try_new(schema, vec![batches])?));
    let table = TableReference::bare(format!("part {number}"));
    let columns = plan.schema().iter().enumerate().map(|(at, (qualifier, field))| {
        Expr::Column(Column::new(Some(table.clone()), name(at)))
            .alias_qualified(qualifier.cloned(), field.name())
    });
    let columns: Vec<Expr> = columns.collect();
    LogicalPlanBuilder::scan(table, source, None)?.project(columns)?.build()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chrono::DateTime;
    use datafusion::execution::disk_manager::DiskManager;
    use datafusion::sql::parser::DFParser;

    use super::*;
    use crate::sql::session::{runtime, session};
    use crate::sql::tables::Opened;
    use crate::sql::tests::{cents, table, texts};

    /// How many parts of a query are computed once.
    async fn parts(sql: &str) -> usize {
        let table = table(vec![("k", texts(&["a", "b", "a"])), ("v", cents(&[1, 2, 3]))]);
        let disk = Arc::new(DiskManager::builder().build().unwrap());
        let opened = Arc::new(Opened::new(std::slice::from_ref(&table)));
        let runtime = runtime(1 << 24, &disk, opened).unwrap();
        let state = session(runtime, &[("t".to_owned(), table)], DateTime::UNIX_EPOCH).unwrap();
        let statement = DFParser::parse_sql(sql).unwrap().pop_front().unwrap();
        let plan = state.statement_to_plan(statement).await.unwrap();
        twice(&state.optimize(&plan).unwrap()).unwrap().len()
    }

    #[tokio::test]
    async fn what_is_alike_is_computed_once_and_what_only_looks_so_is_not() {
        let of = "SELECT k, sum(v) AS s FROM t";
        for (sql, expected) in [
            (
                format!(
                    "WITH r AS ({of} GROUP BY k) SELECT k FROM r WHERE s = (SELECT max(s) FROM r)"
                ),
                1,
            ),
            (format!("WITH r AS ({of} GROUP BY k) SELECT a.k FROM r a JOIN r b ON a.s < b.s"), 1),
            (format!("WITH r AS ({of} GROUP BY k) SELECT * FROM r"), 0),
            (format!("{of} WHERE v > 1 GROUP BY k UNION ALL {of} WHERE v > 2 GROUP BY k"), 0),
            (format!("{of} WHERE k = '1' GROUP BY k UNION ALL {of} WHERE k = 'l' GROUP BY k"), 0),
        ] {
            assert_eq!(parts(&sql).await, expected, "{sql}");
        }
    }
}
