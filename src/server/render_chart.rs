//! `render_chart`: the person sees a chart; the model hears what it shows.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::link_for;
use super::tool::{Hints, Tool};
use crate::present::chart::figure::{Axis, Figure};
use crate::present::chart::{Look, png};
use crate::reply::{Answer, head_and_tail};
use crate::room::{
    Aggregate, Call, ChartKind, ChartRequest, Charted, Names, Room, RoomError, Seen, Sort,
};

/// Bytes of an answer, whatever the chart is of.
const BYTES: usize = 1_000;
/// Pixels of a picture for the model.
const IMAGE: (u32, u32) = (1_000, 600);

pub(super) struct RenderChart;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// A dataset's name or a dataRef.
    data: String,
    /// The kind of chart; table shows the rows, figure what a script drew and left.
    kind: Shown,
    /// The column across: of categories, times or numbers.
    x: Option<String>,
    /// The column of values, or a list of several. Without it rows are counted.
    y: Option<Columns>,
    /// A column whose values are drawn beside each other, each in a colour.
    series: Option<String>,
    /// The chart's title.
    title: Option<String>,
    /// What is computed of values that share a place. By default amounts and counts are
    /// summed; of rates, prices and measures the mean is taken.
    aggregate: Option<Aggregate>,
    /// Of kind combo: the columns drawn as lines over the bars.
    lines: Option<Columns>,
    /// Of kind heatmap: the column that the colours tell of. Without it rows are counted.
    value: Option<String>,
    /// Series on top of each other.
    stacked: Option<bool>,
    /// Series as shares of each place's sum.
    shares: Option<bool>,
    /// Bars that lie.
    horizontal: Option<bool>,
    /// A logarithmic axis of values.
    log: Option<bool>,
    /// The order of categories.
    sort: Option<Sort>,
    /// How many categories are shown; the rest becomes one more, "other".
    top: Option<u32>,
    /// Of kind histogram: about how many ranges.
    bins: Option<u32>,
}

/// What can be shown.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Shown {
    Bar,
    Line,
    Area,
    Scatter,
    Histogram,
    Box,
    Pie,
    Heatmap,
    Combo,
    Table,
    Figure,
}

impl Shown {
    /// The kind of chart that is to be drawn, if one is.
    fn chart(self) -> Wanted {
        Wanted::Chart(match self {
            Self::Bar => ChartKind::Bar,
            Self::Line => ChartKind::Line,
            Self::Area => ChartKind::Area,
            Self::Scatter => ChartKind::Scatter,
            Self::Histogram => ChartKind::Histogram,
            Self::Box => ChartKind::Box,
            Self::Pie => ChartKind::Pie,
            Self::Heatmap => ChartKind::Heatmap,
            Self::Combo => ChartKind::Combo,
            Self::Table => return Wanted::Table,
            Self::Figure => return Wanted::Figure,
        })
    }
}

/// What is to be done for it.
enum Wanted {
    Chart(ChartKind),
    Table,
    Figure,
}

/// A column or several.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Columns {
    One(String),
    Many(Vec<String>),
}

impl JsonSchema for Columns {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Columns".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
    }
}

impl From<Option<Columns>> for NamesOf {
    fn from(columns: Option<Columns>) -> Self {
        Self(match columns {
            None => Vec::new(),
            Some(Columns::One(name)) => vec![name],
            Some(Columns::Many(names)) => names,
        })
    }
}

/// Names out of an argument.
struct NamesOf(Vec<String>);

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Rendered {
    /// The handle of the chart, or of the table: export_data writes it to a file.
    #[serde(rename = "dataRef")]
    data_ref: String,
    /// chart, table or figure.
    view: &'static str,
    /// What the person sees.
    shows: String,
    /// Where the person sees it, if this client shows no views: a link for their browser on
    /// this machine, which holds while this server runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    /// The axis across.
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<String>,
    /// The axis of the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<String>,
    /// Bars, points, boxes, slices or cells that are drawn; of a table its rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    marks: Option<u64>,
    /// What was done to the data, and what to know of its numbers.
    notes: Vec<String>,
    /// Its picture, where the policy says `chart_images`.
    #[serde(skip)]
    image: Option<Vec<u8>>,
}

impl Tool for RenderChart {
    const NAME: &'static str = "render_chart";
    const TITLE: &'static str = "Show a chart";
    const DESCRIPTION: &'static str = "Shows the person a chart of a dataset or artifact: bar, \
        line, area, scatter, histogram, box, pie, heatmap, combo (bars with lines over them), or \
        its rows as a table, or a figure that a script left in `files`. It computes what the chart needs by itself: values that share a place \
        are put together, long lists of categories and long times too, and `notes` says how. It \
        returns a handle and what the chart shows, no values; query_data gives numbers. Columns of \
        different units fit into one chart as combo. export_data writes the chart to a file.";
    const HINTS: Hints = Hints { read_only: false, idempotent: false };
    const VIEWED: bool = true;
    const PICTURED: bool = true;
    type Arguments = Arguments;
    type Answer = Rendered;

