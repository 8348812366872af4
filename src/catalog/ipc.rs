//! Arrow IPC: files (Feather 2) and streams.
//!
//! Both are the same messages one after another; a file has a magic word before them
//! and a table of contents behind, which is not needed. So there is one reader, which
//! streams. The decoder allocates what a message says it needs: each is looked at
//! first, and refused if it says more than the file holds or a batch may take.

use std::io::Read;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::buffer::Buffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::reader::StreamDecoder;
use arrow::ipc::{CompressionType, Message, RecordBatch as Header, root_as_message};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use lz4_flex::frame::FrameDecoder;

use super::converted::{Converted, Key, Writer};
use super::error::CatalogError;
use super::source::{BATCH_ROWS, Source};
use super::text::packed::Unpacked;

const MAGIC: &[u8] = b"ARROW1";
const CONTINUATION: [u8; 4] = [0xFF; 4];

/// What describes a batch: a few words for each buffer of each column.
const METADATA: u64 = 64 << 20;
/// What a batch may take in memory, packed and unpacked.
const BATCH: u64 = 2 << 30;

/// Converts the whole file; the result is in `into` under `key`.
pub(super) fn convert(
    source: &Source<'_>,
    key: &Key,
    into: &Converted,
) -> Result<(), CatalogError> {
    let mut messages = Messages::open(source)?;
    let mut decoder = StreamDecoder::new();
    let mut target: Option<(Writer<'_>, SchemaRef)> = None;
    let mut notes = Vec::new();
    while let Some(message) = messages.next()? {
        source.check()?;
        let mut buffer = Buffer::from_vec(message);
        while !buffer.is_empty() {
            let batch = decoder.decode(&mut buffer).map_err(|error| messages.damaged(&error))?;
            if let (None, Some(schema)) = (&target, decoder.schema()) {
                let schema = kept_schema(source, &schema, &mut notes)?;
                let writer = into.begin(key, schema.clone()).map_err(|e| source.write(e))?;
                target = Some((writer, schema));
            }
            if let (Some(batch), Some((writer, schema))) = (batch, &mut target) {
                write(source, &batch, schema, writer)?;
            }
        }
    }
    let Some((writer, _)) = target else {
        return Err(source.whole("it is no Arrow data: it has no schema"));
    };
    let now = messages.bytes.hash().map_err(|e| source.read(e))?;
    if now != key.original {
        return Err(source.changed());
    }
    writer.finish(notes.into()).map_err(|e| source.write(e))
}

fn write(
    source: &Source<'_>,
    batch: &RecordBatch,
    schema: &SchemaRef,
    writer: &mut Writer<'_>,
) -> Result<(), CatalogError> {
    let mut from = 0;
    while from < batch.num_rows() {
        source.check()?;
        let part = batch.slice(from, BATCH_ROWS.min(batch.num_rows() - from));
        let kept = kept(&part, schema).map_err(|e| source.whole(e.to_string()))?;
        writer.write(kept).map_err(|e| source.write(e))?;
        from += BATCH_ROWS;
    }
    Ok(())
}

fn kept(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns: Result<Vec<ArrayRef>, _> = columns
        .map(|(array, field)| match array.data_type() == field.data_type() {
            true => Ok(Arc::clone(array)),
            false => cast(array, field.data_type()),
        })
        .collect();
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns?, &options)
}

