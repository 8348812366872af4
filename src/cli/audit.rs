//! `dataroom audit`: what was asked of a room, and whether all of that is still there.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use dataroom::audit::{Event, Through};
use dataroom::room::{Asked, Ended};
use dataroom::{Room, RoomError};
use serde_json::{Map, Value, json};

use super::arguments::{Audit, Folders, Place};
use super::table::{Table, number, text};

pub(super) fn audit(place: &Place, wanted: Audit) -> anyhow::Result<ExitCode> {
    let room = super::room(place, Folders { folders: Vec::new() })?;
    match wanted {
        Audit::Show { since, json } => show(&room, since.as_deref(), json),
        Audit::Verify { head, json } => verify(&room, head.as_deref(), json),
    }
}

/// Does a command and writes it down.
pub(super) fn recorded(
    room: &Room,
    command: &str,
    arguments: Value,
    work: impl FnOnce() -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    let Value::Object(arguments) = arguments else { return work() };
    let arguments: Map<String, Value> =
        arguments.into_iter().filter(|(_, value)| !value.is_null()).collect();
    let asked = Asked {
        tool: command,
        through: Through::Command,
        arguments: &arguments,
        known: &arguments,
    };
    room.audited(asked, work, |done| {
        let failed = |error: &anyhow::Error| {
            error.downcast_ref::<RoomError>().map_or("FAILED", RoomError::code).to_owned()
        };
        let code = match done {
            Ok(code) if *code == ExitCode::SUCCESS => None,
            Ok(_) => Some("FAILED".to_owned()),
            Err(error) => Some(failed(error)),
        };
        Ended { code, ..Ended::default() }
    })?
}

fn show(room: &Room, since: Option<&str>, as_json: bool) -> anyhow::Result<ExitCode> {
    let since = since.map(moment).transpose()?;
    let lines = room.audit()?.lines(since)?;
    let mut out = std::io::stdout().lock();
    if as_json {
        for line in &lines {
            writeln!(out, "{}", serde_json::to_string(line)?)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new([
        number("line"),
        text("time"),
        text("through"),
        text("call"),
        number("ms"),
        number("rows"),
        number("bytes"),
        text("code"),
        text("about"),
    ]);
    for line in lines {
        let time = text(line.time.format("%Y-%m-%d %H:%M:%S").to_string());
        let seq = number(line.seq.to_string());
        let note = |what: String| {
            [text(""), text(""), number(""), number(""), number(""), text("NOTE"), text(what)]
        };
        let [through, call, ms, rows, bytes, code, about] = match line.event {
            Event::Call(call) => [
                text(word(call.through)),
                text(call.tool),
                number(call.ms.to_string()),
                number(call.rows.to_string()),
                number(call.bytes.to_string()),
                text(call.code.unwrap_or_default()),
                text(call.sql.unwrap_or_else(|| call.data.join(", "))),
            ],
            Event::Recovered { bytes, lines } => {
                note(format!("recovered: {bytes} bytes taken out, {lines} lines taken in"))
            }
            Event::Damaged { why } => note(format!("damaged: {why}")),
        };
        table.row([seq, time, through, call, ms, rows, bytes, code, about]);
    }
    drop(out);
    table.print()
}

fn word(through: Through) -> &'static str {
    match through {
        Through::Mcp => "mcp",
        Through::View => "view",
        Through::Command => "command",
        Through::Library => "library",
    }
}

/// `30m`, `2h`, `7d`, a day, or a moment.
fn moment(since: &str) -> anyhow::Result<DateTime<Utc>> {
    let relative = || {
        let (count, unit) = since.split_at_checked(since.len().checked_sub(1)?)?;
        let count: u32 = count.parse().ok()?;
        match unit {
            "m" => Utc::now().checked_sub_signed(TimeDelta::minutes(count.into())),
            "h" => Utc::now().checked_sub_signed(TimeDelta::hours(count.into())),
            "d" => Utc::now().checked_sub_days(Days::new(count.into())),
            _ => None,
        }
    };
    let day = || {
        let day = since.parse::<NaiveDate>().ok()?;
        Some(day.and_hms_opt(0, 0, 0)?.and_utc())
    };
    let whole = || DateTime::parse_from_rfc3339(since).ok().map(|time| time.to_utc());
    relative().or_else(day).or_else(whole).with_context(|| {
        format!(
            "--since {since:?} is no time: write 30m, 2h, 7d, 2026-12-31 or 2026-12-31T10:00:00Z"
        )
    })
}

fn verify(room: &Room, head: Option<&str>, as_json: bool) -> anyhow::Result<ExitCode> {
    let anchor = head.map(|head| -> anyhow::Result<(u64, String)> {
        let (seq, hash) = head.split_once(':').unwrap_or_default();
        let seq = seq.parse().ok().filter(|_| hash.len() == 64);
        let seq = seq.context("--head is what `audit verify` printed earlier, NUMBER:HASH")?;
        Ok((seq, hash.to_owned()))
    });
    let told = room.audit()?.verify(anchor.transpose()?.as_ref())?;
    let is_whole = told.problems.is_empty();
    let mut out = std::io::stdout().lock();
    if as_json {
        let said: Vec<String> = told.problems.iter().map(ToString::to_string).collect();
        writeln!(
            out,
            "{}",
            json!({"whole": is_whole, "lines": told.lines, "last": told.last,
            "problems": told.problems, "said": said, "notes": told.notes})
        )?;
    } else {
        for problem in &told.problems {
            writeln!(out, "{problem}")?;
        }
        for note in &told.notes {
            writeln!(out, "note: {note}")?;
        }
        let verdict =
            if is_whole { "all are as they were written" } else { "NOT as they were written" };
        writeln!(out, "{} lines, {verdict}", told.lines)?;
        if let Some((seq, hash)) = &told.last {
            writeln!(out, "head {seq}:{hash}")?;
        }
    }
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
