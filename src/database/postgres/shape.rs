//! What tables there are, and what one of them is like.

use std::sync::Arc;

use arrow::datatypes::{Field, Schema};

use super::error::translate;
use super::kind::{Kind, Known, kind};
use super::session::Session;
use crate::database::{Allowed, Cause, DatabaseError, RemoteColumn, TableName, TableShape};

/// Tables, views, materialised views, foreign and partitioned tables that the role may read
/// a column of.
const TABLES: &str = "
SELECT n.nspname::text, c.relname::text
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND n.nspname::text = ANY ($1)
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
  AND (pg_catalog.has_table_privilege(c.oid, 'SELECT')
       OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT'))
ORDER BY 1, 2";

const RELATION: &str = "
SELECT c.oid, c.reltuples::float8, c.relkind::text
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1::text AND c.relname = $2::text AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
  AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')";

/// The columns; a domain's type is what it is of, however many domains lie between.
const COLUMNS: &str = "
WITH RECURSIVE typed AS (
  SELECT a.attnum, a.attname, a.atttypid AS type, a.atttypmod AS modifier, a.attnotnull,
         pg_catalog.format_type(a.atttypid, a.atttypmod) AS written
  FROM pg_catalog.pg_attribute a
  WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT d.attnum, d.attname, t.typbasetype, t.typtypmod, d.attnotnull OR t.typnotnull, d.written
  FROM typed d JOIN pg_catalog.pg_type t ON t.oid = d.type WHERE t.typtype = 'd'
)
SELECT d.attname::text, d.written, NOT d.attnotnull, t.oid, d.modifier, t.typtype::text,
       t.typcategory::text, t.typname::text, e.oid, e.typtype::text, e.typname::text,
       pg_catalog.has_column_privilege($1, d.attnum, 'SELECT')
FROM typed d JOIN pg_catalog.pg_type t ON t.oid = d.type
LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
WHERE t.typtype <> 'd' ORDER BY d.attnum";

/// The tables that may be read.
pub(super) async fn tables(
    session: &Session,
    allowed: &Allowed,
) -> Result<Vec<TableName>, DatabaseError> {
    let schemas = allowed.schemas_to_look_into();
    let rows = session.client()?.query(TABLES, &[&schemas]).await;
    let rows = rows.map_err(|error| translate(&error))?;
    let name = |row: &tokio_postgres::Row| -> Result<TableName, tokio_postgres::Error> {
        Ok(TableName { schema: row.try_get(0)?, table: row.try_get(1)? })
    };
    let names: Vec<TableName> =
        rows.iter().map(name).collect::<Result<_, _>>().map_err(|error| translate(&error))?;
    Ok(names.into_iter().filter(|table| allowed.has(table)).collect())
}

/// A column, and how it arrives.
#[derive(Debug, Clone)]
pub(super) struct Readable {
    pub name: String,
    pub kind: Kind,
    /// If it arrives as text: which `=` it has there.
    pub equality: Equality,
}

/// How a text is compared with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Equality {
    /// As a text.
    Plain,
    /// Only when it is made a text: an enum.
    AsText,
    /// Otherwise than here (`char(n)` and its blanks), or not at all (`json`, `xml`).
    Other,
}

/// A table, as the world sees it and as this driver reads it.
pub(super) struct Shaped {
    pub shape: TableShape,
    pub readable: Vec<Readable>,
}

fn missing(table: &TableName) -> DatabaseError {
    DatabaseError { about: Some(table.to_string()), ..DatabaseError::of(Cause::Table) }
}

/// What a table is like.
pub(super) async fn shape(
    session: &Session,
    allowed: &Allowed,
    table: &TableName,
) -> Result<Shaped, DatabaseError> {
    if !allowed.has(table) {
        return Err(missing(table));
    }
    let client = session.client()?;
    let failed = |error: tokio_postgres::Error| DatabaseError {
        about: Some(table.to_string()),
        ..translate(&error)
    };
    let found = client.query_opt(RELATION, &[&table.schema, &table.table]).await;
    let Some(relation) = found.map_err(failed)? else { return Err(missing(table)) };
    let oid: u32 = relation.try_get(0).map_err(failed)?;
    let estimate: f64 = relation.try_get(1).map_err(failed)?;
    let relkind: String = relation.try_get(2).map_err(failed)?;
    let mut columns = Vec::new();
    let (mut fields, mut readable, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
    for row in client.query(COLUMNS, &[&oid]).await.map_err(failed)? {
        let name: String = row.try_get(0).map_err(failed)?;
        let nullable: bool = row.try_get(2).map_err(failed)?;
        let remote_type: String = row.try_get(1).map_err(failed)?;
        let may_read: bool = row.try_get(11).map_err(failed)?;
        let (kind, equality) = of_row(&row).map_err(failed)?;
        columns.push(RemoteColumn { name: name.clone(), remote_type, nullable });
        match kind {
            _ if !may_read => {
                unreadable.push((name, "the role may not read this column".to_owned()));
            }
            Ok(kind) => {
                // A view knows nothing of NULLs, and a constraint may be dropped meanwhile.
                fields.push(Field::new(&name, kind.data_type(), true));
                readable.push(Readable { name, kind, equality });
            }
            Err(why) => unreadable.push((name, why)),
        }
    }
    if readable.is_empty() && !unreadable.is_empty() {
        let about = Some(format!("{table}, of which no column can be read"));
        return Err(DatabaseError { about, ..DatabaseError::of(Cause::Denied) });
    }
    let shape = TableShape {
        table: table.clone(),
        columns,
        schema: Arc::new(Schema::new(fields)),
        unreadable,
        // Of a view nothing is known, and before the first ANALYZE it is -1.
        rows: (estimate >= 0.0 && relkind != "v").then_some(estimate as u64),
    };
    Ok(Shaped { shape, readable })
}

type Arrives = (Result<Kind, String>, Equality);

fn of_row(row: &tokio_postgres::Row) -> Result<Arrives, tokio_postgres::Error> {
    let letter = |text: Option<String>| text.and_then(|text| text.chars().next()).unwrap_or(' ');
    let name: String = row.try_get(7)?;
    let (element, element_name): (Option<u32>, Option<String>) =
        (row.try_get(8)?, row.try_get(10)?);
    let element_type = letter(row.try_get(9)?);
    let known = Known {
        oid: row.try_get(3)?,
        modifier: row.try_get(4)?,
        typtype: letter(row.try_get(5)?),
        category: letter(row.try_get(6)?),
        name: &name,
        element: element.zip(element_name.as_deref()).map(|(oid, name)| (oid, element_type, name)),
    };
    let equality = match (known.typtype, name.as_str()) {
        ('e', _) => Equality::AsText,
        (_, "text" | "varchar" | "name") => Equality::Plain,
        _ => Equality::Other,
    };
    Ok((kind(&known), equality))
}

/// A name as SQL has it, whatever is in it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
