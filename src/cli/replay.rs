//! `dataroom replay`: whether a result still comes out.

use std::io::Write as _;
use std::process::ExitCode;

use dataroom::audience::Audience;
use dataroom::room::Verdict;
use dataroom::{Call, Room};
use serde_json::json;

use super::terminal;

pub(super) fn replay(room: &Room, data: &str) -> anyhow::Result<ExitCode> {
    let call = Call::new();
    let replay = terminal::watched(&call, || room.replay(data, &call))?;
    let mut out = std::io::stdout().lock();
    for (number, step) in replay.steps.iter().enumerate() {
        let verdict = match step.verdict {
            Verdict::Same => "same".to_owned(),
            // To be found at a glance in a long list.
            _ => step.verdict.word().to_uppercase(),
        };
        writeln!(out, "{}. {}: {verdict}", number + 1, step.label())?;
        for line in step.verdict.lines(Audience::Person) {
            writeln!(out, "   {line}")?;
        }
        for note in &step.notes {
            writeln!(out, "   note: {note}")?;
        }
    }
    writeln!(out, "{}", replay.summary(true))?;
    out.flush()?;
    Ok(ended(replay.identical()))
}

pub(super) fn as_tool(room: &Room, data: &str) -> anyhow::Result<ExitCode> {
    let reply = super::reply_of(room, "trace_result", json!({"data": data, "replay": true}))?;
    let printed = super::print_reply(&reply)?;
    match reply.structured() {
        Some(answer) => Ok(ended(answer["replay"]["identical"] == true)),
        None => Ok(printed),
    }
}

fn ended(identical: bool) -> ExitCode {
    if identical { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
