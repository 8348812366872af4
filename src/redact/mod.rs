//! Secrets in texts, and what tells of persons and machines: found and hidden.
//!
//! Logs, error texts and tickets hold what nobody meant to show: a token in a command line,
//! a connection string in an exception, a customer's address. [`Redactor::redact`] writes
//! `[redacted: NAME]` instead. What it looks for is data (`rules.toml`), with true and false
//! positives as data, too (`tests/redact/`); a rule is a pattern and often a check of what
//! was found (`checks.rs`: check digits, a JWT's header), because a pattern alone would hide
//! every second number of a log.
//!
//! A secret does not stand in a text as it was issued. So what is matched are *views* of the
//! text (`view.rs`): without the characters that nobody sees, with wide digits as digits,
//! with `%40` and `\u0040` as what they stand for; and what base64 and hex hold
//! (`encoded.rs`). Each view knows from where in the text each of its bytes comes, so what
//! is hidden is always a piece of the text itself.
//!
//! **Hidden first, cut afterwards**: half a token is one that no rule knows and that can be
//! completed by asking again. [`Redactor::head`] and [`Redactor::head_and_tail`] look beyond
//! the place where they cut.
//!
//! A function of the text and nothing else, in time linear in it. What no rule can find: a
//! password that stands alone, with nothing that says what it is, and what somebody encodes
//! on purpose in a way of his own. Whoever may run code on a text can do that; who may only
//! read it cannot.

mod checks;
mod encoded;
mod hits;
mod rules;
mod view;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use self::hits::Hit;
use self::rules::Rules;

pub use self::rules::{Kind, RuleError};

/// Bytes beyond a cut that are looked at: longer than any token, key block or header.
const BEYOND: usize = 16 * 1024;

/// What stands for a whole text if there are no rules: then nothing is shown.
const NO_RULES: &str = "[redacted: all of it, because the rules cannot be read]";

static RULES: LazyLock<Result<Rules, RuleError>> = LazyLock::new(Rules::embedded);

/// Hides what its kinds of rules find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redactor {
    kinds: &'static [Kind],
}

/// A text in which something may have been hidden.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redacted {
    /// The text.
    pub text: String,
    /// How often each rule hid something, by its name.
    pub counts: BTreeMap<String, u64>,
}

impl Redacted {
    /// How often something was hidden.
    #[must_use]
    pub fn hidden(&self) -> u64 {
        self.counts.values().sum()
    }
}

impl Redactor {
    /// Secrets, persons and machines: for texts that nobody has looked at, like logs.
    #[must_use]
    pub fn all() -> Self {
        Self { kinds: &[Kind::Secret, Kind::Personal, Kind::Network] }
    }

    /// Only secrets, which no answer needs.
    #[must_use]
    pub fn secrets() -> Self {
        Self { kinds: &[Kind::Secret] }
    }

    /// Hides what is found in a text.
    #[must_use]
    pub fn redact(self, text: &str) -> Redacted {
        self.part(text, 0, text.len())
    }

    /// The same of a text's first `most` bytes, looking further than these: what begins
    /// before the cut and ends after it is hidden.
    #[must_use]
    pub fn head(self, text: &str, most: usize) -> Redacted {
        self.part(text, 0, text.floor_char_boundary(most))
    }

    /// At most about `most` bytes of a text, its head and its tail, hidden first and cut
    /// afterwards.
    #[must_use]
    pub fn head_and_tail(self, text: &str, most: usize) -> Redacted {
        if text.len() <= most {
            return self.redact(text);
        }
        let head = text.floor_char_boundary(most * 2 / 3);
        let tail = text.ceil_char_boundary(text.len() - most / 3);
        let mut shown = self.part(text, 0, head);
        let end = self.part(text, tail, text.len());
        shown.text.push_str(&format!("\n[… {} bytes left out …]\n", tail - head));
        shown.text.push_str(&end.text);
        for (name, count) in end.counts {
            *shown.counts.entry(name).or_default() += count;
        }
        shown
    }

    /// A value that stands under a name, like a cell in its column or a field of an object:
    /// `hunter2` is hidden where the name is `password`.
    #[must_use]
    pub fn named(self, name: &str, value: &str) -> Redacted {
        // As an element of a text, because the name is what makes it a secret. Quotes would
        // have to be escaped; a line is enough for the rules.
        let before = format!("{name}: ");
        let text = format!("{before}{value}");
        let whole = self.part(&text, before.len(), text.len());
        if whole.hidden() > 0 && !value.trim().contains(char::is_whitespace) {
            return whole;
        }
        // A value of several words: all of it, where its name alone was enough to hide its
        // first word.
        let alone = self.redact(value);
        if whole.hidden() <= alone.hidden() {
            return alone;
        }
        let rule = whole.counts.keys().next().cloned().unwrap_or_default();
        Redacted { text: marker(&rule), counts: BTreeMap::from([(rule, 1)]) }
    }

    /// The text from `from` to `to`, in which everything is hidden that overlaps it.
    fn part(self, text: &str, from: usize, to: usize) -> Redacted {
        let Ok(rules) = RULES.as_ref() else {
            return Redacted { text: NO_RULES.to_owned(), counts: BTreeMap::new() };
        };
        let start = text.floor_char_boundary(from.saturating_sub(BEYOND));
        let end = text.ceil_char_boundary(to.saturating_add(BEYOND).min(text.len()));
        let hits = hits::in_text(&text[start..end], rules, self.kinds);
        let hits = hits
            .into_iter()
            .map(|hit| Hit { start: hit.start + start, end: hit.end + start, rule: hit.rule })
            .filter(|hit| hit.start < to && hit.end > from);
        let mut shown = Redacted::default();
        let mut at = from;
        for hit in hits {
            shown.text.push_str(&text[at..hit.start.max(at)]);
            let name = rules.name(hit.rule);
            shown.text.push_str(&marker(name));
            *shown.counts.entry(name.to_owned()).or_default() += 1;
            at = hit.end.min(to);
        }
        shown.text.push_str(&text[at..to]);
        shown
    }
}

fn marker(rule: &str) -> String {
    format!("[redacted: {rule}]")
}

#[cfg(test)]
mod tests;
