//! How values are spread: histograms and boxes.

use super::ask::{TABLE, numbers, texts};
use super::column::{Column, Role};
use super::keys::{Choice, Keys};
use super::setting::Setting;
use super::{ChartError, ChartKind, Sort};
use crate::present::chart::figure::{Across, Axis, Named, Plot, Quartiles};
use crate::room::RoomError;

/// Boxes beside each other.
const BOXES: usize = 20;
/// Values beyond the whiskers that a box keeps.
const OUTSIDE: usize = 100;

/// A round number that is not below `least`: 1, 2 or 5 times a power of ten.
pub(super) fn step(least: f64) -> f64 {
    if !(least.is_finite() && least > 0.0) {
        return 1.0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "a float has few digits of exponent")]
    let power = least.log10().floor() as i32;
    let round = |times: u32, power: i32| format!("{times}e{power}").parse().unwrap_or(1.0);
    let all = (power - 1..power + 2).flat_map(|p| [1, 2, 5].map(|times| round(times, p)));
    // A hair of tolerance: 0.1 + 0.2 is no reason for a step of 0.5.
    all.into_iter().find(|step: &f64| *step >= least * (1.0 - 1e-9)).unwrap_or(least)
}

/// Edges of about `wanted` ranges, on round numbers.
pub(super) fn edges(low: f64, high: f64, wanted: u64, whole: bool) -> Vec<f64> {
    #[expect(clippy::cast_precision_loss, reason = "at most 500")]
    let mut width = step((high - low) / wanted.max(1) as f64);
    if whole {
        width = width.max(1.0).round();
    }
    if low == high {
        width = if whole { 1.0 } else { step((low.abs() / 10.0).max(1e-9)) };
    }
    // Edges are whole multiples of the width, each as near to its decimal as a float can be.
    let decimals = usize::try_from(-(width.log10().floor().min(0.0) as i32)).unwrap_or(0) + 1;
    let first = (low / width).floor();
    let mut edges = Vec::new();
    for at in 0..=2 * wanted.max(1) + 4 {
        #[expect(clippy::cast_precision_loss, reason = "at most a thousand")]
        let edge = (first + at as f64) * width;
        let edge = if decimals <= 15 {
            format!("{edge:.decimals$}").parse().unwrap_or(edge)
        } else {
            edge
        };
        edges.push(edge);
        // Whole numbers have a range that begins with the largest.
        if edge > high || (!whole && edge >= high && at > 0) {
            break;
        }
    }
    edges
}

