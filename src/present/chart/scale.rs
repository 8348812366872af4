//! From a value to a place in pixels.

use super::look::{Span, SpanKind};

/// A side of the frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    pub kind: SpanKind,
    /// The value at `start`.
    pub lo: f64,
    /// The value at `end`.
    pub hi: f64,
    pub start: f64,
    pub end: f64,
}

/// How far outside of the frame a place may be said to be.
const FAR: f64 = 1e5;

impl Scale {
    /// Where a value is. What cannot be placed is at the start.
    pub fn at(&self, value: f64) -> f64 {
        let share = if self.kind == SpanKind::Log {
            if value <= 0.0 {
                return if self.end > self.start { self.start - FAR } else { self.start + FAR };
            }
            (value.log10() - self.lo.log10()) / (self.hi.log10() - self.lo.log10())
        } else {
            // Halves, since the width of a range may be more than a float holds.
            (value / 2.0 - self.lo / 2.0) / (self.hi / 2.0 - self.lo / 2.0)
        };
        let share = if share.is_finite() { share } else { 0.0 };
        (self.start + share * (self.end - self.start)).clamp(-FAR, FAR)
    }

    /// What the frame shows, from its left or its bottom.
    pub fn span(&self, upright: bool) -> Span {
        let (lo, hi) = (self.lo, self.hi);
        let down = upright && self.end > self.start;
        let (from, to) = if down { (hi, lo) } else { (lo, hi) };
        Span { kind: self.kind, from, to }
    }

    /// Whether a value lies in the range that is shown.
    pub fn shows(&self, value: f64) -> bool {
        value >= self.lo && value <= self.hi
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_where_they_should() {
        let even = |lo, hi| Scale { kind: SpanKind::Numbers, lo, hi, start: 100.0, end: 300.0 };
        for (lo, hi, value, wanted) in [
            (0.0, 10.0, 2.5, 150.0),
            (-1e300, 1e300, 0.0, 200.0),
            (-f64::MAX, f64::MAX, f64::MAX, 300.0),
            (0.0, 1e-300, 5e-301, 200.0),
        ] {
            assert!((even(lo, hi).at(value) - wanted).abs() < 1e-6, "{lo} {hi} {value}");
        }
        let log = Scale { kind: SpanKind::Log, lo: 1.0, hi: 100.0, start: 0.0, end: 200.0 };
        assert!((log.at(10.0) - 100.0).abs() < 1e-9);
        assert!(log.at(0.0) < -1000.0 && log.at(-3.0) < -1000.0);
    }
}
