//! What comes back from a run.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::limits::LimitName;

/// How a run ended. Every way has a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "ending", rename_all = "snake_case")]
pub enum Ending {
    /// The script ran to its end.
    Completed,
    /// The script raised; see [`Outcome::error`].
    Raised,
    /// The script left by `sys.exit`, `SystemExit` or `os._exit`.
    Exited {
        /// The code that it asked for.
        code: i32,
    },
    /// The script met a limit.
    Limit {
        /// Which.
        limit: LimitName,
    },
    /// [`crate::Cancel::cancel`] was called.
    Cancelled,
    /// The interpreter aborted (`os.abort()`, a fatal error in an extension).
    Aborted,
}

/// An exception, as its author needs to see it: only frames of the script.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GuestError {
    /// The exception's class, e.g. `KeyError`.
    pub kind: String,
    /// The exception's message.
    pub message: String,
    /// The line of the script, from 1, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The text of that line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The column of a syntax error, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The script's own frames, outermost first, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<String>,
    /// What to do next, where there is something to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Text that the script printed: head and tail, where it was long.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Captured {
    /// The text, lossily decoded from UTF-8, with a note where bytes were left out.
    pub text: String,
    /// All bytes that were printed.
    pub total_bytes: u64,
    /// Whether `text` leaves something out.
    pub truncated: bool,
}

/// One output table that the sink has taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Output {
    /// Its key in `outputs`.
    pub name: String,
    /// Its rows.
    pub rows: u64,
    /// Its warnings, e.g. an index that became a column.
    pub warnings: Vec<String>,
}

/// A file that the script left in one of its folders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenFile {
    /// Its path below the folder that it is in: `report.csv` for `/out/report.csv`.
    /// No two files have the same: where they would, the folder's name stands before it.
    pub path: String,
    /// What is in it; its length where this is made JSON.
    #[serde(serialize_with = "as_length")]
    pub bytes: Arc<Vec<u8>>,
}

fn as_length<S: serde::Serializer>(bytes: &Arc<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(bytes.len() as u64)
}

/// What a run used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// Fuel.
    pub fuel: u64,
    /// Wall-clock time.
    #[serde(serialize_with = "as_millis", rename = "wall_ms")]
    pub wall: Duration,
    /// Linear memory at the end, in bytes (it never shrinks).
    pub memory_bytes: u64,
    /// Most bytes that the scratch folders held.
    pub scratch_bytes: u64,
    /// Messages to the host.
    pub host_calls: u64,
}

fn as_millis<S: serde::Serializer>(value: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    // Three digits are what a reader can use.
    serializer.serialize_f64((value.as_secs_f64() * 1e6).round() / 1e3)
}

/// Everything that a run gives back.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// How it ended.
    #[serde(flatten)]
    pub ending: Ending,
    /// The script's `result`, where it set one and came to its end.
    pub result: Option<serde_json::Value>,
    /// Whether that is the value of the script's last line, which set no `result`.
    pub last_line: bool,
    /// What it printed.
    pub stdout: Captured,
    /// What it and its libraries complained of.
    pub stderr: Captured,
    /// The exception; also set for a limit that the script saw as one.
    pub error: Option<GuestError>,
    /// The tables that the sink has taken, in the script's order.
    pub outputs: Vec<Output>,
    /// The files that it left in `/out`, in `/work`, where it started, and in `/tmp`, if
    /// it came to its end; at most [`Limits::files`](crate::Limits::files).
    pub files: Vec<WrittenFile>,
    /// What the reader should know of the numbers.
    pub warnings: Vec<String>,
    /// What it used.
    pub usage: Usage,
}

impl Outcome {
    /// Whether the script came to its end.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.ending == Ending::Completed
    }
}
