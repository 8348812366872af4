//! Lines and areas: values over time, numbers or names.
//!
//! A line has as many points as an eye can tell apart. More of them are put together by what
//! the chart computes where several rows share a place (a sum by day), and where each row is
//! a measurement of its own the smallest and the largest value of each narrow range stay, so
//! that no peak is lost.

use arrow::record_batch::RecordBatch;

use super::ask::{TABLE, numbers, texts};
use super::bars::{Computed, Places, Spread};
use super::column::{Column, Role};
use super::keys::{Choice, Keys};
use super::setting::{Setting, grouped};
use super::{Aggregate, ChartError, ChartKind};
use crate::present::chart::figure::{Arranged, Axis, Named, Plot, Positions};
use crate::room::RoomError;
use crate::sql::SqlError;

/// Lines, with a value or none for each position.
type Drawn = Vec<Named<Vec<Option<f64>>>>;

/// Points of a line.
const POINTS: u64 = 2_000;
/// Spans of time that values are put together in.
const MOMENTS: i64 = 500;
/// Ranges whose smallest and largest values stay.
const RANGES: usize = 1_000;
/// Names along a line.
const NAMES: usize = 100;

impl Setting<'_> {
    pub(super) fn lines(&mut self) -> Result<(Axis, Axis, Option<Axis>, Plot), RoomError> {
        let x = self.across("the column along the line: a time or a number")?;
        let computed = self.computed()?;
        let rows = self.rows_of(&x)?;
        let series = self.series_keys(&rows)?;
        let area = (self.kind() == ChartKind::Area).then_some(match () {
            () if self.request.shares => Arranged::Shares,
            () if self.request.stacked => Arranged::Stacked,
            () => Arranged::Apart,
        });
        let all = computed.borrowed();
        let places = match x.role {
            Role::Category => {
                let label = x.label();
                let most = self.request.top.map_or(NAMES, |n| usize::try_from(n).unwrap_or(NAMES));
                let first = computed.of.first();
                let value = first.map_or_else(|| "1".to_owned(), |(_, column)| column.value());
                let rank = first.map_or_else(|| "count(*)".to_owned(), |(a, _)| a.sql("v"));
                let (rows, sort) = (rows.as_str(), self.request.sort);
                let choice = Choice { label: &label, value: &value, rank: &rank, rows, most, sort };
                Places::Keys(self.keys(&x, &choice)?)
            }
            Role::Time | Role::Number => {
                let repeats = self.repeats(&x, series.as_ref(), &rows)?;
                match repeats {
                    Repeats::Few if x.role == Role::Time => Places::Times(x.value()),
                    Repeats::Few => Places::Numbers(x.double()),
                    Repeats::Shared if x.role == Role::Time => {
                        self.time_places(&x, &rows, MOMENTS)?
                    }
                    Repeats::Shared => self.number_places(&x, &rows)?,
                    // Amounts of many moments are what a day or a month has of them.
                    Repeats::Alone if self.is_put_together(&x, &computed) => match x.role {
                        Role::Time => self.time_places(&x, &rows, MOMENTS)?,
                        _ => self.number_places(&x, &rows)?,
                    },
                    Repeats::Alone => {
                        let (at, named) = self.narrowed(&x, series.as_ref(), &computed, &rows)?;
                        self.unless_empty(&named)?;
                        let y = self.values_axis(&all, true);
                        return Ok((x.axis(), y, None, Plot::Lines { at, series: named, area }));
                    }
                }
            }
        };
        let answer = self.table(&places, series.as_ref(), &computed, &rows)?;
        let Spread { at, named, plain } =
            self.spread(&answer, &places, series.as_ref(), &computed)?;
        self.unless_empty(&named)?;
        self.note_aggregates(&all, &x, plain);
        let y = self.values_axis(&all, plain);
        Ok((x.axis(), y, None, Plot::Lines { at, series: named, area }))
    }

    /// Whether values are put together though each has a place of its own.
    fn is_put_together(&self, x: &Column, computed: &Computed) -> bool {
        let is_sum = |(aggregate, _): &(Aggregate, Column)| *aggregate == Aggregate::Sum;
        computed.of.is_empty()
            || self.request.aggregate.is_some()
            || x.role == Role::Time && computed.of.iter().all(is_sum)
    }

    /// Whether rows share their place along the line.
    fn repeats(&self, x: &Column, series: Option<&Keys>, rows: &str) -> Result<Repeats, RoomError> {
        let (rows, different) = match x.role {
            Role::Time => {
                let extent = self.times(x, rows)?;
                (extent.rows, extent.different)
            }
            _ => {
                let extent = self.numbers(x, rows)?;
                (extent.rows, extent.different)
            }
        };
        if different <= POINTS {
            return Ok(Repeats::Few);
        }
        let lines = series.map_or(1, |keys| keys.names().len()) as u64;
        let shared = rows > different.saturating_mul(lines).saturating_mul(3) / 2;
        Ok(if shared { Repeats::Shared } else { Repeats::Alone })
    }

    /// Numbers put together in ranges of the same width.
    fn number_places(&mut self, x: &Column, rows: &str) -> Result<Places, RoomError> {
        let extent = self.numbers(x, rows)?;
        let Some((low, high)) = extent.ends else { return Ok(Places::Numbers(x.double())) };
        let step = super::spread::step((high - low) / 400.0);
        let step = if x.whole { step.max(1.0) } else { step };
        self.notes.push(format!("{} in ranges of {step}", x.name));
        let width = super::ask::float(step);
        Ok(Places::Numbers(format!("floor({} / {width}) * {width}", x.double())))
    }

    /// The smallest and the largest value of each range, of each line.
    fn narrowed(
        &mut self,
        x: &Column,
        series: Option<&Keys>,
        computed: &Computed,
        rows: &str,
    ) -> Result<(Positions, Drawn), RoomError> {
        let (count, low, high) = match x.role {
            Role::Time => {
                let extent = self.times(x, rows)?;
                let (low, high) = extent.ends.unwrap_or_default();
                #[expect(clippy::cast_precision_loss, reason = "places on an axis")]
                (extent.rows, low as f64, high as f64)
            }
            _ => {
                let extent = self.numbers(x, rows)?;
                let (low, high) = extent.ends.unwrap_or_default();
                (extent.rows, low, high)
            }
        };
        let values: String = computed
            .of
            .iter()
            .enumerate()
            .map(|(at, (_, column))| format!(", {} AS v{at}", column.double()))
            .collect();
        let place = if x.role == Role::Time { x.value() } else { x.double() };
        let key = series.map_or("NULL", |keys| keys.sql.as_str());
        let sql = format!("SELECT {place} AS x, {key} AS s{values} FROM {TABLE} WHERE {rows}");
        let names = match series {
            Some(keys) => keys.names(),
            None => computed.of.iter().map(|(_, column)| column.name.clone()).collect(),
        };
        let ranges = Ranges::new(low, high, names.len());
        let known = series.map(|keys| (keys.labels.clone(), keys.others > 0));
        let columns = computed.of.len();
        let ranges = self.asker.fold(&sql, ranges, move |ranges: &mut Ranges, batch| {
            ranges.take(batch, known.as_ref(), columns)
        })?;
        self.notes.push(format!(
            "{} values: the smallest and the largest of each of {} ranges are drawn",
            grouped(count),
            grouped(RANGES as u64)
        ));
        let (at, of) = ranges.finish();
        let named = names.into_iter().zip(of).map(|(name, of)| Named { name, of }).collect();
        #[expect(clippy::cast_possible_truncation, reason = "they were microseconds before")]
        let at = match x.role {
            Role::Time => Positions::Times(at.into_iter().map(|at| at as i64).collect()),
            _ => Positions::Numbers(at),
        };
        Ok((at, named))
    }
}

