//! One Parquet column, decoded into the buffers that numpy will own.
//!
//! [`crate::columns`] decodes batch after batch, [`fixed`] copies numbers out of the
//! batches, [`text`] codes texts, [`dates`] days, [`nested`] takes lists and structs apart.

mod dates;
mod fixed;
mod nested;
mod text;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::{cast, concat};
use arrow::datatypes::{
    DataType, Field, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, TimeUnit, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use parquet::file::reader::ChunkReader;

use super::messages::{Coded, KindOut, Object, Unit};
use super::objects::{Laid, Types};
use crate::columns::{Batches, Budget, Charge, Columns, Use};
use crate::guest::Stop;
use fixed::{Prepare, booleans, moments, primitive};

/// A column, ready to be copied into the guest.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) decoded: Decoded,
}

/// A column's values.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) kind: KindOut,
    pub(super) buffers: Vec<Vec<u8>>,
    pub(super) rows: u64,
    pub(super) nulls: u64,
    /// Texts in the place of buffers.
    pub(super) laid: Option<Laid>,
    /// What it holds of the run's budget.
    charge: Charge,
}

impl Decoded {
    /// Values whose rows are not counted yet.
    fn of(kind: KindOut, buffers: Vec<Vec<u8>>, charge: Charge) -> Self {
        Self { kind, buffers, rows: 0, nulls: 0, laid: None, charge }
    }

    /// The same of texts that are laid out in the guest.
    fn laid(laid: Laid, charge: Charge) -> Self {
        let kind = KindOut::Objects { of: Object::Text };
        Self { laid: Some(laid), ..Self::of(kind, Vec::new(), charge) }
    }

    /// Bytes of each buffer.
    pub(super) fn lengths(&self) -> Vec<usize> {
        match &self.laid {
            Some(laid) => laid.lengths().to_vec(),
            None => self.buffers.iter().map(Vec::len).collect(),
        }
    }
}

/// What is done with each array; it may be kept.
type Take<'a> = &'a mut dyn FnMut(ArrayRef) -> Result<(), String>;

/// A column's values as Arrow arrays, one after another.
trait Arrays {
    /// The most values that there can be.
    fn values(&self) -> u64;
    fn budget(&self) -> &Budget;
    fn stop(&self) -> &Stop;
    /// Which types texts and dates are made objects of; not, where there are none.
    fn types(&self) -> Option<Types>;
    /// Gives each array to `take`. If that keeps them, they are paid for with `kept`.
    /// The rows in all, and how many of them are null.
    fn each(&self, kept: &mut Charge, take: Take<'_>) -> Result<(u64, u64), String>;
}

/// A column of a file.
struct Read<'a, R> {
    batches: Batches<'a, R>,
    budget: &'a Budget,
    stop: &'a Stop,
    types: Option<Types>,
}

impl<R: ChunkReader + Clone + 'static> Arrays for Read<'_, R> {
    fn values(&self) -> u64 {
        self.batches.values()
    }

    fn budget(&self) -> &Budget {
        self.budget
    }

    fn stop(&self) -> &Stop {
        self.stop
    }

    fn types(&self) -> Option<Types> {
        self.types
    }

    fn each(&self, kept: &mut Charge, take: Take<'_>) -> Result<(u64, u64), String> {
        self.batches.each(kept, take)
    }
}

/// Arrays that are there already.
struct Ready<'a> {
    arrays: Vec<ArrayRef>,
    budget: &'a Budget,
    stop: &'a Stop,
    types: Option<Types>,
}

impl Arrays for Ready<'_> {
    fn values(&self) -> u64 {
        self.arrays.iter().map(|array| array.len() as u64).sum()
    }

    fn budget(&self) -> &Budget {
        self.budget
    }

    fn stop(&self) -> &Stop {
        self.stop
    }

    fn types(&self) -> Option<Types> {
        self.types
    }

    fn each(&self, _: &mut Charge, take: Take<'_>) -> Result<(u64, u64), String> {
        let mut nulls = 0;
        for array in &self.arrays {
            nulls += array.logical_null_count() as u64;
            take(array.clone())?;
        }
        Ok((self.values(), nulls))
    }
}

