//! All sources of a room, and one of them as any thread may use it.
//!
//! A source connects when it is first used. Before that its role is looked at, and a role
//! that may do more than read is refused; it is looked at again after a connection broke
//! and from time to time, because a right can be granted while we run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::background::Background;
use super::config::{Place, SourceSection, Sources};
use super::mysql::{self, MySql};
use super::postgres::Postgres;
use super::sqlite::{self, Sqlite};
use super::{
    Budget, Cause, DatabaseError, Declared, Driver, Prepared, RoleReport, Rows, Scan, SourceName,
    TableName, TableShape, Value,
};

/// After how long a role is looked at again.
const ROLE_HOLDS: Duration = Duration::from_secs(300);

/// The databases of a room, by name.
#[derive(Debug, Default)]
pub struct Databases(BTreeMap<String, Source>);

impl Databases {
    /// The sources of a configuration. Nothing is opened or read yet.
    #[must_use]
    pub fn new(sources: &Sources) -> Self {
        let background = Background::default();
        let source = |section: &SourceSection| {
            (section.name.0.clone(), Source::new(section.clone(), background.clone()))
        };
        Self(sources.iter().map(source).collect())
    }

    /// The source of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Source> {
        self.0.get(name)
    }

    /// Each source, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.0.values()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// One database. See the module.
#[derive(Debug)]
pub struct Source {
    section: SourceSection,
    driver: Arc<dyn Driver>,
    background: Background,
    seen: Seen,
}

/// When the role was last found to be one that only reads.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen(Arc<Mutex<Option<Instant>>>);

impl Seen {
    fn holds(&self) -> bool {
        let seen = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.is_some_and(|at| at.elapsed() < ROLE_HOLDS)
    }

    fn set(&self, at: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }

    /// After these, the server may be another one.
    pub(super) fn after(&self, error: &DatabaseError) {
        if matches!(error.cause, Cause::Lost | Cause::Unreachable | Cause::Login) {
            self.set(None);
        }
    }
}

impl Source {
    fn new(section: SourceSection, background: Background) -> Self {
        let (allowed, limits) = (section.allowed.clone(), section.limits);
        let driver: Arc<dyn Driver> = match &section.place {
            Place::Postgres(server) => Arc::new(Postgres::new(server.clone(), &section)),
            Place::Mysql(place) => {
                let place = place.clone();
                Arc::new(MySql::new(mysql::Settings { place, allowed, limits }))
            }
            Place::Sqlite(file) => {
                let file = file.clone();
                Arc::new(Sqlite::new(sqlite::Settings { file, allowed, limits }))
            }
        };
        Self { section, driver, background, seen: Seen::default() }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &SourceName {
        &self.section.name
    }

    /// What the configuration says of it.
    #[must_use]
    pub fn section(&self) -> &SourceSection {
        &self.section
    }

    /// What one reading of a table may use.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.section.limits.budget()
    }

    /// What the role may do, asked anew.
    ///
    /// # Errors
    /// The server cannot be asked.
    pub fn role(&self, stop: &dyn Fn() -> bool) -> Result<RoleReport, DatabaseError> {
        let driver = Arc::clone(&self.driver);
        self.wait(stop, async move { driver.role().await })
    }

    /// The tables that may be read, by name.
    ///
    /// # Errors
    /// The role is refused, or the server cannot be asked.
    pub fn tables(&self, stop: &dyn Fn() -> bool) -> Result<Vec<TableName>, DatabaseError> {
        if self.section.only_tools {
            return Ok(Vec::new());
        }
        self.ready(stop)?;
        let driver = Arc::clone(&self.driver);
        self.wait(stop, async move { driver.tables().await })
    }

    /// What a table is like now.
    ///
    /// # Errors
    /// There is no such table or it may not be read, the role is refused, or the server
    /// cannot be asked.
    pub fn shape(
        &self,
        table: &TableName,
        stop: &dyn Fn() -> bool,
    ) -> Result<TableShape, DatabaseError> {
        self.has_tables()?;
        self.ready(stop)?;
        let (driver, table) = (Arc::clone(&self.driver), table.clone());
        self.wait(stop, async move { driver.shape(&table).await })
    }

    /// Begins to read a table.
    ///
    /// # Errors
    /// As [`Source::shape`]; and each batch may fail on its own.
    pub fn scan(
        &self,
        scan: &Scan,
        budget: Budget,
        stop: &dyn Fn() -> bool,
    ) -> Result<Rows, DatabaseError> {
        self.has_tables()?;
        self.ready(stop)?;
        let (driver, scan) = (Arc::clone(&self.driver), scan.clone());
        let rows = self.wait(stop, async move { driver.scan(&scan, budget).await })?;
        Ok(rows.of(self.name().clone(), self.seen.clone()))
    }

    /// What a declared statement takes and gives. Nothing is run.
    ///
    /// # Errors
    /// The server does not take it, the role is refused, or the server cannot be asked.
    pub fn prepare(
        &self,
        declared: &Declared,
        stop: &dyn Fn() -> bool,
    ) -> Result<Prepared, DatabaseError> {
        self.ready(stop)?;
        let (driver, declared) = (Arc::clone(&self.driver), declared.clone());
        self.wait(stop, async move { driver.prepare(&declared).await })
    }

    /// Begins to run a declared statement.
    ///
    /// # Errors
    /// As [`Source::prepare`]; and each batch may fail on its own.
    pub fn run(
        &self,
        declared: &Declared,
        values: &[Value],
        budget: Budget,
        stop: &dyn Fn() -> bool,
    ) -> Result<Rows, DatabaseError> {
        self.ready(stop)?;
        let (driver, declared) = (Arc::clone(&self.driver), declared.clone());
        let values = values.to_vec();
        let rows = self.wait(stop, async move { driver.run(&declared, &values, budget).await })?;
        Ok(rows.of(self.name().clone(), self.seen.clone()))
    }

    /// Refuses whoever asks for a table of a source that has none for them.
    fn has_tables(&self) -> Result<(), DatabaseError> {
        match self.section.only_tools {
            false => Ok(()),
            true => Err(DatabaseError {
                source: Some(self.name().0.clone()),
                about: Some("only declared tools read this source (`only_tools`)".to_owned()),
                ..DatabaseError::of(Cause::Table)
            }),
        }
    }

    /// Refuses a role that may do more than read.
    fn ready(&self, stop: &dyn Fn() -> bool) -> Result<(), DatabaseError> {
        if self.seen.holds() {
            return Ok(());
        }
        let report = self.role(stop)?;
        if let Some(first) = report.faults.first() {
            let more = match report.faults.len() {
                1 => String::new(),
                all => format!(", and {} more", all - 1),
            };
            return Err(DatabaseError {
                source: Some(self.name().0.clone()),
                about: Some(format!("{} {}{more}", report.role, first.what)),
                next: Some(
                    "`dataroom sources check --explain` prints the SQL that takes it away"
                        .to_owned(),
                ),
                ..DatabaseError::of(Cause::Role)
            });
        }
        self.seen.set(Some(Instant::now()));
        Ok(())
    }

    fn wait<T: Send + 'static>(
        &self,
        stop: &dyn Fn() -> bool,
        work: impl Future<Output = Result<T, DatabaseError>> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        self.background.wait(stop, work).map_err(|error| {
            self.seen.after(&error);
            error.of_source(self.name())
        })
    }
}
