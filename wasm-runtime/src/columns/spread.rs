//! What values take that are written out one by one.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, OffsetSizeTrait};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::DataType;

/// The most bytes that these values take when each is written out, as JSON or in
/// another way, though in the array they share what the file shares.
#[must_use]
pub fn spread_bytes(array: &ArrayRef) -> u64 {
    let rows = array.len() as u64;
    let each = |bytes: u64| rows.saturating_mul(bytes);
    // `{"v":…}` and a line's end, or a comma.
    let frame = each(8);
    let inner = match array.data_type() {
        DataType::Struct(fields) => {
            let names: usize = fields.iter().map(|field| 6 * field.name().len() + 4).sum();
            let columns = array.as_struct().columns().iter().map(spread_bytes);
            columns.fold(each(names as u64 + 4), u64::saturating_add)
        }
        DataType::List(_) => {
            within(array.as_list::<i32>().offsets(), array.as_list::<i32>().values())
        }
        DataType::LargeList(_) => {
            within(array.as_list::<i64>().offsets(), array.as_list::<i64>().values())
        }
        DataType::Map(..) => {
            let entries: ArrayRef = Arc::new(array.as_map().entries().clone());
            within(array.as_map().offsets(), &entries)
        }
        DataType::FixedSizeList(..) => spread_bytes(array.as_fixed_size_list().values()),
        // A character can become an escape of six, a byte two digits.
        DataType::Utf8View => {
            let views = array.as_string_view().views();
            views.iter().map(|view| 6 * u64::from(*view as u32) + 2).sum()
        }
        DataType::BinaryView => {
            let views = array.as_binary_view().views();
            views.iter().map(|view| 2 * u64::from(*view as u32) + 2).sum()
        }
        DataType::FixedSizeBinary(size) => each(2 * u64::try_from(*size).unwrap_or(0) + 2),
        DataType::Boolean | DataType::Null => each(5),
        other if other.is_integer() => each(20),
        // The longest: 76 digits of a decimal, a timestamp with its zone.
        other if other.is_primitive() => each(96),
        _ => (array.get_array_memory_size() as u64).saturating_mul(12),
    };
    inner.saturating_add(frame)
}

fn within<O: OffsetSizeTrait>(offsets: &OffsetBuffer<O>, values: &ArrayRef) -> u64 {
    let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else { return 0 };
    let (first, last) = (first.as_usize(), last.as_usize());
    spread_bytes(&values.slice(first, last - first))
}
