//! `sum` and `avg` of whole and decimal numbers, exact or not at all.
//!
//! The engine's own sums wrap: `sum` of two bigints can be negative, and that of two
//! large decimals is some other number. These count in 128 bits, in which no number
//! of rows that a machine can hold wraps a sum of 64-bit integers, and look at the
//! end whether the result's type holds it; a decimal sum that leaves 38 digits is an
//! error at once. An average is the exact sum divided once, as a double: the engine's
//! own cuts decimals off after four more digits, and adds integers as doubles.
//!
//! Durations and intervals are the engine's business, and so are floats but for those in a
//! moving window ([`FloatFrame`]).

use std::collections::HashSet;
use std::mem::size_of;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray as _, Decimal128Array, Float64Array, Int64Array, UInt64Array,
};
use arrow::compute::cast;
use arrow::datatypes::{
    DECIMAL128_MAX_PRECISION, DataType, Decimal128Type, Field, FieldRef, Int64Type, UInt64Type,
};
use datafusion::common::utils::SingleRowListArrayBuilder;
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::functions_aggregate::average::Avg;
use datafusion::functions_aggregate::sum::Sum;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, GroupsAccumulator, ReversedUDAF, Signature,
};

use super::float_sum::FloatFrame;
use super::groups::Groups;
use super::moving::Frame;
use super::nothing::{self, Nothing};

/// A sum or another result that its type cannot hold. It says nothing of values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} is out of the range of {data_type}")]
pub(in crate::sql) struct Overflow {
    /// What was computed.
    pub what: &'static str,
    /// What cannot hold it.
    pub data_type: String,
}

pub(in crate::sql) fn overflow(what: &'static str, data_type: &DataType) -> DataFusionError {
    let data_type = crate::type_name::type_name(data_type);
    DataFusionError::External(Box::new(Overflow { what, data_type }))
}

/// `sum`.
pub(super) fn sum() -> Arc<AggregateUDF> {
    Arc::new(AggregateUDF::new_from_impl(Exact::new(What::Sum)))
}

