//! The frame of a plot: its axes, their ticks and labels, the grid.
//!
//! The title of the upright axis stands above it and is read without turning one's head.
//! Margins follow from the widths of the labels: first the ticks of the sides, then what
//! is left across, then the labels below, and the frame is what remains.

use super::format::{self, Around, Form};
use super::labels;
use super::look::{Rect, SpanKind};
use super::scale::Scale;
use super::sheet::Sheet;
use super::svg::{Anchor, Stroke, Style};
use super::text;
use super::ticks::{Decimal, Wish, linear, logarithmic};
use super::time::{self, Grain};
use crate::units::Unit;

/// What an axis has to show.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Domain {
    /// Numbers between two. `whole` if there is nothing between integers; `share` if one
    /// means all.
    Numbers { lo: f64, hi: f64, whole: bool, share: bool },
    /// Positive numbers.
    Log { lo: f64, hi: f64 },
    /// Moments.
    Times { lo: f64, hi: f64, grain: Grain },
    /// Names.
    Categories(Vec<String>),
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Side {
    pub title: String,
    pub unit: Option<Unit>,
    pub domain: Domain,
    /// Whether the axis may be longer than its data, to end at a tick.
    pub nice: bool,
    /// Whether lines go through the plot at its ticks.
    pub grid: bool,
}

/// A tick with its place in the data and its words.
#[derive(Debug, Clone, PartialEq)]
struct Tick {
    at: f64,
    label: String,
    under: Option<String>,
}

/// An axis with its range and ticks.
struct Ready {
    kind: SpanKind,
    lo: f64,
    hi: f64,
    ticks: Vec<Tick>,
}

/// Where a plot is and what lies where in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plane {
    pub frame: Rect,
    pub across: Scale,
    pub up: Scale,
    pub second: Option<Scale>,
    /// Whether only a part is shown, so that marks have to be cut at the frame.
    pub cut: bool,
}

pub(super) const SIZE: f64 = 11.5;
const LINE: f64 = 15.0;

/// The axes of a plot.
pub(super) struct Axes<'a> {
    pub across: &'a Side,
    pub up: &'a Side,
    pub second: Option<&'a Side>,
    /// Room to the right of the frame, for names of lines.
    pub right: f64,
}

fn window(asked: Option<(f64, f64)>) -> Option<(f64, f64)> {
    let (one, other) = asked?;
    let (lo, hi) = (one.min(other), one.max(other));
    (lo.is_finite() && hi.is_finite() && lo < hi).then_some((lo, hi))
}

impl Side {
    fn ready(&self, room: f64, each: f64, asked: Option<(f64, f64)>) -> Ready {
        let most = ((room / each) as usize).clamp(2, 12);
        let asked = window(asked);
        let nice = self.nice && asked.is_none();
        match &self.domain {
            Domain::Numbers { lo, hi, whole, share } => {
                let (lo, hi) = asked.unwrap_or((*lo, *hi));
                let found = linear(lo, hi, Wish { most, nice, whole: *whole });
                let around = if *share { Around::share() } else { Around::tick(self.unit) };
                let form = Form::of(&found.at, around);
                let ticks = found.at.iter().map(|tick| Tick::of(*tick, form.write(*tick)));
                Ready {
                    kind: SpanKind::Numbers,
                    lo: found.lo,
                    hi: found.hi,
                    ticks: ticks.collect(),
                }
            }
            Domain::Log { lo, hi } => {
                let (lo, hi) = asked.filter(|(lo, _)| *lo > 0.0).unwrap_or((*lo, *hi));
                let found = logarithmic(lo, hi, Wish { most, nice, whole: false });
                let labels = format::logarithmic(&found.at, &Around::tick(self.unit));
                let ticks = found.at.iter().zip(labels).map(|(at, label)| Tick::of(*at, label));
                Ready { kind: SpanKind::Log, lo: found.lo, hi: found.hi, ticks: ticks.collect() }
            }
            Domain::Times { lo, hi, grain } => {
                let (lo, hi) = asked.unwrap_or((*lo, *hi));
                let found = time::ticks(lo, hi, most, *grain).into_iter();
                let tick =
                    |t: time::TimeTick| Tick { at: t.at as f64, label: t.label, under: t.under };
                let (lo, hi) = if lo < hi { (lo, hi) } else { (lo - 43.2e9, hi + 43.2e9) };
                Ready { kind: SpanKind::Times, lo, hi, ticks: found.map(tick).collect() }
            }
            Domain::Categories(names) => {
                let all = (0.0, names.len().max(1) as f64);
                let (lo, hi) = asked.map_or(all, |(lo, hi)| (lo.max(0.0), hi.min(all.1)));
                let (lo, hi) = if lo < hi { (lo, hi) } else { all };
                Ready { kind: SpanKind::Categories, lo, hi, ticks: Vec::new() }
            }
        }
    }

    pub fn full_title(&self) -> String {
        let unit = if matches!(self.domain, Domain::Numbers { share: true, .. }) {
            None
        } else {
            self.unit
        };
        format::axis_title(&self.title, unit)
    }
}

