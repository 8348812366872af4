//! What one cell of a text table may be, decided from its bytes alone.
//!
//! Strict on purpose: a cell is a number only if nothing is lost by calling it
//! one. `007` and `+5` are texts (an id, a phone), `1e999` is a text (it would
//! become infinite), `2024-02-30` is a text (there is no such day). Spaces around
//! numbers and dates do not count.

use chrono::NaiveDate;

/// The words that may stand for a missing value, and nothing else does but an
/// empty cell. Which columns they count in is decided in `infer`.
pub(super) const MARKS: [&str; 9] =
    ["NA", "N/A", "NaN", "nan", "null", "NULL", "None", "#N/A", "\\N"];

/// What a cell holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::catalog) enum Cell {
    /// Nothing: missing in every column.
    Empty,
    /// Only spaces.
    Blank,
    /// One of [`MARKS`], by its place there.
    Mark(usize),
    Int(i64),
    /// Above the largest `i64`.
    Unsigned(u64),
    /// A whole number that no 64 bits hold.
    HugeInt,
    /// A decimal or exponent number, and how many of its digits are significant.
    /// `grouped`: it could be a whole number with a dot between its thousands.
    Number {
        value: f64,
        digits: usize,
        grouped: bool,
    },
    Infinity {
        negative: bool,
    },
    Bool {
        value: bool,
        case: Case,
    },
    /// Days since 1970-01-01.
    Date(i32),
    Moment(Moment),
    /// A number written with leading zeros.
    ZeroLed,
    Text,
}

impl Cell {
    /// Whether it holds no value.
    #[inline]
    pub(super) fn is_missing(self) -> bool {
        matches!(self, Self::Empty | Self::Blank | Self::Mark(_))
    }
}

/// How `true` is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::catalog) enum Case {
    Lower,
    Upper,
    Title,
}

/// A date with a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::catalog) struct Moment {
    /// Since 1970-01-01T00:00:00, in UTC if `zone` is given, else as written.
    pub seconds: i64,
    pub nanos: u32,
    /// Digits of the fraction, without trailing zeros.
    pub fraction: usize,
    /// Offset from UTC in seconds, if the cell names one.
    pub zone: Option<i32>,
}

impl Moment {
    /// Microseconds; exact if `fraction` is at most 6.
    pub fn micros(self) -> i64 {
        self.seconds * 1_000_000 + i64::from(self.nanos / 1_000)
    }

    /// Nanoseconds, if 64 bits hold them (years 1677 to 2262).
    pub fn nanoseconds(self) -> Option<i64> {
        let whole = i128::from(self.seconds) * 1_000_000_000 + i128::from(self.nanos);
        i64::try_from(whole).ok()
    }
}

/// Decides what a cell is. Any text is [`Cell::Text`]; its encoding is not looked at.
pub(in crate::catalog) fn classify(raw: &[u8]) -> Cell {
    let Some(&first) = raw.first() else { return Cell::Empty };
    if let Some(mark) = mark(raw) {
        return Cell::Mark(mark);
    }
    let cell = if first == b' ' || raw.last() == Some(&b' ') { raw.trim_ascii() } else { raw };
    let Some(&first) = cell.first() else { return Cell::Blank };
    match first {
        b'0'..=b'9' => number(cell).or_else(|| day_or_moment(cell)).unwrap_or(Cell::Text),
        b'-' | b'.' => number(cell).or_else(|| infinity(cell)).unwrap_or(Cell::Text),
        b't' | b'T' | b'f' | b'F' => boolean(cell).unwrap_or(Cell::Text),
        b'i' | b'I' | b'+' => infinity(cell).unwrap_or(Cell::Text),
        _ => Cell::Text,
    }
}

/// Which of [`MARKS`] the cell is.
pub(super) fn mark(raw: &[u8]) -> Option<usize> {
    if raw.len() > 4 || !matches!(raw.first(), Some(b'N' | b'n' | b'#' | b'\\')) {
        return None;
    }
    MARKS.iter().position(|mark| mark.as_bytes() == raw)
}

