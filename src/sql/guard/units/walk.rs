//! The plan with the units of its values going along.
//!
//! Each node is made again with more columns: for a value whose unit is known row by
//! row, a column with the text of the unit. So what has to be counted (does one group
//! have two units?) can be counted at the place where the value is used, under all the
//! filters and joins of the query, and also where the query itself has dropped the column
//! that says the unit.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::common::{Column, DataFusionError};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    BinaryExpr, Distinct, DistinctOn, Expr, Filter, Join, JoinType, LogicalPlan, Operator,
    Projection, SubqueryAlias, Union, Window,
};

use super::expr::{Reader, along, blends, can_be_counted, one_unit, settle};
use super::facts::{Fact, Facts};
use super::finding::{About, Finding, Verb};
use super::function::{Says, unit_of};
use super::mark::{Mark, Marks, Origin, together};
use crate::sql::error::SqlError;
use crate::sql::translate::{Phase, translate};
use crate::units::is_teller;

/// What goes along is named so; no column of a table is.
const ALONG: &str = "__unit_";

/// See the module.
pub(super) struct Walk<'a> {
    facts: &'a Facts,
    next: usize,
    pub findings: Vec<Finding>,
}

/// A node with what goes along.
#[derive(Clone)]
pub(super) struct Marked {
    pub plan: LogicalPlan,
    pub marks: Marks,
    /// In a subquery that looks outside: what is the same for all its rows.
    pub keys: Vec<Expr>,
    /// Whether it looks outside in a way that cannot be counted.
    pub is_loose: bool,
}

/// Columns that go along with one node, each once.
pub(super) struct Along {
    exprs: Vec<(Expr, String)>,
}

#[expect(clippy::needless_pass_by_value, reason = "errors are mapped by it")]
fn failed(error: DataFusionError) -> SqlError {
    translate(&error, Phase::Planning)
}

impl<'a> Walk<'a> {
    pub(super) fn new(facts: &'a Facts) -> Self {
        Self { facts, next: 0, findings: Vec::new() }
    }

    /// Walks a whole query: what it finally shows is looked at, too.
    pub(super) fn query(&mut self, plan: &LogicalPlan) -> Result<(), SqlError> {
        let marked = self.node(plan)?;
        let fields: Vec<Column> = plan.schema().iter().map(Column::from).collect();
        let labelled = fields.iter().any(|column| {
            is_teller(&column.name) || matches!(marked.marks.of(column), Mark::Tells { .. })
        });
        for column in fields.iter().filter(|_| !labelled) {
            if let Mark::ByRow { unit, of, blended: true } = marked.marks.of(column) {
                let input = Box::new(marked.plan.clone());
                let only = vec![Expr::Column(column.clone()).is_not_null()];
                let about = About::Rows { input, unit, groups: Vec::new(), only };
                self.found(Finding { expr: column.name.clone(), verb: Verb::Blends, of, about });
            }
        }
        Ok(())
    }

    /// Walks a subquery; the mark of its one column.
    pub(super) fn subquery(&mut self, plan: &LogicalPlan) -> Result<Mark, SqlError> {
        let marked = self.node(plan)?;
        let column = plan.schema().iter().next().map(Column::from);
        Ok(match column.map(|column| marked.marks.of(&column)) {
            Some(fixed @ Mark::Fixed { .. }) => fixed,
            _ => Mark::Free,
        })
    }

    pub(super) fn found(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    pub(super) fn name(&mut self) -> String {
        self.next += 1;
        format!("{ALONG}{}", self.next)
    }

    pub(super) fn node(&mut self, plan: &LogicalPlan) -> Result<Marked, SqlError> {
        match plan {
            LogicalPlan::TableScan(scan) => {
                self.scan(plan, scan.table_name.table()).map_err(failed)
            }
            LogicalPlan::Projection(projection) => self.projection(projection),
            LogicalPlan::Filter(filter) => self.filter(filter),
            LogicalPlan::SubqueryAlias(alias) => self.alias(alias),
            LogicalPlan::Join(join) => self.join(join),
            LogicalPlan::Aggregate(aggregate) => self.aggregate(aggregate),
            LogicalPlan::Window(window) => self.window(window),
            LogicalPlan::Union(union) => self.union(union),
            LogicalPlan::Distinct(Distinct::On(on)) => self.distinct_on(on),
            LogicalPlan::Sort(_)
            | LogicalPlan::Limit(_)
            | LogicalPlan::Distinct(Distinct::All(_)) => {
                let mut marked = self.node(plan.inputs()[0])?;
                if let LogicalPlan::Sort(sort) = plan {
                    self.ranked("ORDER BY", &sort.expr, &[], &marked, &[])?;
                }
                marked.plan =
                    plan.with_new_exprs(plan.expressions(), vec![marked.plan]).map_err(failed)?;
                Ok(marked)
            }
            other => {
                for input in other.inputs() {
                    self.node(input)?;
                }
                Ok(Marked::unmarked(other))
            }
        }
    }

    pub(super) fn reader<'r>(&'r mut self, marked: &'r Marked) -> Reader<'r, 'a> {
        Reader {
            walk: self,
            marks: &marked.marks,
            input: &marked.plan,
            only: Vec::new(),
            in_case: false,
        }
    }

