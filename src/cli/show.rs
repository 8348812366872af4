//! What a person sees of lists, descriptions, exports and histories: everything.

use std::io::Write as _;
use std::process::ExitCode;

use dataroom::present::export::Format;
use dataroom::room::StepKind;
use dataroom::store::Origin;
use dataroom::{Call, Room};
use serde_json::Value;

use super::terminal;

pub(super) fn list(room: &Room, filter: Option<&str>) -> anyhow::Result<ExitCode> {
    let filter = filter.unwrap_or_default().to_lowercase();
    let matches = |text: &str| text.to_lowercase().contains(&filter);
    let mut rows = vec![headings(&["data", "format or name", "rows", "columns", "expires"])];
    let known = |n: Option<u64>| n.map_or_else(|| "?".to_owned(), |n| n.to_string());
    for dataset in room.datasets()?.into_iter().filter(|d| matches(&d.name)) {
        rows.push(vec![
            dataset.name.clone(),
            dataset.format.to_string(),
            known(dataset.rows),
            known(dataset.columns.map(|n| n as u64)),
            String::new(),
        ]);
    }
    for meta in room.artifacts()? {
        let name = meta.name.clone().unwrap_or_default();
        let reference = meta.reference.to_string();
        if matches(&reference) || matches(&name) {
            rows.push(vec![
                reference,
                name,
                meta.rows.to_string(),
                meta.columns.to_string(),
                meta.expires.format("%Y-%m-%d %H:%M UTC").to_string(),
            ]);
        }
    }
    print_table(&rows)
}

pub(super) fn describe(
    room: &Room,
    data: &str,
    columns: Option<&[String]>,
) -> anyhow::Result<ExitCode> {
    let call = Call::new();
    let (found, profile) = terminal::watched(&call, || room.describe(data, columns, &call))?;
    let text = |value: Option<Value>| match value {
        None => String::new(),
        Some(Value::String(text)) => text,
        Some(value) => value.to_string(),
    };
    let mut rows = vec![headings(&["column", "type", "nulls", "distinct", "min", "max", "mean"])];
    for column in profile.columns {
        let distinct = column
            .distinct
            .map(|d| format!("{}{}", if d.exact { "" } else { "~" }, d.count))
            .unwrap_or_default();
        rows.push(vec![
            column.name,
            column.data_type,
            column.nulls.to_string(),
            distinct,
            text(column.min),
            text(column.max),
            column.mean.map(|mean| format!("{mean:.6}")).unwrap_or_default(),
        ]);
    }
    writeln!(std::io::stdout(), "{data}: {} rows", profile.rows)?;
    print_table(&rows)?;
    for note in found.notes.iter().chain(&profile.notes) {
        writeln!(std::io::stdout(), "note: {note}")?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn export(
    room: &Room,
    data: &str,
    format: &str,
    name: Option<&str>,
) -> anyhow::Result<ExitCode> {
    let format: Format = format.parse()?;
    let call = Call::new();
    let written = terminal::watched(&call, || room.export(data, format, name, &call))?;
    writeln!(std::io::stdout(), "{}", written.file.display())?;
    let mut notes = std::io::stderr().lock();
    writeln!(notes, "{} rows, {} bytes, BLAKE3 {}", written.rows, written.bytes, written.blake3)?;
    for text in &written.notes {
        writeln!(notes, "note: {text}")?;
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
            StepKind::Import => "import",
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
            "   {} rows, made {}",
            meta.rows,
            meta.created.format("%Y-%m-%d %H:%M:%S UTC")
        )?;
        for (part, version) in &meta.versions {
            writeln!(out, "   {part} {version}")?;
        }
        for input in &meta.inputs {
            writeln!(out, "   {} = {} ({})", input.variable, input.data, input.content_hash)?;
        }
        let text = match &meta.origin {
            Origin::Python { code, output } => {
                writeln!(out, "   outputs[{output:?}] of:")?;
                code
            }
            Origin::Sql { sql } => sql,
            Origin::Import { source } => source,
        };
        for line in text.lines() {
            writeln!(out, "     {line}")?;
        }
    }
    if lineage.cut {
        writeln!(out, "older steps are left out")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn headings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Columns as wide as their longest cell, but none wider than a reader wants.
fn print_table(rows: &[Vec<String>]) -> anyhow::Result<ExitCode> {
    const WIDEST: usize = 40;
    let cut = |cell: &str| -> String {
        let cell = dataroom::reply::scrub(&cell.replace(['\n', '\t', '\r'], " "));
        if cell.chars().count() <= WIDEST {
            return cell;
        }
        cell.chars().take(WIDEST - 1).chain(['…']).collect()
    };
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| cut(cell)).collect()).collect();
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0))
        .collect();
    let mut out = std::io::stdout().lock();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:<width$}  "));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
