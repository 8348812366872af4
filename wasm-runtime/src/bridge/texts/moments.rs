//! Points in time, written in a format of `strptime`.
//!
//! pandas' parser is lenient: it takes `1.2.2020` for `%d.%m.%Y`. A text is taken here only if
//! it has just the digits that the format asks for, and is called wrong only where no parser
//! could read it; any other is pandas' business.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, TimestampMicrosecondArray};
use serde::Deserialize;

use super::super::objects::calendar;
use super::{Declined, Work};

/// How a point in time is written.
#[derive(Debug, Deserialize)]
pub(in super::super) struct Format {
    parts: Vec<Part>,
    /// A text that is none becomes none, instead of an error.
    coerce: bool,
}

/// A part of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Part {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    /// This very character.
    Sign(char),
}

/// What a text is.
#[derive(Debug, PartialEq, Eq)]
enum Read {
    /// Microseconds since 1970.
    Moment(i64),
    /// Nothing that a parser could read by this format.
    Wrong,
    Unsure,
}

/// The moments of the texts; an empty text is none.
pub(super) fn moments(
    work: &Work<'_>,
    texts: &StringArray,
    format: &Format,
) -> Result<ArrayRef, Declined> {
    let moments = work.each(texts.iter(), |text| {
        match text.filter(|text| !text.is_empty()).map(|text| format.read(text)) {
            None => Ok(None),
            Some(Read::Moment(moment)) => Ok(Some(moment)),
            Some(Read::Wrong) if format.coerce => Ok(None),
            Some(_) => Err(Declined),
        }
    })?;
    // Of nothing but what is missing, pandas says that it has another unit.
    if moments.iter().all(Option::is_none) {
        return Err(Declined);
    }
    Ok(Arc::new(TimestampMicrosecondArray::from(moments)))
}

impl Format {
    fn read(&self, text: &str) -> Read {
        let mut rest = text.as_bytes();
        let (mut date, mut time) = ([0u32; 3], [0u32; 3]);
        for part in &self.parts {
            let number = match *part {
                Part::Sign(sign) => match rest.split_first() {
                    Some((first, behind)) if char::from(*first) == sign && sign.is_ascii() => {
                        rest = behind;
                        continue;
                    }
                    _ => return self.other(text),
                },
                Part::Year => &mut date[0],
                Part::Month => &mut date[1],
                Part::Day => &mut date[2],
                Part::Hour => &mut time[0],
                Part::Minute => &mut time[1],
                Part::Second => &mut time[2],
            };
            let width = if *part == Part::Year { 4 } else { 2 };
            match rest.split_at_checked(width) {
                Some((digits, behind)) if digits.iter().all(u8::is_ascii_digit) => {
                    *number = digits.iter().fold(0, |n, digit| n * 10 + u32::from(digit - b'0'));
                    rest = behind;
                }
                _ => return self.other(text),
            }
        }
        if !rest.is_empty() { self.other(text) } else { self.moment(date, time) }
    }

    fn moment(&self, [year, month, day]: [u32; 3], [hour, minute, second]: [u32; 3]) -> Read {
        // Of four and of two digits: they fit.
        let day = calendar::days((year as u16, month as u8, day as u8));
        match day.filter(|_| hour < 24 && minute < 60 && second < 60) {
            Some(day) => {
                let seconds =
                    i64::from(day) * 86_400 + i64::from((hour * 60 + minute) * 60 + second);
                Read::Moment(seconds * 1_000_000)
            }
            // A leap second, or digits that may be parted in another way.
            None if second >= 60 || !self.parts_are_apart() || self.begins_with_year() => {
                Read::Unsure
            }
            None => Read::Wrong,
        }
    }

    /// A text that is not written as the format has it.
    fn other(&self, text: &str) -> Read {
        let may_be = |byte: u8| {
            byte.is_ascii_digit()
                || byte.is_ascii_whitespace()
                || byte < b' '
                || !byte.is_ascii()
                || self.parts.iter().any(|part| match part {
                    Part::Sign(sign) => sign.eq_ignore_ascii_case(&char::from(byte)),
                    _ => false,
                })
        };
        let is_word = matches!(text, "now" | "today");
        if is_word || self.begins_with_year() || text.bytes().all(may_be) {
            Read::Unsure
        } else {
            Read::Wrong
        }
    }

    /// Formats of ISO 8601 go through a parser of their own.
    fn begins_with_year(&self) -> bool {
        self.parts.first() == Some(&Part::Year)
    }

    /// Whether a sign stands between any two numbers.
    fn parts_are_apart(&self) -> bool {
        let is_sign = |part: &Part| matches!(part, Part::Sign(sign) if !sign.is_ascii_whitespace());
        self.parts.windows(2).all(|pair| pair.iter().any(is_sign))
    }
}
