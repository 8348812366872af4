//! Lists, maps and structs, taken apart into columns that numpy knows.
//!
//! A list is its offsets and the column of its items, a struct is its fields, a map is
//! a list of keys and values; the guest puts them together into the objects that
//! pyarrow makes. A null list or struct has null children, so that a field's nulls are
//! those that a script sees.
//!
//! All batches are kept, which is paid for before they are decoded; a child's buffers
//! are paid for as those of any column.

use arrow::array::{Array, ArrayRef, AsArray, OffsetSizeTrait, make_array};
use arrow::buffer::NullBuffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef};

use super::super::messages::{KindOut, NestedOut};
use super::{Arrays, Decoded, Pace, Ready, decode};
use crate::columns::{Budget, Charge};
use crate::guest::Stop;

/// Decodes a nested column.
pub(super) fn taken_apart(field: &Field, arrays: &impl Arrays) -> Result<Decoded, String> {
    let mut kept = arrays.budget().charge();
    let mut batches: Vec<ArrayRef> = Vec::new();
    let (rows, nulls) = arrays.each(&mut kept, &mut |array| {
        batches.push(array);
        Ok(())
    })?;
    let mut parts = Parts {
        budget: arrays.budget(),
        stop: arrays.stop(),
        masked: nulls > 0,
        buffers: Vec::new(),
        charge: arrays.budget().charge(),
    };
    let kind = parts.whole(field.data_type(), &batches)?;
    let Parts { buffers, charge, .. } = parts;
    Ok(Decoded { kind, buffers, rows, nulls, laid: None, charge })
}

/// The buffers of a column and its children, as they are made.
struct Parts<'a> {
    budget: &'a Budget,
    stop: &'a Stop,
    /// Whether any row is null.
    masked: bool,
    buffers: Vec<Vec<u8>>,
    charge: Charge,
}

impl<'a> Parts<'a> {
    fn whole(&mut self, data_type: &DataType, arrays: &[ArrayRef]) -> Result<KindOut, String> {
        let masked = self.masked;
        match data_type {
            DataType::Struct(fields) => {
                self.mask(arrays)?;
                let mut children = Vec::new();
                for (at, field) in fields.iter().enumerate() {
                    let columns = arrays.iter().map(|array| below(array, at)).collect();
                    children.push(self.child(field, columns)?);
                }
                Ok(KindOut::Struct { masked, fields: children })
            }
            DataType::Map(entries, _) => {
                let DataType::Struct(fields) = entries.data_type() else { return Err(no_pairs()) };
                let [key, value] = &**fields else { return Err(no_pairs()) };
                let mut offsets = self.offsets(arrays)?;
                let mut pairs = Vec::new();
                for array in arrays {
                    let map = array.as_map();
                    let (from, to) = offsets.extend(map.value_offsets())?;
                    pairs.push(map.entries().slice(from, to - from));
                }
                self.buffers.push(offsets.bytes);
                self.mask(arrays)?;
                let part = |at: usize| pairs.iter().map(|pair| pair.column(at).clone()).collect();
                let keys = Box::new(self.child(key, part(0))?);
                let values = Box::new(self.child(value, part(1))?);
                Ok(KindOut::Map { masked, keys, values })
            }
            DataType::List(item) => self.lists::<i32>(item, arrays),
            DataType::LargeList(item) => self.lists::<i64>(item, arrays),
            DataType::FixedSizeList(item, _)
            | DataType::ListView(item)
            | DataType::LargeListView(item) => {
                let to = DataType::LargeList(item.clone());
                let same: Result<Vec<_>, _> = arrays.iter().map(|array| cast(array, &to)).collect();
                self.lists::<i64>(item, &same.map_err(|error| error.to_string())?)
            }
            other => Err(format!("the type {other} is not nested")),
        }
    }

    fn lists<O: OffsetSizeTrait>(
        &mut self,
        item: &FieldRef,
        arrays: &[ArrayRef],
    ) -> Result<KindOut, String> {
        let mut offsets = self.offsets(arrays)?;
        let mut items: Vec<ArrayRef> = Vec::new();
        for array in arrays {
            let list = array.as_list::<O>();
            let (from, to) = offsets.extend(list.value_offsets())?;
            items.push(list.values().slice(from, to - from));
        }
        self.buffers.push(offsets.bytes);
        self.mask(arrays)?;
        let items = Box::new(self.child(item, items)?);
        Ok(KindOut::List { masked: self.masked, items })
    }

