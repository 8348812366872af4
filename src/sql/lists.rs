//! `length(list)` is how many elements it has, and no function of texts takes a list.
//!
//! The engine writes the list as text (`[1, 2]`) and counts letters, six of them. DuckDB
//! counts elements; what else a function of texts would make of that text nobody asks for.

use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result, plan_err};
use datafusion::functions_nested::expr_fn::cardinality;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, LogicalPlan, cast};
use datafusion::optimizer::AnalyzerRule;

use super::checked::{rewrite_plan, type_of};

/// Functions that would take a list for its text.
const OF_TEXTS: &[&str] = &[
    "ascii",
    "bit_length",
    "btrim",
    "initcap",
    "left",
    "lower",
    "lpad",
    "ltrim",
    "octet_length",
    "repeat",
    "replace",
    "reverse",
    "right",
    "rpad",
    "rtrim",
    "split_part",
    "strpos",
    "substr",
    "translate",
    "upper",
];

/// See the module. It comes before the engine's own casts.
#[derive(Debug)]
pub(super) struct ListsHaveLengths;

impl AnalyzerRule for ListsHaveLengths {
    fn name(&self) -> &'static str {
        "lists_have_lengths"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let plan = plan.transform_up_with_subqueries(|plan| rewrite_plan(plan, counted))?.data;
        plan.apply_with_subqueries(|node| {
            node.apply_expressions(|expr| expr.apply(|expr| refuse(expr, node)))
        })?;
        Ok(plan)
    }
}

fn is_list(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::List(_)
            | DataType::LargeList(_)
            | DataType::FixedSizeList(..)
            | DataType::ListView(_)
    )
}

fn counted(expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    match expr {
        Expr::ScalarFunction(ScalarFunction { func, mut args })
            if func.name() == "character_length"
                && args.len() == 1
                && type_of(&args[0], schema).is_some_and(|given| is_list(&given)) =>
        {
            Transformed::yes(cast(cardinality(args.remove(0)), DataType::Int64))
        }
        other => Transformed::no(other),
    }
}

fn refuse(expr: &Expr, node: &LogicalPlan) -> Result<TreeNodeRecursion> {
    if let Expr::ScalarFunction(ScalarFunction { func, args }) = expr
        && OF_TEXTS.contains(&func.name())
    {
        let schemas = node.inputs();
        let given = |arg: &Expr| schemas.iter().find_map(|input| type_of(arg, input.schema()));
        if args.first().and_then(given).is_some_and(|given| given.is_nested()) {
            return plan_err!("Function '{}' requires String, but received List", func.name());
        }
    }
    Ok(TreeNodeRecursion::Continue)
}
