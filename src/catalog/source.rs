//! An open file about to be converted, with what its errors need to say.

use std::cell::Cell;
use std::fs::File;
use std::io::{Read, Seek as _, SeekFrom};

use super::error::CatalogError;
use super::folder::Format;

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
    pub stop: &'a dyn Fn() -> bool,
}

impl Source<'_> {
    /// From the first byte, after a UTF-8 byte order mark if there is one.
    pub(super) fn reader(&self) -> Result<Pass<'_>, CatalogError> {
        let mut file = self.file;
        file.seek(SeekFrom::Start(0)).map_err(|e| self.read(e))?;
        let mut start = [0; 3];
        let mut read = 0;
        while read < start.len() {
            match file.read(&mut start[read..]).map_err(|e| self.read(e))? {
                0 => break,
                more => read += more,
            }
        }
        if start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]) {
            return Err(self.whole("it is in UTF-16; save it as UTF-8"));
        }
        let skip = if start == *b"\xEF\xBB\xBF" { 3 } else { 0 };
        file.seek(SeekFrom::Start(skip)).map_err(|e| self.read(e))?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(&start[..usize::from(skip == 3) * 3]);
        Ok(Pass {
            file: self.file,
            hasher,
            origin: skip,
            since_row: Cell::new(0),
            too_long: Cell::new(false),
        })
    }

    /// Whether what `pass` read is what was hashed before.
    pub(super) fn unchanged(&self, pass: &Pass<'_>, hash: &str) -> Result<(), CatalogError> {
        let same = pass.hasher.finalize().to_hex().as_str() == hash;
        if same { Ok(()) } else { Err(self.changed()) }
    }

    pub(super) fn check(&self) -> Result<(), CatalogError> {
        if (self.stop)() {
            Err(CatalogError::Stopped { file: self.path.to_owned() })
        } else {
            Ok(())
        }
    }

    pub(super) fn line(&self, line: u64, what: impl Into<String>) -> CatalogError {
        CatalogError::Line { file: self.path.to_owned(), line, what: what.into() }
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

    pub(super) fn not_utf8(&self, line: u64) -> CatalogError {
        self.line(
            line,
            "it is not UTF-8; save the file as UTF-8, or convert it: \
             iconv -f WINDOWS-1252 -t UTF-8 (Cyrillic: WINDOWS-1251)",
        )
    }
}

/// One pass over the file: hashes what it reads and refuses a row without end.
pub(super) struct Pass<'a> {
    file: &'a File,
    hasher: blake3::Hasher,
    origin: u64,
    since_row: Cell<usize>,
    too_long: Cell<bool>,
}

impl Pass<'_> {
    /// The byte it began at.
    pub(super) fn origin(&self) -> u64 {
        self.origin
    }

    /// A row has ended.
    pub(super) fn row(&self) {
        self.since_row.set(0);
    }

    /// Whether reading failed because a row did not end.
    pub(super) fn too_long(&self) -> bool {
        self.too_long.get()
    }
}

impl Read for Pass<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.since_row.get() > ROW_BYTES {
            self.too_long.set(true);
            return Err(std::io::Error::other("a row is too long"));
        }
        let read = self.file.read(buffer)?;
        self.hasher.update(&buffer[..read]);
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
