//! Declared tools: narrow doors to a database.
//!
//! A `[[tool]]` of `dataroom.toml` is one statement with a few typed parameters. A model that
//! calls it chooses values, and nothing else: no argument is SQL, a table, a column or a
//! condition, and what comes back is few, small, and blacked out, or a handle.
//!
//! ```text
//!   file ──▶ section ──▶ tool ──▶ statement      refused with line, code and cause
//!                          │        lexer, check    before anything is served
//!                          ▼
//!   call ──▶ parameter ──▶ room/declared ──▶ database ──▶ texts ──▶ Reply
//!            values typed   one statement,     rows        cleaned, blacked
//!            and in range   values bound       counted     out, then cut
//! ```
//!
//! A tools file is looked at twice. Without the database, whenever a room is made of it
//! ([`Tools::of`]): a file with a fault is not served at all. And with the database, by
//! `dataroom tools check` ([`check`]): whether the role only reads, each statement prepares,
//! the columns are there and the parameters have the types that their placeholders take.
//!
//! [`triage`] writes such a file for pipelines that fail, with the SQL that it needs.

pub mod check;
mod error;
mod fault;
mod making;
mod parameter;
mod section;
mod statement;
pub mod texts;
mod tool;
pub mod triage;

pub use self::error::{Refusal, ToolError};
pub use self::fault::{Fault, FaultCode};
pub use self::section::{Returns, ToolSection};
#[cfg(test)]
pub(crate) use self::tool::TAKEN;
pub use self::tool::{Given, Limits, Tool, Tools};
use crate::database::config::Place;

/// Whose SQL a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// PostgreSQL's.
    Postgres,
    /// MySQL's and MariaDB's.
    MySql,
    /// SQLite's.
    Sqlite,
}

impl Dialect {
    fn of(place: &Place) -> Self {
        match place {
            Place::Postgres(_) => Self::Postgres,
            Place::Mysql(_) => Self::MySql,
            Place::Sqlite(_) => Self::Sqlite,
        }
    }
}