/// The schema under which the table is kept.
fn kept_schema(
    source: &Source<'_>,
    schema: &Schema,
    notes: &mut Vec<String>,
) -> Result<SchemaRef, CatalogError> {
    let mut fields = Vec::with_capacity(schema.fields().len());
    for field in schema.fields() {
        let data_type = kept_type(field.data_type()).ok_or_else(|| {
            let (name, kind) = (field.name(), field.data_type());
            source.whole(format!(
                "column {name} is of type {kind}, which no table here can hold; \
                 write it as another type"
            ))
        })?;
        fields.push(Arc::new(field.as_ref().clone().with_data_type(data_type)));
    }
    if fields.is_empty() {
        notes.push("the file has no columns".into());
    }
    Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

/// The type in Parquet that holds the same values; `None` if there is none.
fn kept_type(data_type: &DataType) -> Option<DataType> {
    let inner = |field: &FieldRef| -> Option<FieldRef> {
        let kept = kept_type(field.data_type())?;
        Some(Arc::new(Field::clone(field).with_data_type(kept)))
    };
    Some(match data_type {
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            DataType::Decimal128(*precision, *scale)
        }
        DataType::Dictionary(codes, values) => {
            DataType::Dictionary(codes.clone(), Box::new(kept_type(values)?))
        }
        DataType::List(item) | DataType::ListView(item) => DataType::List(inner(item)?),
        DataType::LargeList(item) | DataType::LargeListView(item) => {
            DataType::LargeList(inner(item)?)
        }
        DataType::FixedSizeList(item, size) => DataType::FixedSizeList(inner(item)?, *size),
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(inner).collect::<Option<Vec<_>>>()?.into())
        }
        DataType::Map(entries, sorted) => DataType::Map(inner(entries)?, *sorted),
        DataType::Interval(_) | DataType::Union(..) | DataType::RunEndEncoded(..) => return None,
        plain => plain.clone(),
    })
}

/// The messages of a file, each whole in memory.
struct Messages<'a> {
    source: &'a Source<'a>,
    bytes: Unpacked<'a>,
    is_file: bool,
    /// From 1, for errors.
    number: u64,
    at: u64,
    length: u64,
}

impl<'a> Messages<'a> {
    fn open(source: &'a Source<'a>) -> Result<Self, CatalogError> {
        let length = source.file.metadata().map_err(|e| source.read(e))?.len();
        let mut bytes = source.unpacked()?;
        let mut start = [0; 8];
        let read = read_up_to(&mut bytes, &mut start).map_err(|e| source.read(e))?;
        let is_file = start.starts_with(MAGIC);
        if is_file {
            let mut end = [0; 6];
            let positioned = dataroom_sandbox::Positioned::new(
                source.file.try_clone().map_err(|e| source.read(e))?,
            );
            let from = length.saturating_sub(6);
            let whole = positioned
                .and_then(|file| file.read_at(&mut end, from))
                .is_ok_and(|read| read == 6 && end == MAGIC);
            if !whole {
                return Err(source.whole("the Arrow file is cut off; copy or write it again"));
            }
        } else if read < 8 {
            return Err(source.whole("it is no Arrow data: it is too short"));
        } else {
            bytes = source.unpacked()?;
        }
        let at = if is_file { 8 } else { 0 };
        Ok(Self { source, bytes, is_file, number: 0, at, length })
    }

    fn damaged(&self, cause: &dyn std::fmt::Display) -> CatalogError {
        self.source.whole(format!("message {} of its Arrow data: {cause}", self.number))
    }

    fn take(&mut self, count: u64, into: &mut Vec<u8>) -> Result<(), CatalogError> {
        if count > self.length.saturating_sub(self.at) {
            return Err(self.damaged(&"it is cut off"));
        }
        self.at += count;
        let read = (&mut self.bytes).take(count).read_to_end(into);
        match read.map_err(|e| self.source.read(e))? as u64 == count {
            true => Ok(()),
            false => Err(self.source.changed()),
        }
    }

