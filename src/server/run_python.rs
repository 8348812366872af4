//! `run_python`: computes on data that the model does not see.

use std::collections::BTreeMap;

use dataroom_sandbox::{Ending, GuestError, Outcome, Usage};
use schemars::JsonSchema;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::descriptor::Descriptor;
use super::tool::{Hints, Tool};
use crate::policy::{Policy, ResultRefused};
use crate::reply::{Answer, Reply, head_and_tail};
use crate::room::{Call, KeptFile, Names, Room, RoomError, RunReport, RunRequest, Source};

/// Bytes of the libraries' complaints that are shown.
const COMPLAINTS: usize = 600;

pub(super) struct RunPython;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// The script. Put a small answer into `result` and tables into `outputs`.
    code: String,
    /// Variables for the script: each becomes a pandas DataFrame of the dataset or
    /// dataRef that it names, e.g. {"flights": "flights"}.
    inputs: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answered {
    /// Whether the script ran to its end and all of it was kept.
    ok: bool,
    /// What the script put into `result`; null if nothing.
    result: Value,
    /// What it printed, head and tail where it is long.
    stdout: String,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
    /// The tables that it put into `outputs`, by key.
    #[serde(serialize_with = "as_map")]
    #[schemars(with = "BTreeMap<String, Descriptor>")]
    outputs: Vec<(String, Descriptor)>,
    /// The files and charts that it left in its folders, by path: for export_data.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "BTreeMap<String, LeftFile>")]
    files: Vec<(String, LeftFile)>,
    /// What to know of the numbers.
    warnings: Vec<String>,
    /// What the run used of its limits.
    limits: LimitsUsed,
    /// How it ended: completed, raised, exited, limit, cancelled or aborted.
    ending: &'static str,
}

