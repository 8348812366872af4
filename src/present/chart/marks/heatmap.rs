//! A colour for each cell, and a scale that says which means what.
//!
//! Colours go from little to much, or both ways from zero where values lie on both sides.
//! What would be smaller than can be seen is averaged, which is noted.

use super::super::figure::Axis;
use super::super::format::{self, Around};
use super::super::frame::{self, Axes, Domain, Plane, Side};
use super::super::look::Rect;
use super::super::palette::Palette;
use super::super::sheet::Sheet;
use super::super::svg::{Anchor, Fill, Path, Style};
use super::super::text;
use super::places;

/// The cells.
pub(in super::super) struct Grid<'a> {
    pub columns: &'a [String],
    pub rows: &'a [String],
    pub cells: &'a [Option<f64>],
    pub values: &'a Axis,
}

/// How colours follow values.
struct Colours {
    lo: f64,
    hi: f64,
    diverging: bool,
    log: bool,
}

/// Levels of colour that are told apart.
const LEVELS: usize = 64;
const SIZE: f64 = 11.0;

impl Colours {
    fn new(lo: f64, hi: f64, log: bool) -> Self {
        let diverging = !log && lo < 0.0 && hi > 0.0;
        if diverging {
            let most = hi.max(-lo);
            return Self { lo: -most, hi: most, diverging, log };
        }
        Self { lo, hi, diverging, log }
    }

    fn level(&self, value: f64) -> usize {
        let share = if self.log && self.lo > 0.0 {
            (value.log10() - self.lo.log10()) / (self.hi.log10() - self.lo.log10())
        } else {
            (value / 2.0 - self.lo / 2.0) / (self.hi / 2.0 - self.lo / 2.0)
        };
        let share = if share.is_finite() { share } else { 0.5 };
        ((share * LEVELS as f64).floor().max(0.0) as usize).min(LEVELS - 1)
    }

    fn colour(&self, palette: &Palette, level: usize) -> String {
        let stops = if self.diverging { &palette.diverging } else { &palette.ramp };
        Palette::blend(stops, (level as f64 + 0.5) / LEVELS as f64)
    }
}

