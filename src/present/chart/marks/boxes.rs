//! Boxes and whiskers.

use super::super::figure::{Named, Quartiles};
use super::super::format::{self, Around};
use super::super::frame::{self, Axes, Domain, Plane, Side};
use super::super::legend::{Entry, Swatch};
use super::super::look::Rect;
use super::super::sheet::Sheet;
use super::super::svg::{Fill, Stroke};
use super::super::text;
use super::places;

type Boxes = Named<Vec<Option<Quartiles>>>;

pub(in super::super) fn draw(sheet: &mut Sheet<'_>, at: &[String], series: &[Boxes]) {
    let figure = sheet.figure;
    let log = figure.y.log;
    let fine = |q: &&Quartiles| {
        let all = [q.low, q.first, q.median, q.third, q.high];
        all.iter().all(|v| v.is_finite() && (!log || *v > 0.0))
    };
    let of = |s: usize, i: usize| series[s].of.get(i).and_then(Option::as_ref);
    let every: Vec<(usize, usize)> =
        (0..series.len()).flat_map(|s| (0..at.len()).map(move |i| (s, i))).collect();
    let skipped = every.iter().filter(|(s, i)| of(*s, *i).is_some_and(|q| !fine(&q))).count();
    if log {
        sheet.missing(0, skipped);
    } else {
        sheet.missing(skipped, 0);
    }
    let known: Vec<(usize, usize, &Quartiles)> =
        every.into_iter().filter_map(|(s, i)| Some((s, i, of(s, i).filter(fine)?))).collect();
    if known.is_empty() {
        return sheet.nothing("No data to show");
    }
    let more: u64 =
        known.iter().map(|(_, _, q)| q.outside_count.saturating_sub(q.outside.len() as u64)).sum();
    if more > 0 {
        sheet.note(format!("{} more values lie beyond the whiskers", format::count(more)));
    }
    let outside = |v: &&f64| v.is_finite() && (!log || **v > 0.0);
    let visible = known.iter().filter(|(s, ..)| !sheet.hides(*s));
    let ends = visible.flat_map(|(_, _, q)| {
        [q.low, q.high].into_iter().chain(q.outside.iter().filter(outside).copied())
    });
    let range = places::range(ends);
    let near = range.is_some_and(|(lo, hi)| lo >= 0.0 && lo <= (hi - lo) / 3.0);
    let up = Side {
        title: figure.y.title.clone(),
        unit: figure.y.unit,
        domain: places::values(range, log, near, false),
        nice: true,
        grid: true,
    };
    let across = Side {
        title: figure.x.title.clone(),
        unit: figure.x.unit,
        domain: Domain::Categories(at.to_vec()),
        nice: false,
        grid: false,
    };
    let entry = |(i, one): (usize, &Boxes)| Entry {
        series: i,
        name: one.name.clone(),
        swatch: Swatch::Block,
    };
    let entries: Vec<Entry> = series.iter().enumerate().map(entry).collect();
    let room = sheet.surround(if series.len() > 1 { &entries } else { &[] });
    let plane =
        frame::lay(sheet, room, &Axes { across: &across, up: &up, second: None, right: 0.0 });
    let lanes: Vec<usize> = (0..series.len()).filter(|s| !sheet.hides(*s)).collect();
    if plane.cut {
        sheet.svg.open_clip(plane.frame);
    }
    for (s, i, quartiles) in known {
        let Some(lane) = lanes.iter().position(|lane| *lane == s) else { continue };
        let several = series.len() > 1;
        let place = Place { series: s, position: i, lane, lanes: lanes.len(), several };
        one(sheet, &plane, &place, quartiles, (&at[i], &series[s].name));
    }
    if plane.cut {
        sheet.svg.close_clip();
    }
    let names: Vec<&str> = series.iter().map(|one| one.name.as_str()).collect();
    super::lines::say(sheet, "Box plot", at.len(), &names);
}

struct Place {
    series: usize,
    position: usize,
    lane: usize,
    lanes: usize,
    several: bool,
}

fn one(sheet: &mut Sheet<'_>, plane: &Plane, place: &Place, q: &Quartiles, names: (&str, &str)) {
    let each =
        plane.across.at(place.position as f64 + 1.0) - plane.across.at(place.position as f64);
    let room = each * 0.78 / place.lanes as f64;
    let wide = (room * 0.72).clamp(1.0, 64.0);
    let middle = plane.across.at(place.position as f64 + 0.5)
        + (place.lane as f64 + 0.5 - place.lanes as f64 / 2.0) * room.min(80.0);
    if middle < plane.frame.x || middle > plane.frame.right() {
        return;
    }
    let (left, right) = (middle - wide / 2.0, middle + wide / 2.0);
    let colour = sheet.colours.series(place.series);
    let y = |value: f64| plane.up.at(value);
    let thin = Stroke::new(colour, 1.25);
    let (cap_left, cap_right) = (middle - wide / 4.0, middle + wide / 4.0);
    for (from, to) in [(q.third, q.high), (q.first, q.low)] {
        sheet.svg.line((middle, y(from)), (middle, y(to)), thin);
        sheet.svg.line((cap_left, y(to)), (cap_right, y(to)), thin);
    }
    let area = Rect::between(left, y(q.third), right, y(q.first));
    sheet.svg.rect(area, Fill { colour: sheet.colours.page, opacity: 1.0 });
    sheet.svg.rect(area, Fill { colour, opacity: 0.3 });
    let mut path = super::super::svg::Path::default();
    path.block(area);
    sheet.svg.stroked(path.as_str(), thin);
    sheet.svg.line((left, y(q.median)), (right, y(q.median)), Stroke::new(colour, 2.75));
    for value in q.outside.iter().filter(|v| v.is_finite() && plane.up.shows(**v)).take(100) {
        sheet.svg.circle(middle, y(*value), 2.25, Fill { colour, opacity: 0.55 });
    }
    let around = Around::alone(sheet.figure.y.unit);
    let write = |what: &str, value: f64| format!("{what}: {}", format::exact(value, &around));
    let mut lines = vec![text::label(names.0)];
    if place.several {
        lines.push(text::label(names.1));
    }
    lines.push(write("Upper whisker", q.high));
    lines.push(write("Third quartile", q.third));
    lines.push(write("Median", q.median));
    lines.push(write("First quartile", q.first));
    lines.push(write("Lower whisker", q.low));
    lines.push(format!(
        "{} values, {} beyond",
        format::count(q.count),
        format::count(q.outside_count)
    ));
    let (high, low) = (y(q.high), y(q.low));
    sheet.mark(Rect::between(left, high, right, low), Some(place.series), lines);
}
