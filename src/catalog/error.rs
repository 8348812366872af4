//! What can go wrong between a dataset's name and its rows, in words to act on.
//! File contents never appear here: a message names lines, columns and counts.

use crate::audience::{NextStep, Told};
use crate::nearest::hint;
use crate::table::TableError;

/// A dataset that cannot be found, opened or read.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// A `--data` folder that cannot be opened.
    #[error(
        "the data folder `{folder}` cannot be opened: {cause}; give an existing, readable folder"
    )]
    Folder {
        /// As given.
        folder: String,
        /// Why.
        cause: std::io::Error,
    },
    /// More files than a listing may hold.
    #[error(
        "the data folder `{folder}` holds more than {limit} files and folders; \
         point --data at a smaller folder"
    )]
    TooMany {
        /// Its name.
        folder: String,
        /// The most there may be.
        limit: usize,
    },
    /// No dataset of this name.
    #[error("no dataset is named `{name}`{}", hint(nearest))]
    Unknown {
        /// As asked.
        name: String,
        /// What may have been meant.
        nearest: Vec<String>,
    },
    /// Several datasets answer to the name.
    #[error("`{name}` may be any of {}; ask for one of them", listed(candidates))]
    Ambiguous {
        /// As asked.
        name: String,
        /// Names that are not ambiguous.
        candidates: Vec<String>,
    },
    /// A file that is there but is no dataset, on purpose.
    #[error("`{name}` is not a dataset: {reason}")]
    Refused {
        /// As asked.
        name: String,
        /// Why.
        reason: Refusal,
    },
    /// Contents that cannot be read rightly, at a place.
    #[error("`{file}`, line {line}{}: {what}", within(column.as_deref()))]
    Line {
        /// Relative path.
        file: String,
        /// From 1.
        line: u64,
        /// The column's name, or the place within the line.
        column: Option<String>,
        /// What is wrong and what to do.
        what: String,
    },
    /// Bytes that are not UTF-8, nor any other text.
    #[error(
        "`{file}`, line {line}{}: it is not UTF-8; save the file as UTF-8, or convert it: \
         iconv -f WINDOWS-1252 -t UTF-8 (Cyrillic: WINDOWS-1251)",
        within(column.as_deref())
    )]
    NotUtf8 {
        /// Relative path.
        file: String,
        /// From 1.
        line: u64,
        /// The column's name, where it is known.
        column: Option<String>,
    },
    /// Contents that cannot be read rightly as a whole.
    #[error("`{file}`: {what}")]
    File {
        /// Relative path.
        file: String,
        /// What is wrong and what to do.
        what: String,
    },
    /// A `.parquet` file that is not one.
    #[error("`{file}`: {cause}; write the file again")]
    Parquet {
        /// Relative path.
        file: String,
        /// Why.
        cause: TableError,
    },
    /// The file cannot be opened or read.
    #[error("`{file}` cannot be read: {cause}")]
    Read {
        /// Relative path.
        file: String,
        /// Why.
        cause: std::io::Error,
    },
    /// The converted copy cannot be written.
    #[error(
        "the converted copy of `{file}` cannot be written: {cause}; \
         see that the home folder is writable and has free space, then try again"
    )]
    Write {
        /// Relative path.
        file: String,
        /// Why.
        cause: String,
    },
    /// The file was written to while it was read.
    #[error("`{file}` changed while it was read; try again when it is complete")]
    Changed {
        /// Relative path.
        file: String,
    },
    /// The caller asked to stop.
    #[error("stopped before `{file}` was read")]
    Stopped {
        /// Relative path.
        file: String,
    },
}

impl Told for CatalogError {
    fn next_step(&self) -> Option<NextStep> {
        matches!(self, Self::Unknown { .. }).then_some(NextStep::ListAll)
    }
}

/// Why a file in a data folder is no dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A symbolic link to a place outside.
    #[error("it is a symbolic link that leaves the data folder; copy the file into the folder")]
    LeavesFolder,
    /// A symbolic link to nothing.
    #[error("it is a symbolic link to a file that does not exist")]
    Dangling,
    /// A symbolic link to a folder.
    #[error(
        "it is, or lies behind, a symbolic link to a folder, which is not followed; \
         use the file's own path"
    )]
    LinkedFolder,
    /// A FIFO, socket or device.
    #[error("it is not a regular file")]
    Special,
    /// Its name begins with a dot.
    #[error("hidden files and folders are left out; rename it without the dot")]
    Hidden,
    /// Too many folders down.
    #[error("it lies too many folders down; point --data at a folder nearer to it")]
    Deep,
    /// Not UTF-8, or control characters.
    #[error("its name is not plain text; rename it")]
    Name,
    /// No permission, or gone meanwhile.
    #[error("it cannot be read; look at its permissions")]
    Unreadable,
    /// One file of a dataset.
    #[error(
        "it is one of the files of a dataset that lies in folders like `year=2024`; \
         ask for the dataset, by the folder above them"
    )]
    Part,
    /// Another kind of file.
    #[error("its ending is none of {}", super::folder::ENDINGS)]
    Format,
}

fn within(column: Option<&str>) -> String {
    column.map_or_else(String::new, |column| format!(", {column}"))
}

fn listed(names: &[String]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}
