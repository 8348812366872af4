//! Cells that are numbers or dates in another country's writing.
//!
//! `1,5` is one and a half in Berlin, `1,234` a thousand in Boston, `03/04/2024`
//! is in March or in April. A cell by itself cannot say; its column can, and where
//! that cannot either, the other columns of the file. What stays open is no number:
//! the column is kept as text, with a note (`decide`).

use chrono::NaiveDate;

use super::cell::{Cell, classify, digits, moment};

/// One way to read cells that are plain text otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::catalog) enum Reading {
    /// `1.234,5`, `1 234,5`.
    Comma,
    /// `1,234.5`, `1 234.5`, `1'234.5`.
    Dot,
    /// `31.12.2024`, `31/12/2024`, `31-12-2024`.
    DayFirst,
    /// `12/31/2024`, `12-31-2024`.
    MonthFirst,
    /// `2024/12/31`, `2024.12.31`, `31 Dec 2024`, `31-Dec-2024`, `Dec 31, 2024`.
    Named,
}

pub(super) const READINGS: [Reading; 5] =
    [Reading::Comma, Reading::Dot, Reading::DayFirst, Reading::MonthFirst, Reading::Named];

/// What may stand between thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Group {
    Dot = 1,
    Comma = 2,
    Space = 4,
    Quote = 8,
}

impl Group {
    /// The group mark that `text` begins with, and its bytes.
    fn at(text: &[u8]) -> Option<(Self, usize)> {
        Some(match text {
            [b'.', ..] => (Self::Dot, 1),
            [b',', ..] => (Self::Comma, 1),
            [b' ', ..] => (Self::Space, 1),
            // The space that does not break, and the narrow one.
            [0xC2, 0xA0, ..] => (Self::Space, 2),
            [0xE2, 0x80, 0xAF, ..] => (Self::Space, 3),
            [b'\'', ..] => (Self::Quote, 1),
            [0xE2, 0x80, 0x99, ..] => (Self::Quote, 3),
            _ => return None,
        })
    }
}

impl Reading {
    /// What the cell is, read this way.
    pub(super) fn cell(self, raw: &[u8]) -> Option<Cell> {
        let raw = raw.trim_ascii();
        match self {
            Self::Comma => number(raw, b',').map(|(cell, _)| cell),
            Self::Dot => number(raw, b'.').map(|(cell, _)| cell),
            Self::DayFirst => date(raw, |a, b| (b, a), b"./-"),
            Self::MonthFirst => date(raw, |a, b| (a, b), b"/-"),
            Self::Named => year_first(raw).or_else(|| month_named(raw)),
        }
    }

    /// What groups its thousands, as bits of [`Group`].
    pub(super) fn groups(self, raw: &[u8]) -> u8 {
        let mark = match self {
            Self::Comma => b',',
            Self::Dot => b'.',
            _ => return 0,
        };
        number(raw.trim_ascii(), mark).and_then(|(_, group)| group).map_or(0, |group| group as u8)
    }
}

/// A number with this decimal mark, and what groups its thousands.
fn number(raw: &[u8], decimal: u8) -> Option<(Cell, Option<Group>)> {
    let mut plain = Vec::with_capacity(raw.len());
    let mut rest = raw;
    if let [b'-', after @ ..] = rest {
        plain.push(b'-');
        rest = after;
    }
    let whole = leading_digits(rest);
    let zero_led = rest.first() == Some(&b'0');
    plain.extend_from_slice(&rest[..whole]);
    rest = &rest[whole..];
    let mut group = None;
    while let Some((mark, length)) = Group::at(rest) {
        if rest[0] == decimal {
            break;
        }
        let begins = group.is_none() && (1..=3).contains(&whole) && !zero_led;
        if !(begins || group == Some(mark)) || leading_digits(&rest[length..]) != 3 {
            return None;
        }
        group = Some(mark);
        plain.extend_from_slice(&rest[length..length + 3]);
        rest = &rest[length + 3..];
    }
    if rest.first() == Some(&decimal) {
        plain.push(b'.');
        rest = &rest[1..];
        if leading_digits(rest) == 0 {
            return None;
        }
    }
    plain.extend_from_slice(rest);
    let cell = classify(&plain);
    matches!(cell, Cell::Int(_) | Cell::Unsigned(_) | Cell::HugeInt | Cell::Number { .. })
        .then_some((cell, group))
}

