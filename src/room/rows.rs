//! Windows of a table's rows, for a person's screen.
//!
//! A window of a table as it is comes straight from its file. Of a sorted or filtered table
//! the whole order is computed once by the engine and kept in a temporary file, so that each
//! further window is a read: two windows of the same order never show a row twice. A few such
//! orders are kept, and none outlives the process.

use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, SchemaRef};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;
use serde::{Deserialize, Serialize};

use super::chart::{Asker, ident, text};
use super::query::kept;
use super::{Call, Found, Room, RoomError};
use crate::sql::{Code, SqlError};
use crate::store::temporary::Temporary;
use crate::table::{Table, TableError};
use crate::type_name::{holds_numbers, type_name};
use crate::units::{UNIT, unit_of_column};

/// Rows of a window.
pub const MOST_ROWS: u64 = 1_000;
/// Characters of a cell.
const CELL: usize = 2_000;
/// Orders that are kept.
const ORDERS: usize = 3;
/// Rows of a group in such a file: a window reads a group or two.
const GROUP: usize = 16_384;

/// Which rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// Rows that are passed over.
    pub offset: u64,
    /// Rows that are given.
    pub limit: u64,
    /// The column that orders them.
    pub sort: Option<String>,
    /// Whether the largest come first.
    pub descending: bool,
    /// What the cells of columns have to be: a part of a text, or `>5`, `<=2024-01-31`,
    /// `=north`.
    pub filter: Vec<(String, String)>,
}

/// Rows as a screen shows them.
#[derive(Debug, Clone, Serialize)]
pub struct Rows {
    /// The columns.
    pub columns: Vec<Head>,
    /// The cells, row by row; `None` is no value.
    pub rows: Vec<Vec<Option<String>>>,
    /// Rows that there are with this filter.
    pub total: u64,
    /// Rows of the whole table.
    pub all: u64,
}

/// A column's head.
#[derive(Debug, Clone, Serialize)]
pub struct Head {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub data_type: String,
    /// Its unit.
    pub unit: Option<String>,
    /// Whether it holds numbers.
    pub number: bool,
}

/// Tables in an order that somebody looked at.
#[derive(Debug, Default)]
pub(super) struct Orders(Mutex<Vec<(String, Arc<Ordered>)>>);

/// A table in an order, in a file that is removed with it.
#[derive(Debug)]
struct Ordered {
    table: Table,
    _file: Temporary,
}

impl Room {
    /// A window of a table.
    ///
    /// # Errors
    /// There is no such table or column, or a filter cannot be read.
    pub fn rows(&self, data: &str, wanted: &Wanted, call: &Call) -> Result<Rows, RoomError> {
        let found = self.find_table(data, call)?;
        let mut named: Vec<String> = wanted.filter.iter().map(|(name, _)| name.clone()).collect();
        named.extend(wanted.sort.clone());
        self.check_columns(&found, &named, call)?;
        let limit = wanted.limit.min(MOST_ROWS);
        let columns = heads(found.table.schema());
        let all = found.table.rows();
        if named.is_empty() {
            let rows = window(&found.table, wanted.offset, limit)?;
            return Ok(Rows { columns, rows, total: all, all });
        }
        let ordered = self.ordered(&found, wanted, call)?;
        let rows = window(&ordered.table, wanted.offset, limit)?;
        Ok(Rows { columns, rows, total: ordered.table.rows(), all })
    }

    fn ordered(
        &self,
        found: &Found,
        wanted: &Wanted,
        call: &Call,
    ) -> Result<Arc<Ordered>, RoomError> {
        let sql = question(found, wanted)?;
        let key = format!("{}\n{sql}", found.content_hash);
        let lock = || self.0.orders.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, ordered)) = lock().iter().find(|(known, _)| *known == key) {
            return Ok(Arc::clone(ordered));
        }
        let _place = self.0.queries.enter(call)?;
        let file = Temporary::create(&self.home()?.folder("spill")?, "order-")
            .map_err(|error| kept(&error))?;
        let schema = Arc::clone(found.table.schema());
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(GROUP));
        let open = file.file().try_clone().map_err(|error| kept(&error))?;
        let writer = ArrowWriter::try_new(open, Arc::clone(&schema), Some(properties.build()))
            .map_err(|error| kept(&error))?;
        let asker = Asker::new(self, found, call)?;
        let writer = asker.fold(&sql, writer, move |writer: &mut ArrowWriter<_>, batch| {
            writer.write(&as_stored(batch, &schema)?).map_err(|error| kept(&error))
        })?;
        writer.close().map_err(|error| kept(&error))?;
        let open = file.file().try_clone().map_err(|error| kept(&error))?;
        let ordered = Arc::new(Ordered { table: Table::open(open)?, _file: file });
        let mut orders = lock();
        orders.insert(0, (key, Arc::clone(&ordered)));
        orders.truncate(ORDERS);
        Ok(ordered)
    }
}

