//! Texts: the first and the last in order, and those that come often.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::counts::{Counts, Seen, Spread};

/// Different texts that are kept. A column of more has no frequent ones worth showing.
const KEPT: usize = 1_000;
/// Bytes of a kept text.
const BYTES: usize = 400;

#[derive(Default)]
pub(super) struct Texts {
    pub least: Option<String>,
    pub most: Option<String>,
    kept: HashMap<u64, String, BuildHasherDefault<Spread>>,
    over: bool,
}

impl Texts {
    pub(super) fn add(&mut self, value: &str, word: u64, seen: Seen) {
        if seen == Seen::Known {
            return;
        }
        if self.least.as_deref().is_none_or(|least| value < least) {
            self.least = Some(value.to_owned());
        }
        if self.most.as_deref().is_none_or(|most| value > most) {
            self.most = Some(value.to_owned());
        }
        if self.over || seen == Seen::Beyond {
            return;
        }
        if self.kept.len() >= KEPT {
            self.over = true;
            self.kept = HashMap::default();
            return;
        }
        let cut = (0..=BYTES.min(value.len())).rev().find(|at| value.is_char_boundary(*at));
        self.kept.insert(word, value[..cut.unwrap_or(0)].to_owned());
    }

    /// The most frequent texts with their counts; none if there are too many different.
    pub(super) fn top(&self, counts: &Counts, most: usize) -> Vec<(&str, u64)> {
        if self.over {
            return Vec::new();
        }
        let text = |word: u64| self.kept.get(&word).map_or("", String::as_str);
        let mut all: Vec<(&str, u64)> =
            counts.top(KEPT).into_iter().map(|(word, count)| (text(word), count)).collect();
        all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(other.0)));
        all.truncate(most);
        all
    }

    /// All texts with their counts, if they are few.
    pub(super) fn all(&self, counts: &Counts) -> Vec<(&str, u64)> {
        self.top(counts, KEPT)
    }
}
