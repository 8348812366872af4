//! Bars, standing or lying, beside or on top of each other, with lines over them.

use super::super::figure::{Arranged, Named, Positions};
use super::super::format::{self, Around};
use super::super::frame::{self, Axes, Domain, Plane, Side};
use super::super::legend::{Entry, Swatch};
use super::super::look::Rect;
use super::super::palette::Palette;
use super::super::scale::Scale;
use super::super::sheet::Sheet;
use super::super::svg::{Anchor, Fill, Path, Stroke, Style};
use super::super::text;
use super::lines::{self, Line};
use super::places::{self, Places};
use super::stack;

type Values = Named<Vec<Option<f64>>>;

/// What is asked for.
pub(in super::super) struct Bars<'a> {
    pub at: &'a Positions,
    pub bars: &'a [Values],
    pub lines: &'a [Values],
    pub arranged: Arranged,
    pub lie: bool,
}

/// A bar that is placed.
struct Placed {
    series: usize,
    position: usize,
    area: Rect,
    value: f64,
}

const LABEL: f64 = 11.0;

impl Bars<'_> {
    pub fn draw(&self, sheet: &mut Sheet<'_>) {
        let figure = sheet.figure;
        let log = figure.y.log && self.arranged == Arranged::Apart;
        let clean = |series: &[Values], log: bool| -> Vec<_> {
            series.iter().map(|one| places::usable(&one.of, log)).collect()
        };
        let second_log = figure.y2.as_ref().map_or(log, |axis| axis.log);
        let (bars, lines) = (clean(self.bars, log), clean(self.lines, second_log));
        let both = bars.iter().chain(&lines);
        let (infinite, not_positive) = both.fold((0, 0), |(a, b), one| (a + one.1, b + one.2));
        sheet.missing(infinite, not_positive);
        let bars: Vec<_> = bars.into_iter().map(|one| one.0).collect();
        let lines: Vec<_> = lines.into_iter().map(|one| one.0).collect();
        let any = bars.iter().chain(&lines).flatten().any(Option::is_some);
        let places = Places::new(self.at, figure.x.unit);
        if !any || places.len() == 0 {
            return sheet.nothing("No data to show");
        }
        let shown: Vec<bool> = (0..bars.len()).map(|s| !sheet.hides(s)).collect();
        let spans = stack::spans(&bars, &shown, self.arranged);
        let sides = self.sides(sheet, &places, &spans, &lines, log);
        let entries = self.entries();
        let room = sheet.surround(if entries.len() > 1 { &entries } else { &[] });
        let (across, up) = if self.lie { (&sides.1, &sides.0) } else { (&sides.0, &sides.1) };
        let axes = Axes { across, up, second: sides.2.as_ref(), right: 0.0 };
        let plane = frame::lay(sheet, room, &axes);
        let placed = self.place(&plane, &places, &spans, &bars, &shown);
        self.paint(sheet, &plane, &placed, &places);
        let scale = plane.second.unwrap_or(plane.up);
        let unit = figure.y2.as_ref().map_or(figure.y.unit, |axis| axis.unit);
        for (i, values) in lines.iter().enumerate() {
            let series = self.bars.len() + i;
            if !sheet.hides(series) && !self.lie {
                let line = Line { series, name: &self.lines[i].name, values, unit, dots: true };
                lines::one(sheet, &plane, scale, &places, &line);
            }
        }
        self.say(sheet, &places);
    }

    fn entries(&self) -> Vec<Entry> {
        let entry = |swatch: Swatch, from: usize| {
            move |(i, one): (usize, &Values)| Entry {
                series: from + i,
                name: one.name.clone(),
                swatch,
            }
        };
        let bars = self.bars.iter().enumerate().map(entry(Swatch::Block, 0));
        let lines = self.lines.iter().enumerate().map(entry(Swatch::Line, self.bars.len()));
        bars.chain(lines).collect()
    }

    /// The axes: of positions, of values, of the lines.
    fn sides(
        &self,
        sheet: &Sheet<'_>,
        places: &Places<'_>,
        spans: &[Vec<Option<(f64, f64)>>],
        lines: &[Vec<Option<f64>>],
        log: bool,
    ) -> (Side, Side, Option<Side>) {
        let figure = sheet.figure;
        let ends = spans
            .iter()
            .flatten()
            .flatten()
            .flat_map(|(from, to)| if log { [*to, *to] } else { [*from, *to] });
        let visible = lines.iter().enumerate().filter(|(i, _)| !sheet.hides(self.bars.len() + i));
        let over = visible.flat_map(|(_, values)| values.iter().flatten().copied());
        let whole =
            |mut values: Box<dyn Iterator<Item = f64> + '_>| values.all(|v| v.fract() == 0.0);
        let (range, over) = (places::range(ends.clone()), places::range(over));
        let one_axis = figure.y2.is_none();
        let range = match (range, over) {
            (Some((a, b)), Some((c, d))) if one_axis => Some((a.min(c), b.max(d))),
            (None, over) if one_axis => over,
            (range, _) => range,
        };
        let integers = whole(Box::new(ends));
        let domain = match self.arranged {
            Arranged::Shares => {
                let (lo, hi) = range.unwrap_or((0.0, 1.0));
                Domain::Numbers {
                    lo: lo.min(0.0),
                    hi: hi.clamp(0.0, 1.0).max(if lo < 0.0 { 0.0 } else { 1.0 }),
                    whole: false,
                    share: true,
                }
            }
            _ => places::values(range, log, true, integers && one_axis),
        };
        let side = |axis: &super::super::figure::Axis, domain, grid| Side {
            title: axis.title.clone(),
            unit: axis.unit,
            domain,
            nice: true,
            grid,
        };
        let mut across = side(&figure.x, places.domain(true, false), false);
        across.nice = false;
        let second = figure.y2.as_ref().filter(|_| !self.lie && !self.lines.is_empty());
        let second =
            second.map(|axis| side(axis, places::values(over, axis.log, false, false), false));
        (across, side(&figure.y, domain, true), second)
    }

    fn place(
        &self,
        plane: &Plane,
        places: &Places<'_>,
        spans: &[Vec<Option<(f64, f64)>>],
        values: &[Vec<Option<f64>>],
        shown: &[bool],
    ) -> Vec<Placed> {
        let (along, upright) =
            if self.lie { (plane.up, plane.across) } else { (plane.across, plane.up) };
        let visible: Vec<usize> = (0..spans.len()).filter(|s| shown[*s]).collect();
        let lanes = if self.arranged == Arranged::Apart { visible.len().max(1) } else { 1 };
        let mut placed: Vec<Placed> = Vec::new();
        for i in 0..places.len() {
            let (from, to) = edges(along, places.middle(i), places.each, lanes);
            let lane = (to - from) / lanes as f64;
            for (k, s) in visible.iter().enumerate() {
                let Some((low, high)) = spans[*s].get(i).copied().flatten() else { continue };
                let first = if lanes > 1 { from + lane * k as f64 } else { from };
                // A hair between bars that stand side by side.
                let wide = lane - if lanes > 1 && lane.abs() > 4.0 { lane.signum() } else { 0.0 };
                let base = if upright.kind == super::super::look::SpanKind::Log {
                    upright.lo
                } else {
                    low
                };
                let (a, b) = (upright.at(base), upright.at(high));
                let area = if self.lie {
                    Rect::between(a, first, b, first + wide)
                } else {
                    Rect::between(first, a, first + wide, b)
                };
                let Some(area) = area.within(&plane.frame) else { continue };
                let value = values[*s].get(i).copied().flatten().unwrap_or_default();
                placed.push(Placed { series: *s, position: i, area, value });
            }
        }
        placed
    }

    fn paint(&self, sheet: &mut Sheet<'_>, plane: &Plane, placed: &[Placed], places: &Places<'_>) {
        let unit = sheet.figure.y.unit;
        let around = Around::alone(unit);
        for series in 0..self.bars.len() {
            let mut path = Path::default();
            let mut last: Option<Rect> = None;
            for bar in placed.iter().filter(|bar| bar.series == series) {
                // Of bars thinner than a pixel the longest of each pixel is drawn.
                let thin = if self.lie { bar.area.height } else { bar.area.width } < 0.7;
                match last {
                    Some(area) if thin && same_pixel(&area, &bar.area, self.lie) => {
                        let longer = bar.area.width * bar.area.height > area.width * area.height;
                        last = Some(if longer { bar.area } else { area });
                    }
                    _ => {
                        if let Some(area) = last.replace(bar.area) {
                            path.block(seen(area, self.lie));
                        }
                    }
                }
            }
            if let Some(area) = last {
                path.block(seen(area, self.lie));
            }
            let colour = sheet.colours.series(series);
            let stacked = self.arranged != Arranged::Apart && placed.len() < 2000;
            let edge = stacked.then(|| Stroke::new(sheet.colours.page, 0.75));
            sheet.svg.filled(path.as_str(), Fill { colour, opacity: 1.0 }, edge);
        }
        baseline(sheet, plane, self.lie);
        self.value_labels(sheet, plane, placed);
        for bar in placed {
            let mut lines = vec![places.name(bar.position)];
            let name = text::label(&self.bars[bar.series].name);
            lines.push(format!("{name}: {}", format::exact(bar.value, &around)));
            if self.arranged == Arranged::Shares {
                let of_all = placed.iter().filter(|one| one.position == bar.position);
                let whole: f64 = of_all.map(|one| one.value.abs()).sum();
                if placed.len() <= 2000 && whole > 0.0 {
                    lines.push(format!("{:.1}%", bar.value / whole * 100.0));
                }
            }
            sheet.mark(bar.area, Some(bar.series), lines);
        }
    }

    /// Numbers on the bars, if there are few and all fit.
    fn value_labels(&self, sheet: &mut Sheet<'_>, plane: &Plane, placed: &[Placed]) {
        if placed.is_empty() || placed.len() > 40 || !self.lines.is_empty() || plane.cut {
            return;
        }
        let unit = sheet.figure.y.unit;
        let shares = self.arranged == Arranged::Shares;
        let mut values: Vec<f64> = placed.iter().map(|bar| bar.value).collect();
        if shares {
            for (value, bar) in values.iter_mut().zip(placed) {
                let of_all = placed.iter().filter(|one| one.position == bar.position);
                *value /= of_all.map(|one| one.value.abs()).sum::<f64>();
            }
        }
        let around = if shares { Around::share() } else { Around::tick(unit) };
        let texts = format::beside(&values, &around);
        if self.arranged == Arranged::Apart {
            self.labels_at_ends(sheet, plane, placed, &texts);
        } else {
            for (bar, words) in placed.iter().zip(&texts) {
                let wide = text::width(words, LABEL, false);
                if bar.area.width < wide + 6.0 || bar.area.height < LABEL + 4.0 {
                    continue;
                }
                let ink = Palette::ink_on(sheet.colours.series(bar.series));
                let style = Style::new(LABEL, ink).at(Anchor::Middle);
                let middle = bar.area.y + bar.area.height / 2.0;
                sheet.svg.text(bar.area.x + bar.area.width / 2.0, middle + 4.0, words, style);
            }
        }
    }

    fn labels_at_ends(
        &self,
        sheet: &mut Sheet<'_>,
        plane: &Plane,
        placed: &[Placed],
        texts: &[String],
    ) {
        let frame = plane.frame;
        let wide = |words: &str| text::width(words, LABEL, false);
        // Where a label goes: its anchor's place, and the rectangle that it takes.
        let place = |bar: &Placed, words: &str| {
            let (area, w) = (bar.area, wide(words));
            if self.lie {
                let right = bar.value >= 0.0;
                let x = if right { area.right() + 5.0 } else { area.x - 5.0 - w };
                (
                    x,
                    area.y + area.height / 2.0 + 4.0,
                    Rect { x, y: area.y, width: w, height: area.height },
                )
            } else {
                let y = if bar.value >= 0.0 { area.y - 5.0 } else { area.bottom() + LABEL + 2.0 };
                let x = area.x + area.width / 2.0 - w / 2.0;
                (x, y, Rect { x, y: y - LABEL, width: w, height: LABEL })
            }
        };
        let fits = |(bar, words): (&Placed, &String)| {
            let (x, y, area) = place(bar, words);
            if self.lie {
                bar.area.height >= LABEL + 1.0 && x >= frame.x && area.right() <= sheet.width - 4.0
            } else {
                area.width + 2.0 <= bar.area.width.max(1.0) * 1.25
                    && area.width <= bar.area.width + 8.0
                    && area.y >= frame.y - 12.0
                    && y <= frame.bottom() - 2.0
            }
        };
        if !placed.iter().zip(texts).all(fits) {
            return;
        }
        let style = Style::new(LABEL, sheet.colours.text);
        for (bar, words) in placed.iter().zip(texts) {
            let (x, y, _) = place(bar, words);
            sheet.svg.text(x, y, words, style);
        }
    }

    fn say(&self, sheet: &mut Sheet<'_>, places: &Places<'_>) {
        let kind = match (self.lie, self.lines.is_empty()) {
            (true, _) => "Horizontal bar chart",
            (false, true) => "Bar chart",
            (false, false) => "Bar and line chart",
        };
        let names: Vec<&str> =
            self.bars.iter().chain(self.lines).map(|one| one.name.as_str()).collect();
        lines::say(sheet, kind, places.len(), &names);
    }
}