/// A file that stays in the room.
#[derive(Debug, Serialize, JsonSchema)]
struct LeftFile {
    /// The handle, for export_data.
    #[serde(rename = "dataRef")]
    data_ref: String,
    /// chart, if it is a picture; else file.
    kind: &'static str,
    /// Its size, where values may be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

impl LeftFile {
    fn of(kept: &KeptFile, policy: &Policy) -> Self {
        Self {
            data_ref: kept.artifact.meta.reference.to_string(),
            kind: kept.artifact.meta.kind.name(),
            bytes: policy.content(kept.bytes),
        }
    }
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Failure {
    /// The exception's class, or the name of what ended the run.
    kind: String,
    /// What happened.
    message: String,
    /// The line of the script.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// The text of that line.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// The column of a syntax error.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// The script's own calls that led there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    frames: Vec<String>,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LimitsUsed {
    /// What was used.
    used: Used,
    /// The limit that ended the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    hit: Option<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Used {
    fuel: u64,
    wall_ms: f64,
    memory_bytes: u64,
    scratch_bytes: u64,
    host_calls: u64,
}

fn as_map<T: Serialize, S: Serializer>(
    named: &[(String, T)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(named.iter().map(|(name, value)| (name, value)))
}

impl Tool for RunPython {
    const NAME: &'static str = "run_python";
    const TITLE: &'static str = "Run Python";
    const DESCRIPTION: &'static str = "Runs a Python script on data of this room and returns what \
        it computed, not the rows. `inputs` gives the script DataFrames by variable name: \
        {\"flights\": \"flights\", \"t\": \"data_…\"}. What the script assigns to `result` (a \
        small JSON value: numbers, text, lists, dicts) comes back as it is; each DataFrame in \
        `outputs[\"name\"]` is kept whole and comes back as a handle (dataRef) with its columns. \
        pandas, numpy, scipy, scikit-learn, statsmodels, matplotlib, sympy and networkx are there; \
        sql(\"select …\") gives a DataFrame computed by query_data's engine over the inputs. \
        Each run starts fresh: no variables of earlier runs, no network, no files of the machine, \
        no threads or processes. Figures that it shows and files that it writes come back as \
        handles in `files`; export_data hands them to the person.";
    // Each run keeps its outputs anew.
    const HINTS: Hints = Hints { read_only: false, idempotent: false };
    type Arguments = Arguments;
    type Answer = Answered;

    fn call(room: &Room, arguments: Arguments, call: &Call) -> Result<Answered, RoomError> {
        let inputs = arguments.inputs.unwrap_or_default();
        let request = RunRequest {
            code: arguments.code,
            inputs: inputs.into_iter().map(|(name, data)| (name, Source::Data(data))).collect(),
        };
        let code = request.code.clone();
        let report = room.run(request, call)?;
        Ok(answer(room, &code, report, call))
    }
}

/// The reply that the tool gives for a report.
pub(super) fn reply(room: &Room, code: &str, report: RunReport, call: &Call) -> Reply {
    Reply::answer(answer(room, code, report, call), room.policy().reply_bytes())
}

fn answer(room: &Room, code: &str, report: RunReport, call: &Call) -> Answered {
    let policy = room.policy();
    let names = Names::of_run(room, code, &report.inputs, call);
    let RunReport { outcome, kept, files, lost, .. } = report;
    let mut warnings = policy.notes(outcome.warnings.clone());
    if outcome.stderr.total_bytes > 0 && !policy.hides_values() {
        let complaints = head_and_tail(outcome.stderr.text.trim(), COMPLAINTS);
        warnings.push(format!("stderr: {complaints}"));
    }
    let mut error = failure(&outcome, room);
    if let Some(error) = &mut error {
        error.keep_within(code);
    }
    let result = match outcome.result.clone().map(|result| policy.result(result)) {
        Some(Ok(result)) => result,
        Some(Err(refused)) if outcome.last_line => {
            // Many a script ends with an expression that nobody asks for.
            warnings.push(format!("the last line's value is not shown: {refused}"));
            Value::Null
        }
        Some(Err(refused)) => {
            error = error.or_else(|| Some(result_refused(&refused)));
            Value::Null
        }
        None => Value::Null,
    };
    if let Some((name, cause)) = lost.first() {
        let name = names.show(name, 0);
        error = error.or_else(|| {
            Some(Failure::new("OutputLost", format!("{name:?} was not kept: {cause}")))
        });
    }
    let outputs = kept
        .into_iter()
        .enumerate()
        .map(|(place, kept)| {
            let descriptor = Descriptor::of(&kept.artifact, kept.warnings, policy, &names);
            (names.show(&kept.name, place), descriptor)
        })
        .collect();
    let file = |(place, kept): (usize, KeptFile)| {
        (names.show(&kept.path, place), LeftFile::of(&kept, policy))
    };
    let files = files.into_iter().enumerate().map(file).collect();
    Answered {
        ok: error.is_none(),
        result,
        stdout: policy.printed(&outcome.stdout),
        error,
        outputs,
        files,
        warnings,
        limits: limits_used(&outcome, policy),
        ending: ending_name(&outcome.ending),
    }
}

fn ending_name(ending: &Ending) -> &'static str {
    match ending {
        Ending::Completed => "completed",
        Ending::Raised => "raised",
        Ending::Exited { .. } => "exited",
        Ending::Limit { .. } => "limit",
        Ending::Cancelled => "cancelled",
        Ending::Aborted => "aborted",
    }
}

fn limits_used(outcome: &Outcome, policy: &Policy) -> LimitsUsed {
    let Usage { fuel, wall, memory_bytes, scratch_bytes, host_calls } = outcome.usage;
    let hit = match outcome.ending {
        Ending::Limit { limit } => Some(limit.setting()),
        _ => None,
    };
    let wall_ms = if policy.hides_values() {
        policy.used(wall.as_millis() as u64) as f64
    } else {
        (wall.as_secs_f64() * 1e4).round() / 10.0
    };
    let used = Used {
        fuel: policy.used(fuel),
        wall_ms,
        memory_bytes: policy.used(memory_bytes),
        scratch_bytes: policy.used(scratch_bytes),
        host_calls: policy.used(host_calls),
    };
    LimitsUsed { used, hit }
}

impl Failure {
    fn new(kind: &str, message: String) -> Self {
        Self {
            kind: kind.to_owned(),
            message,
            line: None,
            source: None,
            column: None,
            frames: Vec::new(),
            hint: None,
        }
    }

    /// Drops a place that the code does not have: a script can raise a syntax error
    /// at any line and column that it makes from a value.
    fn keep_within(&mut self, code: &str) {
        let lines = code.matches(['\n', '\r']).count() + 1;
        self.line = self.line.filter(|line| (*line as usize) <= lines);
        let longest = code.len() + 1;
        self.column = self.column.filter(|at| self.line.is_some() && (*at as usize) <= longest);
    }

