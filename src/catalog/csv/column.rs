//! Reads the cells of one column, in rows that were cut together.
//!
//! What a column is was guessed. Its cells are first tried in the form that a program writes
//! for that type ([`canonical`]); any other goes the long way, one by one. Either way the same
//! is counted, and the same is built.

use arrow::array::{ArrowPrimitiveType, PrimitiveBuilder};

use super::block::{Cells, Tail};
use super::build::{Builder, date, float, int, micros};
use super::canonical;
use super::cell::{Cell, significant};
use super::infer::{Facts, Plan, Tally};

/// Adds the cells to what is known and to what is built. Whether all are of the column's type.
pub(super) fn take(
    cells: Cells<'_>,
    facts: &mut Facts,
    builder: &mut Builder,
    plan: &Plan,
) -> bool {
    let mut tally = Tally { digits: facts.digits(), ..Tally::default() };
    let line = |row| cells.line(row);
    let fit = match builder {
        _ if plan.reading.is_some() => general(cells, facts, builder, plan),
        Builder::Int64(values) => {
            let quick = |row, raw: &[u8], tail| tally.whole(raw, tail, || line(row));
            typed(cells, facts, values, quick, int)
        }
        Builder::Float64(values) => {
            let quick = |row, raw: &[u8], tail| tally.float(raw, tail, || line(row));
            typed(cells, facts, values, quick, float)
        }
        Builder::Date(values) => {
            let quick = |row, raw: &[u8], _| tally.date(raw, || line(row));
            typed(cells, facts, values, quick, date)
        }
        Builder::Micros(values) => {
            let quick = |row, raw: &[u8], _| tally.micros(raw, || line(row));
            typed(cells, facts, values, quick, micros)
        }
        Builder::Text(_) => words(cells, facts, builder, plan),
        _ => general(cells, facts, builder, plan),
    };
    facts.cells(&tally);
    fit
}

/// Of a type for which there is a quick way.
#[inline]
fn typed<T: ArrowPrimitiveType>(
    cells: Cells<'_>,
    facts: &mut Facts,
    values: &mut PrimitiveBuilder<T>,
    mut quick: impl FnMut(usize, &[u8], Tail) -> Option<T::Native>,
    value: impl Fn(Cell) -> Option<T::Native>,
) -> bool {
    let mut fit = true;
    let mut read = Vec::with_capacity(cells.rows());
    let mut missing = Vec::new();
    cells.each(|row, raw, tail| {
        if let Some(value) = quick(row, raw, tail) {
            read.push(value);
            return;
        }
        let cell = facts.raw(cells.line(row), raw);
        let value = value(cell);
        fit &= value.is_some() || cell.is_missing();
        if value.is_none() {
            missing.push(row);
        }
        read.push(value.unwrap_or_default());
    });
    if missing.is_empty() {
        values.append_slice(&read);
    } else {
        let mut valid = vec![true; read.len()];
        for row in missing {
            valid[row] = false;
        }
        values.append_values(&read, &valid);
    }
    fit
}

fn words(cells: Cells<'_>, facts: &mut Facts, builder: &mut Builder, plan: &Plan) -> bool {
    let mut tally = Tally::default();
    let mut fit = true;
    let mut for_good = facts.is_text_for_good();
    for (row, raw) in cells.iter() {
        if for_good && canonical::is_word(raw) {
            tally.texts.next(|| cells.line(row));
            builder.text(raw);
            continue;
        }
        let cell = facts.raw(cells.line(row), raw);
        for_good = facts.is_text_for_good();
        fit &= builder.push(raw, plan, || cell).is_some();
    }
    facts.cells(&tally);
    fit
}

fn general(cells: Cells<'_>, facts: &mut Facts, builder: &mut Builder, plan: &Plan) -> bool {
    let mut fit = true;
    for (row, raw) in cells.iter() {
        let cell = facts.raw(cells.line(row), raw);
        fit &= builder.push(raw, plan, || cell).is_some();
    }
    fit
}

impl Tally {
    #[inline]
    fn whole(&mut self, raw: &[u8], tail: Tail, line: impl Fn() -> u64) -> Option<i64> {
        let value = canonical::whole(raw, tail)?;
        self.ints.next(&line);
        if value < 0 {
            self.negative.next(&line);
        }
        Some(value)
    }

    #[inline]
    fn float(&mut self, raw: &[u8], tail: Tail, line: impl Fn() -> u64) -> Option<f64> {
        let Some(number) = canonical::decimal(raw, tail) else {
            #[allow(clippy::cast_precision_loss, reason = "the quick ones are exact")]
            return self.whole(raw, tail, line).map(|value| value as f64);
        };
        self.numbers.next(&line);
        if number.grouped {
            self.grouped.next(&line);
        }
        if number.written > self.digits {
            self.digits = self.digits.max(significant(raw.strip_prefix(b"-").unwrap_or(raw)));
        }
        Some(number.value)
    }

    #[inline]
    fn date(&mut self, raw: &[u8], line: impl Fn() -> u64) -> Option<i32> {
        let days = canonical::date(raw)?;
        self.dates.next(line);
        Some(days)
    }

    #[inline]
    fn micros(&mut self, raw: &[u8], line: impl Fn() -> u64) -> Option<i64> {
        let moment = canonical::moment(raw)?;
        if moment.zone.is_some() { &mut self.zoned } else { &mut self.naive }.next(line);
        self.fraction = self.fraction.max(moment.fraction);
        Some(moment.micros())
    }
}
