//! Parquet into guest memory.
//!
//! A reader decodes on threads of its own, a few columns ahead of the guest ([`super::ahead`]):
//! while the guest makes one column its own, the next are decoded on another core.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::file::reader::ChunkReader;
use serde_json::json;

use super::ahead::Ahead;
use super::decode::{self, Column};
use super::messages::{ColumnOut, KindOut, Reply};
use super::objects::{self, Laid, Types};
use crate::columns::{Budget, Charge, Columns};
use crate::footer::read_footer;
use crate::guest::{Guest, Stop};
use crate::run::{Cancel, Stopping};
use crate::wasi::files::Descriptor;
use crate::wasi::tree::Content;

/// Cells for which a second thread is worth its start.
const WORTH_A_THREAD: u64 = 1 << 18;
/// Readers that a run may have open at the same time; each has a thread.
const MOST_READERS: usize = 8;
/// How often it is looked whether the threads of closed readers have ended.
const NAP: Duration = Duration::from_millis(1);

/// One file being read, or columns that were made.
#[derive(Debug)]
pub(crate) struct Reader {
    columns: Supply,
    current: Option<Column>,
    /// Tells the thread that nobody waits any more.
    closed: Cancel,
}

/// Where columns come from.
#[derive(Debug)]
enum Supply {
    Decoded(Ahead<Column>),
    Made(std::vec::IntoIter<Column>),
}

impl Supply {
    fn next(&mut self) -> Option<Result<Column, String>> {
        match self {
            Self::Decoded(columns) => columns.next(),
            Self::Made(columns) => columns.next().map(Ok),
        }
    }
}

impl Reader {
    /// A reader of columns that are there.
    pub(super) fn made(columns: Vec<Column>) -> Self {
        let columns = Supply::Made(columns.into_iter());
        Self { columns, current: None, closed: Cancel::new() }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.closed.cancel();
    }
}

/// What a reader's threads hold.
struct Held {
    budget: Budget,
    types: Option<Types>,
    stop: Stop,
    /// Counts the readers whose threads are alive.
    _alive: Arc<()>,
    /// Bytes that only this reader may keep alive.
    _file: Charge,
}

/// A scratch file's bytes.
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Opens the Parquet file behind `fd` and starts decoding.
///
/// Texts and dates are made into objects of `types`, if these are given.
pub(super) fn open(
    guest: &mut Guest,
    fd: u32,
    columns: Option<Vec<String>>,
    types: Option<Types>,
) -> Reply {
    let Some(stop) = guest.session.stop.clone() else {
        return Reply::value_error("no file can be read while the start image is made");
    };
    if !has_threads(guest, &stop) {
        return Reply::value_error("the run was stopped");
    }
    let files = &guest.wasi_ref().files;
    let content = match files.get(fd) {
        Ok(Descriptor::File { node, read: true, .. }) => files.tree.content(*node),
        _ => return Reply::value_error("the file is not open for reading"),
    };
    let budget = guest.session.decoded.clone();
    let closed = Cancel::new();
    let hold = |bytes: u64| match budget.pay(bytes) {
        Ok(file) => Ok(Held {
            stop: stop.until(closed.clone()),
            _alive: guest.session.threads.clone(),
            _file: file,
            budget,
            types,
        }),
        Err(error) => Err(format!("this Parquet file cannot be read: {error}")),
    };
    let opened = match content {
        Ok(Content::Host(file)) => hold(0).and_then(|held| start(file.clone(), columns, held)),
        Ok(Content::Bytes(bytes)) => {
            let bytes = Bytes::from_owner(bytes.clone());
            hold(0).and_then(|held| start(bytes, columns, held))
        }
        Ok(Content::Scratch(bytes)) => {
            // The script may write to the file, which copies it, while it is being read.
            let bytes = Bytes::from_owner(Shared(bytes.clone()));
            hold(bytes.len() as u64).and_then(|held| start(bytes, columns, held))
        }
        Err(_) => return Reply::value_error("the file is not open for reading"),
    };
    match opened {
        Ok((columns, answer)) => {
            let columns = Supply::Decoded(columns);
            seated(guest, Reader { columns, current: None, closed }, answer)
        }
        Err(message) => Reply::value_error(message),
    }
}

