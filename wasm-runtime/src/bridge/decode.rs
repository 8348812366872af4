//! One Parquet column, decoded into the buffers that numpy will own.

use std::collections::HashMap;

use arrow::array::{Array, ArrayRef, AsArray, DictionaryArray};
use arrow::compute::{cast, concat};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Field, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, TimeUnit, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::reader::ChunkReader;

use super::budget::Charge;
use super::messages::{Coded, KindOut, Unit};
use super::nested;
use crate::guest::Stop;

const BATCH_ROWS: usize = 65_536;
/// Candidates for a byte that occurs in no value, to split the values at.
const SEPARATORS: [char; 4] = ['\0', '\x01', '\x1e', '\x1f'];

/// A column, ready to be copied into the guest.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) rows: u64,
    pub(super) nulls: u64,
    pub(super) kind: KindOut,
    pub(super) buffers: Vec<Vec<u8>>,
    /// What it holds of the run's budget.
    _charge: Charge,
}

/// A kind and its buffers.
type Decoded = (KindOut, Vec<Vec<u8>>);

/// Decodes the column at `index`. What it takes of memory is added to `charge`.
pub(super) fn column<R: ChunkReader + Clone + 'static>(
    file: &R,
    metadata: &ArrowReaderMetadata,
    index: usize,
    mut charge: Charge,
    stop: &Stop,
) -> Result<Column, String> {
    let field = metadata.schema().field(index).clone();
    let name = field.name().clone();
    let failed = |why: &dyn std::fmt::Display| format!("column {name:?} cannot be read: {why}");
    let reading = keeping_dictionary(metadata, index).unwrap_or_else(|| metadata.clone());
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file.clone(), reading);
    let mask = ProjectionMask::roots(builder.parquet_schema(), [index]);
    let batches = builder.with_projection(mask).with_batch_size(BATCH_ROWS).build();
    let mut arrays = Vec::new();
    for batch in batches.map_err(|error| failed(&error))? {
        if stop.reason().is_some() {
            return Err(failed(&"the run was stopped"));
        }
        let array = batch.map_err(|error| failed(&error))?.column(0).clone();
        charge.add(array.get_array_memory_size() as u64).map_err(|error| failed(&error))?;
        arrays.push(array);
    }
    let rows = arrays.iter().map(|array| array.len() as u64).sum();
    let nulls = arrays.iter().map(|array| array.logical_null_count() as u64).sum();
    let (kind, buffers) = decode(&field, &arrays, nulls > 0).map_err(|error| failed(&error))?;
    Ok(Column { name, rows, nulls, kind, buffers, _charge: charge })
}

/// Bytes a value, below which a text column's pages surely hold dictionary codes.
const CODE_BYTES: i64 = 4;

