//! `dataroom tools check`: a tools file held against the live database.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use dataroom::config::{Config, ConfigError, locate_home};
use dataroom::database::Databases;
use dataroom::gateway::check::{Line, check};
use serde_json::{Value, json};

use super::arguments::Place;

/// Looks at the file, then at the database; the exit code says whether all is well.
pub(super) fn check_tools(place: &Place, json: bool, explain: bool) -> anyhow::Result<ExitCode> {
    let file = match &place.config {
        Some(file) => file.clone(),
        None => locate_home(place.home.clone())?.join("dataroom.toml"),
    };
    let lines = match Config::load(&file) {
        Ok(config) => {
            anyhow::ensure!(
                !config.tools.is_empty(),
                "{}: no [[tool]] is declared in it; `dataroom triage init` writes a file with three",
                file.display()
            );
            check(&config.tools, &Databases::new(&config.sources), &|| false)
        }
        Err(ConfigError::Tools { faults, .. }) => faults
            .into_iter()
            .map(|fault| Line {
                ok: false,
                of: fault.tool,
                line: Some(fault.line),
                what: format!("{}: {}", fault.code, fault.message),
                next: fault.next,
                sql: None,
            })
            .collect(),
        Err(error) => return Err(error.into()),
    };
    let ok = lines.iter().all(|line| line.ok);
    let mut out = std::io::stdout().lock();
    if json {
        writeln!(out, "{}", json!({ "ok": ok, "file": file, "lines": lines }))?;
    } else {
        for line in &lines {
            writeln!(out, "{}", in_words(line, &file))?;
        }
        tell_sql(&mut out, &lines, explain)?;
    }
    out.flush()?;
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn in_words(line: &Line, file: &Path) -> String {
    let mark = if line.ok { "ok  " } else { "FAIL" };
    let at = line.line.map(|line| format!("{}:{line}: ", file.display())).unwrap_or_default();
    let next = line.next.as_ref().map(|next| format!("; {next}")).unwrap_or_default();
    format!("{mark} {at}{}: {}{next}", line.of, line.what)
}

/// The SQL that mends what is wrong, each statement once.
fn tell_sql(out: &mut impl std::io::Write, lines: &[Line], explain: bool) -> std::io::Result<()> {
    let sql: BTreeSet<&String> = lines.iter().filter_map(|line| line.sql.as_ref()).collect();
    if sql.is_empty() {
        return Ok(());
    }
    if !explain {
        return writeln!(out, "     --explain prints the SQL that takes these rights away");
    }
    writeln!(out, "\n-- As the database's owner:")?;
    sql.into_iter().try_for_each(|statement| writeln!(out, "{statement}"))
}

/// Declared tools and the database, as far as a script wants to know: `tools list --json`.
pub(super) fn list(place: &Place, json: bool) -> anyhow::Result<ExitCode> {
    let home = locate_home(place.home.clone())?;
    let config = super::config(place, &home)?;
    let mut out = std::io::stdout().lock();
    if json {
        let of = |tool: &dataroom::gateway::Tool| {
            json!({ "name": tool.name(), "source": tool.source(), "line": tool.line(),
                    "description": tool.description(), "arguments": tool.schema() })
        };
        let tools: Vec<Value> = config.tools.iter().map(|tool| of(tool)).collect();
        writeln!(out, "{}", json!({ "tools": tools }))?;
    } else {
        for tool in config.tools.iter() {
            let schema = tool.schema();
            let arguments = schema["properties"].as_object();
            let names: Vec<&str> =
                arguments.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            writeln!(out, "{}({}) on {}", tool.name(), names.join(", "), tool.source())?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// `dataroom tools call NAME '{…}'`: what a model would get.
pub(super) fn arguments_of(text: &str) -> anyhow::Result<Value> {
    let arguments: Value = serde_json::from_str(text)
        .map_err(|error| anyhow::anyhow!("the arguments are no JSON object: {error}"))?;
    anyhow::ensure!(
        arguments.is_object(),
        "the arguments are no JSON object, like '{{\"depth\": 2}}'"
    );
    Ok(arguments)
}
