//! Arithmetic that does not wrap.
//!
//! The engine adds two bigints and gives a negative number without a word, because
//! its planner never asks its kernels to look. This rule rewrites `+`, `-` and `*` of
//! integers, and a minus before one, to functions that call the kernels which do, and
//! has a decimal of 38 digits looked at after each step. Decimals divide to a double
//! ([`ExactDivision`]). `||` is done here, too, because
//! it can double a text ([`bounded`](super::bounded)). It runs with the analyzer,
//! that is before constants are folded: `9223372036854775807 * 2` in a query is
//! an error, too.

use std::sync::Arc;

use arrow::array::{
    Array as _, ArrayRef, AsArray as _, Datum, Scalar, StringViewArray, StringViewBuilder,
};
use arrow::compute::cast;
use arrow::compute::kernels::numeric;
use arrow::datatypes::{DECIMAL128_MAX_PRECISION, DataType, Decimal128Type, Float64Type};
use arrow::error::ArrowError;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::common::{DFSchema, DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::binary::BinaryTypeCoercer;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, ExprSchemable as _, LogicalPlan, Operator, ScalarFunctionArgs,
    ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_expr_common::datum::apply;

use super::aggregate::overflow;
use super::bounded::within_text;
use super::canonical::CANONICAL;
use super::whole::ROUNDED;

/// See the module.
#[derive(Debug)]
pub(super) struct CheckedArithmetic;

impl AnalyzerRule for CheckedArithmetic {
    fn name(&self) -> &'static str {
        "checked_arithmetic"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up_with_subqueries(|plan| rewrite_plan(plan, rewrite))?.data)
    }
}

/// Divides decimals to a double. The engine keeps four more digits than the dividend has
/// and cuts the others off: a share of 6 percent has six digits then, the last one wrong.
/// It runs before types are made alike, because the result has another type.
#[derive(Debug)]
pub(super) struct ExactDivision;

impl AnalyzerRule for ExactDivision {
    fn name(&self) -> &'static str {
        "exact_division"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up_with_subqueries(|plan| rewrite_plan(plan, divide))?.data)
    }
}

fn divide(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Divide, right }) = expr else {
        return Transformed::no(expr);
    };
    let types = [&left, &right].map(|side| type_of(side, schema).unwrap_or(DataType::Null));
    let exact = types.iter().all(|side| side.is_decimal() || side.is_integer())
        && types.iter().any(DataType::is_decimal);
    if exact {
        return Transformed::yes(call(Step::Divide, vec![*left, *right]));
    }
    Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op: Operator::Divide, right }))
}

/// A plan with its expressions rewritten from the inside out, under their names.
pub(super) fn rewrite_plan(
    plan: LogicalPlan,
    rule: fn(Expr, &DFSchema) -> Transformed<Expr>,
) -> Result<Transformed<LogicalPlan>> {
    let mut schema = merge_schema(&plan.inputs());
    if let LogicalPlan::TableScan(scan) = &plan {
        let own =
            DFSchema::try_from_qualified_schema(scan.table_name.clone(), &scan.source.schema())?;
        schema.merge(&own);
    }
    let names = NamePreserver::new(&plan);
    plan.map_expressions(|expr| {
        let name = names.save(&expr);
        Ok(expr
            .transform_up(|expr| Ok(rule(expr, &schema)))?
            .update_data(|expr| name.restore(expr)))
    })?
    .map_data(LogicalPlan::recompute_schema)
}

/// The type of an expression. The engine names every step on the way to it, which makes a
/// chain of four hundred a matter of seconds; the steps that stand in chains are ours.
pub(super) fn type_of(expr: &Expr, schema: &DFSchema) -> Option<DataType> {
    match expr {
        Expr::ScalarFunction(ScalarFunction { func, args }) => match func.name() {
            "checked_add" | "checked_subtract" | "checked_multiply" | "checked_negate"
            | "checked_digits" | CANONICAL | ROUNDED => type_of(&args[0], schema),
            "checked_divide" => Some(DataType::Float64),
            "checked_join" => {
                joined_type(&[type_of(&args[0], schema)?, type_of(&args[1], schema)?])
            }
            _ => expr.get_type(schema).ok(),
        },
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let (left, right) = (type_of(left, schema)?, type_of(right, schema)?);
            BinaryTypeCoercer::new(&left, op, &right).get_result_type().ok()
        }
        other => other.get_type(schema).ok(),
    }
}

