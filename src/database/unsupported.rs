//! A kind of database that this build has no driver for.

use async_trait::async_trait;

use super::{
    Budget, Cause, DatabaseError, Declared, Driver, Prepared, RoleReport, Rows, Scan, TableName,
    TableShape, Value,
};

/// Answers everything with the same error.
#[derive(Debug)]
pub(super) struct Unsupported;

fn none<T>() -> Result<T, DatabaseError> {
    let about = Some("this build of dataroom cannot read this kind of database".to_owned());
    Err(DatabaseError { about, ..DatabaseError::of(Cause::Configuration) })
}

#[async_trait]
impl Driver for Unsupported {
    async fn role(&self) -> Result<RoleReport, DatabaseError> {
        none()
    }

    async fn tables(&self) -> Result<Vec<TableName>, DatabaseError> {
        none()
    }

    async fn shape(&self, _: &TableName) -> Result<TableShape, DatabaseError> {
        none()
    }

    async fn scan(&self, _: &Scan, _: Budget) -> Result<Rows, DatabaseError> {
        none()
    }

    async fn prepare(&self, _: &Declared) -> Result<Prepared, DatabaseError> {
        none()
    }

    async fn run(&self, _: &Declared, _: &[Value], _: Budget) -> Result<Rows, DatabaseError> {
        none()
    }
}
