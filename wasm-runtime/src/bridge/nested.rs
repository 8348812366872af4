//! Lists, maps and structs, taken apart into columns that numpy knows.
//!
//! A list is its offsets and the column of its items, a struct is its fields, a map is
//! a list of keys and values; the guest puts them together into the objects that
//! pyarrow makes. A null list or struct has null children, so that a field's nulls are
//! those that a script sees.

use arrow::array::{Array, ArrayRef, AsArray, OffsetSizeTrait, make_array};
use arrow::buffer::NullBuffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, FieldRef};

use super::messages::{KindOut, NestedOut};

type Decoded = (KindOut, Vec<Vec<u8>>);

/// Decodes a nested column: `nulls` says whether any row is null.
pub(super) fn decode(field: &Field, arrays: &[ArrayRef], nulls: bool) -> Result<Decoded, String> {
    match field.data_type() {
        DataType::Struct(fields) => {
            let mut buffers = masks(arrays, nulls);
            let mut children = Vec::new();
            for (at, field) in fields.iter().enumerate() {
                let columns: Vec<ArrayRef> = arrays.iter().map(|array| below(array, at)).collect();
                children.push(child(field, &columns, &mut buffers)?);
            }
            Ok((KindOut::Struct { masked: nulls, fields: children }, buffers))
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(fields) = entries.data_type() else {
                return Err("a map whose entries are no pairs".to_owned());
            };
            let [key, value] = &**fields else {
                return Err("a map whose entries are no pairs".to_owned());
            };
            let (mut offsets, mut pairs) = (Offsets::new(arrays), Vec::new());
            for array in arrays {
                let map = array.as_map();
                let (from, to) = offsets.extend(map.value_offsets())?;
                pairs.push(map.entries().slice(from, to - from));
            }
            let mut buffers = offsets.buffers(arrays, nulls);
            let part = |at: usize| pairs.iter().map(|p| p.column(at).clone()).collect::<Vec<_>>();
            let keys = Box::new(child(key, &part(0), &mut buffers)?);
            let values = Box::new(child(value, &part(1), &mut buffers)?);
            Ok((KindOut::Map { masked: nulls, keys, values }, buffers))
        }
        DataType::List(item) => lists::<i32>(item, arrays, nulls),
        DataType::LargeList(item) => lists::<i64>(item, arrays, nulls),
        DataType::FixedSizeList(item, _)
        | DataType::ListView(item)
        | DataType::LargeListView(item) => {
            let to = DataType::LargeList(item.clone());
            let same: Result<Vec<_>, _> = arrays.iter().map(|array| cast(array, &to)).collect();
            lists::<i64>(item, &same.map_err(|error| error.to_string())?, nulls)
        }
        other => Err(format!("the type {other} is not nested")),
    }
}

fn lists<O: OffsetSizeTrait>(
    item: &FieldRef,
    arrays: &[ArrayRef],
    nulls: bool,
) -> Result<Decoded, String> {
    let (mut offsets, mut items) = (Offsets::new(arrays), Vec::new());
    for array in arrays {
        let list = array.as_list::<O>();
        let (from, to) = offsets.extend(list.value_offsets())?;
        items.push(list.values().slice(from, to - from));
    }
    let mut buffers = offsets.buffers(arrays, nulls);
    let items = Box::new(child(item, &items, &mut buffers)?);
    Ok((KindOut::List { masked: nulls, items }, buffers))
}

/// Offsets of several arrays, one after another.
struct Offsets {
    bytes: Vec<u8>,
    last: i32,
}

impl Offsets {
    fn new(arrays: &[ArrayRef]) -> Self {
        let rows: usize = arrays.iter().map(Array::len).sum();
        let mut bytes = Vec::with_capacity((rows + 1) * 4);
        bytes.extend_from_slice(&0i32.to_le_bytes());
        Self { bytes, last: 0 }
    }

    /// Adds an array's offsets; gives the range of items that they speak of.
    fn extend<O: OffsetSizeTrait>(&mut self, offsets: &[O]) -> Result<(usize, usize), String> {
        let from = offsets.first().map_or(0, |first| first.as_usize());
        let to = offsets.last().map_or(0, |last| last.as_usize());
        for offset in offsets.iter().skip(1) {
            let items = i32::try_from(offset.as_usize() - from)
                .ok()
                .and_then(|items| self.last.checked_add(items))
                .ok_or("it has more items than a column can have here")?;
            self.bytes.extend_from_slice(&items.to_le_bytes());
        }
        self.last += (to - from) as i32;
        Ok((from, to))
    }

    fn buffers(self, arrays: &[ArrayRef], nulls: bool) -> Vec<Vec<u8>> {
        let mut buffers = vec![self.bytes];
        buffers.extend(masks(arrays, nulls));
        buffers
    }
}

/// A byte a row, 1 is null; nothing where no row is.
fn masks(arrays: &[ArrayRef], nulls: bool) -> Vec<Vec<u8>> {
    if nulls { super::decode::with_mask(Vec::new(), arrays, true).split_off(1) } else { Vec::new() }
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

fn child(
    field: &FieldRef,
    arrays: &[ArrayRef],
    buffers: &mut Vec<Vec<u8>>,
) -> Result<NestedOut, String> {
    // pyarrow knows no categories in a list.
    let (field, arrays) = match field.data_type() {
        DataType::Dictionary(_, values) => {
            let plain: Result<Vec<_>, _> = arrays.iter().map(|array| cast(array, values)).collect();
            let field = field.as_ref().clone().with_data_type((**values).clone());
            (field.into(), plain.map_err(|error| error.to_string())?)
        }
        _ => (field.clone(), arrays.to_vec()),
    };
    let rows = arrays.iter().map(Array::len).sum();
    let nulls = arrays.iter().any(|array| array.logical_null_count() > 0);
    let (data, own) = super::decode::decode(&field, &arrays, nulls)?;
    let nested = NestedOut { name: field.name().clone(), rows, take: own.len(), data };
    buffers.extend(own);
    Ok(nested)
}