fn rewrite(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let type_of = |expr: &Expr| type_of(expr, schema);
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right })
            if matches!(op, Operator::Plus | Operator::Minus | Operator::Multiply) =>
        {
            let types = (type_of(&left), type_of(&right));
            match types {
                (Some(one), Some(other)) if one.is_integer() && one == other => {
                    Transformed::yes(call(Step::of(op), vec![*left, *right]))
                }
                (Some(one), Some(other)) if one.is_decimal() && other.is_decimal() => {
                    let computed = Expr::BinaryExpr(BinaryExpr { left, op, right });
                    match type_of(&computed) {
                        Some(DataType::Decimal128(DECIMAL128_MAX_PRECISION, _)) => {
                            Transformed::yes(call(Step::Digits, vec![computed]))
                        }
                        _ => Transformed::no(computed),
                    }
                }
                _ => Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right })),
            }
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::StringConcat, right }) => {
            Transformed::yes(call(Step::Join, vec![*left, *right]))
        }
        Expr::Negative(inner) if type_of(&inner).is_some_and(|t| t.is_integer()) => {
            // A literal has no room to wrap: the parser took its sign for itself.
            Transformed::yes(call(Step::Negate, vec![*inner]))
        }
        // What an earlier pass has put in already holds what it computes.
        other => Transformed::no(other),
    }
}

/// An expression as it was before this rule, for a message.
pub(super) fn undone(expr: &Expr) -> Expr {
    let undo = |expr: Expr| {
        let Expr::ScalarFunction(ScalarFunction { func, args }) = &expr else {
            return Ok(Transformed::no(expr));
        };
        let op = match func.name() {
            "checked_add" => Operator::Plus,
            "checked_subtract" => Operator::Minus,
            "checked_multiply" => Operator::Multiply,
            "checked_divide" => Operator::Divide,
            "checked_join" => Operator::StringConcat,
            "checked_negate" => {
                return Ok(Transformed::yes(Expr::Negative(Box::new(args[0].clone()))));
            }
            "checked_digits" | ROUNDED | CANONICAL => return Ok(Transformed::yes(args[0].clone())),
            _ => return Ok(Transformed::no(expr)),
        };
        let [left, right] = [&args[0], &args[1]].map(|arg| Box::new(arg.clone()));
        Ok(Transformed::yes(Expr::BinaryExpr(BinaryExpr { left, op, right })))
    };
    expr.clone().transform_up(undo).map_or_else(|_| expr.clone(), |undone| undone.data)
}

fn call(step: Step, args: Vec<Expr>) -> Expr {
    if let (Step::Digits, [Expr::ScalarFunction(inner)]) = (step, args.as_slice())
        && inner.func.name() == Step::Digits.name()
    {
        return Expr::ScalarFunction(inner.clone());
    }
    let func = Arc::new(ScalarUDF::new_from_impl(Checked::new(step)));
    Expr::ScalarFunction(ScalarFunction { func, args })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    Add,
    Subtract,
    Multiply,
    Negate,
    Digits,
    Divide,
    Join,
}

