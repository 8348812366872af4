//! Which tables there are and what they are like, from `information_schema`, which shows a
//! role what it has rights on.

use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use mysql_async::Conn;

use super::kind::Kind;
use super::session::rows;
use crate::database::{Allowed, Cause, DatabaseError, RemoteColumn, TableName, TableShape};

/// A column as the catalog has it.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    /// As the server writes its type.
    pub(super) remote_type: String,
    pub(super) nullable: bool,
    /// What it is here, or why it cannot be read.
    pub(super) kind: Result<Kind, String>,
    /// Of a text.
    pub(super) charset: Option<String>,
}

impl Column {
    /// Whether a text is equal there to each text that is equal to it here: if each letter
    /// of its character set arrives as one that goes back to it.
    pub(super) fn compares_texts(&self) -> bool {
        let lossless = ["utf8mb4", "utf8mb3", "utf8", "latin1", "ascii"];
        self.charset.as_deref().is_some_and(|charset| lossless.contains(&charset))
    }
}

/// The readable tables of the schemas, those of the configuration only.
pub(super) async fn tables(
    conn: &mut Conn,
    allowed: &Allowed,
) -> Result<Vec<TableName>, DatabaseError> {
    let mut found = Vec::new();
    for schema in allowed.schemas_to_look_into() {
        let named: Vec<(String, String)> = rows(
            conn,
            "SELECT table_schema AS a, table_name AS b FROM information_schema.tables \
             WHERE table_schema = ? AND table_type IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED') \
             ORDER BY table_name",
            vec![schema.into()],
        )
        .await?;
        let names = named.into_iter().map(|(schema, table)| TableName { schema, table });
        found.extend(names.filter(|table| allowed.has(table)));
    }
    Ok(found)
}

/// A row of `information_schema.columns`, and the names of its table.
type Described =
    (String, String, String, String, Option<u64>, Option<u64>, Option<String>, String, String);

/// The columns of a table, in its order.
///
/// # Errors
/// There is no such table, or it is not allowed, which is said in the same words.
pub(super) async fn columns(
    conn: &mut Conn,
    allowed: &Allowed,
    table: &TableName,
) -> Result<Vec<Column>, DatabaseError> {
    if !allowed.has(table) {
        return Err(no_such(table));
    }
    let found: Vec<Described> = rows(
        conn,
        "SELECT column_name AS a, data_type AS b, column_type AS c, is_nullable AS d, \
         CAST(numeric_precision AS UNSIGNED) AS e, CAST(numeric_scale AS UNSIGNED) AS f, \
         character_set_name AS g, table_schema AS h, table_name AS i \
         FROM information_schema.columns \
         WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position",
        named(table),
    )
    .await?;
    let columns: Vec<_> = found.into_iter().filter_map(|row| described(row, table)).collect();
    if columns.is_empty() {
        return Err(no_such(table));
    }
    Ok(columns)
}

fn named(table: &TableName) -> Vec<mysql_async::Value> {
    vec![table.schema.as_str().into(), table.table.as_str().into()]
}

/// A column of the table, and not of one whose name differs in capitals only.
fn described(row: Described, of: &TableName) -> Option<Column> {
    let (name, data_type, remote_type, nullable, digits, scale, charset, schema, table) = row;
    if schema != of.schema || table != of.table {
        return None;
    }
    let kind = Kind::of_catalog(&data_type, &remote_type, digits, scale);
    Some(Column { name, remote_type, nullable: nullable == "YES", kind, charset })
}

fn no_such(table: &TableName) -> DatabaseError {
    DatabaseError { about: Some(table.to_string()), ..DatabaseError::of(Cause::Table) }
}

/// What a table is like.
pub(super) async fn shape(
    conn: &mut Conn,
    allowed: &Allowed,
    table: &TableName,
) -> Result<TableShape, DatabaseError> {
    let columns = columns(conn, allowed, table).await?;
    let estimates: Vec<(Option<u64>,)> = rows(
        conn,
        "SELECT CAST(table_rows AS UNSIGNED) AS a FROM information_schema.tables \
         WHERE table_schema = ? AND table_name = ?",
        named(table),
    )
    .await?;
    let unreadable = columns
        .iter()
        .filter_map(|column| Some((column.name.clone(), column.kind.as_ref().err()?.clone())));
    Ok(TableShape {
        table: table.clone(),
        unreadable: unreadable.collect(),
        schema: schema(&columns),
        rows: estimates.first().and_then(|(rows,)| *rows),
        columns: columns
            .into_iter()
            .map(|column| RemoteColumn {
                name: column.name,
                remote_type: column.remote_type,
                nullable: column.nullable,
            })
            .collect(),
    })
}

/// The columns that can be read, as they arrive. Each may be null: a promise of the server's
/// is none of ours.
fn schema(columns: &[Column]) -> SchemaRef {
    let fields = columns.iter().filter_map(|column| {
        let kind = column.kind.as_ref().ok()?;
        Some(Field::new(&column.name, kind.data_type(), true))
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
