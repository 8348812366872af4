//! Where a table comes from, step by step, down to the datasets.

use std::collections::{BTreeMap, HashSet};

use super::{Call, Room, RoomError};
use crate::store::{ArtifactMeta, DataRef, InputRecord, Origin, StoreError};

/// Steps that are walked; a longer history says so.
const MOST_STEPS: usize = 200;

/// The history of one table.
#[derive(Debug, Clone)]
pub struct Lineage {
    /// The table.
    pub data: String,
    /// Its steps: what a step needs comes before it, the table itself is last.
    pub steps: Vec<Step>,
    /// Whether there are more steps than were walked.
    pub cut: bool,
}

/// One step: a dataset, or what was computed.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its name or reference.
    pub data: String,
    /// What it is.
    pub kind: StepKind,
    /// The hash of its content, where it is known.
    pub content_hash: Option<String>,
    /// What was recorded when it was made; `None` for datasets and what is gone.
    pub meta: Option<ArtifactMeta>,
    /// What to know of it.
    pub note: Option<String>,
}

/// What a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// A dataset.
    Dataset,
    /// The output of a script.
    Python,
    /// The result of a query.
    Sql,
    /// A chart.
    Chart,
    /// The answer of a declared tool.
    Tool,
    /// Something brought in from outside.
    Import,
    /// What was read of a table of a database.
    Remote,
    /// An artifact that is no more.
    Missing,
}

impl Room {
    /// Walks the history of a table.
    ///
    /// # Errors
    /// There is no such data. An ancestor that is gone is a step that says so.
    pub fn lineage(&self, data: &str, call: &Call) -> Result<Lineage, RoomError> {
        let found = {
            let _place = self.0.scans.enter(call)?;
            self.find(data, call)?
        };
        let datasets: HashSet<String> =
            self.datasets()?.into_iter().map(|dataset| dataset.name.to_string()).collect();
        let mut recorded: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let root = InputRecord {
            variable: String::new(),
            data: data.to_owned(),
            content_hash: found.content_hash,
            file: None,
        };
        let mut lineage = Lineage { data: data.to_owned(), steps: Vec::new(), cut: false };
        // Each entry is visited twice: to put what it needs above it, and, when
        // that is done, to be written down itself.
        let mut stack = vec![(root, false)];
        let mut seen = HashSet::new();
        let mut opened: BTreeMap<String, ArtifactMeta> = BTreeMap::new();
        while let Some((input, ready)) = stack.pop() {
            if ready {
                let meta = opened.remove(&input.data);
                lineage.steps.push(step(input, meta, &datasets));
                continue;
            }
            recorded.entry(input.data.clone()).or_default().push(input.content_hash.clone());
            if !seen.insert(input.data.clone()) {
                continue;
            }
            if seen.len() > MOST_STEPS {
                lineage.cut = true;
                continue;
            }
            let meta = self.recorded(&input.data)?;
            stack.push((input, true));
            if let Some(meta) = meta {
                stack.extend(meta.inputs.iter().rev().map(|input| (input.clone(), false)));
                opened.insert(meta.reference.to_string(), meta);
            }
        }
        for step in &mut lineage.steps {
            if let Some(meta) = step.meta.as_ref().filter(|_| step.kind == StepKind::Remote) {
                step.note = self.changed_since(meta, call);
            }
            step.note_of_change(recorded.get(&step.data));
        }
        Ok(lineage)
    }

    fn recorded(&self, data: &str) -> Result<Option<ArtifactMeta>, RoomError> {
        let Ok(reference) = data.parse::<DataRef>() else {
            return Ok(None);
        };
        match self.store()?.get(&self.settings().owner, &reference) {
            Ok(artifact) => Ok(Some(artifact.meta)),
            Err(StoreError::Unknown(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn step(input: InputRecord, meta: Option<ArtifactMeta>, datasets: &HashSet<String>) -> Step {
    let InputRecord { data, content_hash, file, .. } = input;
    let content_hash = Some(content_hash);
    if let Some(meta) = meta {
        let kind = match meta.origin {
            Origin::Python { .. } => StepKind::Python,
            Origin::Sql { .. } => StepKind::Sql,
            Origin::Chart { .. } => StepKind::Chart,
            Origin::Tool { .. } => StepKind::Tool,
            Origin::Import { .. } => StepKind::Import,
            Origin::Remote(_) => StepKind::Remote,
        };
        let content_hash = Some(meta.content_hash.to_string());
        let note = meta.saw_the_real_clock().then(|| {
            "its script saw the machine's clock (policy.clock = \"real\"): it cannot be replayed"
                .to_owned()
        });
        return Step { data, kind, content_hash, meta: Some(meta), note };
    }
    if data.parse::<DataRef>().is_ok() {
        let note =
            "this artifact has expired: its steps and what they needed are not known any more";
        return Step {
            data,
            kind: StepKind::Missing,
            content_hash,
            meta: None,
            note: Some(note.to_owned()),
        };
    }
    let note = match file {
        Some(_) => Some("a file that was named on the command line".to_owned()),
        None if datasets.contains(&data) => None,
        None => Some(
            "no dataset has this name now: it was a file named on the command line, or is gone"
                .to_owned(),
        ),
    };
    Step { data, kind: StepKind::Dataset, content_hash, meta: None, note }
}

impl Step {
    /// A dataset is a file that a person may change between two runs.
    fn note_of_change(&mut self, recorded: Option<&Vec<String>>) {
        let Some(recorded) = recorded.filter(|_| self.kind == StepKind::Dataset) else {
            return;
        };
        if recorded.iter().any(|hash| Some(hash) != self.content_hash.as_ref()) {
            self.note = Some(
                "this dataset changed between the steps: their inputs have different hashes"
                    .to_owned(),
            );
        }
    }
}
