//! What only the view may call: rows, drawings and files for the person's screen.
//!
//! These functions have a road of their own, which the model is not on: a host that speaks
//! MCP Apps keeps tools whose visibility is `app` from its model, and the loopback page calls
//! them over HTTP. A client that does not declare Apps would offer them to its model, so to it
//! they do not exist: they are not listed, and a call is answered as that of an unknown tool.
//! `[view] apps` decides otherwise where a host does not declare what it can do.
//!
//! So what they return is no [`Reply`](crate::reply::Reply), is not cut down, and must be
//! given to nobody else.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use rmcp::model::{JsonObject, MetaObject, Tool as Definition, ToolAnnotations};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{arguments, audited, tool};
use crate::audience::{Audience, Told as _};
use crate::present::chart::{Look, Theme, Window};
use crate::present::export::Format;
use crate::present::view::base64;
use crate::room::{Call, PictureFormat, Portion, Room, RoomError, Seen, Wanted};

/// The view's address.
pub(super) const VIEW: &str = "ui://dataroom/view";
/// The extension by which a client says that it shows views.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// Rows that the page asks for at a time.
const WINDOW: u64 = 200;
/// What a view is, to such a client.
pub(super) const MIME: &str = "text/html;profile=mcp-app";

/// A function of the view.
pub(super) struct Screen {
    pub definition: Definition,
    call: fn(&Room, JsonObject, &Call) -> Result<Value, RoomError>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadRows {
    /// A dataset's name or a dataRef.
    data: String,
    /// Rows that are passed over.
    offset: u64,
    /// Rows that are given, at most 1,000.
    limit: u64,
    /// The column that orders them.
    sort: Option<String>,
    /// Whether the largest come first.
    descending: Option<bool>,
    /// By column, what its cells have to contain or be.
    filter: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DrawChart {
    /// A chart's dataRef.
    chart: String,
    /// Pixels across.
    width: u32,
    /// Pixels down.
    height: u32,
    /// light or dark.
    theme: Option<String>,
    /// Series that are not drawn.
    hidden: Option<Vec<u32>>,
    /// The part of the axis across.
    x: Option<Vec<f64>>,
    /// The part of the axis upwards.
    y: Option<Vec<f64>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SaveFile {
    /// What is to be in the file.
    data: String,
    /// csv, xlsx, svg or png; file for what a script left, as it is.
    format: String,
    /// Where the portion begins.
    offset: u64,
    /// The file of the portion before.
    file: Option<String>,
    /// light or dark.
    theme: Option<String>,
}

fn parsed<T: serde::de::DeserializeOwned>(arguments: JsonObject) -> Result<T, RoomError> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| RoomError::Screen(error.to_string()))
}

fn theme(name: Option<&str>) -> Theme {
    if name == Some("dark") { Theme::Dark } else { Theme::Light }
}

fn read_rows(room: &Room, arguments: JsonObject, call: &Call) -> Result<Value, RoomError> {
    let asked: ReadRows = parsed(arguments)?;
    let wanted = Wanted {
        offset: asked.offset,
        limit: asked.limit,
        sort: asked.sort,
        descending: asked.descending.unwrap_or_default(),
        filter: asked.filter.unwrap_or_default().into_iter().collect(),
    };
    written(&room.rows(&asked.data, &wanted, call)?)
}

fn draw_chart(room: &Room, arguments: JsonObject, call: &Call) -> Result<Value, RoomError> {
    let asked: DrawChart = parsed(arguments)?;
    let part = |ends: Option<Vec<f64>>| match ends.as_deref() {
        Some([from, to]) => Some((*from, *to)),
        _ => None,
    };
    let hidden = asked.hidden.unwrap_or_default();
    let look = Look {
        width: asked.width,
        height: asked.height,
        theme: theme(asked.theme.as_deref()),
        hidden: hidden.into_iter().map(|series| series as usize).collect(),
        window: Window { x: part(asked.x), y: part(asked.y) },
    };
    written(&room.drawing(&asked.chart, &look, call)?)
}

fn save_file(room: &Room, arguments: JsonObject, call: &Call) -> Result<Value, RoomError> {
    let SaveFile { data, format, offset, file, theme: of } = parsed(arguments)?;
    let (mime, format) = match format.as_str() {
        "csv" => ("text/csv", Format::Csv),
        "xlsx" => {
            ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Format::Xlsx)
        }
        "svg" => return picture(room, &data, PictureFormat::Svg, of.as_deref(), call),
        "png" => return picture(room, &data, PictureFormat::Png, of.as_deref(), call),
        "file" => {
            let (portion, mime) = room.portion_as_it_is(&data, offset, call)?;
            return Ok(part(&portion, mime));
        }
        _ => return Err(RoomError::Screen("`format` is csv, xlsx, svg, png or file".to_owned())),
    };
    let portion = room.portion(&data, format, file.as_deref(), offset, call)?;
    Ok(part(&portion, mime))
}

