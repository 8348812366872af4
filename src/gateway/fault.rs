//! What a file of declared tools is refused for: a code, a line, a cause, a next step.
//!
//! A file is wrong as a whole: whoever starts a room with it is told every fault, and no
//! tool of it is served. A message may quote the file, which its author wrote.

use std::fmt;

/// The name of a refusal. The names are part of the contract of a tools file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FaultCode {
    /// A name that no tool, parameter or column can have.
    Name,
    /// A name that is taken.
    Collision,
    /// A description that says nothing, or too much.
    Description,
    /// A source that the file does not have.
    Source,
    /// A number that is out of its bounds.
    Limit,
    /// A parameter that does not say what it takes, or says it twice.
    Parameter,
    /// A default that the parameter itself would refuse.
    Default,
    /// A parameter that the statement does not use.
    Unused,
    /// A placeholder that is no parameter.
    Undeclared,
    /// A column that the statement does not give, or gives twice.
    Column,
    /// A statement of more bytes than one may have.
    Length,
    /// Not SQL of this database, or not SQL that is known here.
    Syntax,
    /// More than one statement.
    Statements,
    /// A statement that is no SELECT.
    Statement,
    /// A query that would write.
    Write,
    /// A query that would lock.
    Lock,
    /// A function that is not on the list.
    Function,
    /// A table of the server's own, or one whose schema is not said.
    Relation,
    /// A type that is not on the list.
    Type,
    /// Something else that is not on the list.
    Unsupported,
}

impl FaultCode {
    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Name => "NAME",
            Self::Collision => "COLLISION",
            Self::Description => "DESCRIPTION",
            Self::Source => "SOURCE",
            Self::Limit => "LIMIT",
            Self::Parameter => "PARAMETER",
            Self::Default => "DEFAULT",
            Self::Unused => "UNUSED",
            Self::Undeclared => "UNDECLARED",
            Self::Column => "COLUMN",
            Self::Length => "LENGTH",
            Self::Syntax => "SYNTAX",
            Self::Statements => "STATEMENTS",
            Self::Statement => "STATEMENT",
            Self::Write => "WRITE",
            Self::Lock => "LOCK",
            Self::Function => "FUNCTION",
            Self::Relation => "RELATION",
            Self::Type => "TYPE",
            Self::Unsupported => "UNSUPPORTED",
        }
    }
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One fault of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Its line in the file, from 1.
    pub line: usize,
    /// Its name.
    pub code: FaultCode,
    /// The tool that it is a fault of.
    pub tool: String,
    /// The thing and the cause.
    pub message: String,
    /// What to write instead.
    pub next: Option<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: tool {:?}: {}", self.line, self.code, self.tool, self.message)?;
        match &self.next {
            Some(next) => write!(f, "; {next}"),
            None => Ok(()),
        }
    }
}

/// A cause without its place yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cause {
    pub code: FaultCode,
    pub message: String,
    pub next: Option<String>,
}

impl Cause {
    pub(super) fn new(code: FaultCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), next: None }
    }

    pub(super) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }
}
