//! Points. Where there are more than can be told apart, squares shaded by how many fall
//! into each.

use std::collections::BTreeMap;

use super::super::figure::{Across, Named};
use super::super::format::{self, Around};
use super::super::frame::{self, Axes, Domain, Plane, Side};
use super::super::legend::{Entry, Swatch};
use super::super::look::Rect;
use super::super::sheet::Sheet;
use super::super::svg::{Fill, Path};
use super::super::text;
use super::super::time::{Grain, moment};
use super::places;

type Pairs = Named<Vec<(f64, f64)>>;

/// Points that are drawn one by one.
const SINGLE: usize = 2500;
/// Shades of squares.
const SHADES: usize = 5;

pub(in super::super) fn draw(sheet: &mut Sheet<'_>, across: Across, series: &[Pairs]) {
    let figure = sheet.figure;
    let (mut infinite, mut not_positive) = (0, 0);
    let mut clean: Vec<Vec<(f64, f64)>> = Vec::new();
    for one in series {
        let mut kept = Vec::new();
        for (x, y) in &one.of {
            if !(x.is_finite() && y.is_finite()) {
                infinite += 1;
            } else if (figure.x.log && *x <= 0.0) || (figure.y.log && *y <= 0.0) {
                not_positive += 1;
            } else {
                kept.push((*x, *y));
            }
        }
        clean.push(kept);
    }
    sheet.missing(infinite, not_positive);
    if clean.iter().all(Vec::is_empty) {
        return sheet.nothing("No data to show");
    }
    let visible: Vec<usize> = (0..clean.len()).filter(|s| !sheet.hides(*s)).collect();
    let total: usize = visible.iter().map(|s| clean[*s].len()).sum();
    if total > SINGLE {
        let points = format::count(total as u64);
        sheet.note(format!("{points} points, shaded by how many fall together"));
    }
    let grain = Grain::of(clean.iter().flatten().map(|(x, _)| moment(*x)));
    let xs = places::range(visible.iter().flat_map(|s| clean[*s].iter().map(|p| p.0)));
    let ys = places::range(visible.iter().flat_map(|s| clean[*s].iter().map(|p| p.1)));
    let x_domain = match across {
        Across::Times => {
            let (lo, hi) = xs.unwrap_or((0.0, 86.4e9));
            Domain::Times { lo, hi, grain }
        }
        Across::Numbers => places::values(xs, figure.x.log, near_zero(xs), false),
    };
    let side = |axis: &super::super::figure::Axis, domain| Side {
        title: axis.title.clone(),
        unit: axis.unit,
        domain,
        nice: true,
        grid: true,
    };
    let x_side = side(&figure.x, x_domain);
    let y_side = side(&figure.y, places::values(ys, figure.y.log, near_zero(ys), false));
    let entry = |(i, one): (usize, &Pairs)| Entry {
        series: i,
        name: one.name.clone(),
        swatch: Swatch::Dot,
    };
    let entries: Vec<Entry> = series.iter().enumerate().map(entry).collect();
    let room = sheet.surround(if series.len() > 1 { &entries } else { &[] });
    let axes = Axes { across: &x_side, up: &y_side, second: None, right: 8.0 };
    let plane = frame::lay(sheet, room, &axes);
    if plane.cut {
        sheet.svg.open_clip(plane.frame);
    }
    for s in visible {
        if total > SINGLE {
            squares(sheet, &plane, s, &clean[s]);
        } else {
            single(sheet, &plane, s, &clean[s], total);
        }
    }
    if plane.cut {
        sheet.svg.close_clip();
    }
    let name = |x: f64| match across {
        Across::Times => grain.write(moment(x)),
        Across::Numbers => format::exact(x, &Around::alone(figure.x.unit)),
    };
    remember(sheet, &plane, series, &clean, name);
    let names: Vec<&str> = series.iter().map(|one| one.name.as_str()).collect();
    super::lines::say(sheet, "Scatter plot", total, &names);
}

/// Whether zero is near enough to be on the axis.
fn near_zero(range: Option<(f64, f64)>) -> bool {
    range.is_some_and(|(lo, hi)| lo >= 0.0 && lo <= (hi - lo) / 4.0)
}

