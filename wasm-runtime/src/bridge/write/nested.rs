//! Guest arrays into lists, maps and structs.
//!
//! Each child is an array of its own, and several may lie at the same address: what they
//! take together is kept within the column's room, child after child.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ListArray, MapArray, StructArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Fields, Int32Type};

use super::super::messages::{ColumnIn, DataIn};
use super::{Refused, Source, field};

/// The lists' offsets by address, which of them are null, and how many items they have.
#[derive(Clone, Copy)]
pub(super) struct Listed {
    pub(super) offsets: u32,
    pub(super) mask: Option<u32>,
    pub(super) item_rows: u32,
}

impl Source<'_> {
    /// Offsets that rise from 0 to the number of items.
    fn offsets(&self, listed: Listed) -> Result<OffsetBuffer<i32>, Refused> {
        let count = self.rows.checked_add(1).ok_or("it has too many rows")?;
        self.fits(count as u64 * 4)?;
        let offsets = self.scalars::<Int32Type>(listed.offsets, count)?;
        let rising = offsets.windows(2).all(|two| two[0] <= two[1]);
        let ends = (offsets.first().copied(), offsets.last().map(|last| i64::from(*last)));
        if !rising || ends != (Some(0), Some(i64::from(listed.item_rows))) {
            return Err("its lists do not follow one another".into());
        }
        Ok(OffsetBuffer::new(offsets))
    }

    /// A child of `rows` rows, and what is left of the room after it.
    fn child(&self, data: &DataIn, rows: usize) -> Result<(ArrayRef, u64), Refused> {
        if self.stop.reason().is_some() {
            return Err("the run was stopped".into());
        }
        let array = Source { rows, ..*self }.array(data)?;
        match self.room.checked_sub(array.get_array_memory_size() as u64) {
            Some(left) => Ok((array, left)),
            None => Err(Refused::TooBig),
        }
    }

    pub(super) fn list(&self, listed: Listed, items: &DataIn) -> Result<ArrayRef, Refused> {
        let offsets = self.offsets(listed)?;
        let (items, _) = self.child(items, listed.item_rows as usize)?;
        // The name that Parquet's specification gives it.
        let item = Arc::new(Field::new("element", items.data_type().clone(), true));
        let array = ListArray::try_new(item, offsets, items, self.nulls(listed.mask)?);
        Ok(Arc::new(array.map_err(|error| error.to_string())?))
    }

    pub(super) fn map(
        &self,
        listed: Listed,
        (keys, values): (&DataIn, &DataIn),
    ) -> Result<ArrayRef, Refused> {
        let offsets = self.offsets(listed)?;
        let (keys, room) = self.child(keys, listed.item_rows as usize)?;
        let (values, _) = Source { room, ..*self }.child(values, listed.item_rows as usize)?;
        if keys.logical_null_count() > 0 {
            return Err("a key of its maps is missing".into());
        }
        let fields = Fields::from(vec![
            Field::new("key", keys.data_type().clone(), false),
            Field::new("value", values.data_type().clone(), true),
        ]);
        let pairs = StructArray::try_new(fields.clone(), vec![keys, values], None);
        let pairs = pairs.map_err(|error| error.to_string())?;
        let entries = Arc::new(Field::new("key_value", DataType::Struct(fields), false));
        let array = MapArray::try_new(entries, offsets, pairs, self.nulls(listed.mask)?, false);
        Ok(Arc::new(array.map_err(|error| error.to_string())?))
    }

    pub(super) fn record(
        &self,
        mask: Option<u32>,
        columns: &[ColumnIn],
    ) -> Result<ArrayRef, Refused> {
        if columns.is_empty() {
            return Err("a struct without fields has no counterpart in Parquet".into());
        }
        let (mut fields, mut arrays, mut room) = (Vec::new(), Vec::new(), self.room);
        for column in columns {
            let (array, left) = Source { room, ..*self }.child(&column.data, self.rows)?;
            room = left;
            fields.push(field(column, array.data_type()));
            arrays.push(array);
        }
        let array = StructArray::try_new(Fields::from(fields), arrays, self.nulls(mask)?);
        Ok(Arc::new(array.map_err(|error| error.to_string())?))
    }
}
