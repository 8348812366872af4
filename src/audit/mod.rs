//! What was asked of a room, one line each, in a chain.
//!
//! A line says who called what, when, how long it took, how much of the answer reached the
//! model, and by which code it was refused. It says no value: of arguments it has names and
//! shapes (`shape.rs`), of SQL the text with `?` for whatever is a literal (`normal.rs`), of
//! a dataRef its first digits.
//!
//! Lines lie in `audit-000001.jsonl` and so on, in the home's folder `audit`. Each holds a
//! hash of the line before, taken with that line's number, so that a line cannot be changed,
//! removed or moved without every later one saying so. `head.json` has the number and hash of
//! the last, so that the end cannot be cut off unnoticed either. Whoever can write to the
//! folder can make another chain and another head: against that, the head is printed by
//! `dataroom audit verify`, to be kept elsewhere and given back with `--head`.
//!
//! Several processes may share a home. They meet in one lock, under which the head is read, a
//! line is written and the head is replaced (`log.rs`). A process that dies in between leaves
//! half a line, or a line that the head does not know: the next writer takes it out or in, and
//! says so in a line of its own.
//!
//! A line is written when its call ends. Before a call begins, the folder is looked at; a room
//! whose audit is required does nothing that it could not write down, and shows nothing that
//! it has not written down.

mod chain;
mod line;
mod log;
mod normal;
mod shape;
mod verify;

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use self::line::{CallLine, Event, Line, Through};
pub use self::log::Audit;
pub use self::normal::normal_sql;
pub use self::shape::{Shapes, shapes};
pub use self::verify::{Head, Problem, Verified};

/// The `[audit]` section of `dataroom.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AuditSettings {
    /// Whether a call is refused that cannot be written down.
    pub required: bool,
    /// Bytes after which another file is begun.
    pub file_bytes: u64,
    /// When the disk is waited for.
    pub sync: Sync,
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self { required: true, file_bytes: 16 << 20, sync: Sync::Second }
    }
}

/// When the disk is waited for. A process that dies loses nothing in any case; a machine that
/// loses its power does, and [`Audit::verify`] then says that the end is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sync {
    /// With each line.
    Always,
    /// Once a second at most.
    #[default]
    Second,
    /// When the system thinks fit.
    Never,
}

/// The audit cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[error("the audit in {} cannot be {what}: {cause}{}", folder.display(), next(*required))]
pub struct AuditError {
    /// Its folder.
    pub folder: PathBuf,
    /// What was tried: written, read.
    pub what: &'static str,
    /// Why not.
    pub cause: io::Error,
    /// Whether nothing is done without it.
    pub required: bool,
}

fn next(required: bool) -> &'static str {
    if required {
        "; this room answers only what it can write down, so nothing was answered: make room on \
         that disk, or mend the folder"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests;
