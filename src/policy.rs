//! What the model may see of the values in this room.
//!
//! Pure functions of the policy and of what a tool found: they touch neither disk
//! nor clock, so a reader can check every road by which a value could leave.
//! [`Values::None`] is the strict end: a value has no road to the model there,
//! not even the text of an exception or the name of a column that a script made
//! from a value, nor the hash of a table that has one cell.
//!
//! What is left, and no filter on text can close: a script chooses *how many* rows,
//! nulls, columns and outputs there are, in which order, at which line it fails and
//! with which of the known exceptions, and about how much time and memory it takes.
//! Each of these can carry a few bits of a value. Who must not have even those is not
//! to be given a room of this data.

use dataroom_sandbox::{Captured, GuestError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::redact::Redactor;
use crate::reply::head_and_tail;

/// Characters of one text cell in a sample.
pub const CELL_CHARACTERS: usize = 120;

/// The `[policy]` section of `dataroom.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Rows of a table shown with its handle.
    pub sample_rows: usize,
    /// Bytes of `result` as JSON.
    pub result_bytes: usize,
    /// Bytes of printed text, head and tail kept.
    pub stdout_bytes: usize,
    /// Rows of a query's result shown with its handle.
    pub preview_rows: usize,
    /// The smallest number of rows that a shown number is made of; 0 is off. Set, nothing is
    /// shown but sums, averages and counts of a dataset's rows by groups, each of at least so
    /// many rows, and none from which a smaller group could be computed ([`Atoms`]); of all
    /// else, as little as with [`Values::None`], and of what was computed not how many rows.
    pub min_group: u64,
    /// Whether the model is given the picture of a chart or figure that it has shown.
    pub chart_images: bool,
    /// Queries by groups that are answered of one dataset's content, if `min_group` is set.
    pub group_queries: u32,
    /// Which values may be shown at all.
    pub values: Values,
    /// What scripts see of the time.
    pub clock: ScriptClock,
}

/// What time it is for a script.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScriptClock {
    /// A clock that begins at the real time and is recorded, so that a replay sees the
    /// same times. It goes on by the script's own work.
    #[default]
    Recorded,
    /// The machine's, for measuring; what such a script made cannot be replayed.
    Real,
}

/// Which values the model may see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Values {
    /// A few rows with each table, statistics, results and printed text.
    #[default]
    Sample,
    /// No rows, no smallest or largest text; statistics, results and printed text.
    Aggregates,
    /// No cell value by any road.
    None,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            sample_rows: 5,
            result_bytes: 8 * 1024,
            stdout_bytes: 2 * 1024,
            preview_rows: 20,
            min_group: 0,
            chart_images: false,
            group_queries: 200,
            values: Values::Sample,
            clock: ScriptClock::Recorded,
        }
    }
}

/// Why a `result` is not shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResultRefused {
    /// Over `result_bytes`.
    #[error("`result` is {bytes} bytes as JSON, and at most {most} bytes of it can be shown")]
    TooBig {
        /// Its size.
        bytes: usize,
        /// The policy's.
        most: usize,
    },
    /// [`Values::None`].
    #[error("this room's policy hides every value, so `result` was not shown")]
    Hidden,
}

impl Policy {
    /// The most bytes that one reply may have, whatever is in it.
    #[must_use]
    pub fn reply_bytes(&self) -> usize {
        self.result_bytes + self.stdout_bytes + 8 * 1024
    }

    /// Which values are shown, with what [`min_group`](Self::min_group) says: a row is a group
    /// of one, and what a script shows of rows nobody can judge.
    #[must_use]
    pub fn shown_values(&self) -> Values {
        if self.min_group > 0 { Values::None } else { self.values }
    }

    /// Whether no value may be shown.
    #[must_use]
    pub fn hides_values(&self) -> bool {
        self.shown_values() == Values::None
    }

    /// How many rows there are of something that was computed, where that may be shown: a
    /// query that keeps one person's rows would count them.
    #[must_use]
    pub fn count<T>(&self, computed: T) -> Option<T> {
        (self.min_group == 0).then_some(computed)
    }

