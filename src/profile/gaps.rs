//! Gaps in time: moments without rows, where rows come in a rhythm.
//!
//! The rhythm is the most common step between two neighbouring moments, at the column's own
//! resolution: seconds, hours, days; months, quarters and years by the calendar, since their
//! lengths differ. It is one if most steps are that long, or a quarter of them are and all
//! are whole numbers of it (hours of which half are missing). Events come in none: they are
//! judged by the days that have some.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike as _, NaiveDateTime};
use serde::{Deserialize, Serialize};

/// Fewer moments have no rhythm.
const MOMENTS: usize = 4;
/// Steps that are counted at once: one that is a quarter of all is among them for certain.
const CANDIDATES: usize = 8;
const DAY: i64 = 86_400;
/// A shorter step is none of the calendar's.
const MONTH: i64 = 28 * DAY;

/// What a rhythm is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is its own name")]
pub enum Beat {
    Nanosecond,
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Beat {
    fn word(self) -> &'static str {
        match self {
            Self::Nanosecond => "nanosecond",
            Self::Microsecond => "microsecond",
            Self::Millisecond => "millisecond",
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }
}

/// Moments without rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gaps {
    /// The usual step from one moment to the next: so many of these.
    pub step: (u64, Beat),
    /// Whether days with rows were looked at, because the moments have no rhythm.
    pub by_day: bool,
    /// Longer steps.
    pub count: usize,
    /// Steps that are missing in them.
    pub missing: u64,
    /// The longest of them: the moments before and after it.
    pub longest: Option<(String, String)>,
}

impl Gaps {
    /// `hourly`, `every 15 minutes`.
    #[must_use]
    pub fn rhythm(&self) -> String {
        let rhythm = match self.step {
            (1, Beat::Hour) => "hourly".to_owned(),
            (1, Beat::Day) => "daily".to_owned(),
            (1, Beat::Week) => "weekly".to_owned(),
            (1, Beat::Month) => "monthly".to_owned(),
            (1, Beat::Quarter) => "quarterly".to_owned(),
            (1, Beat::Year) => "yearly".to_owned(),
            (1, beat) => format!("every {}", beat.word()),
            (count, beat) => format!("every {count} {}s", beat.word()),
        };
        if self.by_day { format!("at no regular times, by days {rhythm}") } else { rhythm }
    }

    /// `3 hours`, `3 steps`.
    #[must_use]
    pub fn missing_words(&self) -> String {
        let word = if self.step.0 == 1 { self.step.1.word() } else { "step" };
        format!("{} {word}{}", self.missing, if self.missing == 1 { "" } else { "s" })
    }
}

/// Steps of one length that are missing between moments.
struct Found {
    step: (u64, Beat),
    count: usize,
    missing: u64,
    longest: Option<(i64, i64)>,
}

/// The gaps between moments, which are in order and each once; `per_second` of their units
/// are a second, and if that is 0, each is a day.
pub(super) fn gaps(
    moments: &[i64],
    per_second: i64,
    show: &dyn Fn(i64) -> Option<String>,
    show_day: &dyn Fn(i64) -> Option<String>,
) -> Option<Gaps> {
    let said = |found: Found, by_day: bool, show: &dyn Fn(i64) -> Option<String>| Gaps {
        step: found.step,
        by_day,
        count: found.count,
        missing: found.missing,
        longest: found.longest.and_then(|(from, to)| Some(days_of((show(from)?, show(to)?)))),
    };
    if per_second == 0 {
        return between(moments, &Units::Days).map(|found| said(found, false, show));
    }
    if let Some(found) = between(moments, &Units::PerSecond(per_second)) {
        return Some(said(found, false, show));
    }
    let mut days: Vec<i64> = moments.iter().map(|at| at.div_euclid(per_second * DAY)).collect();
    days.dedup();
    between(&days, &Units::Days).map(|found| said(found, true, show_day))
}

/// Days that are kept as moments.
fn days_of((from, to): (String, String)) -> (String, String) {
    let day = |text: &str| text.strip_suffix("T00:00:00").map(str::to_owned);
    day(&from).zip(day(&to)).unwrap_or((from, to))
}

/// What a moment counts.
enum Units {
    Days,
    PerSecond(i64),
}

