//! Which tables there are, and what one is like.

use std::sync::Arc;

use arrow::datatypes::{Field, Schema};
use rusqlite::Connection;

use super::classes::{self, Class};
use super::error;
use super::write::quoted;
use crate::database::{Allowed, Cause, DatabaseError, RemoteColumn, TableName, TableShape};

/// What is known of a table's columns.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) columns: Vec<Column>,
    /// Rows, when they were counted.
    pub(super) rows: u64,
    /// Whether texts are kept in UTF-8.
    pub(super) is_utf8: bool,
}

/// A column.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) declared: String,
    pub(super) nullable: bool,
    /// What its values are, or why it cannot be read.
    pub(super) class: Result<Class, String>,
}

impl Known {
    /// What a column is, if it can be read.
    pub(super) fn class(&self, name: &str) -> Option<Class> {
        let column = self.columns.iter().find(|column| column.name == name)?;
        column.class.clone().ok()
    }

    /// Whether a column is declared as one of texts, by SQLite's rules.
    pub(super) fn is_declared_text(&self, name: &str) -> bool {
        let column = self.columns.iter().find(|column| column.name == name);
        column.is_some_and(|column| {
            let declared = column.declared.to_ascii_uppercase();
            let is_text = ["CHAR", "CLOB", "TEXT"].iter().any(|word| declared.contains(word));
            is_text && !declared.contains("INT")
        })
    }

    /// As the room wants it.
    pub(super) fn shape(&self, table: &TableName) -> TableShape {
        let fields = self.columns.iter().filter_map(|column| {
            let class = column.class.as_ref().ok()?;
            Some(Field::new(&column.name, class.data_type(), true))
        });
        let unreadable = self
            .columns
            .iter()
            .filter_map(|column| Some((column.name.clone(), column.class.as_ref().err()?.clone())));
        TableShape {
            table: table.clone(),
            columns: self.columns.iter().map(Column::remote).collect(),
            schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())),
            unreadable: unreadable.collect(),
            rows: Some(self.rows),
        }
    }

    #[cfg(test)]
    pub(super) fn of_tests(columns: &[(&str, Class)], is_utf8: bool) -> Self {
        let column = |(name, class): &(&str, Class)| Column {
            name: (*name).to_owned(),
            declared: String::new(),
            nullable: true,
            class: Ok(*class),
        };
        Self { columns: columns.iter().map(column).collect(), rows: 0, is_utf8 }
    }
}

impl Column {
    /// The declared type says little of a column, so what its values are stands beside it.
    fn remote(&self) -> RemoteColumn {
        let holds = match &self.class {
            Ok(class) => format!("{class:?}").to_lowercase(),
            Err(_) => "values of different types".to_owned(),
        };
        let declared = if self.declared.is_empty() { "untyped" } else { &self.declared };
        RemoteColumn {
            name: self.name.clone(),
            remote_type: format!("{declared}, holds {holds}"),
            nullable: self.nullable,
        }
    }
}

/// The tables and views that the configuration allows.
pub(super) fn tables(
    connection: &Connection,
    allowed: &Allowed,
) -> Result<Vec<TableName>, DatabaseError> {
    let mut statement = connection
        .prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' \
             AND type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
        )
        .map_err(|error| error::of(&error))?;
    let names = statement.query_map([], |row| row.get::<_, String>(0));
    let names: Result<Vec<_>, _> =
        names.and_then(Iterator::collect).map_err(|error| error::of(&error));
    let tables = names?.into_iter().map(|table| TableName { schema: "main".to_owned(), table });
    Ok(tables.filter(|table| allowed.has(table)).collect())
}

/// Looks at a table, through all of its rows.
///
/// # Errors
/// There is no such table, or it is not allowed, which is said in the same words.
pub(super) fn look(
    connection: &Connection,
    allowed: &Allowed,
    table: &TableName,
) -> Result<Known, DatabaseError> {
    if !tables(connection, allowed)?.contains(table) {
        return Err(DatabaseError {
            about: Some(table.to_string()),
            ..DatabaseError::of(Cause::Table)
        });
    }
    counted(connection, &table.table).map_err(|error| error::of(&error))
}

fn counted(connection: &Connection, table: &str) -> rusqlite::Result<Known> {
    let mut statement = connection.prepare(
        "SELECT name, type, \"notnull\" FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid",
    )?;
    let declared: Vec<(String, String, bool)> = statement
        .query_map([table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    let names: Vec<String> = declared.iter().map(|(name, ..)| quoted(name)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (counts, rows) = classes::count(connection, &quoted(table), &names)?;
    let encoding: String = connection.query_row("PRAGMA encoding", [], |row| row.get(0))?;
    let columns = declared.into_iter().zip(counts);
    let columns = columns.map(|((name, declared, not_null), counts)| Column {
        class: counts.class(&declared),
        name,
        declared,
        nullable: !not_null,
    });
    Ok(Known { columns: columns.collect(), rows, is_utf8: encoding == "UTF-8" })
}
