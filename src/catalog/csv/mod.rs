//! Text tables: CSV and TSV.
//!
//! Streaming, in bounded memory. A pass over the file looks at *every* cell, so that a type
//! is never a guess from the top of the file. What the top says is worth a bet, though: the
//! same pass builds the columns as they would be by it. If all cells say the same in the end,
//! that is the file; else the columns are built by another pass. Nothing is dropped or bent in
//! silence: rows with too few or too many cells are an error with their lines, and each decision a
//! reader could not guess (a missing mark, a renamed header, a column that stays
//! text because of two cells) is a note that goes with the dataset.

mod build;
pub(in crate::catalog) mod cell;
mod decide;
mod dialect;
pub(in crate::catalog) mod infer;
mod ragged;
mod readings;

use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use csv::{ByteRecord, Reader};

use self::build::Columns;
use self::cell::Cell;
use self::dialect::Dialect;
pub(super) use self::dialect::names as column_names;
use self::infer::{Inference, Plan, Seen};
use self::ragged::Ragged;
use super::converted::{Converted, Key, Writer};
use super::error::CatalogError;
use super::source::{BATCH_BYTES, BATCH_ROWS, COLUMNS, Pass, Source};

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
    let first_line = rows.line;
    let mut inference = Inference::new(first.len());
    let mut built =
        guess.as_ref().map(|guess| Built::begin(source, guess, key, into)).transpose()?;
    if let Some(guess) = &guess
        && !guess.has_header
        && let Some(columns) = &mut built
        && !columns.push(&first)?
    {
        built = None;
    }
    while rows.next()? {
        inference.row(rows.line, &rows.record);
        if let Some(columns) = &mut built
            && !columns.push_known(&rows.record, inference.cells())?
        {
            built = None;
        }
    }
    rows.closed()?;
    rows.ragged.check(source, first.len(), rows.count)?;
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
    let first_line = rows.line;
    let mut inference = Inference::new(first.len());
    while rows.count < GUESS.0 as u64 && rows.begin < GUESS.1 && rows.next().ok()? {
        inference.row(rows.line, &rows.record);
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
    rows.first()?;
    let mut built = Built::begin(source, layout, key, into)?;
    let mut more = !layout.has_header || rows.next()?;
    while more {
        // The first pass read all of these cells: what does not fit has changed since.
        if !built.push(&rows.record)? {
            return Err(source.changed());
        }
        more = rows.next()?;
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

    /// Whether the row fits.
    fn push(&mut self, row: &ByteRecord) -> Result<bool, CatalogError> {
        let fits = self.columns.push(row);
        self.pushed(fits)
    }

    /// The same where it is known what each cell is by itself.
    fn push_known(&mut self, row: &ByteRecord, cells: &[Cell]) -> Result<bool, CatalogError> {
        let fits = self.columns.push_known(row, cells);
        self.pushed(fits)
    }

    /// Writes what is enough for a batch. After a row that does not fit there is none.
    fn pushed(&mut self, fits: Option<()>) -> Result<bool, CatalogError> {
        let full = self.columns.rows() >= BATCH_ROWS || self.columns.bytes() > BATCH_BYTES;
        if fits.is_some() && full {
            self.write()?;
        }
        Ok(fits.is_some())
    }

    fn write(&mut self) -> Result<(), CatalogError> {
        let batch = self.columns.finish(&self.schema).map_err(|e| self.source.write(e))?;
        self.writer.write(&batch).map_err(|e| self.source.write(e))
    }

    fn finish(
        mut self,
        rows: &mut Rows<'_>,
        key: &Key,
        notes: &[String],
    ) -> Result<(), CatalogError> {
        self.write()?;
        self.source.unchanged(rows.reader.get_mut(), &key.original)?;
        self.writer.finish(notes.to_vec().into()).map_err(|e| self.source.write(e))
    }
}

/// One pass over the file's rows. Every row that is given has as many cells as the first;
/// the others are counted.
struct Rows<'a> {
    source: &'a Source<'a>,
    reader: Reader<Pass<'a>>,
    record: ByteRecord,
    first: ByteRecord,
    dialect: Dialect,
    /// Where the last row begins: its line, and its byte.
    line: u64,
    begin: u64,
    count: u64,
    ragged: Ragged,
    /// Lines without anything, and rows with empty cells beyond the last column.
    blank: u64,
    longer: Seen,
}

