//! Guest memory into Arrow arrays.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, DictionaryArray, Int32Array, NullArray,
    PrimitiveArray, StringArray, StringBuilder,
};
use arrow::buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::compute::take;
use arrow::datatypes::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, DataType, Date32Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, Field, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Schema,
    Time64MicrosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use serde_json::json;

use super::messages::{Coded, ColumnIn, DataIn, Fixed, Moment, Reply, Unit};
use crate::categories::{CATEGORIES_KEY, TableWriter};
use crate::guest::{Guest, Stop};
use crate::wasi::WasiView;
use crate::wasi::files::Descriptor;

/// Why a table cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteError {
    /// More than the run may put out.
    #[error("the table is bigger than the run's limit")]
    TooBig,
    /// One column.
    #[error("column {name:?}: {why}")]
    Column { name: String, why: String },
    /// The table as a whole.
    #[error("{0}")]
    Table(String),
}

/// Builds a table of `rows` rows from arrays in guest memory; also its size in
/// bytes, which is at most `room`.
pub(super) fn record_batch(
    (memory, stop): (&[u8], &Stop),
    rows: u64,
    columns: &[ColumnIn],
    metadata: BTreeMap<String, String>,
    room: u64,
) -> Result<(RecordBatch, u64), WriteError> {
    let rows = usize::try_from(rows).map_err(|_| WriteError::TooBig)?;
    let source = Source { memory, rows };
    let mut fields = Vec::new();
    let mut arrays = Vec::new();
    let mut bytes = 0u64;
    for column in columns {
        let named = |why: String| {
            let name = column.name.chars().take(80).collect();
            WriteError::Column { name, why }
        };
        if column.name.len() > 4096 {
            return Err(named("a column's name has at most 4096 bytes".to_owned()));
        }
        if stop.reason().is_some() {
            return Err(WriteError::Table("the run was stopped".to_owned()));
        }
        let array = source.array(&column.data).map_err(named)?;
        bytes = bytes.saturating_add(array.get_array_memory_size() as u64);
        if bytes > room {
            return Err(WriteError::TooBig);
        }
        fields.push(field(column, array.data_type()));
        arrays.push(array);
    }
    let schema = Schema::new_with_metadata(fields, metadata.into_iter().collect());
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = RecordBatch::try_new_with_options(Arc::new(schema), arrays, &options);
    Ok((batch.map_err(|error| WriteError::Table(error.to_string()))?, bytes))
}

pub(super) fn field(column: &ColumnIn, data_type: &DataType) -> Field {
    match (&column.data, data_type) {
        (DataIn::Category { ordered: true, .. }, DataType::Dictionary(keys, values)) =>
        {
            #[expect(deprecated, reason = "the only way to say that a dictionary is ordered")]
            Field::new_dict(
                &column.name,
                DataType::Dictionary(keys.clone(), values.clone()),
                true,
                0,
                true,
            )
        }
        _ => Field::new(&column.name, data_type.clone(), true),
    }
}

pub(super) struct Source<'a> {
    pub(super) memory: &'a [u8],
    pub(super) rows: usize,
}

