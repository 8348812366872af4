//! Sums of floating-point numbers over a moving window, rounded once.
//!
//! A sum is kept as a whole number of the smallest steps that a double can make
//! (2^-1074): long enough for every double, so that what entered can be taken away again
//! to the last digit (Kulisch, *Computer Arithmetic and Validity*, 8.2, after a suggestion
//! of 1971). NaN and infinities are counted beside it. The result is the exact sum of the
//! frame, rounded to the nearest double, whatever was in the frames before.

use arrow::array::{ArrayRef, AsArray as _};
use arrow::datatypes::Float64Type;
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::Accumulator;

/// Digits of 32 bits: 2,098 bits for every double, and room for 2^64 of them.
const DIGITS: usize = 68;
/// Additions until carries are passed on: each adds less than 2^32 to a digit of 63 bits.
const CARRY_AFTER: u32 = 1 << 30;
const LOW: i64 = 0xffff_ffff;

/// An exact sum.
#[derive(Debug, Clone)]
struct Exact {
    /// The lowest first. They may be negative and hold more than 32 bits until carried.
    digits: [i64; DIGITS],
    /// The digits that are not 0 are from the first to the second of these.
    low: usize,
    high: usize,
    since_carry: u32,
}

impl Exact {
    fn new() -> Self {
        Self { digits: [0; DIGITS], low: DIGITS - 1, high: 0, since_carry: 0 }
    }

    /// Adds or, with `sign` -1, takes away a finite number.
    fn add(&mut self, value: f64, sign: i64) {
        if self.since_carry == CARRY_AFTER {
            self.carry();
        }
        self.since_carry += 1;
        let sign = if value.is_sign_negative() { -sign } else { sign };
        let bits = value.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as usize;
        let fraction = bits & ((1 << 52) - 1);
        // Of numbers below 2^-1022 the leading 1 is not implied.
        let (mantissa, place) =
            if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 52, exponent - 1) };
        let shifted = u128::from(mantissa) << (place % 32);
        for digit in 0..3 {
            let part = (shifted >> (32 * digit)) as i64 & LOW;
            self.digits[place / 32 + digit] += sign * part;
        }
        self.low = self.low.min(place / 32);
        self.high = self.high.max(place / 32 + 2);
    }

    /// Makes every digit but the highest one of 32 bits and not negative, and that one small.
    fn carry(&mut self) {
        let mut at = self.low;
        while at < self.high || (self.digits[at] >> 31 != 0 && self.digits[at] >> 31 != -1) {
            let carried = self.digits[at] >> 32;
            self.digits[at] &= LOW;
            at += 1;
            self.digits[at] += carried;
        }
        self.high = self.high.max(at);
        self.since_carry = 0;
    }

    /// The nearest double.
    fn rounded(&mut self) -> f64 {
        self.carry();
        if self.digits[self.high] >= 0 {
            return self.magnitude();
        }
        let mut negated = self.clone();
        for digit in &mut negated.digits[self.low..=self.high] {
            *digit = -*digit;
        }
        negated.carry();
        -negated.magnitude()
    }

    /// A carried number that is not negative, to the nearest double, ties to even.
    fn magnitude(&self) -> f64 {
        let digits = &self.digits[..=self.high];
        let Some(top) = digits.iter().rposition(|digit| *digit != 0) else { return 0.0 };
        let digit = |below: usize| top.checked_sub(below).map_or(0, |at| digits[at] as u128);
        let leading = digit(0) << 64 | digit(1) << 32 | digit(2);
        let length = 128 - leading.leading_zeros() as usize;
        // Below 2^53 smallest steps the steps are the bits of the double.
        if top * 32 + length <= 64 + 53 {
            return f64::from_bits((leading >> (64 - 32 * top)) as u64);
        }
        // Steps of the result, in the bits of `leading` and in smallest steps.
        let shift = length - 53;
        let cut = top * 32 + shift - 64;
        if cut >= 2046 {
            return f64::INFINITY;
        }
        let mantissa = (leading >> shift) as u64;
        let half = leading >> (shift - 1) & 1 == 1;
        let more = leading & ((1 << (shift - 1)) - 1) != 0
            || digits[..top.saturating_sub(2)].iter().any(|digit| *digit != 0);
        let up = half && (more || mantissa & 1 == 1);
        // The leading 1 of the mantissa adds one to the exponent; so does a carry into it.
        f64::from_bits(((cut as u64) << 52) + mantissa + u64::from(up))
    }
}

/// `sum` or `avg` of a frame.
#[derive(Debug)]
pub(super) struct FloatFrame {
    average: bool,
    finite: Exact,
    count: u64,
    nans: u64,
    infinities: [u64; 2],
}

impl FloatFrame {
    pub(super) fn sum() -> Self {
        Self { average: false, finite: Exact::new(), count: 0, nans: 0, infinities: [0; 2] }
    }

    pub(super) fn avg() -> Self {
        Self { average: true, ..Self::sum() }
    }

    fn each(&mut self, values: &ArrayRef, sign: i64) {
        let step = |count: &mut u64| *count = count.wrapping_add_signed(sign);
        for value in values.as_primitive::<Float64Type>().iter().flatten() {
            step(&mut self.count);
            if value.is_finite() {
                self.finite.add(value, sign);
            } else if value.is_nan() {
                step(&mut self.nans);
            } else {
                step(&mut self.infinities[usize::from(value < 0.0)]);
            }
        }
    }

    fn total(&mut self) -> f64 {
        match (self.nans, self.infinities) {
            (0, [0, 0]) => self.finite.rounded(),
            (0, [_, 0]) => f64::INFINITY,
            (0, [0, _]) => f64::NEG_INFINITY,
            _ => f64::NAN,
        }
    }
}

impl Accumulator for FloatFrame {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.each(&values[0], 1);
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.each(&values[0], -1);
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let count = self.count;
        let total = (count > 0).then(|| self.total());
        Ok(ScalarValue::Float64(if self.average {
            total.map(|total| total / count as f64)
        } else {
            total
        }))
    }

    fn size(&self) -> usize {
        size_of::<Self>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        internal_err!("a frame's sum is not part of another")
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        internal_err!("a frame's sum is not made of others")
    }
}