/// The engine gives texts and categories in a layout of its own.
fn as_stored(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, SqlError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns
        .map(|(column, field)| arrow::compute::cast(column, field.data_type()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| kept(&error))?;
    RecordBatch::try_new(Arc::clone(schema), columns).map_err(|error| kept(&error))
}

fn heads(schema: &SchemaRef) -> Vec<Head> {
    let head = |field: &arrow::datatypes::FieldRef| {
        let number = holds_numbers(field.data_type()) == Some(true);
        let by_format = field.metadata().get(UNIT).map(String::as_str);
        let unit = unit_of_column(field.name(), by_format).filter(|_| number);
        Head {
            name: field.name().clone(),
            data_type: type_name(field.data_type()),
            unit: unit.filter(|(unit, _)| unit.is_told()).map(|(unit, _)| unit.to_string()),
            number,
        }
    };
    schema.fields().iter().map(head).collect()
}

/// The rows from `offset` on, as texts.
fn window(table: &Table, offset: u64, limit: u64) -> Result<Vec<Vec<Option<String>>>, TableError> {
    let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(
        table.file().clone(),
        table.metadata().clone(),
    );
    if limit == 0 || offset >= table.rows() {
        return Ok(Vec::new());
    }
    let reader = reader.with_offset(size(offset)).with_limit(size(limit));
    let reader = reader.with_batch_size(size(limit)).build()?;
    let options = FormatOptions::default().with_display_error(true);
    let mut rows = Vec::new();
    for batch in reader {
        let batch = batch.map_err(|error| TableError(error.into()))?;
        let formats =
            batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options));
        let formats =
            formats.collect::<Result<Vec<_>, _>>().map_err(|error| TableError(error.into()))?;
        for row in 0..batch.num_rows() {
            let cell = |(at, format): (usize, &ArrayFormatter<'_>)| {
                let is_there = !batch.column(at).is_null(row);
                is_there.then(|| format.value(row).to_string().chars().take(CELL).collect())
            };
            rows.push(formats.iter().enumerate().map(cell).collect());
        }
    }
    Ok(rows)
}

/// The query of an order.
fn question(found: &Found, wanted: &Wanted) -> Result<String, RoomError> {
    let schema = found.table.schema();
    let names: Vec<String> = schema.fields().iter().map(|field| ident(field.name())).collect();
    let mut conditions = Vec::new();
    for (name, asked) in &wanted.filter {
        let data_type = schema.field_with_name(name).map_or(&DataType::Null, |f| f.data_type());
        conditions.extend(condition(name, data_type, asked.trim())?);
    }
    let mut sql = format!("SELECT {} FROM data", names.join(", "));
    if !conditions.is_empty() {
        sql = format!("{sql} WHERE {}", conditions.join(" AND "));
    }
    if let Some(sort) = &wanted.sort {
        let order = if wanted.descending { "DESC" } else { "ASC" };
        sql = format!("{sql} ORDER BY {} {order} NULLS LAST", ident(sort));
    }
    Ok(sql)
}

fn condition(name: &str, data_type: &DataType, asked: &str) -> Result<Option<String>, RoomError> {
    if asked.is_empty() {
        return Ok(None);
    }
    let column = ident(name);
    let as_text = format!("CAST({column} AS VARCHAR)");
    const SIGNS: [(&str, &str); 7] = [
        (">=", ">="),
        ("<=", "<="),
        ("!=", "<>"),
        ("<>", "<>"),
        (">", ">"),
        ("<", "<"),
        ("=", "="),
    ];
    let signed =
        SIGNS.iter().find_map(|(sign, sql)| Some((*sql, asked.strip_prefix(sign)?.trim())));
    let Some((sign, value)) = signed else {
        let part = text(&asked.to_lowercase());
        return Ok(Some(format!("strpos(lower({as_text}), {part}) > 0")));
    };
    if holds_numbers(data_type) == Some(true) {
        if value.parse::<f64>().is_err() {
            let message =
                format!("the filter of {name:?} compares with {value:?}, which is no number");
            return Err(SqlError::new(Code::Value, message).into());
        }
        return Ok(Some(format!("{column} {sign} CAST({} AS DOUBLE)", text(value))));
    }
    let value = match data_type {
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            format!("CAST({} AS TIMESTAMP)", text(value))
        }
        _ => return Ok(Some(format!("{as_text} {sign} {}", text(value)))),
    };
    Ok(Some(format!("{column} {sign} {value}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sql(data_type: &DataType, asked: &str) -> Option<String> {
        condition("a\"b", data_type, asked).unwrap()
    }

    #[test]
    fn a_filter_is_a_part_of_a_text_or_a_comparison_and_never_sql() {
        let is = |of: Option<String>, expected: &str| assert_eq!(of.as_deref(), Some(expected));
        is(sql(&DataType::Utf8, "O'x"), "strpos(lower(CAST(\"a\"\"b\" AS VARCHAR)), 'o''x') > 0");
        is(sql(&DataType::Int64, ">= 5"), "\"a\"\"b\" >= CAST('5' AS DOUBLE)");
        is(sql(&DataType::Utf8, "=x' OR 1=1"), "CAST(\"a\"\"b\" AS VARCHAR) = 'x'' OR 1=1'");
        is(sql(&DataType::Date32, "<2024-01-01"), "\"a\"\"b\" < CAST('2024-01-01' AS TIMESTAMP)");
        assert_eq!(sql(&DataType::Utf8, ""), None);
        assert!(condition("n", &DataType::Int64, ">1; DROP").is_err());
    }
}
