//! What must agree, and what a product or a quotient is of.
//!
//! | expression | unit |
//! |---|---|
//! | `a + b`, `a < b`, … | the two must agree |
//! | `a * rate` | none: it is converted. A rate is known by its name, or as a quotient of two currencies, or is what a CASE or a subquery gives |
//! | `a * 1.08` | `a`'s, times 1.08 |
//! | `a * qty` | `a`'s |
//! | `price_usd * weight_kg`, `price_usd / weight_kg` | USD, of something |
//! | `weight_kg * distance_km`, `price_eur / price_usd` | none |
//!
//! A constant is a rate, a tax or a share, and nothing in it says which. Where the two units
//! have a factor (pounds and kilograms, cents and euros) the constant is it or is not. Where
//! they have none (two currencies) nobody can tell, and the refusal names both readings.

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

use super::expr::{Reader, plain};
use super::finding::{About, Finding, Verb};
use super::mark::{Mark, together};
use crate::sql::error::SqlError;
use crate::sql::warn::shown;
use crate::units::{Dimension, Measure, Unit, converts, is_money};

/// How far a constant may be from the factor that it is: `2.2` for 2.20462.
const NEAR: f64 = 0.01;

impl Reader<'_, '_> {
    /// Two values that must be of one unit; the unit of what is made of them.
    pub(super) fn agree(
        &mut self,
        whole: &Expr,
        verb: Verb,
        left: &Expr,
        right: &Expr,
    ) -> Result<Mark, SqlError> {
        let (one, other) = (self.of(left)?.of_value(), self.of(right)?.of_value());
        self.agree_marks(whole, verb, (left, one), (right, other))
    }

    /// Arguments all of which must be of one unit.
    pub(super) fn all_agree(
        &mut self,
        whole: &Expr,
        args: &[Expr],
        marks: Vec<Mark>,
    ) -> Result<Mark, SqlError> {
        let mut known: Option<(&Expr, Mark)> = None;
        for (arg, mark) in args.iter().zip(marks) {
            let mark = mark.of_value();
            known = Some(match known {
                None => (arg, mark),
                Some((_, before)) if before.is_free() => (arg, mark),
                Some((first, before)) => {
                    (first, self.agree_marks(whole, Verb::Compares, (first, before), (arg, mark))?)
                }
            });
        }
        Ok(known.map_or(Mark::Free, |(_, mark)| mark))
    }