impl Setting<'_> {
    pub(super) fn histogram(&mut self) -> Result<(Axis, Axis, Option<Axis>, Plot), RoomError> {
        let x = self.across("the column whose values are counted in ranges")?;
        self.must_be_a_line(&x)?;
        let there = [Some(&x), self.series.as_ref()];
        let there: Vec<Column> = there.into_iter().flatten().cloned().collect();
        let there: Vec<&Column> = there.iter().collect();
        self.note_missing(&there)?;
        let rows = self.rows(&there);
        let (count, different, ends) = match x.role {
            Role::Time => {
                let extent = self.times(&x, &rows)?;
                #[expect(clippy::cast_precision_loss, reason = "places on an axis")]
                let ends = extent.ends.map(|(from, to)| (from as f64, to as f64));
                (extent.rows, extent.different, ends)
            }
            _ => {
                let extent = self.numbers(&x, &rows)?;
                (extent.rows, extent.different, extent.ends)
            }
        };
        let Some((low, high)) = ends else {
            let why = if self.notes.is_empty() { "no rows".into() } else { self.notes.join("; ") };
            return Err(ChartError::Empty(why).into());
        };
        // Sturges' and Rice's numbers are too few and too many; the square root is between.
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of ranges"
        )]
        let usual = (count as f64).sqrt().ceil().clamp(5.0, 40.0) as u64;
        let usual = if x.whole { usual.min(different.max(1)).max(5) } else { usual };
        let wanted = self.request.bins.unwrap_or(usual);
        let edges = match x.role {
            Role::Time => time_edges(low, high, wanted),
            _ => edges(low, high, wanted, x.whole),
        };
        let series = self.series_keys(&rows)?;
        let place = if x.role == Role::Time { x.value() } else { x.double() };
        let key = series.as_ref().map_or("NULL", |keys| keys.sql.as_str());
        let sql = format!("SELECT {place} AS x, {key} AS s FROM {TABLE} WHERE {rows}");
        let names = series.as_ref().map_or_else(|| vec![x.name.clone()], Keys::names);
        let labels = series.as_ref().map(|keys| keys.labels.clone());
        let counts = vec![vec![0_u64; edges.len() - 1]; names.len()];
        let of = edges.clone();
        let rest = names.len() - 1;
        let counts = self.asker.fold(&sql, counts, move |counts: &mut Vec<Vec<u64>>, batch| {
            let keys = labels.as_ref().map(|_| texts(batch.column(1))).transpose()?;
            for (row, value) in numbers(batch.column(0))?.into_iter().enumerate() {
                let Some(value) = value else { continue };
                let line = match (&labels, &keys) {
                    (Some(labels), Some(keys)) => keys[row]
                        .as_ref()
                        .map_or(Some(rest), |key| labels.iter().position(|label| label == key)),
                    _ => Some(0),
                };
                // The last range has its upper edge, too.
                let at = of.partition_point(|edge| *edge <= value).saturating_sub(1);
                if let Some(line) = line {
                    counts[line][at.min(of.len() - 2)] += 1;
                }
            }
            Ok(())
        })?;
        let across = if x.role == Role::Time { Across::Times } else { Across::Numbers };
        let series = names.into_iter().zip(counts).map(|(name, of)| Named { name, of }).collect();
        let y = Axis { title: "rows".to_owned(), unit: None, log: self.request.log };
        Ok((x.axis(), y, None, Plot::Histogram { across, edges, series }))
    }

    pub(super) fn boxes(&mut self) -> Result<(Axis, Axis, Option<Axis>, Plot), RoomError> {
        let missing = ChartError::Missing {
            kind: ChartKind::Box,
            argument: "y",
            what: "the column of numbers whose quartiles are drawn",
        };
        let y = self.y.first().cloned().ok_or(missing)?;
        y.must_be("y", self.kind(), &[Role::Number], "a number")?;
        let mut there = vec![y.clone()];
        there.extend(self.x.clone());
        there.extend(self.series.clone());
        let there: Vec<&Column> = there.iter().collect();
        self.note_missing(&there)?;
        let rows = self.rows(&there);
        let series = self.series_keys(&rows)?;
        let (places, axis) = match self.x.clone() {
            None => {
                let sql = super::ask::text(&y.name);
                (
                    Keys { labels: vec![y.name.clone()], sql, others: 0 },
                    Axis { title: String::new(), unit: None, log: false },
                )
            }
            Some(x) => {
                let label = self.label_of(&x, &rows, 20)?;
                let most = self.request.top.map_or(BOXES, |n| usize::try_from(n).unwrap_or(BOXES));
                let usual = (x.role == Role::Category).then_some(Sort::Descending);
                let sort = self.request.sort.or(usual);
                let (value, rank) = match self.request.sort {
                    Some(_) => (y.double(), "median(v)"),
                    None => ("1".to_owned(), "count(*)"),
                };
                let choice = Choice { label: &label, value: &value, rank, rows: &rows, most, sort };
                (self.keys(&x, &choice)?, Axis { unit: None, ..x.axis() })
            }
        };
        let series = self.quartiles(&y, &places, series.as_ref(), &rows)?;
        if series.iter().all(|one| one.of.iter().all(Option::is_none)) {
            let why = if self.notes.is_empty() { "no rows".into() } else { self.notes.join("; ") };
            return Err(ChartError::Empty(why).into());
        }
        let value = Axis { log: self.request.log, ..y.axis() };
        Ok((axis, value, None, Plot::Boxes { at: places.names(), series }))
    }

    fn quartiles(
        &mut self,
        y: &Column,
        places: &Keys,
        series: Option<&Keys>,
        rows: &str,
    ) -> Result<Vec<Named<Vec<Option<Quartiles>>>>, RoomError> {
        let key = series.map_or("''", |keys| keys.sql.as_str());
        // The rest has a name here, so that rows find their box by it.
        let data = format!(
            "SELECT {} AS k, {key} AS s, {} AS v FROM {TABLE} WHERE {rows}",
            places.sql,
            y.double()
        );
        let quarter = |q: &str| format!("percentile_cont({q}) WITHIN GROUP (ORDER BY v)");
        let sql = format!(
            "SELECT k, s, {} AS a, {} AS b, {} AS c, count(*) AS n FROM ({data}) AS i GROUP BY k, s",
            quarter("0.25"),
            quarter("0.5"),
            quarter("0.75")
        );
        let answer = self.asker.rows(&sql)?;
        let names = series.map_or_else(|| vec![String::new()], Keys::names);
        let width = places.names().len();
        let mut boxes: Vec<Vec<Option<Quartiles>>> = vec![vec![None; width]; names.len()];
        let (keys, lines) = (answer.texts(0)?, answer.texts(1)?);
        let line = |key: Option<&String>| match series {
            None => Some(0),
            Some(series) => series.place(key),
        };
        let [first, median, third, count] =
            [answer.numbers(2)?, answer.numbers(3)?, answer.numbers(4)?, answer.numbers(5)?];
        for row in 0..keys.len() {
            let at = places.place(keys[row].as_ref()).zip(line(lines[row].as_ref()));
            let all = (first[row], median[row], third[row], count[row]);
            if let (Some((place, line)), (Some(first), Some(median), Some(third), Some(count))) =
                (at, all)
            {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a count of rows"
                )]
                let count = count as u64;
                let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
                let outside = Vec::new();
                boxes[line][place] = Some(Quartiles {
                    low,
                    first,
                    median,
                    third,
                    high,
                    outside,
                    outside_count: 0,
                    count,
                });
            }
        }
        let labels = places.labels.clone();
        let rest = places.others > 0;
        let of_series = series.map(|keys| (keys.labels.clone(), keys.others > 0));
        let boxes = self.asker.fold(
            &data,
            boxes,
            move |boxes: &mut Vec<Vec<Option<Quartiles>>>, batch| {
                let place = |labels: &[String], rest: bool, key: &Option<String>| match key {
                    Some(key) => labels.iter().position(|label| label == key),
                    None => rest.then_some(labels.len()),
                };
                let (keys, lines) = (texts(batch.column(0))?, texts(batch.column(1))?);
                for (row, value) in numbers(batch.column(2))?.into_iter().enumerate() {
                    let at = place(&labels, rest, &keys[row]);
                    let line = match &of_series {
                        None => Some(0),
                        Some((labels, rest)) => place(labels, *rest, &lines[row]),
                    };
                    if let (Some(value), Some(at), Some(line)) = (value, at, line)
                        && let Some(of) = &mut boxes[line][at]
                    {
                        of.see(value);
                    }
                }
                Ok(())
            },
        )?;
        let named = names.into_iter().zip(boxes).map(|(name, mut of)| {
            of.iter_mut().flatten().for_each(Quartiles::farthest_first);
            Named { name, of }
        });
        Ok(named.collect())
    }
}

