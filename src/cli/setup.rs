//! `dataroom setup` and `dataroom doctor`.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use dataroom::config::{Config, locate_home};
use dataroom::runtime::{self, Cache, Step};
use serde_json::json;

use super::arguments::Place;
use super::terminal;

pub(super) fn setup(place: &Place, wheels: &[PathBuf]) -> anyhow::Result<ExitCode> {
    let cache = cache(place)?;
    let shown = std::io::stderr().is_terminal();
    let bar = terminal::bar(1_000);
    let mut last = Step::Checking;
    let was_there = cache.ready().is_some();
    let done = runtime::setup(&cache, wheels, &mut |event| {
        let step = event.step;
        // Where there is nothing to do there is nothing to tell of but the end, which
        // is told below.
        if shown {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a fraction of a thousand"
            )]
            bar.set_position((event.fraction.clamp(0.0, 1.0) * 1_000.0) as u64);
            bar.set_message(step.to_string());
        } else if step != last && step != Step::Done {
            // A log wants a line for each step and not a bar.
            let _ = writeln!(std::io::stderr(), "{:>3.0}% {step}", event.fraction * 100.0);
            last = step;
        }
    });
    bar.finish_and_clear();
    let ready = done?;
    let mut out = std::io::stdout().lock();
    let before = if was_there && last == Step::Checking { "nothing to do, " } else { "" };
    writeln!(out, "{before}ready: {}", ready.image.display())?;
    Ok(ExitCode::SUCCESS)
}

/// The cache for the room at `place`, whose configuration may name wheels.
fn cache(place: &Place) -> anyhow::Result<Cache> {
    Ok(Cache::locate(None)?.with_extra(&configured(place)?.python.extra)?)
}

fn configured(place: &Place) -> anyhow::Result<Config> {
    // On a machine without a home for rooms there is still a sandbox to set up.
    Ok(match (locate_home(place.home.clone()), &place.config) {
        (Ok(home), _) => super::config(place, &home)?,
        (Err(_), Some(file)) => Config::load(file)?,
        (Err(_), None) => Config::default(),
    })
}

pub(super) fn doctor(place: &Place, json: bool) -> anyhow::Result<ExitCode> {
    let home = locate_home(place.home.clone())?;
    let extra = configured(place)?.python.extra;
    let (cache, broken) = Cache::locate(None)?.with_extra_or_why(&extra);
    let checks = runtime::doctor(&cache, &home, &broken);
    let mut out = std::io::stdout().lock();
    if json {
        let entries: Vec<_> = checks
            .iter()
            .map(|check| {
                let (name, detail) = (&check.name, &check.detail);
                json!({"name": name, "ok": check.ok, "detail": detail, "mend": check.mend})
            })
            .collect();
        writeln!(out, "{}", serde_json::Value::Array(entries))?;
    } else {
        for check in &checks {
            let mark = if check.ok { "ok     " } else { "missing" };
            writeln!(out, "{mark}  {}: {}", check.name, check.detail)?;
            if let Some(mend) = check.mend.as_ref().filter(|_| !check.ok) {
                writeln!(out, "         {mend}")?;
            }
        }
    }
    let well = checks.iter().all(|check| check.ok);
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
