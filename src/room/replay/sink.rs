//! Where the outputs of a replayed run go: to be compared, and nowhere else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use dataroom_sandbox::{Outcome, OutputSink, SinkError, TableSink, WrittenFile};

use super::compare::{Comparison, Difference};
use crate::room::Found;
use crate::store::{ArtifactMeta, Kind, file};

/// What an output is called: a table and a file may have the same name.
pub(super) type Name = (Kind, String);

/// An output that was kept: its reference, its record, its rows.
pub(super) type Kept = (String, ArtifactMeta, Found);

/// How each output compared, by name; `None` for the same.
#[derive(Clone, Default)]
pub(super) struct Findings(Arc<Mutex<BTreeMap<Name, Option<Difference>>>>);

impl Findings {
    pub(super) fn lock(&self) -> MutexGuard<'_, BTreeMap<Name, Option<Difference>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compares outputs with what was kept of them, and keeps nothing.
pub(super) struct Comparing {
    pub(super) kept: BTreeMap<Name, Kept>,
    pub(super) found: Findings,
}

impl Comparing {
    /// Compares the files that the run left.
    pub(super) fn files(&mut self, outcome: &Outcome) {
        for WrittenFile { path, bytes } in &outcome.files {
            let Ok(mut compared) = self.compared((file::kind(path), path.clone()), &file::schema())
            else {
                continue;
            };
            // What cannot be compared is found missing.
            if file::batches(bytes).try_for_each(|batch| compared.write(&batch)).is_ok() {
                let _ = compared.finish();
            }
        }
    }

    fn compared(&self, name: Name, schema: &SchemaRef) -> Result<Box<Compared>, SinkError> {
        let comparison = match self.kept.get(&name) {
            Some((_, meta, found)) => {
                Some(Comparison::new(meta, &found.table, schema).map_err(SinkError)?)
            }
            // Nobody asks for this one.
            None => None,
        };
        Ok(Box::new(Compared { name, comparison, found: self.found.clone() }))
    }
}

impl OutputSink for Comparing {
    fn table(&mut self, name: &str, schema: SchemaRef) -> Result<Box<dyn TableSink>, SinkError> {
        Ok(self.compared((Kind::Table, name.to_owned()), &schema)?)
    }
}

struct Compared {
    name: Name,
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
