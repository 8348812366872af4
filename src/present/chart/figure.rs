//! A chart as what it shows: every number computed, nothing placed yet.
//!
//! This is the border between those who know the data and those who draw. The engine
//! has counted, summed and cut down before a figure is made; the drawing knows no
//! table. A figure is what a chart's artifact keeps, so that the same figure is drawn
//! again at another size, in another theme, as SVG or as pixels.

use serde::{Deserialize, Serialize};

use crate::units::Unit;

/// A chart, less its looks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Its title; empty for none.
    pub title: String,
    /// What was done to the data, for the person: "sum of amount by region",
    /// "the 20 largest of 312, the rest as other", "1,204 rows have no price".
    pub notes: Vec<String>,
    /// The axis of `x` as it was asked for: upright in horizontal bars.
    pub x: Axis,
    /// The axis of the values.
    pub y: Axis,
    /// The second axis of the values, for lines over bars whose unit is another.
    pub y2: Option<Axis>,
    /// What is drawn.
    pub plot: Plot,
}

/// What an axis says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Its title, without the unit; empty for none.
    pub title: String,
    /// The unit of its numbers.
    pub unit: Option<Unit>,
    /// Whether it is logarithmic. Its numbers are positive then.
    pub log: bool,
}

/// Something with a name in the legend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Named<T> {
    /// As the data says it; any text at all.
    pub name: String,
    /// What has that name.
    pub of: T,
}

/// The marks of a figure. A value that is `None` is missing and leaves a gap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plot {
    /// Bars, and lines over them where a combined chart was asked for.
    Bars {
        /// Where the bars stand.
        at: Positions,
        /// A value for each position.
        bars: Vec<Named<Vec<Option<f64>>>>,
        /// Lines over the bars, on `y2` if the figure has one.
        lines: Vec<Named<Vec<Option<f64>>>>,
        /// How bars of several series share a position.
        arranged: Arranged,
        /// Whether they lie.
        horizontal: bool,
    },
    /// Lines, or areas.
    Lines {
        /// In ascending order, unless they are categories.
        at: Positions,
        /// A value for each position.
        series: Vec<Named<Vec<Option<f64>>>>,
        /// Filled down to the zero line, and how; lines if `None`.
        area: Option<Arranged>,
    },
    /// Points at pairs of numbers.
    Points {
        /// What the first number of each pair is.
        across: Across,
        /// Pairs of x and y.
        series: Vec<Named<Vec<(f64, f64)>>>,
    },
    /// Numbers of values in ranges.
    Histogram {
        /// What the edges are.
        across: Across,
        /// Ascending; one more than there are counts.
        edges: Vec<f64>,
        /// Counts of each series.
        series: Vec<Named<Vec<u64>>>,
    },
    /// Boxes and whiskers.
    Boxes {
        /// Where the boxes stand.
        at: Vec<String>,
        /// A box for each position.
        series: Vec<Named<Vec<Option<Quartiles>>>>,
    },
    /// Shares of a whole; none is negative.
    Pie {
        /// In the order in which they are drawn.
        slices: Vec<Named<f64>>,
    },
    /// A colour for each cell.
    Heatmap {
        /// Names across.
        columns: Vec<String>,
        /// Names down, from the top.
        rows: Vec<String>,
        /// Values, row by row.
        cells: Vec<Option<f64>>,
        /// What the colours say.
        values: Axis,
    },
}

/// Where values stand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Positions {
    /// Side by side.
    Categories(Vec<String>),
    /// At numbers.
    Numbers(Vec<f64>),
    /// At moments: microseconds since 1970, as a clock on the wall shows them in the data's zone.
    Times(Vec<i64>),
}

/// What numbers across a plot are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Across {
    /// Numbers.
    Numbers,
    /// Microseconds since 1970.
    Times,
}

/// How several series share a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arranged {
    /// Beside (bars) or before (areas) each other.
    Apart,
    /// On top of each other.
    Stacked,
    /// On top of each other, as shares of each position's sum.
    Shares,
}

/// A box: Tukey's, whose whiskers end at the last value within 1.5 interquartile ranges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quartiles {
    /// Where the lower whisker ends.
    pub low: f64,
    /// The first quartile.
    pub first: f64,
    /// The median.
    pub median: f64,
    /// The third quartile.
    pub third: f64,
    /// Where the upper whisker ends.
    pub high: f64,
    /// Values beyond the whiskers, at most a hundred, the farthest first.
    pub outside: Vec<f64>,
    /// Values beyond the whiskers, all of them.
    pub outside_count: u64,
    /// Values of the box.
    pub count: u64,
}
