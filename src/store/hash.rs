//! The hash of what a table *says*, so that a replay can be compared with it.
//!
//! Two tables hash alike if they have the same column names and types in the same
//! order and the same values in the same rows. How they were cut into batches,
//! compressed, dictionary-encoded or padded does not matter; nor do nullability,
//! metadata and times. So each column feeds streams that run over batch borders,
//! and nothing but what is valid goes into them:
//!
//! - one bit per row for validity,
//! - the values of the valid rows, end to end (what lies under a null is arbitrary),
//! - for text, binary and lists, the lengths of the valid rows as 64-bit numbers,
//! - for lists and structs, the same again for the children of the valid rows.
//!
//! All streams are little-endian, as are Arrow's buffers on every machine we run
//! on. NaN is one value, whichever of its bit patterns a processor makes; negative
//! zero is not zero, because it can be told apart by dividing.

use std::borrow::Cow;
use std::fmt;

use arrow::array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow::array::{Array, ArrayRef, AsArray, GenericListArray, OffsetSizeTrait};
use arrow::buffer::NullBuffer;
use arrow::compute::{cast, filter};
use arrow::datatypes::{DataType, Schema};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use blake3::Hasher;
use serde::{Deserialize, Serialize};

use super::bits::Bits;

/// Changes when the meaning of the hash does.
const DOMAIN: &[u8] = b"dataroom content 1";

/// The blake3 hash of a table's content, as 64 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(String);

impl ContentHash {
    /// Its hex digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Takes a table batch by batch and gives its [`ContentHash`].
#[derive(Debug)]
pub struct ContentHasher {
    head: Hasher,
    columns: Vec<Column>,
    rows: u64,
}

impl ContentHasher {
    /// For tables of this schema.
    ///
    /// # Errors
    /// A column has a type that no stored table can have (a union).
    pub fn new(schema: &Schema) -> Result<Self, ArrowError> {
        let mut head = Hasher::new();
        head.update(DOMAIN);
        head.update(super::meta::schema_fingerprint(schema).as_bytes());
        let columns: Result<_, _> =
            schema.fields().iter().map(|field| Column::new(field.data_type())).collect();
        Ok(Self { head, columns: columns?, rows: 0 })
    }

    /// Takes the next rows.
    ///
    /// # Errors
    /// The batch is not of the schema.
    pub fn update(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        if batch.num_columns() != self.columns.len() {
            return Err(ArrowError::SchemaError("another number of columns".to_owned()));
        }
        for (column, array) in self.columns.iter_mut().zip(batch.columns()) {
            column.update(array)?;
        }
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    /// The hash of what was taken.
    #[must_use]
    pub fn finish(mut self) -> ContentHash {
        self.head.update(&self.rows.to_le_bytes());
        for column in self.columns {
            self.head.update(&column.finish());
        }
        ContentHash(self.head.finalize().to_hex().to_string())
    }
}

/// Whether two types are one apart from their layout in memory.
pub(crate) fn same_type(one: &DataType, other: &DataType) -> bool {
    logical_type(one) == logical_type(other)
}

/// The name of a type apart from its layout in memory.
pub(super) fn logical_type(data_type: &DataType) -> String {
    match data_type {
        DataType::Dictionary(_, values) => logical_type(values),
        DataType::RunEndEncoded(_, values) => logical_type(values.data_type()),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text".to_owned(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "binary".to_owned(),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => format!("list<{}>", logical_type(item.data_type())),
        DataType::FixedSizeList(item, size) => {
            format!("list<{}, {size}>", logical_type(item.data_type()))
        }
        DataType::Map(entries, _) => format!("map<{}>", logical_type(entries.data_type())),
        DataType::Struct(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|field| format!("{:?}: {}", field.name(), logical_type(field.data_type())))
                .collect();
            format!("struct<{}>", fields.join(", "))
        }
        plain => plain.to_string(),
    }
}

/// The type whose buffers are hashed for a column of this type.
fn plain_type(data_type: &DataType) -> Cow<'_, DataType> {
    match data_type {
        DataType::Dictionary(_, values) => plain_type(values),
        DataType::RunEndEncoded(_, values) => plain_type(values.data_type()),
        DataType::Utf8View => Cow::Owned(DataType::LargeUtf8),
        DataType::BinaryView => Cow::Owned(DataType::LargeBinary),
        DataType::ListView(item) => Cow::Owned(DataType::List(item.clone())),
        DataType::LargeListView(item) => Cow::Owned(DataType::LargeList(item.clone())),
        plain => Cow::Borrowed(plain),
    }
}

#[derive(Debug)]
struct Column {
    validity: Bits,
    values: Values,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "one for each column, not for each row")]
enum Values {
    Nothing,
    Bits(Bits),
    Fixed { width: usize, float: bool, bytes: Hasher },
    Variable { lengths: Hasher, bytes: Hasher },
    List { lengths: Hasher, item: Box<Column> },
    FixedList { size: usize, item: Box<Column> },
    Struct(Vec<Column>),
}

