//! Whether all lines are there as they were written.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};

use super::chain::{Tied, file_name, files, head, link};
use super::{Event, Line};

/// The end of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The number of the last line.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
    /// The file that it is in.
    pub file: u64,
    /// How long that file is.
    pub bytes: u64,
}

impl Head {
    /// Before the first line.
    pub(super) fn first() -> Self {
        Self { seq: 0, hash: String::new(), file: 1, bytes: 0 }
    }
}

/// What a look at all lines found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// Lines that are there.
    pub lines: u64,
    /// The number and hash of the last.
    pub last: Option<(u64, String)>,
    /// What is not as it was written.
    pub problems: Vec<Problem>,
    /// What to know besides.
    pub notes: Vec<String>,
}

/// What is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum Problem {
    /// A line has another content than its successor or the head says.
    Changed {
        /// Its number.
        line: u64,
    },
    /// Lines are not there.
    Removed {
        /// The first.
        from: u64,
        /// The last.
        to: u64,
    },
    /// The end is not there.
    Truncated {
        /// The first that is missing.
        from: u64,
        /// The last that was written.
        to: u64,
    },
    /// A line stands after one that was written later.
    Moved {
        /// Its number.
        line: u64,
    },
    /// Two lines have one number.
    Repeated {
        /// It.
        line: u64,
    },
    /// What is no line.
    Unreadable {
        /// The file.
        file: String,
        /// Where in it, from 1.
        at: u64,
    },
    /// There is no head.
    NoHead,
    /// When a line was written, its writer found something amiss.
    Damaged {
        /// The number of the line that says so.
        line: u64,
        /// What it says.
        why: String,
    },
    /// The chain is another one than the one whose head was kept elsewhere.
    OtherChain {
        /// The number that was given.
        line: u64,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { line } => write!(f, "line {line} was changed"),
            Self::Removed { from, to } if from == to => write!(f, "line {from} was removed"),
            Self::Removed { from, to } => write!(f, "lines {from} to {to} were removed"),
            Self::Truncated { from, to } => {
                write!(f, "the end is missing: lines {from} to {to} were written and are not there")
            }
            Self::Moved { line } => write!(f, "line {line} was moved behind a later one"),
            Self::Repeated { line } => write!(f, "line {line} is there twice"),
            Self::Unreadable { file, at } => {
                write!(f, "{file}, line {at} of the file, is no line of an audit")
            }
            Self::NoHead => write!(f, "head.json is not there, so the end cannot be checked"),
            Self::Damaged { line, why } => write!(f, "line {line} says: {why}"),
            Self::OtherChain { line } => {
                write!(f, "line {line} is not the one whose hash was given: this is another chain")
            }
        }
    }
}

/// A line as it was found.
struct Found {
    prev: String,
    hash: String,
}

/// Looks at all files of a folder.
pub(super) fn verify(dir: &Dir, anchor: Option<&(u64, String)>) -> io::Result<Verified> {
    let mut told = Verified::default();
    let mut lines: BTreeMap<u64, Found> = BTreeMap::new();
    let mut highest = 0;
    let numbers = files(dir)?;
    for number in &numbers {
        let bytes = dir.read(file_name(*number))?;
        for (at, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let Some(line) = line.strip_suffix(b"\n") else {
                told.notes.push(format!(
                    "{} ends with half a line, left by a process that died: the next call takes it out",
                    file_name(*number)
                ));
                continue;
            };
            let Ok(Tied { seq, prev }) = serde_json::from_slice::<Tied>(line) else {
                let file = file_name(*number);
                told.problems.push(Problem::Unreadable { file, at: at as u64 + 1 });
                continue;
            };
            note_event(line, seq, &mut told);
            if seq < highest && !lines.contains_key(&seq) {
                told.problems.push(Problem::Moved { line: seq });
            }
            highest = highest.max(seq);
            if lines.insert(seq, Found { prev, hash: link(seq, line) }).is_some() {
                told.problems.push(Problem::Repeated { line: seq });
            }
        }
    }
    told.lines = lines.len() as u64;
    told.last = lines.last_key_value().map(|(seq, found)| (*seq, found.hash.clone()));
    follow(&lines, &mut told.problems);
    end(head(dir)?, &lines, &mut told);
    if let Some((seq, hash)) = anchor
        && lines.get(seq).is_none_or(|found| found.hash != *hash)
    {
        told.problems.push(Problem::OtherChain { line: *seq });
    }
    Ok(told)
}

fn note_event(line: &[u8], seq: u64, told: &mut Verified) {
    match serde_json::from_slice::<Line>(line).map(|line| line.event) {
        Ok(Event::Recovered { bytes, lines }) => told.notes.push(format!(
            "line {seq} says that a process died while it wrote: {bytes} bytes of half a line \
             were taken out, {lines} whole lines were taken in"
        )),
        Ok(Event::Damaged { why }) => told.problems.push(Problem::Damaged { line: seq, why }),
        _ => {}
    }
}

/// Follows the chain by its numbers.
fn follow(lines: &BTreeMap<u64, Found>, problems: &mut Vec<Problem>) {
    let (mut expected, mut before) = (1, Some(String::new()));
    let mut broken = Vec::new();
    for (seq, found) in lines {
        if *seq > expected {
            problems.push(Problem::Removed { from: expected, to: seq - 1 });
            before = None;
        }
        if before.as_ref().is_some_and(|hash| *hash != found.prev) {
            broken.push(*seq);
        }
        before = Some(found.hash.clone());
        expected = seq + 1;
    }
    for (place, seq) in broken.iter().enumerate() {
        // A line's own content is in the link that follows it; where both of its links are
        // broken it is the one that was changed, else its predecessor is.
        let next = broken.get(place + 1) == Some(&(seq + 1));
        let after = place > 0 && broken[place - 1] + 1 == *seq;
        if next || *seq == 1 {
            problems.push(Problem::Changed { line: *seq });
        } else if !after {
            problems.push(Problem::Changed { line: seq - 1 });
        }
    }
}

/// Compares the end with the head.
fn end(head: Option<Head>, lines: &BTreeMap<u64, Found>, told: &mut Verified) {
    let last = lines.last_key_value();
    match (head, last) {
        (None, None) => {}
        (None, Some(_)) => told.problems.push(Problem::NoHead),
        (Some(head), last) => {
            let seq = last.map_or(0, |(seq, _)| *seq);
            if head.seq > seq {
                told.problems.push(Problem::Truncated { from: seq + 1, to: head.seq });
            } else if lines.get(&head.seq).is_some_and(|found| found.hash != head.hash) {
                told.problems.push(Problem::Changed { line: head.seq });
            } else if head.seq < seq {
                told.notes.push(format!(
                    "the head is behind, at line {}: a process died after it wrote line {seq}",
                    head.seq
                ));
            }
        }
    }
    let mut seen = Vec::new();
    told.problems.retain(|problem| {
        let is_new = !seen.contains(problem);
        seen.push(problem.clone());
        is_new
    });
}