/// Looks at the stop flag after so much work.
struct Pace<'a> {
    stop: &'a Stop,
    left: u64,
}

impl<'a> Pace<'a> {
    /// Bytes of memory that are gone through in a few milliseconds.
    const STRIDE: u64 = 8 << 20;

    fn new(stop: &'a Stop) -> Self {
        Self { stop, left: Self::STRIDE }
    }

    fn work(&mut self, bytes: u64) -> Result<(), String> {
        if let Some(left) = self.left.checked_sub(bytes) {
            self.left = left;
            return Ok(());
        }
        self.left = Self::STRIDE;
        match self.stop.reason() {
            Some(_) => Err("the run was stopped".to_owned()),
            None => Ok(()),
        }
    }
}

/// Decodes the column at `index`.
pub(super) fn column<R: ChunkReader + Clone + 'static>(
    columns: &Columns<R>,
    index: usize,
    (budget, types): (&Budget, Option<Types>),
    stop: &Stop,
) -> Result<Column, String> {
    let field = columns.metadata().schema().field(index);
    let name = field.name().clone();
    let go_on = || stop.reason().is_none();
    let decoded = columns
        .batches(index, Use::Keep, budget, &go_on)
        .map_err(String::from)
        .and_then(|batches| decode(field, &Read { batches, budget, stop, types }));
    match decoded {
        Ok(decoded) => Ok(Column { name, decoded }),
        Err(why) => Err(format!("column {name:?} cannot be read: {why}")),
    }
}

/// A column of values that are there already.
pub(super) fn ready(
    array: ArrayRef,
    (budget, types): (&Budget, Option<Types>),
    stop: &Stop,
) -> Result<Column, String> {
    let field = Field::new("", array.data_type().clone(), true);
    let decoded = decode(&field, &Ready { arrays: vec![array], budget, stop, types })?;
    Ok(Column { name: String::new(), decoded })
}

fn decode(field: &Field, arrays: &impl Arrays) -> Result<Decoded, String> {
    let fixed = |data_type| KindOut::Fixed { data_type };
    let to = |to: DataType| move |array: ArrayRef| cast(&array, &to).map_err(|e| e.to_string());
    match field.data_type() {
        DataType::Int8 => primitive::<Int8Type>(fixed("int8"), arrays, &Ok),
        DataType::Int16 => primitive::<Int16Type>(fixed("int16"), arrays, &Ok),
        DataType::Int32 => primitive::<Int32Type>(fixed("int32"), arrays, &Ok),
        DataType::Int64 => primitive::<Int64Type>(fixed("int64"), arrays, &Ok),
        DataType::UInt8 => primitive::<UInt8Type>(fixed("uint8"), arrays, &Ok),
        DataType::UInt16 => primitive::<UInt16Type>(fixed("uint16"), arrays, &Ok),
        DataType::UInt32 => primitive::<UInt32Type>(fixed("uint32"), arrays, &Ok),
        DataType::UInt64 => primitive::<UInt64Type>(fixed("uint64"), arrays, &Ok),
        DataType::Float16 => primitive::<Float16Type>(fixed("float16"), arrays, &Ok),
        DataType::Float32 => primitive::<Float32Type>(fixed("float32"), arrays, &Ok),
        DataType::Float64 => primitive::<Float64Type>(fixed("float64"), arrays, &Ok),
        DataType::Boolean => booleans(fixed("bool"), arrays),
        DataType::Date32 => dates::decoded(arrays, &to(DataType::Int32)),
        DataType::Date64 => {
            let (days, number) = (to(DataType::Date32), to(DataType::Int32));
            dates::decoded(arrays, &|array| number(days(array)?))
        }
        DataType::Time32(_) | DataType::Time64(_) => {
            let (ns, number) = (to(DataType::Time64(TimeUnit::Nanosecond)), to(DataType::Int64));
            primitive::<Int64Type>(fixed("time"), arrays, &|array| number(ns(array)?))
        }
        DataType::Timestamp(unit, zone) => {
            let zone = zone.as_ref().map(ToString::to_string);
            let kind = KindOut::Time { data_type: "timestamp", unit: unit_of(*unit), zone };
            moments(kind, arrays, &to(DataType::Int64))
        }
        DataType::Duration(unit) => {
            let kind = KindOut::Time { data_type: "duration", unit: unit_of(*unit), zone: None };
            moments(kind, arrays, &to(DataType::Int64))
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            text::coded(arrays, Coded::Text, &Ok)
        }
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => text::coded(arrays, Coded::Binary, &Ok),
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => text::coded(arrays, Coded::Decimal, &to(DataType::Utf8)),
        DataType::Dictionary(_, values) => {
            category(arrays, values, field.dict_is_ordered().unwrap_or(false))
        }
        DataType::Null => nothing(arrays),
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::FixedSizeList(..)
        | DataType::Struct(_)
        | DataType::Map(..) => nested::taken_apart(field, arrays),
        other => Err(format!("the type {other} has no counterpart in pandas")),
    }
}

