//! A Parquet file's footer, read so that what others wrote can be decoded.
//!
//! The Arrow schema that pyarrow leaves in a footer says more than Parquet can. Two
//! things that it says the decoder cannot follow, or leaves out:
//!
//! - Dictionaries of anything but text and bytes. It fails on some and panics on others;
//!   pyarrow itself gives their plain values, and so do we.
//! - The zone of a timestamp in seconds, a unit that Parquet has not: the values are
//!   in milliseconds then, and the zone is the only thing that would be lost.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow::datatypes::{DataType, Field, FieldRef, Schema, TimeUnit};
use base64::Engine as _;
use parquet::arrow::ARROW_SCHEMA_META_KEY;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::ParquetError;
use parquet::file::reader::ChunkReader;

/// Reads the footer of a Parquet file.
///
/// # Errors
/// The file is not Parquet, or its footer is damaged.
pub fn read_footer(file: &impl ChunkReader) -> Result<ArrowReaderMetadata, ParquetError> {
    // A flipped byte in the embedded Arrow schema is a panic in arrow-ipc, not an error.
    // Nothing outlives it: the file is read by position, and what was read is dropped.
    let read = catch_unwind(AssertUnwindSafe(|| read_sound_footer(file)));
    read.unwrap_or_else(|_| Err(ParquetError::General("its footer is damaged".to_owned())))
}

fn read_sound_footer(file: &impl ChunkReader) -> Result<ArrowReaderMetadata, ParquetError> {
    let read = ArrowReaderMetadata::load(file, ArrowReaderOptions::new())?;
    let said = embedded(&read);
    let mut changed = false;
    let fields = read.schema().fields().iter().enumerate().map(|(at, field)| {
        let hint = said.as_ref().and_then(|schema| schema.fields().get(at));
        let data_type = zoned(field.data_type(), hint).or_else(|| plain(field.data_type()));
        match data_type {
            Some(data_type) => {
                changed = true;
                FieldRef::new(Field::clone(field).with_data_type(data_type))
            }
            None => field.clone(),
        }
    });
    let fields: Vec<FieldRef> = fields.collect();
    if !changed {
        return Ok(read);
    }
    let schema = Schema::new_with_metadata(fields, read.schema().metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(schema.into());
    ArrowReaderMetadata::try_new(read.metadata().clone(), options)
}

/// The Arrow schema in the footer. A damaged one has failed the first reading already.
fn embedded(read: &ArrowReaderMetadata) -> Option<Schema> {
    let pairs = read.metadata().file_metadata().key_value_metadata()?;
    let text = pairs.iter().find(|pair| pair.key == ARROW_SCHEMA_META_KEY)?.value.as_ref()?;
    let bytes = base64::prelude::BASE64_STANDARD.decode(text).ok()?;
    let message = bytes
        .strip_prefix(&[255; 4])
        .map_or(bytes.as_slice(), |rest| rest.get(4..).unwrap_or(rest));
    let message = arrow::ipc::root_as_message(message).ok()?;
    message.header_as_schema().map(arrow::ipc::convert::fb_to_schema)
}

fn zoned(read: &DataType, hint: Option<&FieldRef>) -> Option<DataType> {
    match (read, hint?.data_type()) {
        (
            DataType::Timestamp(TimeUnit::Millisecond, Some(utc)),
            DataType::Timestamp(TimeUnit::Second, Some(zone)),
        ) if utc != zone => Some(DataType::Timestamp(TimeUnit::Millisecond, Some(zone.clone()))),
        _ => None,
    }
}

/// The type without dictionaries that cannot be decoded; `None` if it has none.
fn plain(data_type: &DataType) -> Option<DataType> {
    let of_item =
        |item: &FieldRef| Some(item.as_ref().clone().with_data_type(plain(item.data_type())?));
    match data_type {
        DataType::Dictionary(_, values) => {
            (!values.is_string() && !values.is_binary()).then(|| (**values).clone())
        }
        DataType::List(item) => Some(DataType::List(of_item(item)?.into())),
        DataType::LargeList(item) => Some(DataType::LargeList(of_item(item)?.into())),
        DataType::FixedSizeList(item, size) => {
            Some(DataType::FixedSizeList(of_item(item)?.into(), *size))
        }
        DataType::Map(entries, sorted) => Some(DataType::Map(of_item(entries)?.into(), *sorted)),
        DataType::Struct(fields) => {
            let plains: Vec<_> = fields.iter().map(of_item).collect();
            if plains.iter().all(Option::is_none) {
                return None;
            }
            let fields = fields.iter().zip(plains);
            Some(DataType::Struct(
                fields.map(|(f, p)| p.map_or_else(|| f.clone(), FieldRef::new)).collect(),
            ))
        }
        _ => None,
    }
}