impl Units {
    fn moment(&self, at: i64) -> Option<NaiveDateTime> {
        let seconds = match self {
            Self::Days => at.checked_mul(DAY)?,
            Self::PerSecond(per_second) => at.div_euclid(*per_second),
        };
        Some(DateTime::from_timestamp(seconds, 0)?.naive_utc())
    }

    /// A month at the shortest.
    fn month(&self) -> i64 {
        match self {
            Self::Days => MONTH / DAY,
            Self::PerSecond(per_second) => MONTH.saturating_mul(*per_second),
        }
    }

    /// A step in the largest unit that it is a whole number of.
    fn named(&self, step: u64) -> (u64, Beat) {
        const NANOS: u128 = 1_000_000_000;
        let nanos = match self {
            Self::Days => u128::from(step) * 86_400 * NANOS,
            Self::PerSecond(per_second) => {
                u128::from(step) * (NANOS / u128::from(per_second.unsigned_abs()).max(1))
            }
        };
        let of = |(size, beat): (u128, Beat)| {
            nanos.is_multiple_of(size).then(|| (u64::try_from(nanos / size).unwrap_or(0), beat))
        };
        let sizes = [
            (7 * 86_400 * NANOS, Beat::Week),
            (86_400 * NANOS, Beat::Day),
            (3_600 * NANOS, Beat::Hour),
            (60 * NANOS, Beat::Minute),
            (NANOS, Beat::Second),
            (NANOS / 1_000, Beat::Millisecond),
            (1_000, Beat::Microsecond),
        ];
        let nanoseconds = (u64::try_from(nanos).unwrap_or(u64::MAX), Beat::Nanosecond);
        sizes.into_iter().find_map(of).unwrap_or(nanoseconds)
    }
}

fn between(moments: &[i64], units: &Units) -> Option<Found> {
    if moments.len() < MOMENTS {
        return None;
    }
    let steps = || moments.windows(2).map(|pair| pair[1].abs_diff(pair[0]));
    let common = most_common(steps)?;
    if common >= units.month().unsigned_abs()
        && let Some(found) = by_calendar(moments, units)
    {
        return Some(found);
    }
    let step = is_rhythm(common, steps).then_some(common)?;
    // What is longer by less than half is the same step: a day when clocks are changed.
    let rounded = |length: u64| (length + step / 2) / step;
    Some(found(moments, units.named(step), |from, to| rounded(to.abs_diff(from))))
}

/// Counts the gaps; `steps` says how many steps lie between two moments.
fn found(moments: &[i64], step: (u64, Beat), steps: impl Fn(i64, i64) -> u64) -> Found {
    let mut found = Found { step, count: 0, missing: 0, longest: None };
    for pair in moments.windows(2) {
        let missing = steps(pair[0], pair[1]).saturating_sub(1);
        if missing == 0 {
            continue;
        }
        found.count += 1;
        found.missing += missing;
        let longest = found.longest.map_or(0, |(from, to)| to.abs_diff(from));
        if pair[1].abs_diff(pair[0]) > longest {
            found.longest = Some((pair[0], pair[1]));
        }
    }
    found
}

/// Months, quarters and years: the same day of the month, or its last, at the same time.
fn by_calendar(moments: &[i64], units: &Units) -> Option<Found> {
    let months = |from: i64, to: i64| -> Option<u64> {
        let (from, to) = (units.moment(from)?, units.moment(to)?);
        let is_last = |at: NaiveDateTime| at.date().succ_opt().is_some_and(|next| next.day() == 1);
        let same = from.day() == to.day() || (is_last(from) && is_last(to));
        let count = |at: NaiveDateTime| i64::from(at.year()) * 12 + i64::from(at.month0());
        (same && from.time() == to.time()).then(|| count(to).abs_diff(count(from)))
    };
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for pair in moments.windows(2) {
        if let Some(months) = months(pair[0], pair[1]) {
            *counts.entry(months).or_default() += 1;
        }
    }
    let (&step, &count) = counts.iter().max_by_key(|(step, count)| (**count, u64::MAX - **step))?;
    let all = moments.len() - 1;
    let fits = counts.iter().filter(|(months, _)| months.is_multiple_of(step));
    let fits: usize = fits.map(|(_, count)| count).sum();
    if step == 0 || !(count * 2 > all || (count * 4 >= all && fits == all)) {
        return None;
    }
    let named = match step {
        step if step.is_multiple_of(12) => (step / 12, Beat::Year),
        step if step.is_multiple_of(3) => (step / 3, Beat::Quarter),
        step => (step, Beat::Month),
    };
    Some(found(moments, named, |from, to| months(from, to).map_or(1, |months| months / step)))
}