fn unit_of(unit: TimeUnit) -> Unit {
    match unit {
        TimeUnit::Second => Unit::S,
        TimeUnit::Millisecond => Unit::Ms,
        TimeUnit::Microsecond => Unit::Us,
        TimeUnit::Nanosecond => Unit::Ns,
    }
}

fn nothing(arrays: &impl Arrays) -> Result<Decoded, String> {
    let mut charge = arrays.budget().charge();
    let (rows, nulls) = arrays.each(&mut charge, &mut |_| Ok(()))?;
    Ok(Decoded { kind: KindOut::Null {}, buffers: vec![], rows, nulls, laid: None, charge })
}

/// Codes and the buffers of the categories.
fn category(arrays: &impl Arrays, values: &DataType, ordered: bool) -> Result<Decoded, String> {
    let plain = DataType::Dictionary(Box::new(DataType::Int32), Box::new(values.clone()));
    let mut kept = arrays.budget().charge();
    let mut batches: Vec<ArrayRef> = Vec::new();
    let (rows, nulls) = arrays.each(&mut kept, &mut |array| {
        batches.push(cast(&array, &plain).map_err(|error| error.to_string())?);
        Ok(())
    })?;
    // The codes twice, as one array and as bytes; the categories of all row groups.
    let merging = arrays.budget().pay(kept.bytes().saturating_add(rows.saturating_mul(4)));
    let mut charge = merging.map_err(|error| error.to_string())?;
    let views: Vec<&dyn Array> = batches.iter().map(AsRef::as_ref).collect();
    let merged = if views.is_empty() {
        arrow::array::new_empty_array(&plain)
    } else {
        concat(&views).map_err(|error| error.to_string())?
    };
    drop(batches);
    drop(kept);
    let merged = merged.as_dictionary::<Int32Type>();
    let unique = merged.values().len();
    let mut pace = Pace::new(arrays.stop());
    let mut codes = Vec::with_capacity(merged.len() * 4);
    for code in merged.keys() {
        pace.work(4)?;
        codes.extend_from_slice(&code.unwrap_or(-1).to_le_bytes());
    }
    let field = Field::new("categories", values.clone(), true);
    let ready = Ready {
        arrays: vec![merged.values().clone()],
        budget: arrays.budget(),
        stop: arrays.stop(),
        types: None,
    };
    let categories = decode(&field, &ready)?;
    let kind = KindOut::Category {
        categories: Box::new(categories.kind),
        unique,
        ordered,
        category_buffers: categories.buffers.len(),
    };
    let buffers: Vec<_> = std::iter::once(codes).chain(categories.buffers).collect();
    charge.keep(buffers.iter().map(|buffer| buffer.len() as u64).sum());
    Ok(Decoded { kind, buffers, rows, nulls, laid: None, charge })
}

#[cfg(test)]
mod tests;
