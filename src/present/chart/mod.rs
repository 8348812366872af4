//! Charts: a figure becomes a picture.
//!
//! ```text
//!   figure   what is shown: every number computed, nothing placed
//!   look     how it is wanted, and what the view is told of the drawing
//!   sheet    a drawing that is being made: title, legend, notes
//!   frame    axes, ticks, labels, grid
//!   marks/   bars, lines, points …, one file a kind
//!   ticks, time, scale, format, text, palette, svg    what these are made of
//!   png      pixels
//! ```
//!
//! There is one renderer. What a browser shows is the SVG that is exported and that pixels
//! are made from; a view that is zoomed, resized or has a series hidden asks for another
//! drawing. Drawing cannot fail: any figure gives a picture, if need be one that says that
//! there is nothing to see. The same figure and look give the same bytes.

pub mod figure;
mod format;
mod frame;
mod labels;
mod legend;
mod look;
mod marks;
mod palette;
mod png;
mod scale;
mod sheet;
mod svg;
mod text;
mod ticks;
mod time;

pub use self::figure::Figure;
pub use self::look::{Drawing, Key, Look, MOST_MARKS, Mark, Rect, Span, SpanKind, Theme, Window};
pub use self::png::{Missing, Pixels, PngError, png};

use self::figure::Plot;
use self::sheet::Sheet;

/// Draws a figure.
#[must_use]
pub fn draw(figure: &Figure, look: &Look) -> Drawing {
    let mut sheet = Sheet::new(figure, look);
    match &figure.plot {
        Plot::Bars { at, bars, lines, arranged, horizontal } => {
            let bars = marks::bars::Bars { at, bars, lines, arranged: *arranged, lie: *horizontal };
            bars.draw(&mut sheet);
        }
        Plot::Lines { at, series, area } => marks::lines::draw(&mut sheet, at, series, *area),
        Plot::Points { across, series } => marks::points::draw(&mut sheet, *across, series),
        Plot::Histogram { across, edges, series } => {
            marks::histogram::draw(&mut sheet, *across, edges, series);
        }
        Plot::Boxes { at, series } => marks::boxes::draw(&mut sheet, at, series),
        Plot::Pie { slices } => marks::pie::draw(&mut sheet, slices),
        Plot::Heatmap { columns, rows, cells, values } => {
            let grid = marks::heatmap::Grid { columns, rows, cells, values };
            grid.draw(&mut sheet);
        }
    }
    sheet.finish()
}
