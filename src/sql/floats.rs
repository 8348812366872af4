//! A float or a text that meets a decimal, without losing digits.
//!
//! The engine makes decimals of a float, with 15 digits behind the point: `x > 0.0` is false
//! for 1e-20, `coalesce(x, 0.0)` makes 0 of it, and 1e20 is an error. Of a text it makes a
//! decimal with as many digits as the other one has: the text 5.54 is not above 5.5. A
//! literal `0.5` is a decimal here, so that is every query that compares with a number. This
//! rule comes before the engine's, wherever values of several expressions are to have one
//! type: a decimal beside a float becomes that float, as in DuckDB; a text beside a decimal
//! becomes a number with all of its digits.

use std::sync::Arc;

use arrow::datatypes::{DECIMAL128_MAX_PRECISION, DataType};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{Between, Case, InList, InSubquery, ScalarFunction};
use datafusion::logical_expr::expr_rewriter::coerce_plan_expr_for_schema;
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan, Operator, Union, Values, cast};
use datafusion::optimizer::AnalyzerRule;

use super::checked::{rewrite_plan, type_of};

/// Functions whose arguments get one type.
const ALIKE: &[&str] = &["coalesce", "nvl", "nvl2", "nullif", "greatest", "least", "make_array"];

/// See the module.
#[derive(Debug)]
pub(super) struct FloatsMeetDecimals;

impl AnalyzerRule for FloatsMeetDecimals {
    fn name(&self) -> &'static str {
        "floats_meet_decimals"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(|plan| {
            rewrite_plan(plan, meet)?.transform_data(rows_of_one_type)
        })?;
        Ok(plan.data)
    }
}

/// The float that values of these types become, if they are floats and decimals.
fn float_of<'a>(types: impl IntoIterator<Item = &'a DataType>) -> Option<DataType> {
    let (mut float, mut decimal) = (None, false);
    for data_type in types {
        match data_type {
            DataType::Float64 => float = Some(DataType::Float64),
            DataType::Float32 | DataType::Float16 => {
                float = float.or_else(|| Some(data_type.clone()));
            }
            other => decimal |= other.is_decimal(),
        }
    }
    float.filter(|_| decimal)
}

/// What values of these types are to be, if the engine would lose digits.
fn number_for(types: &[DataType]) -> Option<DataType> {
    float_of(types).or_else(|| number_of(types))
}

fn is_to_change(data_type: &DataType) -> bool {
    data_type.is_decimal() || data_type.is_string()
}

/// Makes decimals and texts among the expressions what all are to be. Gives whether there
/// was something to do.
fn alike<'a>(exprs: impl IntoIterator<Item = &'a mut Expr>, schema: &DFSchema) -> bool {
    let mut exprs: Vec<&mut Expr> = exprs.into_iter().collect();
    let types: Vec<DataType> =
        exprs.iter().map(|expr| type_of(expr, schema).unwrap_or(DataType::Null)).collect();
    let Some(number) = number_for(&types) else { return false };
    for (expr, data_type) in exprs.iter_mut().zip(&types) {
        if is_to_change(data_type) {
            **expr = as_number(std::mem::take(*expr), &number);
        }
    }
    true
}

/// What texts and decimals of these types become: doubles, which tell numbers of 15 digits
/// apart, or the decimal that has the most room for what a text can have in addition.
fn number_of<'a>(types: impl IntoIterator<Item = &'a DataType>) -> Option<DataType> {
    let (mut text, mut digits) = (false, None::<(u8, i8)>);
    for data_type in types {
        match data_type {
            DataType::Decimal32(precision, scale)
            | DataType::Decimal64(precision, scale)
            | DataType::Decimal128(precision, scale) => {
                let (before, behind) = digits.unwrap_or_default();
                digits = Some((before.max(*precision), behind.max(*scale)));
            }
            other => text |= other.is_string(),
        }
    }
    let (precision, scale) = digits.filter(|_| text)?;
    if precision <= 15 {
        return Some(DataType::Float64);
    }
    let more = (DECIMAL128_MAX_PRECISION - precision.min(DECIMAL128_MAX_PRECISION)).min(10);
    Some(DataType::Decimal128(DECIMAL128_MAX_PRECISION, scale + more as i8))
}