/// `avg`.
pub(super) fn avg() -> Arc<AggregateUDF> {
    Arc::new(AggregateUDF::new_from_impl(Exact::new(What::Avg)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    Sum,
    Avg,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Exact {
    what: What,
    sum: Sum,
    avg: Avg,
}

impl Exact {
    fn new(what: What) -> Self {
        Self { what, sum: Sum::new(), avg: Avg::new() }
    }

    fn engine(&self) -> &dyn AggregateUDFImpl {
        match self.what {
            What::Sum => &self.sum,
            What::Avg => &self.avg,
        }
    }

    fn shape(&self, input: &DataType, result: &DataType) -> Shape {
        Shape { what: self.what, scale: scale(input), result: result.clone() }
    }
}

/// Digits behind the point, in a type that may have some.
pub(in crate::sql) fn scale(data_type: &DataType) -> i8 {
    match data_type {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale) => *scale,
        _ => 0,
    }
}

fn is_exact(data_type: &DataType) -> bool {
    data_type.is_integer()
        || matches!(
            data_type,
            DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..)
        )
}

impl AggregateUDFImpl for Exact {
    fn name(&self) -> &str {
        self.engine().name()
    }

    fn aliases(&self) -> &[String] {
        self.engine().aliases()
    }

    // The average's own signature makes doubles of integers before they are added.
    fn signature(&self) -> &Signature {
        self.sum.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match (self.what, types.first()) {
            (What::Avg, Some(input)) if is_exact(input) => Ok(DataType::Float64),
            (What::Avg, Some(DataType::Null)) => Ok(DataType::Float64),
            (What::Sum, Some(DataType::Null)) => Ok(DataType::Int64),
            // A sum of 9-digit decimals soon has more digits.
            (What::Sum, Some(DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale))) => {
                Ok(DataType::Decimal128(DECIMAL128_MAX_PRECISION, *scale))
            }
            _ => self.engine().return_type(types),
        }
    }

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        let input = args.expr_fields[0].data_type();
        if *input == DataType::Null {
            return Nothing::of(args.return_field.data_type());
        }
        if !is_exact(input) {
            return self.engine().accumulator(args);
        }
        let shape = self.shape(input, args.return_field.data_type());
        Ok(if args.is_distinct {
            Box::new(Distinct { shape, seen: HashSet::new() })
        } else {
            Box::new(Running { shape, sum: 0, count: 0 })
        })
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        let input = args.expr_fields[0].data_type();
        if *input == DataType::Null {
            return self.accumulator(args);
        }
        if args.is_distinct {
            return Ok(Box::new(Frame::new(Arc::new(Self::new(self.what).into()), &args)));
        }
        if is_exact(input) {
            return self.accumulator(args);
        }
        if *input == DataType::Float64 {
            return Ok(Box::new(match self.what {
                What::Sum => FloatFrame::sum(),
                What::Avg => FloatFrame::avg(),
            }));
        }
        self.engine().create_sliding_accumulator(args)
    }

    fn state_fields(&self, args: StateFieldsArgs<'_>) -> Result<Vec<FieldRef>> {
        let input = args.input_fields[0].data_type();
        if *input == DataType::Null {
            return Ok(vec![Arc::new(Field::new(args.name, nothing::STATE, true))]);
        }
        if !is_exact(input) {
            return self.engine().state_fields(args);
        }
        let sum = state_type(self.shape(input, input).scale);
        let name = |part: &str| format!("{}[{part}]", args.name);
        Ok(if args.is_distinct {
            let item = Field::new_list_field(sum, true);
            vec![Arc::new(Field::new_list(name("values"), item, true))]
        } else {
            vec![
                Arc::new(Field::new(name("sum"), sum, true)),
                Arc::new(Field::new(name("count"), DataType::UInt64, true)),
            ]
        })
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs<'_>) -> bool {
        let input = args.expr_fields[0].data_type();
        if is_exact(input) || *input == DataType::Null {
            return !args.is_distinct && is_exact(input);
        }
        self.engine().groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        let input = args.expr_fields[0].data_type();
        if !is_exact(input) {
            return self.engine().create_groups_accumulator(args);
        }
        let shape = self.shape(input, args.return_field.data_type());
        Ok(Box::new(Groups::new(shape)))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }
}

pub(super) fn state_type(scale: i8) -> DataType {
    DataType::Decimal128(DECIMAL128_MAX_PRECISION, scale)
}

/// What comes out.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    what: What,
    pub(super) scale: i8,
    result: DataType,
}

impl Shape {
    pub(super) fn too_large(&self) -> DataFusionError {
        overflow(
            if self.what == What::Sum { "the sum" } else { "the sum of the average" },
            &self.result,
        )
    }

    pub(super) fn add(&self, sum: i128, value: i128) -> Result<i128> {
        sum.checked_add(value).ok_or_else(|| self.too_large())
    }

    fn average(&self, sum: i128, count: u64) -> f64 {
        sum as f64 / 10f64.powi(i32::from(self.scale)) / count as f64
    }

    fn scalar(&self, sum: i128, count: u64) -> Result<ScalarValue> {
        let array = self.array(&[sum], &[count])?;
        ScalarValue::try_from_array(&array, 0)
    }

