//! The two statements that are run: ours on a table, and a declared one.

use tokio::time::Instant;
use tokio_postgres::types::{self, Type};
use tokio_postgres::{Column, Statement};

use super::bound::Bound;
use super::error::translate;
use super::filter::Filter;
use super::kind::{Kind, Known, kind};
use super::session::Session;
use super::shape::{Readable, quoted, shape};
use super::stream::{Running, fitted, schema};
use crate::database::meter::Meter;
use crate::database::{
    Allowed, Budget, Cause, DatabaseError, Declared, Prepared, Rows, Scan, Value,
};

/// More rows than this are not looked at before they are read.
const FEW: u64 = 8_192;

/// Begins to read a table.
pub(super) async fn scan(
    session: Session,
    allowed: &Allowed,
    scan: &Scan,
    budget: Budget,
) -> Result<Rows, DatabaseError> {
    let deadline = Instant::now() + budget.time;
    match ours(&session, allowed, scan, budget).await {
        Ok(ready) => start(session, ready, budget, deadline).await,
        Err(error) => {
            session.end().await;
            Err(error)
        }
    }
}

/// A statement that may be run, with its values and what it gives.
struct Ready {
    statement: Statement,
    values: Vec<Bound>,
    columns: Vec<(String, Kind)>,
}

/// Our statement on a table.
async fn ours(
    session: &Session,
    allowed: &Allowed,
    scan: &Scan,
    budget: Budget,
) -> Result<Ready, DatabaseError> {
    let shaped = shape(session, allowed, &scan.table).await?;
    let mut columns = Vec::new();
    for wanted in &scan.columns {
        let found = shaped.readable.iter().find(|column| column.name == *wanted);
        columns.push(found.cloned().ok_or_else(|| DatabaseError {
            about: Some(format!("{} has no column {wanted} to read now", scan.table)),
            next: Some("look at the table again and ask anew".to_owned()),
            ..DatabaseError::of(Cause::Changed)
        })?);
    }
    let filter = Filter::of(scan.filter.as_ref(), &shaped.readable);
    let limit = scan.limit.filter(|_| scan.filter.is_none());
    if limit.is_none_or(|limit| limit > FEW) {
        measure(session, scan, &filter, &mut columns).await?;
    }
    let sql = statement(scan, &columns, &filter, Meter::limit(&budget, limit));
    let statement = session.prepare(&sql).await?;
    let columns = columns.into_iter().map(|column| (column.name, column.kind)).collect();
    Ok(Ready { statement, values: filter.values, columns })
}

/// Has the server begin a statement, and hands its rows over as they come.
async fn start(
    session: Session,
    ready: Ready,
    budget: Budget,
    deadline: Instant,
) -> Result<Rows, DatabaseError> {
    let Ready { statement, values, columns } = ready;
    match session.client()?.query_raw(&statement, values).await {
        Ok(rows) => {
            let rows = Box::pin(rows);
            Running { session, rows, columns, budget, deadline }.rows().await
        }
        Err(error) => {
            let error = translate(&error);
            session.end().await;
            Err(error)
        }
    }
}

fn condition(filter: &Filter) -> String {
    match filter.sql.as_str() {
        "" => String::new(),
        sql => format!(" WHERE {sql}"),
    }
}

fn from(scan: &Scan) -> String {
    format!("{}.{}", quoted(&scan.table.schema), quoted(&scan.table.table))
}

fn statement(scan: &Scan, columns: &[Readable], filter: &Filter, limit: u64) -> String {
    let column = |column: &Readable| match column.kind {
        Kind::Cast => format!("{}::pg_catalog.text", quoted(&column.name)),
        _ => quoted(&column.name),
    };
    let columns: Vec<String> = columns.iter().map(column).collect();
    format!("SELECT {} FROM {}{} LIMIT {limit}", columns.join(", "), from(scan), condition(filter))
}

