//! Counting: whether columns of a table are a key, and what a join does to rows.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use arrow::array::AsArray as _;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use arrow::record_batch::RecordBatch;
use datafusion::common::Result;
use datafusion::execution::session_state::SessionState;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::functions_nested::expr_fn::cardinality;
use datafusion::logical_expr::{
    Expr, Join, JoinType, LogicalPlan, LogicalPlanBuilder, Unnest, col, lit,
};
use datafusion::physical_plan::execute_stream;

use super::flow::{Cause, Multiplier, lists};
use super::proof::{BaseKey, proof};
use super::units::KnownUnits;
use crate::sql::engine::{Bound, Watch, next};
use crate::sql::error::{Code, SqlError};
use crate::sql::translate::{Phase, translate};

/// Keys that are remembered.
const REMEMBERED: usize = 10_000;

/// What a join does to the rows of a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measured {
    /// None has two partners.
    Keeps,
    /// Rows that have a partner, and rows of the join.
    Multiplies { before: u64, after: u64 },
    /// It could not be counted.
    Unknown,
}

/// Which columns of which content are a key; true for ever, since it is by content.
#[derive(Debug, Default)]
pub(in crate::sql) struct Keys(Mutex<HashMap<(String, Vec<String>), bool>>);

/// What counting needs.
pub(in crate::sql) struct Measure<'a> {
    pub state: &'a SessionState,
    pub tables: &'a [Bound],
    pub keys: &'a Keys,
    pub units: &'a KnownUnits,
    /// Whether a message may quote a cell.
    pub may_show_values: bool,
    pub watch: &'a Watch,
}

