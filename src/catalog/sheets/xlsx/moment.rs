//! Days since a workbook's first, as dates.

use chrono::{Days, NaiveDate};

use crate::catalog::sheets::value::{Cell, moment};

const DAY: i64 = 86_400_000;
/// The 31st of December 9999, the last day of a sheet, and longer than any duration in one.
const LAST: f64 = 2_958_466.0;

/// A serial number that is shown as a moment. Excel counts milliseconds, and has a 29th of
/// February 1900: what no calendar has stays a number.
pub(super) fn moment_of(days: f64, from_1904: bool) -> Cell<'static> {
    let Some(millis) = millis(days).filter(|millis| *millis >= 0) else {
        return Cell::Number(days);
    };
    if millis < DAY {
        return Cell::Time(millis * 1_000);
    }
    let (day, of_day) = (millis / DAY, millis % DAY);
    let first = match (from_1904, day) {
        (true, _) => NaiveDate::from_ymd_opt(1904, 1, 1),
        (false, ..60) => NaiveDate::from_ymd_opt(1899, 12, 31),
        (false, 60) => None,
        (false, _) => NaiveDate::from_ymd_opt(1899, 12, 30),
    };
    let date = first.and_then(|first| first.checked_add_days(Days::new(day.unsigned_abs())));
    date.map_or(Cell::Number(days), |date| Cell::Moment(moment(date, of_day * 1_000)))
}

/// A serial number that is shown as a length of time.
pub(super) fn duration_of(days: f64) -> Cell<'static> {
    millis(days).map_or(Cell::Number(days), |millis| Cell::Duration(millis * 1_000))
}

fn millis(days: f64) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "it is small")]
    (days.abs() < LAST).then(|| (days * DAY as f64).round() as i64)
}
