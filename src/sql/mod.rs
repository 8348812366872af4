//! SQL over the room's tables, which only reads, and gives right numbers or none.
//!
//! ```text
//!   text ─▶ scan ─▶ parse ─▶ names ─▶ plan ─▶ gate ─▶ checked ─▶ guard ─▶ run ─▶ sink
//!          tokens   syntax   whose    bound   plan    numbers    joins
//!          counted  looked   tables   types   looked  that fit   measured
//!                   at       meant            at
//! ```
//!
//! What makes it quick, when all that has been said of a plan: parts that stand in it twice are
//! computed once ([`shared`]), decimals in 64 bits where they fit ([`decimals`]), and what is
//! read is read on a way of its own ([`reader`]).
//!
//! What other engines say otherwise is brought into this one's words ([`dialect`]); what it
//! refuses or would compute otherwise than they is planned anew ([`lateral`], [`subqueries`],
//! [`lists`], [`moments`]) or is a function of ours ([`captured`], [`zones`]). A column is
//! called as its author wrote it ([`labels`]), and a function that cannot take one says so of
//! the column ([`arguments`]).
//!
//! Nothing here knows of owners, policies, files or MCP: [`parse`] says which tables a
//! query names, the room finds them, and [`Engine::run`] hands the rows to a [`Sink`].
//! What makes it safe is that there is nothing to reach ([`tables`]) and nothing to
//! call ([`functions`]) but what is on a list; the two gates ([`parse`](mod@parse) for the
//! text, [`gate`] for the plan) are there so that a refusal has a name and a place.
//!
//! What makes it right: integers and decimals do not wrap ([`checked`], [`aggregate`]), a
//! literal `0.1` is a decimal until it meets a float ([`floats`]), there is one zero and one
//! NaN ([`canonical`]), time is UTC, sums over rows that a join multiplied are and numbers of
//! different units are refused ([`guard`]), and what could still mislead is said as a warning
//! ([`warn`], and [`answer`] of the rows that came out). Which columns of the result nobody
//! should be shown is followed through the plan ([`sensitive`]).

mod aggregate;
mod answer;
mod arguments;
mod bounded;
mod canonical;
mod captured;
mod checked;
mod decimals;
mod dialect;
mod engine;
mod error;
mod floats;
mod functions;
mod gate;
mod groups;
mod guard;
mod labels;
mod lateral;
mod lists;
mod moments;
mod names;
mod output;
mod parse;
mod reader;
mod remote;
mod scan;
mod sensitive;
mod session;
mod shared;
mod spill;
mod subqueries;
mod tables;
mod translate;
mod traps;
mod warn;
mod whole;
mod windows;
mod zero;
mod zones;

/// The parser, for whoever looks at statements of other engines.
pub(crate) use datafusion::sql::sqlparser;

pub use self::engine::{Bound, Done, Engine, Planned, Query, QuerySettings, Sink, Stop};
pub use self::error::{Code, Place, SqlError};
pub use self::groups::{Group, Groups};
pub use self::names::Wanted;
pub use self::parse::{Parsed, parse};
pub use self::remote::{Reading, Readings, without_rows};

/// The version of the engine, for the record of what it computed.
pub const ENGINE: &str = "55.2.0";

#[cfg(test)]
mod tests;