    /// Room for the offsets of so many rows.
    fn offsets(&mut self, arrays: &[ArrayRef]) -> Result<Offsets<'a>, String> {
        let rows: usize = arrays.iter().map(Array::len).sum();
        self.charge.add((rows as u64 + 1) * 4).map_err(|error| error.to_string())?;
        let mut bytes = Vec::with_capacity((rows + 1) * 4);
        bytes.extend_from_slice(&0i32.to_le_bytes());
        Ok(Offsets { bytes, last: 0, pace: Pace::new(self.stop) })
    }

    /// A byte a row, 1 is null; nothing where no row is.
    fn mask(&mut self, arrays: &[ArrayRef]) -> Result<(), String> {
        if !self.masked {
            return Ok(());
        }
        let rows: usize = arrays.iter().map(Array::len).sum();
        self.charge.add(rows as u64).map_err(|error| error.to_string())?;
        let mut mask = Vec::with_capacity(rows);
        for array in arrays {
            match array.logical_nulls() {
                Some(nulls) => mask.extend(nulls.iter().map(|valid| u8::from(!valid))),
                None => mask.resize(mask.len() + array.len(), 0),
            }
        }
        self.buffers.push(mask);
        Ok(())
    }

    fn child(&mut self, field: &FieldRef, arrays: Vec<ArrayRef>) -> Result<NestedOut, String> {
        // pyarrow knows no categories in a list.
        let (field, arrays) = match field.data_type() {
            DataType::Dictionary(_, values) => {
                let plain = arrays.iter().map(|array| cast(array, values));
                let plain: Result<Vec<_>, _> = plain.collect();
                let field = field.as_ref().clone().with_data_type((**values).clone());
                (field.into(), plain.map_err(|error| error.to_string())?)
            }
            _ => (FieldRef::clone(field), arrays),
        };
        let ready = Ready { arrays, budget: self.budget, stop: self.stop, types: None };
        let decoded = decode(&field, &ready)?;
        let (name, take) = (field.name().clone(), decoded.buffers.len());
        self.charge.join(decoded.charge);
        self.buffers.extend(decoded.buffers);
        Ok(NestedOut { name, rows: decoded.rows, take, data: decoded.kind })
    }
}

fn no_pairs() -> String {
    "a map whose entries are no pairs".to_owned()
}

/// Offsets of several arrays, one after another.
struct Offsets<'a> {
    bytes: Vec<u8>,
    last: i32,
    pace: Pace<'a>,
}

impl Offsets<'_> {
    /// Adds an array's offsets; gives the range of items that they speak of.
    fn extend<O: OffsetSizeTrait>(&mut self, offsets: &[O]) -> Result<(usize, usize), String> {
        let from = offsets.first().map_or(0, |first| first.as_usize());
        let to = offsets.last().map_or(0, |last| last.as_usize());
        let begun = self.last;
        for offset in offsets.iter().skip(1) {
            self.pace.work(4)?;
            self.last = i32::try_from(offset.as_usize() - from)
                .ok()
                .and_then(|items| begun.checked_add(items))
                .ok_or("it has more items than a column can have here")?;
            self.bytes.extend_from_slice(&self.last.to_le_bytes());
        }
        Ok((from, to))
    }
}

/// A struct's field at `at`, null where the struct is.
fn below(array: &ArrayRef, at: usize) -> ArrayRef {
    let record = array.as_struct();
    let column = record.column(at).clone();
    let Some(nulls) = record.nulls().filter(|nulls| nulls.null_count() > 0) else { return column };
    if *column.data_type() == DataType::Null {
        return column;
    }
    let both = NullBuffer::union(Some(nulls), column.nulls());
    // The same data with fewer valid rows: nothing that could be invalid.
    match column.to_data().into_builder().nulls(both).build() {
        Ok(data) => make_array(data),
        Err(_) => column,
    }
}