impl Source<'_> {
    fn bytes(&self, address: u32, length: usize) -> Result<&[u8], String> {
        let start = address as usize;
        let end = start.checked_add(length);
        end.and_then(|end| self.memory.get(start..end))
            .ok_or_else(|| "its values are outside of memory".to_owned())
    }

    pub(super) fn scalars<T: ArrowPrimitiveType>(
        &self,
        address: u32,
        count: usize,
    ) -> Result<ScalarBuffer<T::Native>, String> {
        let length = count.checked_mul(size_of::<T::Native>());
        let length = length.ok_or_else(|| "it has too many rows".to_owned())?;
        let buffer = Buffer::from(self.bytes(address, length)?);
        Ok(ScalarBuffer::new(buffer, 0, count))
    }

    pub(super) fn nulls(&self, mask: Option<u32>) -> Result<Option<NullBuffer>, String> {
        let Some(mask) = mask else { return Ok(None) };
        let valid: BooleanBuffer =
            self.bytes(mask, self.rows)?.iter().map(|null| *null == 0).collect();
        let nulls = NullBuffer::new(valid);
        Ok((nulls.null_count() > 0).then_some(nulls))
    }

    fn primitive<T: ArrowPrimitiveType>(
        &self,
        values: u32,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, String> {
        let values = self.scalars::<T>(values, self.rows)?;
        Ok(Arc::new(PrimitiveArray::<T>::new(values, nulls)))
    }

    pub(super) fn array(&self, data: &DataIn) -> Result<ArrayRef, String> {
        match data {
            DataIn::Fixed { data_type, values, mask } => {
                self.fixed(*data_type, *values, self.nulls(*mask)?)
            }
            DataIn::Time { data_type, unit, zone, values } => {
                self.moments(*data_type, *unit, zone.as_deref(), *values)
            }
            DataIn::Coded { data_type, codes, unique, data, data_length, lengths } => {
                let parts = (*data, *data_length);
                let values = self.values(*data_type, *unique, parts, *lengths)?;
                match codes {
                    None if *unique as usize == self.rows => Ok(values),
                    None => Err("it has another number of values than rows".to_owned()),
                    Some(codes) => {
                        let codes = self.codes(*codes, *unique)?;
                        take(&values, &codes, None).map_err(|error| error.to_string())
                    }
                }
            }
            DataIn::Category { codes, categories, unique, ordered: _ } => {
                let codes = self.codes(*codes, *unique)?;
                let source = Source { memory: self.memory, rows: *unique as usize };
                if !matches!(**categories, DataIn::Coded { .. } | DataIn::Null {}) {
                    return Err("categories that are neither text nor bytes".to_owned());
                }
                let values = source.array(categories)?;
                dictionary(&codes, values)
            }
            DataIn::List { offsets, mask, items, item_rows } => {
                self.list(*offsets, *mask, (items, *item_rows))
            }
            DataIn::Map { offsets, mask, keys, values, item_rows } => {
                self.map(*offsets, *mask, (keys, values, *item_rows))
            }
            DataIn::Struct { mask, fields } => self.record(*mask, fields),
            DataIn::Null {} => Ok(Arc::new(NullArray::new(self.rows))),
        }
    }

    fn fixed(
        &self,
        data_type: Fixed,
        values: u32,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, String> {
        match data_type {
            Fixed::Int8 => self.primitive::<Int8Type>(values, nulls),
            Fixed::Int16 => self.primitive::<Int16Type>(values, nulls),
            Fixed::Int32 => self.primitive::<Int32Type>(values, nulls),
            Fixed::Int64 => self.primitive::<Int64Type>(values, nulls),
            Fixed::Uint8 => self.primitive::<UInt8Type>(values, nulls),
            Fixed::Uint16 => self.primitive::<UInt16Type>(values, nulls),
            Fixed::Uint32 => self.primitive::<UInt32Type>(values, nulls),
            Fixed::Uint64 => self.primitive::<UInt64Type>(values, nulls),
            Fixed::Float16 => self.primitive::<Float16Type>(values, nulls),
            Fixed::Float32 => self.primitive::<Float32Type>(values, nulls),
            Fixed::Float64 => self.primitive::<Float64Type>(values, nulls),
            Fixed::Date => self.primitive::<Date32Type>(values, nulls),
            Fixed::Time => self.primitive::<Time64MicrosecondType>(values, nulls),
            Fixed::Bool => {
                let bits = self.bytes(values, self.rows)?.iter().map(|byte| *byte != 0).collect();
                Ok(Arc::new(BooleanArray::new(bits, nulls)))
            }
        }
    }

    fn moments(
        &self,
        data_type: Moment,
        unit: Unit,
        zone: Option<&str>,
        values: u32,
    ) -> Result<ArrayRef, String> {
        let valid: BooleanBuffer = self
            .scalars::<Int64Type>(values, self.rows)?
            .iter()
            .map(|value| *value != i64::MIN)
            .collect();
        let nulls = NullBuffer::new(valid);
        let nulls = (nulls.null_count() > 0).then_some(nulls);
        if zone.is_some_and(|zone| zone.is_empty() || zone.len() > 64) {
            return Err("its time zone has no name".to_owned());
        }
        let array = match (data_type, unit) {
            (Moment::Timestamp, Unit::S) => self.primitive::<TimestampSecondType>(values, nulls),
            (Moment::Timestamp, Unit::Ms) => {
                self.primitive::<TimestampMillisecondType>(values, nulls)
            }
            (Moment::Timestamp, Unit::Us) => {
                self.primitive::<TimestampMicrosecondType>(values, nulls)
            }
            (Moment::Timestamp, Unit::Ns) => {
                self.primitive::<TimestampNanosecondType>(values, nulls)
            }
            (Moment::Duration, Unit::S) => self.primitive::<DurationSecondType>(values, nulls),
            (Moment::Duration, Unit::Ms) => {
                self.primitive::<DurationMillisecondType>(values, nulls)
            }
            (Moment::Duration, Unit::Us) => {
                self.primitive::<DurationMicrosecondType>(values, nulls)
            }
            (Moment::Duration, Unit::Ns) => self.primitive::<DurationNanosecondType>(values, nulls),
        }?;
        match (zone, array.data_type()) {
            (Some(zone), DataType::Timestamp(unit, _)) => {
                let to = DataType::Timestamp(*unit, Some(zone.into()));
                let data = array.to_data().into_builder().data_type(to).build();
                Ok(arrow::array::make_array(data.map_err(|error| error.to_string())?))
            }
            _ => Ok(array),
        }
    }

    /// Codes, checked against the number of values; -1 is null.
    fn codes(&self, address: u32, unique: u32) -> Result<Int32Array, String> {
        let codes = self.scalars::<Int32Type>(address, self.rows)?;
        let limit = i64::from(unique);
        if codes.iter().any(|code| *code < -1 || i64::from(*code) >= limit) {
            return Err("a code has no value".to_owned());
        }
        let valid: BooleanBuffer = codes.iter().map(|code| *code >= 0).collect();
        let nulls = NullBuffer::new(valid);
        Ok(Int32Array::new(codes, (nulls.null_count() > 0).then_some(nulls)))
    }

    fn values(
        &self,
        data_type: Coded,
        unique: u32,
        (data, data_length): (u32, u32),
        lengths: Option<u32>,
    ) -> Result<ArrayRef, String> {
        let data = self.bytes(data, data_length as usize)?;
        let Some(lengths) = lengths else { return parted(data, unique as usize, data_type) };
        let lengths = self.scalars::<UInt32Type>(lengths, unique as usize)?;
        let whole: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
        if whole != data.len() as u64 || i32::try_from(whole).is_err() {
            return Err("its values have another length than their parts, or over 2 GiB".to_owned());
        }
        let offsets = OffsetBuffer::from_lengths(lengths.iter().map(|length| *length as usize));
        let data = Buffer::from(data);
        if data_type == Coded::Binary {
            let array = BinaryArray::try_new(offsets, data, None);
            return Ok(Arc::new(array.map_err(|error| error.to_string())?));
        }
        let text = StringArray::try_new(offsets, data, None).map_err(|error| error.to_string())?;
        typed(text, data_type)
    }
}

/// Codes as wide as pandas has them, so that a frame comes back with the same.
fn dictionary(codes: &Int32Array, values: ArrayRef) -> Result<ArrayRef, String> {
    let array = match values.len() {
        0..=0x7f => coded::<Int8Type>(codes, values)?,
        0x80..=0x7fff => coded::<Int16Type>(codes, values)?,
        _ => coded::<Int32Type>(codes, values)?,
    };
    Ok(array)
}

fn coded<K: ArrowDictionaryKeyType>(
    codes: &Int32Array,
    values: ArrayRef,
) -> Result<ArrayRef, String> {
    let codes = arrow::compute::cast(codes, &K::DATA_TYPE).map_err(|error| error.to_string())?;
    let array = DictionaryArray::<K>::try_new(codes.as_primitive::<K>().clone(), values);
    Ok(Arc::new(array.map_err(|error| error.to_string())?))
}

/// Text as what it stands for.
fn typed(text: StringArray, data_type: Coded) -> Result<ArrayRef, String> {
    match data_type {
        Coded::Decimal => decimals(&text),
        Coded::Text | Coded::Binary => Ok(Arc::new(text)),
    }
}

/// Texts with a NUL between each two.
fn parted(data: &[u8], unique: usize, data_type: Coded) -> Result<ArrayRef, String> {
    let text = std::str::from_utf8(data).map_err(|_| "its text is not UTF-8".to_owned())?;
    let mut builder = StringBuilder::with_capacity(unique, data.len());
    if unique > 0 {
        text.split('\0').for_each(|value| builder.append_value(value));
    }
    let text = builder.finish();
    if text.len() != unique {
        return Err("it has another number of values than it says".to_owned());
    }
    typed(text, data_type)
}

/// Decimal numbers from their text, with the precision and scale that hold them all.
fn decimals(text: &StringArray) -> Result<ArrayRef, String> {
    let (mut whole, mut fraction) = (0usize, 0usize);
    for number in text.iter().flatten() {
        let digits = number.strip_prefix('-').unwrap_or(number);
        let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if before.is_empty() || !is_number(before) || !is_number(after) {
            return Err(format!("{number:?} is not a finite decimal number"));
        }
        whole = whole.max(before.trim_start_matches('0').len());
        fraction = fraction.max(after.len());
    }
    let precision = (whole + fraction).max(1);
    let scale = i8::try_from(fraction).map_err(|_| "it has too many decimal places".to_owned())?;
    let to = match u8::try_from(precision) {
        Ok(precision @ ..=38) => DataType::Decimal128(precision, scale),
        Ok(precision @ ..=76) => DataType::Decimal256(precision, scale),
        _ => return Err(format!("its decimals need {precision} digits, 76 is the most")),
    };
    let options = arrow::compute::CastOptions { safe: false, ..Default::default() };
    arrow::compute::cast_with_options(text, &to, &options).map_err(|error| error.to_string())
}

/// Encodes a table as Parquet into the scratch file behind `fd`.
pub(super) fn to_file(guest: &mut Guest, fd: u32, batch: &RecordBatch) -> Reply {
    let node = match guest.wasi().files.get(fd) {
        Ok(Descriptor::File { node, write: true, .. }) => *node,
        _ => return Reply::value_error("the file is not open for writing"),
    };
    let pairs = batch.schema().metadata().clone();
    let pairs = pairs.into_iter().map(|(key, value)| KeyValue::new(key, value)).collect();
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(pairs))
        .build();
    let schema = batch.schema();
    let said = schema.metadata().get(CATEGORIES_KEY).map(String::as_str);
    let mut bytes = Vec::new();
    let written = TableWriter::try_new(&mut bytes, batch.schema(), said, properties).and_then(
        |mut writer| {
            writer.write(batch)?;
            writer.close()
        },
    );
    if let Err(error) = written {
        return Reply::value_error(format!("the table cannot be written as Parquet: {error}"));
    }
    match guest.wasi().files.tree.write(node, 0, &bytes) {
        Ok(()) => Reply::Ok(json!(bytes.len())),
        Err(_) => Reply::Error {
            kind: "OSError",
            message: "[Errno 51] No space left on device".to_owned(),
        },
    }
}
