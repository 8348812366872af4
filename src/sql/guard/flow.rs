//! Which tables a value comes from, and which joins stand between.
//!
//! A pure walk over the plan below an aggregate. What keeps rows as they are is
//! looked through; what makes rows of its own (a scan, a group, a DISTINCT) is a
//! source. A column is traced to the sources of its *value*: in `CASE WHEN o.status =
//! 'x' THEN i.price END` that is `i`, because the condition chooses rows and adds nothing.

use std::collections::BTreeSet;

use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::{
    Expr, Join, JoinType, LogicalPlan, Unnest, WindowFunctionDefinition, expr::WindowFunction,
};

/// The sources of a value. Several sets where a union has several branches.
pub(super) type Values = Vec<BTreeSet<usize>>;

/// What makes rows.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// The table's name, or what it is.
    pub name: String,
    /// What the query calls it.
    pub alias: Option<String>,
}

/// What could multiply the rows of some sources.
#[derive(Debug, Clone)]
pub(super) struct Multiplier {
    pub cause: Cause,
    /// The sources at risk.
    pub victims: BTreeSet<usize>,
    /// The other side of a join, or what is taken apart, in words.
    pub by: String,
}

#[derive(Debug, Clone)]
pub(super) enum Cause {
    Join {
        join: Join,
        /// Whether the left side's rows are at risk; else the right side's.
        left: bool,
    },
    /// Each row once for each element of its list.
    Unnest(Unnest),
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Flow {
    pub sources: Vec<Source>,
    pub joins: Vec<Multiplier>,
    /// For each column of the plan, what its values come from.
    columns: Vec<(Column, Values)>,
}

impl Flow {
    /// The flow below an aggregate.
    pub(super) fn of(plan: &LogicalPlan) -> Self {
        match plan {
            LogicalPlan::Projection(projection) => {
                let input = Self::of(&projection.input);
                let values: Vec<Values> = projection.expr.iter().map(|e| input.values(e)).collect();
                input.with(&projection.schema, values)
            }
            LogicalPlan::SubqueryAlias(alias) => {
                let mut input = Self::of(&alias.input);
                if let [only] = input.sources.as_mut_slice() {
                    only.alias = Some(alias.alias.table().to_owned());
                }
                let values = input.columns.iter().map(|(_, values)| values.clone()).collect();
                input.with(&alias.schema, values)
            }
            LogicalPlan::Filter(filter) => {
                let mut input = Self::of(&filter.input);
                if numbers_rows(&filter.input)
                    && filter.predicate.column_refs().iter().any(|c| input.is_number(c))
                {
                    // row_number() = 1: each row once, by its author's hand.
                    input.joins.clear();
                }
                input
            }
            LogicalPlan::Window(window) => {
                let input = Self::of(&window.input);
                let mut values: Vec<Values> =
                    input.columns.iter().map(|(_, values)| values.clone()).collect();
                values.extend(window.window_expr.iter().map(|_| Vec::new()));
                let mut flow = input.with(&window.schema, values);
                let own = flow.columns.len() - window.window_expr.len();
                flow.columns.truncate(own);
                flow
            }
            LogicalPlan::Sort(sort) => Self::of(&sort.input),
            LogicalPlan::Limit(limit) => Self::of(&limit.input),
            LogicalPlan::Join(join) => Self::of_join(join),
            LogicalPlan::Unnest(unnest) => Self::of_unnest(unnest),
            LogicalPlan::Union(union) => {
                Self::of_union(union.inputs.iter().map(AsRef::as_ref), &union.schema)
            }
            other => Self::of_source(other),
        }
    }

    fn of_source(plan: &LogicalPlan) -> Self {
        let name = match plan {
            LogicalPlan::TableScan(scan) => scan.table_name.table().to_owned(),
            LogicalPlan::Aggregate(_) => "the grouped rows".to_owned(),
            LogicalPlan::Distinct(_) => "the distinct rows".to_owned(),
            LogicalPlan::Values(_) => "the values".to_owned(),
            _ => "the subquery".to_owned(),
        };
        let columns = columns_of(plan.schema());
        let only = || vec![BTreeSet::from([0])];
        Self {
            sources: vec![Source { name, alias: None }],
            joins: Vec::new(),
            columns: columns.into_iter().map(|column| (column, only())).collect(),
        }
    }

