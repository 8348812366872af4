//! Windows in the order of an expression: computed first, as a column.
//!
//! The engine sorts by the expression and then wants to prove that the rows are in its
//! order. To that end it asks every function in it for bounds, and where one has none
//! (`coalesce`, `sqrt`, CASE beside an operator) the proof is an error: a query with two
//! windows, one of them ordered by `abs(coalesce(x, 0))`, is refused for its own sort. The
//! order of a column needs no proof.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, Result};
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::{Expr, LogicalPlan, Projection, Window};
use datafusion::optimizer::AnalyzerRule;

use super::warn::shown;

/// See the module. It comes when the types are settled.
#[derive(Debug)]
pub(super) struct OrdersAreColumns;

impl AnalyzerRule for OrdersAreColumns {
    fn name(&self) -> &'static str {
        "orders_are_columns"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up_with_subqueries(with_columns)?.data)
    }
}

fn with_columns(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Window(Window { input, mut window_expr, schema }) = plan else {
        return Ok(Transformed::no(plan));
    };
    let taken = input.schema().fields().iter().map(|field| field.name().clone()).collect();
    let mut orders = Orders { computed: Vec::new(), taken };
    for expr in &mut window_expr {
        let name = expr.schema_name().to_string();
        if orders.take_from(expr) {
            *expr = std::mem::take(expr).alias(name);
        }
    }
    if orders.computed.is_empty() {
        let window = LogicalPlan::Window(Window { input, window_expr, schema });
        return Ok(Transformed::no(window));
    }
    let before: Vec<Expr> = input.schema().iter().map(Expr::from).chain(orders.computed).collect();
    let input = LogicalPlan::Projection(Projection::try_new(before, input)?);
    let window = LogicalPlan::Window(Window::try_new(window_expr, Arc::new(input))?);
    // The columns that nobody asked for go again.
    let after: Vec<Expr> = schema.iter().map(Expr::from).collect();
    let projection = Projection::try_new(after, Arc::new(window))?;
    Ok(Transformed::yes(LogicalPlan::Projection(projection)))
}

/// The expressions that windows are ordered or partitioned by.
struct Orders {
    /// Each under its name.
    computed: Vec<Expr>,
    /// Names of columns.
    taken: HashSet<String>,
}

impl Orders {
    /// Puts columns in the place of a window's expressions. Gives whether there were any.
    fn take_from(&mut self, expr: &mut Expr) -> bool {
        match expr {
            Expr::Alias(alias) => {
                self.take_from(&mut alias.expr);
                // It keeps the name that it has.
                false
            }
            Expr::WindowFunction(function) => {
                let WindowFunction { params, .. } = function.as_mut();
                let sorted = params.order_by.iter_mut().map(|sort| &mut sort.expr);
                let mut taken = false;
                for expr in sorted.chain(&mut params.partition_by) {
                    if !matches!(expr, Expr::Column(_) | Expr::Literal(..)) {
                        *expr = self.column(std::mem::take(expr));
                        taken = true;
                    }
                }
                taken
            }
            _ => false,
        }
    }

    fn column(&mut self, expr: Expr) -> Expr {
        let known = self.computed.iter().find_map(|known| match known {
            Expr::Alias(known) if *known.expr == expr => Some(known.name.clone()),
            _ => None,
        });
        let name = known.unwrap_or_else(|| {
            // What is said of the column names what its author wrote.
            let mut name = shown(&expr);
            while !self.taken.insert(name.clone()) {
                name.push(' ');
            }
            self.computed.push(expr.alias(name.clone()));
            name
        });
        Expr::Column(Column::new_unqualified(name))
    }
}