impl Tick {
    fn of(at: Decimal, label: String) -> Self {
        Self { at: at.value(), label, under: None }
    }
}

/// How wide the labels of an upright axis are.
fn column(sheet: &Sheet<'_>, side: &Side, ready: &Ready, room: f64) -> f64 {
    let names: Vec<&String> = match &side.domain {
        Domain::Categories(names) => names.iter().take(2000).collect(),
        _ => ready.ticks.iter().map(|tick| &tick.label).collect(),
    };
    let wide = |name: &&String| text::width(&text::label(name), SIZE, false);
    let widest = names.iter().map(wide).fold(0.0, f64::max) + 2.0;
    widest.min(if matches!(side.domain, Domain::Categories(_)) {
        (room * 0.36).min(sheet.width * 0.36)
    } else {
        room * 0.5
    })
}

/// Places the frame in the room that title, legend and notes leave, and draws all but the marks.
pub(super) fn lay(sheet: &mut Sheet<'_>, room: Rect, axes: &Axes<'_>) -> Plane {
    let look = sheet.look;
    let mut top = room.y + 4.0;
    let (up_title, second_title) =
        (axes.up.full_title(), axes.second.map(Side::full_title).unwrap_or_default());
    let titled = !(up_title.is_empty() && second_title.is_empty());
    if titled {
        top += LINE + 3.0;
    }
    let across_title = axes.across.full_title();
    let titles = if across_title.is_empty() { 0.0 } else { LINE + 3.0 };
    let tall = (room.bottom() - top - titles - 24.0).max(30.0);
    let up = axes.up.ready(tall, 46.0, look.window.y);
    let second = axes.second.map(|side| side.ready(tall, 46.0, None));
    let left = room.x + column(sheet, axes.up, &up, room.width) + 8.0;
    let mut right = room.right() - axes.right;
    if let (Some(side), Some(ready)) = (axes.second, &second) {
        right -= column(sheet, side, ready, room.width) + 8.0;
    }
    let right = right.max(left + 40.0);
    let each = if matches!(axes.across.domain, Domain::Times { .. }) { 78.0 } else { 74.0 };
    let across = axes.across.ready(right - left, each, look.window.x);
    let below = match &axes.across.domain {
        Domain::Categories(names) => {
            let bands = labels::Bands { lo: across.lo, hi: across.hi, left, right };
            Below::Names(labels::arrange(names, bands, (room.height * 0.34).min(120.0)))
        }
        _ => Below::Ticks,
    };
    let deep = match &below {
        Below::Names(names) => names.depth,
        Below::Ticks if across.ticks.iter().any(|tick| tick.under.is_some()) => 2.0 * LINE + 4.0,
        Below::Ticks => LINE + 5.0,
    };
    let bottom = (room.bottom() - deep - titles).max(top + 30.0);
    let frame = Rect::between(left, top + 2.0, right, bottom);
    let plane = scales(frame, &across, &up, second.as_ref(), look.window != <_>::default());
    sheet.frame = frame;
    sheet.x = Some(plane.across.span(false));
    sheet.y = Some(plane.up.span(true));
    grid(sheet, axes, &plane, (&across, &up));
    left_labels(sheet, axes.up, &up, &plane, room);
    if let (Some(ready), Some(scale)) = (&second, plane.second) {
        let style = Style::new(SIZE, sheet.colours.muted);
        for tick in ready.ticks.iter().filter(|tick| scale.shows(tick.at)) {
            sheet.svg.text(frame.right() + 8.0, scale.at(tick.at) + 4.0, &tick.label, style);
        }
    }
    match &below {
        Below::Names(names) => labels::draw(sheet, names, frame.bottom()),
        Below::Ticks => bottom_labels(sheet, &across, &plane),
    }
    let titles = Titles { up: &up_title, second: &second_title, across: &across_title };
    write_titles(sheet, &titles, room, frame, room.y + 4.0);
    plane
}

enum Below {
    Names(labels::Arranged),
    Ticks,
}

fn scales(frame: Rect, across: &Ready, up: &Ready, second: Option<&Ready>, cut: bool) -> Plane {
    let upright = |ready: &Ready| {
        let (start, end) = if ready.kind == SpanKind::Categories {
            (frame.y, frame.bottom())
        } else {
            (frame.bottom(), frame.y)
        };
        Scale { kind: ready.kind, lo: ready.lo, hi: ready.hi, start, end }
    };
    let across = Scale {
        kind: across.kind,
        lo: across.lo,
        hi: across.hi,
        start: frame.x,
        end: frame.right(),
    };
    Plane { frame, across, up: upright(up), second: second.map(upright), cut }
}

