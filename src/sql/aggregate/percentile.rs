//! `percentile_cont` and `median` with the digits that they have.
//!
//! Between two values the engine cuts the weight to six digits: a third of the way from 0
//! to 1e9 is 333333000; and the median of the decimals 1.25 and 2.50 is 1.87 for it. All
//! else of it is right, and what it keeps is what its state gives out: the values.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray as _, BooleanArray, Float64Array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, FieldRef, Float64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{
    AccumulatorArgs, AggregateFunctionSimplification, StateFieldsArgs,
};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, ColumnarValue, EmitTo, GroupsAccumulator,
    ReversedUDAF, SetMonotonicity, Signature,
};

use super::moving::Frame;
use super::wrapped::as_the_engine_has_it;

/// The function with its weights as they are.
pub(super) fn of(function: Arc<AggregateUDF>) -> Arc<AggregateUDF> {
    Arc::new(AggregateUDF::new_from_impl(Percentile { function }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Percentile {
    function: Arc<AggregateUDF>,
}

impl AggregateUDFImpl for Percentile {
    as_the_engine_has_it!();

    // The middle of two decimals has a digit more than they.
    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types.first() {
            Some(decimal) if decimal.is_decimal() => Ok(DataType::Float64),
            _ => self.function.return_type(types),
        }
    }

    // The values are put in order here. So two percentiles may want two orders.
    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let (share, distinct) = (share(&args)?, args.is_distinct);
        let result = args.return_field.data_type().clone();
        let values = self.function.accumulator(args)?;
        Ok(Box::new(All { values, share, distinct, result }))
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        let share = share(&args)?;
        let result = args.return_field.data_type().clone();
        let values = self.function.create_groups_accumulator(args)?;
        Ok(Box::new(Groups { values, share, result }))
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        let ours = Self { function: Arc::clone(&self.function) };
        Ok(Box::new(Frame::new(Arc::new(AggregateUDF::new_from_impl(ours)), &args)))
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }
}

/// How far through the values to go, and from which end.
#[derive(Debug, Clone, Copy)]
struct Share {
    /// From 0 to 1.
    share: f64,
    /// Whether the largest value is the first.
    falling: bool,
}

/// What a call asks for. What is no number from 0 to 1 is refused by the engine, which is
/// asked for its own accumulator each time.
fn share(args: &AccumulatorArgs<'_>) -> Result<Share> {
    let falling = args.order_bys.first().is_some_and(|order| order.options.descending);
    // A median is told of its values only.
    let Some(share) = args.exprs.get(1) else { return Ok(Share { share: 0.5, falling }) };
    let row = arrow::record_batch::RecordBatch::new_empty(Arc::new(args.schema.clone()));
    let share = match share.evaluate(&row)? {
        ColumnarValue::Scalar(value) => value.cast_to(&DataType::Float64)?,
        ColumnarValue::Array(_) => ScalarValue::Float64(None),
    };
    let share = if let ScalarValue::Float64(Some(share)) = share { share } else { f64::NAN };
    Ok(Share { share, falling })
}

/// The value at a share of the way through the values, in their order.
fn at(values: &mut [f64], Share { share, falling }: Share) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let order = |one: &f64, other: &f64| {
        let order = one.total_cmp(other);
        if falling { order.reverse() } else { order }
    };
    let place = share * last as f64;
    let lower = (place.floor() as usize).min(last);
    let weight = place - lower as f64;
    let (_, low, beyond) = values.select_nth_unstable_by(lower, order);
    let low = *low;
    if weight <= 0.0 {
        return Some(low);
    }
    let high = beyond.iter().copied().min_by(order).unwrap_or(low);
    // Of two equal infinities the difference is no number, and neither are large values'.
    if low == high {
        return Some(low);
    }
    let step = high - low;
    Some(if step.is_finite() { low + step * weight } else { low * (1.0 - weight) + high * weight })
}

/// One result for each list of values.
fn percentiles(lists: &ArrayRef, share: Share, result: &DataType) -> Result<ArrayRef> {
    let lists = lists.as_list::<i32>();
    let values = cast(lists.values(), &DataType::Float64)?;
    let values = values.as_primitive::<Float64Type>();
    let mut kept = Vec::new();
    let results: Float64Array = (0..lists.len())
        .map(|row| {
            let list = lists.value_offsets()[row] as usize..lists.value_offsets()[row + 1] as usize;
            kept.clear();
            kept.extend_from_slice(&values.values()[list]);
            at(&mut kept, share)
        })
        .collect();
    Ok(cast(&results, result)?)
}

/// The percentile of all rows.
#[derive(Debug)]
struct All {
    values: Box<dyn Accumulator>,
    share: Share,
    distinct: bool,
    result: DataType,
}

impl Accumulator for All {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.values.update_batch(values)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let state = self.values.state()?;
        if !matches!(state[0], ScalarValue::List(_)) {
            return self.values.evaluate();
        }
        let lists = state[0].to_array()?;
        // A growing window asks again. The different values stay where they are.
        if !self.distinct {
            self.values.merge_batch(std::slice::from_ref(&lists))?;
        }
        ScalarValue::try_from_array(&percentiles(&lists, self.share, &self.result)?, 0)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.values.size()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.values.state()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.values.merge_batch(states)
    }
}

/// A percentile for each group.
struct Groups {
    values: Box<dyn GroupsAccumulator>,
    share: Share,
    result: DataType,
}

impl GroupsAccumulator for Groups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
    ) -> Result<()> {
        self.values.update_batch(values, groups, filter, total)
    }

    fn evaluate(&mut self, emit_to: EmitTo) -> Result<ArrayRef> {
        let lists = self.values.state(emit_to)?;
        percentiles(&lists[0], self.share, &self.result)
    }

    fn state(&mut self, emit_to: EmitTo) -> Result<Vec<ArrayRef>> {
        self.values.state(emit_to)
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], total: usize) -> Result<()> {
        self.values.merge_batch(states, groups, total)
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        self.values.convert_to_state(values, filter)
    }

    fn size(&self) -> usize {
        self.values.size()
    }
}
