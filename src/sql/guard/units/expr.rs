//! The unit of an expression's value, and what clashes on the way to it.
//!
//! | expression | unit |
//! |---|---|
//! | `a + b`, `a - b`, `a < b`, BETWEEN, IN, greatest | the two must agree |
//! | `a * n`, `a * b`, `a / b` | see [`arithmetic`](super::arithmetic) |
//! | CASE, coalesce | the branch's, row by row |
//! | `a * n AS b_eur` | what the name says: its author converted it |
//! | casts, round, abs, replace, … | the argument's |
//! | anything else | none |

use datafusion::common::Column;
use datafusion::logical_expr::expr::{Case, ScalarFunction};
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan, Operator};

use super::finding::Verb;
use super::mark::{Mark, Marks, together};
use super::walk::Walk;
use crate::sql::checked::undone;
use crate::sql::error::SqlError;
use crate::units::Unit;

/// Functions whose value is their first argument's, changed.
const KEEPS: &[&str] = &[
    "abs",
    "btrim",
    "ceil",
    "floor",
    "ltrim",
    "nullif",
    "regexp_replace",
    "replace",
    "round",
    "rtrim",
    "trim",
    "trunc",
    "substr",
    "substring",
    "left",
    "right",
    "translate",
    "split_part",
];
/// Functions whose value is one of their arguments.
const CHOOSES: &[&str] = &["coalesce", "nvl", "ifnull"];
/// Functions that compare their arguments, whose value is one of them.
const COMPARES: &[&str] = &["greatest", "least"];
/// Functions that spell a code otherwise.
const SPELLS: &[&str] = &["upper", "lower", "trim", "btrim", "ltrim", "rtrim"];

/// Reads the expressions of one node.
pub(super) struct Reader<'a, 'b> {
    pub walk: &'a mut Walk<'b>,
    pub marks: &'a Marks,
    /// What the node reads, with the units that go along.
    pub input: &'a LogicalPlan,
    /// What holds where an expression is computed.
    pub only: Vec<Expr>,
    pub in_case: bool,
}

impl Reader<'_, '_> {
    /// See the module. `undone` first: checked arithmetic is arithmetic.
    pub(super) fn mark(&mut self, expr: &Expr) -> Result<Mark, SqlError> {
        self.of(&undone(expr))
    }

    pub(super) fn of(&mut self, expr: &Expr) -> Result<Mark, SqlError> {
        match expr {
            Expr::Column(column) => Ok(self.marks.of(column)),
            Expr::Alias(alias) => Ok(self.of(&alias.expr)?.called(&alias.name)),
            Expr::Cast(cast) => self.of(&cast.expr),
            Expr::TryCast(cast) => self.of(&cast.expr),
            Expr::Negative(inner) => Ok(self.of(inner)?.of_value()),
            Expr::BinaryExpr(binary) => self.binary(expr, binary),
            Expr::Between(between) => {
                for end in [&between.low, &between.high] {
                    self.agree(expr, Verb::Compares, &between.expr, end)?;
                }
                Ok(Mark::Free)
            }
            Expr::InList(list) => {
                for item in list.list.iter().filter(|item| !matches!(item, Expr::Literal(..))) {
                    self.agree(expr, Verb::Compares, &list.expr, item)?;
                }
                Ok(Mark::Free)
            }
            Expr::Case(case) => self.case(case),
            Expr::ScalarFunction(function) => self.function(expr, function),
            Expr::ScalarSubquery(subquery) => self.walk.subquery(&subquery.subquery),
            Expr::InSubquery(of) => {
                let one = self.of(&of.expr)?.of_value();
                let other = self.walk.subquery(&of.subquery.subquery)?;
                self.agree_marks(expr, Verb::Compares, (&of.expr, one), (&of.expr, other))?;
                Ok(Mark::Free)
            }
            Expr::SetComparison(of) => {
                let one = self.of(&of.expr)?.of_value();
                let other = self.walk.subquery(&of.subquery.subquery)?;
                self.agree_marks(expr, Verb::Compares, (&of.expr, one), (&of.expr, other))?;
                Ok(Mark::Free)
            }
            Expr::Exists(exists) => {
                self.walk.subquery(&exists.subquery.subquery)?;
                Ok(Mark::Free)
            }
            Expr::Not(inner)
            | Expr::IsNull(inner)
            | Expr::IsNotNull(inner)
            | Expr::IsTrue(inner)
            | Expr::IsNotTrue(inner)
            | Expr::IsFalse(inner)
            | Expr::IsNotFalse(inner) => {
                self.of(inner)?;
                Ok(Mark::Free)
            }
            _ => Ok(Mark::Free),
        }
    }

