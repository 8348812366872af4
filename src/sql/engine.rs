//! One query from its text to its last row.
//!
//! A query has a thread of its own, with a large stack, because planning recurses,
//! and an async runtime of its own on that thread, because then dropping it stops
//! everything that the query began. Between two batches, and each time a step of
//! the plan yields, it is asked whether it is cancelled or late. Whoever waits for it
//! does not depend on that: [`Engine::run`] comes back at the deadline even if a kernel
//! is deep in one long computation, whose thread then ends by itself.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::task::Poll;
use std::time::{Duration, Instant};

use arrow::compute::cast;
use arrow::datatypes::SchemaRef;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use cap_std::fs::Dir;
use chrono::{DateTime, Utc};
use datafusion::common::DataFusionError;
use datafusion::execution::session_state::SessionState;
use datafusion::execution::{SendableRecordBatchStream, disk_manager::DiskManager};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execute_stream;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::Statement as Syntax;
use futures::StreamExt as _;
use serde::{Deserialize, Serialize};
use tokio::time::MissedTickBehavior;

use super::answer::Answer;
use super::arguments;
use super::decimals::quick;
use super::error::{Code, SqlError};
use super::gate::gate;
use super::groups::{self, Groups};
use super::guard::{Keys, KnownUnits, Measure, guard};
use super::labels;
use super::names::Known;
use super::output;
use super::parse::Parsed;
use super::sensitive;
use super::session::{runtime, session};
use super::shared::{Shared, shared};
use super::spill::Folder;
use super::tables::Opened;
use super::translate::{Phase, translate};
use super::traps;
use super::warn;
use super::zero;
use crate::profile::SensitiveColumns;
use crate::table::Table;

/// Planning recurses over expressions and plans.
const STACK: usize = 64 << 20;
/// How often a query that waits is looked at.
const TICK: Duration = Duration::from_millis(10);
/// What a query that is to end has until it is given up.
const GRACE: Duration = Duration::from_millis(120);

/// What a query may use: the `[query]` section of `dataroom.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuerySettings {
    /// Bytes of its text.
    pub sql_bytes: usize,
    /// Milliseconds until it is ended.
    pub wall_ms: u64,
    /// Bytes that sorts, joins and groups may have in memory.
    pub memory_bytes: u64,
    /// Bytes on disk that all queries together may have for what does not fit.
    pub spill_bytes: u64,
}

impl Default for QuerySettings {
    fn default() -> Self {
        Self { sql_bytes: 100_000, wall_ms: 60_000, memory_bytes: 1 << 30, spill_bytes: 16 << 30 }
    }
}

/// A table that a query reads.
#[derive(Debug, Clone)]
pub struct Bound {
    /// As the query has it.
    pub asked: String,
    /// Its own name.
    pub name: String,
    /// Its rows.
    pub table: Table,
    /// The hash of its content.
    pub content_hash: String,
    /// Its columns that nobody should be shown.
    pub sensitive: Arc<SensitiveColumns>,
    /// Whether it has only the rows that this query's own conditions let pass.
    pub is_filtered: bool,
}

/// A query to run.
#[derive(Debug, Clone)]
pub struct Query {
    /// What it says.
    pub parsed: Parsed,
    /// What it reads.
    pub tables: Vec<Bound>,
    /// What `now()` gives.
    pub started: DateTime<Utc>,
    /// Whether a warning may quote a cell.
    pub may_show_values: bool,
    /// Whether the rows of its groups are to be found, and nothing is said that counts others.
    pub judges_groups: bool,
}

/// What is known of a query before its first row.
#[derive(Debug, Clone, Default)]
pub struct Planned {
    /// What to know of its numbers.
    pub warnings: Vec<String>,
    /// What its author allowed by a comment.
    pub allowed: Vec<String>,
    /// Whether each row is made of many: an aggregate without groups.
    pub is_single_aggregate: bool,
    /// Columns of the result that are made of what nobody should be shown.
    pub sensitive: SensitiveColumns,
}

/// Where the rows of a query go.
pub trait Sink: Send {
    /// Before the first row.
    ///
    /// # Errors
    /// The rows cannot be taken.
    fn begin(&mut self, schema: &SchemaRef, planned: &Planned) -> Result<(), SqlError>;

