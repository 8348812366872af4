//! MySQL and MariaDB.
//!
//! What keeps a source from writing, from the outside in: the role ([`role`] refuses any
//! right but reading), the session and its transaction ([`session`]), and the statements:
//! a scan's is written here ([`write`]), a declared one is one SELECT of listed functions
//! ([`gate`]); both are prepared and executed by the binary protocol, whose statements are
//! one each.
//!
//! Rows stream ([`stream`]): a slow reader makes the server wait, and whoever stops reading
//! stops the statement at the server (`KILL QUERY`). A row over 64 MiB is an error, which the
//! client's own bound on a packet keeps.

mod address;
mod catalog;
mod cells;
mod error;
mod gate;
mod grant;
mod kind;
mod lexer;
mod pool;
mod role;
mod session;
mod stream;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use mysql_async::prelude::Queryable;

use self::pool::{Lease, Pool};
use self::stream::Expected;
use self::write::Written;
use super::config::{ServerPlace, SourceLimits};
use super::meter::Meter;
use super::{
    Allowed, Budget, Cause, DatabaseError, Declared, Driver, Prepared, RoleReport, Rows, Scan,
    TableName, TableShape, Value,
};

/// What is needed to use a server.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// Where it is; its address is read when a connection is made.
    pub(super) place: ServerPlace,
    /// What may be read.
    pub(super) allowed: Allowed,
    /// What it may be asked for.
    pub(super) limits: SourceLimits,
}

/// A server of MySQL's or MariaDB's.
#[derive(Debug)]
pub(super) struct MySql {
    pool: Arc<Pool>,
}

impl MySql {
    /// Nothing is connected yet.
    pub(super) fn new(settings: Settings) -> Self {
        Self { pool: Arc::new(Pool::new(settings)) }
    }

    fn allowed(&self) -> &Allowed {
        &self.pool.settings.allowed
    }

    /// What may be asked of the catalog in one go.
    async fn look(&self) -> Result<Lease, DatabaseError> {
        self.pool.lease(self.pool.settings.limits.statement).await
    }

    /// What a scan reads, as the catalog has it at the moment.
    async fn asked(
        &self,
        lease: &mut Lease,
        scan: &Scan,
        budget: &Budget,
    ) -> Result<(Written, Expected), DatabaseError> {
        let columns = catalog::columns(&mut lease.conn, self.allowed(), &scan.table).await?;
        let mut wanted = Vec::with_capacity(scan.columns.len());
        for name in &scan.columns {
            let column = columns.iter().find(|column| column.name == *name);
            match column.map(|column| column.kind.clone()) {
                Some(Ok(kind)) => wanted.push((name.clone(), kind)),
                Some(Err(why)) => {
                    return Err(about(Cause::Type, format!("column {name:?}: {why}")));
                }
                None => return Err(about(Cause::Changed, format!("no column {name:?} any more"))),
            }
        }
        let written = write::scan(scan, &columns, Meter::limit(budget, scan.limit));
        let expected = if wanted.is_empty() { Expected::Count } else { Expected::Columns(wanted) };
        Ok((written, expected))
    }
}

fn about(cause: Cause, about: String) -> DatabaseError {
    DatabaseError { about: Some(about), ..DatabaseError::of(cause) }
}

#[async_trait]
impl Driver for MySql {
    async fn role(&self) -> Result<RoleReport, DatabaseError> {
        let mut lease = self.look().await?;
        let flavor = lease.flavor;
        let found = role::faults(&mut lease.conn, flavor).await;
        // It has switched roles on: it is not used for anything else.
        lease.close().await;
        let (role, faults) = found?;
        Ok(RoleReport { role, server: self.pool.version(), faults })
    }

    async fn tables(&self) -> Result<Vec<TableName>, DatabaseError> {
        let mut lease = self.look().await?;
        let found = catalog::tables(&mut lease.conn, self.allowed()).await;
        lease.after(found).await
    }

    async fn shape(&self, table: &TableName) -> Result<TableShape, DatabaseError> {
        let mut lease = self.look().await?;
        let found = catalog::shape(&mut lease.conn, self.allowed(), table).await;
        lease.after(found).await
    }

    async fn scan(&self, scan: &Scan, budget: Budget) -> Result<Rows, DatabaseError> {
        let mut lease = self.pool.lease(budget.time).await?;
        match self.asked(&mut lease, scan, &budget).await {
            Ok((written, expected)) => stream::start(lease, written, expected, budget).await,
            Err(error) => lease.after(Err(error)).await,
        }
    }

    async fn prepare(&self, declared: &Declared) -> Result<Prepared, DatabaseError> {
        let placeholders = gate::check(declared.sql())?;
        let mut lease = self.look().await?;
        let prepared = lease.conn.prep(declared.sql()).await;
        let prepared = prepared.map_err(|error| error::of_declared(error::of(&error)));
        let statement = lease.after(prepared).await?;
        if usize::from(statement.num_params()) != placeholders {
            return Err(about(Cause::Statement, "its placeholders, which are ? here".to_owned()));
        }
        Ok(Prepared {
            schema: stream::schema(&stream::any(&statement.columns())?),
            // The server takes any value for any of them.
            parameters: vec![String::new(); placeholders],
        })
    }

    async fn run(
        &self,
        declared: &Declared,
        values: &[Value],
        budget: Budget,
    ) -> Result<Rows, DatabaseError> {
        let placeholders = gate::check(declared.sql())?;
        if placeholders != values.len() {
            let what = format!("{placeholders} placeholders for {} values", values.len());
            return Err(about(Cause::Statement, what));
        }
        let bound = values.iter().map(write::argument).collect::<Option<Vec<_>>>();
        let bound = bound.ok_or_else(|| {
            about(Cause::Value, "a date that the server does not know".to_owned())
        })?;
        let lease = self.pool.lease(budget.time).await?;
        let written = Written { sql: declared.sql().to_owned(), bound };
        stream::start(lease, written, Expected::Any, budget).await
    }
}
