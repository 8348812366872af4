//! One run: inputs in, a script, outputs kept.
//!
//! The tables of a run are written while it goes on, but they are made final only
//! when the script came to its end: a run that failed leaves nothing behind that
//! nobody was told of.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use chrono::{DateTime, Utc};
use dataroom_sandbox::image::PYTHON_WASM_SHA256;
use dataroom_sandbox::{
    Clock, Input, Outcome, OutputSink, Run, SinkError, TableSink, VariableName,
};

use super::asked::Asked;
use super::files::{self, KeptFile};
use super::sensitive::Given;
use super::{Call, Found, Opened, Room, RoomError};
use crate::policy::ScriptClock;
use crate::profile::SensitiveColumns;
use crate::store::{Artifact, ArtifactWriter, Draft, InputRecord, Kind, Origin, RunRecord};

/// Bytes of code that a run takes. It is kept with each output.
const CODE_BYTES: usize = 1 << 20;

/// A script and what it is to see.
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    /// The source text.
    pub code: String,
    /// Its inputs, by variable.
    pub inputs: Vec<(String, Source)>,
}

/// Where an input comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A dataset's name or a reference.
    Data(String),
    /// A data file, or `BOOK/SHEET`. Only a person may name one.
    File(PathBuf),
    /// Whichever of them it is, as a person writes it at a shell. Where it could be two
    /// different ones, it is neither.
    Either(String),
}

/// What a run gave.
#[derive(Debug)]
pub struct RunReport {
    /// How it went.
    pub outcome: Outcome,
    /// Its outputs, in the script's order.
    pub kept: Vec<Kept>,
    /// The files that it left, in the order of their paths.
    pub files: Vec<KeptFile>,
    /// Outputs and files that could not be made final, and why.
    pub lost: Vec<(String, String)>,
    /// What it saw.
    pub inputs: Vec<Found>,
}

/// An output that was kept.
#[derive(Debug)]
pub struct Kept {
    /// Its key in `outputs`.
    pub name: String,
    /// The artifact.
    pub artifact: Artifact,
    /// What to know of it.
    pub warnings: Vec<String>,
}

impl Room {
    /// Runs a script.
    ///
    /// # Errors
    /// It could not be run. A script that was run and failed is a report.
    pub fn run(&self, request: RunRequest, call: &Call) -> Result<RunReport, RoomError> {
        let bytes = request.code.len();
        if bytes > CODE_BYTES {
            return Err(RoomError::CodeTooLong { bytes, most: CODE_BYTES });
        }
        let variables: Vec<VariableName> = request
            .inputs
            .iter()
            .map(|(variable, _)| VariableName::new(variable))
            .collect::<Result<_, _>>()?;
        let Opened { sandbox, image } = self.sandbox()?;
        let _place = self.0.runs.enter(call)?;
        let (inputs, records) = self.inputs_of(&request, call)?;
        let started = match self.policy().clock {
            ScriptClock::Recorded => Some(now()),
            ScriptClock::Real => None,
        };
        let given = self.given(&request.inputs, &inputs)?;
        let record = RunRecord { seed: seed(&request.code, &records), started, fuel: None };
        let run = Run {
            seed: record.seed,
            inputs: variables
                .into_iter()
                .zip(&inputs)
                .map(|(name, found)| Input { name, file: found.table.file().clone() })
                .collect(),
            limits: self.settings().limits.clone(),
            code: request.code.clone(),
            keep_bytes: None,
            clock: started.map_or(Clock::Real, |start| Clock::Own { start: start.into() }),
            door: Some(Asked::of(self, &records, &inputs, &given, started, call)),
        };
        let mut sink = Outputs {
            room: self,
            code: request.code,
            records,
            record,
            image: image.clone(),
            given,
            open: Shared::default(),
        };
        call.enter("running the script");
        let mut outcome = sandbox.run(run, &mut sink, call.handle());
        // A script takes whole tables.
        let warned: Vec<String> = inputs.iter().flat_map(|found| found.warned("*")).collect();
        outcome.warnings.splice(0..0, warned);
        self.check_inputs(&request.inputs, &inputs, call)?;
        let (kept, files, lost) = (Vec::new(), Vec::new(), Vec::new());
        let mut report = RunReport { outcome, kept, files, lost, inputs };
        if report.outcome.ok() && !call.is_cancelled() {
            report.keep(&sink);
        }
        Ok(report)
    }

