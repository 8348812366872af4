//! Tables in and out of guest memory.
//!
//! The guest asks through `host.call` with small JSON [`messages`] that carry
//! addresses; the bulk moves between Arrow buffers and numpy arrays by copying.
//! Reading: the host decodes Parquet column by column on other threads ([`read`],
//! [`ahead`], [`decode`]), tells the guest what a column is and how big its buffers are, the
//! guest allocates them, the host fills them. Writing: the guest names the arrays
//! that a frame is made of, the host copies them into Arrow arrays ([`write`]) and
//! hands them to the run's sink, or encodes them into a scratch file.
//!
//! Texts and dates are objects in Python; the host makes and reads them itself ([`objects`]),
//! and does what is done with many texts at once ([`texts`]).
//!
//! Nothing that comes from the guest is trusted: every address is checked against
//! the memory's bounds, every code against its dictionary, text is checked to be
//! UTF-8, and sizes are checked against the run's limits before allocating.

mod ahead;
mod decode;
mod foldhash;
mod messages;
mod objects;
mod read;
pub(crate) mod session;
mod texts;
mod write;

use serde_json::json;
use wasmtime::{Caller, Memory};

use crate::guest::Guest;
use crate::limits::{LimitName, Limits};
use crate::outcome::Output;
use crate::wasi::{OverLimit, WasiView};
use messages::{Codec, ColumnIn, Destination, ObjectsIn, Reply, Request};

/// The longest name of an output, in bytes.
const LONGEST_OUTPUT_NAME: usize = 64;

fn over(caller: &mut Caller<'_, Guest>, limit: LimitName) -> wasmtime::Error {
    caller.data_mut().over(limit);
    OverLimit(limit).into()
}

fn misunderstood(error: &serde_json::Error) -> Reply {
    Reply::value_error(format!(
        "the host does not understand this message ({error}): leave _host alone and use \
         outputs, pd.read_parquet and DataFrame.to_parquet"
    ))
}

/// Answers one message, which is `None` if it was too long.
pub(crate) async fn answer(
    caller: &mut Caller<'_, Guest>,
    memory: &Memory,
    message: Option<&[u8]>,
) -> wasmtime::Result<Vec<u8>> {
    let guest = caller.data_mut();
    guest.session.calls += 1;
    if guest.session.calls > guest.limits.host_calls {
        return Err(over(caller, LimitName::HostCalls));
    }
    let Some(message) = message else { return Err(over(caller, LimitName::HostCallBytes)) };
    let request = match serde_json::from_slice::<Request>(message) {
        Ok(request) => request,
        Err(error) => return Ok(serde_json::to_vec(&misunderstood(&error))?),
    };
    let reply = match request {
        Request::Begin {} => {
            let session = &guest.session;
            Reply::Ok(json!({
                "code": session.code,
                "inputs": session.inputs,
                "seed": session.seed,
                "result_bytes": guest.limits.result_bytes,
            }))
        }
        Request::Open { fd, columns, objects } => read::open(guest, fd, columns, objects),
        Request::Ask { name, text, objects } => {
            let reply = read::ask(guest, (&name, &text), objects);
            if guest.stop.reason().is_some() {
                // A script cannot go on with what its end made of an answer.
                std::future::pending::<()>().await;
            }
            reply
        }
        Request::NextColumn { reader } => read::next_column(guest, reader),
        Request::Fill { reader, addresses, missing } => {
            let (bytes, guest) = memory.data_and_store_mut(&mut *caller);
            read::fill(guest, bytes, reader, (&addresses, missing))
        }
        Request::Close { reader } => read::close(guest, reader),
        Request::Texts { texts, operation } => {
            let (bytes, guest) = memory.data_and_store_mut(&mut *caller);
            texts::answer(guest, bytes, &texts, &operation)
        }
        Request::Table { destination, rows, columns, metadata, warnings, objects, compression } => {
            let table = Table { rows, columns, metadata, warnings, objects, compression };
            table.hand_over(caller, memory, destination).await?
        }
        Request::Done { result, last_line, error, exit, warnings } => {
            let limit = guest.limits.result_bytes;
            let report = &mut guest.session.report;
            report.done = true;
            report.exit = exit;
            report.last_line = last_line;
            report.error = error;
            report.warnings.extend(warnings);
            match result.map(|text| (text.len() as u64 <= limit, text)) {
                Some((false, _)) => return Err(over(caller, LimitName::Result)),
                Some((true, text)) => report.result = serde_json::from_str(&text).ok(),
                None => {}
            }
            Reply::Ok(json!(null))
        }
    };
    Ok(serde_json::to_vec(&reply)?)
}

struct Table {
    rows: u64,
    columns: Vec<ColumnIn>,
    metadata: std::collections::BTreeMap<String, String>,
    warnings: Vec<String>,
    objects: Option<ObjectsIn>,
    compression: Codec,
}

impl Table {
    /// The limit that so many rows and columns meet, if they do.
    fn meets(&self, limits: &Limits) -> Option<LimitName> {
        let columns = self.columns.len() as u64;
        if self.rows > limits.output_rows {
            return Some(LimitName::OutputRows);
        }
        if columns > limits.output_columns {
            return Some(LimitName::OutputColumns);
        }
        let cells = self.rows.saturating_mul(columns);
        (cells > limits.output_cells).then_some(LimitName::OutputCells)
    }

    async fn hand_over(
        self,
        caller: &mut Caller<'_, Guest>,
        memory: &Memory,
        destination: Destination,
    ) -> wasmtime::Result<Reply> {
        let limits = caller.data().limits.clone();
        if let Some(limit) = self.meets(&limits) {
            return Err(over(caller, limit));
        }
        let spent = caller.data().session.output_bytes;
        let room = limits.output_bytes.saturating_sub(spent);
        let stop = caller.data().stop.clone();
        let built = write::record_batch(
            (memory.data(&*caller), self.objects.as_ref(), &stop),
            self.rows,
            &self.columns,
            self.metadata,
            room,
        );
        let (batch, bytes) = match built {
            Ok(built) => built,
            Err(write::WriteError::TooBig) => return Err(over(caller, LimitName::OutputBytes)),
            Err(write::WriteError::Mixed) => return Ok(Reply::mixed()),
            Err(error) => return Ok(Reply::value_error(error.to_string())),
        };
        match destination {
            Destination::Fd(fd) => {
                // Encoding may take a while, but it is bounded by `output_bytes`.
                Ok(write::to_file(caller.data_mut(), fd, &batch, self.compression))
            }
            Destination::Output(name) => {
                if name.is_empty() || name.len() > LONGEST_OUTPUT_NAME || name.contains('\0') {
                    return Ok(Reply::value_error(format!(
                        "outputs[{:?}]: a name has 1 to {LONGEST_OUTPUT_NAME} bytes and no NUL",
                        name.chars().take(80).collect::<String>()
                    )));
                }
                let session = &mut caller.data_mut().session;
                if !session.output_names.insert(name.clone()) {
                    return Ok(Reply::value_error(format!("outputs[{name:?}] is given twice")));
                }
                if session.output_names.len() > limits.outputs as usize {
                    return Err(over(caller, LimitName::Outputs));
                }
                session.output_bytes = spent + bytes;
                let exchange = session.exchange();
                let rows = batch.num_rows() as u64;
                if let Err(message) = exchange.give(name.clone(), batch).await {
                    return Ok(Reply::value_error(message));
                }
                let warnings = self.warnings;
                caller.data_mut().session.report.outputs.push(Output { name, rows, warnings });
                Ok(Reply::Ok(json!(null)))
            }
        }
    }
}