    fn scan(&mut self, plan: &LogicalPlan, table: &str) -> Result<Marked, DataFusionError> {
        let mut marked = Marked::unmarked(plan);
        let columns: Vec<Column> = plan.schema().iter().map(Column::from).collect();
        let mut along = Along::none();
        let facts = self.facts;
        for (name, fact) in facts.of(table) {
            let Some(column) = columns.iter().find(|column| column.name == *name) else { continue };
            let says = |by: &str, says| {
                let teller = columns.iter().find(|column| column.name == by)?;
                Some((teller.clone(), unit_of(Expr::Column(teller.clone()), says)))
            };
            let origin = |teller: Option<&str>, unit, evidence, of_cells| Origin {
                table: table.to_owned(),
                alias: None,
                column: name.clone(),
                teller: teller.map(str::to_owned),
                unit,
                evidence,
                of_cells,
            };
            let mark = match fact {
                Fact::Fixed(unit, evidence) => {
                    let of_cells = evidence.of_cells();
                    let of = vec![origin(None, Some(*unit), evidence.to_string(), of_cells)];
                    Mark::Fixed { unit: *unit, by: None, of }
                }
                Fact::Told { by, minor } => {
                    let Some((teller, unit)) = says(by, Says::Code { minor: *minor }) else {
                        continue;
                    };
                    let unit = along.add(self, &unit);
                    let told = Mark::Tells { unit: unit.clone() };
                    marked.marks.0.push((teller, told));
                    let of = vec![origin(Some(by), None, format!("by column {by}"), true)];
                    Mark::ByRow { unit, of, blended: false }
                }
                Fact::Signs => {
                    let Some((_, unit)) = says(name, Says::Sign) else { continue };
                    let unit = along.add(self, &unit);
                    let of = vec![origin(None, None, "by the sign in each value".to_owned(), true)];
                    Mark::ByRow { unit, of, blended: false }
                }
            };
            marked.marks.0.push((column.clone(), mark));
        }
        if !along.is_empty() {
            let exprs = columns.into_iter().map(Expr::Column).chain(along.aliased()).collect();
            marked.plan = project(exprs, plan.clone())?;
        }
        Ok(marked)
    }

    fn projection(&mut self, projection: &Projection) -> Result<Marked, SqlError> {
        let input = self.node(&projection.input)?;
        let mut marks = Vec::new();
        for expr in &projection.expr {
            marks.push(self.reader(&input).mark(expr)?);
        }
        let mut along = Along::none();
        let marks: Vec<Mark> = marks.into_iter().map(|mark| along.carry(self, mark)).collect();
        let keys = input.keys.iter().map(|key| along.add(self, key)).collect();
        let exprs = projection.expr.iter().cloned().chain(along.aliased()).collect();
        let plan = project(exprs, input.plan).map_err(failed)?;
        let marks = Marks(columns(&plan).into_iter().zip(marks).collect());
        Ok(Marked { plan, marks, keys, is_loose: input.is_loose })
    }

    fn filter(&mut self, filter: &Filter) -> Result<Marked, SqlError> {
        let mut input = self.node(&filter.input)?;
        let conditions = split_conjunction(&filter.predicate);
        for (at, condition) in conditions.iter().enumerate() {
            let others = conditions.iter().enumerate().filter(|(other, _)| *other != at);
            let only: Vec<Expr> =
                others.map(|(_, other)| (*other).clone()).filter(can_be_counted).collect();
            let mut reader = self.reader(&input);
            reader.only = only;
            reader.mark(condition)?;
        }
        let (inside, outside): (Vec<&Expr>, Vec<&Expr>) =
            conditions.into_iter().partition(|condition| !looks_outside(condition));
        for condition in outside {
            match inner_key(condition) {
                Some(key) => input.keys.push(key),
                None => input.is_loose = true,
            }
        }
        if let Some(predicate) = inside.into_iter().cloned().reduce(Expr::and) {
            let filter = Filter::try_new(predicate, Arc::new(input.plan)).map_err(failed)?;
            input.plan = LogicalPlan::Filter(filter);
        }
        Ok(input)
    }

