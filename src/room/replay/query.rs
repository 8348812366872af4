//! A recorded query, computed again and compared as its rows come.

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

use super::compare::Comparison;
use super::{Computed, Replayer, Verdict};
use crate::room::{Found, RoomError};
use crate::sql::{Code, Planned, Sink, SqlError};
use crate::store::ArtifactMeta;
use crate::table::Table;

impl Replayer<'_> {
    pub(super) fn compute_query(
        &self,
        meta: &ArtifactMeta,
        sql: &str,
        inputs: Vec<Found>,
        mut notes: Vec<String>,
    ) -> Result<Computed, RoomError> {
        let started = meta.run.as_ref().and_then(|run| run.started).unwrap_or_else(|| {
            notes.push("its version recorded no clock: the time of the table was taken".to_owned());
            meta.created
        });
        let kept = self.room.find(&meta.reference.to_string(), self.call)?;
        let sink = Comparing { meta: meta.clone(), table: kept.table, comparison: None };
        let names = meta.inputs.iter().map(|record| record.variable.clone());
        let named: Vec<(String, Found)> = names.zip(inputs).collect();
        let verdict = match self.room.query_again(sql, &named, started, sink, self.call) {
            Ok(sink) => match sink.comparison.and_then(Comparison::finish) {
                Some(difference) => Verdict::Differs(difference),
                None => Verdict::Same,
            },
            Err(RoomError::Sql(error)) => Verdict::Failed(format!("the query failed: {error}")),
            Err(error) => return Err(error),
        };
        Ok((verdict, notes))
    }
}

/// Compares rows with what was kept of them, and keeps nothing.
struct Comparing {
    meta: ArtifactMeta,
    table: Table,
    comparison: Option<Comparison>,
}

impl Sink for Comparing {
    fn begin(&mut self, schema: &SchemaRef, _: &Planned) -> Result<(), SqlError> {
        let comparison =
            Comparison::new(&self.meta, &self.table, schema).map_err(|cause| failed(&cause))?;
        self.comparison = Some(comparison);
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), SqlError> {
        match &mut self.comparison {
            Some(comparison) => comparison.update(batch).map_err(|cause| failed(&cause)),
            None => Ok(()),
        }
    }
}

fn failed(cause: &str) -> SqlError {
    SqlError::new(Code::Data, format!("the kept table cannot be compared: {cause}"))
}