    /// Refuses what was computed from a file that changed meanwhile.
    fn check_inputs(
        &self,
        asked: &[(String, Source)],
        inputs: &[Found],
        call: &Call,
    ) -> Result<(), RoomError> {
        for ((variable, _), found) in asked.iter().zip(inputs) {
            self.unless_changed(found, call).map_err(|cause| in_input(variable, cause))?;
        }
        Ok(())
    }

    /// The sensitive columns of what the script is to see.
    fn given(&self, asked: &[(String, Source)], inputs: &[Found]) -> Result<Arc<Given>, RoomError> {
        let given = Given::default();
        for ((variable, _), found) in asked.iter().zip(inputs) {
            let sensitive = self.sensitive(found).map_err(|cause| in_input(variable, cause))?;
            given.add(found.table.schema(), &sensitive);
        }
        Ok(Arc::new(given))
    }

    /// What the script is to see, and the record of it.
    fn inputs_of(
        &self,
        request: &RunRequest,
        call: &Call,
    ) -> Result<(Vec<Found>, Vec<InputRecord>), RoomError> {
        let (mut inputs, mut records) = (Vec::new(), Vec::new());
        for (variable, source) in &request.inputs {
            let (found, data, file) = match source {
                Source::Data(data) => (self.find_table(data, call), data.clone(), None),
                Source::File(path) => {
                    (self.find_file(path, call), path.display().to_string(), absolute(path))
                }
                Source::Either(text) => match self.is_file(text, call) {
                    Ok(true) => {
                        let path = Path::new(text);
                        (self.find_file(path, call), text.clone(), absolute(path))
                    }
                    Ok(false) => (self.find_table(text, call), text.clone(), None),
                    Err(error) => (Err(error), text.clone(), None),
                },
            };
            let found = found.map_err(|cause| in_input(variable, cause))?;
            // Of a table of a database, what was read of it.
            let data = if file.is_none() { found.recorded() } else { data };
            let content_hash = found.content_hash.clone();
            records.push(InputRecord { variable: variable.clone(), data, content_hash, file });
            inputs.push(found);
        }
        Ok((inputs, records))
    }
}

impl RunReport {
    fn keep(&mut self, sink: &Outputs<'_>) {
        let open = std::mem::take(&mut *sink.open.lock().unwrap_or_else(PoisonError::into_inner));
        for (name, mut writer) in open {
            writer.burnt(self.outcome.usage.fuel);
            let warnings = self
                .outcome
                .outputs
                .iter()
                .filter(|output| output.name == name)
                .flat_map(|output| output.warnings.clone())
                .collect();
            match writer.finish() {
                Ok(artifact) => self.kept.push(Kept { name, artifact, warnings }),
                Err(error) => self.lost.push((name, error.to_string())),
            }
        }
        for file in std::mem::take(&mut self.outcome.files) {
            match files::keep(sink, file, self.outcome.usage.fuel) {
                Ok(kept) => self.files.push(kept),
                Err(lost) => self.lost.push(lost),
            }
        }
    }
}

fn in_input(variable: &str, cause: RoomError) -> RoomError {
    match cause {
        RoomError::Cancelled => RoomError::Cancelled,
        cause => RoomError::Input { variable: variable.to_owned(), cause: Box::new(cause) },
    }
}

/// The time, as exactly as a footer has it.
pub(super) fn now() -> DateTime<Utc> {
    let now = Utc::now();
    DateTime::from_timestamp_micros(now.timestamp_micros()).unwrap_or(now)
}

