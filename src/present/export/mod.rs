//! A table as a file for a person.
//!
//! The file is written under a hidden name in the folder it will be in, synced,
//! and then given the first free name: an existing file is never replaced, and
//! an export that fails or is stopped leaves nothing ([`crate::store::temporary`]).
//! Rows are taken batch by batch, so memory does not grow with the table.
//!
//! What a format cannot say exactly is never changed in silence: it is written in
//! a form that keeps it, and counted in the notes, or refused.

mod capped;
mod cells;
mod csv;
mod file;
mod json;
mod name;
mod number_format;
mod options;
mod parquet;
mod small;
mod time;
mod xlsx;

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};

use arrow::datatypes::Schema;
use arrow::record_batch::RecordBatch;
use cap_std::fs::Dir;
use serde::Serialize;

use self::capped::Capped;
pub use self::csv::{CsvOptions, Decimal, Delimiter, UnknownMark};
pub use self::file::{export_file, export_page};
pub(crate) use self::options::FORMATS;
pub use self::options::{Format, UnknownFormat, Wanted};
pub(crate) use self::small::{cells, escape_html, stands_right};
use crate::store::temporary::{Temporary, sweep_temporaries};
use crate::table::{Table, TableError};

/// Text that is gathered before it is written.
const AT_ONCE: usize = 1 << 20;
const TEMPORARY_PREFIX: &str = "dataroom-export-";

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// Its name in the folder.
    pub file: String,
    /// Its rows.
    pub rows: u64,
    /// Its bytes.
    pub bytes: u64,
    /// The blake3 hash of its bytes.
    pub blake3: String,
    /// What the format could not say as it was.
    pub notes: Vec<String>,
}

/// An export that failed. Nothing is left of it.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// It was asked to stop.
    #[error("the export was stopped; no file was written")]
    Stopped,

    /// A text that Excel has no room for.
    #[error(
        "column {column:?}, row {row}: a text of {length} characters, and an Excel cell holds 32767: export to csv, parquet or json, or shorten the column first"
    )]
    TextTooLong {
        /// The column.
        column: String,
        /// The row, counted from 1; 0 for the header.
        row: u64,
        /// The length, as Excel counts.
        length: usize,
    },

    /// More columns than a sheet has.
    #[error(
        "the table has {columns} columns, and an Excel sheet has {limit}: choose fewer columns, or export to csv or parquet"
    )]
    TooManyColumns {
        /// The table's columns.
        columns: usize,
        /// A sheet's columns.
        limit: usize,
    },

    /// A CSV's option with another format.
    #[error(
        "delimiter, decimal and bom are for csv, and the format is {format}: leave them out, or export as csv"
    )]
    OnlyCsv {
        /// The format.
        format: Format,
    },

    /// A comma for two things.
    #[error(
        "a comma cannot be both the delimiter and the decimal mark of a csv: leave the delimiter out, and it is a semicolon, as Excel writes it where numbers have commas; or take tab or pipe"
    )]
    CommaTwice,

    /// A table is no picture.
    #[error("{format} is for charts, and this is a table: draw a chart of it first")]
    NoPicture {
        /// The format.
        format: Format,
    },

    /// A report is no form of a table.
    #[error("a report is made of items: export the table as html")]
    NoTable,

    /// More than a person reads.
    #[error(
        "the table has {rows} rows and {columns} columns, and {format} is for tables that a person reads, of at most {} rows and {} columns: make a smaller one of it with a query (the columns to show, ORDER BY, LIMIT), or export to csv, xlsx or parquet",
        small::MOST_ROWS,
        small::MOST_COLUMNS
    )]
    TooLargeToRead {
        /// The format.
        format: Format,
        /// The table's rows.
        rows: u64,
        /// Its columns.
        columns: usize,
    },

    /// More bytes than a file may have.
    #[error(
        "the file would have more than {most} bytes, which is the most for an export (`bytes` in the configuration's [export]); nothing was written: export fewer rows or columns, or as parquet, which is smaller"
    )]
    TooLarge {
        /// The limit.
        most: u64,
    },

    /// No space is left.
    #[error(
        "the disk is full: free some space or choose another folder for exports, then try again"
    )]
    DiskFull,

    /// The folder may not be written.
    #[error(
        "the folder for exports cannot be written ({0}): check its permissions or choose another"
    )]
    NotWritable(String),

    /// Anything else the system said.
    #[error("the file could not be written: {0}")]
    Io(String),

    /// The table could not be read.
    #[error(transparent)]
    Table(#[from] TableError),

    /// A column could not be converted.
    #[error(
        "the table cannot be written in this format: {0}: try parquet, or convert the column first"
    )]
    Convert(#[from] arrow::error::ArrowError),

    /// The workbook's writer refused.
    #[error("the workbook could not be written: {0}: try csv or parquet")]
    Workbook(String),
}