    /// The next message as it stands in the file; `None` at the end.
    fn next(&mut self) -> Result<Option<Vec<u8>>, CatalogError> {
        self.number += 1;
        if self.at == self.length {
            return Ok(None);
        }
        let mut message = Vec::new();
        self.take(4, &mut message)?;
        if message == CONTINUATION {
            self.take(4, &mut message)?;
        } else if self.is_file {
            // The table of contents: this writer left no mark before it.
            return Ok(None);
        }
        let prefix = message.len();
        let mut size = [0; 4];
        size.copy_from_slice(&message[prefix - 4..]);
        let size = u64::from(u32::from_le_bytes(size));
        if size == 0 {
            return Ok(None);
        }
        if size > METADATA {
            return Err(self.damaged(&"its description is too large"));
        }
        self.take(size, &mut message)?;
        let head = message[prefix..].to_vec();
        let parsed = root_as_message(&head).map_err(|error| self.damaged(&error))?;
        let body = u64::try_from(parsed.bodyLength()).unwrap_or(u64::MAX);
        if body > BATCH {
            return Err(self.too_large());
        }
        self.take(body, &mut message)?;
        let start = prefix + head.len();
        if unpacked(&parsed, &message[start..]) > BATCH {
            return Err(self.too_large());
        }
        Ok(Some(message))
    }

    fn too_large(&self) -> CatalogError {
        let most = BATCH >> 20;
        self.damaged(&format!("a batch takes more than {most} MiB; write smaller batches"))
    }
}

fn read_up_to(from: &mut impl Read, into: &mut [u8]) -> std::io::Result<usize> {
    let mut taken = Vec::new();
    from.take(into.len() as u64).read_to_end(&mut taken)?;
    into[..taken.len()].copy_from_slice(&taken);
    Ok(taken.len())
}

/// What LZ4 unpacks to, or a little more than `most`. The decoder takes what comes,
/// whatever was said before; so what could be too much is unpacked to count.
fn of_lz4(packed: &[u8], most: u64) -> u64 {
    const RATIO: u64 = 255;
    if packed.len() as u64 * RATIO <= most {
        return 0;
    }
    let mut unpacked = FrameDecoder::new(packed).take(most + 1);
    let mut chunk = vec![0; 64 << 10];
    let mut count = 0;
    // A damaged frame is the decoder's to name; what comes before the damage counts.
    while let Ok(read @ 1..) = unpacked.read(&mut chunk) {
        count += read as u64;
    }
    count
}

/// What a message's buffers say that they take.
fn unpacked(message: &Message<'_>, body: &[u8]) -> u64 {
    let batch: Option<Header<'_>> = message
        .header_as_record_batch()
        .or_else(|| message.header_as_dictionary_batch().and_then(|batch| batch.data()));
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else {
        return body.len() as u64;
    };
    let is_lz4 = batch.compression().is_some_and(|c| c.codec() == CompressionType::LZ4_FRAME);
    let size = |buffer: &arrow::ipc::Buffer| -> u64 {
        let from = usize::try_from(buffer.offset()).unwrap_or(usize::MAX);
        let Some(prefix) = body.get(from..from.saturating_add(8)) else { return 0 };
        let mut bytes = [0; 8];
        bytes.copy_from_slice(prefix);
        match i64::from_le_bytes(bytes) {
            // It is as it stands.
            -1 => u64::try_from(buffer.length()).unwrap_or(u64::MAX),
            size => {
                let said = u64::try_from(size).unwrap_or(u64::MAX);
                let length = usize::try_from(buffer.length()).unwrap_or(0);
                let packed = body.get(from + 8..from.saturating_add(length)).unwrap_or_default();
                if is_lz4 { said.max(of_lz4(packed, BATCH)) } else { said }
            }
        }
    };
    let buffers = batch.buffers().into_iter().flatten();
    buffers.map(size).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::of_lz4;

    /// A buffer says a byte and unpacks to as much as it likes.
    #[test]
    fn what_lz4_unpacks_to_is_counted_only_where_it_could_be_too_much() {
        let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
        encoder.write_all(&vec![0; 1 << 20]).unwrap();
        let packed = encoder.finish().unwrap();
        assert!(packed.len() < 10_000);
        assert_eq!(of_lz4(&packed, 1 << 30), 0);
        assert_eq!(of_lz4(&packed, 1 << 20), 1 << 20);
        assert_eq!(of_lz4(&packed, 100_000), 100_001);
    }
}