    fn call(room: &Room, arguments: Arguments, call: &Call) -> Result<Rendered, RoomError> {
        let kind = match arguments.kind.chart() {
            Wanted::Chart(kind) => kind,
            Wanted::Table => return table(room, &arguments.data, call),
            Wanted::Figure => return figure(room, &arguments.data, call),
        };
        let request = ChartRequest {
            data: arguments.data,
            kind,
            x: arguments.x,
            y: NamesOf::from(arguments.y).0,
            lines: NamesOf::from(arguments.lines).0,
            series: arguments.series,
            value: arguments.value,
            title: arguments.title,
            aggregate: arguments.aggregate,
            stacked: arguments.stacked.unwrap_or_default(),
            shares: arguments.shares.unwrap_or_default(),
            horizontal: arguments.horizontal.unwrap_or_default(),
            log: arguments.log.unwrap_or_default(),
            sort: arguments.sort,
            top: arguments.top.map(u64::from),
            bins: arguments.bins.map(u64::from),
            may_be_sensitive: false,
        };
        let charted = room.chart(&request, call)?;
        Ok(Rendered::of(room, &request, &charted, call))
    }
}

fn table(room: &Room, data: &str, call: &Call) -> Result<Rendered, RoomError> {
    let found = room.find_table(data, call)?;
    let rows = found.table.rows();
    let columns = found.table.schema().fields().len();
    Ok(Rendered {
        link: link_for(room, &found.data, call),
        data_ref: found.data,
        view: "table",
        shows: format!("the table, {columns} columns"),
        x: None,
        y: None,
        marks: room.policy().count(rows),
        notes: Vec::new(),
        image: None,
    })
}

/// What a script drew, as it left it; or a chart of this room's once more.
fn figure(room: &Room, data: &str, call: &Call) -> Result<Rendered, RoomError> {
    let (seen, name) = room.figure_of_script(data, call)?;
    let name = name.map(|name| format!(" {}", head_and_tail(&name, 120)));
    let shows = match seen {
        Seen::Chart => "the chart",
        _ => "the figure",
    };
    Ok(Rendered {
        link: link_for(room, data, call),
        data_ref: data.to_owned(),
        view: seen.name(),
        shows: format!("{shows}{}", name.unwrap_or_default()),
        x: None,
        y: None,
        marks: None,
        notes: Vec::new(),
        image: image(room, seen, data, call),
    })
}

/// The picture for the model, where it may see one. A page of scripts has none.
fn image(room: &Room, seen: Seen, data: &str, call: &Call) -> Option<Vec<u8>> {
    if !room.policy().shows_images() {
        return None;
    }
    match seen {
        Seen::Chart => {
            let (width, height) = IMAGE;
            let look = Look { width, height, ..Look::default() };
            png(&room.drawing(data, &look, call).ok()?.svg, 1.0).ok().map(|pixels| pixels.png)
        }
        Seen::Picture("image/png") => {
            let (whole, _) = room.portion_as_it_is(data, 0, call).ok()?;
            (whole.bytes.len() as u64 == whole.total).then_some(whole.bytes)
        }
        _ => None,
    }
}

impl Rendered {
    fn of(room: &Room, request: &ChartRequest, charted: &Charted, call: &Call) -> Self {
        let Charted { artifact, figure, warnings } = charted;
        let notes = warnings.iter().chain(&figure.notes).cloned().collect();
        // A column's name can be a value.
        let shown = !room.policy().hides_values()
            || room.find_table(&request.data, call).is_ok_and(|found| {
                let names = Names::of(room, &found, call);
                let asked = [&request.x, &request.series, &request.value].into_iter().flatten();
                asked.chain(&request.y).chain(&request.lines).all(|name| names.may_show(name))
            });
        let axis = |axis: &Axis| (shown && !axis.title.is_empty()).then(|| words(axis));
        let reference = artifact.meta.reference.as_str();
        let mut answer = Self {
            link: link_for(room, reference, call),
            data_ref: artifact.meta.reference.to_string(),
            view: "chart",
            shows: shows(request, figure, shown),
            x: axis(&figure.x).map(|x| format!("{x}, {}", figure.along())),
            y: axis(&figure.y),
            marks: room.policy().count(figure.marks() as u64),
            notes: room.policy().notes(notes),
            image: image(room, Seen::Chart, reference, call),
        };
        answer.fit();
        answer
    }

    /// Cuts what is long, so that the whole stays small.
    fn fit(&mut self) {
        let size = |answer: &Self| serde_json::to_string(answer).map_or(0, |text| text.len());
        for most in [300, 120, 60] {
            if size(self) <= BYTES {
                return;
            }
            let texts = self.notes.iter_mut().chain(&mut self.x).chain(&mut self.y);
            for text in texts.chain(std::iter::once(&mut self.shows)) {
                if text.len() > most {
                    *text = head_and_tail(text, most).replace('\n', " ");
                }
            }
        }
        while size(self) > BYTES && self.notes.pop().is_some() {}
    }
}

fn words(axis: &Axis) -> String {
    match axis.unit {
        Some(unit) => format!("{} ({unit})", axis.title),
        None => axis.title.clone(),
    }
}

fn shows(request: &ChartRequest, figure: &Figure, shown: bool) -> String {
    let kind = request.kind.name();
    let article = if kind.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    let mut text = format!("{article} {kind} chart");
    if shown && !request.y.is_empty() {
        text = format!("{text} of {}", request.y.join(", "));
    }
    if let Some(y2) = figure.y2.as_ref().filter(|_| shown) {
        text = format!("{text}, lines: {}", words(y2));
    }
    if let Some(series) = request.series.as_ref().filter(|_| shown) {
        text = format!("{text}, by {series}");
    }
    text
}

impl Answer for Rendered {
    fn shrink(&mut self) -> bool {
        self.notes.pop().is_some()
    }

    fn take_image(&mut self) -> Option<Vec<u8>> {
        self.image.take()
    }
}
