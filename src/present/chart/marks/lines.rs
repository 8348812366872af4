//! Lines and areas.
//!
//! A line of more points than the frame has pixels is drawn by the first, the least, the
//! greatest and the last of each column of pixels: what is seen is the same, spikes included.

use super::super::figure::{Arranged, Named, Positions};
use super::super::format::{self, Around};
use super::super::frame::{self, Axes, Domain, Plane, Side};
use super::super::legend::{Entry, Swatch};
use super::super::look::Rect;
use super::super::scale::Scale;
use super::super::sheet::Sheet;
use super::super::svg::{Fill, Path, Stroke};
use super::super::text;
use super::bars::baseline;
use super::direct;
use super::places::{self, Places};
use super::stack;
use crate::units::Unit;

type Values = Named<Vec<Option<f64>>>;

/// A line.
pub(super) struct Line<'a> {
    pub series: usize,
    pub name: &'a str,
    pub values: &'a [Option<f64>],
    pub unit: Option<Unit>,
    /// Whether its points are marked, if they are few.
    pub dots: bool,
}

pub(in super::super) fn draw(
    sheet: &mut Sheet<'_>,
    at: &Positions,
    series: &[Values],
    area: Option<Arranged>,
) {
    let figure = sheet.figure;
    let stacked = area.filter(|arranged| *arranged != Arranged::Apart);
    let log = figure.y.log && stacked.is_none();
    let places = Places::new(at, figure.x.unit);
    let mut clean = Vec::new();
    let (mut infinite, mut not_positive) = (0, 0);
    for one in series {
        let (mut values, a, b) = places::usable(&one.of, log);
        values.resize(places.len(), None);
        (infinite, not_positive) = (infinite + a, not_positive + b);
        clean.push(values);
    }
    sheet.missing(infinite, not_positive);
    if !clean.iter().flatten().any(Option::is_some) {
        return sheet.nothing("No data to show");
    }
    let shown: Vec<bool> = (0..series.len()).map(|s| !sheet.hides(s)).collect();
    let spans = stacked.map(|arranged| stack::spans(&clean, &shown, arranged));
    let sides = sides(sheet, &places, (&clean, &shown, spans.as_deref()), area, log);
    let ends = direct::ends(sheet, &places, &clean, series, area.is_none());
    let swatch = if area.is_some() { Swatch::Block } else { Swatch::Line };
    let entry = |(i, one): (usize, &Values)| Entry { series: i, name: one.name.clone(), swatch };
    let entries: Vec<Entry> = series.iter().enumerate().map(entry).collect();
    let legend = series.len() > 1 && ends.is_none();
    let room = sheet.surround(if legend { &entries } else { &[] });
    let right = ends.as_ref().map_or(8.0, direct::Ends::width);
    let axes = Axes { across: &sides.0, up: &sides.1, second: None, right };
    let plane = frame::lay(sheet, room, &axes);
    if plane.cut {
        sheet.svg.open_clip(plane.frame);
    }
    match (&spans, area) {
        (Some(spans), _) => stack_areas(sheet, &plane, &places, spans),
        (None, Some(_)) => fill_areas(sheet, &plane, &places, &clean),
        _ => {}
    }
    for (i, values) in clean.iter().enumerate().filter(|(i, _)| shown[*i]) {
        let line = Line {
            series: i,
            name: &series[i].name,
            values,
            unit: figure.y.unit,
            dots: area.is_none(),
        };
        match &spans {
            None => one(sheet, &plane, plane.up, &places, &line),
            Some(spans) => points_of(sheet, &plane, &places, &line, &spans[i]),
        }
    }
    if plane.cut {
        sheet.svg.close_clip();
    }
    baseline(sheet, &plane, false);
    if let Some(ends) = ends {
        ends.draw(sheet, &plane);
    }
    let kind = if area.is_some() { "Area chart" } else { "Line chart" };
    let names: Vec<&str> = series.iter().map(|one| one.name.as_str()).collect();
    say(sheet, kind, places.len(), &names);
}

type Cleaned<'a> = (&'a [Vec<Option<f64>>], &'a [bool], Option<&'a [Vec<Option<(f64, f64)>>]>);

