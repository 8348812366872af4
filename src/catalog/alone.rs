//! One file that a person named by its path: nothing else of its folder is looked at.

use super::fingerprint::Fingerprint;
use super::folder::Found;
use super::names::{Names, full};
use super::{Catalog, CatalogError, Dataset};
use crate::nearest::nearest;

/// What a name stands for.
#[derive(Debug, Clone)]
pub(crate) struct Meant {
    /// A name that stands for nothing else: the folder's and the path in it.
    pub whole: String,
    fingerprint: Fingerprint,
    sheet: Option<usize>,
}

impl Meant {
    fn of(found: &Found, whole: String) -> Self {
        let sheet = found.sheet.as_ref().map(|(number, _)| *number);
        Self { whole, fingerprint: found.fingerprint, sheet }
    }

    /// Whether both stand for the same rows of the same file.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint && self.sheet == other.sheet
    }
}

impl Catalog {
    /// What a dataset's name stands for.
    ///
    /// # Errors
    /// Nothing, or several files.
    pub(crate) fn meant(&self, name: &str) -> Result<Meant, CatalogError> {
        let listing = self.look()?;
        let names = Names::of(&listing, &self.folders);
        let found = &listing.found[names.resolve(name)?];
        Ok(Meant::of(found, full(&self.folders[found.folder], &found.path)))
    }

    /// What a file of the first folder stands for, or a sheet of it.
    ///
    /// # Errors
    /// The file cannot be a dataset, or has several sheets and none is named.
    pub(crate) fn meant_by_file(
        &self,
        file: &str,
        sheet: Option<&str>,
    ) -> Result<Meant, CatalogError> {
        Ok(Meant::of(&self.one(file, sheet)?, file.to_owned()))
    }

    /// Opens a file of the first folder, or a sheet of it.
    ///
    /// # Errors
    /// The same, and those of reading it.
    pub(crate) fn file(
        &self,
        file: &str,
        sheet: Option<&str>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Dataset, CatalogError> {
        let found = self.one(file, sheet)?;
        self.dataset(&found, found.stem.clone(), stop)
    }

    fn one(&self, file: &str, sheet: Option<&str>) -> Result<Found, CatalogError> {
        let refused = |reason| CatalogError::Refused { name: file.to_owned(), reason };
        let found = self.folders[0].one(0, file).map_err(refused)?;
        let mut sheets = self.sheets(found);
        let named = |found: &Found| found.sheet.as_ref().map(|(_, name)| name.clone());
        if let Some(sheet) = sheet {
            let names: Vec<String> = sheets.iter().filter_map(named).collect();
            let near = nearest(sheet, names.iter().map(String::as_str));
            let near = near.into_iter().map(|name| format!("{file}/{name}")).collect();
            let unknown = CatalogError::Unknown { name: format!("{file}/{sheet}"), nearest: near };
            return sheets.into_iter().find(|f| named(f).as_deref() == Some(sheet)).ok_or(unknown);
        }
        if sheets.len() > 1 {
            let candidates = sheets.into_iter().map(|found| found.path).collect();
            return Err(CatalogError::Ambiguous { name: file.to_owned(), candidates });
        }
        sheets.pop().ok_or_else(|| refused(super::Refusal::Unreadable))
    }
}