/// The most common of some numbers, if it is a quarter of them or more, in two walks and
/// without a table of them all (Misra and Gries 1982). Of equally common ones the least.
fn most_common<I: Iterator<Item = u64>>(steps: impl Fn() -> I) -> Option<u64> {
    let mut candidates: Vec<(u64, u64)> = Vec::with_capacity(CANDIDATES);
    for step in steps() {
        if let Some((_, count)) = candidates.iter_mut().find(|(known, _)| *known == step) {
            *count += 1;
        } else if candidates.len() < CANDIDATES {
            candidates.push((step, 1));
        } else {
            candidates.iter_mut().for_each(|(_, count)| *count -= 1);
            candidates.retain(|(_, count)| *count > 0);
        }
    }
    candidates.iter_mut().for_each(|(_, count)| *count = 0);
    for step in steps() {
        if let Some((_, count)) = candidates.iter_mut().find(|(known, _)| *known == step) {
            *count += 1;
        }
    }
    let common = candidates.into_iter().max_by_key(|(step, count)| (*count, u64::MAX - step));
    common.map(|(step, _)| step)
}

fn is_rhythm<I: Iterator<Item = u64>>(step: u64, steps: impl Fn() -> I) -> bool {
    let (mut all, mut same, mut whole) = (0_u64, 0_u64, 0_u64);
    for other in steps() {
        all += 1;
        same += u64::from(other == step);
        whole += u64::from(other.is_multiple_of(step));
    }
    same * 2 > all || (same * 4 >= all && whole == all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_days(days: &[i64]) -> Option<String> {
        let show = |day: i64| Some(day.to_string());
        let found = gaps(days, 0, &show, &show)?;
        let rhythm = found.rhythm();
        let longest = found.longest.map(|(from, to)| format!(", {from} to {to}"));
        Some(format!("{rhythm}: {}, {}{}", found.count, found.missing, longest.unwrap_or_default()))
    }

    #[test]
    fn a_gap_is_a_step_longer_than_the_rhythm() {
        for (days, want) in [
            ((0..30).collect::<Vec<_>>(), "daily: 0, 0"),
            ((0..10).chain(12..20).chain(25..30).collect(), "daily: 2, 7, 19 to 25"),
            ((0..20).map(|week| week * 7).collect(), "weekly: 0, 0"),
            ((0..20).map(|at| at * 28).collect(), "every 4 weeks: 0, 0"),
            (
                (0..20).filter(|at| at % 3 > 0).map(|at| at * 5).collect(),
                "every 5 days: 6, 6, 10 to 20",
            ),
            // The first of each month of 1970, without June.
            (vec![0, 31, 59, 90, 120, 181, 212], "monthly: 1, 1, 120 to 181"),
            // The last of each quarter from December 1969, without September 1970.
            (vec![-1, 89, 180, 364, 454, 545], "quarterly: 1, 1, 180 to 364"),
            (vec![0, 365, 730, 1096, 1826], "yearly: 1, 1, 1096 to 1826"),
        ] {
            assert_eq!(of_days(&days).as_deref(), Some(want), "{days:?}");
        }
        assert_eq!(of_days(&[0, 1, 9]), None, "too few");
        assert_eq!(of_days(&[0, 1, 9, 30, 34, 60, 71, 83, 99]), None, "no rhythm");
    }

    #[test]
    fn the_least_of_equally_common_steps_is_the_step() {
        let steps = [5_u64, 2, 5, 2, 9];
        assert_eq!(most_common(|| steps.into_iter()), Some(2));
        let many: Vec<u64> = (0..1_000).map(|n| if n % 3 == 0 { 7 } else { n }).collect();
        assert_eq!(most_common(|| many.iter().copied()), Some(7));
    }
}
