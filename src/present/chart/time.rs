//! Moments on an axis: whole years, months, days or hours, named by what changes.
//!
//! A tick says its own unit ("Mar", "06:00") and, below, the larger one where that is new
//! ("2024", "5 Mar 2024"), so that nothing is said twice. Arithmetic is on integers, by the
//! Gregorian calendar in both directions: there is no year that cannot be written.

const SECOND: i64 = 1_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Year, month from 1, day from 1 of a day since 1970; Howard Hinnant's algorithm.
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (yoe + era * 400 + i64::from(month <= 2), month, doy - (153 * mp + 2) / 5 + 1)
}

/// The day since 1970 of a date.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let mp = (month + 9) % 12;
    let doy = (153 * mp + 2) / 5 + day - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

/// A float as a moment.
pub(super) fn moment(value: f64) -> i64 {
    value.round() as i64
}

fn date_of(at: i64) -> (i64, i64, i64) {
    civil(at.div_euclid(DAY))
}

fn year_text(year: i64) -> String {
    if year < 0 { format!("−{:04}", -year) } else { format!("{year:04}") }
}

fn date_text(at: i64) -> String {
    let (year, month, day) = date_of(at);
    format!("{day} {} {}", MONTHS[(month - 1) as usize], year_text(year))
}

fn clock_text(at: i64, least: i64) -> String {
    let rest = at.rem_euclid(DAY);
    let mut text = format!("{:02}:{:02}", rest / HOUR, rest % HOUR / MINUTE);
    if least < MINUTE {
        text.push_str(&format!(":{:02}", rest % MINUTE / SECOND));
    }
    if least < SECOND {
        let fraction = format!("{:06}", rest % SECOND);
        let places = if least >= 1000 { 3 } else { 6 };
        text.push('.');
        text.push_str(&fraction[..places]);
    }
    text
}

/// How finely moments are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Grain {
    Years,
    Quarters,
    Months,
    Days,
    Minutes,
    Seconds,
    Fractions,
}

impl Grain {
    /// The coarsest that tells all of them.
    pub fn of(moments: impl Iterator<Item = i64>) -> Self {
        let one = |at: i64| {
            let (_, month, day) = date_of(at);
            match at.rem_euclid(DAY) {
                0 if day == 1 && month == 1 => Self::Years,
                0 if day == 1 && month % 3 == 1 => Self::Quarters,
                0 if day == 1 => Self::Months,
                0 => Self::Days,
                rest if rest % MINUTE == 0 => Self::Minutes,
                rest if rest % SECOND == 0 => Self::Seconds,
                _ => Self::Fractions,
            }
        };
        moments.map(one).max().unwrap_or(Self::Days)
    }

    /// A moment, by itself.
    pub fn write(self, at: i64) -> String {
        let (year, month, _) = date_of(at);
        let name = MONTHS[(month - 1) as usize];
        match self {
            Self::Years => year_text(year),
            Self::Quarters | Self::Months => format!("{name} {}", year_text(year)),
            Self::Days => date_text(at),
            Self::Minutes => format!("{} {}", date_text(at), clock_text(at, MINUTE)),
            Self::Seconds => format!("{} {}", date_text(at), clock_text(at, SECOND)),
            Self::Fractions => format!("{} {}", date_text(at), clock_text(at, 1)),
        }
    }
}

/// What is between two ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Micros(i64),
    Days(i64),
    Months(i64),
}

impl Step {
    fn micros(self) -> f64 {
        match self {
            Self::Micros(n) => n as f64,
            Self::Days(n) => (n * DAY) as f64,
            Self::Months(n) => n as f64 * DAY as f64 * 30.437,
        }
    }

    /// The tick at a moment or the first after it.
    fn first(self, at: i64) -> i64 {
        match self {
            Self::Micros(n) => {
                at.div_euclid(n).saturating_add(i64::from(at.rem_euclid(n) > 0)).saturating_mul(n)
            }
            // Weeks begin on Monday; the first of 1970 was the fifth.
            Self::Days(7) => {
                (at - 4 * DAY).div_euclid(7 * DAY) * 7 * DAY
                    + 4 * DAY
                    + if (at - 4 * DAY).rem_euclid(7 * DAY) > 0 { 7 * DAY } else { 0 }
            }
            Self::Days(n) => Self::Micros(n * DAY).first(at),
            Self::Months(n) => {
                let (year, month, _) = date_of(at);
                let start = (year * 12 + month - 1).div_euclid(n) * n;
                let tick = Self::month(start);
                if tick >= at { tick } else { Self::month(start + n) }
            }
        }
    }

    fn month(months: i64) -> i64 {
        days(months.div_euclid(12), months.rem_euclid(12) + 1, 1).saturating_mul(DAY)
    }

    fn next(self, at: i64) -> i64 {
        match self {
            Self::Micros(n) => at.saturating_add(n),
            Self::Days(n) => at.saturating_add(n * DAY),
            Self::Months(n) => {
                let (year, month, _) = date_of(at);
                Self::month(year * 12 + month - 1 + n)
            }
        }
    }
}

