//! Rows of one statement, from the server to who reads them.
//!
//! The statement runs in a task of its own that owns its connection. The task ends when the
//! rows do, when the budget is spent, when the time is over, or when nobody reads any more;
//! unless the rows have ended by themselves, the server is told to stop.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatchOptions;
use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use mysql_async::prelude::Queryable;
use mysql_async::{BinaryProtocol, Conn, Params, QueryResult, Value};
use tokio::sync::{mpsc, oneshot};

use super::cells::{self, Cells};
use super::error;
use super::kind::Kind;
use super::pool::Lease;
use super::write::Written;
use crate::database::meter::{BATCH_BYTES, BATCH_ROWS, Meter, Room};
use crate::database::{Batch, Budget, Cause, DatabaseError, QUEUE, Rows};

/// What is expected of a statement's columns.
#[derive(Debug, Clone)]
pub(super) enum Expected {
    /// These, by name.
    Columns(Vec<(String, Kind)>),
    /// One number: so many rows without columns.
    Count,
    /// Whatever the server says.
    Any,
}

type Sender = mpsc::Sender<Result<Batch, DatabaseError>>;

/// How a statement ended.
enum End {
    /// By itself.
    Whole,
    /// With what is left of it on its way.
    Early(Option<DatabaseError>),
    /// Refused or failed by the server or the line.
    Failed(DatabaseError),
}

/// Begins; what the rows are like is known when the server has begun to give them.
pub(super) async fn start(
    lease: Lease,
    written: Written,
    expected: Expected,
    budget: Budget,
) -> Result<Rows, DatabaseError> {
    let (batches, reader) = mpsc::channel(QUEUE);
    let (told, schema) = oneshot::channel();
    #[expect(clippy::disallowed_methods, reason = "it ends when its reader is gone")]
    tokio::spawn(run(lease, written, expected, budget, batches, told));
    match schema.await {
        Ok(schema) => Ok(Rows::new(schema?, reader)),
        Err(_) => Err(DatabaseError::of(Cause::Cancelled)),
    }
}

type Told = oneshot::Sender<Result<SchemaRef, DatabaseError>>;

async fn run(
    mut lease: Lease,
    written: Written,
    expected: Expected,
    budget: Budget,
    batches: Sender,
    told: Told,
) {
    let mut told = Some(told);
    let reader = batches.clone();
    let end = tokio::select! {
        biased;
        () = reader.closed() => End::Early(None),
        () = tokio::time::sleep(budget.time) => End::Early(Some(late(budget.time))),
        end = pump(&mut lease.conn, written, &expected, budget, &batches, &mut told) => end,
    };
    // The reader hears of it once the server has stopped.
    let error = match end {
        End::Whole => {
            lease.back().await;
            None
        }
        End::Early(error) => {
            lease.stop().await;
            error
        }
        End::Failed(error) => lease.after::<()>(Err(error)).await.err(),
    };
    let Some(error) = error else {
        return;
    };
    match told {
        Some(told) => drop(told.send(Err(error))),
        // Nobody reads: there is nobody to tell.
        None => drop(batches.send(Err(error)).await),
    }
}

fn late(time: Duration) -> DatabaseError {
    DatabaseError {
        about: Some(format!("the limit is {} ms", time.as_millis())),
        next: Some("ask for less: a filter on an indexed column, or fewer rows".to_owned()),
        ..DatabaseError::of(Cause::Time)
    }
}

async fn pump(
    conn: &mut Conn,
    written: Written,
    expected: &Expected,
    budget: Budget,
    batches: &Sender,
    told: &mut Option<Told>,
) -> End {
    let params =
        if written.bound.is_empty() { Params::Empty } else { Params::Positional(written.bound) };
    let mut result = match conn.exec_iter(written.sql, params).await {
        Ok(result) => result,
        Err(error) if matches!(expected, Expected::Any) => {
            return End::Failed(error::of_declared(error::of(&error)));
        }
        Err(error) => return End::Failed(error::of(&error)),
    };
    let mut batch = match Pending::new(&result, expected) {
        Ok(batch) => batch,
        Err(error) => return End::Early(Some(error)),
    };
    if let Some(told) = told.take()
        && told.send(Ok(Arc::clone(&batch.schema))).is_err()
    {
        return End::Early(None);
    }
    let mut meter = Meter::new(budget);
    loop {
        let values = match result.next().await {
            Ok(Some(row)) => row.unwrap_raw(),
            Ok(None) => return batch.last(batches).await,
            Err(error) => return End::Failed(error::of(&error)),
        };
        match batch.row(values, &mut meter) {
            Ok(Room::Fits) => {}
            Ok(Room::Full) => return batch.cut(batches).await,
            Err(error) => return End::Early(Some(error)),
        }
        if batch.is_full()
            && let Err(error) = batch.send(batches).await
        {
            return End::Early(error);
        }
    }
}

