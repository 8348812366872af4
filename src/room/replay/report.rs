//! What a replay found, as data and in words.

use chrono::{DateTime, Utc};

use super::compare::Difference;
use crate::audience::{Audience, NextStep};
use crate::store::DataRef;

/// What a replay found.
#[derive(Debug, Clone)]
pub struct Replay {
    /// The table.
    pub data: String,
    /// Its steps: what a step needs comes before it, the table itself is last.
    pub steps: Vec<ReplayedStep>,
    /// Whether older steps were not looked at, because there are too many.
    pub cut: bool,
}

/// One dataset or computed table.
#[derive(Debug, Clone)]
pub struct ReplayedStep {
    /// Its name or reference.
    pub data: String,
    /// The name that its script gave it.
    pub output: Option<String>,
    /// What came out.
    pub verdict: Verdict,
    /// What to know of it: another version, a changed input.
    pub notes: Vec<String>,
}

/// What became of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// A dataset is what it was, or a computed table came out the same.
    Same,
    /// A dataset has other content than when it was used.
    Changed {
        /// Its hash then.
        recorded: String,
        /// Its hash now.
        found: String,
        /// When its file was last written to, where the system knows.
        since: Option<DateTime<Utc>>,
    },
    /// It is not there any more; the text says how that was seen, and what to do.
    Gone(String, Option<NextStep>),
    /// The table came out differently.
    Differs(Difference),
    /// The script did not come to its end.
    Failed(String),
    /// It cannot be computed again; the text says why.
    Impossible(String),
}

impl Verdict {
    /// In a word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Changed { .. } => "changed",
            Self::Gone(..) => "gone",
            Self::Differs(_) => "differs",
            Self::Failed(_) => "failed",
            Self::Impossible(_) => "impossible",
        }
    }

    /// How, in lines for this reader.
    #[must_use]
    pub fn lines(&self, reader: Audience) -> Vec<String> {
        match self {
            Self::Same => Vec::new(),
            Self::Changed { recorded, found, since } => {
                let since = since.map_or_else(String::new, |since| {
                    format!(" since {}", since.format("%Y-%m-%d %H:%M:%S UTC"))
                });
                vec![format!("its content is {found}{since}; it was {recorded}")]
            }
            Self::Gone(why, Some(step)) => vec![step.after(why, reader)],
            Self::Gone(why, None) | Self::Failed(why) | Self::Impossible(why) => vec![why.clone()],
            Self::Differs(difference) => difference.lines(),
        }
    }
}

impl Replay {
    /// Whether every step came out as it is recorded.
    #[must_use]
    pub fn identical(&self) -> bool {
        !self.cut && self.odd().is_none()
    }

    /// The first step that is not as it was.
    #[must_use]
    pub fn odd(&self) -> Option<&ReplayedStep> {
        self.steps.iter().find(|step| step.verdict != Verdict::Same)
    }

    /// The whole in a sentence; with the names that scripts gave, or without them.
    #[must_use]
    pub fn summary(&self, with_names: bool) -> String {
        let is_computed = |step: &&ReplayedStep| step.data.parse::<DataRef>().is_ok();
        let computed = self.steps.iter().filter(is_computed).count();
        match self.odd() {
            Some(step) => {
                let place = self.steps.iter().position(|s| s.data == step.data).unwrap_or(0) + 1;
                let label = if with_names { step.label() } else { step.data.clone() };
                format!("not identical: step {place}, {label}: {}", step.verdict.word())
            }
            None if self.cut => format!(
                "the last {computed} steps are identical; the history is longer, and older steps \
                 were not computed again"
            ),
            None => format!(
                "identical: {computed} step{} computed again, every value as recorded",
                if computed == 1 { "" } else { "s" }
            ),
        }
    }
}

impl ReplayedStep {
    /// Its name, and what its script called it.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.output {
            Some(output) => format!("{} (outputs[{output:?}])", self.data),
            None => self.data.clone(),
        }
    }
}