impl Grid<'_> {
    pub fn draw(&self, sheet: &mut Sheet<'_>) {
        let log = self.values.log;
        let (cells, infinite, not_positive) = places::usable(self.cells, log);
        sheet.missing(infinite, not_positive);
        let (columns, rows) = (self.columns.len(), self.rows.len());
        let range = places::range(cells.iter().take(columns * rows).flatten().copied());
        let Some((lo, hi)) = range else {
            return sheet.nothing("No data to show");
        };
        let (wide, tall) = (columns.div_ceil(260), rows.div_ceil(160));
        if wide > 1 || tall > 1 {
            sheet.note(format!("each cell drawn is the mean of up to {wide} x {tall}"));
        }
        let names = |names: &[String], title: &str| Side {
            title: title.to_owned(),
            unit: None,
            domain: Domain::Categories(names.to_vec()),
            nice: false,
            grid: false,
        };
        let (x, y) = (&sheet.figure.x, &sheet.figure.y);
        let (across, up) = (names(self.columns, &x.title), names(self.rows, &y.title));
        let mut room = sheet.surround(&[]);
        let colours = Colours::new(lo, hi, log);
        self.scale(sheet, &colours, room, (lo, hi));
        room = Rect { y: room.y + 34.0, height: (room.height - 34.0).max(40.0), ..room };
        let axes = Axes { across: &across, up: &up, second: None, right: 0.0 };
        let plane = frame::lay(sheet, room, &axes);
        let cells = merged(&cells, columns, rows, (wide, tall));
        self.paint(sheet, &plane, &colours, &cells, (wide, tall));
        let title = format::axis_title(&self.values.title, self.values.unit);
        sheet.said.push(format!("Heatmap of {title}, {columns} columns and {rows} rows"));
    }

    /// The scale of colours, above the plot at the right.
    fn scale(&self, sheet: &mut Sheet<'_>, colours: &Colours, room: Rect, range: (f64, f64)) {
        let wide = (room.width * 0.36).clamp(90.0, 240.0);
        let left = room.right() - wide;
        let around = Around::tick(self.values.unit);
        let (lo, hi) = if colours.diverging { (colours.lo, colours.hi) } else { range };
        if lo < hi {
            let each = wide / 32.0;
            for i in 0..32 {
                let colour = colours.colour(sheet.colours, i * LEVELS / 32 + 1);
                // A little over the next, so that no seam is seen.
                let over = if i < 31 { 0.5 } else { 0.0 };
                let x = left + each * i as f64;
                let area = Rect { x, y: room.y + 2.0, width: each + over, height: 9.0 };
                sheet.svg.rect(area, Fill { colour: &colour, opacity: 1.0 });
            }
        }
        let ends = if colours.diverging { vec![lo, 0.0, hi] } else { vec![lo, hi] };
        let mut texts = format::beside(&ends, &around);
        if !colours.diverging && !colours.log {
            // The ends of the data are not round; three digits say enough.
            texts.dedup();
        }
        let style = Style::new(SIZE, sheet.colours.muted);
        let y = room.y + 24.0;
        if texts.len() == 1 {
            sheet.svg.text(room.right(), y, &texts[0], style.at(Anchor::End));
        } else {
            sheet.svg.text(left, y, &texts[0], style);
            let last = &texts[texts.len() - 1];
            sheet.svg.text(room.right(), y, last, style.at(Anchor::End));
            if colours.diverging {
                sheet.svg.text(left + wide / 2.0, y, "0", style.at(Anchor::Middle));
            }
        }
        let title = format::axis_title(&self.values.title, self.values.unit);
        let title = text::fit(&title, left - room.x - 12.0, SIZE, false);
        sheet.svg.text(left - 10.0, room.y + 10.5, &title, style.at(Anchor::End));
    }

    fn paint(
        &self,
        sheet: &mut Sheet<'_>,
        plane: &Plane,
        colours: &Colours,
        cells: &[Vec<Option<f64>>],
        merged: (usize, usize),
    ) {
        let frame = plane.frame;
        let place = |row: usize, from: usize, to: usize| {
            let x = |i: usize| plane.across.at((i * merged.0) as f64);
            let y = |i: usize| plane.up.at((i * merged.1) as f64);
            let (right, bottom) = (
                x(to).min(plane.across.at(self.columns.len() as f64)),
                y(row + 1).min(plane.up.at(self.rows.len() as f64)),
            );
            Rect::between(x(from), y(row), right, bottom).within(&frame)
        };
        let each = plane.across.at(merged.0 as f64) - plane.across.at(0.0);
        let high = plane.up.at(merged.1 as f64) - plane.up.at(0.0);
        let gap = if each.min(high) >= 9.0 { 1.0 } else { 0.0 };
        let mut paths: Vec<Path> = (0..=LEVELS).map(|_| Path::default()).collect();
        for (row, of) in cells.iter().enumerate() {
            let level = |i: usize| of[i].map_or(LEVELS, |value| colours.level(value));
            let mut from = 0;
            while from < of.len() {
                let mut to = from + 1;
                // Small cells of one colour are drawn as one.
                while gap == 0.0 && to < of.len() && level(to) == level(from) {
                    to += 1;
                }
                if let Some(area) = place(row, from, to).filter(|area| area.width > 0.0) {
                    let (width, height) =
                        ((area.width - gap).max(0.2), (area.height - gap).max(0.2));
                    let over = if gap == 0.0 { 0.3 } else { 0.0 };
                    let shrunk = Rect { width: width + over, height: height + over, ..area };
                    paths[level(from)].block(shrunk.within(&frame).unwrap_or(area));
                }
                from = to;
            }
        }
        for (level, path) in paths.iter().enumerate() {
            let colour = if level == LEVELS {
                sheet.colours.nothing.to_owned()
            } else {
                colours.colour(sheet.colours, level)
            };
            sheet.svg.filled(path.as_str(), Fill { colour: &colour, opacity: 1.0 }, None);
        }
        if merged == (1, 1) {
            self.write(sheet, plane, colours, cells, (each, high));
        }
    }

    /// Numbers in the cells where they fit, and what a pointer is told.
    fn write(
        &self,
        sheet: &mut Sheet<'_>,
        plane: &Plane,
        colours: &Colours,
        cells: &[Vec<Option<f64>>],
        (each, high): (f64, f64),
    ) {
        let flat: Vec<f64> =
            cells.iter().flatten().copied().map(Option::unwrap_or_default).collect();
        let texts = format::beside(&flat, &Around::tick(self.values.unit));
        let wide = texts.iter().map(|words| text::width(words, SIZE, false)).fold(0.0, f64::max);
        let written = flat.len() <= 400 && wide + 8.0 <= each && high >= 16.0;
        let around = Around::alone(self.values.unit);
        for (row, of) in cells.iter().enumerate() {
            for (column, value) in of.iter().enumerate() {
                let (x0, y0) = (plane.across.at(column as f64), plane.up.at(row as f64));
                let area = Rect { x: x0, y: y0, width: each, height: high };
                let names = format!(
                    "{} · {}",
                    text::label(&self.columns[column]),
                    text::label(&self.rows[row])
                );
                let said =
                    value.map_or("no value".to_owned(), |value| format::exact(value, &around));
                sheet.mark(area, None, vec![names, said]);
                let (x, y) = (x0 + each / 2.0, y0 + high / 2.0 + 4.0);
                let inside =
                    plane.frame.within(&area).is_some_and(|seen| seen == area) || !plane.cut;
                if let Some(value) = value.filter(|_| written && inside) {
                    let ink = Palette::ink_on(&colours.colour(sheet.colours, colours.level(value)));
                    let words = &texts[row * of.len() + column];
                    sheet.svg.text(x, y, words, Style::new(SIZE, ink).at(Anchor::Middle));
                }
            }
        }
    }
}

/// Means of blocks of cells; the cells themselves where a block is one.
fn merged(
    cells: &[Option<f64>],
    columns: usize,
    rows: usize,
    (wide, tall): (usize, usize),
) -> Vec<Vec<Option<f64>>> {
    let mean = |row: usize, column: usize| {
        let (mut sum, mut count) = (0.0, 0.0);
        for r in (row..(row + tall).min(rows)).map(|r| r * columns) {
            for value in (column..(column + wide).min(columns)).filter_map(|c| *cells.get(r + c)?) {
                count += 1.0;
                // The running mean: a sum may be more than a float holds.
                sum += (value - sum) / count;
            }
        }
        (count > 0.0).then_some(sum)
    };
    let row = |r: usize| (0..columns).step_by(wide).map(|c| mean(r, c)).collect();
    (0..rows).step_by(tall).map(row).collect()
}