/// Metadata under which a text column is read as the dictionary that it is stored
/// as, so that each text is looked at once and not once a row; `None` where it is
/// stored otherwise.
fn keeping_dictionary(metadata: &ArrowReaderMetadata, index: usize) -> Option<ArrowReaderMetadata> {
    let schema = metadata.schema();
    if *schema.field(index).data_type() != DataType::Utf8 {
        return None;
    }
    let parquet = metadata.metadata();
    let leaf = (0..metadata.parquet_schema().num_columns())
        .find(|leaf| metadata.parquet_schema().get_column_root_idx(*leaf) == index)?;
    let coded = parquet.row_groups().iter().all(|group| {
        let chunk = group.column(leaf);
        chunk.dictionary_page_offset().is_some()
            && chunk.uncompressed_size() < chunk.num_values().saturating_mul(CODE_BYTES)
    });
    if !coded {
        return None;
    }
    let text = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let mut fields: Vec<_> = schema.fields().iter().cloned().collect();
    fields[index] = fields[index].as_ref().clone().with_data_type(text).into();
    let schema = arrow::datatypes::Schema::new_with_metadata(fields, schema.metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(schema.into());
    ArrowReaderMetadata::try_new(parquet.clone(), options).ok()
}

pub(super) fn decode(field: &Field, arrays: &[ArrayRef], nulls: bool) -> Result<Decoded, String> {
    let fixed = |data_type| KindOut::Fixed { data_type };
    Ok(match field.data_type() {
        DataType::Int8 => (fixed("int8"), primitive::<Int8Type>(arrays, nulls)),
        DataType::Int16 => (fixed("int16"), primitive::<Int16Type>(arrays, nulls)),
        DataType::Int32 => (fixed("int32"), primitive::<Int32Type>(arrays, nulls)),
        DataType::Int64 => (fixed("int64"), primitive::<Int64Type>(arrays, nulls)),
        DataType::UInt8 => (fixed("uint8"), primitive::<UInt8Type>(arrays, nulls)),
        DataType::UInt16 => (fixed("uint16"), primitive::<UInt16Type>(arrays, nulls)),
        DataType::UInt32 => (fixed("uint32"), primitive::<UInt32Type>(arrays, nulls)),
        DataType::UInt64 => (fixed("uint64"), primitive::<UInt64Type>(arrays, nulls)),
        DataType::Float16 => (fixed("float16"), primitive::<Float16Type>(arrays, nulls)),
        DataType::Float32 => (fixed("float32"), primitive::<Float32Type>(arrays, nulls)),
        DataType::Float64 => (fixed("float64"), primitive::<Float64Type>(arrays, nulls)),
        DataType::Boolean => (fixed("bool"), booleans(arrays, nulls)),
        DataType::Date32 => {
            let days = cast_all(arrays, &DataType::Int32)?;
            (fixed("date"), primitive::<Int32Type>(&days, nulls))
        }
        DataType::Date64 => {
            let days = cast_all(&cast_all(arrays, &DataType::Date32)?, &DataType::Int32)?;
            (fixed("date"), primitive::<Int32Type>(&days, nulls))
        }
        DataType::Time32(_) | DataType::Time64(_) => {
            let ns = cast_all(arrays, &DataType::Time64(TimeUnit::Nanosecond))?;
            (fixed("time"), primitive::<Int64Type>(&cast_all(&ns, &DataType::Int64)?, nulls))
        }
        DataType::Timestamp(unit, zone) => {
            let zone = zone.as_ref().map(ToString::to_string);
            let kind = KindOut::Time { data_type: "timestamp", unit: unit_of(*unit), zone };
            (kind, vec![moments(&cast_all(arrays, &DataType::Int64)?)])
        }
        DataType::Duration(unit) => {
            let kind = KindOut::Time { data_type: "duration", unit: unit_of(*unit), zone: None };
            (kind, vec![moments(&cast_all(arrays, &DataType::Int64)?)])
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => coded(arrays, Coded::Text)?,
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => coded(arrays, Coded::Binary)?,
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => coded(&cast_all(arrays, &DataType::Utf8)?, Coded::Decimal)?,
        DataType::Dictionary(_, values) => {
            let ordered = field.dict_is_ordered().unwrap_or(false);
            category(arrays, values, ordered)?
        }
        DataType::Null => (KindOut::Null {}, Vec::new()),
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::FixedSizeList(..)
        | DataType::Struct(_)
        | DataType::Map(..) => nested::decode(field, arrays, nulls)?,
        other => return Err(format!("the type {other} has no counterpart in pandas")),
    })
}

fn cast_all(arrays: &[ArrayRef], to: &DataType) -> Result<Vec<ArrayRef>, String> {
    arrays.iter().map(|array| cast(array, to).map_err(|error| error.to_string())).collect()
}

fn unit_of(unit: TimeUnit) -> Unit {
    match unit {
        TimeUnit::Second => Unit::S,
        TimeUnit::Millisecond => Unit::Ms,
        TimeUnit::Microsecond => Unit::Us,
        TimeUnit::Nanosecond => Unit::Ns,
    }
}

/// `values`, and `mask` with a byte a row if there are nulls.
fn primitive<T: ArrowPrimitiveType>(arrays: &[ArrayRef], nulls: bool) -> Vec<Vec<u8>> {
    let rows: usize = arrays.iter().map(Array::len).sum();
    let mut values = Vec::with_capacity(rows * size_of::<T::Native>());
    for array in arrays {
        values.extend_from_slice(array.as_primitive::<T>().values().inner().as_slice());
    }
    with_mask(values, arrays, nulls)
}

fn booleans(arrays: &[ArrayRef], nulls: bool) -> Vec<Vec<u8>> {
    let values =
        arrays.iter().flat_map(|array| array.as_boolean().values().iter().map(u8::from)).collect();
    with_mask(values, arrays, nulls)
}

pub(super) fn with_mask(values: Vec<u8>, arrays: &[ArrayRef], nulls: bool) -> Vec<Vec<u8>> {
    if !nulls {
        return vec![values];
    }
    let mut mask = Vec::with_capacity(arrays.iter().map(Array::len).sum());
    for array in arrays {
        match array.nulls() {
            Some(nulls) => mask.extend(nulls.iter().map(|valid| u8::from(!valid))),
            None => mask.resize(mask.len() + array.len(), 0),
        }
    }
    vec![values, mask]
}

/// 64-bit counts with the lowest value for null, as numpy has `NaT`.
fn moments(arrays: &[ArrayRef]) -> Vec<u8> {
    let rows: usize = arrays.iter().map(Array::len).sum();
    let mut values = Vec::with_capacity(rows * 8);
    for array in arrays {
        let array = array.as_primitive::<Int64Type>();
        if array.null_count() == 0 {
            values.extend_from_slice(array.values().inner().as_slice());
        } else {
            for value in array {
                values.extend_from_slice(&value.unwrap_or(i64::MIN).to_le_bytes());
            }
        }
    }
    values
}

/// Unique values and codes while the values repeat; every value on its own once
/// they turn out not to.
struct Coder<'a> {
    seen: HashMap<&'a [u8], i32, foldhash::Seed>,
    unique: Vec<&'a [u8]>,
    codes: Vec<i32>,
    repeats: bool,
}

mod foldhash {
    //! A fast hash for bytes: `blake3` and SipHash cost more than decoding.
    use std::hash::{BuildHasher, Hasher};

    #[derive(Debug, Clone, Copy, Default)]
    pub(super) struct Seed;
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Fold(u64);

    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

    impl Fold {
        fn mix(&mut self, word: u64) {
            let product = u128::from(self.0 ^ word) * u128::from(MULTIPLIER);
            self.0 = (product as u64) ^ ((product >> 64) as u64);
        }
    }

    impl BuildHasher for Seed {
        type Hasher = Fold;
        fn build_hasher(&self) -> Fold {
            Fold(0x2545_f491_4f6c_dd1d)
        }
    }

    impl Hasher for Fold {
        fn write(&mut self, bytes: &[u8]) {
            let (words, rest) = bytes.as_chunks::<8>();
            for word in words {
                self.mix(u64::from_le_bytes(*word));
            }
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.mix(u64::from_le_bytes(last) ^ ((rest.len() as u64) << 56));
        }
        fn finish(&self) -> u64 {
            self.0
        }
    }
}

impl<'a> Coder<'a> {
    fn new(rows: usize) -> Self {
        Self {
            seen: HashMap::with_hasher(foldhash::Seed),
            unique: Vec::new(),
            codes: Vec::with_capacity(rows),
            repeats: true,
        }
    }

    fn push(&mut self, value: Option<&'a [u8]>) {
        let Some(value) = value else {
            self.codes.push(-1);
            return;
        };
        let next = self.unique.len() as i32;
        let code = if self.repeats { *self.seen.entry(value).or_insert(next) } else { next };
        if code == next {
            self.unique.push(value);
        }
        self.codes.push(code);
        // Looked at once: hashing a column of unique values would double its cost.
        if self.codes.len() == 10_000 && self.unique.len() > 5_000 {
            self.repeats = false;
            self.seen = HashMap::with_hasher(foldhash::Seed);
        }
    }
}

impl<'a> Coder<'a> {
    /// A batch whose values come coded already: each value is looked up once.
    fn push_dictionary(&mut self, array: &'a DictionaryArray<Int32Type>) {
        let values = array.values().as_string::<i32>();
        self.repeats = true;
        let codes: Vec<i32> = values
            .iter()
            .map(|value| {
                let Some(value) = value.map(str::as_bytes) else { return -1 };
                let next = self.unique.len() as i32;
                let code = *self.seen.entry(value).or_insert(next);
                if code == next {
                    self.unique.push(value);
                }
                code
            })
            .collect();
        self.codes.extend(array.keys().iter().map(|key| match key {
            Some(key) => codes[key as usize],
            None => -1,
        }));
    }
}

fn coded(arrays: &[ArrayRef], data_type: Coded) -> Result<Decoded, String> {
    let rows: usize = arrays.iter().map(Array::len).sum();
    if i32::try_from(rows).is_err() {
        return Err(format!("{rows} rows are more than a text column can have here"));
    }
    let mut coder = Coder::new(rows);
    for array in arrays {
        match array.data_type() {
            DataType::Utf8 => each(array.as_string::<i32>().iter(), &mut coder, str::as_bytes),
            DataType::LargeUtf8 => each(array.as_string::<i64>().iter(), &mut coder, str::as_bytes),
            DataType::Utf8View => each(array.as_string_view().iter(), &mut coder, str::as_bytes),
            DataType::Binary => each(array.as_binary::<i32>().iter(), &mut coder, |b| b),
            DataType::LargeBinary => each(array.as_binary::<i64>().iter(), &mut coder, |b| b),
            DataType::BinaryView => each(array.as_binary_view().iter(), &mut coder, |b| b),
            DataType::FixedSizeBinary(_) => {
                each(array.as_fixed_size_binary().iter(), &mut coder, |b| b);
            }
            DataType::Dictionary(..) => coder.push_dictionary(array.as_dictionary()),
            other => return Err(format!("the type {other} is not of variable width")),
        }
    }
    Ok(joined(&coder, data_type))
}

fn each<'a, V: ?Sized + 'a>(
    values: impl Iterator<Item = Option<&'a V>>,
    coder: &mut Coder<'a>,
    bytes: impl Fn(&'a V) -> &'a [u8],
) {
    for value in values {
        coder.push(value.map(&bytes));
    }
}

fn joined(coder: &Coder<'_>, data_type: Coded) -> Decoded {
    let unique = coder.unique.len();
    let whole: usize = coder.unique.iter().map(|value| value.len() + 1).sum();
    // Bytes are cut by lengths; text is split, which Python does at C speed.
    let separator = (data_type != Coded::Binary).then(|| {
        SEPARATORS
            .into_iter()
            .find(|separator| !coder.unique.iter().any(|value| value.contains(&(*separator as u8))))
    });
    let separator = separator.flatten();
    let mut data = Vec::with_capacity(whole);
    for (i, value) in coder.unique.iter().enumerate() {
        if let Some(separator) = separator
            && i > 0
        {
            data.push(separator as u8);
        }
        data.extend_from_slice(value);
    }
    let coded = unique != coder.codes.len();
    let mut buffers = vec![data];
    if coded {
        buffers.push(coder.codes.iter().flat_map(|code| code.to_le_bytes()).collect());
    }
    if separator.is_none() {
        let lengths = coder.unique.iter().flat_map(|value| (value.len() as u32).to_le_bytes());
        buffers.push(lengths.collect());
    }
    (KindOut::Coded { data_type, unique, coded, separator }, buffers)
}

/// Codes and the buffers of the categories.
fn category(arrays: &[ArrayRef], values: &DataType, ordered: bool) -> Result<Decoded, String> {
    let plain = DataType::Dictionary(Box::new(DataType::Int32), Box::new(values.clone()));
    let arrays = cast_all(arrays, &plain)?;
    let views: Vec<&dyn Array> = arrays.iter().map(AsRef::as_ref).collect();
    let merged = if views.is_empty() {
        arrow::array::new_empty_array(&plain)
    } else {
        concat(&views).map_err(|error| error.to_string())?
    };
    let merged = merged.as_dictionary::<Int32Type>();
    let unique = merged.values().len();
    let codes = merged.keys().iter().flat_map(|code| code.unwrap_or(-1).to_le_bytes()).collect();
    let field = Field::new("categories", values.clone(), true);
    let (kind, categories) = decode(&field, &[merged.values().clone()], false)?;
    let category_buffers = categories.len();
    let buffers = std::iter::once(codes).chain(categories).collect();
    let categories = Box::new(kind);
    Ok((KindOut::Category { categories, unique, ordered, category_buffers }, buffers))
}
