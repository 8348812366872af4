//! Regular expressions, for what they mean in Python and here alike.
//!
//! The guest writes the pattern (`_patterns.py`): Python has parsed it, and what is left is
//! sets of letters, groups, choices and repeats that hold something. Both engines then find
//! the same, the leftmost match that the choices prefer in their order: this one in a time
//! that grows with the text and not with its powers. Patterns that it would take much memory
//! for are declined, and so are texts beyond ASCII where small letters stand for capital
//! ones or a word ends.

use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, BooleanArray, Int64Array, StringArray, StringBuilder};
use regex::{CaptureLocations, Regex, RegexBuilder};
use serde::Deserialize;

use super::{Declined, MOST, Work, put};

/// Bytes that a pattern may take when it is compiled.
const PROGRAM: usize = 1 << 20;
/// Bytes of one text: the stop flag is not looked at within one.
const LONGEST: usize = 1 << 16;
/// Bytes of texts between two looks at the stop flag.
const STRIDE: usize = 1 << 20;

/// A pattern, as the guest wrote it.
#[derive(Debug, Deserialize)]
pub(in super::super) struct Pattern {
    pattern: String,
    /// Its end is before a last line break, too, which it is not here.
    one_line: bool,
    /// Whether texts may have letters beyond ASCII.
    any_letters: bool,
}

impl Pattern {
    /// The pattern and the texts, if it does of them what Python does.
    pub(super) fn ready<'a>(
        &self,
        work: &'a Work<'a>,
        texts: &'a StringArray,
    ) -> Result<Ready<'a>, Declined> {
        let letters = texts.value_data();
        let may_be = self.any_letters || letters.is_ascii();
        if !may_be || (self.one_line && letters.contains(&b'\n')) {
            return Err(Declined);
        }
        let regex = RegexBuilder::new(&self.pattern).size_limit(PROGRAM).build();
        Ok(Ready { regex: regex.map_err(|_| Declined)?, work, texts })
    }
}

/// A compiled pattern and what it is looked for in.
pub(super) struct Ready<'a> {
    regex: Regex,
    work: &'a Work<'a>,
    texts: &'a StringArray,
}

impl Ready<'_> {
    /// Each text, in pieces after which the stop flag was looked at.
    fn each(&self, see: impl FnMut(Option<&str>) -> Result<(), Declined>) -> Result<(), Declined> {
        watched(self.work, self.texts, see)
    }

    /// Whether there is a match; of nothing there is none.
    pub(super) fn matches(&self) -> Result<ArrayRef, Declined> {
        let mut found = Vec::with_capacity(self.texts.len());
        self.each(|text| {
            found.push(text.is_some_and(|text| self.regex.is_match(text)));
            Ok(())
        })?;
        Ok(Arc::new(BooleanArray::from(found)))
    }

    /// A column for each group.
    pub(super) fn extract(&self) -> Result<Vec<ArrayRef>, Declined> {
        let groups = self.regex.captures_len() - 1;
        let mut columns: Vec<_> = (0..groups).map(|_| StringBuilder::new()).collect();
        let mut places: CaptureLocations = self.regex.capture_locations();
        self.each(|text| {
            let found = text.filter(|text| self.regex.captures_read(&mut places, text).is_some());
            for (group, column) in columns.iter_mut().enumerate() {
                match found.and_then(|text| Some((text, places.get(group + 1)?))) {
                    Some((text, (from, to))) => put(column, &[&text[from..to]])?,
                    None => column.append_null(),
                }
            }
            Ok(())
        })?;
        Ok(columns.into_iter().map(|mut column| Arc::new(column.finish()) as ArrayRef).collect())
    }

    /// How many matches each text has, and all of them in a row; of their only group, if
    /// there is one: what it is not in is an empty text, as in Python.
    pub(super) fn find_all(&self) -> Result<Vec<ArrayRef>, Declined> {
        let group = usize::from(self.regex.captures_len() > 1);
        let mut parts = Parts::new(self.texts.len());
        self.each(|text| {
            let Some(text) = text else { return parts.nothing() };
            if group == 0 {
                return parts.row(self.regex.find_iter(text).map(|found| found.as_str()));
            }
            parts.row(
                self.regex
                    .captures_iter(text)
                    .map(|found| found.get(1).map_or("", |group| group.as_str())),
            )
        })?;
        Ok(parts.columns())
    }

    /// Each text with `to` in the place of every match.
    pub(super) fn replace_all(&self, to: &str) -> Result<ArrayRef, Declined> {
        let mut made = StringBuilder::with_capacity(self.texts.len(), 0);
        self.each(|text| {
            let Some(text) = text else {
                made.append_null();
                return Ok(());
            };
            let (mut rest, mut whole) = (0, String::new());
            for found in self.regex.find_iter(text) {
                whole.push_str(&text[rest..found.start()]);
                whole.push_str(to);
                rest = found.end();
                if whole.len() as u64 > MOST {
                    return Err(Declined);
                }
            }
            put(&mut made, &[&whole, &text[rest..]])
        })?;
        Ok(Arc::new(made.finish()))
    }
}

/// The parts of each text between the places where `by` stands: how many, and all in a row.
pub(super) fn split(
    work: &Work<'_>,
    texts: &StringArray,
    by: &str,
) -> Result<Vec<ArrayRef>, Declined> {
    if by.is_empty() {
        return Err(Declined);
    }
    let mut parts = Parts::new(texts.len());
    watched(work, texts, |text| match text {
        Some(text) => parts.row(text.split(by)),
        None => parts.nothing(),
    })?;
    Ok(parts.columns())
}

fn watched(
    work: &Work<'_>,
    texts: &StringArray,
    mut see: impl FnMut(Option<&str>) -> Result<(), Declined>,
) -> Result<(), Declined> {
    let mut since = 0;
    for text in texts.iter() {
        let length = text.map_or(0, str::len);
        if length > LONGEST {
            return Err(Declined);
        }
        since += length + 64;
        if since >= STRIDE {
            since = 0;
            if work.stop.reason().is_some() {
                return Err(Declined);
            }
        }
        see(text)?;
    }
    Ok(())
}

/// Lists of texts, each after the other.
struct Parts {
    counts: Vec<i64>,
    texts: StringBuilder,
}

impl Parts {
    fn new(rows: usize) -> Self {
        Self { counts: Vec::with_capacity(rows), texts: StringBuilder::new() }
    }

    fn row<'a>(&mut self, parts: impl Iterator<Item = &'a str>) -> Result<(), Declined> {
        let mut count = 0;
        for part in parts {
            put(&mut self.texts, &[part])?;
            count += 1;
        }
        self.counts.push(count);
        Ok(())
    }

    /// A row without a text has no list either.
    fn nothing(&mut self) -> Result<(), Declined> {
        self.counts.push(-1);
        Ok(())
    }

    fn columns(mut self) -> Vec<ArrayRef> {
        vec![Arc::new(Int64Array::from(self.counts)), Arc::new(self.texts.finish())]
    }
}
