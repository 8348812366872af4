//! `dataroom run`: one script, for a person.
//!
//! As a process this must be quick: nothing is opened that the run does not need,
//! and there is no async runtime.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use dataroom::audience::{Audience, NextStep};
use dataroom::{Call, Room, RunReport, RunRequest, Source, server};
use dataroom_sandbox::Ending;
use serde_json::json;

use super::arguments::{Place, Run};
use super::table::size;
use super::{audit, print_reply, terminal};

pub(super) fn run(place: &Place, wanted: Run) -> anyhow::Result<ExitCode> {
    let code = source(&wanted.script)?;
    let room = super::room(place, wanted.folders)?;
    let name = |source: &Source| match source {
        Source::Data(name) | Source::Either(name) => name.clone(),
        Source::File(path) => path.display().to_string(),
    };
    let inputs = wanted.input.iter().map(|(variable, source)| (variable, name(source)));
    let inputs: BTreeMap<_, _> = inputs.collect();
    let asked = json!({"code": code, "inputs": inputs});
    let request = RunRequest { code, inputs: wanted.input };
    audit::recorded(&room, "run", asked, || answer(&room, request, wanted.json))
}

fn answer(room: &Room, request: RunRequest, as_json: bool) -> anyhow::Result<ExitCode> {
    let call = Call::new();
    let code = request.code.clone();
    let report = terminal::watched(&call, || room.run(request, &call));
    if as_json {
        return match report {
            Ok(report) => {
                let exit = exit_code(&report.outcome.ending);
                let printed = print_reply(&server::reply_of_run(room, &code, report, &call))?;
                Ok(if exit == 0 { printed } else { ExitCode::from(exit) })
            }
            Err(error) => {
                let cap = room.policy().reply_bytes();
                let refusal = error.shown(room.policy());
                print_reply(&dataroom::reply::Reply::refusal(&refusal, cap))
            }
        };
    }
    show(room, &report?)
}

fn source(script: &std::path::Path) -> anyhow::Result<String> {
    let mut code = Vec::new();
    if script.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut code).context("the script on stdin")?;
    } else {
        #[allow(clippy::disallowed_methods, reason = "the person named this script to be run")]
        let read = std::fs::read(script);
        code = read.with_context(|| {
            format!("{} cannot be read: name a Python script, or - for stdin", script.display())
        })?;
    }
    String::from_utf8(code)
        .with_context(|| format!("{} is not UTF-8: save it as UTF-8", script.display()))
}

fn show(room: &Room, report: &RunReport) -> anyhow::Result<ExitCode> {
    let outcome = &report.outcome;
    let mut out = std::io::stdout().lock();
    out.write_all(outcome.stdout.text.as_bytes())?;
    if let Some(result) = &outcome.result {
        writeln!(out, "{result:#}")?;
    }
    out.flush()?;
    drop(out);
    let mut notes = std::io::stderr().lock();
    notes.write_all(outcome.stderr.text.as_bytes())?;
    for kept in &report.kept {
        let meta = &kept.artifact.meta;
        writeln!(
            notes,
            "outputs[{:?}] = {} ({})",
            kept.name,
            meta.reference,
            size(meta.rows, meta.columns)
        )?;
        for warning in &kept.warnings {
            terminal::note(&mut notes, "warning", warning)?;
        }
    }
    for kept in &report.files {
        let meta = &kept.artifact.meta;
        let kind = meta.kind.name();
        writeln!(notes, "{kind} {} = {} ({} bytes)", kept.path, meta.reference, kept.bytes)?;
    }
    for warning in &outcome.warnings {
        terminal::note(&mut notes, "warning", warning)?;
    }
    for (name, cause) in &report.lost {
        terminal::note(&mut notes, "error", &format!("{name:?} was not kept: {cause}"))?;
    }
    tell_ending(room, report, &mut notes)?;
    let exit = exit_code(&outcome.ending);
    Ok(if exit == 0 && !report.lost.is_empty() { ExitCode::FAILURE } else { ExitCode::from(exit) })
}

/// The code that the command ends with, as `dataroom run --help` lists them: the
/// script's own where it left with one, like `python` itself.
fn exit_code(ending: &Ending) -> u8 {
    match ending {
        Ending::Completed => 0,
        Ending::Raised => 1,
        // A system keeps the lowest byte; what was a failure must stay one.
        Ending::Exited { code: 0 } => 0,
        Ending::Exited { code } => match code.to_le_bytes()[0] {
            0 => 1,
            code => code,
        },
        // As `timeout` has it, and as shells have what SIGINT and SIGABRT ended.
        Ending::Limit { .. } => 124,
        Ending::Cancelled => 130,
        Ending::Aborted => 134,
    }
}

/// Says how the script ended, unless it came to its end.
fn tell_ending(
    room: &Room,
    report: &RunReport,
    notes: &mut impl std::io::Write,
) -> anyhow::Result<()> {
    let outcome = &report.outcome;
    let message = match outcome.ending {
        // The same as with python itself: leaving with 0 is leaving well, but
        // outputs are taken at the end of the script only.
        Ending::Completed | Ending::Exited { code: 0 } => return Ok(()),
        Ending::Exited { code } => format!("the script left with code {code}"),
        Ending::Raised => match &outcome.error {
            Some(error) => format!("{}: {}", error.kind, error.message),
            None => "the script raised an exception".to_owned(),
        },
        Ending::Limit { limit } => {
            let setting = limit.setting();
            let limits = serde_json::to_value(&room.settings().limits)?;
            let most = limits.get(setting).map(|most| format!(" = {most}")).unwrap_or_default();
            format!(
                "the run met its limit {setting}{most} and was ended: do less in one run, or raise \
                 limits.{setting} in dataroom.toml"
            )
        }
        Ending::Cancelled => "the run was cancelled".to_owned(),
        Ending::Aborted => "the interpreter aborted".to_owned(),
    };
    terminal::note(notes, "error", &message)?;
    if let Some(error) = &outcome.error {
        if error.frames.is_empty() {
            if let (Some(line), Some(source)) = (error.line, &error.source) {
                let lead = format!("  line {line}: ");
                writeln!(notes, "{lead}{}", source.trim())?;
                // The column counts what was trimmed off, too.
                let indent = source.chars().count() - source.trim_start().chars().count();
                if let Some(at) = error.column.and_then(|c| (c as usize).checked_sub(indent + 1)) {
                    writeln!(notes, "{}^", " ".repeat(lead.len() + at))?;
                }
            }
        } else {
            for frame in &error.frames {
                writeln!(notes, "  {frame}")?;
            }
        }
        if let Some(hint) = &error.hint {
            writeln!(notes, "  {hint}")?;
        }
        // A person who is new here opens their file in the script.
        if matches!(error.kind.as_str(), "FileNotFoundError" | "PermissionError") {
            writeln!(notes, "  {}", NextStep::PassAsInput.to(Audience::Person))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_never_ends_with_zero() {
        let exited = |code| exit_code(&Ending::Exited { code });
        let codes = [0, 3, 255, 256, -1, 512, i32::MAX, i32::MIN].map(exited);
        assert_eq!(codes, [0, 3, 255, 1, 255, 1, 255, 1]);
    }
}
