//! What goes into a run: the script, its inputs, and where its tables go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;

use crate::guest::Stop;
use crate::limits::Limits;
use crate::positioned::Positioned;

/// A name that Python accepts for a variable: an ASCII identifier that is no
/// keyword and hides nothing of ours.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableName(String);

const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

impl VariableName {
    /// Checks `name`.
    ///
    /// # Errors
    /// Says what is wrong with the name and what would be right.
    pub fn new(name: &str) -> Result<Self, BadVariableName> {
        let mut characters = name.chars();
        let starts = characters.next().is_some_and(|c| c.is_ascii_alphabetic());
        let goes_on = characters.all(|c| c.is_ascii_alphanumeric() || c == '_');
        let reserved = KEYWORDS.contains(&name) || matches!(name, "outputs" | "result");
        if starts && goes_on && !reserved && name.len() <= 64 {
            Ok(Self(name.to_owned()))
        } else {
            Err(BadVariableName(name.chars().take(80).collect()))
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An input's name that Python would not take for a variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} cannot name an input: use a Python variable name of ASCII letters, digits and _ \
     that starts with a letter, has at most 64 characters and is neither a keyword nor \
     `result` or `outputs`"
)]
pub struct BadVariableName(pub String);

/// A Parquet file that the script sees as a `DataFrame` in a global of this name.
#[derive(Debug)]
pub struct Input {
    /// The variable.
    pub name: VariableName,
    /// The Parquet file. The guest never learns its path.
    pub file: Positioned,
}

/// One script and what it works on.
#[derive(Debug, Default)]
pub struct Run {
    /// The source text.
    pub code: String,
    /// Its tables.
    pub inputs: Vec<Input>,
    /// Its limits.
    pub limits: Limits,
    /// Seeds `random` and `numpy.random`; the same seed gives the same draws.
    pub seed: u64,
    /// Bytes that [`Captured`](crate::Captured) keeps of the start and of the end of
    /// stdout and stderr, each; 64 KiB where it says nothing.
    pub keep_bytes: Option<usize>,
    /// What time it is.
    pub clock: Clock,
    /// Who answers what the script asks; nobody, if `None`.
    pub door: Option<Arc<dyn Door>>,
}

/// Answers what a script asks of the host, by name. What the names mean is the
/// embedder's: here a question is text, and an answer is a table.
pub trait Door: std::fmt::Debug + Send + Sync {
    /// Answers a question. It blocks the run; `stop` says when nobody waits any more.
    ///
    /// # Errors
    /// A text that the script's author can act on: it becomes an exception.
    fn ask(&self, name: &str, text: &str, stop: &Stopping) -> Result<Answer, String>;
}

/// What a [`Door`] answers.
#[derive(Debug)]
pub struct Answer {
    /// A Parquet file, which the script sees as a `DataFrame`.
    pub table: Positioned,
    /// What to know of it; they become warnings of the run.
    pub warnings: Vec<String>,
}

/// Whether a run is to end: it was cancelled, or its time is over.
#[derive(Debug, Clone)]
pub struct Stopping(pub(crate) Stop);

impl Stopping {
    /// Whether it is.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.0.reason().is_some()
    }
}

/// What a script's clocks tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The run's own time: it begins at `start` and goes on with the fuel that the
    /// script burns and the sleeps that it asks for. Two runs that begin at the same
    /// time see the same times.
    Own {
        /// The time at the first instruction.
        start: SystemTime,
    },
    /// The machine's. No two runs see the same times.
    Real,
}

impl Default for Clock {
    fn default() -> Self {
        Self::Own { start: SystemTime::now() }
    }
}

/// Stops a run from another thread. Clones stop the same run.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Not yet cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the run within a few milliseconds; a run not yet begun never begins.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether [`Cancel::cancel`] was called.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Why a sink did not take a table; the text reaches the script's author.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SinkError(pub String);

/// Takes the tables that a script puts into `outputs`.
pub trait OutputSink {
    /// Begins the table `name`. Nothing may be kept of it until
    /// [`TableSink::finish`]: a run can end between any two batches.
    ///
    /// # Errors
    /// A [`SinkError`] that the script's author can act on.
    fn table(&mut self, name: &str, schema: SchemaRef) -> Result<Box<dyn TableSink>, SinkError>;
}

/// Takes the batches of one table.
pub trait TableSink {
    /// Takes the next rows.
    ///
    /// # Errors
    /// A [`SinkError`] that the script's author can act on.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), SinkError>;

    /// Makes the table count.
    ///
    /// # Errors
    /// A [`SinkError`] that the script's author can act on.
    fn finish(self: Box<Self>) -> Result<(), SinkError>;
}

/// A sink that refuses every table.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoOutputs;

impl OutputSink for NoOutputs {
    fn table(&mut self, name: &str, _: SchemaRef) -> Result<Box<dyn TableSink>, SinkError> {
        Err(SinkError(format!("outputs[{name:?}]: this run keeps no tables")))
    }
}