/// Rows that are not sent yet.
struct Pending {
    schema: SchemaRef,
    cells: Vec<Cells>,
    rows: usize,
    bytes: u64,
    counts: bool,
}

impl Pending {
    fn new(
        result: &QueryResult<'_, 'static, BinaryProtocol>,
        expected: &Expected,
    ) -> Result<Self, DatabaseError> {
        let columns = match expected {
            Expected::Count => Vec::new(),
            Expected::Any => any(result.columns_ref())?,
            Expected::Columns(columns) => {
                same(columns, result.columns_ref())?;
                columns.clone()
            }
        };
        Ok(Self {
            schema: schema(&columns),
            cells: columns.iter().map(|(_, kind)| Cells::new(*kind)).collect(),
            rows: 0,
            bytes: 0,
            counts: matches!(expected, Expected::Count),
        })
    }

    fn row(
        &mut self,
        values: Vec<Option<Value>>,
        meter: &mut Meter,
    ) -> Result<Room, DatabaseError> {
        if self.counts {
            return self.counted(values);
        }
        if meter.row()? == Room::Full {
            return Ok(Room::Full);
        }
        let size = values.iter().flatten().map(cells::size).sum();
        meter.bytes(size)?;
        self.bytes += size;
        for (at, (cells, value)) in self.cells.iter_mut().zip(values).enumerate() {
            cells.push(value.unwrap_or(Value::NULL)).map_err(|bad| DatabaseError {
                about: Some(format!("column {:?} {}", self.schema.field(at).name(), bad.what)),
                next: Some(bad.next.to_owned()),
                ..DatabaseError::of(Cause::Value)
            })?;
        }
        self.rows += 1;
        Ok(Room::Fits)
    }

    fn counted(&mut self, values: Vec<Option<Value>>) -> Result<Room, DatabaseError> {
        let rows = match values.into_iter().next().flatten() {
            Some(Value::Int(rows)) => usize::try_from(rows).ok(),
            _ => None,
        };
        self.rows = rows.ok_or_else(|| DatabaseError::of(Cause::Server))?;
        Ok(Room::Fits)
    }

    fn is_full(&self) -> bool {
        !self.counts && (self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES)
    }

    fn take(&mut self) -> Result<RecordBatch, DatabaseError> {
        let arrays = self.cells.iter_mut().map(Cells::take).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        (self.rows, self.bytes) = (0, 0);
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            .map_err(|_| DatabaseError::of(Cause::Server))
    }

    /// Sends what there is. An error of `None`: nobody reads.
    async fn send(&mut self, batches: &Sender) -> Result<(), Option<DatabaseError>> {
        if self.rows == 0 {
            return Ok(());
        }
        let batch = self.take().map_err(Some)?;
        batches.send(Ok(Batch::Rows(batch))).await.map_err(|_| None)
    }

    async fn last(mut self, batches: &Sender) -> End {
        match self.send(batches).await {
            Ok(()) | Err(None) => End::Whole,
            Err(Some(error)) => End::Failed(error),
        }
    }

    async fn cut(mut self, batches: &Sender) -> End {
        if let Err(error) = self.send(batches).await {
            return End::Early(error);
        }
        // Nobody reads: there is nobody to tell.
        let _ = batches.send(Ok(Batch::Cut)).await;
        End::Early(None)
    }
}

/// The columns of a result as they arrive.
pub(super) fn any(columns: &[mysql_async::Column]) -> Result<Vec<(String, Kind)>, DatabaseError> {
    columns
        .iter()
        .map(|column| {
            let name = column.name_str().into_owned();
            match Kind::of_result(column) {
                Ok(kind) => Ok((name, kind)),
                Err(why) => Err(DatabaseError {
                    about: Some(format!("column {name:?}: {why}")),
                    next: Some("leave it out of the statement, or cast it".to_owned()),
                    ..DatabaseError::of(Cause::Type)
                }),
            }
        })
        .collect()
}

/// Columns as a schema.
pub(super) fn schema(columns: &[(String, Kind)]) -> SchemaRef {
    let fields = columns.iter().map(|(name, kind)| Field::new(name, kind.data_type(), true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Whether a table still is what the catalog said a moment ago.
fn same(columns: &[(String, Kind)], arriving: &[mysql_async::Column]) -> Result<(), DatabaseError> {
    let changed = |name: &str| DatabaseError {
        about: Some(format!("column {name:?}")),
        next: Some("look at the table again and repeat the call".to_owned()),
        ..DatabaseError::of(Cause::Changed)
    };
    if columns.len() != arriving.len() {
        return Err(DatabaseError::of(Cause::Changed));
    }
    for ((name, kind), column) in columns.iter().zip(arriving) {
        // MariaDB sends some texts (uuid, inet6) under the character set of bytes.
        let is_text = *kind == Kind::Text && Kind::of_result(column) == Ok(Kind::Binary);
        if !is_text && Kind::of_result(column).as_ref() != Ok(kind) {
            return Err(changed(name));
        }
    }
    Ok(())
}