/// A number as its author wrote it is read as a float, and not computed from a decimal.
fn as_number(expr: Expr, number: &DataType) -> Expr {
    let Expr::Literal(written, _) = &expr else { return cast(expr, number.clone()) };
    let read = written.to_string();
    match number {
        DataType::Float64 => read.parse().map(|read| ScalarValue::Float64(Some(read))).ok(),
        DataType::Float32 => read.parse().map(|read| ScalarValue::Float32(Some(read))).ok(),
        _ => None,
    }
    .map_or_else(|| cast(expr.clone(), number.clone()), |read| Expr::Literal(read, None))
}

fn meet(mut expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let changed = match &mut expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if has_one_type(*op) => {
            alike([left.as_mut(), right.as_mut()], schema)
        }
        Expr::Between(Between { expr, low, high, .. }) => {
            alike([expr.as_mut(), low.as_mut(), high.as_mut()], schema)
        }
        Expr::InList(InList { expr, list, .. }) => {
            alike(std::iter::once(expr.as_mut()).chain(list), schema)
        }
        Expr::Case(case) => cases_alike(case, schema),
        Expr::ScalarFunction(ScalarFunction { func, args }) if ALIKE.contains(&func.name()) => {
            alike(args, schema)
        }
        Expr::InSubquery(asked) => with_subquery(asked, schema),
        _ => false,
    };
    if changed { Transformed::yes(expr) } else { Transformed::no(expr) }
}

/// Whether both sides of an operator are made one type. Sums and products of a float and a
/// decimal are floats for the engine, too.
fn has_one_type(op: Operator) -> bool {
    op.supports_propagation()
        || matches!(op, Operator::IsDistinctFrom | Operator::IsNotDistinctFrom)
}

fn cases_alike(case: &mut Case, schema: &DFSchema) -> bool {
    let (whens, thens): (Vec<_>, Vec<_>) =
        case.when_then_expr.iter_mut().map(|(when, then)| (when.as_mut(), then.as_mut())).unzip();
    // Results of which one is a text are all texts for the engine, and lose nothing.
    let results: Vec<_> = thens.into_iter().chain(case.else_expr.as_deref_mut()).collect();
    let is_text = |expr: &&mut Expr| type_of(expr, schema).is_some_and(|t| t.is_string());
    let changed = !results.iter().any(is_text) && alike(results, schema);
    match case.expr.as_deref_mut() {
        Some(asked) => alike(std::iter::once(asked).chain(whens), schema) || changed,
        None => changed,
    }
}

fn with_subquery(asked: &mut InSubquery, schema: &DFSchema) -> bool {
    let inner = &asked.subquery.subquery;
    let [field] = inner.schema().fields().as_ref() else { return false };
    let types = [type_of(&asked.expr, schema).unwrap_or(DataType::Null), field.data_type().clone()];
    let Some(number) = number_for(&types) else { return false };
    if is_to_change(&types[0]) {
        *asked.expr = as_number(std::mem::take(asked.expr.as_mut()), &number);
    }
    if !is_to_change(&types[1]) {
        return true;
    }
    let Ok(cast) = with_columns(inner.as_ref().clone(), &[Some(number)]) else { return false };
    asked.subquery.subquery = Arc::new(cast);
    true
}

/// A plan with these types in the place of its columns'.
fn with_columns(plan: LogicalPlan, types: &[Option<DataType>]) -> Result<LogicalPlan> {
    let fields = plan.schema().iter().zip(types).map(|((table, field), data_type)| {
        let field = match data_type {
            Some(data_type) => Arc::new(field.as_ref().clone().with_data_type(data_type.clone())),
            None => Arc::clone(field),
        };
        (table.cloned(), field)
    });
    let schema = DFSchema::new_with_metadata(fields.collect(), plan.schema().metadata().clone())?;
    coerce_plan_expr_for_schema(plan, &schema)
}