    /// The same of values whose marks are known.
    pub(super) fn agree_marks(
        &mut self,
        whole: &Expr,
        verb: Verb,
        (left, one): (&Expr, Mark),
        (right, other): (&Expr, Mark),
    ) -> Result<Mark, SqlError> {
        let found = |about| Finding {
            expr: shown(whole),
            verb,
            of: together(one.origins(), other.origins()),
            about,
        };
        match (&one, &other) {
            (Mark::Fixed { unit: a, by, of }, Mark::Fixed { unit: b, by: and_by, of: and }) => {
                let of = together(of, and);
                if !a.clashes(*b) {
                    return Ok(Mark::Fixed { unit: a.narrower(*b), by: by.or(*and_by), of });
                }
                match met((*a, *by), (*b, *and_by)) {
                    Met::Converted => {}
                    Met::Unclear => self.walk.found(found(About::Unclear(*a, *b))),
                    Met::Clash => self.walk.found(found(About::Known(*a, *b))),
                }
                // What is multiplied has become what it was put together with.
                let (unit, by) = if by.is_some() { (*b, *and_by) } else { (*a, None) };
                Ok(Mark::Fixed { unit, by, of })
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

    pub(super) fn product(
        &mut self,
        left: &Expr,
        op: Operator,
        right: &Expr,
    ) -> Result<Mark, SqlError> {
        let (one, other) = (self.of(left)?.of_value(), self.of(right)?.of_value());
        let times = op == Operator::Multiply;
        match (one.is_free(), other.is_free()) {
            (false, true) => self.scaled(one, op, right),
            (true, false) if times => self.scaled(other, op, left),
            (false, false) if times && has(&other, is_share) => Ok(one),
            (false, false) if times && has(&one, is_share) => Ok(other),
            // A price of a kilogram, or for each.
            (false, false) if pays(&one) && has(&other, is_measure) => Ok(one),
            (false, false) if times && pays(&other) && has(&one, is_measure) => Ok(other),
            _ => Ok(Mark::Free),
        }
    }

    /// A value that something without a unit makes larger or smaller.
    fn scaled(&mut self, mark: Mark, op: Operator, by: &Expr) -> Result<Mark, SqlError> {
        if by.column_refs().iter().any(|column| converts(&column.name)) || self.is_rate(by)? {
            return Ok(Mark::Free);
        }
        let Some(factor) = number(by) else { return Ok(mark) };
        if factor.abs() == 1.0 || factor == 0.0 {
            return Ok(mark);
        }
        let factor = if op == Operator::Divide { 1.0 / factor } else { factor };
        Ok(match mark {
            Mark::Fixed { unit: Unit::Money { currency, minor: true }, by: None, of }
                if is_near(factor, 0.01) =>
            {
                Mark::Fixed { unit: Unit::Money { currency, minor: false }, by: None, of }
            }
            Mark::Fixed { unit: Unit::Money { currency, minor: false }, by: None, of }
                if is_near(factor, 100.0) && currency.is_some() =>
            {
                Mark::Fixed { unit: Unit::Money { currency, minor: true }, by: None, of }
            }
            Mark::Fixed { unit, by, of } => {
                Mark::Fixed { unit, by: Some(by.unwrap_or(1.0) * factor), of }
            }
            _ if self.in_case => Mark::Free,
            mark => mark,
        })
    }

    /// Whether it is a rate without a name: what a CASE over the codes picks, what a subquery
    /// gives, a quotient of two currencies.
    fn is_rate(&mut self, by: &Expr) -> Result<bool, SqlError> {
        let by = plain(by);
        if let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Divide, right }) = by {
            let (one, other) = (self.of(left)?.fixed(), self.of(right)?.fixed());
            return Ok(matches!((one, other), (Some(one), Some(other)) if one.clashes(other)));
        }
        Ok(matches!(by, Expr::Case(_) | Expr::ScalarSubquery(_)))
    }
}

/// What two units that clash are, if one is or both are multiplied by a constant.
enum Met {
    Converted,
    Unclear,
    Clash,
}

fn met(one: (Unit, Option<f64>), other: (Unit, Option<f64>)) -> Met {
    if one.1.is_none() && other.1.is_none() {
        return Met::Clash;
    }
    let (by, and_by) = (one.1.unwrap_or(1.0), other.1.unwrap_or(1.0));
    let factor = match (one.0, other.0) {
        (Unit::Measure(from), Unit::Measure(to)) => {
            one.0.factor_to(other.0).or_else(|| degrees(from, to))
        }
        _ => one.0.factor_to(other.0),
    };
    match factor {
        // The one has become the other, or both have become a third.
        Some(factor) => {
            let is_it = [by, 1.0 / and_by, by / and_by].iter().any(|by| is_near(*by, factor));
            if is_it { Met::Converted } else { Met::Clash }
        }
        None if one.0.is_money() && other.0.is_money() => Met::Unclear,
        None => Met::Clash,
    }
}

/// What a degree of one scale is in another.
fn degrees(from: Measure, to: Measure) -> Option<f64> {
    match (from, to) {
        (Measure::Fahrenheit, Measure::Celsius) => Some(5.0 / 9.0),
        (Measure::Celsius, Measure::Fahrenheit) => Some(9.0 / 5.0),
        _ => None,
    }
}

fn is_near(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < NEAR
}

fn has(mark: &Mark, is: impl Fn(Measure) -> bool) -> bool {
    matches!(mark, Mark::Fixed { unit: Unit::Measure(measure), .. } if is(*measure))
}

fn is_share(measure: Measure) -> bool {
    measure.dimension() == Dimension::Share
}

fn is_measure(measure: Measure) -> bool {
    !is_share(measure)
}

/// Whether it is a sum of money, of one currency or row by row.
fn pays(mark: &Mark) -> bool {
    match mark {
        Mark::Fixed { unit, .. } => unit.is_money(),
        Mark::ByRow { of, .. } => of.iter().all(|origin| is_money(&origin.column)),
        Mark::Free | Mark::Tells { .. } => false,
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
