//! Where values of a position stand, be it a category, a number or a moment.

use super::super::figure::Positions;
use super::super::format::{self, Around};
use super::super::frame::Domain;
use super::super::text;
use super::super::time::Grain;
use crate::units::Unit;

/// Positions, each with its middle and its room in the units of the axis.
pub(in super::super) struct Places<'a> {
    at: &'a Positions,
    grain: Grain,
    around: Around,
    /// The room of a bar.
    pub each: f64,
}

impl<'a> Places<'a> {
    pub fn new(at: &'a Positions, unit: Option<Unit>) -> Self {
        let grain = match at {
            Positions::Times(times) => Grain::of(times.iter().copied()),
            _ => Grain::Days,
        };
        let mut places = Self { at, grain, around: Around::alone(unit), each: 1.0 };
        let mut middles: Vec<f64> =
            (0..places.len()).map(|i| places.middle(i)).filter(|v| v.is_finite()).collect();
        middles.sort_by(f64::total_cmp);
        let gaps = middles.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.0);
        let least = gaps.fold(f64::INFINITY, f64::min);
        let alone = if matches!(at, Positions::Times(_)) { 86.4e9 } else { 1.0 };
        places.each = if least.is_finite() { least } else { alone };
        places
    }

    pub fn len(&self) -> usize {
        match self.at {
            Positions::Categories(names) => names.len(),
            Positions::Numbers(numbers) => numbers.len(),
            Positions::Times(times) => times.len(),
        }
    }

    pub fn middle(&self, i: usize) -> f64 {
        match self.at {
            Positions::Categories(_) => i as f64 + 0.5,
            Positions::Numbers(numbers) => numbers[i],
            Positions::Times(times) => times[i] as f64,
        }
    }

    /// What the position is called.
    pub fn name(&self, i: usize) -> String {
        match self.at {
            Positions::Categories(names) => text::label(&names[i]),
            Positions::Numbers(numbers) => format::exact(numbers[i], &self.around),
            Positions::Times(times) => self.grain.write(times[i]),
        }
    }

    /// The axis on which they stand; with room for a bar at both ends if `bars`.
    pub fn domain(&self, bars: bool, log: bool) -> Domain {
        let pad = if bars { self.each / 2.0 } else { 0.0 };
        let all = (0..self.len()).map(|i| self.middle(i)).filter(|v| v.is_finite());
        let all = all.filter(|v| !log || *v > 0.0);
        let (lo, hi) =
            all.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        let (lo, hi) = if lo <= hi { (lo, hi) } else { (0.0, 1.0) };
        let (lo, hi) = ((lo - pad).max(-f64::MAX), (hi + pad).min(f64::MAX));
        match self.at {
            Positions::Categories(names) => Domain::Categories(names.clone()),
            Positions::Numbers(_) if log && lo > 0.0 => Domain::Log { lo, hi },
            Positions::Numbers(numbers) => {
                let whole = numbers.iter().all(|v| v.fract() == 0.0);
                Domain::Numbers { lo, hi, whole, share: false }
            }
            Positions::Times(_) => Domain::Times { lo, hi, grain: self.grain },
        }
    }
}

/// The range of some values; nothing if there are none.
pub(in super::super) fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, v| match range {
        None => Some((v, v)),
        Some((lo, hi)) => Some((lo.min(v), hi.max(v))),
    })
}

/// The axis of values with such a range.
pub(in super::super) fn values(
    range: Option<(f64, f64)>,
    log: bool,
    zero: bool,
    whole: bool,
) -> Domain {
    let (lo, hi) = range.unwrap_or((0.0, 1.0));
    if log && lo > 0.0 {
        return Domain::Log { lo, hi };
    }
    let (lo, hi) = if zero { (lo.min(0.0), hi.max(0.0)) } else { (lo, hi) };
    Domain::Numbers { lo, hi, whole, share: false }
}

/// Values that can be drawn, and how many cannot: what is not finite, and what a logarithm
/// does not know.
pub(in super::super) fn usable(
    values: &[Option<f64>],
    log: bool,
) -> (Vec<Option<f64>>, usize, usize) {
    let (mut infinite, mut not_positive) = (0, 0);
    let look = |value: &Option<f64>| {
        let value = (*value)?;
        if !value.is_finite() {
            infinite += 1;
            return None;
        }
        if log && value <= 0.0 {
            not_positive += 1;
            return None;
        }
        Some(value)
    };
    let usable = values.iter().map(look).collect();
    (usable, infinite, not_positive)
}
