//! Why a side of a join has at most one row for a key, without looking at rows.
//!
//! What can be proved from the plan is free; what comes down to a table's own columns
//! is a question to the table ([`BaseKey`]), whose answer is remembered by its content.

use std::collections::BTreeSet;

use datafusion::common::Column;
use datafusion::logical_expr::{Distinct, Expr, Join, JoinType, LogicalPlan};

/// Columns of a table that have to be a key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct BaseKey {
    pub table: String,
    pub columns: BTreeSet<String>,
}

/// What has to hold so that no key comes twice in a plan; `None` if that is not seen.
pub(super) fn proof(plan: &LogicalPlan, key: &[Expr]) -> Option<Vec<BaseKey>> {
    let columns: Option<Vec<Column>> = key.iter().map(column).collect();
    of_columns(plan, &columns?)
}

fn column(expr: &Expr) -> Option<Column> {
    match expr {
        Expr::Column(column) => Some(column.clone()),
        Expr::Alias(alias) => column_of(&alias.expr),
        // A wider type keeps different values different.
        Expr::Cast(cast) => column_of(&cast.expr),
        _ => None,
    }
}

fn column_of(expr: &Expr) -> Option<Column> {
    column(expr)
}

fn of_columns(plan: &LogicalPlan, key: &[Column]) -> Option<Vec<BaseKey>> {
    match plan {
        LogicalPlan::TableScan(scan) => {
            let columns: BTreeSet<String> = key.iter().map(|column| column.name.clone()).collect();
            let table = scan.table_name.table().to_owned();
            (!columns.is_empty()).then(|| vec![BaseKey { table, columns }])
        }
        LogicalPlan::Aggregate(aggregate) => {
            // Grouped by part of the key, or by nothing at all.
            let groups = aggregate.group_expr.len();
            let fields = aggregate.schema.iter().take(groups).map(Column::from);
            let plain = !matches!(aggregate.group_expr.as_slice(), [Expr::GroupingSet(_)]);
            (plain && fields.into_iter().all(|field| has(key, &field))).then(Vec::new)
        }
        LogicalPlan::Distinct(Distinct::All(input)) => {
            input.schema().iter().map(Column::from).all(|field| has(key, &field)).then(Vec::new)
        }
        LogicalPlan::EmptyRelation(_) => Some(Vec::new()),
        LogicalPlan::Filter(filter) => of_columns(&filter.input, key),
        LogicalPlan::Sort(sort) => of_columns(&sort.input, key),
        LogicalPlan::Limit(limit) => of_columns(&limit.input, key),
        LogicalPlan::Window(window) => of_columns(&window.input, key),
        LogicalPlan::SubqueryAlias(alias) => {
            let inner: Option<Vec<Column>> = key
                .iter()
                .map(|column| {
                    place(&alias.schema, column)
                        .map(|at| Column::from(alias.input.schema().qualified_field(at)))
                })
                .collect();
            of_columns(&alias.input, &inner?)
        }
        LogicalPlan::Projection(projection) => {
            let inner: Option<Vec<Column>> = key
                .iter()
                .map(|key| {
                    place(&projection.schema, key).and_then(|at| column(&projection.expr[at]))
                })
                .collect();
            of_columns(&projection.input, &inner?)
        }
        LogicalPlan::Join(join) => of_join(join, key),
        _ => None,
    }
}

fn of_join(join: &Join, key: &[Column]) -> Option<Vec<BaseKey>> {
    match join.join_type {
        JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => {
            return of_columns(&join.left, key);
        }
        JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => {
            return of_columns(&join.right, key);
        }
        JoinType::Full => return None,
        JoinType::Inner | JoinType::Left | JoinType::Right => {}
    }
    // A side that has each key once keeps it if the other side adds one row at most.
    let (left_key, right_key): (Vec<Expr>, Vec<Expr>) = join.on.iter().cloned().unzip();
    let sides = [
        (&join.left, &join.right, right_key, JoinType::Right),
        (&join.right, &join.left, left_key, JoinType::Left),
    ];
    sides.into_iter().find_map(|(own, other, other_key, outer)| {
        let own_key: Vec<Column> =
            key.iter().filter(|column| place(own.schema(), column).is_some()).cloned().collect();
        // An outer join has rows that are not of this side, with nulls for its key.
        if own_key.is_empty() || join.join_type == outer {
            return None;
        }
        let mut needed = of_columns(own, &own_key)?;
        needed.extend(proof(other, &other_key)?);
        Some(needed)
    })
}

fn has(key: &[Column], field: &Column) -> bool {
    key.iter().any(|column| {
        column.name == field.name
            && (column.relation.is_none() || column.relation == field.relation)
    })
}

fn place(schema: &datafusion::common::DFSchema, column: &Column) -> Option<usize> {
    schema.maybe_index_of_column(column)
}
