//! Times put together: seconds, minutes, hours, days, weeks, months, quarters or years.

use super::ask::TABLE;
use super::column::Column;
use super::setting::Setting;
use crate::room::RoomError;

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// A span of time that a calendar or a clock has a name for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// As `date_trunc` has it.
    pub name: &'static str,
    /// About how long it is, in microseconds.
    micros: i64,
    /// The pattern that shows where it begins.
    pub pattern: &'static str,
}

const SPANS: [Span; 8] = [
    Span { name: "second", micros: SECOND, pattern: "YYYY-MM-DD HH24:MI:SS" },
    Span { name: "minute", micros: 60 * SECOND, pattern: "YYYY-MM-DD HH24:MI" },
    Span { name: "hour", micros: 3_600 * SECOND, pattern: "YYYY-MM-DD HH24:00" },
    Span { name: "day", micros: DAY, pattern: "YYYY-MM-DD" },
    Span { name: "week", micros: 7 * DAY, pattern: "YYYY-MM-DD" },
    Span { name: "month", micros: 30 * DAY, pattern: "YYYY-MM" },
    Span { name: "quarter", micros: 91 * DAY, pattern: "YYYY-MM" },
    Span { name: "year", micros: 365 * DAY, pattern: "YYYY" },
];

/// The shortest span of which not more than `most` make up this time.
pub(super) fn span_of(from: i64, to: i64, most: i64) -> Span {
    let all = to.saturating_sub(from);
    let fits = |span: &&Span| all / span.micros < most;
    SPANS.iter().find(fits).copied().unwrap_or(SPANS[7])
}

impl Span {
    /// Where a time's span begins.
    pub(super) fn of(self, value: &str) -> String {
        format!("date_trunc('{}', {value})", self.name)
    }

    /// The text of where it begins.
    pub(super) fn label(self, value: &str) -> String {
        format!("to_char({}, '{}')", self.of(value), self.pattern)
    }
}

/// What is known of a column of times or numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent<T> {
    /// Rows.
    pub rows: u64,
    /// Different values.
    pub different: u64,
    /// The smallest and the largest.
    pub ends: Option<(T, T)>,
}

impl Setting<'_> {
    pub(super) fn times(&self, x: &Column, rows: &str) -> Result<Extent<i64>, RoomError> {
        let value = x.value();
        let sql = format!(
            "SELECT count(*) AS n, count(DISTINCT {value}) AS d, min({value}) AS a, \
             max({value}) AS b FROM {TABLE} WHERE {rows}"
        );
        let answer = self.asker.rows(&sql)?;
        let end = |at| Ok::<_, RoomError>(answer.micros(at)?.first().copied().flatten());
        let ends = end(2)?.zip(end(3)?);
        Ok(Extent { rows: answer.count(0)?, different: answer.count(1)?, ends })
    }

    pub(super) fn numbers(&self, x: &Column, rows: &str) -> Result<Extent<f64>, RoomError> {
        let value = x.double();
        let sql = format!(
            "SELECT count(*) AS n, count(DISTINCT {value}) AS d, min({value}) AS a, \
             max({value}) AS b FROM {TABLE} WHERE {rows}"
        );
        let answer = self.asker.rows(&sql)?;
        let ends = answer.number(2)?.zip(answer.number(3)?);
        Ok(Extent { rows: answer.count(0)?, different: answer.count(1)?, ends })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_span_that_is_not_too_many() {
        for (days, most, expected) in [
            (1, 100, "hour"),
            (30, 60, "day"),
            (365, 60, "week"),
            (365, 40, "month"),
            (4_000, 60, "quarter"),
            (40_000, 60, "year"),
        ] {
            assert_eq!(span_of(0, days * DAY, most).name, expected, "{days} {most}");
        }
        assert_eq!(span_of(i64::MIN, i64::MAX, 5).name, "year");
        assert_eq!(span_of(5, 5, 1).name, "second");
    }
}