impl Step {
    fn of(op: Operator) -> Self {
        match op {
            Operator::Plus => Self::Add,
            Operator::Minus => Self::Subtract,
            _ => Self::Multiply,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Add => "checked_add",
            Self::Subtract => "checked_subtract",
            Self::Multiply => "checked_multiply",
            Self::Negate => "checked_negate",
            Self::Digits => "checked_digits",
            Self::Divide => "checked_divide",
            Self::Join => "checked_join",
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Add => "the result of +",
            Self::Subtract => "the result of -",
            Self::Multiply => "the result of *",
            Self::Negate => "the result of a minus",
            Self::Digits => "the result of decimal arithmetic",
            Self::Divide => "the result of /",
            Self::Join => "the result of ||",
        }
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Checked {
    step: Step,
    signature: Signature,
}

impl Checked {
    fn new(step: Step) -> Self {
        let arguments = if matches!(step, Step::Negate | Step::Digits) { 1 } else { 2 };
        Self { step, signature: Signature::any(arguments, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Checked {
    fn name(&self) -> &str {
        self.step.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(match self.step {
            Step::Join => joined_type(types).unwrap_or(DataType::Utf8View),
            Step::Divide => DataType::Float64,
            _ => types[0].clone(),
        })
    }

    // Without it the bounds have no type, and a window ordered by what is computed from
    // them is refused.
    fn evaluate_bounds(&self, inputs: &[&Interval]) -> Result<Interval> {
        let types: Vec<DataType> = inputs.iter().map(|input| input.data_type()).collect();
        Interval::make_unbounded(&self.return_type(&types)?)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let data_type = args.return_field.data_type().clone();
        let checked = |kernel: fn(&dyn Datum, &dyn Datum) -> Result<ArrayRef, ArrowError>| {
            apply(&args.args[0], &args.args[1], kernel)
        };
        let computed = match self.step {
            Step::Add => checked(numeric::add),
            Step::Subtract => checked(numeric::sub),
            Step::Multiply => checked(numeric::mul),
            Step::Negate => {
                let value = args.args[0].clone();
                of_one(value, |array| Ok(numeric::neg(&array)?))
            }
            Step::Divide => checked(divided),
            Step::Join => return joined(&args),
            Step::Digits => {
                return of_one(args.args[0].clone(), |array| {
                    let decimals = array.as_primitive::<Decimal128Type>();
                    if !all_fit(decimals.values()) {
                        // What stands where a NULL is does not count.
                        decimals
                            .validate_decimal_precision(DECIMAL128_MAX_PRECISION)
                            .map_err(|_| overflow(self.step.what(), &data_type))?;
                    }
                    Ok(array)
                });
            }
        };
        // The kernel's own words quote the values.
        computed.map_err(|error| match error.find_root() {
            DataFusionError::ArrowError(cause, _)
                if matches!(**cause, ArrowError::ArithmeticOverflow(_)) =>
            {
                overflow(self.step.what(), &data_type)
            }
            _ => error,
        })
    }
}

/// Whether all have at most 38 digits: one pass without a way out.
fn all_fit(decimals: &[i128]) -> bool {
    const LIMIT: u128 = 10u128.pow(DECIMAL128_MAX_PRECISION as u32);
    decimals.iter().fold(true, |all, value| all & (value.unsigned_abs() < LIMIT))
}

/// The ratio of two exact numbers as a double.
fn divided(left: &dyn Datum, right: &dyn Datum) -> Result<ArrayRef, ArrowError> {
    let double = |side: &dyn Datum| {
        let (array, is_scalar) = side.get();
        let array = cast(&array.slice(0, array.len()), &DataType::Float64)?;
        Ok::<_, ArrowError>((array, is_scalar))
    };
    let ((left, left_is_one), (right, right_is_one)) = (double(left)?, double(right)?);
    if right.as_primitive::<Float64Type>().iter().flatten().any(|divisor| divisor == 0.0) {
        return Err(ArrowError::DivideByZero);
    }
    match (left_is_one, right_is_one) {
        (true, true) => numeric::div(&Scalar::new(left), &Scalar::new(right)),
        (true, false) => numeric::div(&Scalar::new(left), &right),
        (false, true) => numeric::div(&left, &Scalar::new(right)),
        (false, false) => numeric::div(&left, &right),
    }
}

/// The type of two texts in a row: that which the engine took it for before.
fn joined_type(types: &[DataType]) -> Option<DataType> {
    let [left, right] = types else { return None };
    BinaryTypeCoercer::new(left, &Operator::StringConcat, right).get_result_type().ok()
}

/// Two texts in a row; NULL if one is. Doubling a text thirty times would take all
/// memory there is, so what comes out is counted first.
fn joined(args: &ScalarFunctionArgs) -> Result<ColumnarValue> {
    let both = ColumnarValue::values_to_arrays(&args.args)?;
    let both: Vec<ArrayRef> =
        both.iter().map(|texts| cast(texts, &DataType::Utf8View)).collect::<Result<_, _>>()?;
    let (left, right) = (both[0].as_string_view(), both[1].as_string_view());
    let bytes = |texts: &StringViewArray| texts.lengths().map(u64::from).sum::<u64>();
    within_text("||", bytes(left) + bytes(right))?;
    let mut joined = StringViewBuilder::with_capacity(left.len());
    let mut text = String::new();
    for pair in left.iter().zip(right) {
        match pair {
            (Some(left), Some(right)) => {
                text.clear();
                text.push_str(left);
                text.push_str(right);
                joined.append_value(&text);
            }
            _ => joined.append_null(),
        }
    }
    let joined = cast(&joined.finish(), args.return_field.data_type())?;
    Ok(if args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_))) {
        ColumnarValue::Scalar(ScalarValue::try_from_array(&joined, 0)?)
    } else {
        ColumnarValue::Array(joined)
    })
}

/// A function of one argument, over an array or a single value.
pub(super) fn of_one(
    value: ColumnarValue,
    work: impl Fn(ArrayRef) -> Result<ArrayRef>,
) -> Result<ColumnarValue> {
    Ok(match value {
        ColumnarValue::Array(array) => ColumnarValue::Array(work(array)?),
        ColumnarValue::Scalar(scalar) => {
            let array = work(scalar.to_array()?)?;
            ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?)
        }
    })
}
