//! Rows from the server into batches, as long as somebody takes them.
//!
//! The reader's queue is short, so a slow reader slows the server down. When the reader is
//! gone, the time is over or the budget is spent, the session is dropped in the middle,
//! which cancels its statement.

use std::pin::Pin;
use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use futures::{FutureExt as _, StreamExt as _};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{Row, RowStream};

use super::column::Column;
use super::error::translate;
use super::kind::Kind;
use super::numeric;
use super::session::Session;
use crate::database::meter::{BATCH_BYTES, BATCH_ROWS, Meter, Room};
use crate::database::{Batch, Budget, Cause, DatabaseError, QUEUE, Rows};

/// Bytes of one value.
const VALUE: usize = 64 << 20;
/// Rows that may be looked at before the first is handed over.
const HEAD: usize = BATCH_ROWS;

/// The bytes of a cell, whatever its type.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A statement that runs.
pub(super) struct Running {
    pub session: Session,
    pub rows: Pin<Box<RowStream>>,
    /// Names and kinds of what it gives.
    pub columns: Vec<(String, Kind)>,
    pub budget: Budget,
    pub deadline: Instant,
}

/// The columns' schema.
pub(super) fn schema(columns: &[(String, Kind)]) -> SchemaRef {
    let field = |(name, kind): &(String, Kind)| Field::new(name, kind.data_type(), true);
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

/// Rows that were looked at before they are handed over.
#[derive(Default)]
struct Head {
    rows: Vec<Row>,
    /// Whether there are no more.
    is_all: bool,
}

fn late() -> DatabaseError {
    DatabaseError {
        next: Some("ask for fewer rows, or raise `statement_ms` of the source".to_owned()),
        ..DatabaseError::of(Cause::Time)
    }
}

impl Running {
    /// Hands its rows over as they come.
    pub(super) async fn rows(mut self) -> Result<Rows, DatabaseError> {
        let is_loose =
            |(_, kind): &(String, Kind)| matches!(kind, Kind::Numeric { loose, .. } if *loose);
        let head = match self.columns.iter().any(is_loose) {
            true => self.head().await?,
            false => Head::default(),
        };
        let schema = schema(&self.columns);
        let (sender, receiver) = mpsc::channel(QUEUE);
        let rows = Rows::new(Arc::clone(&schema), receiver);
        // Ends when the statement does, or when nobody receives.
        Handle::current().spawn(self.send(head, schema, sender));
        Ok(rows)
    }

    /// The first rows, which say how many decimals the columns need of which the server
    /// does not know it.
    async fn head(&mut self) -> Result<Head, DatabaseError> {
        let (mut head, mut is_all) = (Vec::new(), false);
        let mut bytes = 0;
        while head.len() < HEAD && bytes < BATCH_BYTES as usize {
            let next = timeout_at(self.deadline, self.rows.next()).await.map_err(|_| late())?;
            match next {
                Some(row) => {
                    let row = row.map_err(|error| translate(&error))?;
                    bytes += row.raw_size_bytes();
                    head.push(row);
                }
                None => {
                    is_all = true;
                    break;
                }
            }
        }
        for (at, (name, kind)) in self.columns.iter_mut().enumerate() {
            if !matches!(kind, Kind::Numeric { loose: true, .. }) {
                continue;
            }
            let (mut before, mut behind) = (0, 0);
            for row in &head {
                if let Some(raw) = cell(row, at, name)? {
                    let extent = numeric::extent(raw);
                    (before, behind) = (extent.0.max(before), extent.1.max(behind));
                }
            }
            *kind = fitted(before, behind, is_all).ok_or_else(|| too_long(name))?;
        }
        Ok(Head { rows: head, is_all })
    }

    async fn send(
        self,
        head: Head,
        schema: SchemaRef,
        sender: mpsc::Sender<Result<Batch, DatabaseError>>,
    ) {
        let Self { session, mut rows, columns, budget, deadline } = self;
        let mut batches = Batches::new(columns, schema, budget);
        let done = pump(&mut batches, head, &mut rows, deadline, &sender).await;
        match done {
            Ok(End::All) => {
                // Back in the pool before the reader knows that it was the last.
                let last = batches.take();
                session.end().await;
                let _ = match last {
                    Ok(Some(batch)) => sender.send(Ok(Batch::Rows(batch))).await,
                    Ok(None) => Ok(()),
                    Err(error) => sender.send(Err(error)).await,
                };
            }
            Ok(End::Cut) => {
                let last = batches.take();
                session.stop(&mut rows).await;
                if let Ok(Some(batch)) = last {
                    let _ = sender.send(Ok(Batch::Rows(batch))).await;
                }
                let _ = sender.send(Ok(Batch::Cut)).await;
            }
            Ok(End::Unread) => drop(session),
            Err(error) => {
                match error.code.is_some() {
                    // The server ended it itself.
                    true => session.end().await,
                    false => drop(session),
                }
                let _ = sender.send(Err(error)).await;
            }
        }
    }
}

/// How the rows ended.
enum End {
    All,
    Cut,
    Unread,
}

async fn pump(
    batches: &mut Batches,
    head: Head,
    rows: &mut Pin<Box<RowStream>>,
    deadline: Instant,
    sender: &mpsc::Sender<Result<Batch, DatabaseError>>,
) -> Result<End, DatabaseError> {
    let Head { rows: head, is_all } = head;
    let mut head = head.into_iter();
    loop {
        let row = match head.next() {
            Some(row) => row,
            // What has ended must not be asked again.
            None if is_all => return Ok(End::All),
            None => {
                let next = match rows.next().now_or_never() {
                    Some(next) => next,
                    None => tokio::select! {
                        biased;
                        () = sender.closed() => return Ok(End::Unread),
                        next = timeout_at(deadline, rows.next()) => next.map_err(|_| late())?,
                    },
                };
                match next {
                    Some(row) => row.map_err(|error| translate(&error))?,
                    None => return Ok(End::All),
                }
            }
        };
        if batches.add(&row)? == Room::Full {
            return Ok(End::Cut);
        }
        if batches.is_full()
            && let Some(batch) = batches.take()?
        {
            if Instant::now() >= deadline {
                return Err(late());
            }
            match timeout_at(deadline, sender.send(Ok(Batch::Rows(batch)))).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Ok(End::Unread),
                Err(_) => return Err(late()),
            }
        }
    }
}