impl Column {
    fn new(data_type: &DataType) -> Result<Self, ArrowError> {
        let plain = plain_type(data_type);
        let values = match plain.as_ref() {
            DataType::Null => Values::Nothing,
            DataType::Boolean => Values::Bits(Bits::new()),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => {
                Values::Variable { lengths: Hasher::new(), bytes: Hasher::new() }
            }
            DataType::List(item) | DataType::LargeList(item) | DataType::Map(item, _) => {
                let item = Box::new(Self::new(item.data_type())?);
                Values::List { lengths: Hasher::new(), item }
            }
            DataType::FixedSizeList(item, size) => Values::FixedList {
                size: usize::try_from(*size).unwrap_or(0),
                item: Box::new(Self::new(item.data_type())?),
            },
            DataType::Struct(fields) => {
                let fields: Result<_, _> =
                    fields.iter().map(|field| Self::new(field.data_type())).collect();
                Values::Struct(fields?)
            }
            DataType::FixedSizeBinary(width) => Values::Fixed {
                width: usize::try_from(*width).unwrap_or(0),
                float: false,
                bytes: Hasher::new(),
            },
            other => {
                let width = other.primitive_width().ok_or_else(|| {
                    ArrowError::NotYetImplemented(format!("the content hash of {other}"))
                })?;
                Values::Fixed { width, float: other.is_floating(), bytes: Hasher::new() }
            }
        };
        Ok(Self { validity: Bits::new(), values })
    }

    fn update(&mut self, array: &ArrayRef) -> Result<(), ArrowError> {
        let mut array = Cow::Borrowed(array);
        let plain = plain_type(array.data_type());
        if plain.as_ref() != array.data_type() {
            array = Cow::Owned(cast(array.as_ref(), &plain)?);
        }
        match (array.nulls(), &self.values) {
            (_, Values::Nothing) => self.validity.append_n(array.len(), false),
            (None, _) => self.validity.append_n(array.len(), true),
            (Some(nulls), _) => self.validity.append(nulls.inner()),
        }
        // Nested columns are rare and have offsets and children to keep in step:
        // their null rows are taken out first.
        if let (Some(nulls), true) = (array.nulls(), array.data_type().is_nested()) {
            array = Cow::Owned(filter(array.as_ref(), &nulls.inner().clone().into())?);
        }
        self.values.update(&array)
    }

    fn finish(self) -> [u8; 32] {
        let mut hasher = Hasher::new();
        hasher.update(&self.validity.finish());
        self.values.finish(&mut hasher);
        *hasher.finalize().as_bytes()
    }
}

impl Values {
    fn update(&mut self, array: &ArrayRef) -> Result<(), ArrowError> {
        match self {
            Self::Nothing => {}
            Self::Bits(bits) => {
                let array = array.as_boolean_opt().ok_or_else(|| mismatch(array))?;
                match array.nulls() {
                    None => bits.append(array.values()),
                    Some(nulls) => {
                        for (start, end) in nulls.valid_slices() {
                            bits.append(&array.values().slice(start, end - start));
                        }
                    }
                }
            }
            Self::Fixed { width, float, bytes } => {
                let same = match array.data_type() {
                    DataType::FixedSizeBinary(size) => usize::try_from(*size) == Ok(*width),
                    other => other.primitive_width() == Some(*width),
                };
                if !same {
                    return Err(mismatch(array));
                }
                fixed(array, *width, *float, bytes);
            }
            Self::Variable { lengths, bytes } => match array.data_type() {
                DataType::Utf8 => variable::<Utf8Type>(array, lengths, bytes),
                DataType::LargeUtf8 => variable::<LargeUtf8Type>(array, lengths, bytes),
                DataType::Binary => variable::<BinaryType>(array, lengths, bytes),
                DataType::LargeBinary => variable::<LargeBinaryType>(array, lengths, bytes),
                _ => return Err(mismatch(array)),
            },
            Self::List { lengths, item } => match array.data_type() {
                DataType::List(_) => list(array.as_list::<i32>(), lengths, item)?,
                DataType::LargeList(_) => list(array.as_list::<i64>(), lengths, item)?,
                DataType::Map(..) => {
                    let map = array.as_map();
                    let entries: ArrayRef = std::sync::Arc::new(map.entries().clone());
                    items(map.value_offsets(), &entries, lengths, item)?;
                }
                _ => return Err(mismatch(array)),
            },
            Self::FixedList { size, item } => {
                let array = array.as_fixed_size_list_opt().ok_or_else(|| mismatch(array))?;
                let start = usize::try_from(array.value_offset(0)).unwrap_or(0);
                item.update(&array.values().slice(start, array.len() * *size))?;
            }
            Self::Struct(fields) => {
                let array = array.as_struct_opt().ok_or_else(|| mismatch(array))?;
                for (field, child) in fields.iter_mut().zip(array.columns()) {
                    field.update(child)?;
                }
            }
        }
        Ok(())
    }

