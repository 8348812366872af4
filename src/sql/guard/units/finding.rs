//! What has to be refused, or has to be counted first to know.

use datafusion::logical_expr::{Expr, LogicalPlan};

use super::mark::Origin;
use crate::units::Unit;

/// What would be wrong.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    /// The expression, as its author wrote it.
    pub expr: String,
    pub verb: Verb,
    pub of: Vec<Origin>,
    pub about: About,
}

/// What is done with the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// An aggregate adds them up.
    Adds,
    /// The least or the greatest is looked for, or rows are put in order: a warning, since
    /// each value stays one row's.
    Ranks,
    /// `+` and `-`.
    Joins,
    /// `<`, `=`, BETWEEN, IN.
    Compares,
    /// A CASE or a UNION puts them into one column.
    Blends,
}

impl Verb {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Adds => "adds up",
            Self::Ranks => "ranks",
            Self::Joins => "puts together",
            Self::Compares => "compares",
            Self::Blends => "puts into one column",
        }
    }
}

/// How it is known.
#[derive(Debug, Clone)]
pub(super) enum About {
    /// From the plan alone.
    Known(Unit, Unit),
    /// The same, where one is multiplied by a constant, which may be a rate.
    Unclear(Unit, Unit),
    /// Rows of one group have different units, if they do.
    Rows { input: Box<LogicalPlan>, unit: Expr, groups: Vec<Expr>, only: Vec<Expr> },
    /// Two values of one row have different units, if they have.
    Pair { input: Box<LogicalPlan>, units: Box<(Expr, Expr)>, only: Vec<Expr> },
}