enum Repeats {
    /// Not more places than can be drawn.
    Few,
    /// Several rows to a place.
    Shared,
    /// A row to a place.
    Alone,
}

/// Smallest and largest values by range, in memory that does not grow with the rows.
struct Ranges {
    low: f64,
    width: f64,
    /// For each line and range: the value that came first of the two ends, and the other.
    ends: Vec<Vec<Option<End>>>,
}

#[derive(Clone, Copy)]
struct End {
    least: (f64, f64),
    most: (f64, f64),
}

impl Ranges {
    fn new(low: f64, high: f64, lines: usize) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a thousand")]
        let width = (high - low) / RANGES as f64;
        Self { low, width, ends: vec![vec![None; RANGES]; lines] }
    }

    fn take(
        &mut self,
        batch: &RecordBatch,
        series: Option<&(Vec<String>, bool)>,
        columns: usize,
    ) -> Result<(), SqlError> {
        let places = numbers(batch.column(0))?;
        let lines: Option<Vec<Option<usize>>> = match series {
            None => None,
            Some((labels, others)) => {
                let rest = others.then_some(labels.len());
                let line = |key: Option<String>| match key {
                    Some(key) => labels.iter().position(|label| *label == key),
                    None => rest,
                };
                Some(texts(batch.column(1))?.into_iter().map(line).collect())
            }
        };
        for column in 0..columns {
            let values = numbers(batch.column(2 + column))?;
            for (row, (place, value)) in places.iter().zip(values).enumerate() {
                let line = lines.as_ref().map_or(Some(column), |lines| lines[row]);
                if let (Some(place), Some(value), Some(line)) = (*place, value, line) {
                    self.add(line, place, value);
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, line: usize, place: f64, value: f64) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to a thousand"
        )]
        let at = (((place - self.low) / self.width) as usize).min(RANGES - 1);
        let slot = &mut self.ends[line][at];
        let end = slot.get_or_insert(End { least: (place, value), most: (place, value) });
        // Of equal values the one farther left, so that the order of rows changes nothing.
        if value < end.least.1 || value <= end.least.1 && place < end.least.0 {
            end.least = (place, value);
        }
        if value > end.most.1 || value >= end.most.1 && place < end.most.0 {
            end.most = (place, value);
        }
    }

    /// Two places for each range, and each line's values there.
    fn finish(self) -> (Vec<f64>, Vec<Vec<Option<f64>>>) {
        let filled: Vec<usize> =
            (0..RANGES).filter(|at| self.ends.iter().any(|line| line[*at].is_some())).collect();
        #[expect(clippy::cast_precision_loss, reason = "a thousand")]
        let place = |at: usize, half: f64| self.low + self.width * (at as f64 + half);
        let places = filled.iter().flat_map(|at| [place(*at, 0.25), place(*at, 0.75)]).collect();
        let of = |line: &Vec<Option<End>>| {
            let two = |at: &usize| match line[*at] {
                None => [None, None],
                Some(End { least, most }) if least.0 <= most.0 => [Some(least.1), Some(most.1)],
                Some(End { least, most }) => [Some(most.1), Some(least.1)],
            };
            filled.iter().flat_map(two).collect()
        };
        (places, self.ends.iter().map(of).collect())
    }
}

