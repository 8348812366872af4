//! What a call of a declared tool is refused for, or ends with.
//!
//! A message names the argument, the limit or the table, and never a value: neither one of
//! the database's nor one that the caller gave.

use std::fmt;

use crate::database::{Cause, DatabaseError};

/// The name of a refusal. The names are part of the tools' contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Refusal {
    /// An argument that is missing, unknown, or not of its type.
    Argument,
    /// An argument of its type that is too much, too little or too long.
    Range,
    /// There is nothing of what was asked for.
    NotFound,
    /// More rows or bytes than the tool may give.
    Budget,
    /// The database took too long.
    Time,
    /// Somebody stopped it.
    Cancelled,
    /// No connection is free.
    Busy,
    /// Nobody answers, or lets the role in.
    Unreachable,
    /// The role may do more than read, or may not read that.
    Role,
    /// What the tool reads is not as it was declared.
    Changed,
    /// A value that cannot be read exactly.
    Value,
    /// The database failed.
    Database,
}

impl Refusal {
    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Argument => "ARGUMENT",
            Self::Range => "RANGE",
            Self::NotFound => "NOT_FOUND",
            Self::Budget => "BUDGET",
            Self::Time => "TIME",
            Self::Cancelled => "CANCELLED",
            Self::Busy => "BUSY",
            Self::Unreachable => "UNREACHABLE",
            Self::Role => "ROLE",
            Self::Changed => "CHANGED",
            Self::Value => "VALUE",
            Self::Database => "DATABASE",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    /// The refusal's name.
    pub code: Refusal,
    /// The thing and the cause.
    pub message: String,
    /// What to do.
    pub next: Option<String>,
}

impl ToolError {
    pub(crate) fn of(code: Refusal, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), next: None }
    }

    pub(crate) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    /// What a database said, in a caller's words.
    pub(crate) fn of_database(error: &DatabaseError) -> Self {
        let (code, next) = match error.cause {
            Cause::Time => (Refusal::Time, "ask for less: a shorter window, a narrower argument"),
            Cause::Budget => {
                (Refusal::Budget, "ask for less: a shorter window, a narrower argument")
            }
            Cause::Cancelled => (Refusal::Cancelled, ""),
            Cause::Busy => (Refusal::Busy, "try again in a few seconds"),
            Cause::Lost => (Refusal::Unreachable, "try again: a lost connection is replaced"),
            Cause::Unreachable | Cause::Login | Cause::Tls | Cause::Configuration => {
                (Refusal::Unreachable, "`dataroom tools check` says why")
            }
            Cause::Role | Cause::Denied => {
                (Refusal::Role, "`dataroom tools check --explain` says what to grant or revoke")
            }
            Cause::Table | Cause::Changed | Cause::Type | Cause::Statement => {
                (Refusal::Changed, "`dataroom tools check` says why")
            }
            Cause::Value => (Refusal::Value, "look at the data in the database"),
            Cause::Server => (Refusal::Database, "try again; `dataroom tools check` says more"),
        };
        // Its own next step is for whoever runs the room.
        let shown = DatabaseError { next: None, ..error.clone() };
        let error = Self::of(code, shown.to_string());
        if next.is_empty() { error } else { error.next(next) }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        match &self.next {
            Some(next) => write!(f, "; {next}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ToolError {}