/// Waits for the threads of readers that were closed: they end soon, but a script can be
/// faster. `false`: the run is over.
fn has_threads(guest: &Guest, stop: &Stop) -> bool {
    while Arc::strong_count(&guest.session.threads) > 2 * MOST_READERS {
        if stop.reason().is_some() {
            return false;
        }
        std::thread::sleep(NAP);
    }
    true
}

/// Asks the embedder, and starts decoding what it answers.
pub(super) fn ask(guest: &mut Guest, (name, text): (&str, &str), types: Option<Types>) -> Reply {
    let session = &guest.session;
    let (Some(stop), Some(door)) = (session.stop.clone(), session.door.clone()) else {
        return Reply::refused(format!("{name}(…) is not answered here"));
    };
    if !has_threads(guest, &stop) {
        return Reply::value_error("the run was stopped");
    }
    let answer = match door.ask(name, text, &Stopping(stop.clone())) {
        Ok(answer) => answer,
        Err(message) => return Reply::refused(message),
    };
    let budget = session.decoded.clone();
    let closed = Cancel::new();
    let opened = budget.pay(0).map_err(|error| error.to_string()).and_then(|file| {
        let held = Held {
            stop: stop.until(closed.clone()),
            _alive: session.threads.clone(),
            _file: file,
            budget,
            types,
        };
        start(answer.table, None, held)
    });
    match opened {
        Ok((columns, mut told)) => {
            told["warnings"] = json!(answer.warnings);
            let columns = Supply::Decoded(columns);
            seated(guest, Reader { columns, current: None, closed }, told)
        }
        Err(message) => Reply::value_error(message),
    }
}

/// Gives a reader a number of its own.
pub(super) fn seated(guest: &mut Guest, reader: Reader, mut answer: serde_json::Value) -> Reply {
    let readers = &mut guest.session.readers;
    let free = readers.iter().position(Option::is_none).unwrap_or(readers.len());
    if free >= MOST_READERS {
        return Reply::value_error("too many Parquet files are being read at once");
    }
    if free == readers.len() {
        readers.push(None);
    }
    readers[free] = Some(reader);
    answer["reader"] = json!(free);
    Reply::Ok(answer)
}

fn start(
    file: impl ChunkReader + Clone + 'static,
    wanted: Option<Vec<String>>,
    held: Held,
) -> Result<(Ahead<Column>, serde_json::Value), String> {
    let metadata = read_footer(&file)
        .map_err(|error| format!("this is not a readable Parquet file: {error}"))?;
    let schema = metadata.schema().clone();
    let fields = schema.fields();
    let indices: Vec<usize> = match wanted {
        None => (0..fields.len()).collect(),
        Some(names) => names
            .iter()
            .map(|name| {
                fields.iter().position(|field| field.name() == name).ok_or_else(|| {
                    let known: Vec<&str> =
                        fields.iter().take(40).map(|field| field.name().as_str()).collect();
                    format!("no column {name:?} in this Parquet file; it has {known:?}")
                })
            })
            .collect::<Result<_, _>>()?,
    };
    let (rows, count) = (metadata.metadata().file_metadata().num_rows(), indices.len());
    let mut answer = json!({
        "rows": rows,
        "columns": indices.iter().map(|i| fields[*i].name()).collect::<Vec<_>>(),
        "metadata": described(KEYS.iter().filter_map(|key| {
            schema.metadata().get_key_value(*key).map(|(key, value)| (key.clone(), json!(value)))
        })),
        "key_values": described(key_values(&metadata)),
    });
    if indices.is_empty() {
        // Asked for nothing: this is about what there is.
        answer["names"] = fields.iter().map(|field| field.name().as_str()).collect();
    }
    let cells = u64::try_from(rows).unwrap_or(0).saturating_mul(indices.len() as u64);
    let threads = if cells > WORTH_A_THREAD { 2 } else { 1 };
    let file = Columns::new(file, metadata);
    let decode = move |at: usize| {
        let index = indices.get(at).copied().ok_or_else(|| "there is no such column".to_owned())?;
        decode::column(&file, index, (&held.budget, held.types), &held.stop)
    };
    let columns = Ahead::start(count, threads, decode)
        .map_err(|error| format!("no thread can be started to read the file: {error}"))?;
    Ok((columns, answer))
}

/// The metadata that says how a frame was made. A script gets no other: not the record
/// of who made an artifact and when, which is none of its business and would make two
/// runs on the same values differ; and always in this order, which a hash map's is not.
const KEYS: [&str; 2] = ["pandas", "dataroom.columns"];