fn sides(
    sheet: &Sheet<'_>,
    places: &Places<'_>,
    (clean, shown, spans): Cleaned<'_>,
    area: Option<Arranged>,
    log: bool,
) -> (Side, Side) {
    let figure = sheet.figure;
    let visible = clean.iter().zip(shown).filter(|(_, shown)| **shown);
    let values = visible.flat_map(|(values, _)| values.iter().flatten().copied());
    let whole = values.clone().all(|v| v.fract() == 0.0);
    let range = match spans {
        Some(spans) => {
            places::range(spans.iter().flatten().flatten().flat_map(|(from, to)| [*from, *to]))
        }
        None => places::range(values),
    };
    let domain = match (area, range) {
        (Some(Arranged::Shares), range) => Domain::Numbers {
            lo: range.map_or(0.0, |range| range.0.min(0.0)),
            hi: 1.0,
            whole: false,
            share: true,
        },
        (area, Some((lo, hi))) if area.is_none() && !log => {
            // Zero is near enough to be shown if a quarter of the axis is all that it takes.
            let near = lo > 0.0 && lo <= (hi - lo) / 3.0 || hi < 0.0 && -hi <= (hi - lo) / 3.0;
            places::values(Some((lo, hi)), false, near, whole)
        }
        (area, range) => places::values(range, log, area.is_some(), whole),
    };
    let up =
        Side { title: figure.y.title.clone(), unit: figure.y.unit, domain, nice: true, grid: true };
    let across = Side {
        title: figure.x.title.clone(),
        unit: figure.x.unit,
        domain: places.domain(false, figure.x.log),
        nice: false,
        grid: false,
    };
    (across, up)
}

