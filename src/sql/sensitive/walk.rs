//! From what the inputs of a node hold to what its columns hold.

use std::sync::Arc;

use datafusion::common::{Column, DFSchemaRef};
use datafusion::logical_expr::{
    Aggregate, Distinct, Expr, Join, JoinType, LogicalPlan, RecursiveQuery, TableScan,
};

use super::Kinds;
use crate::profile::Kind;
use crate::sql::engine::Bound;

/// See the module.
pub(super) struct Walk<'a> {
    tables: &'a [Bound],
    /// What surrounds the subquery that is walked, the nearest last.
    outer: Vec<Marks>,
    /// What is known so far of the rows of a recursive CTE, by its name.
    working: Vec<(String, Kinds)>,
}

/// What the columns of a node hold.
pub(super) struct Marks {
    schema: DFSchemaRef,
    kinds: Kinds,
}

impl Marks {
    pub(super) fn new(plan: &LogicalPlan, kinds: Kinds) -> Self {
        Self { schema: Arc::clone(plan.schema()), kinds }
    }

    pub(super) fn of(&self, column: &Column) -> Option<Kind> {
        let at = |at: usize| self.kinds.get(at).copied().flatten();
        if column.relation.is_some()
            && let Some(place) = self.schema.maybe_index_of_column(column)
        {
            return at(place);
        }
        // A name without a table may mean any of those that are called so.
        let named = self.schema.fields().iter().enumerate();
        named.filter(|(_, field)| *field.name() == column.name).find_map(|(place, _)| at(place))
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(tables: &'a [Bound]) -> Self {
        Self { tables, outer: Vec::new(), working: Vec::new() }
    }

    pub(super) fn node(&mut self, plan: &LogicalPlan) -> Kinds {
        match plan {
            LogicalPlan::TableScan(scan) => self.scan(scan),
            LogicalPlan::Projection(of) => self.exprs(&of.expr, &of.input),
            LogicalPlan::Distinct(Distinct::On(of)) => self.exprs(&of.select_expr, &of.input),
            LogicalPlan::Filter(_)
            | LogicalPlan::Sort(_)
            | LogicalPlan::Limit(_)
            | LogicalPlan::SubqueryAlias(_)
            | LogicalPlan::Repartition(_)
            | LogicalPlan::Distinct(Distinct::All(_)) => self.node(plan.inputs()[0]),
            LogicalPlan::Subquery(subquery) => self.node(&subquery.subquery),
            LogicalPlan::Window(window) => {
                let input = self.marks(&window.input);
                let own: Kinds =
                    window.window_expr.iter().map(|expr| self.carried(expr, &input)).collect();
                input.kinds.into_iter().chain(own).collect()
            }
            LogicalPlan::Aggregate(aggregate) => self.aggregate(aggregate),
            LogicalPlan::Join(join) => self.join(join),
            LogicalPlan::Union(union) => {
                let branches = union.inputs.iter().map(|input| self.node(input));
                branches.reduce(|one, other| either(&one, &other)).unwrap_or_default()
            }
            LogicalPlan::Values(values) => {
                let none = Marks { schema: Arc::clone(&values.schema), kinds: Vec::new() };
                let rows = values.values.iter().map(|row| -> Kinds {
                    row.iter().map(|expr| self.carried(expr, &none)).collect()
                });
                rows.reduce(|one, other| either(&one, &other)).unwrap_or_default()
            }
            LogicalPlan::Unnest(unnest) => {
                let input = self.node(&unnest.input);
                let of = |at: &usize| input.get(*at).copied().flatten();
                unnest.dependency_indices.iter().map(of).collect()
            }
            LogicalPlan::RecursiveQuery(recursive) => self.recursive(recursive),
            // A plan is the query in other words; with what is known of the tables, or with
            // what its subqueries gave, it quotes cells.
            LogicalPlan::Explain(explain) if !explain.verbose => {
                vec![None; explain.schema.fields().len()]
            }
            LogicalPlan::Explain(_) | LogicalPlan::Analyze(_) => {
                let mut kinds = self.tables.iter().flat_map(|bound| bound.sensitive.values());
                vec![kinds.next().copied(); plan.schema().fields().len()]
            }
            LogicalPlan::EmptyRelation(empty) => vec![None; empty.schema.fields().len()],
            other => {
                let kind = other.inputs().into_iter().flat_map(|input| self.node(input));
                let kind = kind.flatten().next();
                vec![kind; other.schema().fields().len()]
            }
        }
    }

    fn exprs(&mut self, exprs: &[Expr], input: &LogicalPlan) -> Kinds {
        let input = self.marks(input);
        exprs.iter().map(|expr| self.carried(expr, &input)).collect()
    }

    fn marks(&mut self, plan: &LogicalPlan) -> Marks {
        Marks::new(plan, self.node(plan))
    }

    fn scan(&self, scan: &TableScan) -> Kinds {
        let name = scan.table_name.table();
        if let Some((_, kinds)) = self.working.iter().rev().find(|(known, _)| known == name) {
            return kinds.clone();
        }
        let table = self.tables.iter().find(|bound| bound.name == name);
        let fields = scan.projected_schema.fields().iter();
        let of = |name: &String| table.and_then(|bound| bound.sensitive.get(name)).copied();
        fields.map(|field| of(field.name())).collect()
    }

    fn aggregate(&mut self, aggregate: &Aggregate) -> Kinds {
        let input = self.marks(&aggregate.input);
        let groups: Vec<&Expr> = match aggregate.group_expr.as_slice() {
            [Expr::GroupingSet(set)] => set.distinct_expr(),
            plain => plain.iter().collect(),
        };
        let mut kinds: Kinds = groups.into_iter().map(|expr| self.carried(expr, &input)).collect();
        // Grouping sets have a column of their own, which says the set.
        kinds.resize(aggregate.schema.fields().len() - aggregate.aggr_expr.len(), None);
        kinds.extend(aggregate.aggr_expr.iter().map(|expr| self.carried(expr, &input)));
        kinds
    }

    fn join(&mut self, join: &Join) -> Kinds {
        let left = self.marks(&join.left);
        // A LATERAL right side looks at the left one.
        self.outer.push(left);
        let right = self.node(&join.right);
        let left = self.outer.pop().map(|marks| marks.kinds).unwrap_or_default();
        match join.join_type {
            JoinType::LeftSemi | JoinType::LeftAnti => left,
            JoinType::RightSemi | JoinType::RightAnti => right,
            JoinType::LeftMark => left.into_iter().chain([None]).collect(),
            JoinType::RightMark => right.into_iter().chain([None]).collect(),
            JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => {
                left.into_iter().chain(right).collect()
            }
        }
    }

    /// Round after round, until its rows hold nothing that they did not hold before.
    fn recursive(&mut self, recursive: &RecursiveQuery) -> Kinds {
        let mut known = self.node(&recursive.static_term);
        loop {
            self.working.push((recursive.name.clone(), known.clone()));
            let next = either(&known, &self.node(&recursive.recursive_term));
            self.working.pop();
            if next == known {
                return known;
            }
            known = next;
        }
    }

    /// What the one column of a subquery in an expression holds.
    pub(super) fn subquery(&mut self, plan: &LogicalPlan, around: &Marks) -> Option<Kind> {
        let around = Marks { schema: Arc::clone(&around.schema), kinds: around.kinds.clone() };
        self.outer.push(around);
        let kinds = self.node(plan);
        self.outer.pop();
        kinds.first().copied().flatten()
    }

    /// What a column of what surrounds a subquery holds.
    pub(super) fn outside(&self, column: &Column) -> Option<Kind> {
        self.outer.iter().rev().find_map(|marks| marks.of(column))
    }
}

fn either(one: &Kinds, other: &Kinds) -> Kinds {
    one.iter().zip(other).map(|(one, other)| one.or(*other)).collect()
}