fn leading_digits(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// One or two digits.
fn short(text: &[u8]) -> Option<(u32, &[u8])> {
    let count = leading_digits(text);
    (1..=2).contains(&count).then(|| Some((digits(&text[..count])?, &text[count..])))?
}

fn year(text: &[u8]) -> Option<(i32, &[u8])> {
    let count = leading_digits(text);
    (count == 4).then(|| Some((i32::try_from(digits(&text[..4])?).ok()?, &text[4..])))?
}

/// `a.b.yyyy`; `order` gives month and day.
fn date(raw: &[u8], order: fn(u32, u32) -> (u32, u32), marks: &[u8]) -> Option<Cell> {
    let (a, rest) = short(raw)?;
    let (&mark, rest) = rest.split_first()?;
    let (b, rest) = short(rest)?;
    let (&again, rest) = rest.split_first()?;
    if mark != again || !marks.contains(&mark) {
        return None;
    }
    let (year, rest) = year(rest)?;
    let (month, day) = order(a, b);
    day_or_moment(year, month, day, rest)
}

/// `yyyy/m/d`. With two digits each and `-` it is what every column understands.
fn year_first(raw: &[u8]) -> Option<Cell> {
    let (year, rest) = year(raw)?;
    let (&mark, rest) = rest.split_first()?;
    let (month, rest) = short(rest)?;
    let (&again, rest) = rest.split_first()?;
    let (day, rest) = short(rest)?;
    if mark != again || !b"./-".contains(&mark) {
        return None;
    }
    day_or_moment(year, month, day, rest)
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn month_name(text: &[u8]) -> Option<(u32, &[u8])> {
    let count = text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let word = std::str::from_utf8(&text[..count]).ok()?.to_ascii_lowercase();
    let place = MONTHS.iter().position(|m| *m == word || (count == 3 && m.starts_with(&word)))?;
    Some((u32::try_from(place).ok()? + 1, &text[count..]))
}

/// `31 Dec 2024`, `31-Dec-2024`, `Dec 31, 2024`.
fn month_named(raw: &[u8]) -> Option<Cell> {
    let gap = |text: &'_ [u8]| -> Option<usize> {
        match text {
            [b',', b' ', ..] => Some(2),
            [b' ' | b'-' | b'/' | b',', ..] => Some(1),
            _ => None,
        }
    };
    if raw.first()?.is_ascii_digit() {
        let (day, rest) = short(raw)?;
        let (month, rest) = month_name(&rest[gap(rest)?..])?;
        let (year, rest) = year(&rest[gap(rest)?..])?;
        return day_or_moment(year, month, day, rest);
    }
    let (month, rest) = month_name(raw)?;
    let (day, rest) = short(rest.strip_prefix(b" ")?)?;
    let (year, rest) = year(&rest[gap(rest)?..])?;
    day_or_moment(year, month, day, rest)
}

/// The date alone, or with a time: `H:MM[:SS[.f]]`, then AM or PM, then a zone.
fn day_or_moment(year: i32, month: u32, day: u32, rest: &[u8]) -> Option<Cell> {
    let date = NaiveDate::from_ymd_opt(year, month, day)?;
    let days = date.signed_duration_since(NaiveDate::default()).num_days();
    if rest.is_empty() {
        return Some(Cell::Date(i32::try_from(days).ok()?));
    }
    let rest = rest.strip_prefix(b",").unwrap_or(rest);
    let [b' ' | b'T', time @ ..] = rest else { return None };
    let mut time = time.to_vec();
    if leading_digits(&time) == 1 {
        time.insert(0, b'0');
    }
    let half = time.get(time.len().checked_sub(2)?..)?.to_ascii_uppercase();
    if half == b"AM" || half == b"PM" {
        time.truncate(time.len() - 2);
        time.truncate(time.trim_ascii_end().len());
        let hour = digits(time.get(..2)?)?;
        if !(1..=12).contains(&hour) {
            return None;
        }
        let hour = hour % 12 + if half == b"PM" { 12 } else { 0 };
        time[..2].copy_from_slice(format!("{hour:02}").as_bytes());
    }
    moment(days, &time).map(Cell::Moment)
}
