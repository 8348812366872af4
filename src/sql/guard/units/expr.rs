//! The unit of an expression's value, and what clashes on the way to it.
//!
//! | expression | unit |
//! |---|---|
//! | `a + b`, `a - b`, `a < b`, BETWEEN, IN | the two must agree |
//! | `a * n`, `a / n` | `a`'s, unless `n` is a rate (by its name) or, where `a`'s unit is fixed, a constant: both convert |
//! | `a * b`, `a / b` | none: a product or a quotient of units |
//! | CASE, coalesce, greatest | the branch's, row by row |
//! | casts, round, abs, replace, … | the argument's |
//! | anything else | none |

use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::expr::{Case, ScalarFunction};
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan, Operator};

use super::finding::{About, Finding, Verb};
use super::mark::{Mark, Marks, together};
use super::walk::Walk;
use crate::sql::checked::undone;
use crate::sql::error::SqlError;
use crate::sql::warn::shown;
use crate::units::{Dimension, Unit, converts};

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
const CHOOSES: &[&str] = &["coalesce", "nvl", "ifnull", "greatest", "least", "nvl2"];
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

    fn of(&mut self, expr: &Expr) -> Result<Mark, SqlError> {
        match expr {
            Expr::Column(column) => Ok(self.marks.of(column)),
            Expr::Alias(alias) => self.of(&alias.expr),
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
            Expr::Case(case) => self.case(expr, case),
            Expr::ScalarFunction(function) => self.function(expr, function),
            Expr::ScalarSubquery(subquery) => self.walk.subquery(&subquery.subquery),
            Expr::InSubquery(of) => {
                self.of(&of.expr)?;
                self.walk.subquery(&of.subquery.subquery)?;
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

    /// Two values that must be of one unit; the unit of what is made of them.
    fn agree(
        &mut self,
        whole: &Expr,
        verb: Verb,
        left: &Expr,
        right: &Expr,
    ) -> Result<Mark, SqlError> {
        let (one, other) = (self.of(left)?.of_value(), self.of(right)?.of_value());
        let found = |about| Finding {
            expr: shown(whole),
            verb,
            of: together(one.origins(), other.origins()),
            about,
        };
        match (&one, &other) {
            (Mark::Fixed { unit: a, of }, Mark::Fixed { unit: b, of: and }) => {
                if a.clashes(*b) {
                    self.walk.found(found(About::Known(*a, *b)));
                }
                Ok(Mark::Fixed { unit: a.narrower(*b), of: together(of, and) })
            }
            (Mark::ByRow { .. }, Mark::ByRow { .. } | Mark::Fixed { .. })
            | (Mark::Fixed { .. }, Mark::ByRow { .. }) => {
                let units = (one.unit(), other.unit());
                let is_told =
                    |unit: &Expr| !matches!(unit, Expr::Literal(value, _) if value.is_null());
                if units.0 != units.1 && is_told(&units.0) && is_told(&units.1) {
                    let mut only = self.only.clone();
                    only.extend([left, right].map(|side| side.clone().is_not_null()));
                    let input = Box::new(self.input.clone());
                    let about = About::Pair { input, units: Box::new(units), only };
                    self.walk.found(found(about));
                }
                Ok(if matches!(one, Mark::ByRow { .. }) { one } else { other })
            }
            _ => Ok(if one.is_free() { other } else { one }),
        }
    }

    fn product(&mut self, left: &Expr, op: Operator, right: &Expr) -> Result<Mark, SqlError> {
        let (one, other) = (self.of(left)?.of_value(), self.of(right)?.of_value());
        let is_share = |mark: &Mark| matches!(mark, Mark::Fixed { unit: Unit::Measure(m), .. } if m.dimension() == Dimension::Share);
        Ok(match (one.is_free(), other.is_free()) {
            (false, true) => self.scaled(one, op, right),
            (true, false) if op == Operator::Multiply => self.scaled(other, op, left),
            (false, false) if op == Operator::Multiply && is_share(&other) => one,
            (false, false) if op == Operator::Multiply && is_share(&one) => other,
            _ => Mark::Free,
        })
    }

    /// A value that something without a unit makes larger or smaller.
    fn scaled(&self, mark: Mark, op: Operator, by: &Expr) -> Mark {
        if by.column_refs().iter().any(|column| converts(&column.name)) {
            return Mark::Free;
        }
        let Some(factor) = number(by) else {
            // What a CASE over the codes picks is a rate.
            let picks = matches!(plain(by), Expr::Case(_) | Expr::ScalarSubquery(_));
            return if picks { Mark::Free } else { mark };
        };
        if factor.abs() == 1.0 {
            return mark;
        }
        match mark {
            Mark::Fixed { unit: Unit::Money { currency, minor: true }, of }
                if (op == Operator::Divide && factor == 100.0)
                    || (op == Operator::Multiply && factor == 0.01) =>
            {
                Mark::Fixed { unit: Unit::Money { currency, minor: false }, of }
            }
            Mark::Fixed { unit: Unit::Money { currency, minor: false }, of }
                if op == Operator::Multiply && factor == 100.0 && currency.is_some() =>
            {
                Mark::Fixed { unit: Unit::Money { currency, minor: true }, of }
            }
            Mark::Fixed { .. } => Mark::Free,
            _ if self.in_case => Mark::Free,
            mark => mark,
        }
    }

    fn case(&mut self, whole: &Expr, case: &Case) -> Result<Mark, SqlError> {
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
        Ok(chosen(whole, branches, otherwise))
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
        if CHOOSES.contains(&name) {
            let parts = function.args.iter().zip(marks);
            let branches =
                parts.map(|(argument, mark)| (argument.clone().is_not_null(), mark.of_value()));
            return Ok(chosen(whole, branches.collect(), Mark::Free));
        }
        Ok(Mark::Free)
    }
}

/// The mark of a value that is one of several, the first whose condition is true.
fn chosen(_: &Expr, branches: Vec<(Expr, Mark)>, otherwise: Mark) -> Mark {
    let all: Vec<&Mark> = branches.iter().map(|(_, mark)| mark).chain([&otherwise]).collect();
    let of = all.iter().fold(Vec::new(), |of, mark| together(&of, mark.origins()));
    if all.iter().all(|mark| mark.is_free()) {
        return Mark::Free;
    }
    if let Some(unit) = one_unit(&all) {
        return Mark::Fixed { unit, of };
    }
    let blended = blends(&all);
    let when_then_expr =
        branches.into_iter().map(|(when, mark)| (Box::new(when), Box::new(mark.unit()))).collect();
    let else_expr = Some(Box::new(otherwise.unit()));
    let unit = Expr::Case(Case { expr: None, when_then_expr, else_expr });
    Mark::ByRow { unit, of, blended }
}

/// The unit of marks that all have one or none.
pub(super) fn one_unit(marks: &[&Mark]) -> Option<Unit> {
    let mut found: Option<Unit> = None;
    for mark in marks.iter().filter(|mark| !mark.is_free()) {
        let Mark::Fixed { unit, .. } = mark else { return None };
        match found {
            Some(known) if known.clashes(*unit) => return None,
            Some(known) => found = Some(known.narrower(*unit)),
            None => found = Some(*unit),
        }
    }
    found
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

fn plain(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => plain(&alias.expr),
        Expr::Cast(cast) => plain(&cast.expr),
        other => other,
    }
}

/// A constant number.
fn number(expr: &Expr) -> Option<f64> {
    match plain(expr) {
        Expr::Literal(value, _) => value.to_string().parse().ok().or_else(|| decimal(value)),
        Expr::Negative(inner) => number(inner).map(|n| -n),
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let (left, right) = (number(left)?, number(right)?);
            match op {
                Operator::Plus => Some(left + right),
                Operator::Minus => Some(left - right),
                Operator::Multiply => Some(left * right),
                Operator::Divide => Some(left / right),
                _ => None,
            }
        }
        _ => None,
    }
}

fn decimal(value: &ScalarValue) -> Option<f64> {
    match value {
        ScalarValue::Decimal128(Some(digits), _, scale) => {
            #[allow(clippy::cast_precision_loss, reason = "only a few factors are looked for")]
            let digits = *digits as f64;
            Some(digits / 10f64.powi(i32::from(*scale)))
        }
        _ => None,
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