    /// Whether answers by groups may be shown.
    #[must_use]
    pub fn shows_groups(&self) -> bool {
        self.min_group > 0 && self.values != Values::None
    }

    /// Rows that may be shown of a table of `rows` rows.
    #[must_use]
    pub fn sample_of(&self, rows: u64) -> usize {
        if self.shown_values() == Values::Sample && rows > 0 { self.sample_rows } else { 0 }
    }

    /// Rows that may be shown of a query's result. One row that is made of many is a
    /// statistic, like a script's `result`.
    #[must_use]
    pub fn preview_of(&self, rows: u64, is_single_aggregate: bool) -> usize {
        match self.shown_values() {
            Values::Sample if is_single_aggregate || rows > 0 => self.preview_rows,
            Values::Aggregates if is_single_aggregate => 1,
            Values::Sample | Values::Aggregates | Values::None => 0,
        }
    }

    /// The smallest or largest value of a column of this type (as
    /// [`type_name`](crate::type_name) has it), where it may be shown.
    #[must_use]
    pub fn extreme(&self, value: Option<Value>, data_type: &str) -> Option<Value> {
        let value = value?;
        let shown = match self.shown_values() {
            Values::Sample => true,
            // A text at the edge of a column is a row's own, also where it looks
            // like a date; a number or a date at its edge is a statistic.
            Values::Aggregates => !value.is_string() || is_measure(data_type),
            Values::None => false,
        };
        shown.then(|| capped_cell(value))
    }

    /// A column's mean, where it may be shown.
    #[must_use]
    pub fn mean(&self, value: Option<f64>) -> Option<f64> {
        value.filter(|v| v.is_finite() && !self.hides_values())
    }

    /// Whether the model may see charts as pictures: labels and heights are values.
    #[must_use]
    pub fn shows_images(&self) -> bool {
        self.chart_images && self.shown_values() == Values::Sample
    }

    /// A script's `result`, where it may be shown.
    ///
    /// # Errors
    /// It is too big, or values are hidden.
    pub fn result(&self, result: Value) -> Result<Value, ResultRefused> {
        if self.hides_values() {
            return Err(ResultRefused::Hidden);
        }
        let result = without_secrets(result);
        let bytes = result.to_string().len();
        if bytes > self.result_bytes {
            return Err(ResultRefused::TooBig { bytes, most: self.result_bytes });
        }
        Ok(result)
    }

    /// What a script printed, as far as it may be shown.
    #[must_use]
    pub fn printed(&self, printed: &Captured) -> String {
        if printed.total_bytes == 0 {
            String::new()
        } else if self.hides_values() {
            // How much was printed could be a value, too.
            "[printed text hidden by this room's policy]".to_owned()
        } else {
            // A log that was printed holds what nobody meant to show.
            Redactor::secrets().head_and_tail(&printed.text, self.stdout_bytes).text
        }
    }

    /// An exception, as far as it may be shown. With values hidden it keeps its
    /// class, where that is a class the libraries have (a script can make a class
    /// from a value), its line, and the text of that line, which the model wrote.
    #[must_use]
    pub fn exception(&self, error: &GuestError) -> GuestError {
        if !self.hides_values() {
            return GuestError {
                kind: head_and_tail(&error.kind, 200),
                message: Redactor::secrets().head_and_tail(&error.message, 2_000).text,
                source: error.source.as_deref().map(|s| head_and_tail(s, 500)),
                frames: error.frames.iter().rev().take(10).rev().cloned().collect(),
                ..error.clone()
            };
        }
        let kind = if KNOWN_EXCEPTIONS.contains(&error.kind.as_str()) {
            error.kind.clone()
        } else {
            "Exception".to_owned()
        };
        let syntax = matches!(error.kind.as_str(), "SyntaxError" | "IndentationError" | "TabError");
        GuestError {
            kind,
            message: "the message is hidden by this room's policy, because it can hold values"
                .to_owned(),
            line: error.line,
            column: error.column.filter(|_| syntax),
            source: None,
            frames: Vec::new(),
            hint: None,
        }
    }

