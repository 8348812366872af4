//! `FROM orders o, UNNEST(o.items) AS i(item)`: a row of each element, beside its own row.
//!
//! The engine plans such a join and then cannot run it: what stands on its right names
//! columns of its left. Where the right reads from nothing else (an UNNEST, a subquery
//! without FROM), it needs no join. Its steps are done on the left's rows, each
//! keeping the left's columns: `unnest` in a list of columns does the same. After a LEFT JOIN
//! a row whose list is empty or NULL stays.

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::common::{Column, Result, ScalarValue};
use datafusion::functions_nested::expr_fn::cardinality;
use datafusion::logical_expr::{
    EmptyRelation, Expr, Filter, Join, JoinType, LogicalPlan, LogicalPlanBuilder, Projection,
    Subquery, SubqueryAlias, Unnest, lit, when,
};
use datafusion::optimizer::AnalyzerRule;

/// See the module. It comes first.
#[derive(Debug)]
pub(super) struct LateralSteps;

impl AnalyzerRule for LateralSteps {
    fn name(&self) -> &'static str {
        "lateral_steps"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up_with_subqueries(without_join)?.data)
    }
}

fn without_join(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Join(join) = &plan else { return Ok(Transformed::no(plan)) };
    let Some(keeps_all) = kind(join) else { return Ok(Transformed::no(plan)) };
    let reads_nothing_else = !join.right.all_out_ref_exprs().is_empty() && is_steps(&join.right);
    if !reads_nothing_else || (keeps_all && !unnests_once(&join.right)) {
        return Ok(Transformed::no(plan));
    }
    let done = Steps { left: &join.left, keeps_all }.done(&join.right)?;
    // A join's columns are the left's and then the right's, and so are these.
    let left = join.left.schema().columns().into_iter().enumerate();
    let left = left.map(|(at, column)| own(at).alias_qualified(column.relation, column.name));
    let right = join.right.schema().columns().into_iter().map(Expr::Column);
    let all = left.chain(right).collect();
    Ok(Transformed::yes(LogicalPlan::Projection(Projection::try_new(all, Arc::new(done))?)))
}

/// A column of the left while the steps are done, which no step has a name like.
fn own(at: usize) -> Expr {
    Expr::Column(Column::new_unqualified(format!("__left_{at}")))
}

/// Whether rows of the left stay that have none on the right; nothing for another join.
fn kind(join: &Join) -> Option<bool> {
    let everything = match &join.filter {
        None => true,
        Some(Expr::Literal(ScalarValue::Boolean(Some(true)), _)) => true,
        Some(_) => false,
    };
    match join.join_type {
        JoinType::Inner if join.on.is_empty() && everything => Some(false),
        JoinType::Left if join.on.is_empty() && everything => Some(true),
        _ => None,
    }
}

/// Whether it is made of steps over one empty row.
fn is_steps(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::EmptyRelation(empty) => empty.produce_one_row,
        LogicalPlan::Projection(Projection { input, .. })
        | LogicalPlan::Filter(Filter { input, .. })
        | LogicalPlan::SubqueryAlias(SubqueryAlias { input, .. })
        | LogicalPlan::Unnest(Unnest { input, .. })
        | LogicalPlan::Subquery(Subquery { subquery: input, .. }) => is_steps(input),
        _ => false,
    }
}

/// Whether its only step that leaves rows out is one UNNEST of one list.
fn unnests_once(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Projection(Projection { input, .. })
        | LogicalPlan::SubqueryAlias(SubqueryAlias { input, .. })
        | LogicalPlan::Subquery(Subquery { subquery: input, .. }) => unnests_once(input),
        LogicalPlan::Unnest(unnest) => {
            unnest.list_type_columns.len() == 1
                && unnest.struct_type_columns.is_empty()
                && matches!(&*unnest.input, LogicalPlan::Projection(below) if matches!(&*below.input, LogicalPlan::EmptyRelation(_)))
        }
        _ => false,
    }
}

struct Steps<'l> {
    left: &'l Arc<LogicalPlan>,
    keeps_all: bool,
}

impl Steps<'_> {
    /// The steps on the left's rows.
    fn done(&self, plan: &LogicalPlan) -> Result<LogicalPlan> {
        match plan {
            LogicalPlan::EmptyRelation(EmptyRelation { .. }) => {
                let columns = self.left.schema().columns().into_iter().enumerate();
                let named = columns.map(|(at, column)| {
                    Expr::Column(column).alias(own(at).schema_name().to_string())
                });
                let left = Projection::try_new(named.collect(), Arc::clone(self.left))?;
                Ok(LogicalPlan::Projection(left))
            }
            LogicalPlan::Subquery(Subquery { subquery, .. }) => self.done(subquery),
            LogicalPlan::Projection(Projection { expr, input, .. }) => {
                self.beside(expr.clone(), input)
            }
            LogicalPlan::Filter(Filter { predicate, input, .. }) => {
                let input = self.done(input)?;
                Ok(LogicalPlan::Filter(Filter::try_new(
                    self.inner(predicate.clone())?,
                    Arc::new(input),
                )?))
            }
            LogicalPlan::SubqueryAlias(SubqueryAlias { input, alias, .. }) => {
                let named = |column: Column| {
                    let name = column.name.clone();
                    Expr::Column(column).alias_qualified(Some(alias.clone()), name)
                };
                self.beside(input.schema().columns().into_iter().map(named).collect(), input)
            }
            LogicalPlan::Unnest(unnest) => {
                let input = self.lists(unnest)?;
                let options = unnest.options.clone().with_preserve_nulls(self.keeps_all);
                LogicalPlanBuilder::from(input)
                    .unnest_columns_with_options(unnest.exec_columns.clone(), options)?
                    .build()
            }
            other => {
                Err(datafusion::common::internal_datafusion_err!("{} is no step", other.display()))
            }
        }
    }

    /// The left's columns and these.
    fn beside(&self, expressions: Vec<Expr>, input: &LogicalPlan) -> Result<LogicalPlan> {
        let input = self.done(input)?;
        let left = (0..self.left.schema().fields().len()).map(own);
        let further =
            expressions.into_iter().map(|expr| self.inner(expr)).collect::<Result<Vec<_>>>()?;
        let all = left.chain(further).collect();
        Ok(LogicalPlan::Projection(Projection::try_new(all, Arc::new(input))?))
    }

    /// What an UNNEST takes apart. Where rows are to stay, an empty list is none.
    fn lists(&self, unnest: &Unnest) -> Result<LogicalPlan> {
        let LogicalPlan::Projection(below) = &*unnest.input else {
            return self.done(&unnest.input);
        };
        if !self.keeps_all {
            return self.beside(below.expr.clone(), &below.input);
        }
        let or_none = |expr: Expr| {
            let name = expr.schema_name().to_string();
            let list = expr.unalias();
            when(cardinality(list.clone()).gt(lit(0)), list).end().map(|list| list.alias(name))
        };
        let lists = below.expr.iter().cloned().map(or_none).collect::<Result<Vec<_>>>()?;
        self.beside(lists, &below.input)
    }

    /// The expression, in which the left's columns are its own.
    fn inner(&self, expr: Expr) -> Result<Expr> {
        let schema = self.left.schema();
        let seen = |expr| match expr {
            Expr::OuterReferenceColumn(_, column) => {
                Ok(Transformed::yes(own(schema.index_of_column(&column)?)))
            }
            other => Ok(Transformed::no(other)),
        };
        Ok(expr.transform_up(seen)?.data)
    }
}
