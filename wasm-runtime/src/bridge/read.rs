//! Parquet into guest memory.
//!
//! A reader decodes on a thread of its own, one column after another, at most
//! [`AHEAD`] columns ahead of the guest: while the guest builds the Python objects of
//! one column, the next is decoded on the other core, and host memory holds a few
//! columns, never a table.

use std::sync::mpsc::{Receiver, sync_channel};

use bytes::Bytes;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::file::reader::ChunkReader;
use serde_json::json;

use super::budget::Budget;
use super::decode::{self, Column};
use super::messages::{ColumnOut, Reply};
use crate::footer::read_footer;
use crate::guest::{Guest, Stop};
use crate::wasi::files::Descriptor;
use crate::wasi::tree::Content;

/// Decoded columns that may wait for the guest.
const AHEAD: usize = 3;
/// Readers that a run may have open at the same time; each has a thread.
const MOST_READERS: usize = 8;

/// One file being read.
#[derive(Debug)]
pub(crate) struct Reader {
    columns: Receiver<Result<Column, String>>,
    current: Option<Column>,
}

/// Opens the Parquet file behind `fd` and starts decoding.
pub(super) fn open(guest: &mut Guest, fd: u32, columns: Option<Vec<String>>) -> Reply {
    let Some(stop) = guest.session.stop.clone() else {
        return Reply::value_error("no file can be read while the start image is made");
    };
    let budget = guest.session.decoded.clone();
    let files = &guest.wasi_ref().files;
    let content = match files.get(fd) {
        Ok(Descriptor::File { node, read: true, .. }) => files.tree.content(*node),
        _ => return Reply::value_error("the file is not open for reading"),
    };
    let opened = match content {
        Ok(Content::Host(file)) => start(file.clone(), columns, stop, budget),
        Ok(Content::Bytes(bytes)) => start(Bytes::copy_from_slice(bytes), columns, stop, budget),
        Ok(Content::Scratch(bytes)) => start(Bytes::copy_from_slice(bytes), columns, stop, budget),
        Err(_) => return Reply::value_error("the file is not open for reading"),
    };
    match opened {
        Ok((reader, mut answer)) => {
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
        Err(message) => Reply::value_error(message),
    }
}

fn start(
    file: impl ChunkReader + Clone + 'static,
    wanted: Option<Vec<String>>,
    stop: Stop,
    budget: Budget,
) -> Result<(Reader, serde_json::Value), String> {
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
    let rows = metadata.metadata().file_metadata().num_rows();
    let mut answer = json!({
        "rows": rows,
        "columns": indices.iter().map(|i| fields[*i].name()).collect::<Vec<_>>(),
        "metadata": schema.metadata(),
        "key_values": key_values(&metadata),
    });
    if indices.is_empty() {
        // Asked for nothing: this is about what there is.
        answer["names"] = fields.iter().map(|field| field.name().as_str()).collect();
    }
    let (sender, columns) = sync_channel(AHEAD);
    std::thread::Builder::new()
        .name("parquet-reader".to_owned())
        .spawn(move || {
            for index in indices {
                let column = decode::column(&file, &metadata, index, budget.charge(), &stop);
                let failed = column.is_err();
                // The guest has let go of the reader, or ended.
                if sender.send(column).is_err() || failed {
                    return;
                }
            }
        })
        .map_err(|error| format!("no thread can be started to read the file: {error}"))?;
    Ok((Reader { columns, current: None }, answer))
}

/// The file's own key-value metadata that says how a frame was made.
fn key_values(metadata: &ArrowReaderMetadata) -> serde_json::Value {
    let pairs = metadata.metadata().file_metadata().key_value_metadata();
    let wanted = |key: &str| matches!(key, "pandas" | "dataroom.columns");
    let found = pairs.into_iter().flatten().filter(|pair| wanted(&pair.key));
    found
        .map(|pair| (pair.key.clone(), json!(pair.value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn reader(guest: &mut Guest, index: u32) -> Option<&mut Reader> {
    guest.session.readers.get_mut(index as usize).and_then(Option::as_mut)
}

/// Waits for the next decoded column and describes it.
pub(super) fn next_column(guest: &mut Guest, index: u32) -> Reply {
    let Some(reader) = reader(guest, index) else {
        return Reply::value_error("this Parquet reader is closed");
    };
    match reader.columns.recv() {
        Ok(Ok(column)) => {
            let answer = json!(ColumnOut {
                name: &column.name,
                rows: column.rows,
                nulls: column.nulls,
                data: &column.kind,
                buffers: column.buffers.iter().map(Vec::len).collect(),
            });
            reader.current = Some(column);
            Reply::Ok(answer)
        }
        Ok(Err(message)) => {
            guest.session.readers[index as usize] = None;
            Reply::value_error(message)
        }
        Err(_) => {
            guest.session.readers[index as usize] = None;
            Reply::value_error("this Parquet file is damaged: it cannot be decoded any further")
        }
    }
}

/// Copies the current column's buffers into guest memory.
pub(super) fn fill(guest: &mut Guest, memory: &mut [u8], index: u32, addresses: &[u32]) -> Reply {
    let column = reader(guest, index).and_then(|reader| reader.current.take());
    let Some(column) = column else {
        return Reply::value_error("no column waits to be filled in");
    };
    if addresses.len() != column.buffers.len() {
        return Reply::value_error("a column needs one address for each of its buffers");
    }
    for (buffer, &address) in column.buffers.iter().zip(addresses) {
        let start = address as usize;
        let Some(target) = memory.get_mut(start..start + buffer.len()) else {
            return Reply::value_error("a buffer's address is outside of memory");
        };
        target.copy_from_slice(buffer);
    }
    Reply::Ok(json!(null))
}

/// Drops a reader; its thread ends at its next column.
pub(super) fn close(guest: &mut Guest, index: u32) -> Reply {
    if let Some(slot) = guest.session.readers.get_mut(index as usize) {
        *slot = None;
    }
    Reply::Ok(json!(null))
}
