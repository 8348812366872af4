//! The statistics of one column, batch by batch.

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Decimal128Type, Decimal256Type, Float64Type, Int64Type, UInt64Type, i256,
};
use arrow::error::ArrowError;
use arrow::row::{RowConverter, SortField};
use dataroom_sandbox::columns::spread_bytes;

use super::counts::{Counts, Keep, Seen, float_word, hashed, word_of};
use super::floats::Floats;
use super::sensitive::{JUDGED, Judge};
use super::texts::Texts;

/// Nested values that are compared at once.
const ROWS_BYTES: u64 = 16 << 20;
/// The largest nested value that can be compared.
const MOST_ROW_BYTES: u64 = 1 << 30;

/// What is summed up, by the column's type.
pub(super) enum State {
    /// Numbers, dates and times that are counted in whole units.
    Int {
        least: i64,
        most: i64,
        sum: i128,
    },
    UInt {
        least: u64,
        most: u64,
        sum: u128,
    },
    Float(Floats),
    Decimal {
        least: i256,
        most: i256,
        sum: Option<i256>,
        scale: i8,
        fits: bool,
    },
    Text(Texts),
    /// Only equality: bool, binary.
    Bool,
    Bytes,
    /// Lists and structs: equality of arrow's row format.
    Rows(Box<RowConverter>),
    /// Nothing but nulls can be counted.
    Opaque,
}

/// One column's statistics.
pub(super) struct Column {
    pub name: String,
    pub data_type: DataType,
    /// What the values are cast to, without loss, before they are looked at.
    seen_as: Option<DataType>,
    pub nulls: u64,
    pub values: u64,
    pub counts: Counts,
    pub judge: Judge,
    pub state: State,
}

impl Column {
    pub(super) fn new(name: &str, data_type: &DataType) -> Self {
        let mut plain = data_type;
        while let DataType::Dictionary(_, values) = plain {
            plain = values;
        }
        let data_type = plain.clone();
        let (state, seen_as) = state(&data_type);
        let keep = match state {
            State::Int { .. } | State::UInt { .. } | State::Float(_) | State::Decimal { .. } => {
                Keep::Numbers
            }
            _ => Keep::Hashes,
        };
        Self {
            name: name.to_owned(),
            data_type,
            seen_as,
            nulls: 0,
            values: 0,
            counts: Counts::new(keep),
            judge: Judge::default(),
            state,
        }
    }

    pub(super) fn add(
        &mut self,
        array: &ArrayRef,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), ArrowError> {
        let plain;
        let mut array = array;
        if *array.data_type() != self.data_type {
            plain = cast(array, &self.data_type)?;
            array = &plain;
        }
        let nulls = array.logical_null_count() as u64;
        self.nulls += nulls;
        self.values += array.len() as u64 - nulls;
        let seen;
        if let Some(seen_as) = &self.seen_as {
            seen = cast(array, seen_as)?;
            array = &seen;
        }
        self.look_at(array, stop)
    }

    /// Nested values are written out to be compared, so not too many of them at once.
    fn look_at(&mut self, array: &ArrayRef, stop: &dyn Fn() -> bool) -> Result<(), ArrowError> {
        if !matches!(self.state, State::Rows(_)) {
            return self.look(array);
        }
        let bytes = spread_bytes(array);
        if stop() {
            // Whoever gave the array asks again and ends.
            return Ok(());
        }
        match array.len() {
            0 | 1 if bytes > MOST_ROW_BYTES => Err(ArrowError::ComputeError(format!(
                "one of its rows holds {bytes} bytes, and at most {MOST_ROW_BYTES} can be compared"
            ))),
            rows if rows > 1 && bytes > ROWS_BYTES => {
                self.look_at(&array.slice(0, rows / 2), stop)?;
                self.look_at(&array.slice(rows / 2, rows - rows / 2), stop)
            }
            _ => self.look(array),
        }
    }

