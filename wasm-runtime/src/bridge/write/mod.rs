//! Guest memory into Arrow arrays.
//!
//! Unique values with a code a row can stand for far more than they are: what the rows
//! will take is known from the codes, and looked at before they are spread.

mod file;
mod nested;
mod objects;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow::array::timezone::Tz;
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

use super::messages::{Coded, ColumnIn, DataIn, Fixed, Moment, Object, ObjectsIn, Unit};
use crate::guest::Stop;
use crate::side_by_side::side_by_side;

pub(super) use file::to_file;
use nested::Listed;

/// Why a table cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteError {
    /// More than the run may put out.
    #[error("the table is bigger than the run's limit")]
    TooBig,
    /// One column.
    #[error("column {name:?}: {why}")]
    Column { name: String, why: String },
    /// Objects that are not what the guest says: it has to look at each.
    #[error("a column's objects are of several types")]
    Mixed,
    /// The table as a whole.
    #[error("{0}")]
    Table(String),
}

/// Why one column cannot be taken.
#[derive(Debug)]
enum Refused {
    TooBig,
    Mixed,
    Why(String),
}

impl From<String> for Refused {
    fn from(why: String) -> Self {
        Self::Why(why)
    }
}

impl From<&str> for Refused {
    fn from(why: &str) -> Self {
        Self::Why(why.to_owned())
    }
}

/// Builds a table of `rows` rows from arrays in guest memory; also its size in
/// bytes, which is at most `room`.
pub(super) fn record_batch(
    (memory, objects, stop): (&[u8], Option<&ObjectsIn>, &Stop),
    rows: u64,
    columns: &[ColumnIn],
    metadata: BTreeMap<String, String>,
    room: u64,
) -> Result<(RecordBatch, u64), WriteError> {
    let rows = usize::try_from(rows).map_err(|_| WriteError::TooBig)?;
    // Each column may take what those that are done have left, and then is counted.
    let taken = AtomicU64::new(0);
    let tasks = columns.iter().map(|column| {
        let taken = &taken;
        move || {
            let left = room.saturating_sub(taken.load(Ordering::Relaxed));
            let array = made(column, &Source { memory, objects, rows, stop, room: left })?;
            let bytes = array.get_array_memory_size() as u64;
            if taken.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > room {
                return Err(WriteError::TooBig);
            }
            Ok(array)
        }
    });
    let cells = rows.saturating_mul(columns.len());
    let arrays: Result<Vec<ArrayRef>, WriteError> =
        side_by_side(tasks.collect(), cells > WORTH_A_THREAD).into_iter().collect();
    let (arrays, bytes) = (arrays?, taken.into_inner());
    let fields: Vec<Field> = columns
        .iter()
        .zip(&arrays)
        .map(|(column, array)| field(column, array.data_type()))
        .collect();
    let schema = Schema::new_with_metadata(fields, metadata.into_iter().collect());
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = RecordBatch::try_new_with_options(Arc::new(schema), arrays, &options);
    Ok((batch.map_err(|error| WriteError::Table(error.to_string()))?, bytes))
}

/// The texts at these addresses; none, if they are not all texts, or not in `room` bytes.
pub(super) fn texts(
    (memory, objects, stop): (&[u8], Option<&ObjectsIn>, &Stop),
    values: u32,
    rows: usize,
    room: u64,
) -> Option<StringArray> {
    Source { memory, objects, rows, stop, room }.texts(values).ok()
}

/// One column's array.
fn made(column: &ColumnIn, source: &Source<'_>) -> Result<ArrayRef, WriteError> {
    let named = |why: String| {
        let name = column.name.chars().take(80).collect();
        WriteError::Column { name, why }
    };
    if column.name.len() > 4096 {
        return Err(named("a column's name has at most 4096 bytes".to_owned()));
    }
    if source.stop.reason().is_some() {
        return Err(WriteError::Table("the run was stopped".to_owned()));
    }
    source.array(&column.data).map_err(|refused| match refused {
        Refused::TooBig => WriteError::TooBig,
        Refused::Mixed => WriteError::Mixed,
        Refused::Why(why) => named(why),
    })
}

