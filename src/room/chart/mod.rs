//! From data to a figure: what a chart shows is computed here, by the room's own engine.
//!
//! ```text
//!   request   what is asked for
//!   setting   its columns, found and checked     column  what a column is to an axis
//!   ask       questions to the engine            keys    which values have a place
//!   bars      bars, lines over them, pies        times   times put together
//!   lines     lines and areas                    points  points and heatmaps
//!   spread    histograms and boxes               keep    the figure as an artifact
//!   title     what it is called if nobody says     told  the engine's words in a chart's
//! ```
//!
//! The design foresaw a charting library in the browser. There is none: one renderer, in Rust
//! (`present/chart`), draws what the browser, a file and a report show. So a chart is the same
//! everywhere, to the byte; nothing is fetched when this is built; the page stays small; and
//! looking closer at ten million points asks the engine again, and shows what is there and not
//! what was left of it when the chart was made.
//!
//! What is drawn has a bound whatever the table has: places are chosen by the engine, lines
//! keep the extremes of a thousand ranges, points one of each spot. Each of these is said in
//! the figure's notes, which are on the chart.

mod ask;
mod bars;
mod column;
mod error;
mod keep;
mod keys;
mod lines;
mod points;
mod request;
mod setting;
mod spread;
mod times;
mod title;
mod told;

use self::setting::Setting;
use super::{Call, Found, Room, RoomError};
use crate::present::chart::figure::{Figure, Plot, Positions};
use crate::store::{Artifact, ArtifactMeta, Kind, Origin};

pub(super) use self::ask::{Asker, ident, text};
pub use self::error::ChartError;
pub use self::request::{Aggregate, ChartKind, ChartRequest, Sort, Window};

/// A chart as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What was asked for.
    pub request: ChartRequest,
    /// What it shows.
    pub figure: Figure,
}

/// A chart that was just made.
#[derive(Debug)]
pub struct Charted {
    /// It, as it is kept.
    pub artifact: Artifact,
    /// What it shows.
    pub figure: Figure,
    /// What to know of its numbers, beside what the figure notes of itself.
    pub warnings: Vec<String>,
}

impl Room {
    /// Computes a chart and keeps it.
    ///
    /// # Errors
    /// There is no such data or column, a column does not fit, or there is nothing to draw.
    pub fn chart(&self, request: &ChartRequest, call: &Call) -> Result<Charted, RoomError> {
        let found = self.find_table(&request.data, call)?;
        let (figure, warnings) = self.figure(&found, request, None, call)?;
        let artifact = self.keep_chart(&found, request, &figure, &warnings)?;
        Ok(Charted { artifact, figure, warnings })
    }

    /// A chart that was kept.
    ///
    /// # Errors
    /// There is none of this name that is this owner's, or it is no chart of this room's.
    pub fn kept_chart(&self, chart: &str, call: &Call) -> Result<Chart, RoomError> {
        let found = self.find(chart, call)?;
        match found.kind() {
            Kind::Chart => {
                keep::read(&found)?.ok_or_else(|| ChartError::NotOurs(chart.to_owned()).into())
            }
            _ => Err(ChartError::NotOurs(chart.to_owned()).into()),
        }
    }

    /// A kept chart's figure, of a part of it computed anew from its data.
    ///
    /// # Errors
    /// As [`kept_chart`](Self::kept_chart), or the data is gone or is another now.
    pub fn closer(
        &self,
        chart: &str,
        window: Option<Window>,
        call: &Call,
    ) -> Result<Figure, RoomError> {
        let kept = self.kept_chart(chart, call)?;
        let Some(window) = window else { return Ok(kept.figure) };
        let mut request = kept.request;
        // It was decided when the chart was made.
        request.may_be_sensitive = true;
        let found = self.find_table(&request.data, call)?;
        Ok(self.figure(&found, &request, Some(window), call)?.0)
    }

    /// Whether a chart comes out again as it was kept, to the byte.
    pub(super) fn same_chart(
        &self,
        meta: &ArtifactMeta,
        found: &Found,
        request: &ChartRequest,
        call: &Call,
    ) -> Result<bool, RoomError> {
        let kept = keep::bytes(&self.find(meta.reference.as_str(), call)?)?;
        let (figure, _) = self.figure(found, request, None, call)?;
        Ok(serde_json::to_vec(&figure).is_ok_and(|again| again == kept))
    }

