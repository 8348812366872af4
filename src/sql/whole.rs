//! `CAST(2.7 AS INT)` is 3, as in PostgreSQL and DuckDB.
//!
//! The engine cuts off what is behind the point, so that it is 2. Both of them round: a
//! decimal half away from zero, a float half to even. `trunc(x)` and `floor(x)` cut.

use arrow::array::{ArrayRef, AsArray as _};
use arrow::datatypes::{DataType, Decimal128Type, DecimalType as _, Float32Type, Float64Type};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, internal_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::{
    Cast, ColumnarValue, Expr, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, TryCast, Volatility, cast,
};
use datafusion::optimizer::AnalyzerRule;

use super::aggregate::scale;
use super::checked::{of_one, rewrite_plan, type_of};

/// The name of the function that a rounded float stands in.
pub(super) const ROUNDED: &str = "rounded_to_even";

/// See the module. It comes before the engine's own casts.
#[derive(Debug)]
pub(super) struct CastsRound;

impl AnalyzerRule for CastsRound {
    fn name(&self) -> &'static str {
        "casts_round"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up_with_subqueries(|plan| rewrite_plan(plan, round))?.data)
    }
}

fn round(mut expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let (Expr::Cast(Cast { expr: inner, field }) | Expr::TryCast(TryCast { expr: inner, field })) =
        &mut expr
    else {
        return Transformed::no(expr);
    };
    if !field.data_type().is_integer() || is_rounded(inner) {
        return Transformed::no(expr);
    }
    let whole: fn(Expr) -> Expr = match type_of(inner, schema) {
        Some(DataType::Float32 | DataType::Float64) => rounded,
        // The engine rounds where a decimal becomes one of fewer digits.
        Some(data_type) if data_type.is_decimal() && scale(&data_type) > 0 => {
            |inner| cast(inner, DataType::Decimal128(Decimal128Type::MAX_PRECISION, 0))
        }
        _ => return Transformed::no(expr),
    };
    **inner = whole(std::mem::take(inner.as_mut()));
    Transformed::yes(expr)
}

fn is_rounded(expr: &Expr) -> bool {
    matches!(expr, Expr::ScalarFunction(function) if function.func.name() == ROUNDED)
}

fn rounded(expr: Expr) -> Expr {
    let func =
        ScalarUDF::new_from_impl(Rounded { signature: Signature::any(1, Volatility::Immutable) });
    Expr::ScalarFunction(ScalarFunction { func: func.into(), args: vec![expr] })
}

/// A float to the nearest whole one, halves to the even one.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Rounded {
    signature: Signature,
}

impl ScalarUDFImpl for Rounded {
    fn name(&self) -> &str {
        ROUNDED
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types[0].clone())
    }

    fn evaluate_bounds(&self, inputs: &[&Interval]) -> Result<Interval> {
        Interval::make_unbounded(&inputs[0].data_type())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        of_one(args.args[0].clone(), |floats| {
            let whole: ArrayRef = match floats.data_type() {
                DataType::Float64 => std::sync::Arc::new(
                    floats
                        .as_primitive::<Float64Type>()
                        .unary::<_, Float64Type>(f64::round_ties_even),
                ),
                DataType::Float32 => std::sync::Arc::new(
                    floats
                        .as_primitive::<Float32Type>()
                        .unary::<_, Float32Type>(f32::round_ties_even),
                ),
                other => return internal_err!("{other} is no float"),
            };
            Ok(whole)
        })
    }
}
