//! Arithmetic of decimals at the speed of the numbers in hand.
//!
//! The engine computes `+`, `-` and `*` of decimals in 128 bits and looks at each step whether
//! it wrapped, which takes ten times as long as the step. Most decimals are far smaller than
//! their type allows: if those of a batch fit into 64 bits, which one pass without a way out
//! says, nothing can wrap, and nothing is looked at. Where one does not fit, the engine's own
//! kernels compute the whole batch, and say what wraps.
//!
//! It is done when a plan has been checked, guarded and optimized, so that nobody else has to
//! know these functions.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray as _, Datum, Decimal128Array};
use arrow::compute::binary;
use arrow::compute::kernels::numeric;
use arrow::datatypes::{DataType, Decimal128Type, Field, FieldRef};
use arrow::error::ArrowError;
use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, LogicalPlan, Operator, ReturnFieldArgs, ScalarFunctionArgs,
    ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::physical_expr_common::datum::apply;

use super::checked::type_of;

/// A plan that computes decimals so.
pub(super) fn quick(plan: LogicalPlan) -> Result<LogicalPlan> {
    Ok(plan.transform_up_with_subqueries(node)?.data)
}

fn node(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    // A scan's filters are what its statistics are asked, in the engine's own words.
    if matches!(plan, LogicalPlan::TableScan(_)) {
        return Ok(Transformed::no(plan));
    }
    let schema = merge_schema(&plan.inputs());
    let names = NamePreserver::new(&plan);
    let rewritten = plan.map_expressions(|expr| {
        let name = names.save(&expr);
        Ok(expr
            .transform_up(|expr| Ok(rewrite(expr, &schema)))?
            .update_data(|expr| name.restore(expr)))
    })?;
    if rewritten.transformed {
        rewritten.map_data(LogicalPlan::recompute_schema)
    } else {
        Ok(rewritten)
    }
}

fn rewrite(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let Expr::BinaryExpr(BinaryExpr { left, op, right }) = &expr else {
        return Transformed::no(expr);
    };
    let Some(step) = Step::of(*op) else { return Transformed::no(expr) };
    let is_decimal = |side: &Expr| matches!(type_of(side, schema), Some(DataType::Decimal128(..)));
    let (true, true, Some(result)) = (is_decimal(left), is_decimal(right), type_of(&expr, schema))
    else {
        return Transformed::no(expr);
    };
    let signature = Signature::any(2, Volatility::Immutable);
    let func = Arc::new(ScalarUDF::new_from_impl(Quick { step, result, signature }));
    let args = vec![left.as_ref().clone(), right.as_ref().clone()];
    Transformed::yes(Expr::ScalarFunction(ScalarFunction { func, args }))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    Add,
    Subtract,
    Multiply,
}

