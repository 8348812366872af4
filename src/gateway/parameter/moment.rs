//! Days, moments and spans of time as a caller writes them.

use std::fmt;

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};

/// A day, in days since 1970-01-01. Four digits, two and two: `2026-1-5` could be two days.
pub(super) fn day(text: &str) -> Option<i32> {
    let shaped = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let date = shaped.then(|| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok())??;
    Some(date.to_epoch_days())
}

/// A moment, in microseconds since 1970-01-01 UTC. Without a zone it is none.
pub(super) fn moment(text: &str) -> Option<i64> {
    if text.len() > 40 {
        return None;
    }
    let moment = DateTime::parse_from_rfc3339(text).ok()?;
    // Databases keep microseconds; what is finer would be another moment.
    (moment.timestamp_subsec_nanos() % 1_000 == 0).then(|| moment.timestamp_micros())
}

/// A day in words.
pub(super) fn day_in_words(days: i32) -> String {
    NaiveDate::from_epoch_days(days).map_or_else(|| days.to_string(), |date| date.to_string())
}

/// A moment in words.
pub(super) fn moment_in_words(micros: i64) -> String {
    DateTime::<Utc>::from_timestamp_micros(micros)
        .map_or_else(|| micros.to_string(), |at| at.to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

/// `, from … to …`.
pub(super) fn within_days(least: Option<i32>, most: Option<i32>) -> String {
    within(least.map(day_in_words), most.map(day_in_words))
}

/// `, from … to …`.
pub(super) fn within_moments(least: Option<i64>, most: Option<i64>) -> String {
    within(least.map(moment_in_words), most.map(moment_in_words))
}

fn within(least: Option<String>, most: Option<String>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!(", from {least} to {most}"),
        (Some(least), None) => format!(", from {least} on"),
        (None, Some(most)) => format!(", until {most}"),
        (None, None) => String::new(),
    }
}

/// A span of time, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span(pub i64);

impl Span {
    const UNITS: [(&'static str, i64); 4] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];

    /// `7d`, `12h`, `30m`, `10s`; from a second to ten years.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (unit, seconds) = Self::UNITS.iter().find(|(unit, _)| text.ends_with(unit))?;
        let number = text.strip_suffix(unit)?;
        if number.is_empty() || number.len() > 9 || !number.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let span = number.parse::<i64>().ok()? * seconds;
        (1..=3_660 * 86_400).contains(&span).then_some(Self(span))
    }

    /// In microseconds.
    pub(super) fn micros(self) -> i64 {
        self.0.saturating_mul(1_000_000)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, seconds) =
            Self::UNITS.into_iter().find(|(_, seconds)| self.0 % seconds == 0).unwrap_or(("s", 1));
        write!(f, "{}{unit}", self.0 / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_a_moment_and_a_span_have_one_way_to_be_written() {
        assert_eq!(day("1970-01-02"), Some(1));
        assert_eq!(day("2024-02-29").map(day_in_words).as_deref(), Some("2024-02-29"));
        for wrong in
            ["2023-02-29", "2024-2-9", "24-02-09", "2024-02-09 ", "+024-02-09", "٢٠٢٤-02-09"]
        {
            assert_eq!(day(wrong), None, "{wrong}");
        }
        assert_eq!(moment("1970-01-01T00:00:01Z"), Some(1_000_000));
        assert_eq!(moment("1970-01-01T01:00:01+01:00"), Some(1_000_000));
        assert_eq!(moment_in_words(1_500_000), "1970-01-01T00:00:01.500Z");
        for wrong in ["1970-01-01T00:00:01", "1970-01-01", "now", "1970-01-01T00:00:01.0000001Z"] {
            assert_eq!(moment(wrong), None, "{wrong}");
        }
        assert_eq!(Span::parse("7d"), Some(Span(604_800)));
        assert_eq!(Span(604_800).to_string(), "7d");
        assert_eq!(Span(5_400).to_string(), "90m");
        for wrong in ["", "d", "7", "0h", "-1d", "1.5h", "7 d", "99999d", "7w", "9999999999s"] {
            assert_eq!(Span::parse(wrong), None, "{wrong}");
        }
    }
}