    fn binary(&mut self, whole: &Expr, binary: &BinaryExpr) -> Result<Mark, SqlError> {
        let BinaryExpr { left, op, right } = binary;
        match op {
            Operator::Plus | Operator::Minus => self.agree(whole, Verb::Joins, left, right),
            Operator::Multiply | Operator::Divide => self.product(left, *op, right),
            Operator::And => {
                // What the one half leaves is what the other half is computed for.
                self.within(right, left)?;
                self.within(left, right)?;
                Ok(Mark::Free)
            }
            Operator::Or => {
                self.of(left)?;
                self.of(right)?;
                Ok(Mark::Free)
            }
            op if op.supports_propagation() => {
                self.agree(whole, Verb::Compares, left, right)?;
                Ok(Mark::Free)
            }
            _ => {
                let mark = self.of(left)?.of_value();
                self.of(right)?;
                Ok(if *op == Operator::Modulo { mark } else { Mark::Free })
            }
        }
    }

    /// An expression that counts only where another one is true.
    fn within(&mut self, condition: &Expr, expr: &Expr) -> Result<(), SqlError> {
        let before = self.only.len();
        self.assume(condition);
        let read = self.of(expr);
        self.only.truncate(before);
        read.map(drop)
    }

    fn assume(&mut self, condition: &Expr) {
        if can_be_counted(condition) {
            self.only.push(condition.clone());
        }
    }

    fn case(&mut self, case: &Case) -> Result<Mark, SqlError> {
        let before = (self.only.len(), self.in_case);
        let mut branches: Vec<(Expr, Mark)> = Vec::new();
        for (when, then) in &case.when_then_expr {
            let condition = match &case.expr {
                Some(base) => base.as_ref().clone().eq(when.as_ref().clone()),
                None => when.as_ref().clone(),
            };
            self.in_case = before.1;
            self.of(&condition)?;
            self.in_case = true;
            let here = self.only.len();
            self.assume(&condition);
            let mark = self.of(then)?.of_value();
            self.only.truncate(here);
            branches.push((condition.clone(), mark));
            self.assume(&condition.is_not_true());
        }
        let otherwise = match &case.else_expr {
            Some(expr) => self.of(expr)?.of_value(),
            None => Mark::Free,
        };
        self.only.truncate(before.0);
        self.in_case = before.1;
        if !branches.iter().all(|(condition, _)| can_be_counted(condition)) {
            return Ok(Mark::Free);
        }
        Ok(chosen(branches, &otherwise))
    }

    fn function(&mut self, whole: &Expr, function: &ScalarFunction) -> Result<Mark, SqlError> {
        let name = function.func.name();
        let mut marks = Vec::new();
        for argument in &function.args {
            marks.push(self.of(argument)?);
        }
        let first = marks.first().cloned().unwrap_or(Mark::Free);
        if SPELLS.contains(&name) && matches!(first, Mark::Tells { .. }) {
            return Ok(first);
        }
        if name == "nullif"
            && let [value, other] = function.args.as_slice()
        {
            self.agree(whole, Verb::Compares, value, other)?;
        }
        if KEEPS.contains(&name) {
            return Ok(first.of_value());
        }
        if COMPARES.contains(&name) {
            return self.all_agree(whole, &function.args, marks);
        }
        if name == "nvl2"
            && let ([asked, ..], [_, given, otherwise]) =
                (function.args.as_slice(), marks.as_slice())
        {
            let given = (asked.clone().is_not_null(), given.clone().of_value());
            return Ok(chosen(vec![given], &otherwise.clone().of_value()));
        }
        if CHOOSES.contains(&name) {
            let parts = function.args.iter().zip(marks);
            let branches =
                parts.map(|(argument, mark)| (argument.clone().is_not_null(), mark.of_value()));
            return Ok(chosen(branches.collect(), &Mark::Free));
        }
        Ok(Mark::Free)
    }
}

