//! Cells in the form in which programs write numbers, dates and times, read quickly.
//!
//! What each of these functions gives is what [`classify`](super::cell::classify) gives, to
//! the bit; of all other forms they say nothing, and `classify` is asked. The tests hold the
//! one against the other.

use super::block::Tail;
use super::cell::Moment;

/// Digits that a float holds, whichever they are.
const EXACT: usize = 15;

/// Powers of ten, all of which a float holds.
const TENS: [f64; EXACT + 1] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// The digit that a byte is, or more than nine.
#[inline]
fn digit(byte: u8) -> u64 {
    u64::from(byte.wrapping_sub(b'0'))
}

#[inline]
fn unsigned(cell: &[u8]) -> (bool, &[u8]) {
    match cell {
        [b'-', digits @ ..] => (true, digits),
        _ => (false, cell),
    }
}

const HIGH: u64 = 0x8080_8080_8080_8080;
const LOW: u64 = 0x0101_0101_0101_0101;

/// The bytes above nine have their highest bit set; where none has, all bits are right.
#[inline]
fn above_nine(digits: u64) -> u64 {
    (digits.wrapping_add(0x76 * LOW) | digits) & HIGH
}

/// The number that the last `length` bytes write in digits, at most eight.
#[inline]
fn eight_digits(tail: u64, length: usize) -> Option<u64> {
    let digits = (tail ^ (0x30 * LOW)) & (u64::MAX << (64 - 8 * length));
    if above_nine(digits) != 0 {
        return None;
    }
    // Neighbours are joined: two digits in each pair of bytes, then four, then all.
    let twos = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let mask = 0x0000_00FF_0000_00FF;
    let fours = (twos & mask).wrapping_mul(100 + (1_000_000 << 32));
    let others = (twos >> 16 & mask).wrapping_mul(1 + (10_000 << 32));
    Some(fours.wrapping_add(others) >> 32)
}

#[inline]
fn one_by_one<'d>(mut digits: impl Iterator<Item = &'d u8>) -> Option<u64> {
    digits.try_fold(0, |value, byte| {
        let digit = digit(*byte);
        (digit <= 9).then_some(value * 10 + digit)
    })
}

/// A whole number that a float holds, too.
#[inline(always)]
pub(super) fn whole(cell: &[u8], tail: Tail) -> Option<i64> {
    let (negative, digits) = unsigned(cell);
    if digits.is_empty() || digits.len() > EXACT || (digits[0] == b'0' && cell.len() > 1) {
        return None;
    }
    let value = match digits.len() {
        length @ 1..=8 => eight_digits(tail.0, length)?,
        _ => one_by_one(digits.iter())?,
    };
    let value = value.cast_signed();
    Some(if negative { -value } else { value })
}

/// A number with a dot and digits on both sides of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decimal {
    pub value: f64,
    /// All digits; those that count may be fewer.
    pub written: usize,
    pub grouped: bool,
}

/// A decimal number.
#[inline]
pub(super) fn decimal(cell: &[u8], tail: Tail) -> Option<Decimal> {
    let (negative, digits) = unsigned(cell);
    if digits.len() > EXACT + 1 || digits.len() < 3 {
        return None;
    }
    let (value, dot) = match digits.len() {
        length @ 3..=8 => without_dot(tail.0, length)?,
        _ => without_dot_of_many(digits)?,
    };
    let places = digits.len() - dot - 1;
    if dot == 0 || places == 0 || (dot > 1 && digits[0] == b'0') {
        return None;
    }
    // Both are held exactly, so that this one division rounds as reading all digits would.
    #[allow(clippy::cast_precision_loss, reason = "it has at most fifteen digits")]
    let value = value as f64 / TENS[places];
    let grouped = dot <= 3 && places == 3 && digits[0] != b'0';
    Some(Decimal {
        value: if negative { -value } else { value },
        written: digits.len() - 1,
        grouped,
    })
}

/// The last `length` bytes as digits but for one dot, and where that is.
#[inline]
fn without_dot(tail: u64, length: usize) -> Option<(u64, usize)> {
    let cell = tail & (u64::MAX << (64 - 8 * length));
    let dots = cell ^ (0x2E * LOW);
    // The lowest bit is that of the first byte without any.
    let found = dots.wrapping_sub(LOW) & !dots & HIGH;
    if found == 0 {
        return None;
    }
    let dot = found.trailing_zeros() & !7;
    let before = cell & ((1 << dot) - 1);
    let after = cell & (u64::MAX << dot << 8);
    let value = eight_digits(before << 8 | after, length - 1)?;
    Some((value, dot as usize / 8 + length - 8))
}

#[inline]
fn without_dot_of_many(digits: &[u8]) -> Option<(u64, usize)> {
    let dot = digits.iter().position(|byte| *byte == b'.')?;
    let (before, after) = (&digits[..dot], &digits[dot + 1..]);
    Some((one_by_one(before.iter().chain(after))?, dot))
}

