//! Computing a table again from its history, to see whether it still comes out.
//!
//! A run is a function of its code, its inputs, its seed and the time at which its
//! clock began, in one version of the runtime; an artifact's footer holds all of them.
//! A replay computes every step back to the datasets, each from the inputs that it had:
//! those are kept, and are what their own step gave if that step is the same. So one
//! wrong step does not make all the later ones wrong, and the step that is named is
//! the one that differs. Nothing is written: outputs are compared as they come
//! ([`compare`]) and dropped.
//!
//! A dataset can change under its name. Then that is said first, and the step is
//! computed from the file as it is now, with the seed and clock of the record, which
//! tells whether the change matters.

mod chart;
mod compare;
mod query;
mod report;
mod sink;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use dataroom_sandbox::{Clock, Ending, Input, Outcome, Run, VariableName};

use self::sink::{Comparing, Findings, Kept, Name};
use super::asked::Asked;
use super::query::versions as query_versions;
use super::run::{seed, versions};
use super::{Call, Found, Opened, Room, RoomError, StepKind};
use crate::audience::NextStep;
use crate::catalog::CatalogError;
use crate::store::{ArtifactMeta, DataRef, InputRecord, Kind, Origin};

pub use self::compare::{ColumnDifference, Difference};
pub use self::report::{Replay, ReplayedStep, Verdict};

impl Room {
    /// Computes a table again, all steps of it.
    ///
    /// # Errors
    /// There is no such table, it is a dataset, the runtime is not there, or the call
    /// was cancelled. A step that comes out otherwise is no error.
    pub fn replay(&self, data: &str, call: &Call) -> Result<Replay, RoomError> {
        let lineage = self.lineage(data, call)?;
        // What was read of a database is kept, and is where a replay begins.
        let computed: Vec<ArtifactMeta> = lineage
            .steps
            .iter()
            .filter(|step| step.kind != StepKind::Remote)
            .filter_map(|step| step.meta.clone())
            .collect();
        let last = lineage.steps.last();
        if last.is_none_or(|step| step.meta.is_none() || step.kind == StepKind::Remote) {
            return Err(RoomError::NothingToReplay(data.to_owned()));
        }
        let mut replayer = Replayer {
            room: self,
            call,
            steps: Vec::new(),
            told: HashSet::new(),
            results: BTreeMap::new(),
        };
        let total = computed.len() as u64;
        for (number, meta) in computed.iter().enumerate() {
            call.count("replaying steps", number as u64, total);
            replayer.step(meta, &computed)?;
        }
        Ok(Replay { data: data.to_owned(), steps: replayer.steps, cut: lineage.cut })
    }
}

/// A step's verdict and its notes.
type Computed = (Verdict, Vec<String>);

struct Replayer<'a> {
    room: &'a Room,
    call: &'a Call,
    steps: Vec<ReplayedStep>,
    /// Inputs that have been told of.
    told: HashSet<(String, String)>,
    /// Of tables whose run was already made, for a table beside them.
    results: BTreeMap<String, Computed>,
}

/// What became of an input since it was used.
enum Now {
    Same(Found),
    Changed(Found),
    Gone(String, Option<NextStep>),
}