    /// Some rows, in their order.
    ///
    /// # Errors
    /// The rows cannot be taken.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), SqlError>;
}

/// A query that came to its end.
#[derive(Debug)]
pub struct Done<S> {
    /// What was known before.
    pub planned: Planned,
    /// What came out.
    pub rows: u64,
    /// Where the rows went.
    pub sink: S,
    /// The rows of its groups, if they were asked for and can be told.
    pub groups: Option<Groups>,
}

/// Whether a query is to stop.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// Runs queries. What it keeps between two of them is a folder.
#[derive(Debug)]
pub struct Engine {
    shared: Arc<AllQueries>,
    settings: QuerySettings,
}

/// What queries share.
#[derive(Debug)]
pub(super) struct AllQueries {
    disk: Arc<DiskManager>,
    memory: u64,
    keys: Keys,
    units: KnownUnits,
}

impl AllQueries {
    /// Bytes of memory that a query may have.
    pub(super) fn memory(&self) -> u64 {
        self.memory
    }

    /// Where what does not fit goes.
    pub(super) fn disk(&self) -> &Arc<DiskManager> {
        &self.disk
    }
}

impl Engine {
    /// An engine whose queries put what does not fit into `spill`.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub fn new(spill: Dir, settings: QuerySettings) -> Result<Self, SqlError> {
        let disk = DiskManager::builder()
            .with_temp_file_factory(Arc::new(Folder(Arc::new(spill))))
            .with_max_temp_directory_size(settings.spill_bytes)
            .build()
            .map_err(|error| translate(&error, Phase::Planning))?;
        let memory = settings.memory_bytes;
        let shared = AllQueries {
            disk: Arc::new(disk),
            memory,
            keys: Keys::default(),
            units: KnownUnits::default(),
        };
        Ok(Self { shared: Arc::new(shared), settings })
    }

    /// Runs a query.
    ///
    /// # Errors
    /// It is refused, fails, is stopped or is late.
    pub fn run<S: Sink + 'static>(
        &self,
        query: Query,
        sink: S,
        stop: &Stop,
    ) -> Result<Done<S>, SqlError> {
        let touches = sensitive::any(&query.tables);
        on_its_own(self, stop, move |all, watch| work(all, &query, sink, watch))
            .map_err(|error| error.of_sensitive(touches))
    }
}