impl ExportError {
    #[allow(clippy::needless_pass_by_value, reason = "for map_err")]
    fn io(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            io::ErrorKind::FileTooLarge => Self::TooLarge { most: 0 },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::NotWritable(error.to_string())
            }
            _ => Self::Io(error.to_string()),
        }
    }
}

impl ExportError {
    /// Whether its words can quote what is in the table.
    #[must_use]
    pub fn may_quote(&self) -> bool {
        matches!(
            self,
            Self::TextTooLong { .. }
                | Self::Io(_)
                | Self::Table(_)
                | Self::Convert(_)
                | Self::Workbook(_)
        )
    }

    /// The writers only say that a file is too large.
    fn limited_to(self, most: u64) -> Self {
        match self {
            Self::TooLarge { .. } => Self::TooLarge { most },
            other => other,
        }
    }
}

impl From<rust_xlsxwriter::XlsxError> for ExportError {
    fn from(error: rust_xlsxwriter::XlsxError) -> Self {
        match error {
            rust_xlsxwriter::XlsxError::IoError(error)
            | rust_xlsxwriter::XlsxError::TempFileError(_, error) => Self::io(error),
            other => Self::Workbook(other.to_string()),
        }
    }
}

impl From<::parquet::errors::ParquetError> for ExportError {
    fn from(error: ::parquet::errors::ParquetError) -> Self {
        if let ::parquet::errors::ParquetError::External(cause) = &error
            && let Some(cause) = cause.downcast_ref::<io::Error>()
        {
            return Self::io(io::Error::new(cause.kind(), cause.to_string()));
        }
        Self::Io(error.to_string())
    }
}

/// What to tell about a file.
#[derive(Debug, Default)]
struct Notes(Vec<String>);

impl Notes {
    fn add(&mut self, note: String) {
        self.0.push(note);
    }

    /// `what` is about one; it is said how many there are.
    fn count(&mut self, count: u64, what: &str) {
        if count > 0 {
            self.0.push(format!("{count} x {what}"));
        }
    }
}

/// Where a table is exported to.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The folder.
    pub folder: &'a Dir,
    /// The name that the file is to have, without its ending.
    pub name: Option<&'a str>,
    /// The most bytes that it may have.
    pub bytes: u64,
    /// Whether a file of that name is replaced; else the new one gets the next free name.
    pub overwrite: bool,
}

impl Target<'_> {
    /// Gives a finished file its name.
    fn publish(&self, temporary: Temporary, stem: &str, ending: &str) -> io::Result<String> {
        let mut names = name::candidates(stem, ending);
        if !self.overwrite {
            return temporary.publish_new(names);
        }
        let name = names.next().unwrap_or_default();
        temporary.publish(&name).map(|()| name)
    }
}

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, TableError>>>;

/// The rows, the wish to stop and the progress.
struct Source<'a> {
    table: &'a Table,
    /// The units of the columns, in their order; where it ends none is known.
    units: &'a [Option<String>],
    batches: Batches,
    stop: &'a dyn Fn() -> bool,
    progress: &'a mut dyn FnMut(u64),
    rows: u64,
}

