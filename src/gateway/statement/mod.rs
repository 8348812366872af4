//! The one statement of a declared tool: looked at before it is ever sent.
//!
//! Whoever writes a tools file may read the database anyway; the file is looked at because
//! it is copied, edited in a hurry and left to a machine to run. So the statement has to be
//! one SELECT of which each node is on a list: clauses and joins ([`check`]), functions
//! ([`functions`]), types, and no tables of the server's own. What only the database knows
//! (whether it prepares, whether the functions named in `functions` are stable) is asked of
//! the database ([`super::check`]).

mod check;
mod functions;
mod lexer;
mod lists;

use super::Dialect;
use super::fault::{Cause, FaultCode};
use crate::database::Declared;

/// Bytes of one statement.
const BYTES: usize = 64 << 10;

/// A statement that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// What the server is sent.
    pub declared: Declared,
    /// For each of its values, the parameter that it is.
    pub bound: Vec<String>,
    /// The columns that it gives, if its own text says so.
    pub columns: Option<Vec<String>>,
    /// Functions of the database's own that it calls, as `schema.name`.
    pub functions: Vec<String>,
    /// Listed functions that it calls.
    pub listed: Vec<String>,
    /// Tables and views that it reads.
    pub relations: Vec<String>,
    /// A hash of its text as it was written.
    pub hash: String,
}

impl Statement {
    /// Looks at a statement. `may_call` are functions of the database's own.
    ///
    /// # Errors
    /// The cause, and where in the text it stands.
    pub(super) fn of(
        sql: &str,
        dialect: Dialect,
        may_call: &[String],
    ) -> Result<Self, (Cause, usize)> {
        if sql.len() > BYTES {
            let message = format!("the statement has {} bytes and may have {BYTES}", sql.len());
            return Err((Cause::new(FaultCode::Length, message), 0));
        }
        let rewritten = lexer::rewrite(sql, dialect)?;
        let seen = check::check(&rewritten, dialect, may_call)
            .map_err(|(cause, place)| (cause, offset_of(&rewritten.sql, place, sql)))?;
        Ok(Self {
            declared: Declared::of_configuration(rewritten.sql),
            bound: rewritten.bound,
            columns: seen.columns,
            functions: seen.functions,
            listed: seen.listed,
            relations: seen.relations,
            hash: blake3::hash(sql.as_bytes()).to_hex().to_string(),
        })
    }

    /// Whether a placeholder is called so.
    pub(super) fn uses(&self, name: &str) -> bool {
        self.bound.iter().any(|bound| bound == name)
    }
}

/// Where a line of the server's text begins in the text as it was written: both have the
/// same lines, as a placeholder has none.
fn offset_of(rewritten: &str, line: Option<u64>, written: &str) -> usize {
    let line = line.and_then(|line| usize::try_from(line).ok()).unwrap_or(1);
    debug_assert_eq!(rewritten.matches('\n').count(), written.matches('\n').count());
    written.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum()
}