fn grid(sheet: &mut Sheet<'_>, axes: &Axes<'_>, plane: &Plane, ready: (&Ready, &Ready)) {
    let frame = plane.frame;
    let (thin, base) = (Stroke::new(sheet.colours.grid, 1.0), Stroke::new(sheet.colours.axis, 1.0));
    // Half a pixel, so that a thin line is one row of pixels and not two.
    let crisp = |v: f64| v.floor() + 0.5;
    if axes.up.grid {
        for tick in ready.1.ticks.iter().filter(|tick| plane.up.shows(tick.at)) {
            let y = crisp(plane.up.at(tick.at));
            sheet.svg.line((frame.x, y), (frame.right(), y), thin);
        }
    }
    if axes.across.grid {
        for tick in ready.0.ticks.iter().filter(|tick| plane.across.shows(tick.at)) {
            let x = crisp(plane.across.at(tick.at));
            sheet.svg.line((x, frame.y), (x, frame.bottom()), thin);
        }
    }
    if matches!(axes.up.domain, Domain::Categories(_)) {
        sheet.svg.line((crisp(frame.x), frame.y), (crisp(frame.x), frame.bottom()), base);
    } else {
        let y = crisp(frame.bottom());
        sheet.svg.line((frame.x, y), (frame.right(), y), base);
        if matches!(axes.across.domain, Domain::Times { .. }) {
            for tick in &ready.0.ticks {
                let x = crisp(plane.across.at(tick.at));
                sheet.svg.line((x, y), (x, y + 4.0), base);
            }
        }
    }
}

fn left_labels(sheet: &mut Sheet<'_>, side: &Side, ready: &Ready, plane: &Plane, room: Rect) {
    let frame = plane.frame;
    let style = Style::new(SIZE, sheet.colours.muted).at(Anchor::End);
    let Domain::Categories(names) = &side.domain else {
        for tick in ready.ticks.iter().filter(|tick| plane.up.shows(tick.at)) {
            sheet.svg.text(frame.x - 8.0, plane.up.at(tick.at) + 4.0, &tick.label, style);
        }
        return;
    };
    let style = Style { fill: sheet.colours.text, ..style };
    let each = frame.height / (ready.hi - ready.lo);
    let every = (14.0 / each).ceil().max(1.0) as usize;
    let most = if each >= 30.0 { 2 } else { 1 };
    let width = frame.x - 8.0 - room.x;
    let (first, last) = (ready.lo.floor() as usize, ready.hi.ceil() as usize);
    for (i, name) in names.iter().enumerate().take(last).skip(first) {
        let y = plane.up.at(i as f64 + 0.5);
        if i % every != 0 || y < frame.y + 4.0 || y > frame.bottom() - 4.0 {
            continue;
        }
        let lines = text::wrap(&text::label(name), width, SIZE, false, most);
        let first = y + 4.0 - 7.0 * (lines.len().max(1) - 1) as f64;
        for (row, line) in lines.iter().enumerate() {
            sheet.svg.text(frame.x - 8.0, first + 14.0 * row as f64, line, style);
        }
    }
}

/// Words below the ticks; one that would touch its neighbour is left out.
fn bottom_labels(sheet: &mut Sheet<'_>, ready: &Ready, plane: &Plane) {
    let style = Style::new(SIZE, sheet.colours.muted).at(Anchor::Middle);
    let y = plane.frame.bottom();
    let (mut taken, mut taken_under) = (0.0, 0.0);
    for tick in ready.ticks.iter().filter(|tick| plane.across.shows(tick.at)) {
        let x = plane.across.at(tick.at);
        let place = |words: &str, taken: f64| {
            let half = text::width(words, SIZE, false) / 2.0;
            // At the edges of the picture a label moves inwards.
            let x = x.max(half + 2.0).min(sheet.width - half - 2.0);
            (x - half >= taken).then_some((x, x + half + 8.0))
        };
        if let Some((x, end)) = place(&tick.label, taken) {
            taken = end;
            sheet.svg.text(x, y + LINE + 2.0, &tick.label, style);
            let under = tick.under.as_deref().unwrap_or_default();
            if let Some((x, end)) = place(under, taken_under).filter(|_| !under.is_empty()) {
                taken_under = end;
                sheet.svg.text(x, y + 2.0 * LINE + 2.0, under, style);
            }
        }
    }
}

struct Titles<'a> {
    up: &'a str,
    second: &'a str,
    across: &'a str,
}

fn write_titles(sheet: &mut Sheet<'_>, titles: &Titles<'_>, room: Rect, frame: Rect, top: f64) {
    let style = Style::new(SIZE, sheet.colours.muted);
    let half = if titles.second.is_empty() { room.width } else { room.width / 2.0 - 8.0 };
    let up = text::fit(titles.up, half, SIZE, false);
    sheet.svg.text(room.x, top + 11.0, &up, style);
    let second = text::fit(titles.second, half, SIZE, false);
    sheet.svg.text(room.right(), top + 11.0, &second, style.at(Anchor::End));
    let across = text::fit(titles.across, room.width, SIZE, false);
    let half = text::width(&across, SIZE, false) / 2.0;
    let middle = frame.x + frame.width / 2.0;
    let x = middle.min(room.right() - half).max(room.x + half);
    sheet.svg.text(x, room.bottom() - 3.0, &across, style.at(Anchor::Middle));
}