impl<'a> Rows<'a> {
    fn open(source: &'a Source<'a>, dialect: Dialect) -> Result<Self, CatalogError> {
        let reader = dialect.reader().buffer_capacity(1 << 18).from_reader(source.reader()?);
        let (record, first) = (ByteRecord::new(), ByteRecord::new());
        let (blank, longer) = (0, Seen::default());
        Ok(Self {
            source,
            reader,
            record,
            first,
            dialect,
            line: 1,
            begin: 0,
            count: 0,
            ragged: Ragged::default(),
            blank,
            longer,
        })
    }

    fn read(&mut self) -> Result<bool, CatalogError> {
        let begin = self.reader.position().byte();
        let more = match self.reader.read_byte_record(&mut self.record) {
            Ok(more) => more,
            Err(error) => {
                let line = self.reader.get_ref().line_of_row(begin).0;
                return Err(match error.into_kind() {
                    csv::ErrorKind::Io(error) => self.source.failed(line, error),
                    other => self.source.line(line, format!("{other:?}")),
                });
            }
        };
        let pass = self.reader.get_ref();
        if more {
            let (line, blank) = pass.line_of_row(begin);
            (self.begin, self.line) = (begin, line);
            self.blank += blank;
        }
        if more {
            pass.row(begin);
        }
        if more && !self.record.as_slice().is_ascii() {
            // Each cell by itself: two broken cells side by side may look whole together.
            let broken = |cell: &[u8]| std::str::from_utf8(cell).is_err();
            if let Some(at) = self.record.iter().position(broken) {
                let column = Some(self.column(at));
                return Err(self.source.not_utf8(self.line, column));
            }
        }
        Ok(more)
    }

    /// A column, for an error: by its number, and its name if the first line has it.
    fn column(&self, at: usize) -> String {
        match self.first.get(at).and_then(|name| std::str::from_utf8(name).ok()) {
            Some(name) if !name.is_empty() => format!("column {} ({name})", at + 1),
            _ => format!("column {}", at + 1),
        }
    }

    fn first(&mut self) -> Result<&ByteRecord, CatalogError> {
        let skipped = !self.dialect.sep_line || self.read()?;
        if !skipped || !self.read()? {
            return Err(self.source.whole("it is empty; the first line must name the columns"));
        }
        self.first = self.record.clone();
        if self.first.len() > COLUMNS {
            let what = format!("it has {} columns; the most is {COLUMNS}", self.first.len());
            return Err(self.source.whole(what));
        }
        Ok(&self.first)
    }

    fn next(&mut self) -> Result<bool, CatalogError> {
        loop {
            if self.count.is_multiple_of(4096) {
                self.source.check()?;
            }
            if !self.read()? {
                return Ok(false);
            }
            self.count += 1;
            let (found, expected) = (self.record.len(), self.first.len());
            if found == expected {
                return Ok(true);
            }
            if found > expected && self.record.iter().skip(expected).all(<[u8]>::is_empty) {
                self.record.truncate(expected);
                self.longer.at(self.line);
                return Ok(true);
            }
            self.ragged.add(self.line, found);
        }
    }

    /// What was passed over.
    fn note(&self, notes: &mut Vec<String>) {
        let Seen { count, first } = self.longer;
        if count > 0 {
            notes.push(format!(
                "{count} rows have empty cells beyond the last column (first on line {first})"
            ));
        }
        // With one column, a blank line may have been meant as a missing value.
        if self.blank > 0 && self.first.len() == 1 {
            notes.push(format!("{} blank lines are no rows", self.blank));
        }
    }

    /// After the last row: a quote that was opened in its last cell was closed too,
    /// or the cell has swallowed the rest of the file.
    fn closed(&self) -> Result<(), CatalogError> {
        if dialect::ends_in_open_quote(self.reader.get_ref().from(self.begin), self.dialect) {
            let what = "a quote opened in the last cell of this row is never closed";
            return Err(self.source.line(self.line, what));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
