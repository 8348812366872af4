//! Workbooks: each sheet is a table.
//!
//! A sheet's cells have types of their own, so there is less to infer than in a text:
//! a column whose cells are all numbers, dates or truths has that type, any other is
//! text. The first row with anything in it has the names, below titles ([`head`]); a number
//! format may say a unit ([`format`]). Two passes, both streaming; of a workbook only its
//! shared texts are held in memory.
//!
//! Cells come row by row, each once. A file in which they do not is refused with the cell:
//! spreadsheet programs call it damaged, too, and readers disagree on what it says.
//!
//! A workbook is a zip file, and a few kilobytes of it can stand for gigabytes:
//! [`bounds`] unpacks it once to count, before anything is kept.

mod bounds;
mod build;
mod columns;
mod format;
mod head;
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
use super::converted::{Converted, Key, Notes};
use super::csv::column_names;
use super::error::CatalogError;
use super::folder::Format;
use super::source::{COLUMNS, Source};
use crate::units::Unit;

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
    fn of(self, source: &Source<'_>, sheet: &str) -> CatalogError {
        match self {
            Self::Damaged(what) => {
                source.whole(format!("the workbook cannot be read, sheet {sheet}: {what}"))
            }
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

/// A cell that has something in it.
#[derive(Debug, Clone)]
struct Given<'a> {
    place: Place,
    cell: Cell<'a>,
    /// What its number format names.
    unit: Option<Unit>,
}

impl Given<'_> {
    fn to_owned(&self) -> Given<'static> {
        Given { place: self.place, cell: self.cell.to_owned(), unit: self.unit }
    }
}

/// What takes a sheet's cells.
trait Take {
    fn cell(&mut self, given: Given<'_>) -> Result<(), Fault>;

    /// An area of merged cells, by its first.
    fn merged(&mut self, _first: Place) {}
}

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
    fn cells(&mut self, number: usize, take: &mut dyn Take) -> Result<(), Fault> {
        match self {
            Self::Xlsx(book) => book.cells(number, take),
            Self::Ods(book) => book.cells(number, take),
        }
    }
}

/// Why a file is no workbook that can be read, in words that follow "it".
pub(super) fn why_not(file: &File) -> &'static str {
    if xlsx::is_ole(file) {
        "is an old .xls file or has a password; save it as .xlsx without one"
    } else {
        "is no workbook that can be read; save it again"
    }
}

/// The first look at a sheet.
struct Look<'a> {
    source: &'a Source<'a>,
    columns: Columns,
    count: u64,
    last: Option<Place>,
}

impl Take for Look<'_> {
    fn cell(&mut self, given: Given<'_>) -> Result<(), Fault> {
        let place = given.place;
        self.count += 1;
        if self.count.is_multiple_of(4096) {
            self.source.check()?;
        }
        if place.row >= ROWS || self.count > CELLS {
            return Err(too_many());
        }
        if place.column as usize >= COLUMNS {
            return Err(Fault::Damaged(format!("it has more than {COLUMNS} columns")));
        }
        let last = self.last.replace(place).filter(|last| *last >= place);
        if let Some(last) = last {
            let name = place.name();
            let what = if last == place {
                "is there twice".to_owned()
            } else {
                format!("comes after {}", last.name())
            };
            return Err(Fault::Damaged(format!(
                "the cell {name} {what}, and cells come row by row, each \
                 once; open the file in a spreadsheet program, look at {name}, and save it again"
            )));
        }
        self.columns.cell(&given);
        Ok(())
    }

    fn merged(&mut self, first: Place) {
        self.columns.merged(first);
    }
}

/// Converts one sheet; the result is in `into` under `key`.
pub(super) fn convert(
    source: &Source<'_>,
    (sheet, number): (&str, usize),
    key: &Key,
    into: &Converted,
) -> Result<(), CatalogError> {
    let failed = |fault: Fault| fault.of(source, sheet);
    let mut bytes = source.unpacked()?;
    let now = bytes.hash().map_err(|e| source.read(e))?;
    if now != key.original {
        return Err(source.changed());
    }
    bounds::check(source.file, &|| source.check()).map_err(failed)?;
    let mut book = Book::open(source.file, source.format).map_err(failed)?;
    let mut look = Look { source, columns: Columns::new(), count: 0, last: None };
    book.cells(number, &mut look).map_err(failed)?;
    let mut columns = look.columns;
    columns.end_head();
    let mut notes = Vec::new();
    let header = ByteRecord::from(columns.header().ok_or_else(|| {
        source.whole(format!("the sheet {sheet} is empty; its first row must name the columns"))
    })?);
    let names = column_names(source, &header, &mut notes)?;
    let mut notes = Notes::from(notes);
    let plan = columns.finish(&names, &mut notes);
    let schema = Arc::new(Schema::new(plan.fields(&names)));
    let writer = into.begin(key, schema.clone()).map_err(|e| source.write(e))?;
    let mut rows = Rows::new(source, &plan, schema, writer);
    book.cells(number, &mut rows).map_err(failed)?;
    let writer = rows.finish().map_err(failed)?;
    let mut bytes = source.unpacked()?;
    if bytes.hash().map_err(|e| source.read(e))? != key.original {
        return Err(source.changed());
    }
    writer.finish(notes).map_err(|e| source.write(e))
}
