//! SQLite: a file that is opened for reading, by the library that is built in.
//!
//! There is no role; what keeps a source from writing is the file's opening ([`open`]:
//! read-only, `query_only`, defensive) and the guard that SQLite asks about each thing that a
//! statement would do ([`guard`]). What a column is its values decide ([`classes`]).
//!
//! SQLite waits and computes in the caller's thread, so all of it happens on threads that
//! may wait, a connection each; a statement is stopped between two steps of its machine when
//! its time is over or nobody waits for it.

mod cells;
mod classes;
mod error;
mod guard;
mod open;
mod read;
mod shape;
mod with;
mod write;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use self::open::Until;
use self::read::Columns;
use self::shape::Known;
use self::write::Written;
use super::config::SourceLimits;
use super::meter::Meter;
use super::{
    Allowed, Batch, Budget, Cause, DatabaseError, Declared, Driver, Prepared, QUEUE, RoleReport,
    Rows, Scan, TableName, TableShape, Value,
};

/// Until a place is free.
const WAIT: Duration = Duration::from_secs(5);

/// What is needed to use a file.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// Which.
    pub(super) file: PathBuf,
    /// What may be read.
    pub(super) allowed: Allowed,
    /// What it may be asked for.
    pub(super) limits: SourceLimits,
}

/// A file of SQLite's.
#[derive(Debug)]
pub(super) struct Sqlite {
    shared: Arc<Shared>,
    places: Arc<Semaphore>,
}

#[derive(Debug)]
struct Shared {
    settings: Settings,
    /// What was counted of tables while the file was as its stamp says. A stamp can be too
    /// coarse to see a change; then the values are refused while they are read.
    counted: Mutex<BTreeMap<TableName, (Stamp, Arc<Known>)>>,
}

/// Sizes and times of the file and its journal.
type Stamp = [Option<(u64, SystemTime)>; 2];

/// Set when whoever waits has gone.
struct Left(Arc<AtomicBool>);

impl Drop for Left {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What a statement gives, and where its rows go.
struct Reader {
    budget: Budget,
    batches: mpsc::Sender<Result<Batch, DatabaseError>>,
    told: oneshot::Sender<Result<Columns, DatabaseError>>,
}

impl Sqlite {
    /// Nothing is opened yet.
    pub(super) fn new(settings: Settings) -> Self {
        let places = Arc::new(Semaphore::new(settings.limits.connections.max(1) as usize));
        Self { shared: Arc::new(Shared { settings, counted: Mutex::default() }), places }
    }

    async fn place(&self) -> Result<OwnedSemaphorePermit, DatabaseError> {
        match tokio::time::timeout(WAIT, Arc::clone(&self.places).acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(DatabaseError {
                about: Some(format!(
                    "all {} connections of this source are in use",
                    self.shared.settings.limits.connections
                )),
                next: Some("try again when a query has ended".to_owned()),
                ..DatabaseError::of(Cause::Busy)
            }),
        }
    }

    /// Does something that gives one answer.
    async fn once<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shared, &mut Connection) -> Result<T, DatabaseError> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let place = self.place().await?;
        let left = Left(Arc::default());
        let (flag, shared) = (Arc::clone(&left.0), Arc::clone(&self.shared));
        let time = shared.settings.limits.statement;
        let done = tokio::task::spawn_blocking(move || {
            let until = Until {
                deadline: Instant::now() + time,
                is_left: Box::new(move || flag.load(Ordering::Relaxed)),
            };
            let _place = place;
            let mut connection = open::open(&shared.settings.file, until)?;
            work(&shared, &mut connection).map_err(|error| timed(error, time))
        });
        done.await.unwrap_or_else(|_| Err(DatabaseError::of(Cause::Server)))
    }

    /// Does something that gives rows.
    async fn rows(
        &self,
        budget: Budget,
        work: impl FnOnce(&Shared, &mut Connection, Reader) -> Result<(), Failed> + Send + 'static,
    ) -> Result<Rows, DatabaseError> {
        let place = self.place().await?;
        let (batches, reader) = mpsc::channel(QUEUE);
        let (told, columns) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        tokio::task::spawn_blocking(move || {
            let _place = place;
            let left = batches.clone();
            let until = Until {
                deadline: Instant::now() + budget.time,
                is_left: Box::new(move || left.is_closed()),
            };
            let lost = batches.clone();
            let failed = match open::open(&shared.settings.file, until) {
                Ok(mut connection) => {
                    work(&shared, &mut connection, Reader { budget, batches, told }).err()
                }
                Err(error) => Some(Failed { error, told: Some(told) }),
            };
            let Some(Failed { error, told }) = failed else {
                return;
            };
            let error = timed(error, budget.time);
            match told {
                Some(told) => drop(told.send(Err(error))),
                // Nobody reads: there is nobody to tell.
                None => drop(lost.blocking_send(Err(error))),
            }
        });
        match columns.await {
            Ok(columns) => Ok(Rows::new(read::schema(&columns?), reader)),
            Err(_) => Err(DatabaseError::of(Cause::Server)),
        }
    }
}

