//! `min` and `max` of floats by group, with NaN above all numbers.
//!
//! The engine keeps what it has unless the next value is smaller or larger, which a NaN
//! never is and nothing is beside a NaN: the result depends on which row came first. Over
//! all rows, and in windows, it orders NaN above all numbers, as PostgreSQL and DuckDB do.

use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, AsArray as _, BooleanArray, Float64Array};
use arrow::buffer::NullBuffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, FieldRef, Float64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{
    AccumulatorArgs, AggregateFunctionSimplification, StateFieldsArgs,
};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, ReversedUDAF,
    SetMonotonicity, Signature, StatisticsArgs,
};

use super::groups::passing;
use super::wrapped::as_the_engine_has_it;

/// `min` or `max` with the order of the whole for each group.
pub(super) fn of(function: Arc<AggregateUDF>) -> Arc<AggregateUDF> {
    Arc::new(AggregateUDF::new_from_impl(Extreme { function }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Extreme {
    function: Arc<AggregateUDF>,
}

impl AggregateUDFImpl for Extreme {
    as_the_engine_has_it!();

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.function.return_type(types)
    }

    fn return_field(&self, fields: &[FieldRef]) -> Result<FieldRef> {
        self.function.return_field(fields)
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.function.order_sensitivity()
    }

    fn value_from_stats(&self, statistics: &StatisticsArgs<'_>) -> Option<ScalarValue> {
        self.function.value_from_stats(statistics)
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        self.function.accumulator(args)
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        self.function.create_sliding_accumulator(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        let result = args.return_field.data_type().clone();
        if !result.is_floating() {
            return self.function.create_groups_accumulator(args);
        }
        let largest = self.function.name() == "max";
        Ok(Box::new(Groups { largest, result, best: Vec::new() }))
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }
}

/// The smallest or largest value of each group that has one.
struct Groups {
    largest: bool,
    result: DataType,
    best: Vec<Option<f64>>,
}

impl GroupsAccumulator for Groups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
    ) -> Result<()> {
        self.best.resize(total, None);
        let values = cast(&values[0], &DataType::Float64)?;
        let values = values.as_primitive::<Float64Type>();
        let rows = NullBuffer::union(values.nulls(), filter.map(passing).as_ref());
        for (row, (value, group)) in values.values().iter().zip(groups).enumerate() {
            if rows.as_ref().is_some_and(|rows| rows.is_null(row)) {
                continue;
            }
            let best = &mut self.best[*group];
            let better = best.is_none_or(|best| {
                let order = value.total_cmp(&best);
                if self.largest { order.is_gt() } else { order.is_lt() }
            });
            if better {
                *best = Some(*value);
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let best: Float64Array = emit_to.take_needed(&mut self.best).into_iter().collect();
        Ok(cast(&best, &self.result)?)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate(emit_to)?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], total: usize) -> Result<()> {
        self.update_batch(states, groups, None, total)
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let Some(filter) = filter else { return Ok(vec![Arc::clone(&values[0])]) };
        let left_out = BooleanArray::new(!passing(filter).inner(), None);
        Ok(vec![arrow::compute::nullif(&values[0], &left_out)?])
    }

    fn size(&self) -> usize {
        self.best.capacity() * size_of::<Option<f64>>()
    }
}
