//! One zero and one NaN.
//!
//! IEEE 754 has two zeros, and as many NaNs as there are bits to spare, with a sign: 0.0/0.0
//! is negative on one processor and positive on another. The engine tells them apart where
//! it hashes and orders, and not where it compares: `count(DISTINCT x)` counts two zeros, a
//! list of values does not hold -0.0 where 0 is in it, a negative NaN is the smallest number
//! and a positive one the largest. So there is only one of each here, as in PostgreSQL:
//! what is read is made so ([`read`]), and so is what is computed ([`OneZero`]).

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray as _, PrimitiveArray};
use arrow::datatypes::{ArrowPrimitiveType, DataType, Float32Type, Float64Type, Schema};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::interval_arithmetic::Interval;
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::{
    BinaryExpr, Cast, ColumnarValue, Expr, LogicalPlan, Operator, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, TryCast, Volatility,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;

use super::checked::{of_one, rewrite_plan, type_of};

/// The name of the function that a float stands in.
pub(super) const CANONICAL: &str = "canonical";

/// Functions that give one of their arguments, which has one zero already.
const CHOOSES: &[&str] = &["coalesce", "nvl", "nvl2", "nullif", "greatest", "least", CANONICAL];

/// Makes what is computed so. It comes when the types are settled.
#[derive(Debug)]
pub(super) struct OneZero;

impl AnalyzerRule for OneZero {
    fn name(&self) -> &'static str {
        "one_zero"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up_with_subqueries(|plan| rewrite_plan(plan, computed))?.data)
    }
}

fn computed(mut expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    if !may_be_another_zero(&expr, schema) {
        return Transformed::no(expr);
    }
    // Within arithmetic it is enough to do it once.
    match &mut expr {
        Expr::BinaryExpr(BinaryExpr { left, right, .. }) => {
            for side in [left, right] {
                strip(side);
            }
        }
        Expr::Negative(inner) => strip(inner),
        Expr::Literal(number, _) => {
            let one = match number {
                ScalarValue::Float64(Some(value)) => ScalarValue::Float64(Some(value.canonical())),
                ScalarValue::Float32(Some(value)) => ScalarValue::Float32(Some(value.canonical())),
                _ => return Transformed::no(expr),
            };
            return Transformed::yes(Expr::Literal(one, None));
        }
        _ => {}
    }
    Transformed::yes(Expr::ScalarFunction(ScalarFunction { func: function(), args: vec![expr] }))
}

fn may_be_another_zero(expr: &Expr, schema: &DFSchema) -> bool {
    let is_float = |expr: &Expr| type_of(expr, schema).is_some_and(|t| t.is_floating());
    match expr {
        Expr::Literal(ScalarValue::Float64(Some(value)), _) => !value.is_canonical(),
        Expr::Literal(ScalarValue::Float32(Some(value)), _) => !value.is_canonical(),
        Expr::BinaryExpr(BinaryExpr { op, .. }) => is_arithmetic(*op) && is_float(expr),
        Expr::Negative(inner) => is_float(inner),
        Expr::Cast(Cast { expr: inner, field }) | Expr::TryCast(TryCast { expr: inner, field }) => {
            field.data_type().is_floating() && type_of(inner, schema).is_some_and(|t| t.is_string())
        }
        Expr::ScalarFunction(ScalarFunction { func, .. }) => {
            !CHOOSES.contains(&func.name()) && is_float(expr)
        }
        _ => false,
    }
}

fn is_arithmetic(op: Operator) -> bool {
    use Operator::{Divide, Minus, Modulo, Multiply, Plus};
    matches!(op, Plus | Minus | Multiply | Divide | Modulo)
}

fn strip(expr: &mut Expr) {
    if let Expr::ScalarFunction(ScalarFunction { func, args }) = expr
        && func.name() == CANONICAL
        && let Some(inner) = args.pop()
    {
        *expr = inner;
    }
}

/// What is read, with one zero and one NaN in its columns of floats.
///
/// Row groups are left out by statistics before: Parquet's have -0.0 for the smallest zero
/// and 0.0 for the largest, and no NaN.
pub(super) fn read(scan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let schema = scan.schema();
    if !schema.fields().iter().any(|field| is_double_or_single(field.data_type())) {
        return Ok(scan);
    }
    let columns = (0..schema.fields().len()).map(|at| column(&schema, at));
    Ok(Arc::new(ProjectionExec::try_new(columns.collect::<Vec<_>>(), scan)?))
}

fn column(schema: &Schema, at: usize) -> (Arc<dyn PhysicalExpr>, String) {
    let field = schema.field(at);
    let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(field.name(), at));
    let read = if is_double_or_single(field.data_type()) {
        let field = Arc::new(field.clone());
        let options = Arc::new(ConfigOptions::default());
        Arc::new(ScalarFunctionExpr::new(CANONICAL, function(), vec![column], field, options))
    } else {
        column
    };
    (read, field.name().clone())
}

fn is_double_or_single(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Float64 | DataType::Float32)
}

fn function() -> Arc<ScalarUDF> {
    let signature = Signature::any(1, Volatility::Immutable);
    Arc::new(ScalarUDF::new_from_impl(Canonical { signature }))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Canonical {
    signature: Signature,
}

impl ScalarUDFImpl for Canonical {
    fn name(&self) -> &str {
        CANONICAL
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types[0].clone())
    }

    fn evaluate_bounds(&self, inputs: &[&Interval]) -> Result<Interval> {
        Ok(inputs[0].clone())
    }

    // A larger number stays a larger number.
    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        Ok(inputs[0].sort_properties)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        of_one(args.args[0].clone(), |floats| {
            Ok(match floats.data_type() {
                DataType::Float64 => canonical::<Float64Type>(floats),
                DataType::Float32 => canonical::<Float32Type>(floats),
                _ => floats,
            })
        })
    }
}

/// Copies only what has something to change.
fn canonical<T>(floats: ArrayRef) -> ArrayRef
where
    T: ArrowPrimitiveType<Native: Float>,
{
    let values: &PrimitiveArray<T> = floats.as_primitive();
    // Without a way out it is one pass of a few instructions for many values at once.
    if values.values().iter().fold(true, |all, value| all & value.is_canonical()) {
        return floats;
    }
    Arc::new(values.unary::<_, T>(Float::canonical))
}

/// A floating-point number.
trait Float: Copy {
    fn is_canonical(self) -> bool;
    fn canonical(self) -> Self;
}

macro_rules! float {
    ($float:ty) => {
        impl Float for $float {
            fn is_canonical(self) -> bool {
                self.to_bits() == self.canonical().to_bits()
            }

            fn canonical(self) -> Self {
                // The sum of the two zeros is the positive one.
                if self.is_nan() { Self::NAN } else { self + 0.0 }
            }
        }
    };
}

float!(f32);
float!(f64);
