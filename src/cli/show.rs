//! What a person sees of lists, descriptions, exports and histories: everything.

use std::borrow::Cow;
use std::io::Write;
use std::process::ExitCode;

use dataroom::audience::{Audience, empty_list};
use dataroom::nearest::nearest;
use dataroom::present::export::CsvOptions;
use dataroom::profile::ColumnProfile;
use dataroom::room::{ExportRequest, StepKind};
use dataroom::store::{ArtifactMeta, Kind, Origin};
use dataroom::{Call, Room};
use serde_json::Value;

use super::arguments::ExportHow;
use super::table::{Table, number, rows, short, text};
use super::terminal;

pub(super) fn list(room: &Room, filter: Option<&str>) -> anyhow::Result<ExitCode> {
    let filter = filter.unwrap_or_default().trim().to_lowercase();
    let matches = |text: &str| text.to_lowercase().contains(&filter);
    let mut table = Table::new([
        text("data"),
        text("format or name"),
        number("rows"),
        number("columns"),
        text("expires"),
    ]);
    let known = |n: Option<u64>| number(n.map_or_else(|| "?".to_owned(), |n| n.to_string()));
    let datasets = room.datasets()?;
    for dataset in datasets.iter().filter(|d| matches(&d.name)) {
        table.row([
            text(&dataset.name),
            text(dataset.format),
            known(dataset.rows),
            known(dataset.columns.map(|n| n as u64)),
            text(""),
        ]);
    }
    let (tables, unasked) = room.remote_tables(&Call::new());
    for remote in tables.iter().filter(|remote| matches(&remote.name)) {
        table.row([text(&remote.name), text(remote.kind), known(None), known(None), text("")]);
    }
    for note in unasked {
        writeln!(std::io::stderr(), "{note}")?;
    }
    for meta in room.artifacts()? {
        // A step of the history of what was made of it.
        if matches!(meta.origin, Origin::Remote(_)) {
            continue;
        }
        let name = meta.name.clone().unwrap_or_default();
        let reference = meta.reference.to_string();
        let is_table = meta.kind == Kind::Table;
        let shape = |n: u64| if is_table { number(n.to_string()) } else { text(meta.kind.name()) };
        if matches(&reference) || matches(&name) {
            table.row([
                text(reference),
                text(name),
                shape(meta.rows),
                shape(meta.columns as u64),
                text(meta.expires.format("%Y-%m-%d %H:%M UTC").to_string()),
            ]);
        }
    }
    if table.is_empty() {
        let near = nearest(&filter, datasets.iter().map(|dataset| dataset.name.as_str()));
        writeln!(std::io::stderr(), "{}", empty_list(&filter, &near, Audience::Person))?;
        return Ok(ExitCode::SUCCESS);
    }
    table.print()
}

