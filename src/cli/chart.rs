//! `dataroom chart`: a picture for a person, in a file or in the browser.

use std::io::Write as _;
use std::process::ExitCode;

use dataroom::room::{ChartKind, ChartRequest};
use dataroom::{Call, Room};
use serde_json::{Map, Value, json};

use super::arguments::Chart;
use super::{as_tool, terminal};

impl Chart {
    /// What the tool would be asked.
    fn arguments(&self) -> Value {
        let mut asked = Map::new();
        let mut put = |name: &str, value: Value| {
            let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            if !empty && value != Value::Bool(false) {
                asked.insert(name.to_owned(), value);
            }
        };
        put("data", json!(self.data));
        put("kind", json!(self.kind));
        put("x", json!(self.x));
        put("y", json!(self.y));
        put("lines", json!(self.lines));
        put("series", json!(self.series));
        put("value", json!(self.value));
        put("title", json!(self.title));
        put("aggregate", json!(self.aggregate));
        put("sort", json!(self.sort));
        put("top", json!(self.top));
        put("bins", json!(self.bins));
        put("stacked", json!(self.stacked));
        put("shares", json!(self.shares));
        put("horizontal", json!(self.horizontal));
        put("log", json!(self.log));
        Value::Object(asked)
    }

    /// What the room is asked.
    fn request(&self) -> anyhow::Result<ChartRequest> {
        let known = || ChartKind::ALL.map(ChartKind::name).join(", ");
        let mut request: ChartRequest = serde_json::from_value(self.arguments())
            .map_err(|error| anyhow::anyhow!("{error}; the kinds are {}", known()))?;
        // A person may see everything.
        request.may_be_sensitive = true;
        Ok(request)
    }
}

pub(super) fn chart(room: &Room, wanted: &Chart) -> anyhow::Result<ExitCode> {
    if wanted.json {
        return as_tool(room, "render_chart", wanted.arguments());
    }
    let request = wanted.request()?;
    let call = Call::new();
    let charted = terminal::watched(&call, || room.chart(&request, &call))?;
    let reference = charted.artifact.meta.reference.to_string();
    writeln!(std::io::stdout(), "{reference}")?;
    let mut notes = std::io::stderr().lock();
    for note in &charted.figure.notes {
        writeln!(notes, "note: {note}")?;
    }
    Ok(ExitCode::SUCCESS)
}