    fn alias(&mut self, alias: &SubqueryAlias) -> Result<Marked, SqlError> {
        let input = self.node(&alias.input)?;
        let plan = SubqueryAlias::try_new(Arc::new(input.plan.clone()), alias.alias.clone())
            .map(LogicalPlan::SubqueryAlias)
            .map_err(failed)?;
        let moved = |column: &Column| {
            let at = input.plan.schema().maybe_index_of_column(column)?;
            Some(Column::from(plan.schema().qualified_field(at)))
        };
        let moved_expr = |expr: &Expr| match expr {
            Expr::Column(column) => moved(column).map_or_else(|| expr.clone(), Expr::Column),
            other => other.clone(),
        };
        let is_table = matches!(alias.input.as_ref(), LogicalPlan::TableScan(_));
        let marks = input.marks.0.iter().filter_map(|(column, mark)| {
            let mut mark = match mark.carried().map(moved_expr) {
                Some(unit) => mark.clone().with_carried(unit),
                None => mark.clone(),
            };
            if is_table {
                mark.call(alias.alias.table());
            }
            Some((moved(column)?, mark))
        });
        let marks = Marks(marks.collect());
        let keys = input.keys.iter().map(moved_expr).collect();
        Ok(Marked { marks, keys, is_loose: input.is_loose, plan })
    }

    fn join(&mut self, join: &Join) -> Result<Marked, SqlError> {
        let (left, right) = (self.node(&join.left)?, self.node(&join.right)?);
        let both = Marked {
            plan: LogicalPlan::Join(join.clone()),
            marks: Marks(left.marks.0.iter().chain(&right.marks.0).cloned().collect()),
            keys: left.keys.iter().chain(&right.keys).cloned().collect(),
            is_loose: left.is_loose || right.is_loose,
        };
        self.conditions(join, &both)?;
        let outside = join.filter.as_ref().is_some_and(looks_outside);
        let plan = Join::try_new(
            Arc::new(left.plan.clone()),
            Arc::new(right.plan.clone()),
            join.on.clone(),
            join.filter.clone().filter(|filter| !looks_outside(filter)),
            join.join_type,
            join.join_constraint,
            join.null_equality,
            join.null_aware,
        )
        .map(LogicalPlan::Join)
        .map_err(failed)?;
        let marks = match join.join_type {
            JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => left.marks,
            JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => right.marks,
            JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => both.marks,
        };
        Ok(Marked { plan, marks, keys: both.keys, is_loose: both.is_loose || outside })
    }

    /// What a join compares is judged by names and by whole tables: before it is joined,
    /// there are no rows to count.
    fn conditions(&mut self, join: &Join, both: &Marked) -> Result<(), SqlError> {
        let before = self.findings.len();
        for (left, right) in &join.on {
            let equal = left.clone().eq(right.clone());
            self.reader(both).mark(&equal)?;
        }
        for condition in join.filter.iter().flat_map(split_conjunction) {
            self.reader(both).mark(condition)?;
        }
        let known =
            |finding: &Finding| matches!(finding.about, About::Known(..) | About::Unclear(..));
        let found = self.findings.split_off(before);
        self.findings.extend(found.into_iter().filter(known));
        Ok(())
    }

    fn window(&mut self, window: &Window) -> Result<Marked, SqlError> {
        let input = self.node(&window.input)?;
        let mut marks = Vec::new();
        for expr in &window.window_expr {
            marks.push(self.over(expr, &input)?);
        }
        let plan = Window::try_new(window.window_expr.clone(), Arc::new(input.plan.clone()))
            .map(LogicalPlan::Window)
            .map_err(failed)?;
        let all = columns(&plan);
        let own = all[all.len() - marks.len()..].iter().cloned().zip(marks);
        let marks = Marks(input.marks.0.iter().cloned().chain(own).collect());
        Ok(Marked { plan, marks, keys: input.keys, is_loose: input.is_loose })
    }

