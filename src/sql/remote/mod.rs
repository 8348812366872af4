//! What a query needs of tables that are elsewhere.
//!
//! A remote table is read once for a query, into a table of the store, and everything else
//! (guard, measurements, the query itself) runs on that. So guard and answer see the same
//! rows. What has to be read is asked of the plan: it is made over tables of the same columns
//! without rows, and from the optimised plan each scan says its columns, the conditions that
//! stand right above it, and a limit. Scans of one table are put together: all columns of
//! them, the rows of any of them.
//!
//! A condition may let more rows pass than the query wants, since the query looks at each
//! again, and never fewer: [`predicate`] takes what it knows to be so, and nothing else.
//!
//! The table that is read has only the columns of the scans. A column may be named in a query
//! and not be needed, and a query that names what is not there is refused; so the plan is
//! made again over the narrow tables, and where it is not the same, all columns are read.

mod predicate;

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::common::DataFusionError;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{LogicalPlan, TableScan};
use parquet::arrow::ArrowWriter;

use super::arguments;
use super::engine::{AllQueries, Engine, Query, Stop, Watch, bound_plan, on_its_own};
use super::error::{Code, SqlError};
use super::session::{runtime, session};
use super::tables::Opened;
use super::translate::{Phase, translate};
use crate::database::Predicate;
use crate::table::Table;
use crate::type_name::holds_numbers;
use crate::units::tellers;

/// What is to be read of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The table's own name.
    pub table: String,
    /// Its columns, in its order. Of none, only the number of rows matters.
    pub columns: Vec<String>,
    /// Which rows; all, if `None`. More may be read.
    pub filter: Option<Predicate>,
    /// As many rows are enough.
    pub limit: Option<u64>,
}

/// What a query reads, and the plan that says so.
#[derive(Debug, Clone, PartialEq)]
pub struct Readings {
    /// Of each table that is elsewhere and that the plan reads.
    pub tables: Vec<Reading>,
    /// The plan, to be compared with another of the same query.
    pub plan: String,
}

/// A table of these columns without rows: what a plan is made over.
///
/// # Errors
/// The system gives no temporary file, or a column has no place in a file of ours.
pub fn without_rows(schema: &SchemaRef) -> Result<Table, SqlError> {
    let failed = |error: &dyn std::fmt::Display| {
        SqlError::new(Code::Internal, format!("a table cannot be laid out: {error}"))
    };
    let file = tempfile::tempfile().map_err(|error| failed(&error))?;
    let copy = file.try_clone().map_err(|error| failed(&error))?;
    let writer = ArrowWriter::try_new(copy, Arc::clone(schema), None);
    writer.and_then(ArrowWriter::close).map_err(|error| failed(&error))?;
    Table::open(file).map_err(|error| failed(&error))
}

impl Engine {
    /// What a query reads of the tables called `remote`, which are [`without_rows`] in it.
    ///
    /// # Errors
    /// The query is refused as it would be over the rows, is stopped or is late.
    pub fn readings(
        &self,
        query: Query,
        remote: BTreeSet<String>,
        stop: &Stop,
    ) -> Result<Readings, SqlError> {
        on_its_own(self, stop, move |all, watch| {
            let tokio = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .build()
                .map_err(|error| SqlError::new(Code::Internal, format!("no runtime: {error}")))?;
            tokio.block_on(readings(all, &query, &remote, watch))
        })
    }
}

async fn readings(
    all: &AllQueries,
    query: &Query,
    remote: &BTreeSet<String>,
    watch: &Watch,
) -> Result<Readings, SqlError> {
    let planning = |error: DataFusionError| translate(&error, Phase::Planning);
    let tables: Vec<_> = query.tables.iter().map(|bound| bound.table.clone()).collect();
    let runtime = runtime(all.memory(), all.disk(), Arc::new(Opened::new(&tables)));
    let named: Vec<_> = query.tables.iter().map(|t| (t.name.clone(), t.table.clone())).collect();
    let state = session(runtime.map_err(planning)?, &named, query.started).map_err(planning)?;
    let (bound, plan) = bound_plan(&state, query).await?;
    let failed = |error: DataFusionError| arguments::planning(&error, &bound, &query.tables);
    let is_shown = matches!(plan, LogicalPlan::Explain(_));
    let analyzed = state.analyzer().execute_and_check(plan, state.config_options(), |_, _| {});
    let optimized = state
        .optimizer()
        .optimize(analyzed.map_err(failed)?, &state, |_, _| {})
        .map_err(planning)?;
    watch.check()?;
    let mut found: Vec<Reading> = Vec::new();
    // A walk that only looks does not fail.
    let _ = optimized.apply_with_subqueries(|plan| {
        if let LogicalPlan::TableScan(scan) = plan
            && remote.contains(scan.table_name.table())
        {
            add(&mut found, of_scan(scan));
        }
        Ok(TreeNodeRecursion::Continue)
    });
    for reading in &mut found {
        if is_shown {
            // Nothing of it is computed.
            (reading.filter, reading.limit) = (None, Some(0));
        }
        let bound = query.tables.iter().find(|bound| bound.name == reading.table);
        if let Some(bound) = bound {
            with_units(reading, bound.table.schema());
        }
    }
    Ok(Readings { tables: found, plan: optimized.display_indent().to_string() })
}

fn of_scan(scan: &TableScan) -> Reading {
    let columns = scan.projected_schema.fields().iter().map(|field| field.name().clone());
    let parts = scan.filters.iter().flat_map(split_conjunction);
    let mut parts: Vec<Predicate> = parts.filter_map(predicate::predicate).collect();
    let filter = match parts.len() {
        0 | 1 => parts.pop(),
        _ => Some(Predicate::And(parts)),
    };
    Reading {
        table: scan.table_name.table().to_owned(),
        columns: columns.collect(),
        filter,
        limit: scan.fetch.filter(|_| scan.filters.is_empty()).map(|rows| rows as u64),
    }
}

/// Puts a scan to those of the same table.
fn add(found: &mut Vec<Reading>, reading: Reading) {
    let Some(known) = found.iter_mut().find(|known| known.table == reading.table) else {
        found.push(reading);
        return;
    };
    if known.columns == reading.columns
        && known.filter == reading.filter
        && known.limit == reading.limit
    {
        return;
    }
    for column in reading.columns {
        if !known.columns.contains(&column) {
            known.columns.push(column);
        }
    }
    known.filter = match (known.filter.take(), reading.filter) {
        (Some(one), Some(other)) => Some(Predicate::Or(vec![one, other])),
        _ => None,
    };
    // Which rows the one takes and which the other is not known.
    known.limit = None;
}

/// Adds the columns that say the units of those that are read, and puts all in the table's
/// order.
fn with_units(reading: &mut Reading, schema: &SchemaRef) {
    let fields = schema.fields();
    let columns: Vec<_> = fields
        .iter()
        .map(|field| (field.name().as_str(), holds_numbers(field.data_type())))
        .collect();
    let mut wanted: BTreeSet<&str> = reading.columns.iter().map(String::as_str).collect();
    for teller in tellers(&columns) {
        if teller.tells.iter().any(|at| wanted.contains(columns[*at].0)) {
            wanted.insert(columns[teller.column].0);
        }
    }
    let ordered = columns.iter().map(|(name, _)| *name).filter(|name| wanted.contains(name));
    reading.columns = ordered.map(str::to_owned).collect();
}
