//! One run's side of the door: what it may ask for, and what it has said so far.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use arrow::record_batch::RecordBatch;

use super::read::Reader;
use crate::columns::Budget;
use crate::guest::Stop;
use crate::outcome::{GuestError, Output};
use crate::run::{Door, OutputSink, Run, SinkError};

/// Rows in a batch for the sink.
const BATCH_ROWS: usize = 1 << 17;

/// What the guest has said of itself.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) done: bool,
    pub(crate) result: Option<serde_json::Value>,
    pub(crate) last_line: bool,
    pub(crate) error: Option<GuestError>,
    pub(crate) exit: Option<i32>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) warnings: Vec<String>,
}

/// The state of one run behind `host.call`.
#[derive(Debug)]
pub(crate) struct Session {
    pub(super) code: String,
    pub(super) inputs: Vec<String>,
    pub(super) seed: u64,
    pub(super) readers: Vec<Option<Reader>>,
    /// Held by each thread that reads for the run.
    pub(super) threads: Arc<()>,
    pub(super) output_names: HashSet<String>,
    pub(super) output_bytes: u64,
    pub(super) calls: u64,
    pub(super) report: Report,
    pub(super) stop: Option<Stop>,
    pub(super) door: Option<Arc<dyn Door>>,
    /// What decoded columns hold of the host's memory until the guest has them.
    pub(super) decoded: Budget,
    exchange: Exchange,
}

impl Session {
    pub(crate) fn new(run: Run, stop: Stop) -> Self {
        let inputs = run.inputs.iter().map(|input| input.name.as_str().to_owned()).collect();
        Self {
            code: run.code,
            inputs,
            seed: run.seed,
            stop: Some(stop),
            door: run.door,
            decoded: Budget::new(run.limits.memory_bytes),
            ..Self::preload()
        }
    }

    /// The session of an interpreter that only fills the start image.
    pub(crate) fn preload() -> Self {
        Self {
            code: String::new(),
            inputs: Vec::new(),
            seed: 0,
            readers: Vec::new(),
            threads: Arc::default(),
            output_names: HashSet::new(),
            output_bytes: 0,
            calls: 0,
            report: Report::default(),
            stop: None,
            door: None,
            decoded: Budget::new(0),
            exchange: Exchange::default(),
        }
    }

    pub(crate) fn exchange(&self) -> Exchange {
        self.exchange.clone()
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    /// Takes what the guest has said.
    pub(crate) fn report(&mut self) -> Report {
        std::mem::take(&mut self.report)
    }
}

/// Hands tables from the suspended guest to the driver, which has the sink: the
/// guest's store must own its data for ever, a sink is borrowed for a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exchange(Arc<Mutex<State>>);

#[derive(Debug, Default)]
enum State {
    #[default]
    Empty,
    Asked(String, RecordBatch),
    Answered(Result<(), String>),
}

impl Exchange {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Guest side: gives a whole table to the sink.
    pub(super) async fn give(&self, name: String, table: RecordBatch) -> Result<(), String> {
        *self.state() = State::Asked(name, table);
        std::future::poll_fn(|_| {
            let mut state = self.state();
            match std::mem::take(&mut *state) {
                State::Answered(answer) => Poll::Ready(answer),
                other => {
                    *state = other;
                    Poll::Pending
                }
            }
        })
        .await
    }

    /// Driver side: does what was asked, if anything was.
    pub(crate) fn serve(&self, sink: &mut dyn OutputSink, stop: &Stop) {
        let mut state = self.state();
        match std::mem::take(&mut *state) {
            State::Asked(name, table) => {
                *state = State::Answered(take(sink, &name, &table, stop).map_err(|error| error.0));
            }
            other => *state = other,
        }
    }
}

fn take(
    sink: &mut dyn OutputSink,
    name: &str,
    table: &RecordBatch,
    stop: &Stop,
) -> Result<(), SinkError> {
    let mut taker = sink.table(name, table.schema())?;
    let mut offset = 0;
    while offset < table.num_rows() {
        if stop.reason().is_some() {
            return Err(SinkError("the run was stopped".to_owned()));
        }
        let rows = BATCH_ROWS.min(table.num_rows() - offset);
        taker.write(&table.slice(offset, rows))?;
        offset += rows;
    }
    taker.finish()
}
