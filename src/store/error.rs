//! What can go wrong in the store, in words a model and a person can act on.

use std::io;

use super::identity::DataRef;
use crate::audience::{NextStep, Told};

/// The store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such artifact for this owner. Whether it never was, has
    /// expired or is somebody else's is not said.
    #[error("unknown or expired dataRef {0}")]
    Unknown(DataRef),

    /// The table is over the limit for one artifact.
    #[error(
        "this table is larger than one artifact may be ({limit} bytes, compressed): keep fewer rows or columns, or aggregate first"
    )]
    ArtifactTooLarge {
        /// The limit.
        limit: u64,
    },

    /// The owner's artifacts together are over the limit.
    #[error(
        "your artifacts take {used} of {limit} bytes and this one does not fit: keep fewer rows or columns, or wait until older ones expire"
    )]
    OwnerFull {
        /// What the owner's artifacts take.
        used: u64,
        /// The limit.
        limit: u64,
    },

    /// A column of a type that Parquet has no place for.
    #[error(
        "column {column:?} has the type {data_type}, which cannot be stored ({cause}): convert the column first"
    )]
    ColumnType {
        /// The column.
        column: String,
        /// Its Arrow type.
        data_type: String,
        /// What the Parquet writer said.
        cause: String,
    },

    /// Rows without columns: Parquet counts rows by their values.
    #[error(
        "a table without columns cannot keep its {rows} rows: add a column, for instance with reset_index()"
    )]
    NoColumns {
        /// How many rows.
        rows: usize,
    },

    /// Two columns of one name.
    #[error("two columns are named {0:?}: give every column its own name")]
    DuplicateColumn(String),

    /// A batch that is not of the schema the artifact was created with.
    #[error("the batch does not have the columns the artifact was created with: {0}")]
    WrongBatch(String),

    /// No space is left.
    #[error("the disk of the data room is full: free some space, then try again")]
    DiskFull,

    /// The folder may not be written.
    #[error(
        "the data room's folder cannot be written ({0}): check its permissions, or choose another with --home"
    )]
    NotWritable(String),

    /// Anything else the system said.
    #[error("the store could not {action}: {cause}")]
    Io {
        /// What it was doing.
        action: &'static str,
        /// What the system said.
        cause: String,
    },

    /// The Parquet or Arrow libraries refused.
    #[error("the table could not be written as Parquet: {0}")]
    Parquet(String),
}

impl Told for StoreError {
    fn next_step(&self) -> Option<NextStep> {
        matches!(self, Self::Unknown(_)).then_some(NextStep::MakeAgain)
    }
}

impl StoreError {
    /// Names what the system refused.
    pub(super) fn io(action: &'static str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::NotWritable(error.to_string())
            }
            _ => Self::Io { action, cause: error.to_string() },
        }
    }
}

/// For `map_err`.
pub(super) fn io_error(action: &'static str) -> impl Fn(io::Error) -> StoreError {
    move |error| StoreError::io(action, &error)
}
