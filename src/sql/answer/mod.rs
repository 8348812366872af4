//! What the rows themselves say about the answer, seen as they go by.
//!
//! Three things make a right answer look like another one, and none of them costs a second
//! look unless it is there (or, of a LIMIT, is within the query): a LIMIT that cuts between rows which tie ([`ties`]), an
//! aggregate over no rows ([`nothing`]), and groups that differ only in spelling
//! ([`spelling`]). The plan that is run has the sort keys and one row more than was asked
//! for; both are taken off again here.

mod nothing;
mod spelling;
mod ties;

use arrow::array::ArrayRef;
use arrow::datatypes::{Schema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::logical_expr::LogicalPlan;

use self::nothing::Nothing;
use self::spelling::Spelling;
use self::ties::Ties;
use super::error::SqlError;
use super::guard::Measure;
use super::sensitive::Kinds;
use super::translate::{Phase, translate};

/// See the module.
pub(super) struct Answer {
    /// The plan of the query.
    asked: LogicalPlan,
    /// The plan that is run.
    plan: LogicalPlan,
    /// Columns that are shown; those after them are sort keys.
    shown: usize,
    ties: Option<Ties>,
    nothing: Option<Nothing>,
    spelling: Spelling,
}

impl Answer {
    /// `kinds` are what the plan's columns are made of that nobody should be shown.
    pub(super) fn of(plan: &LogicalPlan, kinds: &Kinds) -> Result<Self, SqlError> {
        let planning = |error| translate(&error, Phase::Planning);
        let shown = plan.schema().fields().len();
        let asked = plan.clone();
        let nothing = Nothing::of(plan);
        let spelling = Spelling::of(plan, kinds);
        let (plan, ties) = match Ties::of(plan).map_err(planning)? {
            Some((watched, ties)) => (watched, Some(ties)),
            None => (plan.clone(), None),
        };
        Ok(Self { asked, plan, shown, ties, nothing, spelling })
    }

    /// The plan to run.
    pub(super) fn plan(&self) -> &LogicalPlan {
        &self.plan
    }

    /// Whether that is the query's own.
    pub(super) fn is_as_asked(&self) -> bool {
        self.ties.is_none()
    }

    /// What is shown of the schema of its rows.
    pub(super) fn schema(&self, of_rows: &Schema) -> Schema {
        Schema::new(of_rows.fields().iter().take(self.shown).cloned().collect::<Vec<_>>())
    }

    /// What is shown of some rows.
    pub(super) fn see(
        &mut self,
        batch: &RecordBatch,
        schema: &SchemaRef,
    ) -> Result<RecordBatch, SqlError> {
        let keys = &batch.columns()[self.shown.min(batch.num_columns())..];
        let rows = match &mut self.ties {
            Some(ties) => ties.see(keys, batch.num_rows()),
            None => batch.num_rows(),
        };
        let columns: Vec<ArrayRef> =
            batch.columns().iter().take(self.shown).map(|column| column.slice(0, rows)).collect();
        if let Some(nothing) = &mut self.nothing {
            nothing.see(&columns, rows);
        }
        self.spelling.see(&columns);
        let fields: Vec<_> = batch.schema().fields().iter().take(self.shown).cloned().collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let metadata = schema.metadata().clone();
        let schema = std::sync::Arc::new(Schema::new_with_metadata(fields, metadata));
        RecordBatch::try_new_with_options(schema, columns, &options)
            .map_err(|error| translate(&error.into(), Phase::Running))
    }

    /// What there is to say, when all rows have gone by.
    pub(super) async fn told(
        self,
        may_show: bool,
        measure: &Measure<'_>,
    ) -> Result<Vec<String>, SqlError> {
        let mut told = self.spelling.told(may_show);
        if let Some(ties) = self.ties {
            told.extend(ties.told(measure).await?);
        }
        told.extend(Ties::within(&self.asked, measure).await?);
        if let Some(nothing) = self.nothing {
            told.extend(nothing.told(may_show, measure).await?);
        }
        Ok(told)
    }
}

#[cfg(test)]
mod tests;
