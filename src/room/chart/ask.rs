//! Questions to the engine, and answers as numbers and texts.
//!
//! A chart asks in SQL over one table, which is called `data` whatever its name is. Names of
//! columns and texts from cells stand in it quoted ([`ident`], [`text`]), numbers as texts
//! that are cast, so that no digit of a float is lost to a decimal. Rows of a question whose
//! answer is as long as the table go one batch at a time through [`Asker::fold`].

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type, SchemaRef, TimeUnit};
use arrow::record_batch::RecordBatch;
use chrono::{DateTime, Utc};

use super::told;
use crate::policy::Values;
use crate::room::{Call, Found, Room, RoomError};
use crate::sql::{Bound, Code, Planned, Query, Sink, SqlError, parse};

/// The name of the table in every question.
pub(super) const TABLE: &str = "data";

/// Rows of an answer whose progress is worth telling.
const LONG: u64 = 100_000;

/// Asks about one table.
pub(in crate::room) struct Asker<'a> {
    room: &'a Room,
    call: &'a Call,
    tables: Vec<Bound>,
    started: DateTime<Utc>,
    /// What the engine said of its answers.
    warnings: RefCell<Vec<String>>,
    /// Rows of the table.
    rows: u64,
    /// Questions that were asked.
    asked: Cell<u32>,
}

impl<'a> Asker<'a> {
    pub(in crate::room) fn new(
        room: &'a Room,
        found: &Found,
        call: &'a Call,
    ) -> Result<Self, RoomError> {
        let named = Found { data: TABLE.to_owned(), ..found.clone() };
        let rows = found.table.rows();
        let tables = room.bound(&[(TABLE.to_owned(), named)])?;
        let (warnings, asked) = (RefCell::default(), Cell::new(0));
        Ok(Self { room, call, tables, started: Utc::now(), warnings, rows, asked })
    }

    /// What the engine said of its answers, each once.
    pub(super) fn warnings(&self) -> Vec<String> {
        self.warnings.borrow().clone()
    }

    /// Runs a question and shows each batch of its answer to `step`.
    pub(in crate::room) fn fold<T: Send + 'static>(
        &self,
        sql: &str,
        state: T,
        mut step: impl FnMut(&mut T, &RecordBatch) -> Result<(), SqlError> + Send + 'static,
    ) -> Result<T, RoomError> {
        let query = Query {
            parsed: parse(sql, usize::MAX)?,
            tables: self.tables.clone(),
            started: self.started,
            may_show_values: self.room.policy().shown_values() == Values::Sample,
            judges_groups: false,
        };
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() > 1 {
            self.call.enter(format!("computing the chart, question {}", self.asked.get()));
        }
        let (stopped, counted) = (self.call.clone(), self.call.clone());
        let stop = Arc::new(move || stopped.is_cancelled());
        let (mut done, all) = (0, self.rows);
        let step = move |state: &mut T, batch: &RecordBatch| {
            done += batch.num_rows() as u64;
            // Only an answer that is long is waited for.
            if done > LONG {
                counted.count("reading rows", done.min(all), all);
            }
            step(state, batch)
        };
        let done = self.room.engine()?.run(query, Fold { state, step }, &(stop as _));
        let done = done.map_err(told::refusal)?;
        let mut warnings = self.warnings.borrow_mut();
        for warning in done.planned.warnings.iter().filter_map(|text| told::warning(text)) {
            if !warnings.iter().any(|known| told::is_alike(known, &warning)) {
                warnings.push(warning);
            }
        }
        Ok(done.sink.state)
    }

    /// The whole of a short answer.
    pub(super) fn rows(&self, sql: &str) -> Result<Answer, RoomError> {
        let batches = self.fold(sql, Vec::new(), |all: &mut Vec<RecordBatch>, batch| {
            all.push(batch.clone());
            Ok(())
        })?;
        Ok(Answer(batches))
    }
}

struct Fold<T, F> {
    state: T,
    step: F,
}

