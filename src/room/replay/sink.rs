//! Where the outputs of a replayed run go: to be compared, and nowhere else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use dataroom_sandbox::{OutputSink, SinkError, TableSink};

use super::compare::{Comparison, Difference};
use crate::room::Found;
use crate::store::ArtifactMeta;

/// A table that was kept: its reference, its record, its rows.
pub(super) type Kept = (String, ArtifactMeta, Found);

/// How each output compared, by name; `None` for the same.
#[derive(Clone, Default)]
pub(super) struct Findings(Arc<Mutex<BTreeMap<String, Option<Difference>>>>);

impl Findings {
    pub(super) fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Option<Difference>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compares outputs with what was kept of them, and keeps nothing.
pub(super) struct Comparing {
    pub(super) tables: BTreeMap<String, Kept>,
    pub(super) found: Findings,
}

impl OutputSink for Comparing {
    fn table(&mut self, name: &str, schema: SchemaRef) -> Result<Box<dyn TableSink>, SinkError> {
        let comparison = match self.tables.get(name) {
            Some((_, meta, found)) => {
                Some(Comparison::new(meta, &found.table, &schema).map_err(SinkError)?)
            }
            // Nobody asks for this one.
            None => None,
        };
        Ok(Box::new(Compared { name: name.to_owned(), comparison, found: self.found.clone() }))
    }
}

struct Compared {
    name: String,
    comparison: Option<Comparison>,
    found: Findings,
}

impl TableSink for Compared {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), SinkError> {
        self.comparison
            .as_mut()
            .map_or(Ok(()), |comparison| comparison.update(batch))
            .map_err(SinkError)
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        if let Some(comparison) = self.comparison {
            self.found.lock().insert(self.name, comparison.finish());
        }
        Ok(())
    }
}
