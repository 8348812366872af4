//! How many values lie in which range.

use super::super::figure::{Across, Named};
use super::super::format::{self, Around};
use super::super::frame::{self, Axes, Domain, Plane, Side};
use super::super::legend::{Entry, Swatch};
use super::super::look::Rect;
use super::super::sheet::Sheet;
use super::super::svg::{Fill, Path, Stroke};
use super::super::text;
use super::super::time::{Grain, moment};
use super::bars::baseline;
use super::places;

type Counts = Named<Vec<u64>>;

pub(in super::super) fn draw(
    sheet: &mut Sheet<'_>,
    across: Across,
    edges: &[f64],
    series: &[Counts],
) {
    let figure = sheet.figure;
    let fine = edges.iter().all(|edge| edge.is_finite());
    let bins = edges.len().saturating_sub(1);
    if bins == 0 || !fine || series.iter().all(|one| one.of.iter().all(|n| *n == 0)) {
        return sheet.nothing("No data to show");
    }
    let grain = Grain::of(edges.iter().map(|edge| moment(*edge)));
    let (lo, hi) = (edges[0], edges[bins]);
    let log = figure.x.log && lo > 0.0;
    let domain = match across {
        Across::Times => Domain::Times { lo, hi, grain },
        Across::Numbers if log => Domain::Log { lo, hi },
        Across::Numbers => Domain::Numbers { lo, hi, whole: false, share: false },
    };
    let x_side = Side {
        title: figure.x.title.clone(),
        unit: figure.x.unit,
        domain,
        nice: false,
        grid: false,
    };
    let visible: Vec<usize> = (0..series.len()).filter(|s| !sheet.hides(*s)).collect();
    let most = visible.iter().flat_map(|s| series[*s].of.iter()).copied().max().unwrap_or(1);
    let y_domain = places::values(Some((0.0, most as f64)), false, true, true);
    let y_side = Side {
        title: figure.y.title.clone(),
        unit: figure.y.unit,
        domain: y_domain,
        nice: true,
        grid: true,
    };
    let entry = |(i, one): (usize, &Counts)| Entry {
        series: i,
        name: one.name.clone(),
        swatch: Swatch::Block,
    };
    let entries: Vec<Entry> = series.iter().enumerate().map(entry).collect();
    let room = sheet.surround(if series.len() > 1 { &entries } else { &[] });
    let axes = Axes { across: &x_side, up: &y_side, second: None, right: 8.0 };
    let plane = frame::lay(sheet, room, &axes);
    let name = |at: f64| match across {
        Across::Times => grain.write(moment(at)),
        Across::Numbers => format::exact(at, &Around::alone(figure.x.unit)),
    };
    for s in &visible {
        steps(sheet, &plane, edges, *s, &series[*s].of, visible.len() > 1);
    }
    for s in visible {
        for (i, count) in series[s].of.iter().enumerate().take(bins) {
            let mut lines = vec![format!("{} to {}", name(edges[i]), name(edges[i + 1]))];
            let who = if series.len() > 1 { text::label(&series[s].name) } else { "Values".into() };
            lines.push(format!("{who}: {}", format::count(*count)));
            sheet.mark(bin(&plane, edges, i, *count), Some(s), lines);
        }
    }
    baseline(sheet, &plane, false);
    let names: Vec<&str> = series.iter().map(|one| one.name.as_str()).collect();
    super::lines::say(sheet, "Histogram", bins, &names);
}

fn bin(plane: &Plane, edges: &[f64], i: usize, count: u64) -> Rect {
    let (left, right) = (plane.across.at(edges[i]), plane.across.at(edges[i + 1]));
    Rect::between(left, plane.up.at(0.0), right, plane.up.at(count as f64))
}

/// The bins of one series: solid, or, where several lie over each other, so that all are seen.
fn steps(
    sheet: &mut Sheet<'_>,
    plane: &Plane,
    edges: &[f64],
    series: usize,
    counts: &[u64],
    several: bool,
) {
    let (mut blocks, mut outline) = (Path::default(), Path::default());
    let frame = plane.frame;
    for (i, count) in counts.iter().enumerate().take(edges.len() - 1) {
        let whole = bin(plane, edges, i, *count);
        let Some(mut area) = whole.within(&frame) else { continue };
        let letter = if outline.is_empty() { 'M' } else { 'L' };
        outline.go(letter, area.x, area.y);
        outline.go('L', area.right(), area.y);
        if area.width > 3.0 && !several {
            area = Rect { x: area.x + 0.5, width: area.width - 1.0, ..area };
        }
        if *count > 0 {
            blocks.block(area);
        }
    }
    let colour = sheet.colours.series(series);
    let opacity = if several { 0.28 } else { 1.0 };
    sheet.svg.filled(blocks.as_str(), Fill { colour, opacity }, None);
    if several {
        sheet.svg.stroked(outline.as_str(), Stroke::new(colour, 1.5));
    }
}
