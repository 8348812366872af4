//! Rows of one statement, on a thread that may wait.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::RecordBatchOptions;
use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use rusqlite::types::Value as Bound;
use rusqlite::{Connection, Row, Statement, params_from_iter};
use tokio::sync::mpsc::{self, error::TrySendError};

use super::cells::{Bad, Cells, size};
use super::classes::{Class, Counts};
use super::error;
use super::guard::Refused;
use super::write::Written;
use crate::database::meter::{BATCH_BYTES, BATCH_ROWS, Meter, Room};
use crate::database::{Batch, Budget, Cause, DatabaseError};

type Sender = mpsc::Sender<Result<Batch, DatabaseError>>;

/// Columns, by name.
pub(super) type Columns = Vec<(String, Class)>;

/// How often a thread whose reader is slow looks whether it may go on.
const TICK: Duration = Duration::from_millis(1);

/// A statement that is one SELECT.
pub(super) fn prepare<'a>(
    connection: &'a Connection,
    sql: &str,
    refused: &Refused,
) -> Result<Statement<'a>, DatabaseError> {
    let statement =
        connection.prepare(sql).map_err(|error| refused.explain(&error, error::of_preparing))?;
    let is_select = statement.readonly() && statement.is_explain() == 0;
    if !is_select || statement.column_count() == 0 {
        return Err(DatabaseError {
            about: Some("it is not one SELECT".to_owned()),
            ..DatabaseError::of(Cause::Statement)
        });
    }
    Ok(statement)
}

/// What the columns of a statement are, by running it to its end once.
pub(super) fn look(
    statement: &mut Statement<'_>,
    bound: &[Bound],
    most: u64,
) -> Result<Columns, DatabaseError> {
    let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut counts = vec![Counts::default(); names.len()];
    let failed = |error| error::of(&error);
    let mut rows = statement.query(params_from_iter(bound)).map_err(failed)?;
    let mut seen = 0;
    while let Some(row) = rows.next().map_err(failed)? {
        for (at, counts) in counts.iter_mut().enumerate() {
            counts.add(row.get_ref(at).map_err(failed)?);
        }
        seen += 1;
        if seen > most {
            break;
        }
    }
    let columns = names.into_iter().zip(counts).map(|(name, counts)| match counts.class("") {
        Ok(class) => Ok((name, class)),
        Err(why) => Err(DatabaseError {
            about: Some(format!("column {name:?}: {why}")),
            ..DatabaseError::of(Cause::Type)
        }),
    });
    columns.collect()
}

/// Columns as a schema. Each may be null: a promise of the table's is none of ours.
pub(super) fn schema(columns: &Columns) -> SchemaRef {
    let fields = columns.iter().map(|(name, class)| Field::new(name, class.data_type(), true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// The number that a statement gives, as so many rows without columns.
pub(super) fn send_count(
    connection: &Connection,
    written: &Written,
    refused: &Refused,
    batches: &Sender,
) -> Result<(), DatabaseError> {
    let counted = connection
        .query_row(&written.sql, params_from_iter(&written.bound), |row| row.get::<_, i64>(0));
    let rows = usize::try_from(counted.map_err(|error| refused.explain(&error, error::of))?)
        .map_err(|_| DatabaseError::of(Cause::Server))?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    let batch = RecordBatch::try_new_with_options(schema(&Vec::new()), Vec::new(), &options)
        .map_err(|_| DatabaseError::of(Cause::Server))?;
    // Nobody reads: there is nobody to tell.
    drop(batches.blocking_send(Ok(Batch::Rows(batch))));
    Ok(())
}

/// Sends all rows of a statement, unless nobody reads any more.
pub(super) fn send(
    statement: &mut Statement<'_>,
    bound: &[Bound],
    columns: &Columns,
    budget: Budget,
    batches: &Sender,
) -> Result<(), DatabaseError> {
    let mut pending = Pending::new(columns, batches, Instant::now() + budget.time);
    let mut meter = Meter::new(budget);
    let failed = |error| error::of(&error);
    let mut rows = statement.query(params_from_iter(bound)).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        if meter.row()? == Room::Full {
            pending.send()?;
            return pending.hand(Batch::Cut);
        }
        pending.row(row, &mut meter)?;
        if pending.is_full() {
            pending.send()?;
        }
    }
    pending.send()
}

/// Rows that are not sent yet.
struct Pending<'a> {
    schema: SchemaRef,
    cells: Vec<Cells>,
    rows: usize,
    bytes: u64,
    batches: &'a Sender,
    deadline: Instant,
}

impl<'a> Pending<'a> {
    fn new(columns: &Columns, batches: &'a Sender, deadline: Instant) -> Self {
        let cells = columns.iter().map(|(_, class)| Cells::new(*class)).collect();
        Self { schema: schema(columns), cells, rows: 0, bytes: 0, batches, deadline }
    }

    fn row(&mut self, row: &Row<'_>, meter: &mut Meter) -> Result<(), DatabaseError> {
        let mut taken = 0;
        for (at, cells) in self.cells.iter_mut().enumerate() {
            let value = row.get_ref(at).map_err(|_| DatabaseError::of(Cause::Server))?;
            taken += size(value);
            cells.push(value).map_err(|bad| refused_value(self.schema.field(at).name(), bad))?;
        }
        meter.bytes(taken)?;
        self.bytes += taken;
        self.rows += 1;
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    fn send(&mut self) -> Result<(), DatabaseError> {
        if self.rows == 0 {
            return Ok(());
        }
        let arrays = self.cells.iter_mut().map(Cells::take).collect();
        (self.rows, self.bytes) = (0, 0);
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays)
            .map_err(|_| DatabaseError::of(Cause::Server))?;
        self.hand(Batch::Rows(batch))
    }

    /// Waits for the reader, but not for ever.
    fn hand(&self, batch: Batch) -> Result<(), DatabaseError> {
        let mut waiting = Ok(batch);
        loop {
            match self.batches.try_send(waiting) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Closed(_)) => return Err(DatabaseError::of(Cause::Cancelled)),
                Err(TrySendError::Full(_)) if Instant::now() >= self.deadline => {
                    return Err(DatabaseError::of(Cause::Time));
                }
                Err(TrySendError::Full(batch)) => {
                    waiting = batch;
                    std::thread::sleep(TICK);
                }
            }
        }
    }
}

fn refused_value(column: &str, bad: Bad) -> DatabaseError {
    let (cause, what, next) = match bad {
        Bad::Class => (
            Cause::Changed,
            "has values of another type than a moment ago",
            "look at the table again and repeat the call",
        ),
        Bad::Utf8 => (
            Cause::Value,
            "has a text that is not valid UTF-8",
            "leave the column out, or read a view that gives it as bytes: CAST(column AS BLOB)",
        ),
    };
    DatabaseError {
        about: Some(format!("column {column:?} {what}")),
        next: Some(next.to_owned()),
        ..DatabaseError::of(cause)
    }
}
