//! Workbooks: each sheet is a table.
//!
//! A sheet's cells have types of their own, so there is less to infer than in a text:
//! a column whose cells are all numbers, dates or truths has that type, any other is
//! text. The first row with anything in it has the names. Two passes, both streaming;
//! of a workbook only its shared texts are held in memory.
//!
//! A workbook is a zip file, and a few kilobytes of it can stand for gigabytes:
//! [`bounds`] unpacks it once to count, before anything is kept.

mod bounds;
mod build;
mod columns;
mod names;
mod ods;
mod value;
mod xlsx;

use std::fs::File;
use std::sync::Arc;

use arrow::datatypes::Schema;
use csv::ByteRecord;

pub(super) use self::names::names;

use self::build::Rows;
use self::columns::Columns;
use self::value::{Cell, Place};
use super::converted::{Converted, Key};
use super::csv::column_names;
use super::error::CatalogError;
use super::folder::Format;
use super::source::{COLUMNS, Source};

/// Rows of a sheet: what LibreOffice can be built for.
const ROWS: u32 = 1 << 24;
/// Cells that one sheet may have: a repeated row takes a few bytes in the file.
const CELLS: u64 = 500_000_000;

/// Why a workbook cannot be read.
#[derive(Debug)]
enum Fault {
    /// In words that name no values.
    Damaged(String),
    Read(std::io::Error),
    Stop(CatalogError),
}

impl Fault {
    fn of(self, source: &Source<'_>) -> CatalogError {
        match self {
            Self::Damaged(what) => source.whole(format!("the workbook cannot be read: {what}")),
            Self::Read(cause) => source.read(cause),
            Self::Stop(error) => error,
        }
    }
}

impl From<CatalogError> for Fault {
    fn from(error: CatalogError) -> Self {
        Self::Stop(error)
    }
}

fn too_many() -> Fault {
    Fault::Damaged(format!("it has more than {CELLS} cells or {ROWS} rows"))
}

/// What takes a sheet's cells, in the order of its rows.
type Each<'a> = &'a mut dyn FnMut(Place, Cell<'_>) -> Result<(), Fault>;

/// A workbook that is open.
enum Book<'a> {
    Xlsx(Box<xlsx::Book<'a>>),
    Ods(ods::Book<'a>),
}

impl<'a> Book<'a> {
    fn open(file: &'a File, format: Format) -> Result<Self, Fault> {
        Ok(match format {
            Format::Xlsx => Self::Xlsx(Box::new(xlsx::Book::open(file)?)),
            _ => Self::Ods(ods::Book::open(file)?),
        })
    }

    /// Gives the cells of a sheet that have values.
    fn cells(&mut self, sheet: &str, number: usize, each: Each<'_>) -> Result<(), Fault> {
        match self {
            Self::Xlsx(book) => book.cells(sheet, each),
            Self::Ods(book) => book.cells(number, each),
        }
    }
}

/// Converts one sheet; the result is in `into` under `key`.
pub(super) fn convert(
    source: &Source<'_>,
    (sheet, number): (&str, usize),
    key: &Key,
    into: &Converted,
) -> Result<(), CatalogError> {
    let mut bytes = source.unpacked()?;
    let now = bytes.hash().map_err(|e| source.read(e))?;
    if now != key.original {
        return Err(source.changed());
    }
    bounds::check(source.file, &|| source.check()).map_err(|fault| fault.of(source))?;
    let mut book = Book::open(source.file, source.format).map_err(|fault| fault.of(source))?;
    let mut columns = Columns::default();
    let mut count = 0_u64;
    let mut each = |place: Place, cell: Cell<'_>| {
        count += 1;
        if count.is_multiple_of(4096) {
            source.check()?;
        }
        if place.row >= ROWS || count > CELLS {
            return Err(too_many());
        }
        if place.column as usize >= COLUMNS {
            return Err(Fault::Damaged(format!("it has more than {COLUMNS} columns")));
        }
        columns.cell(place, &cell);
        Ok(())
    };
    book.cells(sheet, number, &mut each).map_err(|fault| fault.of(source))?;
    let mut notes = Vec::new();
    let header = ByteRecord::from(columns.header().ok_or_else(|| {
        source.whole(format!("the sheet {sheet} is empty; its first row must name the columns"))
    })?);
    let names = column_names(source, &header, &mut notes)?;
    let plan = columns.finish(&names, &mut notes);
    let schema = Arc::new(Schema::new(plan.fields(&names)));
    let writer = into.begin(key, schema.clone()).map_err(|e| source.write(e))?;
    let mut rows = Rows::new(source, &plan, schema, writer);
    book.cells(sheet, number, &mut |place, cell| rows.cell(place, &cell))
        .map_err(|fault| fault.of(source))?;
    let writer = rows.finish().map_err(|fault| fault.of(source))?;
    let mut bytes = source.unpacked()?;
    if bytes.hash().map_err(|e| source.read(e))? != key.original {
        return Err(source.changed());
    }
    writer.finish(&notes).map_err(|e| source.write(e))
}
