//! The sandbox's figures, as JSON: `scripts/bench` prints them as a table.
//!
//! ```text
//! cargo run -p dataroom-sandbox --example latency -- RUNTIME IMAGES [--quick]
//! ```
//!
//! RUNTIME and IMAGES as in the example `embed`. Every answer is checked; where one
//! is not right, `{"error": …}` stands in place of its figure, and the rest goes on.

#![allow(clippy::print_stdout, reason = "its output is JSON on stdout")]
#![allow(clippy::disallowed_methods, reason = "a measurement has paths and reads /proc")]

mod cancelling;
mod limits;
mod memory;
mod runs;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use dataroom_sandbox::packages::Key;
use dataroom_sandbox::{
    Cancel, Ending, Limits, NoOutputs, Outcome, OutputSink, Run, Sandbox, SinkError, TableSink,
    image,
};
use serde_json::{Value, json};

pub(crate) type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How much to measure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Fresh sandboxes.
    pub fresh: usize,
    /// Runs in a row.
    pub in_a_row: usize,
    /// Repetitions of a cancel.
    pub cancels: usize,
}

fn main() -> Result<()> {
    let mut arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let quick = arguments.iter().any(|argument| argument == "--quick");
    arguments.retain(|argument| argument != "--quick");
    let [runtime, images] = arguments.as_slice() else {
        return Err("usage: latency RUNTIME IMAGES [--quick]".into());
    };
    let effort = if quick {
        Effort { fresh: 50, in_a_row: 200, cancels: 3 }
    } else {
        Effort { fresh: 200, in_a_row: 1_000, cancels: 10 }
    };
    let (key, images) = (Key::locked(), PathBuf::from(images));
    let image = images.join(image::file_name(&key));
    let begun = Instant::now();
    let sandbox = Sandbox::open(runtime.as_ref(), &key.file(&images), &image)?;
    let open_ms = millis(begun.elapsed());
    // In this order: memory is measured before anything else has touched it.
    let report = json!({
        "open_ms": open_ms,
        "image_bytes": std::fs::metadata(&image)?.len(),
        "memory": or_error(memory::measure(&sandbox)),
        "fresh": or_error(runs::fresh(&sandbox, effort.fresh)),
        "at_once": or_error(runs::at_once(&sandbox)),
        "cancel": cancelling::measure(&sandbox, effort.cancels),
        "limits": limits::measure(&sandbox),
        "in_a_row": or_error(runs::in_a_row(&sandbox, effort.in_a_row)),
    });
    println!("{report}");
    Ok(())
}

/// A figure, or what is wrong in its place.
pub(crate) fn or_error(figure: Result<Value>) -> Value {
    figure.unwrap_or_else(|error| json!({"error": error.to_string()}))
}

/// Runs `code` without tables.
pub(crate) fn run(sandbox: &Sandbox, code: &str, limits: Limits, cancel: &Cancel) -> Outcome {
    let run = Run { code: code.to_owned(), limits, ..Run::default() };
    sandbox.run(run, &mut NoOutputs, cancel)
}

/// The result of a run that has to come to its end.
pub(crate) fn answer(sandbox: &Sandbox, code: &str) -> Result<Value> {
    let outcome = run(sandbox, code, Limits::default(), &Cancel::new());
    expect(&outcome, &Ending::Completed, code)?;
    Ok(outcome.result.unwrap_or_default())
}

pub(crate) fn expect(outcome: &Outcome, ending: &Ending, code: &str) -> Result<()> {
    if outcome.ending == *ending {
        return Ok(());
    }
    let shown = serde_json::to_string(outcome)?;
    Err(format!("expected {ending:?} of {code:?}, got {shown}").into())
}

pub(crate) fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// Percentiles of times, by nearest rank.
pub(crate) fn spread(mut times: Vec<Duration>) -> Value {
    times.sort_unstable();
    let rank = |share: f64| {
        let at = (share * times.len() as f64).ceil() as usize;
        times.get(at.max(1) - 1).copied().map(millis)
    };
    let mean = times.iter().sum::<Duration>() / u32::try_from(times.len()).unwrap_or(u32::MAX);
    json!({
        "n": times.len(), "min_ms": rank(0.0), "p50_ms": rank(0.5), "p99_ms": rank(0.99),
        "max_ms": rank(1.0), "mean_ms": millis(mean),
    })
}

/// Takes any table and keeps none: what remains is the cost of handing it over.
pub(crate) struct Discard;

impl OutputSink for Discard {
    fn table(
        &mut self,
        _: &str,
        _: arrow::datatypes::SchemaRef,
    ) -> std::result::Result<Box<dyn TableSink>, SinkError> {
        Ok(Box::new(Self))
    }
}

impl TableSink for Discard {
    fn write(
        &mut self,
        _: &arrow::record_batch::RecordBatch,
    ) -> std::result::Result<(), SinkError> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> std::result::Result<(), SinkError> {
        Ok(())
    }
}