/// Does `work` on a thread with a large stack, and comes back when it is done or over.
pub(super) fn on_its_own<T: Send + 'static>(
    engine: &Engine,
    stop: &Stop,
    work: impl FnOnce(&AllQueries, &Watch) -> Result<T, SqlError> + Send + 'static,
) -> Result<T, SqlError> {
    let watch = Watch {
        stop: Arc::clone(stop),
        deadline: Instant::now() + Duration::from_millis(engine.settings.wall_ms),
        wall_ms: engine.settings.wall_ms,
    };
    let (sender, answer) = mpsc::channel();
    let shared = Arc::clone(&engine.shared);
    let work = {
        let watch = watch.clone();
        // Who gave the query up does not listen any more.
        move || drop(sender.send(work(&shared, &watch)))
    };
    std::thread::Builder::new().name("query".to_owned()).stack_size(STACK).spawn(work).map_err(
        |error| SqlError::new(Code::Internal, format!("no thread for a query: {error}")),
    )?;
    let mut over_since = None;
    loop {
        match answer.recv_timeout(TICK) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(SqlError::new(Code::Internal, "the query failed inside dataroom"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(over) = watch.over() {
            let since = *over_since.get_or_insert_with(Instant::now);
            if since.elapsed() > GRACE {
                return Err(over);
            }
        }
    }
}

/// Says when a query is to end.
#[derive(Clone)]
pub(super) struct Watch {
    stop: Stop,
    deadline: Instant,
    wall_ms: u64,
}

impl Watch {
    /// Why it is to end, if it is.
    pub(super) fn over(&self) -> Option<SqlError> {
        if (self.stop)() {
            return Some(SqlError::new(Code::Cancelled, "cancelled: nothing was kept"));
        }
        (Instant::now() >= self.deadline).then(|| {
            let message = format!("the query took longer than {} ms and was ended", self.wall_ms);
            SqlError::new(Code::Time, message)
                .next("filter first, join on keys, or raise [query] wall_ms in dataroom.toml")
        })
    }

    /// An error if it is to end.
    pub(super) fn check(&self) -> Result<(), SqlError> {
        self.over().map_or(Ok(()), Err)
    }
}

fn work<S: Sink>(
    shared: &AllQueries,
    query: &Query,
    sink: S,
    watch: &Watch,
) -> Result<Done<S>, SqlError> {
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| SqlError::new(Code::Internal, format!("no runtime: {error}")))?;
    let done = tokio.block_on(drive(shared, query, sink, watch));
    tokio.shutdown_background();
    done
}

async fn drive<S: Sink>(
    all: &AllQueries,
    query: &Query,
    mut sink: S,
    watch: &Watch,
) -> Result<Done<S>, SqlError> {
    let planning = |error: DataFusionError| translate(&error, Phase::Planning);
    let tables: Vec<_> = query.tables.iter().map(|t| t.table.clone()).collect();
    let runtime =
        runtime(all.memory, &all.disk, Arc::new(Opened::new(&tables))).map_err(planning)?;
    let named: Vec<_> = query.tables.iter().map(|t| (t.name.clone(), t.table.clone())).collect();
    let state = session(runtime, &named, query.started).map_err(planning)?;
    let measure = Measure {
        state: &state,
        tables: &query.tables,
        keys: &all.keys,
        units: &all.units,
        may_show_values: query.may_show_values,
        watch,
    };
    let Looked { plan, optimized, mut planned } = plan(&state, query, &measure).await?;
    watch.check()?;
    let kinds = sensitive::sensitive(&plan, &query.tables);
    let mut answer = Answer::of(&plan, &kinds)?;
    let ready = ready(optimized, &answer, &measure, all.memory).await?;
    let planner = state.query_planner();
    let physical = planner.create_physical_plan(&ready.plan, &state).await.map_err(planning)?;
    watch.check()?;
    let (schema, renamed) = output::schema(&answer.schema(&physical.schema()));
    planned.warnings.extend(renamed);
    let named = schema.fields().iter().map(|field| field.name().clone()).zip(kinds);
    planned.sensitive = named.filter_map(|(name, kind)| Some((name, kind?))).collect();
    sink.begin(&schema, &planned)?;
    let running = |error: DataFusionError| translate(&error, Phase::Running);
    let mut stream = execute_stream(physical, state.task_ctx()).map_err(running)?;
    let mut rows = 0;
    while let Some(batch) = next(&mut stream, watch).await? {
        let batch = stored(&answer.see(&batch, &schema)?, &schema)?;
        rows += batch.num_rows() as u64;
        sink.write(&batch)?;
    }
    let groups = match query.judges_groups && !is_explained(&plan) {
        true => judged(groups::groups(&plan, &state, watch).await)?,
        false => None,
    };
    if !is_explained(&plan) && !query.judges_groups {
        let told = match rows {
            0 => zero::explain(&plan, query.may_show_values, &measure).await,
            _ => answer.told(query.may_show_values, &measure).await,
        };
        match told {
            Ok(told) => planned.warnings.extend(told),
            Err(error) if matches!(error.code, Code::Cancelled | Code::Time) => return Err(error),
            // The answer is right without its explanation.
            Err(_) => {}
        }
    }
    Ok(Done { planned, rows, sink, groups })
}

/// The groups; the answer is right without them, and then shows none.
fn judged(groups: Result<Option<Groups>, SqlError>) -> Result<Option<Groups>, SqlError> {
    match groups {
        Err(error) if matches!(error.code, Code::Cancelled | Code::Time) => Err(error),
        other => Ok(other.unwrap_or(None)),
    }
}

/// The plan that is run, as it is run.
async fn ready(
    optimized: Option<LogicalPlan>,
    answer: &Answer,
    measure: &Measure<'_>,
    memory: u64,
) -> Result<Shared, SqlError> {
    let planning = |error: DataFusionError| translate(&error, Phase::Planning);
    let optimized = match optimized {
        Some(optimized) if answer.is_as_asked() => optimized,
        _ => measure.state.optimize(answer.plan()).map_err(planning)?,
    };
    if is_explained(&optimized) {
        // It is shown as the engine has it.
        return Ok(Shared::of(optimized));
    }
    let quick = quick(optimized).map_err(planning)?;
    shared(quick, measure.state, memory, measure.watch).await
}

fn is_explained(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::Analyze(_))
}

