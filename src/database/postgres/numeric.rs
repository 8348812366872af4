//! A `numeric` as it arrives: digits in base 10,000, and where the point is.

use arrow::datatypes::i256;

/// Why a value has no place in a decimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misfit {
    /// `NaN`.
    NotANumber,
    /// `Infinity`, or `-Infinity`.
    Infinite,
    /// More digits behind the point than the scale.
    Scale,
    /// More digits in all.
    Digits,
    /// Not what a numeric looks like.
    Broken,
}

impl Misfit {
    /// In words, after "a value".
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::NotANumber => "that is NaN, which no decimal can be",
            Self::Infinite => "that is infinite, which no decimal can be",
            Self::Scale => "with more decimals than the column can have here",
            Self::Digits => "with more digits than the column can have here",
            Self::Broken => "that does not look like a numeric",
        }
    }
}

/// The parts of a value.
struct Parts<'a> {
    negative: bool,
    /// The power of 10,000 of the first digit.
    weight: i32,
    digits: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(raw: &'a [u8]) -> Result<Self, Misfit> {
        let [c0, c1, w0, w1, s0, s1, _, _, digits @ ..] = raw else { return Err(Misfit::Broken) };
        let negative = match u16::from_be_bytes([*s0, *s1]) {
            0x0000 => false,
            0x4000 => true,
            0xc000 => return Err(Misfit::NotANumber),
            0xd000 | 0xf000 => return Err(Misfit::Infinite),
            _ => return Err(Misfit::Broken),
        };
        if digits.len() != usize::from(u16::from_be_bytes([*c0, *c1])) * 2 {
            return Err(Misfit::Broken);
        }
        Ok(Self { negative, weight: i32::from(i16::from_be_bytes([*w0, *w1])), digits })
    }

    /// Each digit of base 10,000 with the power of ten by which it counts at this scale.
    fn digits(&self, scale: i8) -> impl Iterator<Item = (u16, i32)> + '_ {
        let first = self.weight * 4 + i32::from(scale);
        let digits = self.digits.chunks_exact(2).map(|two| u16::from_be_bytes([two[0], two[1]]));
        digits.zip((0..).map(move |place| first - place * 4))
    }
}

/// A digit below the last place: the part of it that counts.
fn below(digit: u16, power: i32) -> Result<u16, Misfit> {
    let by = match power {
        -3 => 1_000,
        -2 => 100,
        -1 => 10,
        _ if digit == 0 => return Ok(0),
        _ => return Err(Misfit::Scale),
    };
    match digit % by {
        0 => Ok(digit / by),
        _ => Err(Misfit::Scale),
    }
}

const TENS: [i128; 39] = {
    let mut tens = [1_i128; 39];
    let mut at = 1;
    while at < 39 {
        tens[at] = tens[at - 1] * 10;
        at += 1;
    }
    tens
};

/// The value times 10^`scale`, if it has at most `digits` digits.
pub(super) fn to_i128(raw: &[u8], digits: u8, scale: i8) -> Result<i128, Misfit> {
    let parts = Parts::of(raw)?;
    let mut sum = 0_i128;
    for (digit, power) in parts.digits(scale) {
        let part = match usize::try_from(power) {
            Ok(power) if digit != 0 => {
                let ten = TENS.get(power).ok_or(Misfit::Digits)?;
                ten.checked_mul(i128::from(digit)).ok_or(Misfit::Digits)?
            }
            Ok(_) => 0,
            Err(_) => i128::from(below(digit, power)?),
        };
        sum = sum.checked_add(part).ok_or(Misfit::Digits)?;
    }
    if TENS.get(usize::from(digits)).is_some_and(|most| sum >= *most) {
        return Err(Misfit::Digits);
    }
    Ok(if parts.negative { -sum } else { sum })
}

/// The same in 256 bits.
pub(super) fn to_i256(raw: &[u8], digits: u8, scale: i8) -> Result<i256, Misfit> {
    let parts = Parts::of(raw)?;
    let ten = |power: u32| i256::from_i128(10).checked_pow(power).ok_or(Misfit::Digits);
    let mut sum = i256::ZERO;
    for (digit, power) in parts.digits(scale) {
        let part = match u32::try_from(power) {
            Ok(power) if digit != 0 => {
                let digit = i256::from_i128(i128::from(digit));
                ten(power)?.checked_mul(digit).ok_or(Misfit::Digits)?
            }
            Ok(_) => i256::ZERO,
            Err(_) => i256::from_i128(i128::from(below(digit, power)?)),
        };
        sum = sum.checked_add(part).ok_or(Misfit::Digits)?;
    }
    if sum >= ten(u32::from(digits))? {
        return Err(Misfit::Digits);
    }
    if parts.negative { sum.checked_neg().ok_or(Misfit::Digits) } else { Ok(sum) }
}