/// An error, and who is to hear of it if not the reader of the rows.
struct Failed {
    error: DatabaseError,
    told: Option<oneshot::Sender<Result<Columns, DatabaseError>>>,
}

/// What was interrupted was so because its time was over: nobody hears of the other case.
fn timed(error: DatabaseError, time: Duration) -> DatabaseError {
    match error.cause {
        Cause::Cancelled | Cause::Time => DatabaseError {
            about: Some(format!("the limit is {} ms", time.as_millis())),
            next: Some("ask for less: a filter, or fewer rows".to_owned()),
            ..DatabaseError::of(Cause::Time)
        },
        _ => error,
    }
}

impl Shared {
    /// What a table is like, counted now or while the file was the same.
    fn known(
        &self,
        connection: &Connection,
        table: &TableName,
    ) -> Result<Arc<Known>, DatabaseError> {
        let stamp = stamp(&self.settings.file);
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, known)) = counted.get(table)
            && *of == stamp
        {
            return Ok(Arc::clone(known));
        }
        drop(counted);
        let known = Arc::new(shape::look(connection, &self.settings.allowed, table)?);
        counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.insert(table.clone(), (stamp, Arc::clone(&known)));
        Ok(known)
    }

    fn forget(&self, table: &TableName) {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner).remove(table);
    }

    /// The columns that a scan wants, and its statement.
    fn asked(
        &self,
        connection: &Connection,
        scan: &Scan,
        budget: &Budget,
    ) -> Result<(Columns, Written), DatabaseError> {
        let known = self.known(connection, &scan.table)?;
        let mut columns = Columns::with_capacity(scan.columns.len());
        for name in &scan.columns {
            let column = known.columns.iter().find(|column| column.name == *name);
            match column.map(|column| column.class.clone()) {
                Some(Ok(class)) => columns.push((name.clone(), class)),
                Some(Err(why)) => {
                    return Err(about(Cause::Type, format!("column {name:?}: {why}")));
                }
                None => return Err(about(Cause::Changed, format!("no column {name:?} any more"))),
            }
        }
        Ok((columns, write::scan(scan, &known, Meter::limit(budget, scan.limit))))
    }

    fn scan(&self, connection: &mut Connection, scan: &Scan, reader: Reader) -> Result<(), Failed> {
        let Reader { budget, batches, told } = reader;
        let asked = self.asked(connection, scan, &budget).and_then(|asked| {
            let refused = guard::install(connection, &self.settings.allowed, &asked.1.sql)?;
            Ok((asked, refused))
        });
        let ((columns, written), refused) = match asked {
            Ok(asked) => asked,
            Err(error) => return Err(Failed { error, told: Some(told) }),
        };
        if columns.is_empty() {
            drop(told.send(Ok(columns)));
            let sent = read::send_count(connection, &written, &refused, &batches);
            return sent.map_err(|error| Failed { error, told: None });
        }
        let mut statement = match read::prepare(connection, &written.sql, &refused) {
            Ok(statement) => statement,
            Err(error) => return Err(Failed { error, told: Some(told) }),
        };
        drop(told.send(Ok(columns.clone())));
        read::send(&mut statement, &written.bound, &columns, budget, &batches).map_err(|error| {
            if error.cause == Cause::Changed {
                self.forget(&scan.table);
            }
            Failed { error, told: None }
        })
    }

    fn run(
        &self,
        connection: &mut Connection,
        written: &Written,
        reader: Reader,
    ) -> Result<(), Failed> {
        let Reader { budget, batches, told } = reader;
        let guarded = guard::install(connection, &self.settings.allowed, &written.sql);
        let looked = guarded.and_then(|refused| {
            let mut statement = read::prepare(connection, &written.sql, &refused)?;
            let wanted = statement.parameter_count();
            if wanted != written.bound.len() {
                let what = format!("{wanted} placeholders for {} values", written.bound.len());
                return Err(about(Cause::Statement, what));
            }
            let columns = read::look(&mut statement, &written.bound, budget.rows)?;
            Ok((statement, columns))
        });
        let (mut statement, columns) = match looked {
            Ok(looked) => looked,
            Err(error) => return Err(Failed { error, told: Some(told) }),
        };
        drop(told.send(Ok(columns.clone())));
        read::send(&mut statement, &written.bound, &columns, budget, &batches)
            .map_err(|error| Failed { error, told: None })
    }
}

