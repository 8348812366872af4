//! Where an axis of numbers has its ticks: exact decimals, 1, 2, 2.5 or 5 of a power of ten
//! apart.
//!
//! A tick is counted in integers, so that it is written as what it is: no sum of tenths that
//! is 0.30000000000000004, and nothing that a machine's logarithm could change.

/// A decimal: digits times a power of ten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    pub digits: i64,
    pub exp: i32,
}

impl Decimal {
    pub fn new(digits: i64, exp: i32) -> Self {
        let mut decimal = Self { digits, exp };
        while decimal.digits != 0 && decimal.digits % 10 == 0 {
            decimal = Self { digits: decimal.digits / 10, exp: decimal.exp + 1 };
        }
        if decimal.digits == 0 { Self { digits: 0, exp: 0 } } else { decimal }
    }

    /// The nearest float.
    pub fn value(self) -> f64 {
        format!("{}e{}", self.digits, self.exp).parse().unwrap_or(f64::MAX)
    }

    /// The power of ten of its first digit.
    pub fn magnitude(self) -> i32 {
        self.exp + self.digits.unsigned_abs().checked_ilog10().unwrap_or(0) as i32
    }
}

/// A positive number as `m` times ten to the power of `e`, with `m` from 1 to 10.
pub(super) fn decade(value: f64) -> (f64, i32) {
    let text = format!("{:e}", value.abs());
    let (mantissa, exp) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.parse().unwrap_or(1.0), exp.parse().unwrap_or(0))
}

/// Ticks, and what of the axis they ask for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ticks {
    pub at: Vec<Decimal>,
    pub lo: f64,
    pub hi: f64,
}

/// A range that has some width, around one that may have none.
pub(super) fn widened(lo: f64, hi: f64) -> (f64, f64) {
    let size = lo.abs().max(hi.abs());
    let least = size * 1e-9;
    if hi / 2.0 - lo / 2.0 > least / 2.0 && (hi / 2.0 - lo / 2.0) >= 1e-305 {
        return (lo, hi);
    }
    if size < 1e-304 {
        return (0.0, 1.0);
    }
    let pad = size / 10.0;
    ((lo - pad).max(-f64::MAX), (hi + pad).min(f64::MAX))
}

/// What lies between ticks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish {
    /// How many at most; at least two are given.
    pub most: usize,
    /// Whether the axis ends at ticks.
    pub nice: bool,
    /// Whether there is nothing between whole numbers.
    pub whole: bool,
}

/// Ticks of an even axis.
pub(super) fn linear(lo: f64, hi: f64, wish: Wish) -> Ticks {
    let (lo, hi) = widened(lo, hi);
    let raw = (hi / 2.0 - lo / 2.0) / wish.most.max(2) as f64 * 2.0;
    let (mantissa, exp) = decade(raw);
    let (mut step, mut exp) = match mantissa {
        m if m <= 1.0 => (10, exp - 1),
        m if m <= 2.0 => (20, exp - 1),
        m if m <= 2.5 => (25, exp - 1),
        m if m <= 5.0 => (50, exp - 1),
        _ => (10, exp),
    };
    if wish.whole && (exp < -1 || (step == 25 && exp == -1)) {
        (step, exp) = if exp < -1 { (10, -1) } else { (50, -1) };
    }
    let width = Decimal::new(step, exp).value();
    let index = |value: f64, up: bool| {
        let exact = value / width;
        let near = exact.round();
        // What is within a billionth of a tick is at it.
        if (exact - near).abs() < 1e-9 * near.abs().max(1.0) {
            return near as i64;
        }
        (if up { exact.ceil() } else { exact.floor() }) as i64
    };
    let (first, last) = if wish.nice {
        (index(lo, false), index(hi, true))
    } else {
        (index(lo, true), index(hi, false))
    };
    let tick = |i: i64| Decimal::new(i.saturating_mul(step), exp);
    let at: Vec<Decimal> =
        (first..=last).take(200).map(tick).filter(|tick| tick.value().is_finite()).collect();
    let edge = |i: i64| tick(i).value();
    let (low, high) = (edge(first), edge(last));
    let lo = if wish.nice && low.is_finite() { low.min(lo) } else { lo };
    let hi = if wish.nice && high.is_finite() { high.max(hi) } else { hi };
    Ticks { at, lo, hi }
}