/// The digits that a value has before and behind its point; of what is no number, none.
pub(super) fn extent(raw: &[u8]) -> (u16, u16) {
    let [_, _, w0, w1, s0, _, d0, d1, first @ ..] = raw else { return (0, 0) };
    if *s0 >= 0xc0 {
        return (0, 0);
    }
    let behind = u16::from_be_bytes([*d0, *d1]);
    let weight = i16::from_be_bytes([*w0, *w1]);
    let before = match (u16::try_from(weight), first) {
        (Ok(weight), [high, low, ..]) => {
            let leading = u16::from_be_bytes([*high, *low]).checked_ilog10().unwrap_or(0);
            weight.saturating_mul(4).saturating_add(u16::try_from(leading + 1).unwrap_or(4))
        }
        _ => 0,
    };
    (before, behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value as the server takes it: `unscaled` × 10^-`scale`.
    pub(super) fn to_wire(unscaled: i128, scale: i8) -> Vec<u8> {
        // Filled up with zeros until the last digit of base 10,000 is whole.
        let behind = i32::from(scale.max(0));
        let fill = (4 - behind % 4) % 4;
        let mut digits: Vec<u16> = Vec::new();
        // The digits by ten, the last first.
        let mut tens: Vec<u8> =
            vec![0; usize::try_from(fill - i32::from(scale.min(0))).unwrap_or(0)];
        let mut left = unscaled.unsigned_abs();
        while left > 0 {
            tens.push(u8::try_from(left % 10).unwrap_or(0));
            left /= 10;
        }
        for four in tens.chunks(4) {
            digits.push(four.iter().rev().fold(0, |sum, ten| sum * 10 + u16::from(*ten)));
        }
        digits.reverse();
        let before = i32::try_from(digits.len()).unwrap_or(0) - (behind + fill) / 4;
        let mut wire = Vec::with_capacity(8 + digits.len() * 2);
        let count = u16::try_from(digits.len()).unwrap_or(0);
        wire.extend(count.to_be_bytes());
        wire.extend(i16::try_from(before - 1).unwrap_or(0).to_be_bytes());
        wire.extend(if unscaled < 0 { 0x4000_u16 } else { 0 }.to_be_bytes());
        wire.extend(u16::try_from(behind).unwrap_or(0).to_be_bytes());
        digits.iter().for_each(|digit| wire.extend(digit.to_be_bytes()));
        wire
    }

    #[test]
    fn what_is_sent_is_what_comes_back() {
        for (unscaled, scale) in [
            (0, 0),
            (1, 0),
            (-1, 4),
            (12_345, 2),
            (-99_999_999, 7),
            (10_000, 0),
            (i128::from(i64::MAX), 10),
            (TENS[38] - 1, 38),
            (-(TENS[38] - 1), 0),
        ] {
            let wire = to_wire(unscaled, scale);
            assert_eq!(to_i128(&wire, 38, scale), Ok(unscaled), "{unscaled} {scale}");
            assert_eq!(to_i256(&wire, 76, scale), Ok(i256::from_i128(unscaled)));
        }
    }

    #[test]
    fn the_extent_of_a_value_is_known_before_it_is_read() {
        for (unscaled, scale, expected) in
            [(0, 0, (0, 0)), (12_345, 2, (3, 2)), (1, 4, (0, 4)), (99_999, 0, (5, 0))]
        {
            assert_eq!(extent(&to_wire(unscaled, scale)), expected, "{unscaled} {scale}");
        }
        assert_eq!(extent(&[0, 0, 0, 0, 0xc0, 0, 0, 9]), (0, 0));
    }

    #[test]
    fn what_does_not_fit_is_no_other_number() {
        let wire = to_wire(12_345, 3);
        assert_eq!(to_i128(&wire, 38, 2), Err(Misfit::Scale));
        assert_eq!(to_i128(&wire, 38, 5), Ok(1_234_500));
        assert_eq!(to_i128(&wire, 4, 3), Err(Misfit::Digits));
        assert_eq!(to_i128(&[0, 0, 0, 0, 0xc0, 0, 0, 0], 38, 2), Err(Misfit::NotANumber));
        assert_eq!(to_i128(&[0, 0, 0, 0, 0xd0, 0, 0, 0], 38, 2), Err(Misfit::Infinite));
        assert_eq!(to_i128(&[0, 1, 0, 0, 0, 0, 0, 0], 38, 2), Err(Misfit::Broken));
    }
}
