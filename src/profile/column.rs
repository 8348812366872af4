//! The statistics of one column, batch by batch.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Decimal128Type, Decimal256Type, Float64Type, Int64Type, UInt64Type, i256,
};
use arrow::error::ArrowError;
use arrow::row::{RowConverter, SortField};
use serde_json::{Value, json};

use dataroom_sandbox::columns::spread_bytes;

use crate::json_integer::json_integer;

use super::ColumnProfile;
use super::distinct::Sketch;
use super::show::{cut, decimal, finite, whole};

/// Nested values that are compared at once.
const ROWS_BYTES: u64 = 16 << 20;
/// The largest nested value that can be compared.
const MOST_ROW_BYTES: u64 = 1 << 30;

/// What is summed up, by the column's type.
enum State {
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
    },
    Text {
        least: Option<String>,
        most: Option<String>,
    },
    /// Only equality: bool, binary.
    Bool,
    Bytes,
    /// Lists and structs: equality of arrow's row format.
    Rows(Box<RowConverter>),
    /// Nothing but nulls can be counted.
    Opaque,
}

#[derive(Default)]
struct Floats {
    least: Option<f64>,
    most: Option<f64>,
    sum: f64,
    /// What `sum` has lost (Neumaier).
    lost: f64,
    nan: u64,
    infinite: u64,
}

/// One column's statistics.
pub(super) struct Column {
    name: String,
    data_type: DataType,
    /// What the values are cast to, without loss, before they are looked at.
    seen_as: Option<DataType>,
    nulls: u64,
    values: u64,
    sketch: Sketch,
    state: State,
}

impl Column {
    pub(super) fn new(name: &str, data_type: &DataType) -> Self {
        let mut plain = data_type;
        while let DataType::Dictionary(_, values) = plain {
            plain = values;
        }
        let data_type = plain.clone();
        let (state, seen_as) = state(&data_type);
        let name = name.to_owned();
        Self { name, data_type, seen_as, nulls: 0, values: 0, sketch: Sketch::new(), state }
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
        let sketch = &mut self.sketch;
        match &mut self.state {
            State::Int { least, most, sum } => {
                for value in array.as_primitive::<Int64Type>().iter().flatten() {
                    (*least, *most) = ((*least).min(value), (*most).max(value));
                    *sum += i128::from(value);
                    sketch.word(value.cast_unsigned());
                }
            }
            State::UInt { least, most, sum } => {
                for value in array.as_primitive::<UInt64Type>().iter().flatten() {
                    (*least, *most) = ((*least).min(value), (*most).max(value));
                    *sum += u128::from(value);
                    sketch.word(value);
                }
            }
            State::Float(floats) => {
                for value in array.as_primitive::<Float64Type>().iter().flatten() {
                    floats.add(value, sketch);
                }
            }
            State::Decimal { least, most, sum, .. } => {
                let mut add = |value: i256| {
                    (*least, *most) = ((*least).min(value), (*most).max(value));
                    *sum = sum.and_then(|s| s.checked_add(value));
                    sketch.bytes(&value.to_le_bytes());
                };
                if let Some(values) = array.as_primitive_opt::<Decimal128Type>() {
                    values.iter().flatten().for_each(|v| add(i256::from_i128(v)));
                } else {
                    array.as_primitive::<Decimal256Type>().iter().flatten().for_each(add);
                }
            }
            State::Text { least, most } => {
                for value in array.as_string_view().iter().flatten() {
                    sketch.bytes(value.as_bytes());
                    text(value, least, most);
                }
            }
            State::Bool => {
                array.as_boolean().iter().flatten().for_each(|v| sketch.word(u64::from(v)));
            }
            State::Bytes => {
                array.as_binary_view().iter().flatten().for_each(|v| sketch.bytes(v));
            }
            State::Rows(converter) => {
                let rows = converter.convert_columns(std::slice::from_ref(array))?;
                for (at, row) in rows.iter().enumerate() {
                    if array.is_valid(at) {
                        sketch.bytes(row.as_ref());
                    }
                }
            }
            State::Opaque => {}
        }
        Ok(())
    }

    pub(super) fn finish(
        self,
        data_type: String,
        rows: u64,
        notes: &mut Vec<String>,
    ) -> ColumnProfile {
        let distinct = (!matches!(self.state, State::Opaque)
            || matches!(self.data_type, DataType::Null))
        .then(|| self.sketch.count());
        let name = self.name.clone();
        let (mut min, mut max, mut mean) = (None, None, None);
        if self.values > 0 {
            (min, max, mean) = self.extremes(notes);
        }
        let null_share = if rows == 0 { 0.0 } else { quotient(self.nulls, rows) };
        ColumnProfile { name, data_type, null_share, nulls: self.nulls, distinct, min, max, mean }
    }

