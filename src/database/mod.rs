//! Databases that the configuration names, read through a role that can only read.
//!
//! A [`Source`] is one `[[source]]` of `dataroom.toml`. Three things can be asked of it,
//! and each is one statement of ours in a session that the server itself keeps from
//! writing: which tables there are ([`Driver::tables`], [`Driver::shape`]), the rows of one
//! table ([`Driver::scan`]), and what a declared tool says ([`Driver::run`]). There is no
//! way to hand a statement of somebody else's to a server: [`Driver::scan`] writes its own
//! from a [`Scan`], and [`Declared`] can only be made from the configuration.
//!
//! What stands between a caller and the server, from the outside in:
//!
//! 1. the role: [`Driver::role`] is asked before a source is used, and a role that may
//!    write, create or own is refused with the SQL that mends it;
//! 2. the session: read-only, with a time limit that the server keeps;
//! 3. the protocol: prepared statements with bound values, never a text with values in it,
//!    never two statements in one text;
//! 4. the [`Budget`]: rows, bytes and time, counted while the rows come, and the statement
//!    is cancelled at the server when it is spent, when the caller stops, and when nobody
//!    listens any more.
//!
//! Drivers are asynchronous and run on one small runtime of their own, so that a caller may
//! be any thread: [`Rows`] is what comes out of it, batch by batch, with a short queue
//! between, so that a slow reader slows the server down and fills no memory.
//!
//! No error tells a value, a password, or what a server says of a value: see [`error`].

mod allowed;
mod background;
pub mod config;
mod error;
mod meter;
mod mysql;
mod postgres;
mod scan;
mod secret;
mod source;
mod sqlite;
mod value;

use std::fmt;
use std::time::Duration;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

pub use self::allowed::Allowed;
pub use self::error::{Cause, DatabaseError};
pub use self::scan::{Comparison, Predicate, Scan};
pub use self::secret::Secret;
pub use self::source::{Databases, Source};
pub use self::value::{Value, ValueKind};

/// The name of a `[[source]]`: what its tables' names begin with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SourceName(pub String);

impl fmt::Display for SourceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A table or view of one database, as the server has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TableName {
    /// Its schema; a database of MySQL's; `main` in SQLite.
    pub schema: String,
    /// Its own name.
    pub table: String,
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.schema, self.table)
    }
}

/// A column of a remote table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteColumn {
    /// Its name.
    pub name: String,
    /// Its type, as the server writes it.
    pub remote_type: String,
    /// Whether it may be null.
    pub nullable: bool,
}

/// What a table is like at the moment.
#[derive(Debug, Clone)]
pub struct TableShape {
    /// Which table.
    pub table: TableName,
    /// Columns as the server has them, in its order.
    pub columns: Vec<RemoteColumn>,
    /// The columns as they arrive. Those whose type cannot be read exactly are not in it.
    pub schema: SchemaRef,
    /// Columns that cannot be read, and why, in words.
    pub unreadable: Vec<(String, String)>,
    /// Rows, as the server estimates.
    pub rows: Option<u64>,
}

impl TableShape {
    /// A hash of names, types and nullability: another one means that the table was changed.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for column in &self.columns {
            for part in [column.name.as_str(), &column.remote_type] {
                hasher.update(&(part.len() as u64).to_le_bytes());
                hasher.update(part.as_bytes());
            }
            hasher.update(&[u8::from(column.nullable)]);
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// What one statement may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Until it is cancelled.
    pub time: Duration,
    /// Rows that may arrive; one more is an error, unless `cuts`.
    pub rows: u64,
    /// Bytes that may arrive.
    pub bytes: u64,
    /// Whether what is over `rows` is left out, and [`Rows::was_cut`] says so.
    pub cuts: bool,
}

/// A statement of the configuration's: the only text that a driver takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    sql: String,
}

impl Declared {
    /// The statement of a declared tool. Its placeholders are the server's own (`$1`; `?`).
    pub(crate) fn of_configuration(sql: String) -> Self {
        Self { sql }
    }

    /// Its text.
    #[must_use]
    pub fn sql(&self) -> &str {
        &self.sql
    }
}