fn cell<'a>(row: &'a Row, at: usize, name: &str) -> Result<Option<&'a [u8]>, DatabaseError> {
    let raw: Option<Raw<'a>> = row.try_get(at).map_err(|_| misfit(name, "that is missing"))?;
    Ok(raw.map(|Raw(raw)| raw))
}

fn misfit(column: &str, what: &str) -> DatabaseError {
    DatabaseError {
        about: Some(format!("column {column} has a value {what}")),
        next: Some("leave the column out, or read it through a view that makes it fit".to_owned()),
        ..DatabaseError::of(Cause::Value)
    }
}

fn too_long(column: &str) -> DatabaseError {
    misfit(column, "with more digits than a decimal can have")
}

/// The decimal that values of these digits need. Few digits are kept few, because they are
/// quick to compute with. Of values that are yet to come nothing is known.
pub(super) fn fitted(before: u16, behind: u16, is_all: bool) -> Option<Kind> {
    let behind = if is_all {
        behind
    } else {
        behind.max(u16::from(super::kind::LOOSE_SCALE.unsigned_abs()))
    };
    let needed = before.checked_add(behind)?;
    let digits = match (needed, is_all) {
        (..=18, true) => 18,
        (..=38, _) => 38,
        (..=76, _) => 76,
        _ => return None,
    };
    Some(Kind::Numeric { digits, scale: i8::try_from(behind).ok()?, loose: false })
}

/// Rows that become a batch.
struct Batches {
    columns: Vec<(String, Kind, Column)>,
    schema: SchemaRef,
    meter: Meter,
    rows: usize,
    bytes: u64,
}

impl Batches {
    fn new(columns: Vec<(String, Kind)>, schema: SchemaRef, budget: Budget) -> Self {
        let column = |(name, kind): (String, Kind)| {
            let column = Column::new(&kind);
            (name, kind, column)
        };
        let columns = columns.into_iter().map(column).collect();
        Self { columns, schema, meter: Meter::new(budget), rows: 0, bytes: 0 }
    }

    fn add(&mut self, row: &Row) -> Result<Room, DatabaseError> {
        if self.meter.row()? == Room::Full {
            return Ok(Room::Full);
        }
        let bytes = row.raw_size_bytes() as u64;
        self.meter.bytes(bytes)?;
        for (at, (name, _, column)) in self.columns.iter_mut().enumerate() {
            match cell(row, at, name)? {
                None => column.null(),
                Some(raw) if raw.len() > VALUE => {
                    let size =
                        format!("of {} MB, and one may have {}", raw.len() >> 20, VALUE >> 20);
                    return Err(misfit(name, &size));
                }
                Some(raw) => column.value(raw).map_err(|what| misfit(name, &what))?,
            }
        }
        self.rows += 1;
        self.bytes += bytes;
        Ok(Room::Fits)
    }

    fn is_full(&self) -> bool {
        self.rows >= BATCH_ROWS || self.bytes >= BATCH_BYTES
    }

    fn take(&mut self) -> Result<Option<RecordBatch>, DatabaseError> {
        if self.rows == 0 {
            return Ok(None);
        }
        let failed = |error: arrow::error::ArrowError| DatabaseError {
            detail: Some(error.to_string()),
            ..DatabaseError::of(Cause::Server)
        };
        let columns = self.columns.iter_mut().map(|(_, _, column)| column.take());
        let columns = columns.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options);
        (self.rows, self.bytes) = (0, 0);
        batch.map(Some).map_err(failed)
    }
}
