//! Text tables: CSV and TSV.
//!
//! Streaming, in bounded memory. A pass over the file looks at *every* cell, so that a type
//! is never a guess from the top of the file. What the top says is worth a bet, though: the
//! same pass builds the columns as they would be by it. If all cells say the same in the end,
//! that is the file; else the columns are built by another pass. Rows come in blocks (`rows`), cut
//! at once where they are plainly written (`split`), and are read column by column (`column`).
//! Nothing is dropped or bent in silence: rows with too few or too many cells are an error with
//! their lines, and each decision a reader could not guess (a missing mark, a renamed header, a
//! column that stays text because of two cells) is a note that goes with the dataset.

mod block;
mod build;
mod canonical;
pub(in crate::catalog) mod cell;
mod column;
mod decide;
mod dialect;
pub(in crate::catalog) mod infer;
mod ragged;
mod readings;
mod rows;
mod split;

use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use csv::ByteRecord;

use self::block::Block;
use self::build::Columns;
use self::dialect::Dialect;
pub(super) use self::dialect::names as column_names;
use self::infer::{Inference, Plan};
use self::rows::Rows;
use super::converted::{Converted, Key, Writer};
use super::error::CatalogError;
use super::source::{BATCH_BYTES, BATCH_ROWS, Source};

/// Rows and bytes at the top of a file from which its types are guessed.
const GUESS: (usize, u64) = (20_000, 4 << 20);

/// Converts the whole file; the result is in `into` under `key`.
pub(super) fn convert(
    source: &Source<'_>,
    key: &Key,
    into: &Converted,
) -> Result<(), CatalogError> {
    let mut notes = Vec::new();
    let dialect = dialect::dialect(source, &mut notes)?;
    let guess = guess(source, dialect);
    let mut rows = Rows::open(source, dialect)?;
    let first = rows.first()?.clone();
    let first_line = rows.line();
    let mut inference = Inference::new(first.len());
    let mut built =
        guess.as_ref().map(|guess| Built::begin(source, guess, key, into)).transpose()?;
    if let Some(guess) = &guess
        && !guess.has_header
        && let Some(columns) = &mut built
        && !columns.push_first(&first)
    {
        built = None;
    }
    rows.cut();
    while let Some(block) = rows.next()? {
        let fits = match &mut built {
            Some(columns) => columns.push(block, &mut inference)?,
            None => {
                inference.block(block);
                false
            }
        };
        if !fits {
            built = None;
        }
    }
    rows.closed()?;
    let has_header = !dialect::first_is_a_row(&first, &inference.plans());
    let names = if has_header {
        dialect::names(source, &first, &mut notes)?
    } else {
        inference.row(first_line, &first);
        dialect::numbered(first.len(), &mut notes)
    };
    rows.note(&mut notes);
    let plans = inference.finish(&names, &mut notes);
    let layout = Layout { has_header, names, plans };
    match built {
        // What was built as guessed is what all cells say.
        Some(columns) if guess.as_ref() == Some(&layout) => columns.finish(&mut rows, key, &notes),
        _ => {
            drop(built);
            build(source, dialect, &layout, key, into, &notes)
        }
    }
}

/// What the file holds: whether its first line is names, which, and how columns are built.
#[derive(PartialEq)]
struct Layout {
    has_header: bool,
    names: Vec<String>,
    plans: Vec<Plan>,
}

/// What the file seems to hold by its first rows. `None`: something is wrong with them, which
/// whoever reads all of them says.
fn guess(source: &Source<'_>, dialect: Dialect) -> Option<Layout> {
    let mut rows = Rows::open(source, dialect).ok()?;
    let first = rows.first().ok()?.clone();
    let first_line = rows.line();
    let mut inference = Inference::new(first.len());
    while rows.count() < GUESS.0 as u64 && rows.bytes() < GUESS.1 {
        let Some(block) = rows.next().ok()? else { break };
        inference.block(block);
    }
    let has_header = !dialect::first_is_a_row(&first, &inference.plans());
    let mut notes = Vec::new();
    let names = if has_header {
        dialect::names(source, &first, &mut notes).ok()?
    } else {
        inference.row(first_line, &first);
        dialect::numbered(first.len(), &mut notes)
    };
    let plans = inference.finish(&names, &mut notes);
    Some(Layout { has_header, names, plans })
}

fn build(
    source: &Source<'_>,
    dialect: Dialect,
    layout: &Layout,
    key: &Key,
    into: &Converted,
    notes: &[String],
) -> Result<(), CatalogError> {
    let mut rows = Rows::open(source, dialect)?;
    let first = rows.first()?.clone();
    // Whatever is known by now, nothing more is learned.
    let mut known = Inference::new(layout.plans.len());
    let mut built = Built::begin(source, layout, key, into)?;
    let mut fits = layout.has_header || built.push_first(&first);
    rows.cut();
    while fits && let Some(block) = rows.next()? {
        fits = built.push(block, &mut known)?;
    }
    if !fits {
        // The first pass read all of these cells: what does not fit has changed since.
        return Err(source.changed());
    }
    built.finish(&mut rows, key, notes)
}

/// The converted file under construction.
struct Built<'a> {
    source: &'a Source<'a>,
    schema: SchemaRef,
    columns: Columns<'a>,
    writer: Writer<'a>,
}

impl<'a> Built<'a> {
    fn begin(
        source: &'a Source<'a>,
        layout: &'a Layout,
        key: &Key,
        into: &'a Converted,
    ) -> Result<Self, CatalogError> {
        let columns = layout.names.iter().zip(&layout.plans);
        let fields: Vec<Field> =
            columns.map(|(name, plan)| Field::new(name, plan.data_type(), true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let writer = into.begin(key, schema.clone()).map_err(|e| source.write(e))?;
        Ok(Self { source, schema, columns: Columns::new(&layout.plans), writer })
    }

    /// Takes a first line that is a row. Whether it fits.
    fn push_first(&mut self, row: &ByteRecord) -> bool {
        self.columns.push_row(row)
    }

    /// Takes rows, and writes what is enough for a batch. Whether all fit.
    fn push(&mut self, block: Block<'_>, inference: &mut Inference) -> Result<bool, CatalogError> {
        let fit = self.columns.push(block, inference);
        let full = self.columns.rows() >= BATCH_ROWS || self.columns.bytes() > BATCH_BYTES;
        if fit && full {
            self.write()?;
        }
        Ok(fit)
    }

    fn write(&mut self) -> Result<(), CatalogError> {
        let batch = self.columns.finish(&self.schema).map_err(|e| self.source.write(e))?;
        self.writer.write(batch).map_err(|e| self.source.write(e))
    }

    fn finish(
        mut self,
        rows: &mut Rows<'_>,
        key: &Key,
        notes: &[String],
    ) -> Result<(), CatalogError> {
        self.write()?;
        self.source.unchanged(rows.text(), &key.original)?;
        self.writer.finish(notes.to_vec().into()).map_err(|e| self.source.write(e))
    }
}

#[cfg(test)]
mod tests;