    fn of_join(join: &Join) -> Self {
        let (left, right) = (Self::of(&join.left), Self::of(&join.right));
        match join.join_type {
            JoinType::LeftSemi | JoinType::LeftAnti => return left,
            JoinType::RightSemi | JoinType::RightAnti => return right,
            JoinType::LeftMark => return left,
            JoinType::RightMark => return right,
            JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => {}
        }
        let shift = left.sources.len();
        let (of_left, of_right) = (left.names(), right.names());
        let mut flow = left;
        let moved = |ids: &BTreeSet<usize>| ids.iter().map(|id| id + shift).collect();
        let victims_left = (0..shift).collect();
        let victims_right = (shift..shift + right.sources.len()).collect();
        flow.joins.extend(right.joins.into_iter().map(|mut other| {
            other.victims = moved(&other.victims);
            other
        }));
        let sides = [(true, victims_left, of_right), (false, victims_right, of_left)];
        flow.joins.extend(sides.into_iter().map(|(left, victims, by)| {
            let cause = Cause::Join { join: join.clone(), left };
            Multiplier { cause, victims, by }
        }));
        flow.sources.extend(right.sources);
        flow.columns.extend(
            right
                .columns
                .into_iter()
                .map(|(column, values)| (column, values.iter().map(moved).collect())),
        );
        flow
    }

    fn of_unnest(unnest: &Unnest) -> Self {
        let mut flow = Self::of(&unnest.input);
        if unnest.list_type_columns.is_empty() {
            let of = |at: &usize| flow.columns.get(*at).map(|(_, of)| of.clone());
            let values = unnest.dependency_indices.iter().map(|at| of(at).unwrap_or_default());
            let values = values.collect();
            return flow.with(&unnest.schema, values);
        }
        let by = lists(unnest).iter().map(list_name).collect::<Vec<_>>().join(", ");
        let (elements, victims) = (flow.sources.len(), (0..flow.sources.len()).collect());
        flow.sources.push(Source { name: format!("the elements of {by}"), alias: None });
        flow.joins.push(Multiplier { cause: Cause::Unnest(unnest.clone()), victims, by });
        let lists: BTreeSet<usize> = unnest.list_type_columns.iter().map(|(at, _)| *at).collect();
        let value = |at: &usize| match lists.contains(at) {
            true => vec![BTreeSet::from([elements])],
            false => flow.columns.get(*at).map(|(_, values)| values.clone()).unwrap_or_default(),
        };
        let values = unnest.dependency_indices.iter().map(value).collect();
        flow.with(&unnest.schema, values)
    }

    fn of_union<'a>(inputs: impl Iterator<Item = &'a LogicalPlan>, schema: &DFSchema) -> Self {
        let mut flow = Self::default();
        let mut values: Vec<Values> = vec![Vec::new(); schema.fields().len()];
        for input in inputs {
            let branch = Self::of(input);
            let shift = flow.sources.len();
            let moved =
                |ids: &BTreeSet<usize>| ids.iter().map(|id| id + shift).collect::<BTreeSet<_>>();
            for (all, (_, of_branch)) in values.iter_mut().zip(&branch.columns) {
                all.extend(of_branch.iter().map(moved));
            }
            flow.joins.extend(branch.joins.into_iter().map(|mut join| {
                join.victims = moved(&join.victims);
                join
            }));
            flow.sources.extend(branch.sources);
        }
        flow.with(schema, values)
    }

    fn with(mut self, schema: &DFSchema, values: Vec<Values>) -> Self {
        self.columns = columns_of(schema).into_iter().zip(values).collect();
        self
    }

    fn names(&self) -> String {
        let names: Vec<String> = self.sources.iter().map(|s| format!("{:?}", s.name)).collect();
        names.join(", ")
    }

    fn values_of(&self, column: &Column) -> Option<&Values> {
        let exact = self.columns.iter().find(|(known, _)| known == column);
        let by_name = || {
            let mut alike = self.columns.iter().filter(|(known, _)| {
                known.name == column.name && (column.relation.is_none() || known.relation.is_none())
            });
            alike.next().filter(|_| alike.next().is_none())
        };
        exact.or_else(by_name).map(|(_, values)| values)
    }

    /// Whether a column has no source: a window made it.
    fn is_number(&self, column: &Column) -> bool {
        self.values_of(column).is_none_or(Vec::is_empty)
    }

    /// The sources of an expression's value.
    pub(super) fn values(&self, expr: &Expr) -> Values {
        match expr {
            Expr::Column(column) => self.values_of(column).cloned().unwrap_or_default(),
            Expr::Case(case) => {
                let results = case.when_then_expr.iter().map(|(_, then)| then.as_ref());
                let results = results.chain(case.else_expr.as_deref());
                results
                    .map(|result| self.values(result))
                    .fold(constant(), |one, other| together(one, &other))
            }
            Expr::Literal(..) => constant(),
            Expr::Alias(alias) => self.values(&alias.expr),
            Expr::Cast(cast) => self.values(&cast.expr),
            Expr::TryCast(cast) => self.values(&cast.expr),
            other => {
                let columns = other.column_refs();
                columns
                    .into_iter()
                    .map(|column| self.values_of(column).cloned().unwrap_or_default())
                    .fold(constant(), |one, other| together(one, &other))
            }
        }
    }
}