pub(super) fn describe(
    room: &Room,
    data: &str,
    columns: Option<&[String]>,
) -> anyhow::Result<ExitCode> {
    let call = Call::new();
    let (found, profile) = terminal::watched(&call, || room.describe(data, columns, &call))?;
    // Exact numbers beyond 2^53 are texts in JSON, and numbers here.
    let value = |value: Option<Value>, is_number: bool| match value {
        None => text(""),
        Some(Value::String(word)) if is_number => number(word),
        Some(Value::String(word)) => text(word),
        Some(value) => number(value.to_string()),
    };
    let mut table = Table::new([
        text("column"),
        text("type"),
        number("nulls"),
        number("distinct"),
        number("min"),
        number("max"),
        number("mean"),
        number("median"),
        text("about"),
    ]);
    for column in profile.columns {
        let about = about(&column);
        let median = column.quartiles.map(|q| short(q.values[1])).unwrap_or_default();
        let is_number = ["int", "uint", "float", "decimal"].iter().any(|kind| {
            column.data_type.starts_with(kind) && !column.data_type.contains("interval")
        });
        let distinct = column
            .distinct
            .map(|d| format!("{}{}", if d.exact { "" } else { "~" }, d.count))
            .unwrap_or_default();
        table.row([
            text(column.name),
            text(column.data_type),
            number(column.nulls.to_string()),
            number(distinct),
            value(column.min, is_number),
            value(column.max, is_number),
            number(column.mean.map(short).unwrap_or_default()),
            number(median),
            text(about),
        ]);
    }
    writeln!(std::io::stdout(), "{data}: {}", rows(profile.rows))?;
    table.print()?;
    for note in found.notes.iter().chain(&profile.notes) {
        writeln!(std::io::stdout(), "note: {note}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What else there is to know of a column.
fn about(column: &ColumnProfile) -> String {
    let mut about = Vec::new();
    if column.is_key {
        about.push("key".to_owned());
    }
    if let Some(found) = &column.sensitive {
        about.push(found.kind.name().to_owned());
    }
    if let Some(found) = &column.unit {
        let units: Vec<&str> = found.units.iter().map(|(unit, _)| unit.as_str()).collect();
        about.push(format!("{}{}", if found.mixed { "mixed " } else { "" }, units.join("/")));
    }
    if let Some(gaps) = column.gaps.as_ref().filter(|gaps| gaps.count > 0) {
        about.push(format!("{} gaps", gaps.count));
    }
    about.join(", ")
}

pub(super) fn export(room: &Room, data: String, how: ExportHow) -> anyhow::Result<ExitCode> {
    let request = ExportRequest {
        data,
        format: how.format.as_deref().map(str::parse).transpose()?,
        name: how.name,
        csv: CsvOptions { delimiter: how.delimiter, decimal: how.decimal, bom: how.bom },
        overwrite: how.overwrite,
        items: how.items.as_deref().map(serde_json::from_str).transpose()?,
    };
    let call = Call::new();
    let written = terminal::watched(&call, || room.export(&request, &call))?;
    writeln!(std::io::stdout(), "{}", written.file.display())?;
    let mut notes = std::io::stderr().lock();
    let shape = written.rows.map(|count| format!("{}, ", rows(count))).unwrap_or_default();
    writeln!(notes, "{shape}{} bytes, BLAKE3 {}", written.bytes, written.blake3)?;
    for note in &written.notes {
        writeln!(notes, "note: {note}")?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn trace(room: &Room, data: &str) -> anyhow::Result<ExitCode> {
    let lineage = room.lineage(data, &Call::new())?;
    let mut out = std::io::stdout().lock();
    for (number, step) in lineage.steps.iter().enumerate() {
        let kind = match step.kind {
            StepKind::Dataset => "dataset",
            StepKind::Python => "python",
            StepKind::Sql => "sql",
            StepKind::Chart => "chart",
            StepKind::Tool => "tool",
            StepKind::Import => "import",
            StepKind::Remote => "database",
            StepKind::Missing => "expired",
        };
        writeln!(out, "{}. {kind} {}", number + 1, step.data)?;
        if let Some(hash) = &step.content_hash {
            writeln!(out, "   content {hash}")?;
        }
        if let Some(note) = &step.note {
            writeln!(out, "   note: {note}")?;
        }
        let Some(meta) = &step.meta else {
            continue;
        };
        writeln!(
            out,
            "   {}, made {}",
            match meta.kind {
                Kind::Table => rows(meta.rows),
                kind => format!("a {}", kind.name()),
            },
            meta.created.format("%Y-%m-%d %H:%M:%S UTC")
        )?;
        for (part, version) in &meta.versions {
            writeln!(out, "   {part} {version}")?;
        }
        for input in &meta.inputs {
            writeln!(out, "   {} = {} ({})", input.variable, input.data, input.content_hash)?;
        }
        let made_by = made_by(meta, &mut out)?;
        for line in made_by.lines() {
            writeln!(out, "     {line}")?;
        }
    }
    if lineage.cut {
        writeln!(out, "older steps are left out")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says what made a table; the text that did.
fn made_by<'a>(meta: &'a ArtifactMeta, out: &mut impl Write) -> std::io::Result<Cow<'a, str>> {
    let text = match &meta.origin {
        Origin::Python { code, output } => {
            match meta.kind {
                Kind::Table => writeln!(out, "   outputs[{output:?}] of:")?,
                kind => writeln!(out, "   {} {output} of:", kind.name())?,
            }
            code.as_str()
        }
        Origin::Sql { sql } => sql,
        Origin::Chart { request } => request,
        Origin::Import { source } => source,
        Origin::Tool { .. } => return Ok(Cow::Owned(meta.origin.place())),
        Origin::Remote(read) => {
            writeln!(out, "   read of {}.{} by:", read.source, read.table)?;
            &read.statement
        }
    };
    Ok(Cow::Borrowed(text))
}
