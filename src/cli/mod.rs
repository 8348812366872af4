//! The commands: what a person asks, in text or with `--json` as a model gets it.
//!
//! `anyhow` and the terminal live here and nowhere else. A command either prints
//! for a person, who sees everything, or prints exactly what the tool of the same
//! name would return, under the same policy.

mod arguments;
mod audit;
mod chart;
mod query;
mod replay;
mod run;
mod setup;
mod show;
mod sources;
mod table;
mod terminal;
mod tools;
mod triage;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Parser as _;
use dataroom::audit::Through;
use dataroom::config::{Config, locate_home};
use dataroom::reply::Reply;
use dataroom::runtime::Cache;
use dataroom::store::Owner;
use dataroom::{Call, Room, RoomSettings, server};
use serde_json::{Map, Value, json};

use self::arguments::{Arguments, Command, Folders, Place, ToolsCommand, TriageCommand};

/// Runs the command that the program was started with.
pub(crate) fn run() -> ExitCode {
    match dispatch(Arguments::parse()) {
        Ok(code) => code,
        // A reader that has seen enough (`dataroom list | head`) is no failure.
        Err(error) if terminal::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::complain(&error);
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let place = arguments.place;
    match arguments.command {
        Command::Audit(wanted) => audit::audit(&place, wanted),
        Command::Setup { wheel } => setup::setup(&place, &wheel),
        Command::Tools(ToolsCommand::Check { json, explain }) => {
            tools::check_tools(&place, json, explain)
        }
        Command::Tools(ToolsCommand::List { json }) => tools::list(&place, json),
        Command::Tools(ToolsCommand::Call { name, arguments }) => {
            let room = room(&place, Folders { folders: Vec::new() })?;
            as_tool(&room, &name, tools::arguments_of(&arguments)?)
        }
        Command::Triage(TriageCommand::Init { schema, dir, force }) => {
            triage::init(schema, &dir, force)
        }
        Command::Doctor { json } => setup::doctor(&place, json),
        Command::Sources(command) => {
            sources::sources(&room(&place, Folders { folders: Vec::new() })?, &command)
        }
        Command::Serve { folders } => serve(&place, folders),
        Command::Run(wanted) => run::run(&place, wanted),
        Command::Query(wanted) => query::query(&place, wanted),
        Command::List { filter, folders, json } => {
            let room = room(&place, folders)?;
            if json {
                return as_tool(&room, "list_data", json!({"filter": filter}));
            }
            audit::recorded(&room, "list", json!({"filter": filter}), || {
                show::list(&room, filter.as_deref())
            })
        }
        Command::Describe { data, columns, folders, json } => {
            let room = room(&place, folders)?;
            let columns = (!columns.is_empty()).then_some(columns);
            if json {
                let arguments = json!({"data": data, "columns": columns});
                return as_tool(&room, "describe_data", arguments);
            }
            audit::recorded(&room, "describe", json!({"data": data, "columns": columns}), || {
                show::describe(&room, &data, columns.as_deref())
            })
        }
        Command::Chart(wanted) => {
            let room = room(&place, Folders { folders: wanted.folders.folders.clone() })?;
            chart::chart(&room, &wanted)
        }
        Command::Export { data, how, folders, json } => {
            let room = room(&place, folders)?;
            if json {
                let items: Option<Value> =
                    how.items.as_deref().map(serde_json::from_str).transpose()?;
                let arguments = json!({
                    "data": data, "items": items, "format": how.format, "name": how.name,
                    "delimiter": how.delimiter, "decimal": how.decimal,
                    "bom": how.bom.then_some(true),
                });
                return as_tool(&room, "export_data", arguments);
            }
            let asked = json!({"data": data, "items": how.items, "format": how.format});
            audit::recorded(&room, "export", asked, || show::export(&room, data, how))
        }
        Command::Trace { data, folders, json } => {
            let room = room(&place, folders)?;
            if json {
                return as_tool(&room, "trace_result", json!({"data": data}));
            }
            let asked = json!({"data": data});
            audit::recorded(&room, "trace", asked, || show::trace(&room, &data))
        }
        Command::Replay { data, folders, json } => {
            let room = room(&place, folders)?;
            if json {
                return replay::as_tool(&room, &data);
            }
            let asked = json!({"data": data});
            audit::recorded(&room, "replay", asked, || replay::replay(&room, &data))
        }
    }
}

/// The configuration that the person means.
fn config(place: &Place, home: &Path) -> anyhow::Result<Config> {
    Ok(match &place.config {
        Some(file) => Config::load(file)?,
        None => {
            let file = home.join("dataroom.toml");
            if file.is_file() { Config::load(&file)? } else { Config::default() }
        }
    })
}

/// The room that the person means.
fn room(place: &Place, folders: Folders) -> anyhow::Result<Room> {
    let home = locate_home(place.home.clone())?;
    let config = config(place, &home)?;
    let data = [folders.folders, config.data.folders].concat();
    Ok(Room::new(RoomSettings {
        cache: Cache::locate(None)?.with_extra(&config.python.extra)?,
        home,
        data,
        policy: config.policy,
        limits: config.limits,
        query: config.query,
        store: config.store.settings(),
        exports: config.export.folder,
        export_bytes: config.export.bytes,
        sources: config.sources,
        tools: config.tools,
        audit: config.audit,
        apps: config.view.apps,
        owner: Owner::local(),
        concurrency: config.serve.concurrency,
    }))
}

fn serve(place: &Place, folders: Folders) -> anyhow::Result<ExitCode> {
    let room = room(place, folders)?;
    room.open_folders()?;
    terminal::greet_if_alone();
    server::serve_stdio(room)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints what a tool returns.
fn as_tool(room: &Room, tool: &str, arguments: Value) -> anyhow::Result<ExitCode> {
    print_reply(&reply_of(room, tool, arguments)?)
}

fn reply_of(room: &Room, tool: &str, arguments: Value) -> anyhow::Result<Reply> {
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    server::call_tool(room, tool, arguments, &Call::new().by(Through::Command))
        .with_context(|| format!("there is no tool {tool}"))
}

fn print_reply(reply: &Reply) -> anyhow::Result<ExitCode> {
    let mut out = std::io::stdout().lock();
    match reply.structured() {
        Some(structured) => writeln!(out, "{structured}")?,
        None => writeln!(out, "{}", json!({"error": reply.text()}))?,
    }
    out.flush()?;
    Ok(if reply.failed() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
