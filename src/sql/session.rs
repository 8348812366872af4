//! A session for one query: what it can reach, and what it may use.
//!
//! A session is made for each query and thrown away with it. Nothing in it was
//! registered by default: its functions come from the list ([`functions`](super::functions)),
//! its tables are those of the query, its one store holds their files
//! ([`tables`](super::tables)), and it has no catalog to look around in.
//!
//! One partition: with several, the engine's repartitioning can wait for itself for
//! ever under a memory limit (in this version), and takes more CPU in all. Queries run
//! side by side instead.

use std::num::NonZeroUsize;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use datafusion::catalog::{MemorySchemaProvider, SchemaProvider as _};
use datafusion::common::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::config::SessionConfig;
use datafusion::execution::disk_manager::DiskManager;
use datafusion::execution::memory_pool::{GreedyMemoryPool, TrackConsumersPool};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::session_state::SessionState;
use datafusion::optimizer::{Analyzer, AnalyzerRule};

use super::canonical::OneZero;
use super::checked::{CheckedArithmetic, ExactDivision};
use super::floats::FloatsMeetDecimals;
use super::functions;
use super::lateral::LateralSteps;
use super::lists::ListsHaveLengths;
use super::moments::MomentsAsText;
use super::subqueries::SubqueriesAreCounted;
use super::tables::{OnlyTables, Opened, Scan};
use super::whole::CastsRound;
use super::windows::OrdersAreColumns;
use crate::table::Table;

/// Rows in a batch.
const BATCH_ROWS: usize = 8_192;

fn config() -> SessionConfig {
    let mut config = SessionConfig::new()
        .with_target_partitions(1)
        .with_batch_size(BATCH_ROWS)
        .with_information_schema(false)
        .with_create_default_catalog_and_schema(true);
    let options = config.options_mut();
    // 0.1 + 0.2 = 0.3, and a bigint is compared with 9007199254740992.0 exactly.
    options.sql_parser.parse_float_as_decimal = true;
    // Names are settled before planning, by `names`.
    options.sql_parser.enable_ident_normalization = false;
    options.sql_parser.collect_spans = true;
    options.execution.time_zone = Some("+00:00".to_owned());
    // Nobody registers a location or a format.
    options.catalog.location = None;
    options.execution.parquet.enable_page_index = false;
    // The engine's two plans differ on whether `CASE WHEN a IS NOT TRUE THEN a END` can be
    // NULL, and it refuses the query for that.
    options.execution.skip_physical_aggregate_schema_check = true;
    config
}

/// What all queries of a room share: a bounded folder for what does not fit.
pub(super) fn runtime(
    memory: u64,
    disk: &Arc<DiskManager>,
    opened: Arc<Opened>,
) -> Result<Arc<RuntimeEnv>> {
    let pool = GreedyMemoryPool::new(usize::try_from(memory).unwrap_or(usize::MAX));
    let top = NonZeroUsize::new(1).unwrap_or(NonZeroUsize::MIN);
    let mut runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(TrackConsumersPool::new(pool, top)))
        .with_object_store_registry(Arc::new(OnlyTables(opened)))
        .build()?;
    runtime.disk_manager = Arc::clone(disk);
    Ok(Arc::new(runtime))
}

/// The rules that come before the engine's own.
fn first() -> Vec<Arc<dyn AnalyzerRule + Send + Sync>> {
    vec![
        Arc::new(LateralSteps),
        Arc::new(SubqueriesAreCounted),
        Arc::new(ListsHaveLengths),
        Arc::new(ExactDivision),
        Arc::new(FloatsMeetDecimals),
        Arc::new(CastsRound),
    ]
}

/// A session with these tables, by name, that began at `started`.
pub(super) fn session(
    runtime: Arc<RuntimeEnv>,
    tables: &[(String, Table)],
    started: DateTime<Utc>,
) -> Result<SessionState> {
    let mut rules = Analyzer::new().rules;
    rules.splice(0..0, first());
    rules.push(Arc::new(MomentsAsText));
    rules.push(Arc::new(CheckedArithmetic));
    rules.push(Arc::new(OneZero));
    rules.push(Arc::new(OrdersAreColumns));
    let builder = SessionStateBuilder::new()
        .with_config(config())
        .with_runtime_env(runtime)
        .with_analyzer_rules(rules);
    let mut state = functions::register(builder).build();
    state.mark_start_execution();
    // What now() gives is recorded, so that a replay gives it again.
    state.execution_props_mut().query_execution_start_time = Some(started);
    let schema = MemorySchemaProvider::new();
    for (number, (name, table)) in tables.iter().enumerate() {
        schema.register_table(name.clone(), Arc::new(Scan::new(number, table)))?;
    }
    let options = state.config_options();
    let (catalog, name) =
        (options.catalog.default_catalog.clone(), options.catalog.default_schema.clone());
    if let Some(catalog) = state.catalog_list().catalog(&catalog) {
        catalog.register_schema(&name, Arc::new(schema))?;
    }
    Ok(state)
}