    fn extremes(&self, notes: &mut Vec<String>) -> (Option<Value>, Option<Value>, Option<f64>) {
        match &self.state {
            State::Int { least, most, sum } => {
                let mean = self.data_type.is_integer().then(|| mean(*sum, self.values));
                let shown = |value| Some(whole(value, &self.data_type));
                (shown(*least), shown(*most), mean)
            }
            #[allow(clippy::cast_precision_loss, reason = "the mean is a float")]
            State::UInt { least, most, sum } => {
                let mean = *sum as f64 / self.values as f64;
                (Some(json_integer(*least)), Some(json_integer(*most)), Some(mean))
            }
            State::Float(floats) => floats.extremes(&self.name, self.values, notes),
            State::Decimal { least, most, sum, scale } => {
                let mean = sum.and_then(|sum| decimal(sum, *scale).parse::<f64>().ok());
                #[allow(clippy::cast_precision_loss, reason = "the mean is a float")]
                let mean = mean.map(|sum| sum / self.values as f64).filter(|m| m.is_finite());
                let shown = |value| Some(json!(decimal(value, *scale)));
                (shown(*least), shown(*most), mean)
            }
            State::Text { least, most } => {
                (least.as_deref().map(cut), most.as_deref().map(cut), None)
            }
            _ => (None, None, None),
        }
    }
}

fn text(value: &str, least: &mut Option<String>, most: &mut Option<String>) {
    if least.as_deref().is_none_or(|l| value < l) {
        *least = Some(value.to_owned());
    }
    if most.as_deref().is_none_or(|m| value > m) {
        *most = Some(value.to_owned());
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
        DataType::Utf8View => (State::Text { least: None, most: None }, None),
        DataType::Utf8 | DataType::LargeUtf8 => {
            (State::Text { least: None, most: None }, Some(DataType::Utf8View))
        }
        DataType::Boolean => (State::Bool, None),
        DataType::BinaryView => (State::Bytes, None),
        DataType::Binary | DataType::LargeBinary => (State::Bytes, Some(DataType::BinaryView)),
        _ => (rows(data_type), None),
    }
}

fn decimals(scale: i8) -> State {
    State::Decimal { least: i256::MAX, most: i256::MIN, sum: Some(i256::ZERO), scale }
}

fn rows(data_type: &DataType) -> State {
    let field = SortField::new(data_type.clone());
    if *data_type == DataType::Null || !RowConverter::supports_fields(std::slice::from_ref(&field))
    {
        return State::Opaque;
    }
    RowConverter::new(vec![field]).map_or(State::Opaque, |c| State::Rows(Box::new(c)))
}

impl Floats {
    fn add(&mut self, value: f64, sketch: &mut Sketch) {
        if value.is_nan() {
            self.nan += 1;
            return;
        }
        // 0.0 and -0.0 are one value.
        let value = value + 0.0;
        sketch.word(value.to_bits());
        self.least = Some(self.least.map_or(value, |l| l.min(value)));
        self.most = Some(self.most.map_or(value, |m| m.max(value)));
        if value.is_infinite() {
            self.infinite += 1;
            return;
        }
        let sum = self.sum + value;
        self.lost += if self.sum.abs() >= value.abs() {
            (self.sum - sum) + value
        } else {
            (value - sum) + self.sum
        };
        self.sum = sum;
    }

    fn extremes(
        &self,
        name: &str,
        values: u64,
        notes: &mut Vec<String>,
    ) -> (Option<Value>, Option<Value>, Option<f64>) {
        if self.nan > 0 {
            notes.push(format!(
                "{name} holds {} NaN (not a number, not missing), left out of its statistics",
                self.nan
            ));
        }
        let count = values - self.nan;
        let mut mean = None;
        if self.infinite > 0 {
            notes.push(format!("{name} holds {} infinite values: no mean", self.infinite));
        } else if count > 0 {
            #[allow(clippy::cast_precision_loss, reason = "the mean is a float")]
            let value = (self.sum + self.lost) / count as f64;
            mean = value.is_finite().then_some(value);
            if mean.is_none() {
                notes.push(format!("{name}: the sum is too large for a mean"));
            }
        }
        (self.least.map(finite), self.most.map(finite), mean)
    }
}

#[allow(clippy::cast_precision_loss, reason = "the mean is a float")]
fn mean(sum: i128, count: u64) -> f64 {
    sum as f64 / count as f64
}

#[allow(clippy::cast_precision_loss, reason = "the share is a float")]
fn quotient(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}
