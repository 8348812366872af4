//! Dates and times as people and programs write them (ISO 8601).

use std::fmt::Write as _;

use arrow::datatypes::TimeUnit;
use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, Offset, TimeDelta, TimeZone};

/// The zone of a timestamp column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Zone {
    pub(super) name: String,
    rule: Rule,
}

#[derive(Debug, Clone, PartialEq)]
enum Rule {
    Named(chrono_tz::Tz),
    /// Also what an unknown name becomes: UTC, which is what is stored.
    Fixed(FixedOffset),
}

impl Zone {
    pub(super) fn new(name: &str) -> Self {
        let rule = if let Ok(zone) = name.parse::<chrono_tz::Tz>() {
            Rule::Named(zone)
        } else {
            let offset = name.parse::<FixedOffset>().unwrap_or(chrono::Utc.fix());
            Rule::Fixed(offset)
        };
        Self { name: name.to_owned(), rule }
    }

    fn local(&self, utc: NaiveDateTime) -> DateTime<FixedOffset> {
        match &self.rule {
            Rule::Named(zone) => zone.from_utc_datetime(&utc).fixed_offset(),
            Rule::Fixed(offset) => offset.from_utc_datetime(&utc),
        }
    }
}

/// The length of a unit in nanoseconds.
pub(super) fn nanoseconds(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

/// A stored timestamp as a date and time in UTC; `None` if it is beyond the
/// calendar (a quarter of a million years).
fn utc(value: i64, unit: TimeUnit) -> Option<NaiveDateTime> {
    let per_second = 1_000_000_000 / nanoseconds(unit);
    let rest = value.rem_euclid(per_second) * nanoseconds(unit);
    DateTime::from_timestamp(value.div_euclid(per_second), u32::try_from(rest).ok()?)
        .map(|time| time.naive_utc())
}

/// What a clock in the zone shows, and how far that is from UTC.
pub(super) fn wall_clock(
    value: i64,
    unit: TimeUnit,
    zone: Option<&Zone>,
) -> Option<(NaiveDateTime, Option<FixedOffset>)> {
    let utc = utc(value, unit)?;
    Some(match zone {
        None => (utc, None),
        Some(zone) => {
            let local = zone.local(utc);
            (local.naive_local(), Some(*local.offset()))
        }
    })
}

/// A day, counted from 1970-01-01.
pub(super) fn date(days: i64) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(1970, 1, 1)?.checked_add_signed(TimeDelta::try_days(days)?)
}

pub(super) fn write_date(days: i64, out: &mut String) {
    let _ = match date(days) {
        Some(date) => write!(out, "{date}"),
        None => write!(out, "{days} days from 1970-01-01"),
    };
}

/// `2024-03-31 02:30:00.5+01:00`; the fraction has the digits it needs.
pub(super) fn write_timestamp(
    value: i64,
    unit: TimeUnit,
    zone: Option<&Zone>,
    between: char,
    out: &mut String,
) {
    let Some((local, offset)) = wall_clock(value, unit, zone) else {
        let _ = write!(out, "{value} {unit:?}s from 1970-01-01");
        return;
    };
    let _ = write!(out, "{}{between}", local.date());
    let midnight = chrono::NaiveTime::MIN;
    write_time((local.time() - midnight).num_nanoseconds().unwrap_or(0), out);
    if let Some(offset) = offset {
        let _ = write!(out, "{offset}");
    }
}

pub(super) fn write_time(nanoseconds: i64, out: &mut String) {
    let seconds = nanoseconds / 1_000_000_000;
    let _ = write!(out, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    write_fraction(nanoseconds.unsigned_abs() % 1_000_000_000, out);
}

/// `P1DT2H3M4.5S`, with a minus sign before it if it is negative.
pub(super) fn write_duration(value: i64, unit: TimeUnit, out: &mut String) {
    let total = i128::from(value) * i128::from(nanoseconds(unit));
    let (seconds, rest) =
        (total.unsigned_abs() / 1_000_000_000, total.unsigned_abs() % 1_000_000_000);
    out.push_str(if total < 0 { "-" } else { "" });
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let _ = write!(out, "P{days}DT{hours}H{}M{}", seconds / 60 % 60, seconds % 60);
    write_fraction(u64::try_from(rest).unwrap_or(0), out);
    out.push('S');
}

fn write_fraction(nanoseconds: u64, out: &mut String) {
    if nanoseconds > 0 {
        let digits = format!("{nanoseconds:09}");
        out.push('.');
        out.push_str(digits.trim_end_matches('0'));
    }
}
