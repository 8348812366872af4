//! Writes a Parquet file, its columns on two threads, its categories whole.
//!
//! A categorical is its codes and the list of its categories, some of which no row may
//! have. Arrow's writer builds a column's dictionary from the values that it meets, so
//! order and unused categories would be lost; pandas takes them from the dictionary page.
//! Here that page is written as it is to be: the codes, packed, follow it
//! ([`categories`]). Every other column goes through Arrow's own column writers.
//!
//! Which categories there are and in which order is said by the table's own metadata
//! (`dataroom.columns`, written by the guest), else by the first batch's dictionary; a
//! category that neither names is added at the end.
//!
//! Columns do not know of one another until a row group is put together, so each is
//! encoded by whichever of two threads comes first. What a file's bytes are does not
//! depend on that.

mod categories;

use std::io::Write;

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::{DataType, Field, SchemaRef};
use arrow::record_batch::RecordBatch;
use bytes::Bytes;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::arrow::{ArrowSchemaConverter, add_encoded_arrow_schema_to_metadata};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnDescPtr;

use crate::side_by_side::side_by_side;
use categories::{Categories, orders};

/// The table's metadata in which the guest leaves word of its columns.
pub const CATEGORIES_KEY: &str = "dataroom.columns";

const ROW_GROUP_ROWS: usize = 1 << 20;
/// What a row group may hold in memory.
const ROW_GROUP_BYTES: usize = 64 << 20;
/// Rows that are encoded between two looks at whether to go on.
const STRIDE: usize = 1 << 16;
/// Values for which a second thread is worth its start.
const WORTH_A_THREAD: usize = 1 << 17;

/// Asked now and then whether to go on.
type GoOn<'a> = &'a (dyn Fn() -> bool + Sync);

/// A Parquet file in the making.
pub struct TableWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    categories: Vec<Option<Categories>>,
    group: Option<Group>,
}

impl<W: Write + Send> std::fmt::Debug for TableWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableWriter").field("schema", &self.schema).finish_non_exhaustive()
    }
}

/// A row group in the making: what encodes each column, and its rows.
struct Group {
    columns: Vec<Vec<ArrowColumnWriter>>,
    rows: usize,
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a file for tables of this schema; `said` is the metadata
    /// [`CATEGORIES_KEY`] of the table, if it has any.
    ///
    /// # Errors
    /// Parquet has no counterpart for a column, or `out` refuses.
    pub fn try_new(
        out: W,
        schema: SchemaRef,
        said: Option<&str>,
        mut properties: WriterProperties,
    ) -> Result<Self> {
        let parquet = ArrowSchemaConverter::new().convert(&schema)?;
        add_encoded_arrow_schema_to_metadata(&schema, &mut properties);
        let file = SerializedFileWriter::new(out, parquet.root_schema_ptr(), properties.into())?;
        let factory = ArrowRowGroupWriterFactory::new(&file, SchemaRef::clone(&schema));
        let said = orders(said);
        let categories = schema.fields().iter().map(|field| {
            let known = said.get(field.name().as_str());
            is_categorical(field.data_type()).then(|| Categories::new(known.map(Vec::as_slice)))
        });
        let categories = categories.collect();
        Ok(Self { file, factory, schema, categories, group: None })
    }