impl<T, F> Sink for Fold<T, F>
where
    T: Send,
    F: FnMut(&mut T, &RecordBatch) -> Result<(), SqlError> + Send,
{
    fn begin(&mut self, _: &SchemaRef, _: &Planned) -> Result<(), SqlError> {
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), SqlError> {
        (self.step)(&mut self.state, batch)
    }
}

/// A short answer.
pub(super) struct Answer(Vec<RecordBatch>);

impl Answer {
    fn all<T>(
        &self,
        at: usize,
        read: impl Fn(&ArrayRef) -> Result<Vec<T>, SqlError>,
    ) -> Result<Vec<T>, RoomError> {
        let mut all = Vec::new();
        for batch in &self.0 {
            all.extend(read(batch.column(at))?);
        }
        Ok(all)
    }

    pub(super) fn numbers(&self, at: usize) -> Result<Vec<Option<f64>>, RoomError> {
        self.all(at, numbers)
    }

    pub(super) fn micros(&self, at: usize) -> Result<Vec<Option<i64>>, RoomError> {
        self.all(at, micros)
    }

    pub(super) fn texts(&self, at: usize) -> Result<Vec<Option<String>>, RoomError> {
        self.all(at, texts)
    }

    /// The only row's whole number, where there is one.
    pub(super) fn count(&self, at: usize) -> Result<u64, RoomError> {
        let all = self.all(at, |column| {
            let column = to(column, &DataType::Int64)?;
            Ok(column.as_primitive::<Int64Type>().iter().flatten().collect())
        })?;
        Ok(all.first().map_or(0, |n| u64::try_from(*n).unwrap_or(0)))
    }

    /// The only row's number.
    pub(super) fn number(&self, at: usize) -> Result<Option<f64>, RoomError> {
        Ok(self.numbers(at)?.first().copied().flatten())
    }
}

fn to(column: &ArrayRef, data_type: &DataType) -> Result<ArrayRef, SqlError> {
    cast(column, data_type)
        .map_err(|error| SqlError::new(Code::Data, format!("the chart cannot be made: {error}")))
}

/// A column as numbers; what is not finite is no number.
pub(super) fn numbers(column: &ArrayRef) -> Result<Vec<Option<f64>>, SqlError> {
    let column = match column.data_type() {
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            #[expect(clippy::cast_precision_loss, reason = "places on an axis")]
            return Ok(micros(column)?.into_iter().map(|at| at.map(|at| at as f64)).collect());
        }
        _ => to(column, &DataType::Float64)?,
    };
    let all = column.as_primitive::<Float64Type>().iter();
    Ok(all.map(|value| value.filter(|value| value.is_finite())).collect())
}

/// A column of dates or times as microseconds since 1970.
pub(super) fn micros(column: &ArrayRef) -> Result<Vec<Option<i64>>, SqlError> {
    let naive = to(column, &DataType::Timestamp(TimeUnit::Microsecond, None))?;
    let whole = to(&naive, &DataType::Int64)?;
    Ok(whole.as_primitive::<Int64Type>().iter().collect())
}

pub(super) fn texts(column: &ArrayRef) -> Result<Vec<Option<String>>, SqlError> {
    let column = to(column, &DataType::Utf8)?;
    let column = column.as_string::<i32>();
    Ok((0..column.len())
        .map(|row| (!column.is_null(row)).then(|| column.value(row).to_owned()))
        .collect())
}

/// A column's name, quoted.
pub(in crate::room) fn ident(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text, quoted.
pub(in crate::room) fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// A float to its last digit.
pub(super) fn float(value: f64) -> String {
    format!("CAST('{value:?}' AS DOUBLE)")
}

/// A moment of a wall's clock, given in microseconds since 1970.
pub(super) fn moment(micros: i64) -> String {
    let at = DateTime::from_timestamp_micros(micros).unwrap_or_default();
    format!("CAST('{}' AS TIMESTAMP)", at.format("%Y-%m-%dT%H:%M:%S%.6f"))
}