/// The same for rows that come from several places: UNION, VALUES, the keys of a join.
fn rows_of_one_type(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::Union(union) => inputs_alike(union),
        LogicalPlan::Values(values) => values_alike(values),
        LogicalPlan::Join(mut join) => {
            let schemas = [Arc::clone(join.left.schema()), Arc::clone(join.right.schema())];
            let mut changed = false;
            for (left, right) in &mut join.on {
                let types = [type_of(left, &schemas[0]), type_of(right, &schemas[1])]
                    .map(|data_type| data_type.unwrap_or(DataType::Null));
                let Some(number) = number_for(&types) else { continue };
                for (side, data_type) in [left, right].into_iter().zip(&types) {
                    if is_to_change(data_type) {
                        *side = as_number(std::mem::take(side), &number);
                    }
                }
                changed = true;
            }
            let join = LogicalPlan::Join(join);
            Ok(if changed { Transformed::yes(join) } else { Transformed::no(join) })
        }
        other => Ok(Transformed::no(other)),
    }
}

fn inputs_alike(union: Union) -> Result<Transformed<LogicalPlan>> {
    let of_input = |input: &Arc<LogicalPlan>, column: usize| {
        input.schema().fields().get(column).map(|field| field.data_type().clone())
    };
    let columns = union.inputs.first().map_or(0, |input| input.schema().fields().len());
    let floats: Vec<Option<DataType>> = (0..columns)
        .map(|column| {
            let types: Vec<_> =
                union.inputs.iter().filter_map(|input| of_input(input, column)).collect();
            float_of(&types)
        })
        .collect();
    // A union keeps the types that its inputs had before they were rewritten.
    let schema = union.schema;
    let inputs = union.inputs.into_iter().map(|input| {
        let types: Vec<_> = floats
            .iter()
            .enumerate()
            .map(|(column, float)| {
                let own = of_input(&input, column)?;
                float.clone().filter(|_| own.is_decimal())
            })
            .collect();
        with_columns(Arc::unwrap_or_clone(input), &types).map(Arc::new)
    });
    let union = Union::try_new_with_loose_types(inputs.collect::<Result<_>>()?)?;
    let changed = union.schema != schema;
    let union = LogicalPlan::Union(union);
    Ok(if changed { Transformed::yes(union) } else { Transformed::no(union) })
}

/// The engine has made the rows of VALUES alike before any rule: what it put around a float
/// to make a decimal of it is taken off.
fn values_alike(values: Values) -> Result<Transformed<LogicalPlan>> {
    let Values { schema, mut values } = values;
    let mut fields: Vec<_> = schema.iter().map(|(t, f)| (t.cloned(), Arc::clone(f))).collect();
    let nothing = DFSchema::empty();
    let mut changed = false;
    for (column, (_, field)) in fields.iter_mut().enumerate() {
        if !field.data_type().is_decimal() {
            continue;
        }
        let inner = |expr: &Expr| match expr {
            Expr::Cast(made) => Some(made.expr.as_ref().clone()),
            _ => None,
        };
        let float_within = |expr: &Expr| {
            let data_type = type_of(&inner(expr)?, &nothing)?;
            float_of([&data_type, field.data_type()])
        };
        let Some(float) = values.iter().find_map(|row| float_within(&row[column])) else {
            continue;
        };
        for row in &mut values {
            let expr = inner(&row[column]).unwrap_or_else(|| row[column].clone());
            row[column] = as_number(expr, &float);
        }
        *field = Arc::new(field.as_ref().clone().with_data_type(float));
        changed = true;
    }
    let schema = if changed {
        Arc::new(DFSchema::new_with_metadata(fields, schema.metadata().clone())?)
    } else {
        schema
    };
    let values = LogicalPlan::Values(Values { schema, values });
    Ok(if changed { Transformed::yes(values) } else { Transformed::no(values) })
}