/// Finds the decimals that columns need of which the server knows no scale, by looking at all
/// of their values there. It is the same snapshot as that of the rows.
async fn measure(
    session: &Session,
    scan: &Scan,
    filter: &Filter,
    columns: &mut [Readable],
) -> Result<(), DatabaseError> {
    let loose: Vec<&mut Readable> = columns
        .iter_mut()
        .filter(|column| matches!(column.kind, Kind::Numeric { loose: true, .. }))
        .collect();
    if loose.is_empty() {
        return Ok(());
    }
    let asked: Vec<String> = loose
        .iter()
        .map(|column| {
            let name = quoted(&column.name);
            // NaN and infinities have no scale, and are met when they are read.
            format!(
                "pg_catalog.max(pg_catalog.scale({name})), pg_catalog.max(pg_catalog.length(\
                 pg_catalog.trunc(pg_catalog.abs({name}))::pg_catalog.text))"
            )
        })
        .collect();
    let sql = format!("SELECT {} FROM {}{}", asked.join(", "), from(scan), condition(filter));
    let statement = session.prepare(&sql).await?;
    let values = filter.values.iter().map(|value| value as &(dyn types::ToSql + Sync));
    let values: Vec<_> = values.collect();
    let row = session.client()?.query_one(&statement, &values).await;
    let row = row.map_err(|error| translate(&error))?;
    for (at, column) in loose.into_iter().enumerate() {
        let number = |at: usize| -> Result<u16, DatabaseError> {
            let number: Option<i32> = row.try_get(at).map_err(|error| translate(&error))?;
            Ok(u16::try_from(number.unwrap_or(0)).unwrap_or(u16::MAX))
        };
        column.kind =
            fitted(number(at * 2 + 1)?, number(at * 2)?, true).ok_or_else(|| DatabaseError {
                about: Some(format!("column {} needs more digits than a decimal has", column.name)),
                next: Some("round it in a view".to_owned()),
                ..DatabaseError::of(Cause::Value)
            })?;
    }
    Ok(())
}

/// What a declared statement takes and gives.
pub(super) async fn prepare(
    session: &Session,
    declared: &Declared,
) -> Result<Prepared, DatabaseError> {
    let statement = session.prepare(declared.sql()).await?;
    let columns = gives(&statement)?;
    let parameters = statement.params().iter().map(|of| of.name().to_owned()).collect();
    Ok(Prepared { schema: schema(&columns), parameters })
}

/// Begins a declared statement.
pub(super) async fn run(
    session: Session,
    declared: &Declared,
    values: &[Value],
    budget: Budget,
) -> Result<Rows, DatabaseError> {
    let deadline = Instant::now() + budget.time;
    match theirs(&session, declared, values).await {
        Ok(ready) => start(session, ready, budget, deadline).await,
        Err(error) => {
            session.end().await;
            Err(error)
        }
    }
}

async fn theirs(
    session: &Session,
    declared: &Declared,
    values: &[Value],
) -> Result<Ready, DatabaseError> {
    let statement = session.prepare(declared.sql()).await?;
    let columns = gives(&statement)?;
    if statement.params().len() != values.len() {
        let about = format!("it takes {} values, not {}", statement.params().len(), values.len());
        let about = Some(about);
        return Err(DatabaseError { about, ..DatabaseError::of(Cause::Statement) });
    }
    Ok(Ready { statement, values: values.iter().cloned().map(Bound).collect(), columns })
}

/// The columns of a declared statement. What it gives is read as it comes: no cast is
/// written into it.
fn gives(statement: &Statement) -> Result<Vec<(String, Kind)>, DatabaseError> {
    let column = |column: &Column| {
        let name = column.name().to_owned();
        let refused = |why: String| DatabaseError {
            about: Some(format!("column {name}: {why}")),
            ..DatabaseError::of(Cause::Type)
        };
        match kind_of(column.type_(), column.type_modifier()).map_err(refused)? {
            Kind::Cast => Err(refused(format!(
                "{} is read as text: write {name}::text in the statement",
                column.type_().name()
            ))),
            kind => Ok((name, kind)),
        }
    };
    statement.columns().iter().map(column).collect()
}

fn kind_of(of: &Type, modifier: i32) -> Result<Kind, String> {
    let typtype = |of: &Type| match of.kind() {
        types::Kind::Enum(_) => 'e',
        types::Kind::Range(_) => 'r',
        types::Kind::Multirange(_) => 'm',
        types::Kind::Composite(_) => 'c',
        _ => 'b',
    };
    match of.kind() {
        // Of what a domain is, the statement's description says; within an array it does not.
        types::Kind::Domain(base) => kind_of(base, modifier),
        types::Kind::Array(item) => kind(&Known {
            oid: of.oid(),
            modifier,
            typtype: 'b',
            category: 'A',
            name: of.name(),
            element: Some((item.oid(), typtype(item), item.name())),
        }),
        _ => kind(&Known {
            oid: of.oid(),
            modifier,
            typtype: typtype(of),
            category: 'X',
            name: of.name(),
            element: None,
        }),
    }
}
