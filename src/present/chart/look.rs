//! How a figure is wanted, and what a drawing tells the view that shows it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// What is asked of a drawing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Look {
    /// Pixels across. What is too small to hold a chart is raised, see [`Look::size`].
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Its colours.
    pub theme: Theme,
    /// Series that are hidden through the legend, by [`Key::series`].
    pub hidden: BTreeSet<usize>,
    /// The part of the plot to be shown.
    pub window: Window,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            width: 800,
            height: 480,
            theme: Theme::Light,
            hidden: BTreeSet::new(),
            window: Window::default(),
        }
    }
}

impl Look {
    /// The size that is drawn: at least 240 x 160, at most 8,192 either way.
    #[must_use]
    pub fn size(&self) -> (f64, f64) {
        (f64::from(self.width.clamp(240, 8192)), f64::from(self.height.clamp(160, 8192)))
    }
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Dark marks on white.
    #[default]
    Light,
    /// Light marks on near-black.
    Dark,
}

/// The range to be shown, in the units of [`Drawing::x`] and [`Drawing::y`]: what lies
/// across and what lies up on the screen, also where bars lie. In either order; a range
/// that is empty or not finite is not obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Window {
    /// Across; all of it if `None`.
    pub x: Option<(f64, f64)>,
    /// Up; all of it if `None`.
    pub y: Option<(f64, f64)>,
}

/// A rectangle of the picture in pixels, from its upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[expect(missing_docs, reason = "each is its own name")]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    /// A rectangle between two corners, whichever they are.
    #[must_use]
    pub fn between(x0: f64, y0: f64, x1: f64, y1: f64) -> Self {
        Self { x: x0.min(x1), y: y0.min(y1), width: (x1 - x0).abs(), height: (y1 - y0).abs() }
    }

    /// A point.
    #[must_use]
    pub fn point(x: f64, y: f64) -> Self {
        Self { x, y, width: 0.0, height: 0.0 }
    }

    /// Its right edge.
    #[must_use]
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Its lower edge.
    #[must_use]
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// What of it lies in another, if anything does.
    #[must_use]
    pub fn within(&self, other: &Self) -> Option<Self> {
        let (left, right) = (self.x.max(other.x), self.right().min(other.right()));
        let (top, bottom) = (self.y.max(other.y), self.bottom().min(other.bottom()));
        (left <= right && top <= bottom).then(|| Self::between(left, top, right, bottom))
    }
}

/// How the units of a [`Span`] lie on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpanKind {
    /// Evenly.
    Numbers,
    /// Evenly by their logarithm.
    Log,
    /// Evenly: microseconds since 1970.
    Times,
    /// Evenly: the category `i` lies from `i` to `i + 1`.
    Categories,
}

/// What a side of the frame shows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Span {
    /// How to read it.
    pub kind: SpanKind,
    /// At the left, or at the bottom. More than `to` where categories are read downwards.
    pub from: f64,
    /// At the right, or at the top.
    pub to: f64,
}

/// Something of the plot that a pointer can ask about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mark {
    /// Where it is; without width and height if it is a point.
    pub area: Rect,
    /// Whose it is.
    pub series: Option<usize>,
    /// What it says, a line each. Text, never markup.
    pub text: Vec<String>,
}

/// An entry of the legend.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Key {
    /// Where to click.
    pub area: Rect,
    /// Which series: bars come before lines; slices count as series.
    pub series: usize,
    /// What it is called. Text, never markup.
    pub name: String,
    /// Whether it is hidden now.
    pub hidden: bool,
}

/// A figure, drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drawing {
    /// The picture: a whole SVG document without scripts, styles or references.
    pub svg: String,
    /// Its width in pixels.
    pub width: f64,
    /// Its height in pixels.
    pub height: f64,
    /// The plot without its axes.
    pub frame: Rect,
    /// What the frame shows across, if it has axes.
    pub x: Option<Span>,
    /// What the frame shows upwards.
    pub y: Option<Span>,
    /// What can be pointed at, at most [`MOST_MARKS`].
    pub marks: Vec<Mark>,
    /// The legend, if there is one.
    pub legend: Vec<Key>,
    /// What the chart shows, in words, for who cannot see it.
    pub description: String,
}

/// How many marks a drawing names.
pub const MOST_MARKS: usize = 5000;
