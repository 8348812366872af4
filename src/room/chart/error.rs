//! Why there is no chart. Names columns and kinds, and quotes no cell.

use super::{Aggregate, ChartKind};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChartError {
    /// An argument that this kind needs.
    #[error("a chart of kind {} needs `{argument}`: {what}", kind.name())]
    Missing {
        /// Which kind.
        kind: ChartKind,
        /// What it needs.
        argument: &'static str,
        /// What that is.
        what: &'static str,
    },
    /// An argument that this kind has no use for.
    #[error("a chart of kind {} takes no `{argument}`{}", kind.name(), or(instead))]
    Unused {
        /// Which kind.
        kind: ChartKind,
        /// What was given.
        argument: &'static str,
        /// What to do instead; empty if nothing.
        instead: &'static str,
    },
    /// A column whose type does not fit.
    #[error(
        "column {column:?} is {of}, and `{argument}` of a chart of kind {} has to be {wanted}; {fits}",
        kind.name()
    )]
    Type {
        /// The column.
        column: String,
        /// Its type.
        of: String,
        /// What it was given as.
        argument: &'static str,
        /// Which kind.
        kind: ChartKind,
        /// What it has to be.
        wanted: &'static str,
        /// The kinds that fit.
        fits: String,
    },
    /// An aggregate that a column cannot have.
    #[error("there is no {} of column {column:?}, which is {of}: count or distinct fit", aggregate.name())]
    Aggregate {
        /// Which.
        aggregate: Aggregate,
        /// The column.
        column: String,
        /// Its type.
        of: String,
    },
    /// A column that nobody should be shown.
    #[error(
        "column {column:?} holds {what}, which this room's policy does not show: chart what \
         a query or a script computes of it, such as a count by group"
    )]
    Sensitive {
        /// The column.
        column: String,
        /// What it holds.
        what: &'static str,
    },
    /// Nothing is left to draw.
    #[error("there is nothing to draw: {0}")]
    Empty(String),
    /// Slices below nothing.
    #[error("a pie has no room for negative values, and there are some: a bar chart fits")]
    Negative,
    /// No pixels could be made.
    #[error("{0}")]
    Pixels(String),
    /// A number out of its bounds.
    #[error("`{argument}` has to be from {least} to {most}")]
    Bounds {
        /// Which.
        argument: &'static str,
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// A title that no chart can carry.
    #[error("the title has {characters} characters and may have {most}")]
    Title {
        /// Its length.
        characters: usize,
        /// The most.
        most: usize,
    },
    /// A table where a figure is wanted.
    #[error("{0} is a table and no figure: kind table shows its rows, the other kinds draw them")]
    NoFigure(String),
    /// A chart as the source of a chart.
    #[error("{0} shows no part of a chart: only charts made by render_chart are drawn again")]
    NotOurs(String),
}

fn or(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(": {words}") }
}
