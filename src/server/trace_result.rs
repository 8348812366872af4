//! `trace_result`: where a table comes from.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tool::{Hints, Tool};
use crate::audience::Audience;
use crate::reply::{Answer, head_and_tail};
use crate::room::{Call, Names, Replay, ReplayedStep, Room, RoomError, StepKind};
use crate::store::{InputRecord, Origin};

/// Bytes of code shown of one step.
const CODE_BYTES: usize = 2_000;

pub(super) struct TraceResult;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// A dataRef or a dataset's name.
    data: String,
    /// Whether to compute every step again and compare what comes out.
    replay: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Trace {
    /// What is traced.
    data: String,
    /// Its steps: what a step needs comes before it, the traced table is last.
    steps: Vec<StepAnswer>,
    /// What to know of it.
    notes: Vec<String>,
    /// What computing it again gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<ReplayAnswer>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ReplayAnswer {
    /// Whether every value of every step is as recorded.
    identical: bool,
    /// The whole in a sentence.
    summary: String,
    /// Each step, in the order of computing.
    steps: Vec<ReplayedAnswer>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ReplayedAnswer {
    data: String,
    /// same, changed, gone, differs, failed, or impossible.
    verdict: &'static str,
    /// How it differs, and what to know of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct StepAnswer {
    data: String,
    /// dataset, python, sql, chart, import, or missing.
    kind: &'static str,
    /// The key in `outputs` that it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sql: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<InputAnswer>,
    /// What computed it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    versions: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    /// The hash of its content, as the step after it saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct InputAnswer {
    variable: String,
    data: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
}

impl InputAnswer {
    fn of(room: &Room, input: InputRecord) -> Self {
        let InputRecord { variable, data, content_hash, .. } = input;
        Self { variable, data, content_hash: room.policy().content(content_hash) }
    }
}

impl Tool for TraceResult {
    const NAME: &'static str = "trace_result";
    const TITLE: &'static str = "Trace a result";
    const DESCRIPTION: &'static str = "Tells where a table comes from: every step's code, inputs \
        with the hashes of their content, versions and time, from the datasets up to it. It shows \
        no rows. `replay` computes every step again and says whether each value came out as \
        recorded, which takes as long as the steps did; without it nothing is computed.";
    const HINTS: Hints = Hints { read_only: true, idempotent: true };
    type Arguments = Arguments;
    type Answer = Trace;

    fn call(room: &Room, arguments: Arguments, call: &Call) -> Result<Trace, RoomError> {
        let lineage = room.lineage(&arguments.data, call)?;
        let mut notes = Vec::new();
        if lineage.cut {
            notes.push("the history is longer than this: older steps are left out".to_owned());
        }
        if lineage.steps.iter().any(|step| step.kind == StepKind::Missing) {
            notes.push("some ancestors have expired: the history is not whole".to_owned());
        }
        if room.policy().hides_values() {
            notes.push("content hashes are hidden by this room's policy".to_owned());
        }
        let steps = lineage.steps.into_iter().map(|step| StepAnswer::of(room, step)).collect();
        let replay = match arguments.replay {
            Some(true) => Some(ReplayAnswer::of(room, &room.replay(&arguments.data, call)?)),
            _ => None,
        };
        let mut trace = Trace { data: lineage.data, steps, notes, replay };
        trace.cap_code(CODE_BYTES);
        Ok(trace)
    }
}

impl ReplayAnswer {
    fn of(room: &Room, replay: &Replay) -> Self {
        let policy = room.policy();
        let step = |step: &ReplayedStep| ReplayedAnswer {
            data: step.data.clone(),
            verdict: step.verdict.word(),
            // Names of columns and messages of exceptions can be values.
            details: policy.notes(
                step.verdict.lines(Audience::Model).into_iter().chain(step.notes.clone()).collect(),
            ),
        };
        Self {
            identical: replay.identical(),
            summary: replay.summary(!policy.hides_values()),
            steps: replay.steps.iter().map(step).collect(),
        }
    }

    /// Leaves out the steps that are as they were, then details.
    fn shrink(&mut self) -> bool {
        let before = self.steps.len();
        self.steps.retain(|step| step.verdict != "same" || !step.details.is_empty());
        if self.steps.len() < before {
            return true;
        }
        let long = self.steps.iter_mut().filter(|step| step.details.len() > 2);
        let cut = long.map(|step| step.details.truncate(2)).count() > 0;
        cut || self.steps.pop().is_some()
    }
}

impl StepAnswer {
    fn of(room: &Room, step: crate::room::Step) -> Self {
        let mut answer = Self {
            data: step.data,
            kind: match step.kind {
                StepKind::Dataset => "dataset",
                StepKind::Python => "python",
                StepKind::Sql => "sql",
                StepKind::Chart => "chart",
                StepKind::Tool => "tool",
                StepKind::Import => "import",
                StepKind::Remote => "database",
                StepKind::Missing => "missing",
            },
            output: None,
            code: None,
            sql: None,
            source: None,
            inputs: Vec::new(),
            versions: BTreeMap::new(),
            created: None,
            rows: None,
            content_hash: step.content_hash.and_then(|hash| room.policy().content(hash)),
            note: step.note,
        };
        if let Some(meta) = step.meta {
            let names = Names::of_origin(room, &meta);
            match meta.origin {
                Origin::Python { code, output } => {
                    answer.output = Some(names.show(&output, 0));
                    answer.code = Some(code);
                }
                Origin::Sql { sql } => answer.sql = Some(sql),
                Origin::Chart { request } => answer.code = Some(request),
                origin @ Origin::Tool { .. } => answer.source = Some(origin.place()),
                Origin::Import { source } => answer.source = Some(source),
                Origin::Remote(read) => {
                    answer.source = Some(format!("{}.{}", read.source, read.table));
                    answer.sql = Some(read.statement);
                }
            }
            let inputs = meta.inputs.into_iter().map(|input| InputAnswer::of(room, input));
            answer.inputs = inputs.collect();
            answer.versions = meta.versions;
            answer.created = Some(meta.created.format("%Y-%m-%dT%H:%M:%SZ").to_string());
            answer.rows = room.policy().count(meta.rows);
        }
        answer
    }
}

impl Trace {
    /// Caps each step's code. Whether that made anything shorter.
    fn cap_code(&mut self, most: usize) -> bool {
        let mut cut = false;
        for code in self.steps.iter_mut().flat_map(|step| step.code.iter_mut().chain(&mut step.sql))
        {
            if code.len() > most {
                *code = head_and_tail(code, most);
                cut = true;
            }
        }
        cut
    }
}

impl Answer for Trace {
    fn shrink(&mut self) -> bool {
        if self.cap_code(500) || self.cap_code(200) {
            return true;
        }
        // The versions of all steps are nearly always the same: the last tells them.
        let last = self.steps.len().saturating_sub(1);
        let shared = self.steps.get(last).map(|step| step.versions.clone()).unwrap_or_default();
        let mut cut = false;
        for step in self.steps.iter_mut().take(last) {
            if !step.versions.is_empty() && step.versions == shared {
                step.versions.clear();
                cut = true;
            }
        }
        if cut {
            self.notes.push("steps without versions have those of the last step".to_owned());
            return true;
        }
        if self.replay.as_mut().is_some_and(ReplayAnswer::shrink) {
            return true;
        }
        let drop = self.steps.len() / 2;
        if drop == 0 {
            return false;
        }
        self.steps.drain(..drop);
        self.notes.retain(|note| !note.starts_with("only the last"));
        self.notes.push(format!(
            "only the last {} steps are shown: trace the inputs of the first of them for the rest",
            self.steps.len()
        ));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::Reply;

    fn step(n: usize) -> StepAnswer {
        StepAnswer {
            data: format!("data_{n:032x}"),
            kind: "python",
            output: Some("t".into()),
            code: Some("x = 1\n".repeat(500)),
            sql: None,
            source: None,
            inputs: vec![],
            versions: BTreeMap::from([("dataroom".to_owned(), "0.1.0".to_owned())]),
            created: None,
            rows: Some(1),
            content_hash: None,
            note: None,
        }
    }

    #[test]
    fn a_long_history_keeps_its_end_and_says_what_it_lost() {
        let trace = |n| Trace {
            data: "d".into(),
            steps: (0..n).map(step).collect(),
            notes: vec![],
            replay: None,
        };
        let whole = Reply::answer(trace(1), 10_000);
        assert_eq!(whole.structured().unwrap()["steps"][0]["code"], "x = 1\n".repeat(500));
        let cut = Reply::answer(trace(100), 10_000);
        let shown = cut.structured().unwrap();
        let steps = shown["steps"].as_array().unwrap();
        assert!(cut.bytes() <= 10_000 && steps.len() > 10);
        assert_eq!(steps.last().unwrap()["data"], format!("data_{:032x}", 99));
        let notes = shown["notes"].to_string();
        assert!(notes.contains("only the last") && notes.contains("have those of"), "{notes}");
        assert!(steps[0]["code"].as_str().unwrap().contains("bytes left out"));
    }
}