impl Source<'_> {
    fn schema(&self) -> &Schema {
        self.table.schema()
    }

    fn unit(&self, column: usize) -> Option<&str> {
        self.units.get(column)?.as_deref()
    }

    fn is_stopped(&self) -> bool {
        (self.stop)()
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ExportError> {
        if self.is_stopped() {
            return Err(ExportError::Stopped);
        }
        Ok(self.batches.next().transpose()?)
    }

    /// Writes out what was gathered.
    fn put(&self, text: &mut String, out: &mut impl Write) -> Result<(), ExportError> {
        if self.is_stopped() {
            return Err(ExportError::Stopped);
        }
        out.write_all(text.as_bytes()).map_err(ExportError::io)?;
        text.clear();
        Ok(())
    }

    fn done(&mut self, rows: usize) {
        self.rows += rows as u64;
        (self.progress)(self.rows);
    }
}

/// A column's name for people: with its unit, unless it says that itself.
pub(crate) fn head(name: &str, unit: Option<&str>) -> String {
    match unit {
        Some(unit) if !says(name, unit) => format!("{name} ({unit})"),
        _ => name.to_owned(),
    }
}

/// Whether a name has its unit among its words.
fn says(name: &str, unit: &str) -> bool {
    let unit = unit.to_lowercase();
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric() && !unit.contains(c));
    words.any(|word| word == unit)
}

/// Writes the table to the target as wanted, under its name or the first free variation
/// of it. `units` are those of the columns, where they are known: people's formats show
/// them.
///
/// # Errors
/// The folder cannot be written, the table cannot be read, the format cannot hold
/// it, it has too many bytes, or `stop` said so.
pub fn export(
    (table, units): (&Table, &[Option<String>]),
    wanted: Wanted,
    target: Target<'_>,
    stop: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(u64),
) -> Result<Exported, ExportError> {
    let Wanted { format, csv } = wanted.check()?;
    let Target { folder, name, bytes: most, .. } = target;
    // What an export left that was killed. If that fails, it is none of this one's
    // business.
    let _ = sweep_temporaries(folder, TEMPORARY_PREFIX);
    let temporary = Temporary::create(folder, TEMPORARY_PREFIX).map_err(ExportError::io)?;
    let batches = Box::new(table.batches(None, None)?);
    let mut source = Source { table, units, batches, stop, progress, rows: 0 };
    let file = temporary.file().try_clone().map_err(ExportError::io)?;
    let file = Capped::new(file, most);
    let written = match format {
        Format::Csv => buffered(file, |out| csv::write(&mut source, out, csv)),
        Format::Json => buffered(file, |out| json::write(&mut source, out)),
        Format::Ndjson => buffered(file, |out| json::write_lines(&mut source, out)),
        Format::Markdown => buffered(file, |out| small::markdown(&mut source, out)),
        Format::Html => buffered(file, |out| small::html(&mut source, out)),
        Format::Report => Err(ExportError::NoTable),
        Format::Svg | Format::Png => Err(ExportError::NoPicture { format }),
        Format::Parquet => parquet::write(&mut source, file),
        Format::Xlsx => xlsx::write(&mut source, file, most),
    };
    let notes = written.map_err(|error| error.limited_to(most))?;
    let rows = source.rows;
    let (bytes, blake3) = fingerprint(temporary.file(), stop)?;
    temporary.sync().map_err(ExportError::io)?;
    let ending = format.ending();
    let stem = name::stem(name, ending);
    let file = target.publish(temporary, &stem, ending).map_err(ExportError::io)?;
    Ok(Exported { file, rows, bytes, blake3, notes: notes.0 })
}

fn buffered(
    file: Capped,
    write: impl FnOnce(&mut BufWriter<Capped>) -> Result<Notes, ExportError>,
) -> Result<Notes, ExportError> {
    let mut out = BufWriter::new(file);
    let notes = write(&mut out)?;
    out.flush().map_err(ExportError::io)?;
    Ok(notes)
}

/// Length and hash of what has been written.
fn fingerprint(mut file: &File, stop: &dyn Fn() -> bool) -> Result<(u64, String), ExportError> {
    file.rewind().map_err(ExportError::io)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        if stop() {
            return Err(ExportError::Stopped);
        }
        let read = file.read(&mut buffer).map_err(ExportError::io)?;
        if read == 0 {
            return Ok((hasher.count(), hasher.finalize().to_hex().to_string()));
        }
        hasher.update(&buffer[..read]);
    }
}

#[cfg(test)]
mod tests;
