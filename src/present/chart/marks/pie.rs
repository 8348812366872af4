//! Shares of a whole, as a ring whose slices are named outside.
//!
//! Names stand in two columns beside the ring, moved apart where slices are thin. If they are
//! too many, or the picture too narrow, they stand in the legend with their shares. Nobody
//! tells more slices apart than there are colours: the smallest become one, which says so.

use std::borrow::Cow;
use std::f64::consts::TAU;

use super::super::figure::Named;
use super::super::format::{self, Around};
use super::super::legend::{Entry, Swatch};
use super::super::look::{Key, Rect};
use super::super::palette::Palette;
use super::super::sheet::Sheet;
use super::super::svg::{Anchor, Fill, Path, Stroke, Style};
use super::super::text;
use super::direct::spread;

/// A slice with its angles, from the top, clockwise, in turns.
struct Slice {
    series: usize,
    name: String,
    value: f64,
    share: f64,
    from: f64,
}

const SIZE: f64 = 12.0;
const APART: f64 = 31.0;
/// Slices, with the one for the rest: as many as there are colours.
const COLOURS: usize = 10;

pub(in super::super) fn draw(sheet: &mut Sheet<'_>, slices: &[Named<f64>]) {
    let bad = slices.iter().filter(|slice| !slice.of.is_finite() || slice.of < 0.0).count();
    sheet.missing(bad, 0);
    let slices = with_other(sheet, slices);
    let good = |value: f64| value.is_finite() && value > 0.0;
    let shown = |(i, slice): &(usize, &Named<f64>)| good(slice.of) && !sheet.hides(*i);
    let most = slices.iter().map(|slice| slice.of).filter(|v| good(*v)).fold(0.0, f64::max);
    // Parts of the greatest, since the sum may be more than a float holds.
    let whole: f64 =
        slices.iter().enumerate().filter(shown).map(|(_, slice)| slice.of / most).sum();
    let mut from = 0.0;
    let mut all = Vec::new();
    for (series, slice) in slices.iter().enumerate().filter(shown) {
        let share = slice.of / most / whole;
        all.push(Slice { series, name: text::label(&slice.name), value: slice.of, share, from });
        from += share;
    }
    if most == 0.0 {
        return sheet.nothing("No data to show");
    }
    let plain = sheet.look.hidden.is_empty();
    let outside = plain && labels_fit(sheet, &all);
    let entry = |(i, slice): (usize, &Named<f64>)| {
        let share = all.iter().find(|one| one.series == i).map(|one| percent(one.share));
        let name = text::label(&slice.name);
        let name = share.map_or(name.clone(), |share| format!("{name} {share}"));
        Entry { series: i, name, swatch: Swatch::Block }
    };
    let entries: Vec<Entry> = slices.iter().enumerate().map(entry).collect();
    let room = sheet.surround(if outside { &[] } else { &entries });
    sheet.frame = room;
    let ring = Ring::new(room, outside, sheet.width);
    for slice in &all {
        ring.slice(sheet, slice, all.len());
    }
    ring.total(sheet, &all);
    if outside {
        ring.labels(sheet, &all, room);
    } else {
        ring.shares_inside(sheet, &all);
    }
    say(sheet, &all);
}

/// The largest slices in their order, and one for the rest where there are too many.
fn with_other<'s>(sheet: &mut Sheet<'_>, slices: &'s [Named<f64>]) -> Cow<'s, [Named<f64>]> {
    if slices.len() <= COLOURS {
        return Cow::Borrowed(slices);
    }
    // What is a rest already is none of the largest.
    let size = |slice: &Named<f64>| match slice.name.as_str() {
        "other" | "other (the rest)" => 0.0,
        _ if slice.of.is_finite() => slice.of,
        _ => 0.0,
    };
    let mut by_size: Vec<usize> = (0..slices.len()).collect();
    by_size.sort_by(|&a, &b| size(&slices[b]).total_cmp(&size(&slices[a])));
    let mut kept = by_size[..COLOURS - 1].to_vec();
    kept.sort_unstable();
    let mut all: Vec<Named<f64>> = kept.iter().map(|&at| slices[at].clone()).collect();
    let rest = by_size[COLOURS - 1..].iter().map(|&at| slices[at].of);
    let rest = rest.filter(|of| of.is_finite() && *of > 0.0);
    let is_taken = all.iter().any(|slice| slice.name == "other");
    let name = if is_taken { "other (the rest)" } else { "other" };
    all.push(Named { name: name.to_owned(), of: rest.sum::<f64>().min(f64::MAX) });
    let count = format::count(slices.len() as u64);
    sheet.note(format!("the {} largest of {count} slices, the rest as {name}", COLOURS - 1));
    Cow::Owned(all)
}