    /// Adds rows.
    ///
    /// # Errors
    /// The batch has another schema, or `out` refuses.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.write_while(batch, &|| true)
    }

    /// Adds rows for as long as `go_on` says so.
    ///
    /// # Errors
    /// The batch has another schema, `out` refuses, or `go_on` said no.
    pub fn write_while(&mut self, batch: &RecordBatch, go_on: GoOn<'_>) -> Result<()> {
        for start in (0..batch.num_rows()).step_by(ROW_GROUP_ROWS) {
            let rows = ROW_GROUP_ROWS.min(batch.num_rows() - start);
            self.add(&batch.slice(start, rows), go_on)?;
        }
        Ok(())
    }

    fn add(&mut self, batch: &RecordBatch, go_on: GoOn<'_>) -> Result<()> {
        if self.group.as_ref().is_some_and(|group| group.rows + batch.num_rows() > ROW_GROUP_ROWS) {
            self.flush()?;
        }
        let group = match &mut self.group {
            Some(group) => group,
            none => none.insert(begin(&self.file, &self.factory)?),
        };
        let columns = self.schema.fields().iter().zip(batch.columns());
        let encoders = group.columns.iter_mut().zip(&mut self.categories);
        let tasks = columns.zip(encoders).map(|((field, array), (leaves, categories))| {
            move || match categories {
                Some(categories) => categories.push(array),
                None => encode(field, array, leaves, go_on),
            }
        });
        let cells = batch.num_rows().saturating_mul(batch.num_columns());
        side_by_side(tasks.collect(), cells > WORTH_A_THREAD)
            .into_iter()
            .collect::<Result<()>>()?;
        group.rows += batch.num_rows();
        let held = group.columns.iter().flatten().map(ArrowColumnWriter::memory_size);
        if held.sum::<usize>() > ROW_GROUP_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let Some(group) = self.group.take() else { return Ok(()) };
        let (columns, rows) = (group.columns, group.rows);
        let descriptors: Vec<ColumnDescPtr> = self.file.schema_descr().columns().to_vec();
        let roots =
            (0..descriptors.len()).map(|leaf| self.file.schema_descr().get_column_root_idx(leaf));
        let mut first: Vec<Option<ColumnDescPtr>> = vec![None; columns.len()];
        for (root, descriptor) in roots.zip(&descriptors) {
            first[root].get_or_insert_with(|| ColumnDescPtr::clone(descriptor));
        }
        let tasks = columns.into_iter().zip(&mut self.categories).zip(first).map(
            |((leaves, categories), descriptor)| {
                move || match (categories, descriptor) {
                    (Some(categories), Some(descriptor)) => {
                        let (bytes, close) = categories.chunk(descriptor, rows)?;
                        Ok(Chunks::Categories(bytes.into(), Box::new(close)))
                    }
                    _ => {
                        let chunks = leaves.into_iter().map(ArrowColumnWriter::close);
                        chunks.collect::<Result<_>>().map(Chunks::Plain)
                    }
                }
            },
        );
        let chunks: Result<Vec<_>> =
            side_by_side(tasks.collect(), rows > STRIDE).into_iter().collect();
        let mut row_group = self.file.next_row_group()?;
        for chunk in chunks? {
            match chunk {
                Chunks::Plain(chunks) => {
                    for chunk in chunks {
                        chunk.append_to_row_group(&mut row_group)?;
                    }
                }
                Chunks::Categories(bytes, close) => {
                    row_group.append_column(&bytes, *close)?;
                }
            }
        }
        row_group.close().map(drop)
    }

    /// Completes the file.
    ///
    /// # Errors
    /// `out` refuses.
    pub fn close(mut self) -> Result<()> {
        self.flush()?;
        self.file.close().map(drop)
    }
}

/// One column of a row group, encoded.
enum Chunks {
    Plain(Vec<ArrowColumnChunk>),
    Categories(Bytes, Box<ColumnCloseResult>),
}

fn is_categorical(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Dictionary(_, v) if v.is_string() || v.is_binary())
}

fn begin<W: Write + Send>(
    file: &SerializedFileWriter<W>,
    factory: &ArrowRowGroupWriterFactory,
) -> Result<Group> {
    let schema = file.schema_descr();
    let leaves = factory.create_column_writers(file.flushed_row_groups().len())?;
    let mut columns: Vec<Vec<ArrowColumnWriter>> = Vec::new();
    for (leaf, writer) in leaves.into_iter().enumerate() {
        let root = schema.get_column_root_idx(leaf);
        columns.resize_with(columns.len().max(root + 1), Vec::new);
        columns[root].push(writer);
    }
    Ok(Group { columns, rows: 0 })
}

fn encode(
    field: &Field,
    array: &ArrayRef,
    leaves: &mut [ArrowColumnWriter],
    go_on: GoOn<'_>,
) -> Result<()> {
    for start in (0..array.len()).step_by(STRIDE) {
        if !go_on() {
            return Err(ParquetError::General("it was stopped".to_owned()));
        }
        let part = array.slice(start, STRIDE.min(array.len() - start));
        let levels = compute_leaves(field, &part)?;
        if levels.len() != leaves.len() {
            return Err(missing("a column writer"));
        }
        for (leaf, writer) in levels.iter().zip(leaves.iter_mut()) {
            writer.write(leaf)?;
        }
    }
    Ok(())
}

fn missing(what: &str) -> ParquetError {
    ParquetError::General(format!("{what} is missing"))
}

#[cfg(test)]
mod tests;
