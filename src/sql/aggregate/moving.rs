//! Functions over a moving window, computed anew from the rows of each frame.
//!
//! The engine adds the rows that enter a frame and takes away those that leave it. In
//! floating point that is no way back: a NaN stays a NaN, and one value of 1e20 leaves
//! nothing of the small ones. Some functions cannot take anything away and are refused.
//! Here the rows of the frame are kept, and each frame is computed from nothing: as many
//! steps as the frame has rows, and the same digits as a query over these rows alone.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::concat;
use arrow::datatypes::{DataType, FieldRef, Schema};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::function::{
    AccumulatorArgs, AggregateFunctionSimplification, StateFieldsArgs,
};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, GroupsAccumulator, ReversedUDAF, SetMonotonicity,
    Signature,
};
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr};

use super::wrapped::as_the_engine_has_it;

/// The function with frames that are computed anew.
pub(super) fn of(function: Arc<AggregateUDF>) -> Arc<AggregateUDF> {
    Arc::new(AggregateUDF::new_from_impl(Moving { function }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Moving {
    function: Arc<AggregateUDF>,
}

impl AggregateUDFImpl for Moving {
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

    fn accumulator(&self, args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        self.function.accumulator(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        self.function.create_groups_accumulator(args)
    }

    fn create_sliding_accumulator(
        &self,
        args: AccumulatorArgs<'_>,
    ) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Frame::new(Arc::clone(&self.function), &args)))
    }

    fn with_beneficial_ordering(
        self: Arc<Self>,
        beneficial: bool,
    ) -> Result<Option<Arc<dyn AggregateUDFImpl>>> {
        let function = self.function.as_ref().clone().with_beneficial_ordering(beneficial)?;
        Ok(function.map(|function| Arc::new(Self { function: Arc::new(function) }) as _))
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        match self.function.reverse_udf() {
            ReversedUDAF::Reversed(function) => ReversedUDAF::Reversed(of(function)),
            other => other,
        }
    }
}

/// The rows of the frame that a window is at.
#[derive(Debug)]
pub(super) struct Frame {
    function: Arc<AggregateUDF>,
    /// What the function is told of its arguments.
    call: Call,
    /// A column for each argument, all of one length; none before the first row.
    rows: Vec<ArrayRef>,
}

/// [`AccumulatorArgs`], kept.
#[derive(Debug)]
struct Call {
    return_field: FieldRef,
    schema: Schema,
    ignore_nulls: bool,
    order_bys: Vec<PhysicalSortExpr>,
    is_reversed: bool,
    name: String,
    is_distinct: bool,
    exprs: Vec<Arc<dyn PhysicalExpr>>,
    expr_fields: Vec<FieldRef>,
}

impl Call {
    fn args(&self) -> AccumulatorArgs<'_> {
        AccumulatorArgs {
            return_field: Arc::clone(&self.return_field),
            schema: &self.schema,
            ignore_nulls: self.ignore_nulls,
            order_bys: &self.order_bys,
            is_reversed: self.is_reversed,
            name: &self.name,
            is_distinct: self.is_distinct,
            exprs: &self.exprs,
            expr_fields: &self.expr_fields,
        }
    }
}

impl Frame {
    pub(super) fn new(function: Arc<AggregateUDF>, args: &AccumulatorArgs<'_>) -> Self {
        let call = Call {
            return_field: Arc::clone(&args.return_field),
            schema: args.schema.clone(),
            ignore_nulls: args.ignore_nulls,
            order_bys: args.order_bys.to_vec(),
            is_reversed: args.is_reversed,
            name: args.name.to_owned(),
            is_distinct: args.is_distinct,
            exprs: args.exprs.to_vec(),
            expr_fields: args.expr_fields.to_vec(),
        };
        Self { function, call, rows: Vec::new() }
    }

    fn computed(&self) -> Result<Box<dyn Accumulator>> {
        let mut computed = self.function.accumulator(self.call.args())?;
        if !self.rows.is_empty() {
            computed.update_batch(&self.rows)?;
        }
        Ok(computed)
    }
}

impl Accumulator for Frame {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        if self.rows.is_empty() {
            self.rows = values.to_vec();
            return Ok(());
        }
        for (rows, values) in self.rows.iter_mut().zip(values) {
            *rows = concat(&[rows.as_ref(), values.as_ref()])?;
        }
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let leaving = values.first().map_or(0, Array::len);
        for rows in &mut self.rows {
            let Some(staying) = rows.len().checked_sub(leaving) else {
                return internal_err!("more rows leave a frame than it has");
            };
            *rows = rows.slice(leaving, staying);
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.computed()?.evaluate()
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.rows.iter().map(Array::get_array_memory_size).sum::<usize>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.computed()?.state()
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        internal_err!("the rows of a frame are not made of other frames' results")
    }
}