impl Measure<'_> {
    /// Whether keys say that a join keeps a side's rows: nothing has to be counted then.
    pub(super) async fn is_proved(&self, multiplier: &Multiplier) -> Result<bool, SqlError> {
        let Cause::Join { join, left } = &multiplier.cause else { return Ok(false) };
        let (other, key): (_, Vec<Expr>) = if *left {
            (&join.right, join.on.iter().map(|(_, right)| right.clone()).collect())
        } else {
            (&join.left, join.on.iter().map(|(left, _)| left.clone()).collect())
        };
        let Some(needed) = proof(other, &key) else { return Ok(false) };
        let mut holds = true;
        for key in &needed {
            holds = holds && self.is_key(key).await?;
        }
        Ok(holds)
    }

    pub(super) async fn join(&self, multiplier: &Multiplier) -> Result<Measured, SqlError> {
        if self.is_proved(multiplier).await? {
            return Ok(Measured::Keeps);
        }
        match &multiplier.cause {
            Cause::Join { join, left } => measured(self.count(join, *left).await),
            Cause::Unnest(unnest) => measured(self.elements(unnest).await),
        }
    }

    /// Rows that have an element, and rows that UNNEST makes of them.
    async fn elements(&self, unnest: &Unnest) -> Result<(u64, u64), SqlError> {
        let planning = |error| translate(&error, Phase::Planning);
        let lists = lists(unnest).into_iter().map(Expr::Column);
        let some = lists.map(|list| cardinality(list).gt(lit(0))).reduce(Expr::or);
        let before = LogicalPlanBuilder::from(unnest.input.as_ref().clone())
            .filter(some.unwrap_or_else(|| lit(true)))
            .and_then(LogicalPlanBuilder::build)
            .map_err(planning)?;
        let after = self.rows(LogicalPlan::Unnest(unnest.clone())).await?;
        Ok((self.rows(before).await?, after))
    }

    /// Rows of one side that have a partner, and rows that the join makes of them.
    async fn count(&self, join: &Join, left: bool) -> Result<(u64, u64), SqlError> {
        let of = |join_type| {
            let mut join = join.clone();
            join.join_type = join_type;
            Join::try_new(
                join.left,
                join.right,
                join.on,
                join.filter,
                join_type,
                join.join_constraint,
                join.null_equality,
                false,
            )
            .map(LogicalPlan::Join)
        };
        let partners = if left { JoinType::LeftSemi } else { JoinType::RightSemi };
        let planning = |error| translate(&error, Phase::Planning);
        let after = self.rows(of(JoinType::Inner).map_err(planning)?).await?;
        let before = self.rows(of(partners).map_err(planning)?).await?;
        Ok((before, after))
    }

    async fn rows(&self, plan: LogicalPlan) -> Result<u64, SqlError> {
        let counted = LogicalPlanBuilder::from(plan)
            .aggregate(Vec::<Expr>::new(), vec![count(lit(1)).alias("n")])
            .and_then(LogicalPlanBuilder::build)
            .map_err(|error| translate(&error, Phase::Planning))?;
        self.number(&counted).await
    }

    /// The one number that a plan gives.
    async fn number(&self, plan: &LogicalPlan) -> Result<u64, SqlError> {
        Ok(self.numbers(plan).await?.first().copied().unwrap_or(0))
    }

    /// All rows of a plan that gives few.
    pub(in crate::sql) async fn batches(
        &self,
        plan: &LogicalPlan,
    ) -> Result<Vec<RecordBatch>, SqlError> {
        let planning = |error| translate(&error, Phase::Planning);
        let physical = self.state.create_physical_plan(plan).await.map_err(planning)?;
        let mut stream = execute_stream(physical, self.state.task_ctx())
            .map_err(|error| translate(&error, Phase::Running))?;
        let mut batches = Vec::new();
        while let Some(batch) = next(&mut stream, self.watch).await? {
            batches.push(batch);
        }
        Ok(batches)
    }

    /// What a NOT IN does if there is a NULL among its values: nothing is true.
    pub(in crate::sql) async fn nulls_of_not_in(
        &self,
        what: &str,
        subquery: &LogicalPlan,
    ) -> Result<Option<String>, SqlError> {
        let (relation, field) = subquery.schema().qualified_field(0);
        if !field.is_nullable() {
            return Ok(None);
        }
        let value = Expr::Column(datafusion::common::Column::from((relation, field)));
        let nulls = LogicalPlanBuilder::from(subquery.clone())
            .filter(value.is_null())
            .and_then(|plan| plan.aggregate(Vec::<Expr>::new(), vec![count(lit(1)).alias("n")]))
            .and_then(LogicalPlanBuilder::build)
            .map_err(|error| translate(&error, Phase::Planning))?;
        let nulls = self.number(&nulls).await?;
        Ok((nulls > 0).then(|| {
            format!(
                "{what} NOT IN (…) is never true, because the subquery gives {nulls} NULL: add WHERE … \
                 IS NOT NULL to it, or write NOT EXISTS"
            )
        }))
    }

    /// Whether no two rows of a table have the same values in these columns. A null
    /// joins with nothing, so rows that have one do not count.
    async fn is_key(&self, key: &BaseKey) -> Result<bool, SqlError> {
        let Some(bound) = self.tables.iter().find(|bound| bound.name == key.table) else {
            return Ok(false);
        };
        let name = (bound.content_hash.clone(), key.columns.iter().cloned().collect::<Vec<_>>());
        if let Some(known) = self.keys.lock().get(&name) {
            return Ok(*known);
        }
        let is_key = match name.1.as_slice() {
            [column] => match numbers_are_unique(bound, column, self.watch)? {
                Some(known) => known,
                None => self.are_groups_single(&key.table, &name.1).await?,
            },
            columns => self.are_groups_single(&key.table, columns).await?,
        };
        let mut keys = self.keys.lock();
        if keys.len() >= REMEMBERED {
            keys.clear();
        }
        keys.insert(name, is_key);
        Ok(is_key)
    }

    async fn are_groups_single(&self, table: &str, columns: &[String]) -> Result<bool, SqlError> {
        match self.doubles(table, columns).await {
            Ok(doubles) => Ok(doubles == 0),
            // Not known to be one; the join itself is counted then.
            Err(error) if matches!(error.code, Code::Memory | Code::Spill) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn doubles(&self, table: &str, columns: &[String]) -> Result<u64, SqlError> {
        let planning = |error| translate(&error, Phase::Planning);
        let name = datafusion::common::TableReference::bare(table.to_owned());
        let schema = self.state.schema_for_ref(name.clone()).map_err(planning)?;
        let Some(provider) = schema.table(table).await.map_err(planning)? else { return Ok(1) };
        let source = datafusion::datasource::provider_as_source(provider);
        let quoted = |column: &String| {
            Expr::Column(datafusion::common::Column::new(Some(name.clone()), column))
        };
        let keys: Vec<Expr> = columns.iter().map(quoted).collect();
        let present = keys.iter().cloned().map(Expr::is_not_null).reduce(Expr::and);
        let plan = LogicalPlanBuilder::scan(name.clone(), source, None)
            .and_then(|plan| match present {
                Some(present) => plan.filter(present),
                None => Ok(plan),
            })
            .and_then(|plan| plan.aggregate(keys, vec![count(lit(1)).alias("n")]))
            .and_then(|plan| plan.filter(col("n").gt(lit(1i64))))
            .and_then(|plan| plan.limit(0, Some(1)))
            .and_then(|plan| {
                plan.aggregate(Vec::<Expr>::new(), vec![count(lit(1)).alias("doubles")])
            })
            .and_then(LogicalPlanBuilder::build)
            .map_err(planning)?;
        self.number(&plan).await
    }
}

impl Keys {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<(String, Vec<String>), bool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What counting rows before and after says.
fn measured(counted: Result<(u64, u64), SqlError>) -> Result<Measured, SqlError> {
    match counted {
        Ok((before, after)) if after > before => Ok(Measured::Multiplies { before, after }),
        Ok(_) => Ok(Measured::Keeps),
        Err(error) if matches!(error.code, Code::Memory | Code::Spill) => Ok(Measured::Unknown),
        Err(error) => Err(error),
    }
}

/// Whole numbers and dates are read straight from the file: most keys ascend, which is
/// seen without keeping any of them, and of others the first double ends the reading.
fn numbers_are_unique(
    bound: &Bound,
    column: &str,
    watch: &Watch,
) -> Result<Option<bool>, SqlError> {
    let schema = bound.table.schema();
    let Some((at, field)) = schema.column_with_name(column) else { return Ok(None) };
    if !(field.data_type().is_integer() || matches!(field.data_type(), DataType::Date32)) {
        return Ok(None);
    }
    let mut last = None;
    let mut ascend = true;
    each_number(bound, at, watch, |number| {
        ascend = last.is_none_or(|last| number > last);
        last = Some(number);
        ascend
    })?;
    if ascend {
        return Ok(Some(true));
    }
    let mut seen = HashSet::new();
    let mut is_double = false;
    each_number(bound, at, watch, |number| {
        is_double = !seen.insert(number);
        !is_double && seen.len() <= KEPT
    })?;
    // Too many to keep: the engine groups them, and may use the disk.
    Ok(if is_double { Some(false) } else { (seen.len() <= KEPT).then_some(true) })
}

/// Numbers that may be kept at once.
const KEPT: usize = 4 << 20;

/// Shows the numbers of a column, until `see` has seen enough.
fn each_number(
    bound: &Bound,
    at: usize,
    watch: &Watch,
    mut see: impl FnMut(i64) -> bool,
) -> Result<(), SqlError> {
    let failed = |error: &dyn std::fmt::Display| {
        SqlError::new(Code::Data, format!("a table cannot be read: {error}")).of_data()
    };
    for batch in bound.table.batches(Some(&[at]), None).map_err(|error| failed(&error))? {
        if let Some(over) = watch.over() {
            return Err(over);
        }
        let batch = batch.map_err(|error| failed(&error))?;
        let numbers = cast(batch.column(0), &DataType::Int64).map_err(|error| failed(&error))?;
        for number in numbers.as_primitive::<Int64Type>().iter().flatten() {
            if !see(number) {
                return Ok(());
            }
        }
    }
    Ok(())
}