/// The edges of a position's bars.
fn edges(along: Scale, middle: f64, each: f64, lanes: usize) -> (f64, f64) {
    let (a, b) = (along.at(middle - each / 2.0), along.at(middle + each / 2.0));
    let room = b - a;
    let filled = if lanes > 1 { 0.82 } else { 0.72 };
    // A bar by itself is no wall.
    let width = (room * filled).abs().min(96.0 * lanes as f64).max(0.5) * room.signum();
    let middle = f64::midpoint(a, b);
    (middle - width / 2.0, middle + width / 2.0)
}

fn same_pixel(one: &Rect, other: &Rect, lie: bool) -> bool {
    if lie { one.y.floor() == other.y.floor() } else { one.x.floor() == other.x.floor() }
}

/// No bar is thinner than can be seen.
fn seen(area: Rect, lie: bool) -> Rect {
    if lie {
        Rect { height: area.height.max(0.7), ..area }
    } else {
        Rect { width: area.width.max(0.7), ..area }
    }
}

/// The line from which bars grow, over them.
pub(super) fn baseline(sheet: &mut Sheet<'_>, plane: &Plane, lie: bool) {
    let scale = if lie { plane.across } else { plane.up };
    if scale.kind == super::super::look::SpanKind::Log || !scale.shows(0.0) {
        return;
    }
    let (frame, stroke) = (plane.frame, Stroke::new(sheet.colours.axis, 1.0));
    let place = scale.at(0.0).floor() + 0.5;
    if lie {
        sheet.svg.line((place, frame.y), (place, frame.bottom()), stroke);
    } else {
        sheet.svg.line((frame.x, place), (frame.right(), place), stroke);
    }
}
