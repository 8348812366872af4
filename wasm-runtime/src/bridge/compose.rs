//! Guest arrays into lists, maps and structs.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ListArray, MapArray, StructArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Fields, Int32Type};

use super::messages::{ColumnIn, DataIn};
use super::write::{Source, field};

impl Source<'_> {
    /// Offsets that rise from 0 to the number of items.
    fn offsets(&self, address: u32, items: u32) -> Result<OffsetBuffer<i32>, String> {
        let count = self.rows.checked_add(1).ok_or_else(|| "it has too many rows".to_owned())?;
        let offsets = self.scalars::<Int32Type>(address, count)?;
        let rising = offsets.windows(2).all(|two| two[0] <= two[1]);
        let ends = (offsets.first().copied(), offsets.last().map(|last| i64::from(*last)));
        if !rising || ends != (Some(0), Some(i64::from(items))) {
            return Err("its lists do not follow one another".to_owned());
        }
        Ok(OffsetBuffer::new(offsets))
    }

    fn items(&self, data: &DataIn, rows: u32) -> Result<ArrayRef, String> {
        Source { memory: self.memory, rows: rows as usize }.array(data)
    }

    pub(super) fn list(
        &self,
        offsets: u32,
        mask: Option<u32>,
        (items, item_rows): (&DataIn, u32),
    ) -> Result<ArrayRef, String> {
        let offsets = self.offsets(offsets, item_rows)?;
        let items = self.items(items, item_rows)?;
        // The name that Parquet's specification gives it.
        let item = Arc::new(Field::new("element", items.data_type().clone(), true));
        let array = ListArray::try_new(item, offsets, items, self.nulls(mask)?);
        Ok(Arc::new(array.map_err(|error| error.to_string())?))
    }

    pub(super) fn map(
        &self,
        offsets: u32,
        mask: Option<u32>,
        (keys, values, item_rows): (&DataIn, &DataIn, u32),
    ) -> Result<ArrayRef, String> {
        let offsets = self.offsets(offsets, item_rows)?;
        let (keys, values) = (self.items(keys, item_rows)?, self.items(values, item_rows)?);
        if keys.logical_null_count() > 0 {
            return Err("a key of its maps is missing".to_owned());
        }
        let fields = Fields::from(vec![
            Field::new("key", keys.data_type().clone(), false),
            Field::new("value", values.data_type().clone(), true),
        ]);
        let pairs = StructArray::try_new(fields.clone(), vec![keys, values], None);
        let pairs = pairs.map_err(|error| error.to_string())?;
        let entries = Arc::new(Field::new("key_value", DataType::Struct(fields), false));
        let array = MapArray::try_new(entries, offsets, pairs, self.nulls(mask)?, false);
        Ok(Arc::new(array.map_err(|error| error.to_string())?))
    }

    pub(super) fn record(
        &self,
        mask: Option<u32>,
        columns: &[ColumnIn],
    ) -> Result<ArrayRef, String> {
        if columns.is_empty() {
            return Err("a struct without fields has no counterpart in Parquet".to_owned());
        }
        let mut fields = Vec::new();
        let mut arrays = Vec::new();
        for column in columns {
            let array = self.array(&column.data)?;
            fields.push(field(column, array.data_type()));
            arrays.push(array);
        }
        let array = StructArray::try_new(Fields::from(fields), arrays, self.nulls(mask)?);
        Ok(Arc::new(array.map_err(|error| error.to_string())?))
    }
}
