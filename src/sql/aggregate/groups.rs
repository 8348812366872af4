//! A sum or an average for each group, counted as [`exact`](super::exact) counts one.

use std::mem::size_of;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray as _, BooleanArray, Decimal128Array, UInt64Array};
use arrow::datatypes::{DECIMAL128_MAX_PRECISION, UInt64Type};
use datafusion::common::Result;
use datafusion::logical_expr::{EmitTo, GroupsAccumulator};

use super::exact::{Shape, for_each};

/// A sum for each group.
#[derive(Debug)]
pub(super) struct Groups {
    shape: Shape,
    sums: Vec<i128>,
    counts: Vec<u64>,
}

impl Groups {
    pub(super) fn new(shape: Shape) -> Self {
        Self { shape, sums: Vec::new(), counts: Vec::new() }
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
        self.sums.resize(total, 0);
        self.counts.resize(total, 0);
        let (sums, counts, shape) = (&mut self.sums, &mut self.counts, &self.shape);
        for_each(&values[0], |row, value| {
            if filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row)) {
                let group = groups[row];
                sums[group] = shape.add(sums[group], value)?;
                counts[group] += 1;
            }
            Ok(())
        })
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
        self.sums.resize(total, 0);
        self.counts.resize(total, 0);
        let parts = states[1].as_primitive::<UInt64Type>();
        let (sums, counts, shape) = (&mut self.sums, &mut self.counts, &self.shape);
        for_each(&states[0], |row, sum| {
            let group = groups[row];
            sums[group] = shape.add(sums[group], sum)?;
            counts[group] += parts.value(row);
            Ok(())
        })
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let mut sums = vec![0; values[0].len()];
        let mut counts = vec![0; values[0].len()];
        for_each(&values[0], |row, value| {
            if filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row)) {
                (sums[row], counts[row]) = (value, 1);
            }
            Ok(())
        })?;
        let sums = self.sums_of(sums, &counts)?;
        Ok(vec![sums, Arc::new(UInt64Array::from(counts))])
    }

    fn size(&self) -> usize {
        self.sums.capacity() * size_of::<i128>() + self.counts.capacity() * size_of::<u64>()
    }
}
