//! Names below the bands of a plot: level if they fit, in two or three lines, turned, or only
//! some of them, whichever comes first.

use super::frame::SIZE;
use super::sheet::Sheet;
use super::svg::{Anchor, Style};
use super::text;

/// The bands that are shown, and where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bands {
    pub lo: f64,
    pub hi: f64,
    pub left: f64,
    pub right: f64,
}

impl Bands {
    fn each(&self) -> f64 {
        (self.right - self.left) / (self.hi - self.lo)
    }

    fn middle(&self, i: usize) -> f64 {
        self.left + (i as f64 + 0.5 - self.lo) * self.each()
    }
}

/// Names with their places.
#[derive(Debug)]
pub(super) struct Arranged {
    /// Pixels that they take below the frame.
    pub depth: f64,
    turned: bool,
    placed: Vec<(f64, Vec<String>)>,
}

const LINE: f64 = 14.0;
/// The sine and the cosine of the angle at which names are turned.
const SLOPE: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Turned names keep this far from each other, across.
const APART: f64 = 20.0;

/// Finds how names are written. Turned ones go at most `deep` pixels down.
pub(super) fn arrange(names: &[String], bands: Bands, deep: f64) -> Arranged {
    let shown: Vec<(usize, String)> = names
        .iter()
        .enumerate()
        .filter(|(i, _)| {
            let middle = *i as f64 + 0.5;
            middle > bands.lo && middle < bands.hi
        })
        .map(|(i, name)| (i, name))
        .map(|(i, name)| (i, text::label(name)))
        .collect();
    let each = bands.each();
    let widest = shown.iter().map(|(_, name)| text::width(name, SIZE, false)).fold(0.0, f64::max);
    if widest + 8.0 <= each {
        return level(&shown, bands, 1, 1);
    }
    let wrapped = |(_, name): &(usize, String)| fits_wrapped(name, each - 8.0);
    if each >= 44.0 && shown.iter().all(wrapped) {
        return level(&shown, bands, 1, 3);
    }
    // Short names that follow each other, as years do, are better left out than turned.
    let every = ((widest + 10.0) / each).ceil().max(1.0) as usize;
    if widest <= 44.0 && every > 1 && (each < 16.0 || every <= 2 && ascending(&shown)) {
        return level(&shown, bands, every, 1);
    }
    turned(&shown, bands, deep)
}

fn ascending(names: &[(usize, String)]) -> bool {
    let numbers: Vec<Option<f64>> = names.iter().map(|(_, name)| name.parse().ok()).collect();
    numbers.windows(2).all(|pair| matches!(pair, [Some(a), Some(b)] if a < b))
}

fn fits_wrapped(name: &str, room: f64) -> bool {
    let words = name.split(' ').all(|word| text::width(word, SIZE, false) <= room);
    let whole = text::wrap(name, room, SIZE, false, 4);
    words && whole.len() <= 3
}

fn level(shown: &[(usize, String)], bands: Bands, every: usize, most: usize) -> Arranged {
    let room = bands.each() * every as f64 - 6.0;
    let place = |(i, name): &(usize, String)| {
        let middle = bands.middle(*i);
        (middle, text::wrap(name, room.max(10.0), SIZE, false, most))
    };
    let placed: Vec<_> = shown.iter().step_by(every).map(place).collect();
    let lines = placed.iter().map(|(_, lines)| lines.len()).max().unwrap_or(1);
    Arranged { depth: LINE * lines as f64 + 6.0, turned: false, placed }
}

fn turned(shown: &[(usize, String)], bands: Bands, deep: f64) -> Arranged {
    let every = (APART / bands.each()).ceil().max(1.0) as usize;
    let place = |(i, name): &(usize, String)| {
        let x = bands.middle(*i) + 4.0;
        // Down to the depth, and not over the left edge of the picture.
        let long = (deep - 14.0).min(x - 10.0) / SLOPE;
        (x, vec![text::fit(name, long, SIZE, false)])
    };
    let placed: Vec<_> = shown.iter().step_by(every).map(place).collect();
    let long = |(_, lines): &(f64, Vec<String>)| {
        lines.iter().map(|line| text::width(line, SIZE, false)).fold(0.0, f64::max)
    };
    let longest = placed.iter().map(long).fold(0.0, f64::max);
    Arranged { depth: longest * SLOPE + 16.0, turned: true, placed }
}

/// Writes them below the frame.
pub(super) fn draw(sheet: &mut Sheet<'_>, names: &Arranged, bottom: f64) {
    let style = Style::new(SIZE, sheet.colours.text);
    for (x, lines) in &names.placed {
        for (row, line) in lines.iter().enumerate() {
            if names.turned {
                let style = style.at(Anchor::End).turned(-45.0);
                sheet.svg.text(*x, bottom + 12.0, line, style);
            } else {
                let y = bottom + 15.0 + LINE * row as f64;
                sheet.svg.text(*x, y, line, style.at(Anchor::Middle));
            }
        }
    }
}
