//! From a name to a file, and back.
//!
//! A file answers to its stem (`orders`), its path in the folder
//! (`2024/orders.csv`), and that path after the folder's own name
//! (`shop/2024/orders.csv`). Its listed name is the first of the three that no
//! other file answers to. Where a path and another file's stem are the same
//! words, the path wins.
//!
//! The sheets of a workbook that has several are called `book/sheet`, and
//! `book.xlsx/sheet` by path. The workbook's own name means all of them.

use std::collections::HashMap;

use super::error::{CatalogError, Refusal};
use super::folder::{Folder, LeftOut, Listing, stem};
use crate::nearest::nearest;

/// All names of a listing.
pub(super) struct Names<'a> {
    /// One per file, in the listing's order.
    listed: Vec<String>,
    by_stem: HashMap<&'a str, Vec<usize>>,
    by_path: HashMap<&'a str, Vec<usize>>,
    by_full: HashMap<String, usize>,
    left_out: &'a [LeftOut],
    folders: &'a [Folder],
}

impl<'a> Names<'a> {
    pub(super) fn of(listing: &'a Listing, folders: &'a [Folder]) -> Self {
        let mut names = Self {
            listed: Vec::new(),
            by_stem: HashMap::new(),
            by_path: HashMap::new(),
            by_full: HashMap::new(),
            left_out: &listing.left_out,
            folders,
        };
        for (at, found) in listing.found.iter().enumerate() {
            names.by_stem.entry(&found.stem).or_default().push(at);
            names.by_path.entry(&found.path).or_default().push(at);
            if found.sheet.is_some() && found.path != found.file {
                names.by_stem.entry(stem(&found.file)).or_default().push(at);
                names.by_path.entry(&found.file).or_default().push(at);
            }
            names.by_full.insert(full(&folders[found.folder], &found.path), at);
        }
        for (at, found) in listing.found.iter().enumerate() {
            let short = [found.stem.as_str(), &found.path];
            let own = short.into_iter().find(|name| names.candidates(name) == [at]);
            let name = own.map_or_else(|| full(&folders[found.folder], &found.path), str::to_owned);
            names.listed.push(name);
        }
        names
    }

    /// The listed name of the file at `at`.
    pub(super) fn name(&self, at: usize) -> &str {
        &self.listed[at]
    }

    /// All listed names.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.listed.iter().map(String::as_str)
    }

    fn candidates(&self, name: &str) -> &[usize] {
        if let Some(files) = self.by_path.get(name) {
            return files;
        }
        if let Some(file) = self.by_full.get(name) {
            return std::slice::from_ref(file);
        }
        self.by_stem.get(name).map_or(&[], Vec::as_slice)
    }

    /// The one file that answers to `name`.
    pub(super) fn resolve(&self, name: &str) -> Result<usize, CatalogError> {
        match self.candidates(name) {
            [one] => Ok(*one),
            [] => Err(self.unknown(name)),
            several => {
                let mut candidates: Vec<String> =
                    several.iter().map(|at| self.listed[*at].clone()).collect();
                candidates.sort();
                Err(CatalogError::Ambiguous { name: name.to_owned(), candidates })
            }
        }
    }

    fn unknown(&self, name: &str) -> CatalogError {
        if let Some(left_out) = self.left_out.iter().find(|l| self.is_about(l, name)) {
            return CatalogError::Refused { name: name.to_owned(), reason: left_out.reason };
        }
        // Paths too: who asks by path means a path.
        let known = self.all().chain(self.by_path.keys().copied());
        let mut near: Vec<String> = Vec::new();
        for found in nearest(name, known) {
            // A file is offered once, by its listed name.
            let listed = match self.candidates(found) {
                [at] => self.name(*at),
                _ => found,
            };
            if !near.iter().any(|n| n == listed) {
                near.push(listed.to_owned());
            }
        }
        CatalogError::Unknown { name: name.to_owned(), nearest: near }
    }

    /// Whether a name means a file that was left out, or one behind it.
    fn is_about(&self, left_out: &LeftOut, name: &str) -> bool {
        let full = full(&self.folders[left_out.folder], &left_out.path);
        let below = |path: &str| {
            name.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // `notes.txt` is no reason to refuse the name `notes`, but a link is.
        let by_stem = !matches!(left_out.reason, Refusal::Format | Refusal::Hidden)
            && stem(&left_out.path) == name;
        below(&left_out.path) || below(&full) || by_stem
    }
}

pub(super) fn full(folder: &Folder, path: &str) -> String {
    format!("{}/{path}", folder.label)
}