/// Runs of values without a gap, as places in pixels.
fn runs(
    places: &Places<'_>,
    across: Scale,
    up: Scale,
    values: &[Option<f64>],
) -> Vec<Vec<(f64, f64)>> {
    let mut runs: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
    for (i, value) in values.iter().enumerate() {
        let x = places.middle(i);
        match value.filter(|_| x.is_finite()) {
            Some(value) => {
                if let Some(run) = runs.last_mut() {
                    run.push((across.at(x), up.at(value)));
                }
            }
            None => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// At most four points for each column of pixels.
fn reduced(run: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    if run.len() <= most {
        return run.to_vec();
    }
    let mut kept = Vec::new();
    let mut start = 0;
    while start < run.len() {
        let column = run[start].0.floor();
        let end = start + run[start..].iter().take_while(|p| p.0.floor() == column).count().max(1);
        let part = &run[start..end];
        let by_height = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let index =
            |p: Option<&(f64, f64)>| p.and_then(|p| part.iter().position(|q| q == p)).unwrap_or(0);
        let (least, greatest) =
            (index(part.iter().min_by(by_height)), index(part.iter().max_by(by_height)));
        let mut of = [0, least.min(greatest), least.max(greatest), part.len() - 1].to_vec();
        of.dedup();
        kept.extend(of.into_iter().map(|i| part[i]));
        start = end;
    }
    kept
}

fn path_along(path: &mut Path, run: &[(f64, f64)]) {
    for (i, (x, y)) in run.iter().enumerate() {
        path.go(if i == 0 { 'M' } else { 'L' }, *x, *y);
    }
}

/// A line with its points.
pub(super) fn one(
    sheet: &mut Sheet<'_>,
    plane: &Plane,
    scale: Scale,
    places: &Places<'_>,
    line: &Line<'_>,
) {
    let runs = runs(places, plane.across, scale, line.values);
    let colours = sheet.colours;
    let colour = colours.series(line.series);
    let most = plane.frame.width as usize * 2;
    let total: usize = runs.iter().map(Vec::len).sum();
    let mut path = Path::default();
    for run in runs.iter().filter(|run| run.len() > 1) {
        path_along(&mut path, &reduced(run, most));
    }
    let width = if total > most { 1.25 } else { 2.0 };
    sheet.svg.stroked(path.as_str(), Stroke { colour, width, dash: colours.dash(line.series) });
    let few = line.dots && (total as f64) * 18.0 <= plane.frame.width;
    // A point without neighbours has no line: it is marked in any case.
    let radius = if few { 3.5 } else { 2.5 };
    let lone = runs.iter().filter(|run| few || run.len() == 1).flatten();
    for (x, y) in lone.take(2000) {
        sheet.svg.circle(*x, *y, radius, Fill { colour, opacity: 1.0 });
    }
    points(sheet, plane, places, line, |_, value| scale.at(value));
}

/// Remembers points for tooltips; every so many of them, if there are too many for all.
fn points(
    sheet: &mut Sheet<'_>,
    plane: &Plane,
    places: &Places<'_>,
    line: &Line<'_>,
    y: impl Fn(usize, f64) -> f64,
) {
    let around = Around::alone(line.unit);
    let name = text::label(line.name);
    let series = sheet_series(sheet);
    let every = (line.values.len() * series / super::super::MOST_MARKS + 1).max(1);
    for (i, value) in line.values.iter().enumerate().step_by(every) {
        let Some(value) = value else { continue };
        let x = plane.across.at(places.middle(i));
        let words = vec![places.name(i), format!("{name}: {}", format::exact(*value, &around))];
        sheet.mark(Rect::point(x, y(i, *value)), Some(line.series), words);
    }
}

/// How many series share the marks.
fn sheet_series(sheet: &Sheet<'_>) -> usize {
    match &sheet.figure.plot {
        super::super::figure::Plot::Lines { series, .. } => series.len().max(1),
        super::super::figure::Plot::Bars { bars, lines, .. } => (bars.len() + lines.len()).max(1),
        _ => 1,
    }
}

fn points_of(
    sheet: &mut Sheet<'_>,
    plane: &Plane,
    places: &Places<'_>,
    line: &Line<'_>,
    spans: &[Option<(f64, f64)>],
) {
    let top = |i: usize, value: f64| {
        plane.up.at(spans.get(i).copied().flatten().map_or(value, |span| span.1))
    };
    points(sheet, plane, places, line, top);
}

/// Areas before each other, down to zero or to the end of a logarithmic axis.
fn fill_areas(
    sheet: &mut Sheet<'_>,
    plane: &Plane,
    places: &Places<'_>,
    clean: &[Vec<Option<f64>>],
) {
    let frame = plane.frame;
    let zero = if plane.up.kind == super::super::look::SpanKind::Log { plane.up.lo } else { 0.0 };
    let ground = plane.up.at(zero).clamp(frame.y, frame.bottom());
    for (series, values) in clean.iter().enumerate() {
        if sheet.hides(series) {
            continue;
        }
        let mut path = Path::default();
        for run in runs(places, plane.across, plane.up, values) {
            let run = reduced(&run, frame.width as usize * 2);
            path_along(&mut path, &run);
            path.go('L', run[run.len() - 1].0, ground);
            path.go('L', run[0].0, ground);
            path.close();
        }
        let opacity = if clean.len() > 1 { 0.18 } else { 0.25 };
        let fill = Fill { colour: sheet.colours.series(series), opacity };
        sheet.svg.filled(path.as_str(), fill, None);
    }
}

/// Areas on top of each other. What is missing is nothing there: a gap would move the rest.
fn stack_areas(
    sheet: &mut Sheet<'_>,
    plane: &Plane,
    places: &Places<'_>,
    spans: &[Vec<Option<(f64, f64)>>],
) {
    let most = plane.frame.width as usize * 2;
    let every = (places.len() / most.max(1)).max(1);
    let mut lower = vec![0.0_f64; places.len()];
    for (series, of) in spans.iter().enumerate() {
        if sheet.hides(series) {
            continue;
        }
        let edge = |i: usize| of.get(i).copied().flatten();
        let mut path = Path::default();
        let all: Vec<usize> = (0..places.len()).step_by(every).collect();
        for (k, i) in all.iter().enumerate() {
            let y = plane.up.at(edge(*i).map_or(lower[*i], |span| span.1));
            path.go(if k == 0 { 'M' } else { 'L' }, plane.across.at(places.middle(*i)), y);
        }
        for i in all.iter().rev() {
            let y = plane.up.at(edge(*i).map_or(lower[*i], |span| span.0));
            path.go('L', plane.across.at(places.middle(*i)), y);
        }
        path.close();
        for (i, lower) in lower.iter_mut().enumerate() {
            *lower = edge(i).map_or(*lower, |span| span.1);
        }
        let fill = Fill { colour: sheet.colours.series(series), opacity: 0.9 };
        let stroke = Stroke::new(sheet.colours.page, 1.0);
        sheet.svg.filled(path.as_str(), fill, Some(stroke));
    }
}

/// Says what a chart of positions and series shows.
pub(super) fn say(sheet: &mut Sheet<'_>, kind: &str, positions: usize, names: &[&str]) {
    let figure = sheet.figure;
    let axis = |axis: &super::super::figure::Axis| format::axis_title(&axis.title, axis.unit);
    let (x, y) = (axis(&figure.x), axis(&figure.y));
    let mut said = format!("{kind}, {} positions", format::count(positions as u64));
    if !x.is_empty() {
        said.push_str(&format!(" of {x}"));
    }
    if !y.is_empty() {
        said.push_str(&format!("; values: {y}"));
    }
    let first: Vec<String> = names.iter().take(8).map(|name| text::label(name)).collect();
    said.push_str(&format!("; series: {}", first.join(", ")));
    if names.len() > 8 {
        said.push_str(&format!(" and {} more", names.len() - 8));
    }
    sheet.said.push(said);
}
