//! `sum` and `avg` of whole and decimal numbers by group: what [`exact`](super::exact) says of
//! them, in loops that a query spends most of its time in.
//!
//! Nothing in them may leave early: whether a sum wrapped is gathered for a whole batch and
//! asked once, at its end. A sum that has wrapped is thrown away with its query.

use std::mem::size_of;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray as _, BooleanArray, Decimal128Array,
    PrimitiveArray, UInt64Array,
};
use arrow::buffer::NullBuffer;
use arrow::compute::cast;
use arrow::datatypes::{DECIMAL128_MAX_PRECISION, DataType, Decimal128Type, Int64Type, UInt64Type};
use datafusion::common::Result;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};

use super::exact::{Shape, state_type};

/// A sum for each group.
#[derive(Debug)]
pub(super) struct Groups {
    shape: Shape,
    sums: Vec<i128>,
    counts: Vec<u64>,
}

/// Numbers as one of the three types that are added.
fn countable(values: &ArrayRef) -> Result<ArrayRef> {
    Ok(match values.data_type() {
        DataType::Int64 | DataType::UInt64 | DataType::Decimal128(..) => Arc::clone(values),
        DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) => {
            cast(values, &state_type(*scale))?
        }
        _ => cast(values, &DataType::Int64)?,
    })
}

/// Rows that a filter lets through.
pub(super) fn passing(filter: &BooleanArray) -> NullBuffer {
    let passing = match filter.nulls() {
        Some(nulls) => filter.values() & nulls.inner(),
        None => filter.values().clone(),
    };
    NullBuffer::new(passing)
}

impl Groups {
    pub(super) fn new(shape: Shape) -> Self {
        Self { shape, sums: Vec::new(), counts: Vec::new() }
    }

    /// Adds each value that is no null and passes to its group, and `count(row)` rows.
    fn add(
        &mut self,
        values: &ArrayRef,
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
        count: impl Fn(usize) -> u64 + Copy,
    ) -> Result<()> {
        self.sums.resize(total, 0);
        self.counts.resize(total, 0);
        let values = countable(values)?;
        let rows = NullBuffer::union(values.nulls(), filter.map(passing).as_ref());
        let wrapped = match values.data_type() {
            DataType::UInt64 => {
                self.add_all::<UInt64Type>(values.as_primitive(), groups, rows.as_ref(), count)
            }
            DataType::Decimal128(..) => {
                self.add_all::<Decimal128Type>(values.as_primitive(), groups, rows.as_ref(), count)
            }
            _ => self.add_all::<Int64Type>(values.as_primitive(), groups, rows.as_ref(), count),
        };
        if wrapped { Err(self.shape.too_large()) } else { Ok(()) }
    }

    /// Whether a sum wrapped.
    fn add_all<T>(
        &mut self,
        values: &PrimitiveArray<T>,
        groups: &[usize],
        rows: Option<&NullBuffer>,
        count: impl Fn(usize) -> u64,
    ) -> bool
    where
        T: ArrowPrimitiveType,
        T::Native: Into<i128>,
    {
        let (sums, counts) = (self.sums.as_mut_slice(), self.counts.as_mut_slice());
        let mut wrapped = false;
        let mut add = |row: usize, group: usize, value: T::Native| {
            let (sum, over) = sums[group].overflowing_add(value.into());
            sums[group] = sum;
            wrapped |= over;
            counts[group] += count(row);
        };
        let all = groups.iter().zip(values.values().iter()).enumerate();
        match rows {
            None => all.for_each(|(row, (group, value))| add(row, *group, *value)),
            Some(rows) => all.for_each(|(row, (group, value))| {
                if rows.is_valid(row) {
                    add(row, *group, *value);
                }
            }),
        }
        wrapped
    }

    fn taken(&mut self, emit_to: EmitTo) -> (Vec<i128>, Vec<u64>) {
        (emit_to.take_needed(&mut self.sums), emit_to.take_needed(&mut self.counts))
    }

    fn sums_of(&self, sums: Vec<i128>, counts: &[u64]) -> Result<ArrayRef> {
        let sums: Decimal128Array =
            sums.into_iter().zip(counts).map(|(sum, count)| (*count > 0).then_some(sum)).collect();
        Ok(Arc::new(sums.with_precision_and_scale(DECIMAL128_MAX_PRECISION, self.shape.scale)?))
    }
}

impl GroupsAccumulator for Groups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
    ) -> Result<()> {
        self.add(&values[0], groups, filter, total, |_| 1)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let (sums, counts) = self.taken(emit_to);
        self.shape.array(&sums, &counts)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        let (sums, counts) = self.taken(emit_to);
        let sums = self.sums_of(sums, &counts)?;
        Ok(vec![sums, Arc::new(UInt64Array::from(counts))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], total: usize) -> Result<()> {
        let parts = states[1].as_primitive::<UInt64Type>().values();
        self.add(&states[0], groups, None, total, |row| parts[row])
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        // Each row is a group of its own.
        let rows: Vec<usize> = (0..values[0].len()).collect();
        let mut each = Self::new(self.shape.clone());
        each.update_batch(values, &rows, filter, rows.len())?;
        each.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        self.sums.capacity() * size_of::<i128>() + self.counts.capacity() * size_of::<u64>()
    }
}