fn field(column: &ColumnIn, data_type: &DataType) -> Field {
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

struct Source<'a> {
    memory: &'a [u8],
    objects: Option<&'a ObjectsIn>,
    rows: usize,
    stop: &'a Stop,
    /// Bytes that the column may take.
    room: u64,
}

/// Cells for which a second thread is worth its start.
const WORTH_A_THREAD: usize = 1 << 17;
/// Rows between two looks at the stop flag.
const STRIDE: usize = 1 << 20;

impl Source<'_> {
    fn bytes(&self, address: u32, length: usize) -> Result<&[u8], String> {
        let start = address as usize;
        let end = start.checked_add(length);
        end.and_then(|end| self.memory.get(start..end))
            .ok_or_else(|| "its values are outside of memory".to_owned())
    }

    fn scalars<T: ArrowPrimitiveType>(
        &self,
        address: u32,
        count: usize,
    ) -> Result<ScalarBuffer<T::Native>, String> {
        let length = count.checked_mul(size_of::<T::Native>());
        let length = length.ok_or_else(|| "it has too many rows".to_owned())?;
        let buffer = Buffer::from(self.bytes(address, length)?);
        Ok(ScalarBuffer::new(buffer, 0, count))
    }

    fn nulls(&self, mask: Option<u32>) -> Result<Option<NullBuffer>, String> {
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

    /// Refuses what would not fit in the room, before it is made.
    fn fits(&self, bytes: u64) -> Result<(), Refused> {
        if bytes > self.room { Err(Refused::TooBig) } else { Ok(()) }
    }

    fn array(&self, data: &DataIn) -> Result<ArrayRef, Refused> {
        match data {
            DataIn::Fixed { data_type, values, mask } => {
                Ok(self.fixed(*data_type, *values, self.nulls(*mask)?)?)
            }
            DataIn::Time { data_type, unit, zone, values } => {
                Ok(self.moments(*data_type, *unit, zone.as_deref(), *values)?)
            }
            DataIn::Coded { data_type, codes, unique, data, data_length, lengths } => {
                let parts = (*data, *data_length);
                let values = self.values(*data_type, *unique, parts, *lengths)?;
                match codes {
                    None if *unique as usize == self.rows => Ok(values.array),
                    None => Err("it has another number of values than rows".into()),
                    Some(codes) => {
                        let codes = self.codes(*codes, *unique)?;
                        self.fits_spread(&values, &codes)?;
                        Ok(take(&values.array, &codes, None).map_err(|error| error.to_string())?)
                    }
                }
            }
            DataIn::Objects { of: Object::Text, values } => Ok(Arc::new(self.texts(*values)?)),
            DataIn::Objects { of: Object::Date, values } => self.dates(*values),
            DataIn::Category { codes, categories, unique, ordered: _ } => {
                let codes = self.codes(*codes, *unique)?;
                let source = Source { rows: *unique as usize, ..*self };
                if !matches!(
                    **categories,
                    DataIn::Coded { .. } | DataIn::Objects { .. } | DataIn::Null {}
                ) {
                    return Err("categories that are neither text nor bytes".into());
                }
                let values = source.array(categories)?;
                Ok(dictionary(&codes, values)?)
            }
            DataIn::List { offsets, mask, items, item_rows } => {
                let listed = Listed { offsets: *offsets, mask: *mask, item_rows: *item_rows };
                self.list(listed, items)
            }
            DataIn::Map { offsets, mask, keys, values, item_rows } => {
                let listed = Listed { offsets: *offsets, mask: *mask, item_rows: *item_rows };
                self.map(listed, (keys, values))
            }
            DataIn::Struct { mask, fields } => self.record(*mask, fields),
            DataIn::Null {} => Ok(Arc::new(NullArray::new(self.rows))),
        }
    }

    /// Refuses codes whose values, one a row, take more than there is room for.
    fn fits_spread(&self, values: &Values, codes: &Int32Array) -> Result<(), Refused> {
        let size = |code: usize| match &values.sizes {
            Sizes::All(bytes) => *bytes,
            Sizes::Each(bytes) => bytes.get(code).copied().unwrap_or(0),
        };
        let mut whole = 0u64;
        for start in (0..codes.len()).step_by(STRIDE) {
            if self.stop.reason().is_some() {
                return Err("the run was stopped".into());
            }
            let slice = codes.slice(start, STRIDE.min(codes.len() - start));
            whole += slice.iter().flatten().map(|code| size(code as usize)).sum::<u64>();
        }
        self.fits(whole)?;
        let text = matches!(values.array.data_type(), DataType::Utf8 | DataType::Binary);
        if text && i32::try_from(whole).is_err() {
            return Err(over_two_gib(whole));
        }
        Ok(())
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
        if let Some(zone) = zone
            && zone.parse::<Tz>().is_err()
        {
            let zone: String = zone.chars().take(64).collect();
            return Err(format!(
                "its time zone {zone:?} is not known: convert it with .dt.tz_convert to one of \
                 the IANA names, for instance \"UTC\" or \"Europe/Berlin\""
            ));
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
    ) -> Result<Values, Refused> {
        let data = self.bytes(data, data_length as usize)?;
        let Some(lengths) = lengths else {
            return self.typed(parted(data, unique as usize)?, data_type);
        };
        let lengths = self.scalars::<UInt32Type>(lengths, unique as usize)?;
        let whole: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
        if whole != data.len() as u64 {
            return Err("its values have another length than their parts".into());
        }
        if i32::try_from(whole).is_err() {
            return Err(over_two_gib(whole));
        }
        let offsets = OffsetBuffer::from_lengths(lengths.iter().map(|length| *length as usize));
        let data = Buffer::from(data);
        if data_type == Coded::Binary {
            let array = BinaryArray::try_new(offsets, data, None);
            let array = array.map_err(|error| error.to_string())?;
            let sizes = Sizes::Each(lengths_of(array.offsets()));
            return Ok(Values { array: Arc::new(array), sizes });
        }
        let text = StringArray::try_new(offsets, data, None).map_err(|error| error.to_string())?;
        self.typed(text, data_type)
    }

    /// Text as what it stands for.
    fn typed(&self, text: StringArray, data_type: Coded) -> Result<Values, Refused> {
        match data_type {
            Coded::Decimal => Ok(Values { array: decimals(&text)?, sizes: Sizes::All(32) }),
            Coded::Text | Coded::Binary => {
                let sizes = Sizes::Each(lengths_of(text.offsets()));
                Ok(Values { array: Arc::new(text), sizes })
            }
        }
    }
}

/// Unique values, and what each takes of memory.
struct Values {
    array: ArrayRef,
    sizes: Sizes,
}

enum Sizes {
    All(u64),
    Each(Vec<u64>),
}

fn lengths_of(offsets: &OffsetBuffer<i32>) -> Vec<u64> {
    offsets.lengths().map(|length| length as u64).collect()
}

fn over_two_gib(bytes: u64) -> Refused {
    Refused::Why(format!(
        "it has {bytes} bytes of text, and a column holds at most 2 GiB: split the table by rows \
         into several outputs, or make the text a category with .astype(\"category\")"
    ))
}

/// Codes as wide as pandas has them, so that a frame comes back with the same.
fn dictionary(codes: &Int32Array, values: ArrayRef) -> Result<ArrayRef, String> {
    match values.len() {
        0..=0x7f => coded::<Int8Type>(codes, values),
        0x80..=0x7fff => coded::<Int16Type>(codes, values),
        _ => coded::<Int32Type>(codes, values),
    }
}

fn coded<K: ArrowDictionaryKeyType>(
    codes: &Int32Array,
    values: ArrayRef,
) -> Result<ArrayRef, String> {
    let codes = arrow::compute::cast(codes, &K::DATA_TYPE).map_err(|error| error.to_string())?;
    let array = DictionaryArray::<K>::try_new(codes.as_primitive::<K>().clone(), values);
    Ok(Arc::new(array.map_err(|error| error.to_string())?))
}

/// Texts with a NUL between each two.
fn parted(data: &[u8], unique: usize) -> Result<StringArray, String> {
    let text = std::str::from_utf8(data).map_err(|_| "its text is not UTF-8".to_owned())?;
    let mut builder = StringBuilder::with_capacity(unique, data.len());
    if unique > 0 {
        text.split('\0').for_each(|value| builder.append_value(value));
    }
    let text = builder.finish();
    if text.len() != unique {
        return Err("it has another number of values than it says".to_owned());
    }
    Ok(text)
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
