//! Bars, lines over bars, and pies: values computed for each place.

use super::ask::{Answer, TABLE};
use super::column::{Column, Role};
use super::keys::{Choice, Keys};
use super::setting::Setting;
use super::times::span_of;
use super::{Aggregate, ChartError, ChartKind, Sort};
use crate::present::chart::figure::{Arranged, Axis, Named, Plot, Positions};
use crate::room::RoomError;

/// Bars, unless the chart says how many.
const BARS: usize = 30;
/// Bars of time.
const MOMENTS: i64 = 60;
/// Slices of a pie.
const SLICES: usize = 8;
/// A name with more characters has no room below a bar.
const LONG: usize = 14;

/// What is computed for each place: aggregates of columns, or a count of rows.
pub(super) struct Computed {
    pub of: Vec<(Aggregate, Column)>,
}

impl Computed {
    pub(super) fn borrowed(&self) -> Vec<(Aggregate, &Column)> {
        self.of.iter().map(|(aggregate, column)| (*aggregate, column)).collect()
    }
}

/// Where the values of a place come from.
pub(super) enum Places {
    Keys(Keys),
    Times(String),
    Numbers(String),
}

impl Setting<'_> {
    pub(super) fn computed(&self) -> Result<Computed, ChartError> {
        let columns = self.y.iter().chain(&self.lines);
        let of = columns.map(|column| Ok((self.aggregate(column)?, column.clone())));
        Ok(Computed { of: of.collect::<Result<_, ChartError>>()? })
    }

    /// The condition of the rows: a value across, a series, and of a single column a value.
    pub(super) fn rows_of(&mut self, x: &Column) -> Result<String, RoomError> {
        let mut there = vec![x.clone()];
        there.extend(self.series.clone());
        if let ([only], []) = (self.y.as_slice(), self.lines.as_slice()) {
            there.push(only.clone());
        }
        let there: Vec<&Column> = there.iter().collect();
        self.note_missing(&there)?;
        Ok(self.rows(&there))
    }

    /// Values by place and series: `k`, `s`, the number of rows, and each computed value.
    pub(super) fn table(
        &self,
        places: &Places,
        series: Option<&Keys>,
        computed: &Computed,
        rows: &str,
    ) -> Result<Answer, RoomError> {
        let key = match places {
            Places::Keys(keys) => &keys.sql,
            Places::Times(sql) | Places::Numbers(sql) => sql,
        };
        let series = series.map_or("NULL", |keys| keys.sql.as_str());
        let several = computed.of.len() > 1;
        let value = |(at, (_, column)): (usize, &(Aggregate, Column))| {
            let value = match column.role {
                Role::Number if several && column.float => {
                    format!("CASE WHEN {} THEN {} END", column.is_there(), column.value())
                }
                _ => column.value(),
            };
            format!(", {value} AS v{at}")
        };
        let values: String = computed.of.iter().enumerate().map(value).collect();
        let made = |(at, (aggregate, _)): (usize, &(Aggregate, Column))| {
            format!(", {} AS a{at}", aggregate.sql(&format!("v{at}")))
        };
        let made: String = computed.of.iter().enumerate().map(made).collect();
        let order = if matches!(places, Places::Keys(_)) { "" } else { " ORDER BY k" };
        self.asker.rows(&format!(
            "SELECT k, s, count(*) AS n{made} FROM (SELECT {key} AS k, {series} AS s{values} \
             FROM {TABLE} WHERE {rows}) AS i GROUP BY k, s{order}"
        ))
    }

    /// Values as series over places.
    pub(super) fn spread(
        &self,
        answer: &Answer,
        places: &Places,
        series: Option<&Keys>,
        computed: &Computed,
    ) -> Result<Spread, RoomError> {
        let (at, of_row): (Positions, Vec<Option<usize>>) = match places {
            Places::Keys(keys) => {
                let of_row = answer.texts(0)?.iter().map(|key| keys.place(key.as_ref())).collect();
                (Positions::Categories(keys.names()), of_row)
            }
            Places::Times(_) => {
                let all = answer.micros(0)?;
                let mut at: Vec<i64> = all.iter().copied().flatten().collect();
                at.sort_unstable();
                at.dedup();
                let place = |time: &Option<i64>| at.binary_search(time.as_ref()?).ok();
                let of_row = all.iter().map(place).collect();
                (Positions::Times(at), of_row)
            }
            Places::Numbers(_) => {
                let all = answer.numbers(0)?;
                let mut at: Vec<f64> = all.iter().copied().flatten().collect();
                at.sort_unstable_by(f64::total_cmp);
                at.dedup();
                let place = |number: &Option<f64>| {
                    let number = number.as_ref()?;
                    at.binary_search_by(|known| known.total_cmp(number)).ok()
                };
                let of_row = all.iter().map(place).collect();
                (Positions::Numbers(at), of_row)
            }
        };
        let count = match &at {
            Positions::Categories(names) => names.len(),
            Positions::Numbers(at) => at.len(),
            Positions::Times(at) => at.len(),
        };
        let plain = answer.numbers(2)?.iter().all(|n| *n == Some(1.0));
        let of_series: Vec<Option<usize>> = match series {
            Some(keys) => answer.texts(1)?.iter().map(|key| keys.place(key.as_ref())).collect(),
            None => vec![Some(0); of_row.len()],
        };
        let mut named = Vec::new();
        let computed = &computed.of;
        let names = series.map_or_else(|| vec![String::new()], Keys::names);
        for (series_at, name) in names.into_iter().enumerate() {
            for value_at in 0..computed.len().max(1) {
                let column = if computed.is_empty() { 2 } else { 3 + value_at };
                let mut values = vec![None; count];
                let all = answer.numbers(column)?;
                for (row, value) in all.into_iter().enumerate() {
                    if of_series[row] == Some(series_at)
                        && let Some(place) = of_row[row]
                    {
                        values[place] = value;
                    }
                }
                let own = computed.get(value_at).map_or("rows", |(_, column)| &column.name);
                let name = if series.is_some() { name.clone() } else { own.to_owned() };
                named.push(Named { name, of: values });
            }
        }
        Ok(Spread { at, named, plain })
    }

    pub(super) fn bars(&mut self) -> Result<(Axis, Axis, Option<Axis>, Plot), RoomError> {
        let x = self.across("the column whose values have a bar each")?;
        let computed = self.computed()?;
        if self.kind() == ChartKind::Combo && (self.y.is_empty() || self.lines.is_empty()) {
            let what =
                "columns for the bars in `y`, and columns for the lines over them in `lines`";
            return Err(ChartError::Missing { kind: self.kind(), argument: "lines", what }.into());
        }
        let rows = self.rows_of(&x)?;
        let series = self.series_keys(&rows)?;
        let places = self.bar_places(&x, &computed, &rows, series.is_some())?;
        let answer = self.table(&places, series.as_ref(), &computed, &rows)?;
        let Spread { at, mut named, plain } =
            self.spread(&answer, &places, series.as_ref(), &computed)?;
        self.unless_empty(&named)?;
        let lines = named.split_off(named.len() - self.lines.len().min(named.len()));
        let all = computed.borrowed();
        let (bars_of, lines_of) = all.split_at(self.y.len().min(all.len()));
        let y = self.values_axis(bars_of, plain);
        let over = self.values_axis(lines_of, plain);
        let apart = y.unit != over.unit
            || bars_of.iter().map(|(a, _)| a).ne(lines_of.iter().map(|(a, _)| a));
        let y2 = (!lines.is_empty() && apart).then_some(over);
        self.note_aggregates(&all, &x, plain);
        let is_long = |name: &String| name.chars().count() > LONG;
        let lies = matches!(&at, Positions::Categories(names)
            if lines.is_empty() && names.len() > 3 && names.iter().filter(|n| is_long(n)).count() * 2 > names.len());
        let arranged = match (self.request.shares, self.request.stacked) {
            (true, _) => Arranged::Shares,
            (_, true) => Arranged::Stacked,
            _ => Arranged::Apart,
        };
        let horizontal = self.request.horizontal || lies;
        let plot = Plot::Bars { at, bars: named, lines, arranged, horizontal };
        Ok((Axis { unit: x.unit.filter(|_| x.role == Role::Number), ..x.axis() }, y, y2, plot))
    }

    fn bar_places(
        &mut self,
        x: &Column,
        computed: &Computed,
        rows: &str,
        has_series: bool,
    ) -> Result<Places, RoomError> {
        if x.role == Role::Time && self.request.top.is_none() && self.request.sort.is_none() {
            return self.time_places(x, rows, MOMENTS);
        }
        let most = self
            .request
            .top
            .map_or(if has_series { 20 } else { BARS }, |n| usize::try_from(n).unwrap_or(BARS));
        let usual = (x.role == Role::Category).then_some(Sort::Descending);
        let label = x.label();
        let sort = self.request.sort.or(usual);
        // A calendar's own words stay in the calendar's order.
        let sort =
            if self.request.sort.is_none() && self.is_calendar(x, rows)? { None } else { sort };
        let first = computed.of.first();
        let value = first.map_or_else(|| "1".to_owned(), |(_, column)| column.value());
        let rank = first.map_or_else(|| "count(*)".to_owned(), |(a, _)| a.sql("v"));
        let choice = Choice { label: &label, value: &value, rank: &rank, rows, most, sort };
        Ok(Places::Keys(self.keys(x, &choice)?))
    }

    /// Times, put together if there are more than `most` of them.
    pub(super) fn time_places(
        &mut self,
        x: &Column,
        rows: &str,
        most: i64,
    ) -> Result<Places, RoomError> {
        let extent = self.times(x, rows)?;
        let Some((from, to)) = extent.ends else { return Ok(Places::Times(x.value())) };
        if extent.different <= most.unsigned_abs() {
            return Ok(Places::Times(x.value()));
        }
        let span = span_of(from, to, most);
        self.notes.push(format!("{} by {}", x.name, span.name));
        Ok(Places::Times(span.of(&x.value())))
    }

    fn is_calendar(&self, x: &Column, rows: &str) -> Result<bool, RoomError> {
        if x.role != Role::Category {
            return Ok(false);
        }
        let label = x.label();
        let sql = format!(
            "SELECT k FROM (SELECT {label} AS k FROM {TABLE} WHERE {rows}) AS i GROUP BY k LIMIT 13"
        );
        let labels = self.asker.rows(&sql)?.texts(0)?;
        let labels: Vec<String> = labels.into_iter().flatten().collect();
        Ok(labels.len() > 1 && labels.len() < 13 && super::keys::is_calendar(&labels))
    }

    pub(super) fn pie(&mut self) -> Result<(Axis, Axis, Option<Axis>, Plot), RoomError> {
        let x = self.across("the column whose values have a slice each")?;
        let computed = self.computed()?;
        if let Some((
            aggregate @ (Aggregate::Mean | Aggregate::Median | Aggregate::Min | Aggregate::Max),
            column,
        )) = computed.of.first()
            && self.request.aggregate.is_some()
        {
            let (aggregate, column) = (*aggregate, column.name.clone());
            let of = "no part of a whole then".to_owned();
            return Err(ChartError::Aggregate { aggregate, column, of }.into());
        }
        // Slices are parts of a whole, and that is a sum.
        let of = computed
            .of
            .into_iter()
            .map(|(a, c)| (if a.keeps_unit() { Aggregate::Sum } else { a }, c));
        let computed = Computed { of: of.collect() };
        let rows = self.rows_of(&x)?;
        let most = self.request.top.map_or(SLICES, |n| usize::try_from(n).unwrap_or(SLICES));
        let first = computed.of.first();
        let value = first.map_or_else(|| "1".to_owned(), |(_, column)| column.value());
        let rank = first.map_or_else(|| "count(*)".to_owned(), |(a, _)| a.sql("v"));
        let label = self.label_of(&x, &rows, 12)?;
        let sort = self.request.sort.or(Some(Sort::Descending));
        let choice = Choice { label: &label, value: &value, rank: &rank, rows: &rows, most, sort };
        let places = Places::Keys(self.keys(&x, &choice)?);
        let answer = self.table(&places, None, &computed, &rows)?;
        let Spread { at, named, plain } = self.spread(&answer, &places, None, &computed)?;
        self.unless_empty(&named)?;
        let Positions::Categories(names) = at else {
            return Err(ChartError::Empty("no values".to_owned()).into());
        };
        let values = named.into_iter().next().map(|named| named.of).unwrap_or_default();
        if values.iter().flatten().any(|value| *value < 0.0) {
            return Err(ChartError::Negative.into());
        }
        let slices = names.into_iter().zip(values);
        let slices =
            slices.filter_map(|(name, of)| Some(Named { name, of: of.filter(|v| *v > 0.0)? }));
        let slices: Vec<_> = slices.collect();
        if slices.is_empty() {
            return Err(ChartError::Empty("all values are 0".to_owned()).into());
        }
        let all = computed.borrowed();
        self.note_aggregates(&all, &x, plain);
        let y = self.values_axis(&all, plain);
        Ok((Axis { unit: None, ..x.axis() }, y, None, Plot::Pie { slices }))
    }

    /// The text that names a place of a column; times are put together first.
    pub(super) fn label_of(&self, x: &Column, rows: &str, most: i64) -> Result<String, RoomError> {
        if x.role != Role::Time {
            return Ok(x.label());
        }
        let extent = self.times(x, rows)?;
        let (from, to) = extent.ends.unwrap_or_default();
        Ok(span_of(from, to, most).label(&x.value()))
    }

    pub(super) fn note_aggregates(
        &mut self,
        all: &[(Aggregate, &Column)],
        x: &Column,
        plain: bool,
    ) {
        if plain && !all.is_empty() {
            return;
        }
        let what: Vec<String> = match all {
            [] => vec!["number of rows".to_owned()],
            all => all.iter().map(|(aggregate, column)| aggregate.of(&column.name)).collect(),
        };
        self.notes.insert(0, format!("{} by {}", what.join(", "), x.name));
    }

    pub(super) fn unless_empty(&self, named: &[Named<Vec<Option<f64>>>]) -> Result<(), ChartError> {
        if named.iter().all(|series| series.of.iter().all(Option::is_none)) {
            let why =
                if self.notes.is_empty() { "no rows".to_owned() } else { self.notes.join("; ") };
            return Err(ChartError::Empty(why));
        }
        Ok(())
    }
}

/// Values as series over places.
pub(super) struct Spread {
    pub at: Positions,
    pub named: Vec<Named<Vec<Option<f64>>>>,
    /// Whether each value is that of one row.
    pub plain: bool,
}