fn part(portion: &Portion, mime: &str) -> Value {
    json!({
        "name": portion.name,
        "mime": mime,
        "file": portion.file,
        "bytes": portion.total,
        "base64": base64(&portion.bytes),
    })
}

fn picture(
    room: &Room,
    chart: &str,
    format: PictureFormat,
    of: Option<&str>,
    call: &Call,
) -> Result<Value, RoomError> {
    let look = Look { width: 1_000, height: 600, theme: theme(of), ..Look::default() };
    let bytes = room.picture(chart, Some(&look), format, call)?;
    let (mime, ending) = match format {
        PictureFormat::Svg => ("image/svg+xml", "svg"),
        PictureFormat::Png => ("image/png", "png"),
    };
    let (_, title) = room.shown(chart, call)?;
    let title: String =
        title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect();
    let title = if title.trim().is_empty() { "chart" } else { title.trim() };
    Ok(json!({
        "name": format!("{title}.{ending}"),
        "mime": mime,
        "file": "",
        "bytes": bytes.len(),
        "base64": base64(&bytes),
    }))
}

fn written<T: serde::Serialize>(answer: &T) -> Result<Value, RoomError> {
    serde_json::to_value(answer).map_err(|error| RoomError::Screen(error.to_string()))
}

/// All of them.
pub(super) static SCREEN: LazyLock<Vec<Screen>> = LazyLock::new(|| {
    vec![
        Screen::of::<ReadRows>("read_rows", "Rows for the view", read_rows),
        Screen::of::<DrawChart>("draw_chart", "A drawing for the view", draw_chart),
        Screen::of::<SaveFile>("save_file", "A file for the view", save_file),
    ]
});

impl Screen {
    fn of<T: JsonSchema>(
        name: &'static str,
        title: &'static str,
        call: fn(&Room, JsonObject, &Call) -> Result<Value, RoomError>,
    ) -> Self {
        let hints = ToolAnnotations::with_title(title).read_only(true).open_world(false);
        let description = "For the view of render_chart, which shows it to the person.";
        let schema = Arc::new(tool::schema::<T>(false));
        let definition = Definition::new(name, description, schema)
            .with_title(title)
            .with_annotations(hints)
            .with_meta(meta(json!({ "ui": { "resourceUri": VIEW, "visibility": ["app"] } })));
        Self { definition, call }
    }

    pub(super) fn find(name: &str) -> Option<&'static Self> {
        SCREEN.iter().find(|screen| screen.definition.name == name)
    }

    /// Calls it; an error is in words for the person who looks at the view.
    pub(super) fn call(
        &self,
        room: &Room,
        asked: JsonObject,
        call: &Call,
    ) -> Result<Value, String> {
        let (name, schema) = (&self.definition.name, &self.definition.input_schema);
        audited::shown(room, name, schema, asked, |asked| {
            let asked = arguments::check(name, schema, asked).map_err(RoomError::Screen)?;
            (self.call)(room, asked, call)
        })
    }
}

/// What a page on loopback asks, of the one thing that its link opens.
pub(super) fn page_call(
    room: &Room,
    name: &str,
    data: &str,
    mut asked: Map<String, Value>,
) -> Result<Value, String> {
    let call = Call::new();
    if name == "open" {
        let (seen, title) =
            room.shown(data, &call).map_err(|error| error.told(Audience::Person))?;
        let mut opened = json!({ "dataRef": data, "view": seen.name(), "title": title });
        if seen == Seen::Table {
            // The first rows come along, so that they need not be waited for.
            let wanted = Wanted { limit: WINDOW, ..Wanted::default() };
            let first = room.rows(data, &wanted, &call).and_then(|rows| written(&rows));
            opened["first"] = first.map_err(|error| error.told(Audience::Person))?;
        }
        return Ok(opened);
    }
    let screen = Screen::find(name).ok_or_else(|| "the page calls what is not there".to_owned())?;
    let key = if name == "draw_chart" { "chart" } else { "data" };
    asked.insert(key.to_owned(), json!(data));
    screen.call(room, asked, &call)
}

/// A value as the protocol's metadata.
pub(super) fn meta(value: Value) -> MetaObject {
    serde_json::from_value(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_the_view_may_call_says_so() {
        for screen in SCREEN.iter() {
            let meta = serde_json::to_value(&screen.definition.meta).unwrap();
            assert_eq!(meta["ui"]["visibility"], json!(["app"]), "{}", screen.definition.name);
            assert!(tool::TOOLS.iter().all(|tool| tool.name() != screen.definition.name));
        }
    }
}