    /// Whether an artifact is a chart that can be drawn again.
    #[must_use]
    pub fn is_drawn(found: &Found) -> bool {
        matches!(found.meta.as_ref().map(|meta| &meta.origin), Some(Origin::Chart { .. }))
    }

    fn figure(
        &self,
        found: &Found,
        request: &ChartRequest,
        window: Option<Window>,
        call: &Call,
    ) -> Result<(Figure, Vec<String>), RoomError> {
        let _place = self.0.queries.enter(call)?;
        call.enter("computing the chart");
        let mut setting = Setting::new(self, found, request, window, call)?;
        let made = match request.kind {
            ChartKind::Bar | ChartKind::Combo => setting.bars(),
            ChartKind::Line | ChartKind::Area => setting.lines(),
            ChartKind::Scatter => setting.points(),
            ChartKind::Histogram => setting.histogram(),
            ChartKind::Box => setting.boxes(),
            ChartKind::Pie => setting.pie(),
            ChartKind::Heatmap => setting.heatmap(),
        };
        let (x, y, y2, plot) = made?;
        self.unless_changed(found, call)?;
        let mut warnings = found.warned_of(&setting.named);
        warnings.extend(setting.asker.warnings());
        let title = title::of(request);
        let mut figure = Figure { title, notes: setting.notes, x, y, y2, plot };
        if figure.y.log {
            only_positive(&mut figure);
        }
        Ok((figure, warnings))
    }
}

/// Leaves out what a logarithmic axis has no place for, and says so.
fn only_positive(figure: &mut Figure) {
    let mut left_out = 0;
    let mut keep = |value: &mut Option<f64>| {
        if value.is_some_and(|value| value <= 0.0) {
            *value = None;
            left_out += 1;
        }
    };
    match &mut figure.plot {
        Plot::Bars { bars, .. } => bars.iter_mut().flat_map(|s| &mut s.of).for_each(&mut keep),
        Plot::Lines { series, .. } => {
            series.iter_mut().flat_map(|s| &mut s.of).for_each(&mut keep);
        }
        Plot::Points { series, .. } => {
            for of in series.iter_mut().map(|s| &mut s.of) {
                let before = of.len();
                of.retain(|(_, y)| *y > 0.0);
                left_out += before - of.len();
            }
        }
        Plot::Boxes { series, .. } => {
            for of in series.iter_mut().flat_map(|s| &mut s.of) {
                if of.as_ref().is_some_and(|of| of.low <= 0.0) {
                    *of = None;
                    left_out += 1;
                }
            }
        }
        Plot::Histogram { .. } | Plot::Pie { .. } | Plot::Heatmap { .. } => {}
    }
    if left_out > 0 {
        let values = if left_out == 1 { "value is" } else { "values are" };
        figure.notes.push(format!(
            "{left_out} {values} not above 0 and have no place on a logarithmic axis"
        ));
    }
}

impl Figure {
    /// Its marks, in numbers: bars, points, boxes, slices or cells.
    #[must_use]
    pub fn marks(&self) -> usize {
        let filled = |of: &[Option<f64>]| of.iter().flatten().count();
        match &self.plot {
            Plot::Bars { bars, lines, .. } => bars.iter().chain(lines).map(|s| filled(&s.of)).sum(),
            Plot::Lines { series, .. } => series.iter().map(|s| filled(&s.of)).sum(),
            Plot::Points { series, .. } => series.iter().map(|s| s.of.len()).sum(),
            Plot::Histogram { series, .. } => series.iter().map(|s| s.of.len()).sum(),
            Plot::Boxes { series, .. } => {
                series.iter().map(|s| s.of.iter().flatten().count()).sum()
            }
            Plot::Pie { slices } => slices.len(),
            Plot::Heatmap { cells, .. } => filled(cells),
        }
    }

    /// What it has along its x axis, in a word.
    #[must_use]
    pub fn along(&self) -> &'static str {
        let of = |at: &Positions| match at {
            Positions::Categories(_) => "categories",
            Positions::Numbers(_) => "numbers",
            Positions::Times(_) => "times",
        };
        match &self.plot {
            Plot::Bars { at, .. } | Plot::Lines { at, .. } => of(at),
            Plot::Points { across, .. } | Plot::Histogram { across, .. } => match across {
                crate::present::chart::figure::Across::Numbers => "numbers",
                crate::present::chart::figure::Across::Times => "times",
            },
            Plot::Boxes { .. } | Plot::Pie { .. } | Plot::Heatmap { .. } => "categories",
        }
    }
}