/// Where a file is, whatever folder a replay is started in.
fn absolute(path: &Path) -> Option<String> {
    std::path::absolute(path).ok()?.to_str().map(str::to_owned)
}

/// The same code on the same data draws the same random numbers.
pub(super) fn seed(code: &str, inputs: &[InputRecord]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    let mut part = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    part(code);
    let mut inputs: Vec<_> = inputs.iter().collect();
    inputs.sort_by(|a, b| a.variable.cmp(&b.variable));
    for input in inputs {
        part(&input.variable);
        part(&input.content_hash);
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// What a replay needs to know to compute the same again. The start image's name
/// stands for the engine: it is a hash of all that the image is made from.
pub(super) fn versions(image: &str) -> BTreeMap<String, String> {
    BTreeMap::from([
        ("dataroom".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("runtime".to_owned(), PYTHON_WASM_SHA256.to_owned()),
        ("engine".to_owned(), image.to_owned()),
    ])
}

type Shared = Arc<Mutex<Vec<(String, ArtifactWriter)>>>;

/// Writes outputs to the store, and holds them open.
pub(super) struct Outputs<'a> {
    pub(super) room: &'a Room,
    code: String,
    records: Vec<InputRecord>,
    record: RunRecord,
    image: String,
    given: Arc<Given>,
    open: Shared,
}

impl Outputs<'_> {
    /// What is said of an output of this run.
    pub(super) fn draft(&self, name: &str, kind: Kind) -> Draft {
        Draft {
            owner: self.room.settings().owner.clone(),
            kind,
            name: Some(name.to_owned()),
            origin: Origin::Python { code: self.code.clone(), output: name.to_owned() },
            inputs: self.records.clone(),
            versions: versions(&self.image),
            run: Some(self.record.clone()),
            warnings: Vec::new(),
            sensitive: SensitiveColumns::new(),
            cut: None,
            time_to_live: None,
        }
    }
}

impl OutputSink for Outputs<'_> {
    fn table(&mut self, name: &str, schema: SchemaRef) -> Result<Box<dyn TableSink>, SinkError> {
        let mut draft = self.draft(name, Kind::Table);
        draft.sensitive = self.given.among(&schema);
        let writer = self
            .room
            .store()
            .and_then(|store| Ok(store.create(draft, schema)?))
            .map_err(|error| SinkError(error.to_string()))?;
        Ok(Box::new(OpenOutput { name: name.to_owned(), writer, open: self.open.clone() }))
    }
}

struct OpenOutput {
    name: String,
    writer: ArtifactWriter,
    open: Shared,
}

impl TableSink for OpenOutput {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), SinkError> {
        self.writer.write(batch).map_err(|error| SinkError(error.to_string()))
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // A script that puts a table twice means the last.
        open.retain(|(name, _)| *name != self.name);
        open.push((self.name, self.writer));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(variable: &str, hash: &str) -> InputRecord {
        InputRecord {
            variable: variable.into(),
            data: "x".into(),
            content_hash: hash.into(),
            file: None,
        }
    }

    #[test]
    fn the_seed_depends_on_code_and_content_and_on_nothing_else() {
        let base = seed("code", &[record("a", "1"), record("b", "2")]);
        assert_eq!(base, seed("code", &[record("b", "2"), record("a", "1")]));
        let renamed = InputRecord { data: "other name".into(), ..record("a", "1") };
        assert_eq!(base, seed("code", &[renamed, record("b", "2")]));
        for other in [
            seed("code ", &[record("a", "1"), record("b", "2")]),
            seed("code", &[record("a", "2"), record("b", "1")]),
            seed("code", &[record("a", "1")]),
            // Parts must not run into each other.
            seed("codea", &[record("", "1"), record("b", "2")]),
        ] {
            assert_ne!(base, other);
        }
    }
}
