//! Which values of a column have a place of their own, and in which order.
//!
//! A column of a million texts has room for thirty bars: those with the most of what the
//! chart shows stay, the rest is one place more, `other`. It is chosen by the engine, so that
//! no list of all values is ever in memory here.

use super::Sort;
use super::ask::{TABLE, text};
use super::column::{Column, Role};
use super::setting::{Setting, grouped};
use crate::room::RoomError;

/// The places of a column's values.
pub(super) struct Keys {
    /// What they are called, in their order; without the one for the rest.
    pub labels: Vec<String>,
    /// The expression of a row's place; NULL for the rest.
    pub sql: String,
    /// Values that have no place of their own.
    pub others: u64,
}

impl Keys {
    /// The places' names, with the one for the rest.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names = self.labels.clone();
        if self.others > 0 {
            let is_taken = names.iter().any(|name| name == "other");
            names.push(if is_taken { "other (the rest)" } else { "other" }.to_owned());
        }
        names
    }

    /// The place of a row's key.
    pub(super) fn place(&self, key: Option<&String>) -> Option<usize> {
        match key {
            Some(key) => self.labels.iter().position(|label| label == key),
            None => (self.others > 0).then_some(self.labels.len()),
        }
    }
}

/// How places are chosen.
pub(super) struct Choice<'c> {
    /// The text that names a row's place.
    pub label: &'c str,
    /// What goes into `rank` as `v`, for each row.
    pub value: &'c str,
    /// What the places are ranked by: an aggregate of `v`.
    pub rank: &'c str,
    /// The condition of the rows.
    pub rows: &'c str,
    /// The most of them.
    pub most: usize,
    /// Their order; by name if `None`.
    pub sort: Option<Sort>,
}

impl Setting<'_> {
    /// The places of a column, and a note if some have none.
    pub(super) fn keys(&mut self, column: &Column, choice: &Choice<'_>) -> Result<Keys, RoomError> {
        let Choice { label, value, rank, rows, most, sort } = *choice;
        let order = if sort == Some(Sort::Ascending) { "ASC" } else { "DESC" };
        let inner = format!(
            "SELECT {label} AS k, {} AS o, {value} AS v FROM {TABLE} WHERE {rows}",
            column.value()
        );
        let sql = format!(
            "SELECT k, min(o) AS o, {rank} AS r FROM ({inner}) AS i GROUP BY k \
             ORDER BY r {order} NULLS LAST, k LIMIT {}",
            most + 1
        );
        let answer = self.asker.rows(&sql)?;
        let labels = answer.texts(0)?;
        let orders = match column.role {
            Role::Category => vec![None; labels.len()],
            Role::Number | Role::Time => answer.numbers(1)?,
        };
        let mut all: Vec<(String, Option<f64>)> = labels
            .into_iter()
            .zip(orders)
            .map(|(label, at)| (label.unwrap_or_default(), at))
            .collect();
        let mut others = 0;
        if all.len() > most {
            all.truncate(most);
            let sql = format!("SELECT count(DISTINCT k) AS n FROM ({inner}) AS i");
            let different = self.asker.rows(&sql)?.count(0)?;
            others = different.saturating_sub(most as u64);
            let which = match sort {
                Some(Sort::Ascending) => "smallest",
                _ if rank == "count(*)" => "most frequent",
                _ => "largest",
            };
            self.notes.push(format!(
                "the {most} {which} of {} values of {}, the rest as other",
                grouped(different),
                column.name
            ));
        }
        if matches!(sort, None | Some(Sort::Name)) {
            by_name(&mut all);
        }
        let labels: Vec<String> = all.into_iter().map(|(label, _)| label).collect();
        let sql = match others {
            0 => label.to_owned(),
            _ => {
                let list: Vec<String> = labels.iter().map(|label| text(label)).collect();
                format!("CASE WHEN {label} IN ({}) THEN {label} END", list.join(", "))
            }
        };
        Ok(Keys { labels, sql, others })
    }

    /// The places of the series, the largest first; at most `most`.
    pub(super) fn series_keys(&mut self, rows: &str) -> Result<Option<Keys>, RoomError> {
        const SERIES: usize = 8;
        let Some(series) = self.series.clone() else { return Ok(None) };
        let label = series.label();
        let choice =
            Choice { label: &label, value: "1", rank: "count(*)", rows, most: SERIES, sort: None };
        self.keys(&series, &choice).map(Some)
    }
}

const DAYS: &[&str] =
    &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const MONTHS: &[&str] = &[
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

/// The place of a day's or a month's name, whole or by its first letters.
fn in_calendar(list: &[&str], label: &str) -> Option<usize> {
    let label = label.to_lowercase();
    list.iter().position(|word| label.len() >= 3 && word.starts_with(&label))
}

/// Whether all of these are days, or all are months.
pub(super) fn is_calendar(labels: &[String]) -> bool {
    [DAYS, MONTHS].iter().any(|list| labels.iter().all(|l| in_calendar(list, l).is_some()))
}

/// Numbers and times by size, days and months by the calendar, other texts by their letters.
fn by_name(all: &mut [(String, Option<f64>)]) {
    for list in [DAYS, MONTHS] {
        if all.iter().all(|(label, _)| in_calendar(list, label).is_some()) {
            all.sort_by_key(|(label, _)| in_calendar(list, label));
            return;
        }
    }
    all.sort_by(|(one, at), (other, there)| {
        let (at, there) = (at.unwrap_or(0.0), there.unwrap_or(0.0));
        at.total_cmp(&there).then_with(|| one.cmp(other))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(labels: &[&str]) -> Vec<String> {
        let mut all: Vec<_> = labels.iter().map(|label| ((*label).to_owned(), None)).collect();
        by_name(&mut all);
        all.into_iter().map(|(label, _)| label).collect()
    }

    #[test]
    fn days_and_months_are_in_the_calendar_s_order_and_other_texts_in_that_of_letters() {
        assert_eq!(ordered(&["Fri", "Mon", "Sun"]), ["Mon", "Fri", "Sun"]);
        assert_eq!(ordered(&["March", "January", "april"]), ["January", "March", "april"]);
        assert_eq!(ordered(&["Mon", "Fri", "Monetary unit"]), ["Fri", "Mon", "Monetary unit"]);
        assert_eq!(ordered(&["b", "Mon", "a"]), ["Mon", "a", "b"]);
    }

    #[test]
    fn a_value_called_other_is_not_the_rest() {
        let keys = |labels: &[&str]| Keys {
            labels: labels.iter().map(|label| (*label).to_owned()).collect(),
            sql: String::new(),
            others: 2,
        };
        assert_eq!(keys(&["a"]).names(), ["a", "other"]);
        assert_eq!(keys(&["other"]).names(), ["other", "other (the rest)"]);
        assert_eq!(keys(&["other"]).place(None), Some(1));
        assert_eq!(keys(&["other"]).place(Some(&"other".to_owned())), Some(0));
    }
}
