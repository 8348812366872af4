//! The legend: who has which colour, in rows above the plot.

use super::look::{Key, Rect};
use super::sheet::Sheet;
use super::svg::{Fill, Stroke, Style};
use super::text;

/// How an entry is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Swatch {
    Block,
    Line,
    Dot,
}

/// Someone who stands in the legend.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub series: usize,
    pub name: String,
    pub swatch: Swatch,
}

const SIZE: f64 = 12.0;
const ROW: f64 = 20.0;
/// Room for the mark before a name, and after it before the next.
const BEFORE: f64 = 20.0;
const AFTER: f64 = 16.0;

/// Draws the legend below `top`; gives where it ends.
pub(super) fn draw(sheet: &mut Sheet<'_>, entries: &[Entry], top: f64) -> f64 {
    let left = sheet.margin();
    let right = sheet.width - sheet.margin();
    let rows = if sheet.height < 260.0 {
        1
    } else if sheet.height < 420.0 {
        2
    } else {
        3
    };
    let widest = (right - left) * if entries.len() > 2 { 0.45 } else { 0.8 };
    let names: Vec<String> = entries
        .iter()
        .map(|entry| text::fit(&text::label(&entry.name), widest - BEFORE - AFTER, SIZE, false))
        .collect();
    let (mut x, mut row) = (left, 0);
    for (i, entry) in entries.iter().enumerate() {
        let wide = BEFORE + text::width(&names[i], SIZE, false);
        if x > left && x + wide > right {
            (x, row) = (left, row + 1);
        }
        let after = entries.len() - i - 1;
        let more = format!("and {} more", after + 1);
        let last_row = row + 1 >= rows;
        let rest = text::width(&more, SIZE, false) + AFTER;
        // The last row keeps room to say how many have none, unless all of the rest fit.
        let all_fit = || {
            let wide = |name: &String| BEFORE + AFTER + text::width(name, SIZE, false);
            x + names[i..].iter().map(wide).sum::<f64>() - AFTER <= right
        };
        if last_row && (row >= rows || (x + wide + AFTER + rest > right && !all_fit())) {
            let y = top + ROW * row.min(rows - 1) as f64 + 14.0;
            let style = Style::new(SIZE, sheet.colours.muted);
            sheet.svg.text(x, y, &more, style);
            row = row.min(rows - 1);
            break;
        }
        item(sheet, entry, &names[i], x, top + ROW * row as f64);
        x += wide + AFTER;
    }
    top + ROW * (row + 1) as f64 + 4.0
}

fn item(sheet: &mut Sheet<'_>, entry: &Entry, name: &str, x: f64, y: f64) {
    let hidden = sheet.hides(entry.series);
    let colours = sheet.colours;
    let colour = if hidden { colours.axis } else { colours.series(entry.series) };
    let opacity = if hidden { 0.35 } else { 1.0 };
    match entry.swatch {
        Swatch::Block => {
            let area = Rect { x, y: y + 4.0, width: 12.0, height: 12.0 };
            sheet.svg.rounded(area, 2.0, Fill { colour, opacity });
        }
        Swatch::Line => {
            let stroke = Stroke { colour, width: 2.5, dash: colours.dash(entry.series) };
            sheet.svg.line((x, y + 10.0), (x + 14.0, y + 10.0), stroke);
        }
        Swatch::Dot => sheet.svg.circle(x + 6.0, y + 10.0, 4.5, Fill { colour, opacity }),
    }
    let fill = if hidden { colours.axis } else { colours.text };
    sheet.svg.text(x + BEFORE, y + 14.2, name, Style::new(SIZE, fill));
    let width = BEFORE + text::width(name, SIZE, false);
    if hidden {
        let stroke = Stroke::new(colours.axis, 1.0);
        sheet.svg.line((x + BEFORE, y + 10.2), (x + width, y + 10.2), stroke);
    }
    let area = Rect { x, y, width, height: ROW };
    sheet.legend.push(Key { area, series: entry.series, name: text::label(&entry.name), hidden });
}
