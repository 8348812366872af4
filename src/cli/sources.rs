//! `dataroom sources check`: whether the databases of the configuration can be used, and the
//! SQL that mends what cannot.

use std::io::Write as _;
use std::process::ExitCode;

use dataroom::Room;
use dataroom::database::{DatabaseError, RoleReport, Source};
use serde_json::{Value, json};

use super::arguments::SourcesCommand;

/// What was found of one source.
struct Checked<'a> {
    source: &'a Source,
    role: Result<RoleReport, DatabaseError>,
    /// How many tables it gives; asked only of a role that may be used.
    tables: Option<Result<usize, DatabaseError>>,
}

impl<'a> Checked<'a> {
    fn of(source: &'a Source) -> Self {
        let role = source.role(&|| false);
        let is_usable = role.as_ref().is_ok_and(|report| report.faults.is_empty());
        let tables = is_usable.then(|| source.tables(&|| false).map(|tables| tables.len()));
        Self { source, role, tables }
    }

    fn is_ok(&self) -> bool {
        matches!(self.tables, Some(Ok(_)))
    }

    fn json(&self) -> Value {
        let error = |error: &DatabaseError| json!(error.to_string());
        let mut checked = json!({
            "source": self.source.name().to_string(),
            "kind": self.source.section().place.name(),
            "ok": self.is_ok(),
        });
        match &self.role {
            Ok(report) => {
                checked["role"] = json!(report.role);
                checked["server"] = json!(report.server);
                let faults = report.faults.iter();
                checked["faults"] =
                    faults.map(|f| json!({"what": f.what, "mend": f.mend})).collect();
            }
            Err(cause) => checked["error"] = error(cause),
        }
        match &self.tables {
            Some(Ok(tables)) => checked["tables"] = json!(tables),
            Some(Err(cause)) => checked["error"] = error(cause),
            None => {}
        }
        checked
    }

    fn print(&self, out: &mut impl std::io::Write, explain: bool) -> std::io::Result<()> {
        let (name, kind) = (self.source.name(), self.source.section().place.name());
        let report = match &self.role {
            Ok(report) => report,
            Err(error) => return failed(out, error),
        };
        writeln!(out, "{name}: {kind}, {}, role {}", report.server, report.role)?;
        for fault in &report.faults {
            writeln!(out, "  refused: {} {}", report.role, fault.what)?;
            if explain {
                writeln!(out, "    {}", fault.mend)?;
            }
        }
        match &self.tables {
            Some(Ok(0)) => writeln!(out, "  ok, but no table that it may read"),
            Some(Ok(tables)) => writeln!(out, "  ok: {tables} tables, read only"),
            Some(Err(error)) => failed(out, error),
            None if !explain => writeln!(out, "  --explain prints the SQL that mends it"),
            None => Ok(()),
        }
    }
}

fn failed(out: &mut impl std::io::Write, error: &DatabaseError) -> std::io::Result<()> {
    writeln!(out, "{error}")?;
    match &error.detail {
        Some(detail) => writeln!(out, "  in its own words: {detail}"),
        None => Ok(()),
    }
}

/// What is asked of the sources.
pub(super) fn sources(room: &Room, command: &SourcesCommand) -> anyhow::Result<ExitCode> {
    match command {
        SourcesCommand::Check { explain, json } => check(room, *explain, *json),
    }
}

/// Ends with 0 if every source can be used.
fn check(room: &Room, explain: bool, as_json: bool) -> anyhow::Result<ExitCode> {
    let all: Vec<Checked<'_>> = room.databases().iter().map(Checked::of).collect();
    let mut out = std::io::stdout().lock();
    if as_json {
        let all: Vec<Value> = all.iter().map(Checked::json).collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&all)?)?;
    } else if all.is_empty() {
        writeln!(out, "the configuration names no [[source]]")?;
    } else {
        for checked in &all {
            checked.print(&mut out, explain)?;
        }
    }
    Ok(if all.iter().all(Checked::is_ok) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