impl Quartiles {
    /// Lengthens a whisker by a value, or keeps it as one beyond.
    fn see(&mut self, value: f64) {
        let reach = 1.5 * (self.third - self.first);
        if value >= self.first - reach && value <= self.third + reach {
            self.low = self.low.min(value);
            self.high = self.high.max(value);
            return;
        }
        self.outside_count += 1;
        self.outside.push(value);
        if self.outside.len() >= 10 * OUTSIDE {
            self.farthest_first();
        }
    }

    fn farthest_first(&mut self) {
        let median = self.median;
        let far = |value: &f64| (value - median).abs();
        self.outside.sort_by(|one, other| {
            far(other).total_cmp(&far(one)).then_with(|| one.total_cmp(other))
        });
        self.outside.truncate(OUTSIDE);
        // Interpolated quartiles may have no value between the fences but themselves.
        if self.low > self.high {
            (self.low, self.high) = (self.first, self.third);
        }
    }
}

/// Edges on the calendar.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "microseconds on an axis"
)]
fn time_edges(low: f64, high: f64, wanted: u64) -> Vec<f64> {
    const SECOND: f64 = 1e6;
    const STEPS: [f64; 14] = [
        1.0,
        5.0,
        15.0,
        60.0,
        300.0,
        900.0,
        3_600.0,
        10_800.0,
        21_600.0,
        86_400.0,
        604_800.0,
        2_629_800.0,
        7_889_400.0,
        31_557_600.0,
    ];
    let least = (high - low) / wanted.max(1) as f64;
    let width = STEPS.iter().map(|s| s * SECOND).find(|width| *width >= least);
    let width =
        width.unwrap_or_else(|| step(least / (31_557_600.0 * SECOND)) * 31_557_600.0 * SECOND);
    let first = (low / width).floor() as i64;
    let last = ((high / width).floor() as i64 + 1).min(first + 1_000);
    (first..=last).map(|at| (at as f64 * width).round()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_edges_are_round() {
        for (least, expected) in [(0.3, 0.5), (1.0, 1.0), (1.1, 2.0), (0.2, 0.2), (7.0, 10.0)] {
            assert_eq!(step(least), expected, "{least}");
        }
        assert_eq!(edges(0.0, 0.3, 3, false), [0.0, 0.1, 0.2, 0.3]);
        assert_eq!(edges(1.0, 4.0, 10, true), [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(edges(5.0, 5.0, 10, true), [5.0, 6.0]);
        assert_eq!(edges(-0.5, 0.5, 2, false), [-0.5, 0.0, 0.5]);
        assert_eq!(edges(0.0, 0.0, 5, false).len(), 2);
        let many = edges(0.0, 1e300, 40, false);
        assert!(many.len() < 60 && *many.last().unwrap() >= 1e300);
    }

    #[test]
    fn whiskers_end_at_values_and_the_farthest_are_first() {
        let mut of = Quartiles {
            low: f64::INFINITY,
            first: 2.0,
            median: 3.0,
            third: 4.0,
            high: f64::NEG_INFINITY,
            outside: vec![],
            outside_count: 0,
            count: 0,
        };
        for value in [1.0, 2.0, 3.0, 4.0, 7.0, 7.1, -1.1, 40.0] {
            of.see(value);
        }
        of.farthest_first();
        assert_eq!((of.low, of.high, of.outside_count), (1.0, 7.0, 3));
        assert_eq!(of.outside, [40.0, -1.1, 7.1]);
    }
}
