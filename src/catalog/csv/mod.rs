//! Text tables: CSV and TSV.
//!
//! Two passes over the file, both streaming, in bounded memory. The first looks
//! at *every* cell, so that a type is never a guess from the top of the file; the
//! second builds the columns. Nothing is dropped or bent in silence: a row with
//! too few or too many cells is an error with its line, and each decision a
//! reader could not guess (a missing mark, a renamed header, a column that stays
//! text because of two cells) is a note that goes with the dataset.

mod build;
pub(in crate::catalog) mod cell;
mod dialect;
pub(in crate::catalog) mod infer;

use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use csv::{ByteRecord, Reader, ReaderBuilder};

use self::build::Columns;
use self::dialect::Dialect;
use self::infer::{Inference, Plan};
use super::converted::Converted;
use super::error::CatalogError;
use super::source::{BATCH_BYTES, BATCH_ROWS, Pass, Source};

/// Converts the whole file; the result is in `into` under `hash`.
pub(super) fn convert(
    source: &Source<'_>,
    hash: &str,
    into: &Converted,
) -> Result<(), CatalogError> {
    let mut notes = Vec::new();
    let dialect = dialect::dialect(source, &mut notes)?;
    let mut rows = Rows::open(source, dialect)?;
    let names = dialect::names(source, rows.header()?, &mut notes)?;
    let mut inference = Inference::new(names.len());
    while rows.next()? {
        inference.row(rows.line, &rows.record);
    }
    rows.closed()?;
    let plans = inference.finish(&names, &mut notes);

    let fields: Vec<Field> =
        names.iter().zip(&plans).map(|(n, p)| Field::new(n, p.data_type(), true)).collect();
    build(source, dialect, hash, &plans, &Arc::new(Schema::new(fields)), into, &notes)
}

fn build(
    source: &Source<'_>,
    dialect: Dialect,
    hash: &str,
    plans: &[Plan],
    schema: &SchemaRef,
    into: &Converted,
    notes: &[String],
) -> Result<(), CatalogError> {
    let mut rows = Rows::open(source, dialect)?;
    rows.header()?;
    let mut writer =
        into.begin(hash, source.format, schema.clone()).map_err(|e| source.write(e))?;
    let mut columns = Columns::new(plans);
    while rows.next()? {
        // The first pass read all of these cells: what does not fit has changed since.
        columns.push(&rows.record).ok_or_else(|| source.changed())?;
        if columns.rows() == BATCH_ROWS || columns.bytes() > BATCH_BYTES {
            let batch = columns.finish(schema).map_err(|e| source.write(e))?;
            writer.write(&batch).map_err(|e| source.write(e))?;
        }
    }
    let batch = columns.finish(schema).map_err(|e| source.write(e))?;
    writer.write(&batch).map_err(|e| source.write(e))?;
    source.unchanged(rows.reader.get_ref(), hash)?;
    writer.finish(notes).map_err(|e| source.write(e))
}

/// One pass over the file's rows. Every row has as many cells as the header.
struct Rows<'a> {
    source: &'a Source<'a>,
    reader: Reader<Pass<'a>>,
    record: ByteRecord,
    width: usize,
    dialect: Dialect,
    /// Where the last row begins: its line, and its byte after the mark.
    line: u64,
    begin: u64,
    count: usize,
}

impl<'a> Rows<'a> {
    fn open(source: &'a Source<'a>, dialect: Dialect) -> Result<Self, CatalogError> {
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(dialect.delimiter)
            .buffer_capacity(1 << 18)
            .from_reader(source.reader()?);
        let record = ByteRecord::new();
        Ok(Self { source, reader, record, width: 0, dialect, line: 1, begin: 0, count: 0 })
    }

    fn read(&mut self) -> Result<bool, CatalogError> {
        let more = match self.reader.read_byte_record(&mut self.record) {
            Ok(more) => more,
            Err(_) if self.reader.get_ref().too_long() => {
                let what = "a row that begins here has no end within 64 MiB; \
                            look for a quote that is opened and never closed";
                return Err(self.source.line(self.reader.position().line(), what));
            }
            Err(error) => return Err(self.source.read(std::io::Error::other(error))),
        };
        self.reader.get_ref().row();
        if let (true, Some(position)) = (more, self.record.position()) {
            self.begin = position.byte();
            self.line = self.line_of(position);
        }
        if more && !self.record.as_slice().is_ascii() {
            // Each cell by itself: two broken cells side by side may look whole together.
            if self.record.iter().any(|cell| std::str::from_utf8(cell).is_err()) {
                return Err(self.source.not_utf8(self.line));
            }
        }
        Ok(more)
    }

    /// The line `record`, just read, begins on. `csv` notes its position before it
    /// skips blank lines and the LF of the CR LF before, so the end tells better.
    fn line_of(&self, noted: &csv::Position) -> u64 {
        let within = self.record.as_slice().iter().filter(|b| **b == b'\n').count() as u64;
        let end = self.reader.position().line() - u64::from(!self.dialect.crlf);
        noted.line().max(end.saturating_sub(within))
    }

    fn header(&mut self) -> Result<&ByteRecord, CatalogError> {
        if !self.read()? {
            return Err(self.source.whole("it is empty; the first line must name the columns"));
        }
        self.width = self.record.len();
        Ok(&self.record)
    }

    fn next(&mut self) -> Result<bool, CatalogError> {
        if self.count.is_multiple_of(4096) {
            self.source.check()?;
        }
        self.count += 1;
        if !self.read()? {
            return Ok(false);
        }
        if self.record.len() != self.width {
            let (found, expected) = (self.record.len(), self.width);
            let what = format!(
                "found {found} cells where the header names {expected} columns; \
                 mend the row (a delimiter inside a cell needs quotes around the cell)"
            );
            return Err(self.source.line(self.line, what));
        }
        Ok(true)
    }

    /// After the last row: a quote that was opened in its last cell was closed too,
    /// or the cell has swallowed the rest of the file.
    fn closed(&self) -> Result<(), CatalogError> {
        let begin = self.reader.get_ref().origin() + self.begin;
        if dialect::ends_in_open_quote(self.source, begin, self.dialect.delimiter)? {
            let what = "a quote opened in the last cell of this row is never closed";
            return Err(self.source.line(self.line, what));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
