//! Days since 1970 and the calendar that Python's dates go by.

/// The days of the years 1 to 9999, which are those of `datetime.date`.
pub(super) const DAYS: std::ops::RangeInclusive<i32> = -719_162..=2_932_896;

/// From the first of March of the year 0, in years that begin with March, so that the
/// day that is now and then added is a year's last.
const EPOCH: i32 = 719_468;
const YEARS: i32 = 400;
const DAYS_IN_YEARS: i32 = 146_097;

/// Year, month and day.
pub(super) fn date(days: i32) -> (u16, u8, u8) {
    let days = days + EPOCH;
    let (era, day) = (days.div_euclid(DAYS_IN_YEARS), days.rem_euclid(DAYS_IN_YEARS));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * YEARS + i32::from(month <= 2);
    (year as u16, month as u8, day as u8)
}

/// Days since 1970 of a date; none, if there is no such day.
pub(in super::super) fn days((year, month, day): (u16, u8, u8)) -> Option<i32> {
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (month, wanted) = (i32::from(month), (year, month, day));
    let years = i32::from(year) - i32::from(month <= 2);
    let (era, year) = (years.div_euclid(YEARS), years.rem_euclid(YEARS));
    let month = if month > 2 { month - 3 } else { month + 9 };
    let day = (153 * month + 2) / 5 + i32::from(day) - 1;
    let day = year * 365 + year / 4 - year / 100 + day;
    let days = era * DAYS_IN_YEARS + day - EPOCH;
    (date(days) == wanted).then_some(days)
}

#[cfg(test)]
mod tests {
    use arrow::temporal_conversions::date32_to_datetime;

    use super::*;

    /// Every day that Python has, as another calendar has it.
    #[test]
    fn every_day_is_the_day_that_it_is() {
        for day in DAYS {
            let there = date32_to_datetime(day).unwrap().date();
            let (year, month, date_of) = date(day);
            let text = format!("{year:04}-{month:02}-{date_of:02}");
            assert_eq!(text, there.to_string(), "{day}");
            assert_eq!(days((year, month, date_of)), Some(day));
        }
        assert_eq!(days((1970, 1, 1)), Some(0));
        for none in [(2023, 2, 29), (2024, 4, 31), (0, 1, 1), (10_000, 1, 1), (2024, 13, 1)] {
            assert_eq!(days(none), None);
        }
    }
}