fn number(cell: &[u8]) -> Option<Cell> {
    let unsigned = cell.strip_prefix(b"-").unwrap_or(cell);
    let whole = unsigned.iter().take_while(|b| b.is_ascii_digit()).count();
    let zero_led = whole > 1 && unsigned[0] == b'0';
    if whole == unsigned.len() {
        return match whole {
            0 => None,
            _ if zero_led => Some(Cell::ZeroLed),
            _ => Some(whole_number(cell)),
        };
    }
    let mut at = whole;
    let mut mantissa = whole;
    if unsigned.get(at) == Some(&b'.') {
        let fraction = unsigned[at + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
        mantissa += fraction;
        at += 1 + fraction;
    }
    let end_of_mantissa = at;
    if mantissa > 0 && matches!(unsigned.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(unsigned.get(at + 1), Some(b'+' | b'-')));
        let digits = unsigned[at + 1 + sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 {
            at += 1 + sign + digits;
        }
    }
    if mantissa == 0 || at != unsigned.len() {
        return None;
    }
    if zero_led {
        return Some(Cell::ZeroLed);
    }
    let digits = significant(&unsigned[..end_of_mantissa]);
    let value: f64 = std::str::from_utf8(cell).ok()?.parse().ok()?;
    // Overflow to infinity and underflow to zero are wrong numbers.
    let lost = value.is_infinite() || (value == 0.0 && digits > 0);
    let grouped = (1..=3).contains(&whole) && unsigned.len() == whole + 4 && unsigned[0] != b'0';
    let grouped = grouped && unsigned[whole + 1..].iter().all(u8::is_ascii_digit);
    Some(if lost { Cell::Text } else { Cell::Number { value, digits, grouped } })
}

fn whole_number(cell: &[u8]) -> Cell {
    let Ok(text) = std::str::from_utf8(cell) else { return Cell::Text };
    if let Ok(value) = text.parse() {
        Cell::Int(value)
    } else if let Ok(value) = text.parse() {
        Cell::Unsigned(value)
    } else {
        Cell::HugeInt
    }
}

/// Digits between the first and the last that is not zero.
pub(super) fn significant(mantissa: &[u8]) -> usize {
    let digits = || mantissa.iter().filter(|b| **b != b'.');
    let leading = digits().take_while(|b| **b == b'0').count();
    let trailing = digits().rev().take_while(|b| **b == b'0').count();
    digits().count().saturating_sub(leading + trailing)
}

fn infinity(cell: &[u8]) -> Option<Cell> {
    let (negative, word) = match cell {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, cell),
    };
    let named = word.eq_ignore_ascii_case(b"inf") || word.eq_ignore_ascii_case(b"infinity");
    named.then_some(Cell::Infinity { negative })
}

fn boolean(cell: &[u8]) -> Option<Cell> {
    let (value, case) = match cell {
        b"true" => (true, Case::Lower),
        b"false" => (false, Case::Lower),
        b"TRUE" => (true, Case::Upper),
        b"FALSE" => (false, Case::Upper),
        b"True" => (true, Case::Title),
        b"False" => (false, Case::Title),
        _ => return None,
    };
    Some(Cell::Bool { value, case })
}

/// `YYYY-MM-DD`, alone or before a time.
pub(in crate::catalog) fn day_or_moment(cell: &[u8]) -> Option<Cell> {
    let (date, rest) = cell.split_at_checked(10)?;
    if date[4] != b'-' || date[7] != b'-' {
        return None;
    }
    let year = digits(&date[..4])?;
    let date = NaiveDate::from_ymd_opt(
        i32::try_from(year).ok()?,
        digits(&date[5..7])?,
        digits(&date[8..])?,
    )?;
    let days = date.signed_duration_since(NaiveDate::default()).num_days();
    match rest {
        [] => Some(Cell::Date(i32::try_from(days).ok()?)),
        [b' ' | b'T' | b't', time @ ..] => moment(days, time).map(Cell::Moment),
        _ => None,
    }
}

/// `HH:MM[:SS[.fraction]][zone]`; the fraction has at most nine digits.
pub(super) fn moment(days: i64, time: &[u8]) -> Option<Moment> {
    let (minutes, mut rest) = time.split_at_checked(5)?;
    if minutes[2] != b':' {
        return None;
    }
    let (hour, minute) = (digits(&minutes[..2])?, digits(&minutes[3..])?);
    let (mut second, mut nanos, mut fraction) = (0, 0, 0);
    if let [b':', after @ ..] = rest {
        let (seconds, after) = after.split_at_checked(2)?;
        second = digits(seconds)?;
        rest = after;
        if let [b'.', after @ ..] = rest {
            let count = after.iter().take_while(|b| b.is_ascii_digit()).count();
            if count == 0 || count > 9 {
                return None;
            }
            let places = u32::try_from(9 - count).ok()?;
            nanos = digits(&after[..count])? * 10_u32.pow(places);
            fraction = count - after[..count].iter().rev().take_while(|b| **b == b'0').count();
            rest = &after[count..];
        }
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let zone = zone(rest.strip_prefix(b" ").unwrap_or(rest))?;
    let of_day = i64::from(hour * 3600 + minute * 60 + second);
    let seconds = days * 86_400 + of_day - i64::from(zone.unwrap_or(0));
    Some(Moment { seconds, nanos, fraction, zone })
}

/// Nothing, `Z`, `+HH`, `+HHMM` or `+HH:MM`. The outer `None`: not a zone at all.
#[allow(clippy::option_option, reason = "no zone and a wrong zone are different answers")]
fn zone(rest: &[u8]) -> Option<Option<i32>> {
    let (sign, hours, minutes) = match rest {
        [] => return Some(None),
        [b'Z' | b'z'] => return Some(Some(0)),
        [sign @ (b'+' | b'-'), h1, h2] => (sign, [*h1, *h2], [b'0', b'0']),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] | [sign @ (b'+' | b'-'), h1, h2, m1, m2] => {
            (sign, [*h1, *h2], [*m1, *m2])
        }
        _ => return None,
    };
    let (hours, minutes) = (digits(&hours)?, digits(&minutes)?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    let offset = i32::try_from(hours * 3600 + minutes * 60).ok()?;
    Some(Some(if *sign == b'-' { -offset } else { offset }))
}

pub(super) fn digits(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0_u32, |sum, byte| {
        byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0'))
    })
}

#[cfg(test)]
#[path = "cell_tests.rs"]
mod tests;
