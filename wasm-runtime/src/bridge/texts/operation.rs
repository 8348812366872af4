//! The operations, as Python's `str` has them.

use arrow::array::StringBuilder;
use serde::Deserialize;

use super::letters::{self, Case, changed, count, is_space};
use super::moments::Format;
use super::patterns::Pattern;
use super::{Declined, put};

/// What is to be done with each text.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(in super::super) enum Operation {
    /// `strip`, `lstrip`, `rstrip`; of spaces, if no characters are given.
    Strip { left: bool, right: bool, characters: Option<String> },
    /// `lower`, `upper`, `title`, `capitalize`.
    Case { to: Case },
    /// `text[start:stop]`
    Slice { start: Option<i64>, stop: Option<i64> },
    /// `replace`, of all places.
    Replace { from: String, to: String },
    /// `before + text + after`
    Between { before: String, after: String },
    /// `text + right`, the address of as many texts.
    Add { right: u32 },
    /// Whether any of these is in it.
    Contains(Contains),
    /// `startswith`
    StartsWith { text: String },
    /// `endswith`
    EndsWith { text: String },
    /// `len`
    Length {},
    /// Which are the same ([`super::codes`]).
    Codes {},
    /// Points in time ([`super::moments`]).
    Moments(Format),
    /// Whether there is a match ([`super::patterns`]).
    Matches(Pattern),
    /// What each group of the first match holds.
    Extract(Pattern),
    /// Every match, or the only group of each.
    FindAll(Pattern),
    /// The text with something else in the place of every match.
    ReplaceAll {
        #[serde(flatten)]
        pattern: Pattern,
        to: String,
    },
    /// The parts between the places where this stands.
    Split { by: String },
}

/// Texts that are looked for.
#[derive(Debug, Deserialize)]
pub(in super::super) struct Contains {
    any: Vec<String>,
    /// Capital letters are as good as small ones.
    ignore_case: bool,
}

impl Operation {
    /// Whether it holds of the text.
    pub(super) fn holds(&self, text: &str) -> Result<bool, Declined> {
        match self {
            Self::Contains(what) => what.holds(text),
            Self::StartsWith { text: start } => Ok(text.starts_with(start)),
            Self::EndsWith { text: end } => Ok(text.ends_with(end)),
            _ => Err(Declined),
        }
    }

    /// Adds what it makes of the text.
    pub(super) fn make(&self, text: &str, made: &mut StringBuilder) -> Result<(), Declined> {
        match self {
            Self::Strip { left, right, characters } => {
                let goes = |c: char| match characters {
                    Some(characters) => characters.contains(c),
                    None => is_space(c),
                };
                let text = if *left { text.trim_start_matches(goes) } else { text };
                put(made, &[if *right { text.trim_end_matches(goes) } else { text }])
            }
            Self::Case { to } => {
                let mut letters = String::with_capacity(text.len());
                changed(text, *to, &mut letters)?;
                put(made, &[&letters])
            }
            Self::Slice { start, stop } => put(made, &[slice(text, *start, *stop)]),
            Self::Replace { from, to } => replace(text, (from, to), made),
            Self::Between { before, after } => put(made, &[before, text, after]),
            _ => Err(Declined),
        }
    }
}

impl Contains {
    fn holds(&self, text: &str) -> Result<bool, Declined> {
        if !self.ignore_case {
            return Ok(self.any.iter().any(|word| text.contains(word.as_str())));
        }
        let ascii = self.any.iter().all(|word| word.is_ascii());
        if !ascii || text.contains(letters::is_like_ascii) {
            return Err(Declined);
        }
        let text = text.to_ascii_lowercase();
        Ok(self.any.iter().any(|word| text.contains(&word.to_ascii_lowercase())))
    }
}

/// `text[start:stop]`; a negative place counts from the end.
fn slice(text: &str, start: Option<i64>, stop: Option<i64>) -> &str {
    let length = count(text) as i64;
    let place = |place: i64| if place < 0 { (length + place).max(0) } else { place.min(length) };
    let (start, stop) = (place(start.unwrap_or(0)), place(stop.unwrap_or(length)));
    if start >= stop {
        return "";
    }
    let byte = |place: i64| {
        if length == text.len() as i64 {
            return place as usize;
        }
        text.char_indices().nth(place as usize).map_or(text.len(), |(byte, _)| byte)
    };
    &text[byte(start)..byte(stop)]
}

fn replace(text: &str, (from, to): (&str, &str), made: &mut StringBuilder) -> Result<(), Declined> {
    if from.is_empty() {
        return Err(Declined);
    }
    let mut parts = text.split(from);
    let first = parts.next().unwrap_or_default();
    // What it will take is looked at before it is made.
    let places = parts.clone().count();
    if (places as u64).saturating_mul(to.len() as u64) > super::MOST {
        return Err(Declined);
    }
    let mut whole = String::with_capacity(text.len() + places * to.len());
    whole.push_str(first);
    for part in parts {
        whole.push_str(to);
        whole.push_str(part);
    }
    put(made, &[&whole])
}