    fn finish(self, hasher: &mut Hasher) {
        match self {
            Self::Nothing => {}
            Self::Bits(bits) => {
                hasher.update(&bits.finish());
            }
            Self::Fixed { bytes, .. } => {
                hasher.update(bytes.finalize().as_bytes());
            }
            Self::Variable { lengths, bytes } => {
                hasher.update(lengths.finalize().as_bytes());
                hasher.update(bytes.finalize().as_bytes());
            }
            Self::List { lengths, item } => {
                hasher.update(lengths.finalize().as_bytes());
                hasher.update(&item.finish());
            }
            Self::FixedList { item, .. } => {
                hasher.update(&item.finish());
            }
            Self::Struct(fields) => {
                for field in fields {
                    hasher.update(&field.finish());
                }
            }
        }
    }
}

fn mismatch(array: &ArrayRef) -> ArrowError {
    ArrowError::SchemaError(format!("a column became {}", array.data_type()))
}

fn fixed(array: &ArrayRef, width: usize, float: bool, hasher: &mut Hasher) {
    let data = array.to_data();
    let bytes = &data.buffers()[0].as_slice()[data.offset() * width..][..data.len() * width];
    let mut bytes = match array.nulls() {
        None => Cow::Borrowed(bytes),
        Some(nulls) => {
            Cow::Owned(valid_bytes(nulls, |start, end| &bytes[start * width..end * width]))
        }
    };
    if float {
        one_nan(&mut bytes, width);
    }
    hasher.update(&bytes);
}

/// The valid stretches of something, end to end.
fn valid_bytes<'a>(nulls: &NullBuffer, stretch: impl Fn(usize, usize) -> &'a [u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (start, end) in nulls.valid_slices() {
        bytes.extend_from_slice(stretch(start, end));
    }
    bytes
}

/// Makes every NaN the same NaN. Most columns have none, and are not copied.
fn one_nan(bytes: &mut Cow<'_, [u8]>, width: usize) {
    macro_rules! canonical {
        ($bits:ty, $infinity:expr, $nan:expr) => {{
            const WIDTH: usize = size_of::<$bits>();
            let is_nan = |value: &[u8; WIDTH]| {
                <$bits>::from_le_bytes(*value) & (<$bits>::MAX >> 1) > $infinity
            };
            if bytes.as_chunks::<WIDTH>().0.iter().fold(false, |any, value| any | is_nan(value)) {
                for value in bytes.to_mut().as_chunks_mut::<WIDTH>().0 {
                    if is_nan(value) {
                        *value = <$bits>::to_le_bytes($nan);
                    }
                }
            }
        }};
    }
    match width {
        2 => canonical!(u16, 0x7c00, 0x7e00),
        4 => canonical!(u32, f32::INFINITY.to_bits(), 0x7fc0_0000),
        _ => canonical!(u64, f64::INFINITY.to_bits(), 0x7ff8_0000_0000_0000),
    }
}

fn variable<T: ByteArrayType>(array: &ArrayRef, lengths: &mut Hasher, bytes: &mut Hasher) {
    let array = array.as_bytes::<T>();
    let offsets = array.value_offsets();
    let values = array.value_data();
    let stretch = |start: usize, end: usize| &values[index(offsets[start])..index(offsets[end])];
    match array.nulls() {
        None => {
            lengths.update(&length_bytes(offsets));
            bytes.update(stretch(0, array.len()));
        }
        Some(nulls) => {
            let valid: Vec<u8> = nulls
                .valid_slices()
                .flat_map(|(start, end)| length_bytes(&offsets[start..=end]))
                .collect();
            lengths.update(&valid);
            bytes.update(&valid_bytes(nulls, stretch));
        }
    }
}

fn index<O: OffsetSizeTrait>(offset: O) -> usize {
    offset.as_usize()
}

/// The lengths between offsets, as 64-bit numbers.
fn length_bytes<O: OffsetSizeTrait>(offsets: &[O]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(offsets.len() * 8);
    for pair in offsets.windows(2) {
        bytes.extend_from_slice(&((index(pair[1]) - index(pair[0])) as u64).to_le_bytes());
    }
    bytes
}

fn list<O: OffsetSizeTrait>(
    array: &GenericListArray<O>,
    lengths: &mut Hasher,
    item: &mut Column,
) -> Result<(), ArrowError> {
    items(array.value_offsets(), array.values(), lengths, item)
}

fn items<O: OffsetSizeTrait>(
    offsets: &[O],
    values: &ArrayRef,
    lengths: &mut Hasher,
    item: &mut Column,
) -> Result<(), ArrowError> {
    lengths.update(&length_bytes(offsets));
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else { return Ok(()) };
    item.update(&values.slice(index(*first), index(*last) - index(*first)))
}

#[cfg(test)]
#[path = "hash_tests.rs"]
mod tests;