/// A statement as the server has understood it; nothing was run.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// What it gives.
    pub schema: SchemaRef,
    /// The types of its parameters, as the server writes them; where it does not say, empty.
    pub parameters: Vec<String>,
}

/// One right too many of a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleFault {
    /// What the role can do, in words.
    pub what: String,
    /// The SQL that takes it away.
    pub mend: String,
}

/// What a role may do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoleReport {
    /// Its name.
    pub role: String,
    /// The server and its version.
    pub server: String,
    /// What it may do and must not. Empty: it can be used.
    pub faults: Vec<RoleFault>,
}

/// One kind of database. Implemented by a folder or file each for PostgreSQL, MySQL and
/// SQLite; called through [`Source`].
#[async_trait]
pub trait Driver: fmt::Debug + Send + Sync {
    /// What the role may do.
    async fn role(&self) -> Result<RoleReport, DatabaseError>;

    /// The tables that the configuration allows and the role may read, by name.
    async fn tables(&self) -> Result<Vec<TableName>, DatabaseError>;

    /// What a table is like.
    async fn shape(&self, table: &TableName) -> Result<TableShape, DatabaseError>;

    /// Begins to read a table. The rows are sent until they end, the budget is spent or the
    /// receiver is gone; in the last two cases the statement is cancelled at the server.
    async fn scan(&self, scan: &Scan, budget: Budget) -> Result<Rows, DatabaseError>;

    /// What a declared statement takes and gives.
    async fn prepare(&self, declared: &Declared) -> Result<Prepared, DatabaseError>;

    /// Begins to run a declared statement, with a value for each of its placeholders.
    async fn run(
        &self,
        declared: &Declared,
        values: &[Value],
        budget: Budget,
    ) -> Result<Rows, DatabaseError>;
}

/// Batches that may wait for their reader.
pub const QUEUE: usize = 2;

/// Rows as they arrive.
#[derive(Debug)]
pub struct Rows {
    /// Their columns.
    pub schema: SchemaRef,
    batches: mpsc::Receiver<Result<Batch, DatabaseError>>,
    was_cut: bool,
    of: Option<(SourceName, source::Seen)>,
}

/// What a driver sends.
#[derive(Debug)]
pub enum Batch {
    /// Some rows, in their order.
    Rows(RecordBatch),
    /// There are more, which the budget leaves out.
    Cut,
}

impl Rows {
    /// Rows that a driver sends through `batches`, which holds at most [`QUEUE`] of them.
    pub(crate) fn new(
        schema: SchemaRef,
        batches: mpsc::Receiver<Result<Batch, DatabaseError>>,
    ) -> Self {
        Self { schema, batches, was_cut: false, of: None }
    }

    /// The rows of this source, which is named in their errors.
    fn of(self, source: SourceName, seen: source::Seen) -> Self {
        Self { of: Some((source, seen)), ..self }
    }

    fn failed(&self, error: DatabaseError) -> DatabaseError {
        let Some((source, seen)) = &self.of else { return error };
        seen.after(&error);
        error.of_source(source)
    }

    /// Whether rows were left out. Known when they have ended.
    #[must_use]
    pub fn was_cut(&self) -> bool {
        self.was_cut
    }

    /// The next rows, `None` at the end. Waits for them, and looks every few milliseconds
    /// whether it is to `stop`.
    ///
    /// # Errors
    /// The statement failed, its budget is spent, or `stop` said true.
    pub fn next(&mut self, stop: &dyn Fn() -> bool) -> Result<Option<RecordBatch>, DatabaseError> {
        loop {
            if stop() {
                self.batches.close();
                return Err(self.failed(DatabaseError::of(Cause::Cancelled)));
            }
            match self.batches.try_recv() {
                Ok(Ok(Batch::Rows(batch))) => return Ok(Some(batch)),
                Ok(Ok(Batch::Cut)) => self.was_cut = true,
                Ok(Err(error)) => return Err(self.failed(error)),
                Err(mpsc::error::TryRecvError::Disconnected) => return Ok(None),
                Err(mpsc::error::TryRecvError::Empty) => std::thread::sleep(TICK),
            }
        }
    }
}

/// How often a reader that waits looks whether it is to stop.
const TICK: Duration = Duration::from_micros(200);
