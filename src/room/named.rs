//! Data that a person names at a shell: by a path, by a dataset's name or by a reference.
//!
//! A path means the one file that it names, and nothing else of its folder is looked at.
//! `book.xlsx/sheet` is a sheet, and so is `book/sheet`. A word that is a path and the name
//! of another dataset is refused: whichever was taken, half of the people meant the other.

use std::path::{Path, PathBuf};

use super::{Call, Found, Room, RoomError};
use crate::catalog::{Catalog, CatalogError};
use crate::store::DataRef;

/// Endings that a workbook may be named without.
const BOOKS: [&str; 3] = ["xlsx", "xlsm", "ods"];

/// A file, and the sheet of it that is meant.
struct Named {
    parent: PathBuf,
    file: String,
    sheet: Option<String>,
}

impl Named {
    /// The file that a path names; `None` if there is none.
    fn of(path: &Path) -> Option<Self> {
        if path.is_file() {
            return Self::split(path, None);
        }
        path.ancestors().skip(1).find_map(|book| {
            let sheet = path.strip_prefix(book).ok()?.to_str().filter(|sheet| !sheet.is_empty())?;
            book.file_name()?;
            let named = |ending: &str| {
                let mut named = book.as_os_str().to_owned();
                named.push(format!(".{ending}"));
                PathBuf::from(named)
            };
            let books = std::iter::once(book.to_owned()).chain(BOOKS.map(named));
            let book = books.into_iter().find(|book| book.is_file())?;
            Self::split(&book, Some(sheet.to_owned()))
        })
    }

    fn split(path: &Path, sheet: Option<String>) -> Option<Self> {
        let file = path.file_name()?.to_str()?.to_owned();
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        Some(Self { parent: parent.to_owned(), file, sheet })
    }

    fn catalog(&self, room: &Room) -> Result<Catalog, RoomError> {
        room.open_catalog(std::slice::from_ref(&self.parent))
    }
}

impl Room {
    /// Finds a data file that a person named by its path.
    pub(super) fn find_file(&self, path: &Path, call: &Call) -> Result<Found, RoomError> {
        call.enter(format!("reading {}", path.display()));
        let named = Named::of(path).ok_or_else(|| RoomError::NoFile(path.display().to_string()))?;
        let catalog = named.catalog(self)?;
        let dataset = catalog.file(&named.file, named.sheet.as_deref(), &|| call.is_cancelled());
        call.unless_cancelled(dataset).map(Found::dataset)
    }

    /// Whether what a person wrote is the path of a file, and not a dataset's name or a
    /// reference.
    ///
    /// # Errors
    /// It is a path and the name of another dataset.
    pub(super) fn is_file(&self, text: &str, call: &Call) -> Result<bool, RoomError> {
        if text.parse::<DataRef>().is_ok() {
            return Ok(false);
        }
        let path = Path::new(text);
        let is_path = path.is_absolute() || text.starts_with('.');
        let named = Named::of(path);
        if is_path || self.settings().data.is_empty() {
            return Ok(is_path || named.is_some() || text.contains(std::path::is_separator));
        }
        call.enter(format!("looking for {text}"));
        let dataset = self.catalog()?.meant(text);
        let Some(named) = named else {
            let is_unknown = matches!(dataset, Err(CatalogError::Unknown { .. }));
            return Ok(is_unknown && text.contains(std::path::is_separator) && path.exists());
        };
        let dataset = match dataset {
            Err(CatalogError::Unknown { .. }) => return Ok(true),
            other => other?,
        };
        match named.catalog(self)?.meant_by_file(&named.file, named.sheet.as_deref()) {
            Ok(file) if file.is(&dataset) => Ok(true),
            Ok(_) => Err(RoomError::TwoMeanings { asked: text.to_owned(), whole: dataset.whole }),
            // Not a file that could be data.
            Err(_) => Ok(false),
        }
    }
}