    fn look(&mut self, array: &ArrayRef) -> Result<(), ArrowError> {
        let Self { counts, judge, state, .. } = self;
        match state {
            State::Int { least, most, sum } => {
                let may_be_numbers = self.data_type.is_integer();
                each::<Int64Type>(array.as_primitive(), |value| {
                    (*least, *most) = ((*least).min(value), (*most).max(value));
                    *sum += i128::from(value);
                    if counts.add(word_of(value)) == Seen::New && may_be_numbers {
                        judged(judge, value, counts);
                    }
                });
            }
            State::UInt { least, most, sum } => {
                each::<UInt64Type>(array.as_primitive(), |value| {
                    (*least, *most) = ((*least).min(value), (*most).max(value));
                    *sum += u128::from(value);
                    counts.add(value);
                });
            }
            State::Float(floats) => each::<Float64Type>(array.as_primitive(), |value| {
                if let Some(value) = floats.add(value) {
                    counts.add(float_word(value));
                }
            }),
            State::Decimal { least, most, sum, fits, .. } => {
                let mut add = |value: i256| {
                    (*least, *most) = ((*least).min(value), (*most).max(value));
                    *sum = sum.and_then(|s| s.checked_add(value));
                    let small = value.to_i128().and_then(|value| i64::try_from(value).ok());
                    *fits &= small.is_some();
                    counts.add(small.map_or_else(|| hashed(&value.to_le_bytes()), word_of));
                };
                if let Some(values) = array.as_primitive_opt::<Decimal128Type>() {
                    each::<Decimal128Type>(values, |v| add(i256::from_i128(v)));
                } else {
                    each::<Decimal256Type>(array.as_primitive(), add);
                }
            }
            State::Text(texts) => {
                for value in array.as_string_view().iter().flatten() {
                    let word = hashed(value.as_bytes());
                    let seen = counts.add(word);
                    texts.add(value, word, seen);
                    if seen == Seen::New {
                        judge.look(value);
                    }
                }
            }
            State::Bool => array.as_boolean().iter().flatten().for_each(|value| {
                counts.add(u64::from(value));
            }),
            State::Bytes => array.as_binary_view().iter().flatten().for_each(|value| {
                counts.add(hashed(value));
            }),
            State::Rows(converter) => {
                let rows = converter.convert_columns(std::slice::from_ref(array))?;
                for (at, row) in rows.iter().enumerate() {
                    if array.is_valid(at) {
                        counts.add(hashed(row.as_ref()));
                    }
                }
            }
            State::Opaque => {}
        }
        Ok(())
    }
}

/// A whole number can be a phone's or a card's, if it has so many digits.
fn judged(judge: &mut Judge, value: i64, counts: &Counts) {
    if counts.len() <= JUDGED && value >= 100_000_000 {
        judge.look(&value.to_string());
    } else if counts.len() <= JUDGED {
        judge.look("0");
    }
}

/// Shows each value that is there.
fn each<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, mut see: impl FnMut(T::Native)) {
    if array.null_count() == 0 {
        array.values().iter().for_each(|value| see(*value));
    } else {
        array.iter().flatten().for_each(see);
    }
}

/// What to sum up for a type, and the type to see its values as.
fn state(data_type: &DataType) -> (State, Option<DataType>) {
    let int = State::Int { least: i64::MAX, most: i64::MIN, sum: 0 };
    match data_type {
        DataType::Int64 => (int, None),
        DataType::UInt64 => (State::UInt { least: u64::MAX, most: 0, sum: 0 }, None),
        _ if data_type.is_integer() => (int, Some(DataType::Int64)),
        // Through their own width: arrow casts 32-bit times to 64 bits only that way.
        DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(_, _)
        | DataType::Duration(_) => (int, Some(DataType::Int64)),
        DataType::Float64 => (State::Float(Floats::default()), None),
        DataType::Float16 | DataType::Float32 => {
            (State::Float(Floats::default()), Some(DataType::Float64))
        }
        DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) => {
            (decimals(*scale), Some(DataType::Decimal128(38, *scale)))
        }
        DataType::Decimal128(_, scale) | DataType::Decimal256(_, scale) => (decimals(*scale), None),
        DataType::Utf8View => (State::Text(Texts::default()), None),
        DataType::Utf8 | DataType::LargeUtf8 => {
            (State::Text(Texts::default()), Some(DataType::Utf8View))
        }
        DataType::Boolean => (State::Bool, None),
        DataType::BinaryView => (State::Bytes, None),
        DataType::Binary | DataType::LargeBinary => (State::Bytes, Some(DataType::BinaryView)),
        _ => (rows(data_type), None),
    }
}

fn decimals(scale: i8) -> State {
    State::Decimal { least: i256::MAX, most: i256::MIN, sum: Some(i256::ZERO), scale, fits: true }
}

fn rows(data_type: &DataType) -> State {
    let field = SortField::new(data_type.clone());
    if *data_type == DataType::Null || !RowConverter::supports_fields(std::slice::from_ref(&field))
    {
        return State::Opaque;
    }
    RowConverter::new(vec![field]).map_or(State::Opaque, |c| State::Rows(Box::new(c)))
}
