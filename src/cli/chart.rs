//! `dataroom chart`: a picture for a person, in a file or in the browser.

use std::io::Write as _;
use std::process::{ExitCode, Stdio};

use anyhow::Context as _;
use dataroom::room::{ChartKind, ChartRequest, PictureFormat};
use dataroom::{Call, Room, server};
use serde_json::{Map, Value, json};

use super::arguments::Chart;
use super::{as_tool, audit, terminal};

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
    let mut drawn = None;
    let done = audit::recorded(room, "chart", wanted.arguments(), || {
        drawn = Some(draw(room, wanted)?);
        Ok(ExitCode::SUCCESS)
    })?;
    // Not a part of what is written down: it lasts until the person has seen enough.
    match drawn.filter(|_| wanted.open) {
        Some(reference) => open(room, &reference),
        None => Ok(done),
    }
}

/// Makes the chart with its files, and says what is to be opened.
fn draw(room: &Room, wanted: &Chart) -> anyhow::Result<String> {
    let call = Call::new();
    if let kind @ ("table" | "figure") = wanted.kind.as_str() {
        anyhow::ensure!(
            wanted.open,
            "a {kind} is shown with --open; `dataroom export` writes it to a file"
        );
        if kind == "figure" {
            room.figure_of_script(&wanted.data, &call)?;
        } else {
            room.shown(&wanted.data, &call)?;
        }
        return Ok(wanted.data.clone());
    }
    let request = wanted.request()?;
    let charted = terminal::watched(&call, || room.chart(&request, &call))?;
    let reference = charted.artifact.meta.reference.to_string();
    writeln!(std::io::stdout(), "{reference}")?;
    let mut notes = std::io::stderr().lock();
    for note in charted.warnings.iter().chain(&charted.figure.notes) {
        writeln!(notes, "note: {note}")?;
    }
    let pictures = [(&wanted.svg, PictureFormat::Svg), (&wanted.png, PictureFormat::Png)];
    for (file, format) in pictures {
        let Some(file) = file else { continue };
        let picture = room.picture(&reference, None, format, &call)?;
        #[expect(clippy::disallowed_methods, reason = "the person named this file to be written")]
        std::fs::write(file, picture).with_context(|| format!("{}", file.display()))?;
    }
    Ok(reference)
}

/// Shows a chart in the person's browser, and stays until they have seen enough.
fn open(room: &Room, reference: &str) -> anyhow::Result<ExitCode> {
    let link = server::link(room, reference)?;
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    #[expect(clippy::disallowed_methods, reason = "the person asked for their own browser")]
    let opened = std::process::Command::new(opener)
        .arg(&link)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut out = std::io::stderr().lock();
    match opened {
        Ok(_) => writeln!(out, "{link} is open in the browser until Ctrl-C")?,
        Err(_) => writeln!(out, "open {link} in a browser; it is there until Ctrl-C")?,
    }
    drop(out);
    loop {
        std::thread::park();
    }
}
