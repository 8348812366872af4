//! Points at pairs of numbers, and colours for pairs of categories.

use std::collections::HashSet;

use super::ask::{TABLE, numbers, texts};
use super::bars::{Computed, Places};
use super::column::{Column, Role};
use super::keys::{Choice, Keys};
use super::setting::{Setting, grouped};
use super::{ChartError, ChartKind};
use crate::present::chart::figure::{Across, Axis, Named, Plot};
use crate::room::RoomError;

/// Points that are all drawn.
const POINTS: u64 = 5_000;
/// The spots, across and up, of which each keeps one point if there are more.
const SPOTS: (f64, f64) = (90.0, 60.0);
/// Columns and rows of a heatmap.
const CELLS: (usize, usize) = (48, 31);

/// Points of each series, and the spots that are taken.
#[derive(Default)]
struct Thin {
    taken: HashSet<(usize, u32, u32)>,
    series: Vec<Vec<(f64, f64)>>,
}

impl Setting<'_> {
    pub(super) fn points(&mut self) -> Result<(Axis, Axis, Option<Axis>, Plot), RoomError> {
        let x = self.across("the column of numbers or times across")?;
        self.must_be_a_line(&x)?;
        let what = "the column of numbers upwards";
        let missing = ChartError::Missing { kind: ChartKind::Scatter, argument: "y", what };
        let y = self.y.first().cloned().ok_or(missing)?;
        y.must_be("y", self.kind(), &[Role::Number], "a number")?;
        let mut there = vec![x.clone(), y.clone()];
        there.extend(self.series.clone());
        let there: Vec<&Column> = there.iter().collect();
        self.note_missing(&there)?;
        let rows = self.rows(&there);
        let series = self.series_keys(&rows)?;
        let place = if x.role == Role::Time { x.value() } else { x.double() };
        let sql = format!(
            "SELECT count(*) AS n, min({place}) AS a, max({place}) AS b, min({0}) AS c, \
             max({0}) AS d FROM {TABLE} WHERE {rows}",
            y.double()
        );
        let answer = self.asker.rows(&sql)?;
        let count = answer.count(0)?;
        let [left, right, low, high] = [1, 2, 3, 4].map(|at| answer.number(at));
        let (left, right, low, high) = (left?, right?, low?, high?);
        let (Some(left), Some(right), Some(low), Some(high)) = (left, right, low, high) else {
            let why = if self.notes.is_empty() { "no rows".into() } else { self.notes.join("; ") };
            return Err(ChartError::Empty(why).into());
        };
        let key = series.as_ref().map_or("NULL", |keys| keys.sql.as_str());
        let sql = format!(
            "SELECT {place} AS x, {key} AS s, {} AS y FROM {TABLE} WHERE {rows}",
            y.double()
        );
        let names = series.as_ref().map_or_else(|| vec![y.name.clone()], Keys::names);
        let labels = series.as_ref().map(|keys| keys.labels.clone());
        let rest = names.len() - 1;
        let thin = count > POINTS;
        let spot = move |x: f64, y: f64| {
            let part = |v: f64, from: f64, to: f64, parts: f64| {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "from 0 to the number of parts"
                )]
                let at = if to > from { ((v - from) / (to - from) * parts) as u32 } else { 0 };
                at
            };
            (part(x, left, right, SPOTS.0), part(y, low, high, SPOTS.1))
        };
        let start = Thin { series: vec![Vec::new(); names.len()], ..Thin::default() };
        let points = self.asker.fold(&sql, start, move |points: &mut Thin, batch| {
            let (across, up) = (numbers(batch.column(0))?, numbers(batch.column(2))?);
            let keys = labels.as_ref().map(|_| texts(batch.column(1))).transpose()?;
            for (row, pair) in across.into_iter().zip(up).enumerate() {
                let (Some(x), Some(y)) = pair else { continue };
                let line = match (&labels, &keys) {
                    (Some(labels), Some(keys)) => keys[row]
                        .as_ref()
                        .map_or(Some(rest), |key| labels.iter().position(|label| label == key)),
                    _ => Some(0),
                };
                let Some(line) = line else { continue };
                let (right, up) = if thin { spot(x, y) } else { (0, 0) };
                if !thin || points.taken.insert((line, right, up)) {
                    points.series[line].push((x, y));
                }
            }
            Ok(())
        })?;
        if thin {
            let drawn: usize = points.series.iter().map(Vec::len).sum();
            self.notes.push(format!(
                "{} of {} points are drawn, one for each spot that has any",
                grouped(drawn as u64),
                grouped(count)
            ));
        }
        let across = if x.role == Role::Time { Across::Times } else { Across::Numbers };
        let series = names.into_iter().zip(points.series);
        let series = series.map(|(name, of)| Named { name, of }).collect();
        let up = Axis { log: self.request.log, ..y.axis() };
        Ok((x.axis(), up, None, Plot::Points { across, series }))
    }

    pub(super) fn heatmap(&mut self) -> Result<(Axis, Axis, Option<Axis>, Plot), RoomError> {
        let x = self.across("the column whose values are columns of cells")?;
        let what = "the column whose values are rows of cells";
        let missing = ChartError::Missing { kind: ChartKind::Heatmap, argument: "y", what };
        let y = self.y.first().cloned().ok_or(missing)?;
        let value = self.value.clone();
        let mut there = vec![x.clone(), y.clone()];
        there.extend(value.clone());
        let there: Vec<&Column> = there.iter().collect();
        self.note_missing(&there)?;
        let rows = self.rows(&there);
        let across = self.cells(&x, &rows, CELLS.0)?;
        let down = self.cells(&y, &rows, CELLS.1)?;
        let of = match &value {
            Some(value) => vec![(self.aggregate(value)?, value.clone())],
            None => Vec::new(),
        };
        let computed = Computed { of };
        let (columns, names) = (across.names(), down.names());
        let places = Places::Keys(across);
        let answer = self.table(&places, Some(&down), &computed, &rows)?;
        let Places::Keys(across) = &places else { return Err(ChartError::Negative.into()) };
        let mut cells = vec![None; columns.len() * names.len()];
        let (keys, lines) = (answer.texts(0)?, answer.texts(1)?);
        let values = answer.numbers(if value.is_some() { 3 } else { 2 })?;
        let plain = value.is_some() && answer.numbers(2)?.iter().all(|n| *n == Some(1.0));
        for (row, value) in values.into_iter().enumerate() {
            let at = across.place(keys[row].as_ref()).zip(down.place(lines[row].as_ref()));
            if let Some((column, line)) = at {
                cells[line * columns.len() + column] = value;
            }
        }
        if cells.iter().all(Option::is_none) {
            let why = if self.notes.is_empty() { "no rows".into() } else { self.notes.join("; ") };
            return Err(ChartError::Empty(why).into());
        }
        let all = computed.borrowed();
        let values = self.values_axis(&all, plain);
        self.note_aggregates(&all, &x, plain);
        let named = |column: &Column| Axis { unit: None, ..column.axis() };
        let plot = Plot::Heatmap { columns, rows: names, cells, values };
        Ok((named(&x), named(&y), None, plot))
    }

    fn cells(&mut self, column: &Column, rows: &str, most: usize) -> Result<Keys, RoomError> {
        let label = self.label_of(column, rows, i64::try_from(most).unwrap_or(30))?;
        let choice = Choice { label: &label, value: "1", rank: "count(*)", rows, most, sort: None };
        self.keys(column, &choice)
    }
}