    pub(super) fn array(&self, sums: &[i128], counts: &[u64]) -> Result<ArrayRef> {
        let pairs = sums.iter().zip(counts);
        if self.what == What::Avg {
            let averages =
                pairs.map(|(sum, count)| (*count > 0).then(|| self.average(*sum, *count)));
            return Ok(Arc::new(averages.collect::<Float64Array>()));
        }
        let pairs = pairs.map(|(sum, count)| (*count > 0).then_some(*sum));
        Ok(match self.result {
            DataType::Int64 => {
                let fits = |sum: Option<i128>| sum.map(i64::try_from).transpose();
                Arc::new(
                    pairs
                        .map(fits)
                        .collect::<Result<Int64Array, _>>()
                        .map_err(|_| self.too_large())?,
                )
            }
            DataType::UInt64 => {
                let fits = |sum: Option<i128>| sum.map(u64::try_from).transpose();
                Arc::new(
                    pairs
                        .map(fits)
                        .collect::<Result<UInt64Array, _>>()
                        .map_err(|_| self.too_large())?,
                )
            }
            DataType::Decimal128(precision, scale) => {
                let sums: Decimal128Array = pairs.collect();
                let sums = sums.with_precision_and_scale(precision, scale)?;
                sums.validate_decimal_precision(precision).map_err(|_| self.too_large())?;
                Arc::new(sums)
            }
            _ => return Err(self.too_large()),
        })
    }
}

/// Calls `each` with the row and the value of whatever is no null.
pub(super) fn for_each(
    values: &ArrayRef,
    mut each: impl FnMut(usize, i128) -> Result<()>,
) -> Result<()> {
    macro_rules! walk {
        ($kind:ty) => {{
            let values = values.as_primitive::<$kind>();
            if values.null_count() == 0 {
                for (row, value) in values.values().iter().enumerate() {
                    each(row, i128::from(*value))?;
                }
            } else {
                for (row, value) in values.iter().enumerate() {
                    if let Some(value) = value {
                        each(row, i128::from(value))?;
                    }
                }
            }
            Ok(())
        }};
    }
    match values.data_type() {
        DataType::Int64 => walk!(Int64Type),
        DataType::UInt64 => walk!(UInt64Type),
        DataType::Decimal128(..) => walk!(Decimal128Type),
        DataType::Decimal32(_, scale) | DataType::Decimal64(_, scale) => {
            for_each(&cast(values, &state_type(*scale))?, each)
        }
        _ => for_each(&cast(values, &DataType::Int64)?, each),
    }
}

/// A sum of all rows, or of a window.
#[derive(Debug)]
struct Running {
    shape: Shape,
    sum: i128,
    count: u64,
}

impl Accumulator for Running {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for_each(&values[0], |_, value| {
            self.sum = self.shape.add(self.sum, value)?;
            self.count += 1;
            Ok(())
        })
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for_each(&values[0], |_, value| {
            self.sum = self.sum.checked_sub(value).ok_or_else(|| self.shape.too_large())?;
            self.count -= 1;
            Ok(())
        })
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.shape.scalar(self.sum, self.count)
    }

    fn size(&self) -> usize {
        size_of::<Self>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let sum = ScalarValue::Decimal128(
            (self.count > 0).then_some(self.sum),
            DECIMAL128_MAX_PRECISION,
            self.shape.scale,
        );
        Ok(vec![sum, ScalarValue::UInt64(Some(self.count))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let counts = states[1].as_primitive::<UInt64Type>();
        for_each(&states[0], |row, sum| {
            self.sum = self.shape.add(self.sum, sum)?;
            self.count += counts.value(row);
            Ok(())
        })
    }
}

/// A sum of different values.
#[derive(Debug)]
struct Distinct {
    shape: Shape,
    seen: HashSet<i128>,
}

impl Accumulator for Distinct {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for_each(&values[0], |_, value| {
            self.seen.insert(value);
            Ok(())
        })
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let mut sum = 0;
        for value in &self.seen {
            sum = self.shape.add(sum, *value)?;
        }
        self.shape.scalar(sum, self.seen.len() as u64)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.seen.capacity() * (size_of::<i128>() + 1)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let values: Decimal128Array = self.seen.iter().copied().map(Some).collect();
        let values = values.with_precision_and_scale(DECIMAL128_MAX_PRECISION, self.shape.scale)?;
        Ok(vec![SingleRowListArrayBuilder::new(Arc::new(values)).build_list_scalar()])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for list in states[0].as_list::<i32>().iter().flatten() {
            self.update_batch(&[list])?;
        }
        Ok(())
    }
}
