//! What a chart is asked to show.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A chart, as it is asked for. It is recorded with the chart, so that it can be drawn
/// again from the data: of a part of it, when a person looks closer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChartRequest {
    /// A dataset's name or a reference.
    pub data: String,
    /// How it shows it.
    pub kind: ChartKind,
    /// The column across.
    pub x: Option<String>,
    /// The columns of the values; none to count rows.
    pub y: Vec<String>,
    /// Of a combined chart, the columns that are lines over the bars.
    pub lines: Vec<String>,
    /// The column whose values are drawn beside each other.
    pub series: Option<String>,
    /// Of a heatmap, the column that the colours tell of.
    pub value: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// What is computed of values that share a place.
    pub aggregate: Option<Aggregate>,
    /// Parts of a whole on top of each other.
    pub stacked: bool,
    /// Each place's parts as shares of its sum.
    pub shares: bool,
    /// Bars that lie.
    pub horizontal: bool,
    /// Whether the values' axis is logarithmic.
    pub log: bool,
    /// The order of categories.
    pub sort: Option<Sort>,
    /// Categories that are shown; the rest is one of its own.
    pub top: Option<u64>,
    /// Ranges of a histogram.
    pub bins: Option<u64>,
    /// Whether columns may be drawn that hold mail addresses, cards and the like: if a
    /// person asks, and not a model.
    #[serde(skip)]
    pub may_be_sensitive: bool,
}

/// The kinds of charts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChartKind {
    /// Bars.
    #[default]
    Bar,
    /// Lines.
    Line,
    /// Filled lines.
    Area,
    /// Points.
    Scatter,
    /// Numbers of values in ranges.
    Histogram,
    /// Quartiles and what lies outside.
    Box,
    /// Shares of a whole.
    Pie,
    /// A colour for each pair.
    Heatmap,
    /// Bars and lines over them.
    Combo,
}

impl ChartKind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Bar,
        Self::Line,
        Self::Area,
        Self::Scatter,
        Self::Histogram,
        Self::Box,
        Self::Pie,
        Self::Heatmap,
        Self::Combo,
    ];

    /// As it is asked for.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bar => "bar",
            Self::Line => "line",
            Self::Area => "area",
            Self::Scatter => "scatter",
            Self::Histogram => "histogram",
            Self::Box => "box",
            Self::Pie => "pie",
            Self::Heatmap => "heatmap",
            Self::Combo => "combo",
        }
    }
}

/// What is computed of many values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Aggregate {
    /// Their sum.
    Sum,
    /// Their mean.
    Mean,
    /// How many there are.
    Count,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The one in the middle.
    Median,
    /// How many different ones there are.
    Distinct,
}

impl Aggregate {
    /// As it is asked for, and told.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Count => "count",
            Self::Min => "min",
            Self::Max => "max",
            Self::Median => "median",
            Self::Distinct => "distinct",
        }
    }

    /// Whether what comes out is of the unit that went in.
    pub(super) fn keeps_unit(self) -> bool {
        !matches!(self, Self::Count | Self::Distinct)
    }

    /// The words for what comes out.
    pub(super) fn of(self, column: &str) -> String {
        match self {
            Self::Distinct => format!("different {column}"),
            _ => format!("{} of {column}", self.name()),
        }
    }

    pub(super) fn sql(self, value: &str) -> String {
        match self {
            Self::Sum => format!("sum({value})"),
            Self::Mean => format!("avg({value})"),
            Self::Count => format!("count({value})"),
            Self::Min => format!("min({value})"),
            Self::Max => format!("max({value})"),
            Self::Median => format!("median({value})"),
            Self::Distinct => format!("count(DISTINCT {value})"),
        }
    }
}

/// An order of categories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// By value, the largest first.
    Descending,
    /// By value, the smallest first.
    Ascending,
    /// By name: numbers by size, days and months by the calendar.
    Name,
}

/// A part of a chart that a person looks at closely. Numbers, or microseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}