/// The next batch of a stream, unless the query is over before it comes.
pub(super) async fn next(
    stream: &mut SendableRecordBatchStream,
    watch: &Watch,
) -> Result<Option<RecordBatch>, SqlError> {
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    poll_fn(|context| {
        if let Some(over) = watch.over() {
            return Poll::Ready(Err(over));
        }
        if let Poll::Ready(batch) = stream.poll_next_unpin(context) {
            let batch = batch.transpose();
            return Poll::Ready(batch.map_err(|error| translate(&error, Phase::Running)));
        }
        // What waits for a disk is looked at again, too.
        while tick.poll_tick(context).is_ready() {}
        Poll::Pending
    })
    .await
}

/// A query that may run.
struct Looked {
    plan: LogicalPlan,
    /// The plan as the engine would run it, if it was asked for.
    optimized: Option<LogicalPlan>,
    planned: Planned,
}

/// A query with its names settled, and its plan, which the gate has let pass.
pub(super) async fn bound_plan(
    state: &SessionState,
    query: &Query,
) -> Result<(Syntax, LogicalPlan), SqlError> {
    let known = |bound: &Bound| Known {
        asked: bound.asked.clone(),
        name: bound.name.clone(),
        columns: bound.table.schema().fields().iter().map(|f| f.name().clone()).collect(),
    };
    let known: Vec<Known> = query.tables.iter().map(known).collect();
    let bound = query.parsed.bind(&known);
    let statement = Statement::Statement(Box::new(bound.clone()));
    let bound = labels::remove(&bound);
    let failed = |error: DataFusionError| arguments::planning(&error, &bound, &query.tables);
    let plan = state.statement_to_plan(statement).await.map_err(failed)?;
    gate(&plan)?;
    Ok((bound, plan))
}

/// The plan of a query that may run, with what is to be known of it.
async fn plan(
    state: &SessionState,
    query: &Query,
    measure: &Measure<'_>,
) -> Result<Looked, SqlError> {
    let planning = |error: DataFusionError| translate(&error, Phase::Planning);
    let (bound, plan) = bound_plan(state, query).await?;
    let failed = |error: DataFusionError| arguments::planning(&error, &bound, &query.tables);
    let analyzed = state
        .analyzer()
        .execute_and_check(plan.clone(), state.config_options(), |_, _| {})
        .map_err(failed)?;
    let mut warnings = warn::warnings(&plan, &analyzed);
    warnings.extend(traps::traps(&analyzed));
    let (mut allowed, mut optimized) = (Vec::new(), None);
    // An explained query gives no numbers.
    if !is_explained(&plan) {
        let shaped =
            state.optimizer().optimize(analyzed.clone(), state, |_, _| {}).map_err(planning)?;
        for (what, subquery) in traps::not_in(&analyzed) {
            warnings.extend(measure.nulls_of_not_in(&what, &subquery).await?);
        }
        let comments = &query.parsed.comments;
        let verdict = guard(&analyzed, &shaped, comments, &bound, measure).await?;
        warnings.extend(verdict.warnings);
        allowed = verdict.allowed;
        optimized = Some(shaped);
    }
    let is_single_aggregate = warn::is_single_aggregate(&analyzed);
    let planned = Planned { warnings, allowed, is_single_aggregate, ..Planned::default() };
    Ok(Looked { plan, optimized, planned })
}

/// A batch under the schema in which it is kept.
fn stored(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, SqlError> {
    let failed = |error: arrow::error::ArrowError| {
        SqlError::new(Code::Store, format!("the result cannot be kept: {error}")).of_data()
    };
    let columns = batch
        .columns()
        .iter()
        .zip(schema.fields())
        .map(|(column, field)| match column.data_type() == field.data_type() {
            true => Ok(Arc::clone(column)),
            false => cast(column, field.data_type()),
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options).map_err(failed)
}