/// Steps that a clock and a calendar have, ascending.
fn steps() -> Vec<Step> {
    let mut steps = Vec::new();
    for power in [1, 10, 100, 1000, 10_000, 100_000] {
        steps.extend([1, 2, 5].map(|n| Step::Micros(n * power)));
    }
    steps.extend([1, 2, 5, 10, 15, 30].map(|n| Step::Micros(n * SECOND)));
    steps.extend([1, 2, 5, 10, 15, 30].map(|n| Step::Micros(n * MINUTE)));
    steps.extend([1, 2, 3, 6, 12].map(|n| Step::Micros(n * HOUR)));
    steps.extend([1, 2, 7].map(Step::Days));
    steps.extend([1, 2, 3, 6].map(Step::Months));
    for power in [1, 10, 100, 1000, 10_000] {
        steps.extend([1, 2, 5].map(|n| Step::Months(12 * n * power)));
    }
    steps
}

/// A tick of an axis of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TimeTick {
    pub at: i64,
    pub label: String,
    /// The larger unit, where it is new.
    pub under: Option<String>,
}

/// Ticks from one moment to another, about as many as asked for at most.
pub(super) fn ticks(lo: f64, hi: f64, most: usize, grain: Grain) -> Vec<TimeTick> {
    let least = (hi - lo) / most.max(1) as f64;
    // Nothing lies between days where the data knows no hours.
    let finest = match grain {
        Grain::Years => Step::Months(12).micros(),
        Grain::Quarters => Step::Months(3).micros(),
        Grain::Months => Step::Months(1).micros(),
        Grain::Days => DAY as f64,
        _ => 0.0,
    };
    let all = steps();
    let fits = |step: &&Step| step.micros() >= least && step.micros() >= finest;
    let step = all.iter().find(fits).copied().unwrap_or(Step::Months(120_000));
    let (lo, hi) = (lo.ceil() as i64, hi.floor() as i64);
    let mut found = Vec::new();
    let mut at = step.first(lo);
    while at <= hi && at >= lo && found.len() < 100 {
        found.push(at);
        let next = step.next(at);
        if next <= at {
            break;
        }
        at = next;
    }
    labelled(&found, step, grain)
}

fn labelled(moments: &[i64], step: Step, grain: Grain) -> Vec<TimeTick> {
    let mut last = String::new();
    let mut label = |at: &i64| {
        let (year, month, day) = date_of(*at);
        let name = MONTHS[(month - 1) as usize];
        let (label, under) = match step {
            Step::Months(n) if n >= 12 => (year_text(year), String::new()),
            Step::Months(3) if grain <= Grain::Quarters => {
                (format!("Q{}", (month - 1) / 3 + 1), year_text(year))
            }
            Step::Months(_) => (name.to_owned(), year_text(year)),
            Step::Days(_) => (format!("{day} {name}"), year_text(year)),
            Step::Micros(n) => (clock_text(*at, n), date_text(*at)),
        };
        let new = under != last && !under.is_empty();
        last.clone_from(&under);
        TimeTick { at: *at, label, under: new.then_some(under) }
    };
    moments.iter().map(&mut label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Days since 1970 by Python's `date.toordinal`, and by ISO 8601 for year 0.
    #[test]
    fn dates_are_those_of_the_calendar() {
        for (day, date) in [
            (0, (1970, 1, 1)),
            (19_782, (2024, 2, 29)),
            (-719_162, (1, 1, 1)),
            (-719_528, (0, 1, 1)),
            (2_932_896, (9999, 12, 31)),
        ] {
            assert_eq!(civil(day), date);
            assert_eq!(days(date.0, date.1, date.2), day);
        }
    }

    fn shown(lo: i64, hi: i64, grain: Grain) -> String {
        let ticks = ticks(lo as f64, hi as f64, 6, grain);
        let show = |tick: &TimeTick| match &tick.under {
            Some(under) => format!("{}/{under}", tick.label),
            None => tick.label.clone(),
        };
        ticks.iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_follow_the_span() {
        let day = |y, m, d| days(y, m, d) * DAY;
        let (start, days) = (day(2024, 2, 26), Grain::Days);
        for (lo, hi, grain, wanted) in [
            (day(2019, 1, 1), day(2024, 1, 1), Grain::Years, "2019 2020 2021 2022 2023 2024"),
            (day(2023, 1, 1), day(2024, 4, 1), Grain::Quarters, "Q1/2023 Q2 Q3 Q4 Q1/2024 Q2"),
            (day(2023, 11, 1), day(2024, 3, 1), Grain::Months, "Nov/2023 Dec Jan/2024 Feb Mar"),
            (start, start + 20 * DAY, days, "26 Feb/2024 4 Mar 11 Mar"),
            (
                start,
                start + 3 * HOUR,
                Grain::Minutes,
                "00:00/26 Feb 2024 00:30 01:00 01:30 02:00 02:30 03:00",
            ),
            (
                start,
                start + 2000,
                Grain::Fractions,
                "00:00:00.000000/26 Feb 2024 00:00:00.000500 00:00:00.001000 00:00:00.001500 00:00:00.002000",
            ),
            (day(0, 1, 1), day(9999, 12, 31), days, "0000 2000 4000 6000 8000"),
        ] {
            assert_eq!(shown(lo, hi, grain), wanted);
        }
    }

    #[test]
    fn no_moment_is_too_far() {
        for (lo, hi) in [(i64::MIN as f64, i64::MAX as f64), (0.0, 0.0), (9.2e18, 9.3e18)] {
            for tick in ticks(lo, hi, 6, Grain::Fractions) {
                assert!(tick.at as f64 >= lo && tick.at as f64 <= hi);
            }
        }
        assert_eq!(Grain::Days.write(days(0, 1, 1) * DAY), "1 Jan 0000");
        assert_eq!(Grain::of([0, DAY].into_iter()), Grain::Days);
    }
}