fn say(sheet: &mut Sheet<'_>, all: &[Slice]) {
    let around = Around::alone(sheet.figure.y.unit);
    let each = |slice: &Slice| {
        let value = format::exact(slice.value, &around);
        format!("{} {} ({value})", slice.name, percent(slice.share))
    };
    let said: Vec<String> = all.iter().take(20).map(each).collect();
    sheet.said.push(format!("Pie chart, {} slices: {}", all.len(), said.join(", ")));
}

/// A share as people read it: what is not nothing is not "0%".
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        p if p < 0.1 => "<0.1%".to_owned(),
        p if (p - p.round()).abs() < 1e-9 => format!("{p:.0}%"),
        p => format!("{p:.1}%"),
    }
}

fn labels_fit(sheet: &Sheet<'_>, all: &[Slice]) -> bool {
    let room = sheet.height - 130.0;
    let right = all.iter().filter(|slice| slice.from + slice.share / 2.0 < 0.5).count();
    let side = right.max(all.len() - right) as f64;
    all.len() <= COLOURS && sheet.width >= 460.0 && side * APART <= room
}

struct Ring {
    x: f64,
    y: f64,
    outer: f64,
    inner: f64,
}

impl Ring {
    fn new(room: Rect, outside: bool, width: f64) -> Self {
        let tall = room.height - if outside { 36.0 } else { 12.0 };
        let wide = if outside { width * 0.46 } else { room.width - 12.0 };
        let outer = (tall.min(wide) / 2.0).clamp(20.0, 260.0);
        let (x, y) = (room.x + room.width / 2.0, room.y + room.height / 2.0);
        Self { x, y, outer, inner: outer * 0.56 }
    }

    fn at(&self, turn: f64, radius: f64) -> (f64, f64) {
        let (sin, cos) = (turn * TAU).sin_cos();
        (self.x + radius * sin, self.y - radius * cos)
    }

    fn slice(&self, sheet: &mut Sheet<'_>, slice: &Slice, count: usize) {
        let mut path = Path::default();
        // A whole circle cannot be one arc.
        let parts = if slice.share > 0.999 { 2 } else { 1 };
        for part in 0..parts {
            let length = slice.share / f64::from(parts);
            let from = slice.from + length * f64::from(part);
            let (to, large) = (from + length, length > 0.5);
            let (ax, ay) = self.at(from, self.outer);
            let (bx, by) = self.at(to, self.outer);
            let (cx, cy) = self.at(to, self.inner);
            let (dx, dy) = self.at(from, self.inner);
            path.go('M', ax, ay);
            path.arc(self.outer, large, true, bx, by);
            path.go('L', cx, cy);
            path.arc(self.inner, large, false, dx, dy);
            path.close();
        }
        let colour = colour(sheet, slice.series);
        let edge = (count > 1).then(|| Stroke::new(sheet.colours.page, 1.5));
        sheet.svg.filled(path.as_str(), Fill { colour, opacity: 1.0 }, edge);
        let around = Around::alone(sheet.figure.y.unit);
        let value = format::exact(slice.value, &around);
        let lines = vec![slice.name.clone(), format!("{value} ({})", percent(slice.share))];
        let (x, y) = self.at(slice.from + slice.share / 2.0, f64::midpoint(self.outer, self.inner));
        sheet.mark(Rect::point(x, y), Some(slice.series), lines);
    }