    /// What was computed from a table's content as a whole: its hash, the size of a
    /// file of it. Where values are hidden it is hidden, too: a table of one cell is
    /// found outside by trying a thousand million values against its hash.
    #[must_use]
    pub fn content<T>(&self, of_content: T) -> Option<T> {
        (!self.hides_values()).then_some(of_content)
    }

    /// What a run used of a limit. Where values are hidden it is the next power of
    /// two: a script can use as much as a value says.
    #[must_use]
    pub fn used(&self, amount: u64) -> u64 {
        if self.hides_values() && amount > 0 {
            amount.checked_next_power_of_two().unwrap_or(u64::MAX)
        } else {
            amount
        }
    }

    /// Notes and warnings that libraries made of data, as far as they may be shown.
    #[must_use]
    pub fn notes(&self, notes: Vec<String>) -> Vec<String> {
        if !self.hides_values() || notes.is_empty() {
            let cut = |note: String| Redactor::secrets().head_and_tail(&note, 500).text;
            return notes.into_iter().map(cut).collect();
        }
        vec![format!("{} notes about the data are hidden by this room's policy", notes.len())]
    }
}

/// Whether the values of this type are dates, times or numbers that JSON has as text.
fn is_measure(data_type: &str) -> bool {
    ["date", "time", "duration", "decimal", "int", "uint", "float"]
        .iter()
        .any(|kind| data_type.starts_with(kind))
        && !data_type.starts_with("interval")
}

/// Hides the secrets in a cell's text, and caps it.
#[must_use]
pub fn capped_cell(value: Value) -> Value {
    match value {
        Value::String(text) => {
            let count = text.chars().count();
            let end = text.char_indices().nth(CELL_CHARACTERS).map_or(text.len(), |(at, _)| at);
            let kept = Redactor::secrets().head(&text, end).text;
            let more = count > CELL_CHARACTERS;
            Value::String(if more { format!("{kept}… ({count} characters)") } else { kept })
        }
        other => other,
    }
}

/// A value without the secrets in its texts.
fn without_secrets(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(Redactor::secrets().redact(&text).text),
        Value::Array(items) => Value::Array(items.into_iter().map(without_secrets).collect()),
        Value::Object(fields) => {
            let clean = |(name, value)| (name, without_secrets(value));
            Value::Object(fields.into_iter().map(clean).collect())
        }
        other => other,
    }
}

/// Exception classes whose names come from Python or the libraries.
const KNOWN_EXCEPTIONS: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BlockingIOError",
    "BufferError",
    "ColumnNotFoundError",
    "ComputeError",
    "DtypeWarning",
    "EOFError",
    "EmptyDataError",
    "Exception",
    "ExceptionGroup",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "ImportError",
    "IncompatibleFrequency",
    "IndentationError",
    "IndexError",
    "IndexingError",
    "IntCastingNaNError",
    "InvalidIndexError",
    "IsADirectoryError",
    "JSONDecodeError",
    "KeyError",
    "KeyboardInterrupt",
    "LinAlgError",
    "LookupError",
    "MemoryError",
    "MergeError",
    "ModuleNotFoundError",
    "NameError",
    "NotADirectoryError",
    "NotFittedError",
    "NotImplementedError",
    "OSError",
    "OutOfBoundsDatetime",
    "OutOfBoundsTimedelta",
    "OverflowError",
    "ParserError",
    "PerformanceWarning",
    "PermissionError",
    "RecursionError",
    "ReferenceError",
    "RuntimeError",
    "SpecificationError",
    "StopIteration",
    "SyntaxError",
    "SystemError",
    "SystemExit",
    "TabError",
    "TimeoutError",
    "TypeError",
    "UnboundLocalError",
    "UndefinedVariableError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeError",
    "UnsortedIndexError",
    "UnsupportedFunctionCall",
    "UFuncTypeError",
    "ValueError",
    "ZeroDivisionError",
];

mod atoms;
mod columns;

pub(crate) use self::atoms::Atoms;

#[cfg(test)]
mod tests;
