//! What a query is refused for, or ends with.
//!
//! Each refusal has a [`Code`], which tests and the audit hold on to, and a message
//! that names the thing, where it stands, what is near it and what to do instead.
//! A message may quote the query, which its author wrote, but never a cell: what
//! the engine says while it reads data is marked ([`SqlError::of_data`]), and hidden
//! where the policy hides values, or a table of the query has what nobody should be shown.

use std::fmt;

use crate::audience::{NextStep, Told};
use crate::nearest::hint;

/// The name of a refusal. The names are part of the tool's contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// Nothing but blanks and comments.
    Empty,
    /// More bytes than a query may have.
    Length,
    /// Brackets or CASEs within each other, too deep.
    Nesting,
    /// Operators or clauses in a row, too many.
    Chain,
    /// More than one statement.
    Statements,
    /// Not SQL, or not SQL that is known here.
    Syntax,
    /// A statement that is no query.
    Statement,
    /// A query that would write or lock.
    Write,
    /// A function that is not on the list.
    Function,
    /// A table function, or a table that is none.
    TableFunction,
    /// A step of the plan that is not on the list.
    Plan,
    /// A variable or a parameter.
    Variable,
    /// A clause that this engine would not do as it is written.
    Unsupported,
    /// A constant that would become huge.
    Cost,
    /// No table of this name.
    Table,
    /// No column of this name, or more than one.
    Column,
    /// Types that do not go together.
    Type,
    /// A number that its type cannot hold.
    Overflow,
    /// A division by zero.
    Division,
    /// A value that cannot be read as the type asked for.
    Value,
    /// More memory than a query may have.
    Memory,
    /// More of the disk than queries may have.
    Spill,
    /// More time than a query may have.
    Time,
    /// Somebody stopped it.
    Cancelled,
    /// A join multiplies rows that are summed, averaged or counted.
    Fanout,
    /// Different units or currencies in one number.
    Unit,
    /// Input that cannot be read, or changed while it was read.
    Data,
    /// The result could not be kept.
    Store,
    /// A fault of this program.
    Internal,
}

impl Code {
    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "EMPTY",
            Self::Length => "LENGTH",
            Self::Nesting => "NESTING",
            Self::Chain => "CHAIN",
            Self::Statements => "STATEMENTS",
            Self::Syntax => "SYNTAX",
            Self::Statement => "STATEMENT",
            Self::Write => "WRITE",
            Self::Function => "FUNCTION",
            Self::TableFunction => "TABLE_FUNCTION",
            Self::Plan => "PLAN",
            Self::Variable => "VARIABLE",
            Self::Unsupported => "UNSUPPORTED",
            Self::Cost => "COST",
            Self::Table => "TABLE",
            Self::Column => "COLUMN",
            Self::Type => "TYPE",
            Self::Overflow => "OVERFLOW",
            Self::Division => "DIVISION",
            Self::Value => "VALUE",
            Self::Memory => "MEMORY",
            Self::Spill => "SPILL",
            Self::Time => "TIME",
            Self::Cancelled => "CANCELLED",
            Self::Fanout => "FANOUT",
            Self::Unit => "UNIT",
            Self::Data => "DATA",
            Self::Store => "STORE",
            Self::Internal => "INTERNAL",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A place in the query, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The character in it.
    pub column: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}{}: {message}{}{}", at.map(|at| format!(" at {at}")).unwrap_or_default(),
    hint(nearest), next.as_deref().map(|next| format!("; {next}")).unwrap_or_default())]
pub struct SqlError {
    /// The refusal's name.
    pub code: Code,
    /// The thing and the cause.
    pub message: String,
    /// Where.
    pub at: Option<Place>,
    /// Names that may have been meant.
    pub nearest: Vec<String>,
    /// What to write instead.
    pub next: Option<String>,
    /// The next step outside of the query.
    pub step: Option<NextStep>,
    /// Whether the message may quote a cell.
    pub of_data: bool,
    /// Whether such a cell may be one that nobody should be shown.
    pub of_sensitive: bool,
}

impl SqlError {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            at: None,
            nearest: Vec::new(),
            next: None,
            step: None,
            of_data: false,
            of_sensitive: false,
        }
    }

    pub(crate) fn at(mut self, at: impl Into<Option<Place>>) -> Self {
        self.at = self.at.or(at.into());
        self
    }

    pub(crate) fn near(mut self, nearest: Vec<String>) -> Self {
        self.nearest = nearest;
        self
    }

    pub(crate) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    pub(crate) fn step(mut self, step: NextStep) -> Self {
        self.step = Some(step);
        self
    }

    pub(crate) fn of_data(mut self) -> Self {
        self.of_data = true;
        self
    }

    /// Notes whether the query reads a table with columns that nobody should be shown.
    pub(crate) fn of_sensitive(mut self, touches: bool) -> Self {
        self.of_sensitive = self.of_data && touches;
        self
    }

    /// The same without what could be a cell.
    #[must_use]
    pub fn without_values(&self) -> Self {
        if !self.of_data {
            return self.clone();
        }
        let message = match self.code {
            Code::Value => "a value of the data cannot be read as the type that the query asks for",
            Code::Type => "the data and the query have types that do not go together",
            _ => "the query failed on the data",
        };
        let next = "the value is hidden by this room's policy: use TRY_CAST, which gives NULL, to \
                    find out how many there are";
        Self { nearest: Vec::new(), ..Self::new(self.code, message).at(self.at).next(next) }
    }
}

impl Told for SqlError {
    fn next_step(&self) -> Option<NextStep> {
        self.step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_where_what_is_near_and_what_to_do() {
        let error = SqlError::new(Code::Column, "there is no column \"totl\"")
            .at(Place { line: 2, column: 8 })
            .near(vec!["total".into()])
            .next("text stands in single quotes")
            .step(NextStep::SeeTable);
        assert_eq!(
            error.to_string(),
            "COLUMN at line 2, column 8: there is no column \"totl\" (nearest: `total`); \
             text stands in single quotes"
        );
    }

    #[test]
    fn what_was_said_of_data_can_be_said_without_it() {
        let error = SqlError::new(Code::Value, "cannot cast string 'Smith' to int64").of_data();
        assert!(error.to_string().contains("Smith"));
        let hidden = error.without_values().to_string();
        assert!(hidden.starts_with("VALUE") && !hidden.contains("Smith"), "{hidden}");
        let own = SqlError::new(Code::Table, "no table \"x\"");
        assert_eq!(own.without_values(), own);
    }
}
