//! A table as a Parquet file in the scratch folders.

use std::io::{self, Write};

use arrow::record_batch::RecordBatch;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use serde_json::json;

use super::super::messages::{Codec, Reply};
use crate::guest::{Guest, Stop};
use crate::table_writer::{CATEGORIES_KEY, TableWriter};
use crate::wasi::WasiView;
use crate::wasi::files::Descriptor;

/// Bytes that the encoder is given before it looks what it holds.
const AT_ONCE: usize = 16 << 20;

/// Encodes a table as Parquet into the scratch file behind `fd`.
pub(in super::super) fn to_file(
    guest: &mut Guest,
    fd: u32,
    batch: &RecordBatch,
    codec: Codec,
) -> Reply {
    let node = match guest.wasi().files.get(fd) {
        Ok(Descriptor::File { node, write: true, .. }) => *node,
        _ => return Reply::value_error("the file is not open for writing"),
    };
    let mut bytes = Capped { bytes: Vec::new(), most: guest.limits.scratch_bytes };
    let full = match encode(batch, codec, &mut bytes, &guest.stop) {
        Ok(()) => false,
        Err(ParquetError::External(cause)) if cause.is::<io::Error>() => true,
        Err(error) => {
            return Reply::value_error(format!("the table cannot be written as Parquet: {error}"));
        }
    };
    let files = &mut guest.wasi().files;
    let length = bytes.bytes.len();
    let written = if full {
        files.tree.refuse_bytes();
        false
    } else {
        files.tree.fill(node, bytes.bytes).is_ok()
    };
    if written {
        Reply::Ok(json!(length))
    } else {
        Reply::Error { kind: "OSError", message: "[Errno 51] No space left on device".to_owned() }
    }
}

fn encode(
    batch: &RecordBatch,
    codec: Codec,
    out: &mut Capped,
    stop: &Stop,
) -> Result<(), ParquetError> {
    let schema = batch.schema();
    let pairs = schema.metadata().clone().into_iter();
    let pairs = pairs.map(|(key, value)| KeyValue::new(key, value)).collect();
    let properties = WriterProperties::builder()
        .set_compression(compression(codec))
        // As pyarrow does: pages have no statistics of their own.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_key_value_metadata(Some(pairs))
        .build();
    let said = schema.metadata().get(CATEGORIES_KEY).map(String::as_str);
    let mut writer = TableWriter::try_new(out, batch.schema(), said, properties)?;
    let row = batch.get_array_memory_size() / batch.num_rows().max(1);
    let rows = (AT_ONCE / row.max(1)).max(1);
    let go_on = || stop.reason().is_none();
    for start in (0..batch.num_rows()).step_by(rows) {
        writer.write_while(&batch.slice(start, rows.min(batch.num_rows() - start)), &go_on)?;
    }
    writer.close()
}

/// At the levels that pyarrow has if none is given.
fn compression(codec: Codec) -> Compression {
    match codec {
        Codec::None => Compression::UNCOMPRESSED,
        Codec::Snappy => Compression::SNAPPY,
        Codec::Gzip => Compression::GZIP(GzipLevel::try_new(9).unwrap_or_default()),
        Codec::Brotli => Compression::BROTLI(BrotliLevel::try_new(8).unwrap_or_default()),
        Codec::Lz4 => Compression::LZ4_RAW,
        Codec::Zstd => Compression::ZSTD(ZstdLevel::default()),
    }
}

/// Bytes up to as many as the scratch folders may hold.
struct Capped {
    bytes: Vec<u8>,
    most: u64,
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.bytes.len() + bytes.len()) as u64 > self.most {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
