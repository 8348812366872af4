//! Which columns of a result come from what nobody should be shown, under whatever name.
//!
//! A table's own columns are judged by their names and values. What a query makes of them is
//! not: two rows of `card AS x` are too few to judge, and `split_part(email, '@', 1)` looks
//! like nothing. So a value is followed through the plan, from the columns of the tables to
//! those of the result.
//!
//! ```text
//!   facts   what the tables hold (the room judges each once, by its content)
//!   walk    from a node's inputs to its columns
//!   expr    whether an expression's value is made of a column's values
//! ```
//!
//! What says something *about* values carries none of them: how many there are, how long
//! they are, whether they are equal, the number of a row in their order. Everything else
//! does, in doubt too. Filters, joins, sorts and groups choose rows and carry nothing; so a
//! CASE carries what it gives, and not what it asks.
//!
//! A pure function of the plan and the facts.

mod expr;
mod walk;

use datafusion::common::Column;
use datafusion::logical_expr::LogicalPlan;

use self::walk::{Marks, Walk};
use super::engine::Bound;
use crate::profile::Kind;

/// For each column of a plan, what its values are made of.
pub(super) type Kinds = Vec<Option<Kind>>;

/// What the columns of a plan's rows are made of.
pub(super) fn sensitive(plan: &LogicalPlan, tables: &[Bound]) -> Kinds {
    if !any(tables) {
        return vec![None; plan.schema().fields().len()];
    }
    Walk::new(tables).node(plan)
}

/// What one column of a plan is made of.
pub(super) fn sensitive_column(
    column: &Column,
    plan: &LogicalPlan,
    tables: &[Bound],
) -> Option<Kind> {
    Marks::new(plan, sensitive(plan, tables)).of(column)
}

/// Whether a table has a column that nobody should be shown.
pub(super) fn any(tables: &[Bound]) -> bool {
    tables.iter().any(|bound| !bound.sensitive.is_empty())
}

#[cfg(test)]
mod tests;