    fn union(&mut self, union: &Union) -> Result<Marked, SqlError> {
        let mut branches = Vec::new();
        for input in &union.inputs {
            branches.push((columns(input), self.node(input)?));
        }
        let mut marks: Vec<Mark> = Vec::new();
        let mut carried: BTreeMap<usize, String> = BTreeMap::new();
        for at in 0..union.schema.fields().len() {
            let mut of_branches: Vec<Mark> = branches
                .iter()
                .map(|(columns, branch)| branch.marks.of(&columns[at]).of_value())
                .collect();
            settle(&mut of_branches);
            let all: Vec<&Mark> = of_branches.iter().collect();
            let of = all.iter().fold(Vec::new(), |of, mark| together(&of, mark.origins()));
            marks.push(if all.iter().all(|mark| mark.is_free()) {
                Mark::Free
            } else if let Some((unit, by)) = one_unit(&all) {
                Mark::Fixed { unit, by, of }
            } else {
                let name = self.name();
                carried.insert(at, name.clone());
                Mark::ByRow { unit: along(&name), of, blended: blends(&all) }
            });
        }
        let inputs: Result<Vec<_>, DataFusionError> = branches
            .into_iter()
            .map(|(columns, branch)| {
                let units = carried
                    .iter()
                    .map(|(at, name)| branch.marks.of(&columns[*at]).unit().alias(name.clone()));
                let exprs = columns.iter().cloned().map(Expr::Column).chain(units).collect();
                Ok(Arc::new(project(exprs, branch.plan)?))
            })
            .collect();
        let union = inputs.and_then(Union::try_new).map_err(failed)?;
        let plan = LogicalPlan::Union(union);
        let marks = Marks(columns(&plan).into_iter().zip(marks).collect());
        Ok(Marked { plan, marks, keys: Vec::new(), is_loose: false })
    }

    fn distinct_on(&mut self, on: &DistinctOn) -> Result<Marked, SqlError> {
        let input = self.node(&on.input)?;
        let mut marks = Vec::new();
        for expr in &on.select_expr {
            marks.push(self.reader(&input).mark(expr)?);
        }
        let mut along = Along::none();
        let marks: Vec<Mark> = marks.into_iter().map(|mark| along.carry(self, mark)).collect();
        let select = on.select_expr.iter().cloned().chain(along.aliased()).collect();
        let sort = on.sort_expr.clone();
        self.ranked("ORDER BY", sort.as_deref().unwrap_or_default(), &on.on_expr, &input, &[])?;
        let plan = DistinctOn::try_new(on.on_expr.clone(), select, sort, Arc::new(input.plan))
            .map(|on| LogicalPlan::Distinct(Distinct::On(on)))
            .map_err(failed)?;
        let marks = Marks(columns(&plan).into_iter().zip(marks).collect());
        Ok(Marked { plan, marks, keys: Vec::new(), is_loose: input.is_loose })
    }
}

impl Marked {
    fn unmarked(plan: &LogicalPlan) -> Self {
        Self {
            plan: plan.clone(),
            marks: Marks::default(),
            keys: Vec::new(),
            is_loose: looks_outside_anywhere(plan),
        }
    }
}

impl Along {
    pub(super) fn none() -> Self {
        Self { exprs: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.exprs.is_empty()
    }

    /// Takes an expression along; the column that it is then.
    pub(super) fn add(&mut self, walk: &mut Walk<'_>, expr: &Expr) -> Expr {
        let known = self.exprs.iter().find(|(known, _)| known == expr);
        let name = known.map(|(_, name)| name.clone()).unwrap_or_else(|| {
            let name = walk.name();
            self.exprs.push((expr.clone(), name.clone()));
            name
        });
        along(&name)
    }

    pub(super) fn carry(&mut self, walk: &mut Walk<'_>, mark: Mark) -> Mark {
        match mark.carried().cloned() {
            Some(unit) => {
                let unit = self.add(walk, &unit);
                mark.with_carried(unit)
            }
            None => mark,
        }
    }

    pub(super) fn aliased(&self) -> impl Iterator<Item = Expr> {
        self.exprs.iter().map(|(expr, name)| expr.clone().alias(name.clone()))
    }
}

pub(super) fn columns(plan: &LogicalPlan) -> Vec<Column> {
    plan.schema().iter().map(Column::from).collect()
}

fn project(exprs: Vec<Expr>, input: LogicalPlan) -> Result<LogicalPlan, DataFusionError> {
    Projection::try_new(exprs, Arc::new(input)).map(LogicalPlan::Projection)
}

fn looks_outside(expr: &Expr) -> bool {
    use datafusion::common::tree_node::TreeNode as _;
    expr.exists(|expr| Ok(matches!(expr, Expr::OuterReferenceColumn(..)))).unwrap_or(true)
}

fn looks_outside_anywhere(plan: &LogicalPlan) -> bool {
    !plan.all_out_ref_exprs().is_empty()
}

/// The side of `inner = outer` that is inside.
fn inner_key(condition: &Expr) -> Option<Expr> {
    let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = condition else {
        return None;
    };
    match (looks_outside(left), looks_outside(right)) {
        (false, true) => Some(left.as_ref().clone()),
        (true, false) => Some(right.as_ref().clone()),
        _ => None,
    }
}