fn single(
    sheet: &mut Sheet<'_>,
    plane: &Plane,
    series: usize,
    points: &[(f64, f64)],
    total: usize,
) {
    let (radius, opacity) = match total {
        0..=120 => (4.5, 0.8),
        121..=600 => (3.5, 0.65),
        _ => (2.5, 0.5),
    };
    let fill = Fill { colour: sheet.colours.series(series), opacity };
    for (x, y) in points {
        if plane.across.shows(*x) && plane.up.shows(*y) {
            sheet.svg.circle(plane.across.at(*x), plane.up.at(*y), radius, fill);
        }
    }
}

/// Squares, in runs of one shade, so that a hundred thousand points stay small.
fn squares(sheet: &mut Sheet<'_>, plane: &Plane, series: usize, points: &[(f64, f64)]) {
    let frame = plane.frame;
    let size = if frame.width * frame.height > 500_000.0 { 5.0 } else { 4.0 };
    let mut counts: BTreeMap<(i64, i64), u64> = BTreeMap::new();
    for (x, y) in points.iter().filter(|(x, y)| plane.across.shows(*x) && plane.up.shows(*y)) {
        let column = ((plane.across.at(*x) - frame.x) / size).floor() as i64;
        let row = ((plane.up.at(*y) - frame.y) / size).floor() as i64;
        *counts.entry((row, column)).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or(1);
    // Shades double in what they stand for: 1, 2 to 3, 4 to 7 …, spread to the most.
    let doublings = f64::from(most.ilog2().max(1));
    let shade = |count: u64| {
        let share = f64::from(count.ilog2()) / doublings;
        ((share * (SHADES - 1) as f64).round() as usize).min(SHADES - 1)
    };
    let mut paths: Vec<Path> = (0..SHADES).map(|_| Path::default()).collect();
    let mut run: Option<(i64, i64, i64, usize)> = None;
    let mut flush = |run: (i64, i64, i64, usize)| {
        let (row, from, to, shade) = run;
        let left = frame.x + from as f64 * size;
        let top = frame.y + row as f64 * size;
        let whole = Rect { x: left, y: top, width: (to - from) as f64 * size, height: size };
        if let Some(area) = whole.within(&frame) {
            paths[shade].block(area);
        }
    };
    for ((row, column), count) in counts {
        let shade = shade(count);
        match &mut run {
            Some((r, _, to, s)) if *r == row && *to == column && *s == shade => *to += 1,
            _ => {
                if let Some(done) = run.replace((row, column, column + 1, shade)) {
                    flush(done);
                }
            }
        }
    }
    if let Some(done) = run {
        flush(done);
    }
    for (shade, path) in paths.iter().enumerate() {
        let opacity = 0.22 + 0.78 * shade as f64 / (SHADES - 1) as f64;
        let fill = Fill { colour: sheet.colours.series(series), opacity };
        sheet.svg.filled(path.as_str(), fill, None);
    }
}

fn remember(
    sheet: &mut Sheet<'_>,
    plane: &Plane,
    series: &[Pairs],
    clean: &[Vec<(f64, f64)>],
    name: impl Fn(f64) -> String,
) {
    let (x_title, y_title) =
        (text::label(&sheet.figure.x.title), text::label(&sheet.figure.y.title));
    let around = Around::alone(sheet.figure.y.unit);
    let total: usize = clean.iter().map(Vec::len).sum();
    let every = total / super::super::MOST_MARKS + 1;
    for (s, points) in clean.iter().enumerate() {
        if sheet.hides(s) {
            continue;
        }
        for (x, y) in points.iter().step_by(every) {
            let mut lines = Vec::new();
            if series.len() > 1 {
                lines.push(text::label(&series[s].name));
            }
            lines.push(format!("{x_title}: {}", name(*x)));
            lines.push(format!("{y_title}: {}", format::exact(*y, &around)));
            sheet.mark(Rect::point(plane.across.at(*x), plane.up.at(*y)), Some(s), lines);
        }
    }
}
