//! Encodes the batches of a converted file.
//!
//! How a column is written is decided by its first rows, and by what that costs whoever waits
//! for the first answer. A dictionary pays where values repeat; where they do not, a writer
//! would fill one only to give it up. Numbers are packed by their differences, or stand as
//! they are, and are not compressed on top of it; texts are. The smallest and largest value of
//! a group of rows are kept where a query can leave the group out by them: of numbers, and of
//! texts that come in order.
//!
//! From the second batch on this is done in a thread of its own, while the next batch is
//! being read; the file is the same.

use std::collections::HashSet;
use std::hash::Hash;
use std::io::Write;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use arrow::array::{Array as _, ArrayRef, AsArray as _};
use arrow::datatypes::{
    DataType, Float64Type, Int64Type, SchemaRef, TimeUnit, TimestampMicrosecondType,
    TimestampNanosecondType, UInt64Type,
};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;

/// Encoded bytes after which a row group is closed: bounds the writer's memory.
const ROW_GROUP_BYTES: usize = 128 << 20;

/// Rows that are looked at to decide how a column is written.
const LOOKED_AT: usize = 16_384;

/// Batches that wait for the encoder.
const WAITING: usize = 1;

/// A file that knows the hash of what went into it.
pub(super) struct Hashed {
    pub file: std::fs::File,
    pub hasher: blake3::Hasher,
    pub written: u64,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// See the module.
pub(super) struct Encoder {
    schema: SchemaRef,
    made_by: String,
    file: Option<Hashed>,
    first: Option<RecordBatch>,
    work: Option<Work>,
}

struct Work {
    batches: SyncSender<RecordBatch>,
    thread: JoinHandle<Result<ArrowWriter<Hashed>, ParquetError>>,
}

impl Encoder {
    pub(super) fn new(file: std::fs::File, schema: SchemaRef, made_by: String) -> Self {
        let file = Some(Hashed { file, hasher: blake3::Hasher::new(), written: 0 });
        Self { schema, made_by, file, first: None, work: None }
    }

    pub(super) fn write(&mut self, batch: RecordBatch) -> Result<(), ParquetError> {
        if self.work.is_none() {
            let Some(first) = self.first.take() else {
                self.first = Some(batch);
                return Ok(());
            };
            self.work = Some(self.begin(first)?);
        }
        let sent = self.work.as_ref().map(|work| work.batches.send(batch));
        match sent {
            Some(Ok(())) => Ok(()),
            // It stopped at an error, which it gives when it is asked for the file.
            _ => self.stop().and(Err(gone())),
        }
    }

    fn begin(&mut self, first: RecordBatch) -> Result<Work, ParquetError> {
        let mut writer = self.writer(Some(&first))?;
        let (batches, received) = sync_channel(WAITING);
        let encode = move || {
            put(&mut writer, &first)?;
            drop(first);
            while let Ok(batch) = received.recv() {
                put(&mut writer, &batch)?;
            }
            Ok(writer)
        };
        let thread = std::thread::Builder::new().name("encode".into()).spawn(encode)?;
        Ok(Work { batches, thread })
    }

    fn writer(&mut self, first: Option<&RecordBatch>) -> Result<ArrowWriter<Hashed>, ParquetError> {
        let file = self.file.take().ok_or_else(gone)?;
        let properties = properties(&self.schema, first).set_created_by(self.made_by.clone());
        ArrowWriter::try_new(file, self.schema.clone(), Some(properties.build()))
    }

    /// Waits for the thread, if there is one.
    fn stop(&mut self) -> Result<Option<ArrowWriter<Hashed>>, ParquetError> {
        let Some(Work { batches, thread }) = self.work.take() else { return Ok(None) };
        drop(batches);
        thread.join().map_err(|_| gone())?.map(Some)
    }

    /// The file with all batches in it.
    pub(super) fn finish(mut self) -> Result<ArrowWriter<Hashed>, ParquetError> {
        if let Some(writer) = self.stop()? {
            return Ok(writer);
        }
        let first = self.first.take();
        let mut writer = self.writer(first.as_ref())?;
        if let Some(first) = first {
            put(&mut writer, &first)?;
        }
        Ok(writer)
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        // Nothing writes on after the file is given up; an error no longer matters.
        let _ = self.stop();
    }
}

fn gone() -> ParquetError {
    ParquetError::General("the encoder stopped".into())
}

fn put(writer: &mut ArrowWriter<Hashed>, batch: &RecordBatch) -> Result<(), ParquetError> {
    writer.write(batch)?;
    if writer.in_progress_size() > ROW_GROUP_BYTES {
        writer.flush()?;
    }
    Ok(())
}

fn properties(schema: &SchemaRef, first: Option<&RecordBatch>) -> WriterPropertiesBuilder {
    // Nobody reads what is said of pages, so none says anything.
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::LZ4_RAW)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_data_page_row_count_limit(usize::MAX)
        .set_write_batch_size(8 << 10);
    let Some(first) = first else { return properties };
    for (field, values) in schema.fields().iter().zip(first.columns()) {
        let path = ColumnPath::new(vec![field.name().clone()]);
        let values = values.slice(0, values.len().min(LOOKED_AT));
        let repeats = repeats(&values);
        if repeats == Some(false) {
            properties = properties.set_column_dictionary_enabled(path.clone(), false);
        }
        properties = match field.data_type() {
            DataType::Int64 | DataType::Timestamp(..) if repeats == Some(false) => properties
                .set_column_encoding(path.clone(), Encoding::DELTA_BINARY_PACKED)
                .set_column_compression(path, Compression::UNCOMPRESSED),
            DataType::Int64
            | DataType::UInt64
            | DataType::Float64
            | DataType::Date32
            | DataType::Timestamp(..) => {
                properties.set_column_compression(path, Compression::UNCOMPRESSED)
            }
            DataType::Utf8 if !is_in_order(&values) => {
                properties.set_column_statistics_enabled(path, EnabledStatistics::None)
            }
            _ => properties,
        };
    }
    properties
}

/// Whether values repeat so often that a list of them pays; `None` for types that are not
/// looked at.
fn repeats(values: &ArrayRef) -> Option<bool> {
    fn often<T: Hash + Eq>(values: impl Iterator<Item = T>) -> bool {
        let mut seen = HashSet::new();
        let mut count = 0;
        for value in values {
            seen.insert(value);
            count += 1;
        }
        seen.len() * 2 <= count
    }
    Some(match values.data_type() {
        DataType::Int64 => often(values.as_primitive::<Int64Type>().iter().flatten()),
        DataType::UInt64 => often(values.as_primitive::<UInt64Type>().iter().flatten()),
        DataType::Float64 => {
            let floats = values.as_primitive::<Float64Type>();
            often(floats.iter().flatten().map(f64::to_bits))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            often(values.as_primitive::<TimestampMicrosecondType>().iter().flatten())
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            often(values.as_primitive::<TimestampNanosecondType>().iter().flatten())
        }
        DataType::Utf8 => often(values.as_string::<i32>().iter().flatten()),
        _ => return None,
    })
}

/// Whether texts come in order, as a rule in groups of the same.
fn is_in_order(values: &ArrayRef) -> bool {
    values.as_string::<i32>().iter().flatten().is_sorted()
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