impl Replayer<'_> {
    fn step(&mut self, meta: &ArtifactMeta, all: &[ArtifactMeta]) -> Result<(), RoomError> {
        let reference = meta.reference.to_string();
        let (verdict, notes) = match self.results.remove(&reference) {
            Some(result) => result,
            None => self.compute(meta, all)?,
        };
        let output = match &meta.origin {
            Origin::Python { output, .. } => Some(output.clone()),
            Origin::Sql { .. }
            | Origin::Chart { .. }
            | Origin::Tool { .. }
            | Origin::Import { .. }
            | Origin::Remote(_) => meta.name.clone(),
        };
        self.steps.push(ReplayedStep { data: reference, output, verdict, notes });
        Ok(())
    }

    fn compute(
        &mut self,
        meta: &ArtifactMeta,
        all: &[ArtifactMeta],
    ) -> Result<Computed, RoomError> {
        let step = match step_of(meta) {
            Ok(step) => step,
            Err(why) => return Ok(impossible(&why)),
        };
        let mut notes = self.other_versions(meta)?;
        let mut inputs = Vec::new();
        let mut changed = false;
        for record in &meta.inputs {
            match self.input(record)? {
                Now::Same(found) => inputs.push(found),
                Now::Changed(found) => {
                    notes.push(format!("computed from {} as it is now", record.data));
                    changed = true;
                    inputs.push(found);
                }
                Now::Gone(..) => {
                    let why = format!("its input {} is not there any more", record.data);
                    return Ok((Verdict::Impossible(why), notes));
                }
            }
        }
        let code = match step {
            StepOf::Query(sql) => return self.compute_query(meta, sql, inputs, notes),
            StepOf::Chart(request) => return self.compute_chart(meta, request, inputs, notes),
            StepOf::Script(code) => code,
        };
        let mut sink =
            Comparing { kept: self.outputs_of_run(meta, all)?, found: Findings::default() };
        let run = self.run_of(meta, code, &inputs, &mut notes)?;
        let outcome = {
            let _place = self.room.0.runs.enter(self.call)?;
            self.opened()?.sandbox.run(run, &mut sink, self.call.handle())
        };
        if self.call.is_cancelled() {
            return Err(RoomError::Cancelled);
        }
        if !changed {
            notes.extend(other_fuel(meta, &outcome));
        }
        sink.files(&outcome);
        self.judge(&sink, &outcome, &notes);
        let reference = meta.reference.to_string();
        Ok(self
            .results
            .remove(&reference)
            .unwrap_or_else(|| impossible("it has expired meanwhile")))
    }

    /// What came of each output of a run.
    fn judge(&mut self, sink: &Comparing, outcome: &Outcome, notes: &[String]) {
        let mut found = std::mem::take(&mut *sink.found.lock());
        for ((kind, name), (reference, _, _)) in &sink.kept {
            let verdict = match (outcome.ok(), found.remove(&(*kind, name.clone()))) {
                (false, _) => Verdict::Failed(why_it_failed(outcome)),
                (true, None) => Verdict::Failed(nothing_there(*kind, name)),
                (true, Some(None)) => Verdict::Same,
                (true, Some(Some(difference))) => Verdict::Differs(difference),
            };
            self.results.insert(reference.clone(), (verdict, notes.to_vec()));
        }
    }

    /// What of the history came from the same run as `meta`, by output.
    fn outputs_of_run(
        &self,
        meta: &ArtifactMeta,
        all: &[ArtifactMeta],
    ) -> Result<BTreeMap<Name, Kept>, RoomError> {
        let mut outputs = BTreeMap::new();
        for other in all.iter().filter(|other| is_same_run(meta, other)) {
            let Origin::Python { output, .. } = &other.origin else { continue };
            let reference = other.reference.to_string();
            match self.room.find(&reference, self.call) {
                Ok(found) => {
                    let name = (other.kind, output.clone());
                    outputs.insert(name, (reference, other.clone(), found));
                }
                Err(RoomError::UnknownReference(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(outputs)
    }

    fn run_of(
        &self,
        meta: &ArtifactMeta,
        code: &str,
        inputs: &[Found],
        notes: &mut Vec<String>,
    ) -> Result<Run, RoomError> {
        let started = meta.run.as_ref().and_then(|run| run.started).unwrap_or_else(|| {
            notes.push("its version recorded no clock: the time of the table was taken".to_owned());
            meta.created
        });
        // What comes out is compared and shown to nobody.
        let given = Arc::default();
        let door = Asked::of(self.room, &meta.inputs, inputs, &given, Some(started), self.call);
        let inputs = meta.inputs.iter().zip(inputs).map(|(record, found)| {
            Ok(Input {
                name: VariableName::new(&record.variable)?,
                file: found.table.file().clone(),
            })
        });
        Ok(Run {
            keep_bytes: None,
            code: code.to_owned(),
            inputs: inputs.collect::<Result<_, RoomError>>()?,
            limits: self.room.settings().limits.clone(),
            seed: meta.run.as_ref().map_or_else(|| seed(code, &meta.inputs), |run| run.seed),
            clock: Clock::Own { start: SystemTime::from(started) },
            door: Some(door),
        })
    }

    /// Looks at an input, and makes a step of it if it is none by itself.
    fn input(&mut self, record: &InputRecord) -> Result<Now, RoomError> {
        let now = self.look(record)?;
        let computed = record.data.parse::<DataRef>().is_ok();
        let verdict = match &now {
            Now::Same(_) if computed => return Ok(now),
            Now::Same(_) => Verdict::Same,
            Now::Changed(found) => Verdict::Changed {
                recorded: record.content_hash.clone(),
                found: found.content_hash.clone(),
                since: found.modified,
            },
            Now::Gone(why, step) => Verdict::Gone(why.clone(), *step),
        };
        if self.told.insert((record.data.clone(), record.content_hash.clone())) {
            let step = ReplayedStep {
                data: record.data.clone(),
                output: None,
                verdict,
                notes: Vec::new(),
            };
            self.steps.push(step);
        }
        Ok(now)
    }

    fn look(&self, record: &InputRecord) -> Result<Now, RoomError> {
        let found = match &record.file {
            Some(file) => self.room.find_file(file.as_ref(), self.call),
            None => self.room.find(&record.data, self.call),
        };
        match found {
            Ok(found) if found.content_hash == record.content_hash => Ok(Now::Same(found)),
            Ok(found) => Ok(Now::Changed(found)),
            Err(RoomError::Cancelled) => Err(RoomError::Cancelled),
            Err(error) => {
                // A name leads to the folders that are served now, which may be others.
                let is_elsewhere = record.file.is_none()
                    && matches!(error, RoomError::Catalog(CatalogError::Unknown { .. }));
                let step = is_elsewhere.then_some(NextStep::ServeFolder);
                Ok(Now::Gone(error.to_string(), step))
            }
        }
    }

    /// Only what scripts made needs Python.
    fn opened(&self) -> Result<&Opened, RoomError> {
        self.room.sandbox()
    }

    /// What computed it then and computes differently now, by name.
    fn other_versions(&self, meta: &ArtifactMeta) -> Result<Vec<String>, RoomError> {
        let now = match meta.origin {
            Origin::Sql { .. } | Origin::Chart { .. } | Origin::Remote(_) => query_versions(),
            _ => versions(&self.opened()?.image),
        };
        let others = (meta.versions.iter())
            .filter(|(part, version)| now.get(*part) != Some(version))
            .map(|(part, version)| match now.get(part) {
                Some(now) => format!("made by {part} {version}, computed again by {now}"),
                None => format!("made by {part} {version}, which is not in here"),
            });
        Ok(others.collect())
    }
}

fn nothing_there(kind: Kind, name: &str) -> String {
    match kind {
        Kind::Table => format!("the script put no outputs[{name:?}]"),
        Kind::Chart | Kind::File => format!("the script left no file {name}"),
    }
}

/// What made a table.
enum StepOf<'a> {
    Script(&'a str),
    Query(&'a str),
    Chart(&'a str),
}

/// What made a table, if it can be run again.
fn step_of(meta: &ArtifactMeta) -> Result<StepOf<'_>, String> {
    let code = match &meta.origin {
        Origin::Python { code, .. } => code,
        Origin::Sql { sql } => return Ok(StepOf::Query(sql)),
        Origin::Chart { request } => return Ok(StepOf::Chart(request)),
        Origin::Tool { tool, source, .. } => {
            return Err(format!("{tool} read it from the database {source}, which goes on"));
        }
        Origin::Import { source } => return Err(format!("it was brought in from {source}")),
        Origin::Remote(read) => {
            return Err(format!("it was read of {}.{}", read.source, read.table));
        }
    };
    if meta.saw_the_real_clock() {
        let why = "its script saw the machine's clock (policy.clock = \"real\"), which nothing can \
                   set back";
        return Err(why.to_owned());
    }
    Ok(StepOf::Script(code))
}

/// Work of another size: the values may be the same by luck.
fn other_fuel(meta: &ArtifactMeta, outcome: &Outcome) -> Option<String> {
    let (before, now) = (meta.run.as_ref()?.fuel?, outcome.usage.fuel);
    (outcome.ok() && before != now).then(|| format!("it burnt {now} fuel instead of {before}"))
}

fn impossible(why: &str) -> Computed {
    (Verdict::Impossible(why.to_owned()), Vec::new())
}

fn is_same_run(one: &ArtifactMeta, other: &ArtifactMeta) -> bool {
    let code = |meta: &ArtifactMeta| match &meta.origin {
        Origin::Python { code, .. } => Some(code.clone()),
        Origin::Sql { .. }
        | Origin::Chart { .. }
        | Origin::Tool { .. }
        | Origin::Import { .. }
        | Origin::Remote(_) => None,
    };
    // Without a record of the run its tables cannot be told from a later run's.
    one.reference == other.reference
        || (one.run.is_some()
            && one.run == other.run
            && one.inputs == other.inputs
            && one.versions == other.versions
            && code(one) == code(other))
}

fn why_it_failed(outcome: &Outcome) -> String {
    match (&outcome.ending, &outcome.error) {
        (Ending::Limit { limit }, _) => {
            format!("the run met its limit {}: raise it in dataroom.toml", limit.setting())
        }
        (Ending::Exited { code }, _) => format!("the script left with code {code}"),
        (_, Some(error)) => {
            let line = error.line.map_or_else(String::new, |line| format!(", line {line}"));
            format!("the script raised {}: {}{line}", error.kind, error.message)
        }
        _ => "the interpreter aborted".to_owned(),
    }
}
