//! An open file about to be converted, with what its errors need to say.

use std::cell::Cell;
use std::fs::File;
use std::io::{Read, Seek as _, SeekFrom};

use encoding_rs::Encoding;

use super::error::CatalogError;
use super::folder::Format;
use super::text::packed::{Packing, Unpacked};
use super::text::{Fault, Text};

/// Rows in a batch under construction.
pub(super) const BATCH_ROWS: usize = 65_536;

/// Bytes of input after which a batch is closed early: bounds memory for wide rows.
pub(super) const BATCH_BYTES: usize = 16 << 20;

/// The longest single row. Only a quote or bracket that is never closed makes a longer one.
pub(super) const ROW_BYTES: usize = 64 << 20;

/// The most columns (a spreadsheet's own limit).
pub(super) const COLUMNS: usize = 16_384;

/// The file, whose name appears in errors, and the wish to stop.
pub(super) struct Source<'a> {
    pub file: &'a File,
    /// Relative path.
    pub path: &'a str,
    pub format: Format,
    pub packing: Packing,
    /// What its text is in; a mark in the file overrides it.
    pub encoding: &'static Encoding,
    pub stop: &'a dyn Fn() -> bool,
}

impl Source<'_> {
    /// The text from its first character, for a reader that minds long rows itself.
    pub(super) fn text(&self) -> Result<Text<'_>, CatalogError> {
        Text::new(self.unpacked()?, self.encoding).map_err(|e| self.failed(1, e))
    }

    /// The text from its first character.
    pub(super) fn reader(&self) -> Result<Pass<'_>, CatalogError> {
        Ok(Pass { text: self.text()?, since_row: Cell::new(0) })
    }

    /// The file's bytes, unpacked, from the first.
    pub(super) fn unpacked(&self) -> Result<Unpacked<'_>, CatalogError> {
        let mut file = self.file;
        file.seek(SeekFrom::Start(0)).map_err(|e| self.read(e))?;
        Unpacked::new(self.file, self.packing).map_err(|e| self.failed(1, e))
    }

    /// Whether the file that `text` is read from is what was hashed before.
    pub(super) fn unchanged(&self, text: &mut Text<'_>, hash: &str) -> Result<(), CatalogError> {
        let now = text.hash().map_err(|e| self.read(e))?;
        if now == hash { Ok(()) } else { Err(self.changed()) }
    }

    /// What an error of a [`Pass`] means; the row that was read began on `line`.
    pub(super) fn failed(&self, line: u64, error: std::io::Error) -> CatalogError {
        match Fault::of(&error) {
            None => self.read(error),
            Some(Fault::TooLong) => self.line(
                line,
                "a row that begins here has no end within 64 MiB; \
                 look for a quote or bracket that is opened and never closed",
            ),
            Some(fault @ Fault::Malformed(_)) => {
                self.line(line, format!("{fault}, as which it is read; save the file as UTF-8"))
            }
            Some(fault @ Fault::Bomb(_)) => {
                self.whole(format!("{fault}; unpack it yourself if it is not"))
            }
            Some(fault @ Fault::Damaged(_)) => {
                self.whole(format!("{fault}; copy or pack the file again"))
            }
        }
    }

    pub(super) fn check(&self) -> Result<(), CatalogError> {
        if (self.stop)() {
            Err(CatalogError::Stopped { file: self.path.to_owned() })
        } else {
            Ok(())
        }
    }

    pub(super) fn line(&self, line: u64, what: impl Into<String>) -> CatalogError {
        CatalogError::Line { file: self.path.to_owned(), line, column: None, what: what.into() }
    }

    pub(super) fn at(&self, line: u64, column: Option<String>, what: String) -> CatalogError {
        CatalogError::Line { file: self.path.to_owned(), line, column, what }
    }

    pub(super) fn whole(&self, what: impl Into<String>) -> CatalogError {
        CatalogError::File { file: self.path.to_owned(), what: what.into() }
    }

    pub(super) fn read(&self, cause: std::io::Error) -> CatalogError {
        CatalogError::Read { file: self.path.to_owned(), cause }
    }

    pub(super) fn write(&self, cause: impl std::error::Error) -> CatalogError {
        CatalogError::Write { file: self.path.to_owned(), cause: cause.to_string() }
    }

    pub(super) fn changed(&self) -> CatalogError {
        CatalogError::Changed { file: self.path.to_owned() }
    }

    pub(super) fn not_utf8(&self, line: u64, column: Option<String>) -> CatalogError {
        CatalogError::NotUtf8 { file: self.path.to_owned(), line, column }
    }
}

/// One pass over the text: hashes the file, refuses a row without end.
pub(super) struct Pass<'a> {
    text: Text<'a>,
    since_row: Cell<usize>,
}

impl<'a> Pass<'a> {
    /// A row began, and was read.
    pub(super) fn row(&self) {
        self.since_row.set(0);
    }

    pub(super) fn text(&mut self) -> &mut Text<'a> {
        &mut self.text
    }

    /// What the text is in, if it is not UTF-8.
    pub(super) fn encoding(&self) -> Option<&'static str> {
        self.text.encoding()
    }
}

impl Read for Pass<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.since_row.get() > ROW_BYTES {
            return Err(Fault::TooLong.into());
        }
        let read = self.text.read(buffer)?;
        self.since_row.set(self.since_row.get() + read);
        Ok(read)
    }
}

/// Joins names for a note: all of a few, else the first and how many more.
pub(super) fn name_some(names: &[&str]) -> String {
    const SHOWN: usize = 20;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