/// The mark of a value that is one of several, the first whose condition is true.
fn chosen(branches: Vec<(Expr, Mark)>, otherwise: &Mark) -> Mark {
    let (whens, mut marks): (Vec<Expr>, Vec<Mark>) = branches.into_iter().unzip();
    marks.push(otherwise.clone());
    settle(&mut marks);
    let all: Vec<&Mark> = marks.iter().collect();
    let of = all.iter().fold(Vec::new(), |of, mark| together(&of, mark.origins()));
    if all.iter().all(|mark| mark.is_free()) {
        return Mark::Free;
    }
    if let Some((unit, by)) = one_unit(&all) {
        return Mark::Fixed { unit, by, of };
    }
    let blended = blends(&all) || differ(&all);
    let otherwise = marks.pop().unwrap_or(Mark::Free);
    let branches = whens.into_iter().zip(marks);
    let when_then_expr =
        branches.map(|(when, mark)| (Box::new(when), Box::new(mark.unit()))).collect();
    let else_expr = Some(Box::new(otherwise.unit()));
    let unit = Expr::Case(Case { expr: None, when_then_expr, else_expr });
    Mark::ByRow { unit, of, blended }
}

/// Where one of several values is taken, a constant beside a clashing unit is a rate: nobody
/// raises one branch by a tax and leaves the other in another currency.
pub(super) fn settle(marks: &mut [Mark]) {
    let units: Vec<Unit> = marks.iter().filter_map(Mark::fixed).collect();
    let clash = units.iter().any(|one| units.iter().any(|other| one.clashes(*other)));
    for mark in marks.iter_mut().filter(|_| clash) {
        if matches!(mark, Mark::Fixed { by: Some(_), .. }) {
            *mark = Mark::Free;
        }
    }
}

/// The unit of marks that all have one or none, and what it is multiplied by.
pub(super) fn one_unit(marks: &[&Mark]) -> Option<(Unit, Option<f64>)> {
    let mut found: Option<(Unit, Option<f64>)> = None;
    for mark in marks.iter().filter(|mark| !mark.is_free()) {
        let Mark::Fixed { unit, by, .. } = mark else { return None };
        match found {
            Some((known, _)) if known.clashes(*unit) => return None,
            Some((known, scaled)) => found = Some((known.narrower(*unit), scaled.or(*by))),
            None => found = Some((*unit, *by)),
        }
    }
    found
}

/// Whether the units of marks are told by different columns, row by row.
fn differ(marks: &[&Mark]) -> bool {
    let mut known = marks.iter().filter(|mark| !mark.is_free()).map(|mark| mark.unit());
    let is_told = |unit: &Expr| !matches!(unit, Expr::Literal(value, _) if value.is_null());
    let first = known.find(is_told);
    first.is_some_and(|first| known.any(|other| is_told(&other) && other != first))
}

/// Whether marks have different units by themselves.
pub(super) fn blends(marks: &[&Mark]) -> bool {
    let fixed: Vec<Unit> = marks
        .iter()
        .filter_map(|mark| match mark {
            Mark::Fixed { unit, .. } => Some(*unit),
            _ => None,
        })
        .collect();
    let inner = marks.iter().any(|mark| matches!(mark, Mark::ByRow { blended: true, .. }));
    inner || fixed.iter().any(|one| fixed.iter().any(|other| one.clashes(*other)))
}

pub(super) fn plain(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => plain(&alias.expr),
        Expr::Cast(cast) => plain(&cast.expr),
        other => other,
    }
}

/// Whether a condition can stand in a plan of its own.
pub(super) fn can_be_counted(expr: &Expr) -> bool {
    use datafusion::common::tree_node::TreeNode as _;
    let of_outside = |expr: &Expr| {
        Ok(matches!(
            expr,
            Expr::OuterReferenceColumn(..)
                | Expr::ScalarSubquery(_)
                | Expr::InSubquery(_)
                | Expr::Exists(_)
        ))
    };
    !expr.exists(of_outside).unwrap_or(true)
}

/// A column that goes along under this name.
pub(super) fn along(name: &str) -> Expr {
    Expr::Column(Column::new_unqualified(name))
}