impl Setting<'_> {
    /// An error for a kind that needs numbers along it.
    pub(super) fn must_be_a_line(&self, x: &Column) -> Result<(), ChartError> {
        x.must_be("x", self.kind(), &[Role::Number, Role::Time], "a number or a time")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_peak_is_lost_and_the_order_of_rows_changes_nothing() {
        let rows: Vec<(f64, f64)> = (0..100_000u32)
            .map(|n| (f64::from(n), if n == 54_321 { 9.0 } else { f64::from(n % 7) / 7.0 }))
            .collect();
        let of = |rows: &mut dyn Iterator<Item = &(f64, f64)>| {
            let mut ranges = Ranges::new(0.0, 99_999.0, 1);
            rows.for_each(|(x, y)| ranges.add(0, *x, *y));
            ranges.finish()
        };
        let (places, lines) = of(&mut rows.iter());
        assert_eq!(places.len(), 2 * RANGES);
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
        let peaks: Vec<f64> = places
            .iter()
            .zip(&lines[0])
            .filter(|(_, y)| **y == Some(9.0))
            .map(|(x, _)| *x)
            .collect();
        assert!(matches!(peaks.as_slice(), [x] if (x - 54_321.0).abs() < 100.0), "{peaks:?}");
        assert_eq!((places, lines), of(&mut rows.iter().rev()));
    }
}