/// Eight bytes as digits, if they are digits wherever `form` has a `0`, and else what it has.
#[inline]
fn digits_of(bytes: [u8; 8], form: [u8; 8]) -> Option<[u8; 8]> {
    let bits = u64::from_le_bytes(bytes) ^ u64::from_le_bytes(form);
    let mut marks = [0_u8; 8];
    for (mark, byte) in marks.iter_mut().zip(form) {
        *mark = if byte == b'0' { 0 } else { 0xFF };
    }
    (above_nine(bits) == 0 && bits & u64::from_le_bytes(marks) == 0).then(|| bits.to_le_bytes())
}

#[inline]
fn two(tens: u8, ones: u8) -> u32 {
    u32::from(tens) * 10 + u32::from(ones)
}

/// `YYYY-MM-` and `DD`, as days since 1970-01-01, with the year.
#[inline(always)]
fn days(month_of: [u8; 8], day: u32) -> Option<(i32, u32)> {
    let [a, b, c, d, _, m, n, _] = digits_of(month_of, *b"0000-00-")?;
    let (year, month) = (two(a, b) * 100 + two(c, d), two(m, n));
    if year == 0 || !(1..=12).contains(&month) || day == 0 || day > length(year, month) {
        return None;
    }
    // Years from March on have their odd day at their end.
    let (of, from_march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before = of * 365 + of / 4 - of / 100 + of / 400 + (153 * from_march + 2) / 5 + day;
    // 1970-01-01 is day 719,469 from 1 March of the year zero on, which is day 1.
    Some((before.cast_signed() - 719_469, year))
}

/// Days of a month.
#[inline]
fn length(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        // January to July begin long, and so does August.
        _ => 30 + ((month + (month >> 3)) & 1),
    }
}

/// `YYYY-MM-DD`.
#[inline]
pub(super) fn date(cell: &[u8]) -> Option<i32> {
    let cell: &[u8; 10] = cell.try_into().ok()?;
    let [head @ .., d, e] = *cell;
    let (tens, ones) = (digit(d), digit(e));
    if tens > 9 || ones > 9 {
        return None;
    }
    Some(days(head, u32::try_from(tens * 10 + ones).ok()?)?.0)
}

/// `YYYY-MM-DD HH:MM:SS`, with a `T` too, with a fraction and a `Z` too; in years of which
/// 64 bits hold the nanoseconds.
#[inline]
pub(super) fn moment(cell: &[u8]) -> Option<Moment> {
    let (head, rest) = cell.split_first_chunk::<8>()?;
    let (middle, rest) = rest.split_first_chunk::<8>()?;
    let (&[colon, s, t], rest) = rest.split_first_chunk::<3>()?;
    let between = if middle[2] == b'T' { b'T' } else { b' ' };
    let form = [b'0', b'0', between, b'0', b'0', b':', b'0', b'0'];
    let [d, e, _, h, i, _, m, n] = digits_of(*middle, form)?;
    let (s, t) = (digit(s), digit(t));
    let (hour, minute) = (two(h, i), two(m, n));
    if colon != b':' || s > 5 || t > 9 || hour > 23 || minute > 59 {
        return None;
    }
    let (days, year) = days(*head, two(d, e))?;
    if !(1678..=2261).contains(&year) {
        return None;
    }
    let of_day = i64::from(hour * 3600 + minute * 60) + (s * 10 + t).cast_signed();
    let seconds = i64::from(days) * 86_400 + of_day;
    let (nanos, fraction, rest) = fraction(rest)?;
    let zone = match rest {
        [] => None,
        [b'Z'] => Some(0),
        _ => return None,
    };
    Some(Moment { seconds, nanos, fraction, zone })
}

/// Nothing, or a dot and up to nine digits: the nanoseconds, the digits without zeros at the
/// end, and what follows.
#[inline]
fn fraction(text: &[u8]) -> Option<(u32, usize, &[u8])> {
    let [b'.', text @ ..] = text else { return Some((0, 0, text)) };
    let (mut nanos, mut place, mut count, mut last) = (0, 100_000_000, 0, 0);
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        nanos += u32::from(digit) * place;
        place /= 10;
        count += 1;
        if digit > 0 {
            last = count;
        }
    }
    (1..=9).contains(&count).then(|| (nanos, last, &text[count..]))
}

/// Whether a cell is a text and no mark of a missing value, by its first byte, its last and
/// its length: a word cannot be a number or a date.
#[inline]
pub(super) fn is_word(cell: &[u8]) -> bool {
    let (Some(first), Some(last)) = (cell.first(), cell.last()) else { return false };
    let is_letter = first.is_ascii_alphabetic() || *first >= 0x80;
    // What `true`, `false`, `inf`, `infinity` and the marks begin with.
    let is_doubtful = matches!(first.to_ascii_lowercase(), b't' | b'f' | b'i' | b'n');
    is_letter && (!is_doubtful || (cell.len() > 9 && *last != b' '))
}

#[cfg(test)]
#[path = "canonical_tests.rs"]
mod tests;