fn about(cause: Cause, about: String) -> DatabaseError {
    DatabaseError { about: Some(about), ..DatabaseError::of(cause) }
}

fn stamp(file: &Path) -> Stamp {
    let mut journal = file.as_os_str().to_owned();
    journal.push("-wal");
    [file, Path::new(&journal)].map(|file| {
        let found = file.metadata().ok()?;
        Some((found.len(), found.modified().ok()?))
    })
}

#[async_trait]
impl Driver for Sqlite {
    /// A file has no roles: opening it for reading is all that can be done with it.
    async fn role(&self) -> Result<RoleReport, DatabaseError> {
        self.once(|_, connection| {
            // A file that is none of SQLite's is found out by reading its head.
            connection
                .query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
                .map_err(|error| error::of(&error))?;
            let server = format!("SQLite {}", rusqlite::version());
            Ok(RoleReport { role: "reader of a file".to_owned(), server, faults: Vec::new() })
        })
        .await
    }

    async fn tables(&self) -> Result<Vec<TableName>, DatabaseError> {
        self.once(|shared, connection| shape::tables(connection, &shared.settings.allowed)).await
    }

    async fn shape(&self, table: &TableName) -> Result<TableShape, DatabaseError> {
        let table = table.clone();
        self.once(move |shared, connection| Ok(shared.known(connection, &table)?.shape(&table)))
            .await
    }

    async fn scan(&self, scan: &Scan, budget: Budget) -> Result<Rows, DatabaseError> {
        let scan = scan.clone();
        self.rows(budget, move |shared, connection, reader| shared.scan(connection, &scan, reader))
            .await
    }

    /// What its columns hold is known when it has run; until then they are of no type.
    async fn prepare(&self, declared: &Declared) -> Result<Prepared, DatabaseError> {
        let sql = declared.sql().to_owned();
        self.once(move |shared, connection| {
            use arrow::datatypes::{DataType, Field, Schema};
            let refused = guard::install(connection, &shared.settings.allowed, &sql)?;
            let statement = read::prepare(connection, &sql, &refused)?;
            let fields = statement.column_names();
            let fields = fields.map(|name| Field::new(name, DataType::Null, true));
            Ok(Prepared {
                schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())),
                parameters: vec![String::new(); statement.parameter_count()],
            })
        })
        .await
    }

    async fn run(
        &self,
        declared: &Declared,
        values: &[Value],
        budget: Budget,
    ) -> Result<Rows, DatabaseError> {
        let bound = values.iter().map(write::argument).collect::<Option<Vec<_>>>();
        let bound = bound.ok_or_else(|| {
            about(Cause::Value, "a number or date that SQLite cannot hold exactly".to_owned())
        })?;
        let written = Written { sql: declared.sql().to_owned(), bound };
        self.rows(budget, move |shared, connection, reader| {
            shared.run(connection, &written, reader)
        })
        .await
    }
}

#[cfg(test)]
mod tests;