/// Ticks of a logarithmic axis; both ends are positive.
pub(super) fn logarithmic(lo: f64, hi: f64, wish: Wish) -> Ticks {
    let lo = lo.max(1e-307);
    let hi = hi.max(lo);
    let (low, high) = (decade(lo).1, decade(hi).1);
    let decades = (high - low) as usize + 1;
    let parts: &[i64] = match decades {
        1 => &[1, 2, 3, 4, 5, 6, 7, 8, 9],
        2 | 3 if decades * 3 <= wish.most + 3 => &[1, 2, 5],
        _ => &[1],
    };
    let every = (decades.div_ceil(wish.most.max(2))) as i32;
    let all: Vec<Decimal> = (low..=high + every)
        .filter(|exp| exp.rem_euclid(every) == 0 || parts.len() > 1)
        .flat_map(|exp| parts.iter().map(move |part| Decimal::new(*part, exp)))
        .filter(|tick| tick.value().is_finite())
        .collect();
    let below = Decimal::new(1, low.div_euclid(every) * every);
    let first = all.iter().rev().copied().find(|tick| tick.value() <= lo).unwrap_or(below);
    let last = all.iter().copied().find(|tick| tick.value() >= hi);
    let (mut from, mut to) = (lo, hi);
    if wish.nice {
        from = first.value().max(1e-307).min(lo);
        to = last.map_or(hi, Decimal::value);
        if from == to {
            (from, to) = (Decimal::new(1, low).value().min(lo / 2.0), hi * 2.0);
        }
    }
    let mut at: Vec<Decimal> = all;
    at.retain(|tick| (from..=to).contains(&tick.value()));
    if wish.nice && !at.iter().any(|tick| tick.value() == from) && first.value() == from {
        at.insert(0, first);
    }
    Ticks { at, lo: from, hi: to }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WISH: Wish = Wish { most: 6, nice: true, whole: false };

    fn values(ticks: &Ticks) -> Vec<f64> {
        ticks.at.iter().map(|tick| tick.value()).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(values(&linear(0.0, 97.0, WISH)), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(values(&linear(0.0, 0.3, WISH)), [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]);
        assert_eq!(values(&linear(-3.0, 9.0, WISH)), [-4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        let whole = Wish { whole: true, ..WISH };
        assert_eq!(values(&linear(0.0, 3.0, whole)), [0.0, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn ticks_ascend_and_hold_the_range_at_any_size() {
        let ranges = [
            (0.0, 0.0),
            (5.0, 5.0),
            (-1e300, 1e300),
            (-f64::MAX, f64::MAX),
            (0.0, 1e-300),
            (1e-300, 2e-300),
            (0.0, 5e-324),
            (1e15, 1e15 + 1.0),
            (-7.0, -2.0),
            (f64::MAX, f64::MAX),
        ];
        for (lo, hi) in ranges {
            for most in [2, 5, 10] {
                let ticks = linear(lo, hi, Wish { most, ..WISH });
                let at = values(&ticks);
                assert!(at.len() >= 2, "{lo} {hi}: {ticks:?}");
                assert!(at.windows(2).all(|pair| pair[0] < pair[1]), "{lo} {hi}: {at:?}");
                assert!(ticks.lo <= lo && ticks.hi >= hi && ticks.lo < ticks.hi, "{ticks:?}");
                assert!(at.len() <= most + 3, "{lo} {hi} {most}: {at:?}");
            }
        }
    }

    #[test]
    fn logarithmic_ticks_are_powers() {
        assert_eq!(values(&logarithmic(2.0, 40_000.0, WISH)), [1.0, 10.0, 100.0, 1e3, 1e4, 1e5]);
        for (lo, hi) in [(1e-300, 1e300), (5.0, 5.0), (1.0, 1.0), (0.02, 0.9), (3.0, 4e8)] {
            let ticks = logarithmic(lo, hi, WISH);
            let at = values(&ticks);
            assert!(at.windows(2).all(|pair| pair[0] < pair[1]), "{at:?}");
            assert!(!at.is_empty() && at.len() <= 12, "{lo} {hi}: {at:?}");
            assert!(ticks.lo <= lo && ticks.hi >= hi && ticks.lo < ticks.hi, "{ticks:?}");
        }
    }
}