    /// The sum, in the hole.
    fn total(&self, sheet: &mut Sheet<'_>, all: &[Slice]) {
        let sum: f64 = all.iter().map(|slice| slice.value).sum();
        if !sum.is_finite() || self.inner < 36.0 || all.len() < 2 {
            return;
        }
        let unit = sheet.figure.y.unit;
        let words = format::beside(&[sum], &Around::alone(unit)).remove(0);
        let mut size = 20.0;
        while size > 10.0 && text::width(&words, size, true) > self.inner * 1.6 {
            size -= 1.0;
        }
        let words = text::fit(&words, self.inner * 1.7, size, true);
        let style = Style::new(size, sheet.colours.text).bold().at(Anchor::Middle);
        sheet.svg.text(self.x, self.y + size * 0.2, &words, style);
        let what = text::clean(&sheet.figure.y.title);
        let what = if what.is_empty() { "total".to_owned() } else { what };
        let style = Style::new(11.0, sheet.colours.muted).at(Anchor::Middle);
        let what = text::fit(&what, self.inner * 1.6, 11.0, false);
        sheet.svg.text(self.x, self.y + size * 0.2 + 16.0, &what, style);
    }

    fn labels(&self, sheet: &mut Sheet<'_>, all: &[Slice], room: Rect) {
        let unit = sheet.figure.y.unit;
        let values: Vec<f64> = all.iter().map(|slice| slice.value).collect();
        let texts = format::beside(&values, &Around::alone(unit));
        for right in [true, false] {
            let middle = |slice: &Slice| slice.from + slice.share / 2.0;
            let mut side: Vec<(usize, &Slice)> =
                all.iter().enumerate().filter(|(_, s)| (middle(s) < 0.5) == right).collect();
            if !right {
                side.reverse();
            }
            let wanted: Vec<f64> =
                side.iter().map(|(_, s)| self.at(middle(s), self.outer + 12.0).1).collect();
            let placed = spread(&wanted, APART, room.y + 8.0, room.bottom() - 22.0);
            for ((i, slice), y) in side.into_iter().zip(placed) {
                let words = format!("{} · {}", percent(slice.share), texts[i]);
                self.label(sheet, slice, (y, right), &words, room);
            }
        }
    }

    fn label(
        &self,
        sheet: &mut Sheet<'_>,
        slice: &Slice,
        place: (f64, bool),
        words: &str,
        room: Rect,
    ) {
        let (y, right) = place;
        let sign = if right { 1.0 } else { -1.0 };
        let middle = slice.from + slice.share / 2.0;
        let (from, bend) = (self.at(middle, self.outer + 2.0), self.at(middle, self.outer + 12.0));
        let x = self.x + sign * (self.outer + 26.0);
        let mut path = Path::default();
        path.go('M', from.0, from.1);
        path.go('L', bend.0, bend.1);
        path.go('L', x - sign * 5.0, y);
        sheet.svg.stroked(path.as_str(), Stroke::new(sheet.colours.axis, 1.0));
        let wide = if right { room.right() - x } else { x - room.x };
        let anchor = if right { Anchor::Start } else { Anchor::End };
        let name = text::fit(&slice.name, wide, SIZE, true);
        let style = Style::new(SIZE, sheet.colours.text).bold().at(anchor);
        sheet.svg.text(x, y + 4.0, &name, style);
        let width = text::width(&name, SIZE, true);
        let left = if right { x } else { x - width };
        let area = Rect { x: left, y: y - 8.0, width, height: 16.0 };
        let name = slice.name.clone();
        sheet.legend.push(Key { area, series: slice.series, name, hidden: false });
        let words = text::fit(words, wide, 11.0, false);
        let style = Style::new(11.0, sheet.colours.muted).at(anchor);
        sheet.svg.text(x, y + 18.0, &words, style);
    }

    /// Shares on the slices that are wide enough, where the names are elsewhere.
    fn shares_inside(&self, sheet: &mut Sheet<'_>, all: &[Slice]) {
        let radius = f64::midpoint(self.outer, self.inner);
        for slice in all {
            let words = percent(slice.share);
            let wide = text::width(&words, 11.0, false) + 8.0;
            if slice.share * TAU * radius < wide.max(20.0) || self.outer - self.inner < wide {
                continue;
            }
            let (x, y) = self.at(slice.from + slice.share / 2.0, radius);
            let ink = Palette::ink_on(colour(sheet, slice.series));
            let style = Style::new(11.0, ink).at(Anchor::Middle);
            sheet.svg.text(x, y + 4.0, &words, style);
        }
    }
}

fn colour(sheet: &Sheet<'_>, series: usize) -> &'static str {
    sheet.colours.series(series)
}