fn described(pairs: impl Iterator<Item = (String, serde_json::Value)>) -> serde_json::Value {
    pairs.collect::<serde_json::Map<_, _>>().into()
}

/// The file's own key-value metadata.
fn key_values(metadata: &ArrowReaderMetadata) -> impl Iterator<Item = (String, serde_json::Value)> {
    let pairs = metadata.metadata().file_metadata().key_value_metadata();
    KEYS.iter().filter_map(move |key| {
        let pair = pairs?.iter().find(|pair| pair.key == *key)?;
        Some((pair.key.clone(), json!(pair.value)))
    })
}

fn reader(guest: &mut Guest, index: u32) -> Option<&mut Reader> {
    guest.session.readers.get_mut(index as usize).and_then(Option::as_mut)
}

/// Waits for the next decoded column and describes it.
pub(super) fn next_column(guest: &mut Guest, index: u32) -> Reply {
    let Some(reader) = reader(guest, index) else {
        return Reply::value_error("this Parquet reader is closed");
    };
    // It is dropped before the next is waited for, which may need its memory.
    reader.current = None;
    match reader.columns.next() {
        Some(Ok(column)) => {
            let answer = json!(ColumnOut {
                name: &column.name,
                rows: column.decoded.rows,
                nulls: column.decoded.nulls,
                data: &column.decoded.kind,
                buffers: column.decoded.lengths(),
            });
            reader.current = Some(column);
            Reply::Ok(answer)
        }
        Some(Err(message)) => {
            guest.session.readers[index as usize] = None;
            Reply::value_error(message)
        }
        None => {
            guest.session.readers[index as usize] = None;
            Reply::value_error("this Parquet file is damaged: it cannot be decoded any further")
        }
    }
}

/// Copies the current column's buffers into guest memory. Of objects, nulls are `missing`.
pub(super) fn fill(
    guest: &mut Guest,
    memory: &mut [u8],
    index: u32,
    (addresses, missing): (&[u32], u32),
) -> Reply {
    let column = reader(guest, index).and_then(|reader| reader.current.take());
    let Some(column) = column else {
        return Reply::value_error("no column waits to be filled in");
    };
    if let (Some(laid), Some(stop)) = (&column.decoded.laid, &guest.session.stop) {
        return lay_out(laid, memory, (addresses, missing), stop);
    }
    let buffers = &column.decoded.buffers;
    if addresses.len() != buffers.len() {
        return Reply::value_error("a column needs one address for each of its buffers");
    }
    let objects = matches!(column.decoded.kind, KindOut::Objects { .. });
    for (at, (buffer, &address)) in buffers.iter().zip(addresses).enumerate() {
        let start = address as usize;
        let Some(target) = memory.get_mut(start..start + buffer.len()) else {
            return Reply::value_error("a buffer's address is outside of memory");
        };
        // The first buffer is the block that the second is about.
        match (objects, at, addresses) {
            (true, 1, &[block, _]) => objects::addresses(buffer, block, missing, target),
            _ => target.copy_from_slice(buffer),
        }
    }
    Reply::Ok(json!(null))
}

/// Lays texts out at the first address, and their addresses at the second.
fn lay_out(
    laid: &Laid,
    memory: &mut [u8],
    (addresses, missing): (&[u32], u32),
    stop: &Stop,
) -> Reply {
    let &[block, places] = addresses else {
        return Reply::value_error("a column needs one address for each of its buffers");
    };
    let [size, rows] = laid.lengths();
    let at = |address: u32, length| address as usize..(address as usize).saturating_add(length);
    match memory.get_disjoint_mut([at(block, size), at(places, rows)]) {
        Ok([bytes, places]) => match laid.write((bytes, block), places, missing, stop) {
            Some(()) => Reply::Ok(json!(null)),
            None => Reply::value_error("the texts cannot be laid out"),
        },
        Err(_) => Reply::value_error("a buffer's address is outside of memory"),
    }
}

/// Drops a reader; its thread ends at its next batch.
pub(super) fn close(guest: &mut Guest, index: u32) -> Reply {
    if let Some(slot) = guest.session.readers.get_mut(index as usize) {
        *slot = None;
    }
    Reply::Ok(json!(null))
}