impl Step {
    fn of(op: Operator) -> Option<Self> {
        match op {
            Operator::Plus => Some(Self::Add),
            Operator::Minus => Some(Self::Subtract),
            Operator::Multiply => Some(Self::Multiply),
            _ => None,
        }
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Quick {
    step: Step,
    result: DataType,
    signature: Signature,
}

impl ScalarUDFImpl for Quick {
    fn name(&self) -> &str {
        match self.step {
            Step::Add => "decimal_add",
            Step::Subtract => "decimal_subtract",
            Step::Multiply => "decimal_multiply",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.result.clone())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let is_nullable = args.arg_fields.iter().any(|field| field.is_nullable());
        Ok(Arc::new(Field::new(self.name(), self.result.clone(), is_nullable)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        apply(&args.args[0], &args.args[1], |left, right| self.computed(left, right))
    }
}

impl Quick {
    fn computed(&self, left: &dyn Datum, right: &dyn Datum) -> Result<ArrayRef, ArrowError> {
        if let Some(quick) = self.in_64_bits(left, right)? {
            return Ok(quick);
        }
        match self.step {
            Step::Add => numeric::add(left, right),
            Step::Subtract => numeric::sub(left, right),
            Step::Multiply => numeric::mul(left, right),
        }
    }

    /// The result, if all numbers fit into 64 bits.
    fn in_64_bits(
        &self,
        left: &dyn Datum,
        right: &dyn Datum,
    ) -> Result<Option<ArrayRef>, ArrowError> {
        let (Some(one), Some(other)) = (Side::of(left), Side::of(right)) else { return Ok(None) };
        let DataType::Decimal128(precision, scale) = self.result else { return Ok(None) };
        // Up to 18 zeros behind 63 bits leave room for the one bit that a sum takes.
        let zeros = |of: &Side<'_>| {
            let zeros = u32::try_from(scale.checked_sub(of.scale)?).ok()?;
            (zeros <= 18).then(|| 10i128.pow(zeros))
        };
        let computed = match self.step {
            Step::Multiply if one.scale.checked_add(other.scale) == Some(scale) => {
                one.with(&other, |a, b| a * b)?
            }
            Step::Add if let (Some(first), Some(second)) = (zeros(&one), zeros(&other)) => {
                one.with(&other, |a, b| a * first + b * second)?
            }
            Step::Subtract if let (Some(first), Some(second)) = (zeros(&one), zeros(&other)) => {
                one.with(&other, |a, b| a * first - b * second)?
            }
            _ => return Ok(None),
        };
        Ok(Some(Arc::new(computed.with_precision_and_scale(precision, scale)?)))
    }
}

/// One side of a step whose numbers all fit into 64 bits.
struct Side<'a> {
    decimals: &'a Decimal128Array,
    /// Instead of a column, the one number for all rows.
    constant: Option<i128>,
    scale: i8,
}

impl<'a> Side<'a> {
    fn of(side: &'a dyn Datum) -> Option<Self> {
        let (array, is_constant) = side.get();
        let DataType::Decimal128(_, scale) = array.data_type() else { return None };
        let decimals: &Decimal128Array = array.as_primitive::<Decimal128Type>();
        if is_constant && array.is_null(0) {
            return None;
        }
        // What stands where a NULL is may be anything, and has to fit, too.
        let fit = decimals.values().iter().fold(true, |all, n| all & (*n == i128::from(*n as i64)));
        let constant = is_constant.then(|| decimals.value(0));
        fit.then_some(Self { decimals, constant, scale: *scale })
    }

    /// Numbers of 64 bits, so that two of them are multiplied in one instruction.
    fn with(
        &self,
        other: &Self,
        step: impl Fn(i128, i128) -> i128,
    ) -> Result<Decimal128Array, ArrowError> {
        let step = |a: i128, b: i128| step(i128::from(a as i64), i128::from(b as i64));
        match (self.constant, other.constant) {
            (_, Some(number)) => Ok(self.decimals.unary(|a| step(a, number))),
            (Some(number), None) => Ok(other.decimals.unary(|b| step(number, b))),
            (None, None) => binary(self.decimals, other.decimals, step),
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{Array as _, Scalar};

    use super::*;

    fn decimals(numbers: &[Option<i128>], scale: i8) -> Decimal128Array {
        let array: Decimal128Array = numbers.iter().copied().collect();
        array.with_precision_and_scale(38, scale).unwrap()
    }

    type Kernel = fn(&dyn Datum, &dyn Datum) -> Result<ArrayRef, ArrowError>;

    /// The engine's kernels are the judge.
    #[test]
    fn what_fits_and_what_does_not_is_what_the_engine_computes() {
        let edge = i128::from(i64::MAX);
        let numbers = [Some(0), Some(-7), None, Some(edge), Some(-edge - 1), Some(edge + 1)];
        let kernels: [(Step, Kernel); 3] = [
            (Step::Add, numeric::add),
            (Step::Subtract, numeric::sub),
            (Step::Multiply, numeric::mul),
        ];
        for (step, kernel) in kernels {
            for (first, second) in [(0, 0), (2, 2), (2, 4), (6, 0), (0, 18), (0, 19)] {
                for most in [5, 6] {
                    for turn in 0..most {
                        let mut turned = numbers[..most].to_vec();
                        turned.rotate_left(turn);
                        let left = decimals(&numbers[..most], first);
                        let right = decimals(&turned, second);
                        let Ok(expected) = kernel(&left, &right) else { continue };
                        let signature = Signature::any(2, Volatility::Immutable);
                        let quick = Quick { step, result: expected.data_type().clone(), signature };
                        assert_eq!(&quick.computed(&left, &right).unwrap(), &expected);
                        let one = Scalar::new(right.slice(0, 1));
                        let expected = kernel(&left, &one).unwrap();
                        assert_eq!(&quick.computed(&left, &one).unwrap(), &expected);
                        let expected = kernel(&one, &left).unwrap();
                        assert_eq!(&quick.computed(&one, &left).unwrap(), &expected);
                    }
                }
            }
        }
    }

    #[test]
    fn a_sum_that_wraps_is_the_engines_error() {
        let large = decimals(&[Some(i128::MAX)], 0);
        let signature = Signature::any(2, Volatility::Immutable);
        let quick = Quick { step: Step::Add, result: DataType::Decimal128(38, 0), signature };
        assert!(quick.computed(&large, &large).is_err());
    }
}
