//! What went wrong with a database, without a word that the server said of a value.
//!
//! A server's message quotes what it was given: `invalid input syntax for type integer:
//! "123-45-6789"`. So a message never becomes ours; its code (SQLSTATE, errno) does, in
//! words of our own, and what names only the statement's own words is kept apart, for a
//! person at a shell ([`DatabaseError::detail`]), and never for a model.

use std::fmt;

use super::SourceName;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseError {
    /// What happened.
    pub cause: Cause,
    /// Which source.
    pub source: Option<String>,
    /// Which table, column, role or statement, in names of the configuration or the
    /// catalog.
    pub about: Option<String>,
    /// The server's code: an SQLSTATE or a number.
    pub code: Option<String>,
    /// What to do.
    pub next: Option<String>,
    /// The server's own words, for a person at a shell.
    pub detail: Option<String>,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The configuration lacks something: a variable of the environment, a file.
    Configuration,
    /// Nobody answers at that address.
    Unreachable,
    /// The server does not take the role or its password.
    Login,
    /// TLS could not be agreed on.
    Tls,
    /// The role may do more than read.
    Role,
    /// The role may not read that.
    Denied,
    /// No such table.
    Table,
    /// No such column, or it was changed meanwhile.
    Changed,
    /// A type that cannot be read exactly.
    Type,
    /// A value that cannot be read exactly, or at all.
    Value,
    /// The statement is not one that is run here.
    Statement,
    /// The time limit.
    Time,
    /// The budget of rows or bytes.
    Budget,
    /// The caller stopped it.
    Cancelled,
    /// All connections are busy, or the server takes no more.
    Busy,
    /// The connection broke while it was used.
    Lost,
    /// Anything else.
    Server,
}

impl Cause {
    /// Its name, as an audit has it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Configuration => "CONFIGURATION",
            Self::Unreachable => "UNREACHABLE",
            Self::Login => "LOGIN",
            Self::Tls => "TLS",
            Self::Role => "ROLE",
            Self::Denied => "DENIED",
            Self::Table => "TABLE",
            Self::Changed => "CHANGED",
            Self::Type => "TYPE",
            Self::Value => "VALUE",
            Self::Statement => "STATEMENT",
            Self::Time => "TIME",
            Self::Budget => "BUDGET",
            Self::Cancelled => "CANCELLED",
            Self::Busy => "BUSY",
            Self::Lost => "LOST",
            Self::Server => "DATABASE",
        }
    }
}

impl DatabaseError {
    /// An error of which nothing more is known.
    #[must_use]
    pub fn of(cause: Cause) -> Self {
        Self { cause, source: None, about: None, code: None, next: None, detail: None }
    }

    /// The error of this source.
    pub(crate) fn of_source(self, source: &SourceName) -> Self {
        Self { source: Some(source.0.clone()), ..self }
    }
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.cause {
            Cause::Configuration => "the configuration lacks something",
            Cause::Unreachable => "the database does not answer",
            Cause::Login => "the database does not let this role in",
            Cause::Tls => "no secure connection to the database could be made",
            Cause::Role => "the database role may do more than read",
            Cause::Denied => "the database role may not read that",
            Cause::Table => "the database has no such table",
            Cause::Changed => "the table was changed",
            Cause::Type => "a column has a type that cannot be read exactly",
            Cause::Value => "a value cannot be read exactly",
            Cause::Statement => "the statement is not one that may be run",
            Cause::Time => "the database took too long, and the statement was cancelled",
            Cause::Budget => "more would have been read than may be",
            Cause::Cancelled => "cancelled: nothing was kept",
            Cause::Busy => "the database is busy",
            Cause::Lost => "the connection to the database broke",
            Cause::Server => "the database failed",
        };
        if let Some(source) = &self.source {
            write!(f, "{source}: ")?;
        }
        f.write_str(what)?;
        if let Some(about) = &self.about {
            write!(f, ": {about}")?;
        }
        if let Some(code) = &self.code {
            write!(f, " (code {code})")?;
        }
        if let Some(next) = &self.next {
            write!(f, "; {next}")?;
        }
        Ok(())
    }
}

impl std::error::Error for DatabaseError {}