fn constant() -> Values {
    vec![BTreeSet::new()]
}

/// A value that is made of two: of each branch of one with each branch of the other.
fn together(one: Values, other: &Values) -> Values {
    if other.is_empty() {
        return one;
    }
    let mut all: Values =
        one.iter().flat_map(|a| other.iter().map(|b| a.union(b).copied().collect())).collect();
    all.sort_unstable();
    all.dedup();
    all.truncate(64);
    all
}

fn columns_of(schema: &DFSchema) -> Vec<Column> {
    schema.iter().map(Column::from).collect()
}

/// Whether rows were numbered right below.
fn numbers_rows(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Window(window) => window.window_expr.iter().any(is_number),
        LogicalPlan::Projection(projection) => numbers_rows(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => numbers_rows(&alias.input),
        _ => false,
    }
}

fn is_number(expr: &Expr) -> bool {
    match expr {
        Expr::Alias(alias) => is_number(&alias.expr),
        Expr::WindowFunction(function) => {
            let WindowFunction { fun, .. } = function.as_ref();
            matches!(fun, WindowFunctionDefinition::WindowUDF(f) if matches!(f.name(), "row_number" | "rank" | "dense_rank"))
        }
        _ => false,
    }
}

/// The lists that are taken apart; a struct has one row before and behind.
pub(super) fn lists(unnest: &Unnest) -> Vec<Column> {
    let columns = unnest.input.schema().columns();
    unnest.list_type_columns.iter().filter_map(|(at, _)| columns.get(*at).cloned()).collect()
}

/// A list as its author wrote it, nearly.
fn list_name(column: &Column) -> String {
    let name = column.name.strip_prefix("__unnest_placeholder(");
    let mut name = name.and_then(|n| n.strip_suffix(')')).unwrap_or(&column.name).to_owned();
    while let Some((before, rest)) = name.split_once("outer_ref(")
        && let Some((of, after)) = rest.split_once(')')
    {
        name = format!("{before}{of}{after}");
    }
    name
}

impl Multiplier {
    /// What it is, in words.
    pub(super) fn what(&self) -> String {
        let Cause::Join { join, .. } = &self.cause else { return format!("UNNEST of {}", self.by) };
        let pairs: Vec<String> =
            join.on.iter().map(|(left, right)| format!("{left} = {right}")).collect();
        let on = match pairs.is_empty() {
            true => "without a key".to_owned(),
            false => format!("on {}", pairs.join(" AND ")),
        };
        format!("the join {on} with {}", self.by)
    }

    /// The other side's part of the key, where it is plain columns.
    pub(super) fn other_key(&self) -> Option<Vec<String>> {
        let Cause::Join { join, left } = &self.cause else { return None };
        let key = join.on.iter().map(|(own, other)| if *left { other } else { own });
        key.map(|expr| match expr {
            Expr::Column(column) => Some(column.name.clone()),
            _ => None,
        })
        .collect()
    }

    /// What the other side is, if it is one table.
    pub(super) fn other(&self) -> Source {
        let none = Source { name: String::new(), alias: None };
        let Cause::Join { join, left } = &self.cause else { return none };
        match Flow::of(if *left { &join.right } else { &join.left }).sources.as_slice() {
            [only] => only.clone(),
            _ => none,
        }
    }

    /// What to write instead.
    pub(super) fn instead(&self, source: &Source) -> String {
        if let Cause::Unnest(_) = self.cause {
            return format!(
                "aggregate {:?} in a subquery of its own, without UNNEST, or what comes of the elements",
                source.name
            );
        }
        let other = self.other();
        match self.other_key() {
            Some(key) if !key.is_empty() && !other.name.is_empty() => {
                let key = key.join(", ");
                format!(
                    "join rows that are grouped before: JOIN (SELECT {key}, … FROM {} GROUP BY {key}) \
                     {}; or take {:?} alone and filter it with WHERE EXISTS (…)",
                    other.name,
                    other.alias.as_deref().unwrap_or(&other.name),
                    source.name
                )
            }
            _ => format!(
                "aggregate {} in a subquery of its own, grouped by the key, and join that",
                self.by
            ),
        }
    }
}
