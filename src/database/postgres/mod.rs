//! PostgreSQL, by the extended protocol, in transactions that only read.
//!
//! [`pool`] lends connections, [`session`] makes a transaction of one, [`shape`] asks the
//! catalog, [`kind`] says how each type arrives, [`filter`] what of a condition goes to the
//! server, and [`stream`] turns rows into batches. [`role`] is asked before all of them.

mod bound;
mod column;
mod error;
mod filter;
mod kind;
mod numeric;
mod pool;
mod role;
mod scan;
mod session;
mod shape;
mod stream;
mod tls;

use std::time::Duration;

use async_trait::async_trait;

use self::pool::Pool;
use self::session::Session;
use super::config::{ServerPlace, SourceSection};
use super::{
    Allowed, Budget, DatabaseError, Declared, Driver, Prepared, RoleReport, Rows, Scan, TableName,
    TableShape, Value,
};

/// What the catalog has to answer.
const CATALOG: Duration = Duration::from_secs(20);

/// One PostgreSQL database.
#[derive(Debug)]
pub(super) struct Postgres {
    pool: Pool,
    allowed: Allowed,
}

impl Postgres {
    /// The database that a section names. It is connected to when it is first asked.
    pub(super) fn new(place: ServerPlace, section: &SourceSection) -> Self {
        let pool = Pool::new(place, section.limits.connections);
        Self { pool, allowed: section.allowed.clone() }
    }
}

#[async_trait]
impl Driver for Postgres {
    async fn role(&self) -> Result<RoleReport, DatabaseError> {
        let session = Session::begin(&self.pool, CATALOG).await?;
        let report = role::report(&session, &self.allowed).await;
        session.end().await;
        report
    }

    async fn tables(&self) -> Result<Vec<TableName>, DatabaseError> {
        let session = Session::begin(&self.pool, CATALOG).await?;
        let tables = shape::tables(&session, &self.allowed).await;
        session.end().await;
        tables
    }

    async fn shape(&self, table: &TableName) -> Result<TableShape, DatabaseError> {
        let session = Session::begin(&self.pool, CATALOG).await?;
        let shaped = shape::shape(&session, &self.allowed, table).await;
        session.end().await;
        Ok(shaped?.shape)
    }

    async fn scan(&self, scan: &Scan, budget: Budget) -> Result<Rows, DatabaseError> {
        let session = Session::begin(&self.pool, budget.time).await?;
        scan::scan(session, &self.allowed, scan, budget).await
    }

    async fn prepare(&self, declared: &Declared) -> Result<Prepared, DatabaseError> {
        let session = Session::begin(&self.pool, CATALOG).await?;
        let prepared = scan::prepare(&session, declared).await;
        session.end().await;
        prepared
    }

    async fn run(
        &self,
        declared: &Declared,
        values: &[Value],
        budget: Budget,
    ) -> Result<Rows, DatabaseError> {
        let session = Session::begin(&self.pool, budget.time).await?;
        scan::run(session, declared, values, budget).await
    }
}