    fn hinted(mut self, hint: &str) -> Self {
        self.hint = Some(hint.to_owned());
        self
    }
}

impl From<GuestError> for Failure {
    fn from(error: GuestError) -> Self {
        let GuestError { kind, message, line, source, column, frames, hint } = error;
        Self { kind, message, line, source, column, frames, hint }
    }
}

fn result_refused(refused: &ResultRefused) -> Failure {
    let (kind, hint) = match refused {
        ResultRefused::TooBig { .. } => (
            "ResultTooBig",
            "put the table into outputs[\"name\"] and only a short summary into `result`",
        ),
        ResultRefused::Hidden => (
            "ResultHidden",
            "put what was computed into outputs[\"name\"] as a DataFrame and give it to the person \
             with export_data",
        ),
    };
    Failure::new(kind, refused.to_string()).hinted(hint)
}

/// What the model is told of a run that did not come to its end.
fn failure(outcome: &Outcome, room: &Room) -> Option<Failure> {
    let policy: &Policy = room.policy();
    let seen = outcome.error.as_ref().map(|error| Failure::from(policy.exception(error)));
    match outcome.ending {
        Ending::Completed => None,
        Ending::Raised => Some(seen.unwrap_or_else(|| {
            Failure::new("Exception", "the script raised an exception that left no trace".into())
        })),
        Ending::Exited { code } => {
            let with = if policy.hides_values() { String::new() } else { format!(" with code {code}") };
            Some(
                Failure::new("SystemExit", format!("the script left{with} before its end"))
                    .hinted("let the script run to its end: `result` and `outputs` are taken there"),
            )
        }
        Ending::Limit { limit } => {
            let setting = limit.setting();
            let limits = serde_json::to_value(&room.settings().limits).unwrap_or_default();
            let most = limits.get(setting).map(|most| format!(" = {most}")).unwrap_or_default();
            let message = format!("the run met its limit {setting}{most} and was ended");
            let mut failure = Failure::new("LimitReached", message).hinted(limit_hint(setting));
            if let Some(seen) = seen {
                (failure.line, failure.source, failure.frames) = (seen.line, seen.source, seen.frames);
            }
            Some(failure)
        }
        Ending::Cancelled => {
            Some(Failure::new("Cancelled", "the call was cancelled; nothing was kept".into()))
        }
        Ending::Aborted => Some(
            Failure::new("Aborted", "the interpreter aborted; nothing was kept".into())
                .hinted("leave out os.abort() and what crashes a native extension; the next run starts fresh"),
        ),
    }
}

fn limit_hint(setting: &str) -> &'static str {
    match setting {
        "fuel" | "wall_ms" => {
            "compute less in one run: vectorise loops, filter first, or keep a part in `outputs` and go on in the next run"
        }
        "memory_bytes" => "select columns and rows first, use smaller types, or aggregate in parts",
        "stack" => "use a loop instead of deep recursion",
        "stdout_bytes" | "stderr_bytes" => "print less: tables belong in `outputs`",
        "result" | "result_bytes" => {
            "put the table into outputs[\"name\"] and only a short summary into `result`"
        }
        "outputs" => "put fewer tables into `outputs`, or concatenate them",
        "output_rows" | "output_bytes" | "output_cells" => {
            "aggregate or filter before putting a table into `outputs`"
        }
        "output_columns" => "make rows of columns with melt(), or choose the columns that matter",
        "scratch_bytes" | "scratch_files" | "open_files" => {
            "keep data in variables instead of files, and close and remove files"
        }
        _ => "ask the host for less in one run",
    }
}

impl Answer for Answered {
    fn failed(&self) -> bool {
        !self.ok
    }

    fn shrink(&mut self) -> bool {
        // The largest output first, so that small ones keep their sample.
        let mut shrunk = false;
        for (_, descriptor) in &mut self.outputs {
            shrunk |= descriptor.shrink();
        }
        if shrunk {
            return true;
        }
        if self.warnings.len() > 3 || self.warnings.iter().any(|w| w.len() > 200) {
            self.warnings.truncate(3);
            self.warnings.iter_mut().for_each(|w| *w = head_and_tail(w, 200));
            return true;
        }
        if let Some(error) = self.error.as_mut().filter(|e| e.frames.len() > 2) {
            error.frames.drain(..error.frames.len() - 2);
            return true;
        }
        let cut = head_and_tail(&self.stdout, self.stdout.len() / 2);
        let shorter = self.stdout.len() > 200 && cut.len() < self.stdout.len();
        if shorter {
            self.stdout = cut;
        }
        shorter
    }
}

#[cfg(test)]
mod tests;
