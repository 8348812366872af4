//! What can go wrong in a room, in words that a model and a person can act on.

use dataroom_sandbox::{BadVariableName, OpenError};

use super::chart::ChartError;
use crate::audience::{Audience, NextStep, Told};
use crate::audit::AuditError;
use crate::catalog::{CatalogError, ENDINGS};
use crate::database::DatabaseError;
use crate::gateway::{Refusal, ToolError};
use crate::nearest::hint;
use crate::policy::{Policy, Values};
use crate::present::export::{ExportError, FORMATS};
use crate::profile::ProfileError;
use crate::runtime::SetupError;
use crate::sql::{Code, SqlError};
use crate::store::StoreError;
use crate::table::TableError;

/// See the module.
#[derive(Debug, thiserror::Error)]
pub enum RoomError {
    /// A reference that this owner has no artifact for; the same words whether it
    /// never was, is no more, or is somebody else's.
    #[error("unknown or expired dataRef {0}")]
    UnknownReference(String),
    /// A path that is no data file.
    #[error("{0} is no data file: name a file that exists, with one of the endings {ENDINGS}")]
    NoFile(String),
    /// What is a path of one file and a name of another.
    #[error(
        "`{asked}` is a file here, and another one in a data folder; write `./{asked}` for the one \
         here, or `{whole}` for the one of the folder"
    )]
    TwoMeanings {
        /// What was asked for.
        asked: String,
        /// A name of the dataset that is no path.
        whole: String,
    },
    /// Columns that the table does not have.
    #[error("{data} has no column {}{}", quoted(columns), hint(nearest))]
    UnknownColumns {
        /// The table.
        data: String,
        /// What was asked for.
        columns: Vec<String>,
        /// Names that are close.
        nearest: Vec<String>,
    },
    /// A name of an input that Python would not take.
    #[error(transparent)]
    Variable(#[from] BadVariableName),
    /// A file or a chart where rows are wanted.
    #[error("{data} is a {kind} and has no rows")]
    NoTable {
        /// What was asked for.
        data: String,
        /// What it is.
        kind: &'static str,
    },
    /// A table without a format to write it in.
    #[error("{0} is a table: say in which format it is to be written: {FORMATS}")]
    NoFormat(String),
    /// A file that would have to be converted.
    #[error(
        "{data} is a {kind}, which is handed over as it is: leave the format out, or take svg or png for a chart that was drawn here"
    )]
    NoConversion {
        /// What was asked for.
        data: String,
        /// What it is.
        kind: &'static str,
    },
    /// A part of a report that is none.
    #[error("{0}")]
    BadItem(String),
    /// A part of a report that cannot be had.
    #[error("items[{at}]: {cause}")]
    Item {
        /// Its place.
        at: usize,
        /// Why.
        cause: Box<RoomError>,
    },
    /// A value in a report's text that cannot be had.
    #[error("{{{{{name}}}}}: {cause}")]
    Placeholder {
        /// As it is written.
        name: String,
        /// Why.
        cause: Box<RoomError>,
    },
    /// Rows of which some are missing.
    #[error(
        "{data} is not complete ({why}), and an export is whole: get all of its rows, or say with \
         a query which of them are wanted, and export that"
    )]
    Incomplete {
        /// What was asked for.
        data: String,
        /// What cut it.
        why: String,
    },
    /// A dataset has no history.
    #[error("{0} is a dataset: nothing computed it, so there is nothing to replay")]
    NothingToReplay(String),
    /// One input could not be had.
    #[error("input {variable}: {cause}")]
    Input {
        /// Its variable.
        variable: String,
        /// Why.
        cause: Box<RoomError>,
    },
    /// Code of a size that no person reads.
    #[error("the code has {bytes} bytes and may have {most}")]
    CodeTooLong {
        /// Its size.
        bytes: usize,
        /// The most.
        most: usize,
    },
    /// As many calls as can wait are waiting.
    #[error("busy, {running} calls are running and {waiting} are waiting")]
    Busy {
        /// Calls at work.
        running: usize,
        /// Calls in line.
        waiting: usize,
    },
    /// The call was cancelled.
    #[error("cancelled: nothing was kept")]
    Cancelled,
    /// The runtime was never fetched.
    #[error("Python is not set up on this machine yet")]
    NotSetUp,
    /// There is no image with the wheels that the room's configuration names.
    #[error("Python with this room's own wheels (`[python] extra`) is not set up yet")]
    ExtraNotSetUp,
    /// The runtime is there but does not open.
    #[error("Python cannot be started ({0})")]
    Sandbox(#[from] OpenError),
    /// The state folder cannot be used.
    #[error("{what} {} cannot be used: {cause}", path.display())]
    Folder {
        /// Which folder.
        what: &'static str,
        /// Where.
        path: std::path::PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// There is no such chart.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// What a view asked cannot be read.
    #[error("the view asked for what cannot be had: {0}")]
    Screen(String),
    /// A declared tool was refused or failed.
    #[error(transparent)]
    Tool(ToolError),
    /// A query was refused or failed.
    #[error(transparent)]
    Sql(SqlError),
    /// The catalog's.
    #[error(transparent)]
    Catalog(CatalogError),
    /// The store's.
    #[error(transparent)]
    Store(StoreError),
    /// A database was asked and could not answer.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// A statistic could not be had.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// An export could not be written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The audit cannot be written.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The runtime's cache.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl RoomError {
    /// The name of what is wrong, for the audit and for tests.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Input { cause, .. }
            | Self::Item { cause, .. }
            | Self::Placeholder { cause, .. } => cause.code(),
            Self::Sql(error) => error.code.name(),
            Self::UnknownReference(_) => "REFERENCE",
            Self::NoFile(_) | Self::TwoMeanings { .. } | Self::Catalog(_) => "DATASET",
            Self::UnknownColumns { .. } => "COLUMN",
            Self::Variable(_) | Self::BadItem(_) | Self::Screen(_) => "ARGUMENTS",
            Self::NoTable { .. } | Self::NoFormat(_) | Self::NoConversion { .. } => "FORM",
            Self::Incomplete { .. } => "INCOMPLETE",
            Self::NothingToReplay(_) => "REPLAY",
            Self::CodeTooLong { .. } => "LENGTH",
            Self::Busy { .. } => "BUSY",
            Self::Cancelled => "CANCELLED",
            Self::NotSetUp | Self::ExtraNotSetUp | Self::Sandbox(_) | Self::Setup(_) => "SETUP",
            Self::Folder { .. } => "FOLDER",
            Self::Chart(_) => "CHART",
            Self::Store(_) => "STORE",
            Self::Profile(_) | Self::Table(_) => "DATA",
            Self::Export(_) => "EXPORT",
            Self::Audit(_) => "AUDIT",
            Self::Tool(error) => error.code.name(),
            Self::Database(error) => error.cause.code(),
        }
    }

    /// What the model is told. Libraries' errors about data can quote it ("cannot
    /// cast 'Smith' to int64"), so a policy that hides values hides them. The
    /// catalog's and the store's own never do.
    #[must_use]
    pub fn shown(&self, policy: &Policy) -> String {
        match self {
            Self::Export(error) if !error.may_quote() => self.told(Audience::Model),
            Self::Profile(_) | Self::Export(_) | Self::Table(_) if policy.hides_values() => {
                "the data could not be read or written; the details are hidden by this room's \
                 policy: ask the person to try `dataroom describe` or `dataroom export` on it"
                    .to_owned()
            }
            Self::Sql(error) if policy.shown_values() != Values::Sample || error.of_sensitive => {
                error.without_values().told(Audience::Model)
            }
            Self::Input { variable, cause } => {
                format!("input {variable}: {}", cause.shown(policy))
            }
            Self::Item { at, cause } => format!("items[{at}]: {}", cause.shown(policy)),
            Self::Placeholder { name, cause } => {
                format!("{{{{{name}}}}}: {}", cause.shown(policy))
            }
            _ => self.told(Audience::Model),
        }
    }
}

impl Told for RoomError {
    fn next_step(&self) -> Option<NextStep> {
        match self {
            Self::UnknownReference(_) => Some(NextStep::MakeAgain),
            Self::UnknownColumns { .. } => Some(NextStep::SeeColumns),
            Self::Input { cause, .. }
            | Self::Item { cause, .. }
            | Self::Placeholder { cause, .. } => cause.next_step(),
            Self::CodeTooLong { .. } => Some(NextStep::PassAsInput),
            Self::NothingToReplay(_) => Some(NextStep::ListAll),
            Self::Sql(error) => error.next_step(),
            Self::NoTable { .. } => Some(NextStep::HandOver),
            Self::Busy { .. } => Some(NextStep::TryAgain),
            Self::NotSetUp => Some(NextStep::SetUp),
            Self::ExtraNotSetUp => Some(NextStep::SetUpRoom),
            Self::Sandbox(_) => Some(NextStep::Doctor),
            Self::Catalog(error) => error.next_step(),
            Self::Store(error) => error.next_step(),
            Self::Profile(error) => error.next_step(),
            Self::NoFile(_)
            | Self::TwoMeanings { .. }
            | Self::NoFormat(_)
            | Self::NoConversion { .. }
            | Self::Chart(_)
            | Self::Screen(_)
            | Self::Tool(_)
            | Self::Incomplete { .. }
            | Self::BadItem(_)
            | Self::Variable(_)
            | Self::Cancelled
            | Self::Audit(_)
            | Self::Folder { .. }
            | Self::Export(_)
            | Self::Table(_)
            | Self::Database(_)
            | Self::Setup(_) => None,
        }
    }
}

impl From<SqlError> for RoomError {
    fn from(error: SqlError) -> Self {
        match error.code {
            Code::Cancelled => Self::Cancelled,
            _ => Self::Sql(error),
        }
    }
}

impl From<ToolError> for RoomError {
    fn from(error: ToolError) -> Self {
        match error.code {
            Refusal::Cancelled => Self::Cancelled,
            _ => Self::Tool(error),
        }
    }
}

impl From<StoreError> for RoomError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unknown(reference) => Self::UnknownReference(reference.to_string()),
            other => Self::Store(other),
        }
    }
}

impl From<CatalogError> for RoomError {
    fn from(error: CatalogError) -> Self {
        match error {
            // A damaged reference is a reference, not a dataset with an odd name.
            CatalogError::Unknown { name, .. } if name.starts_with("data_") => {
                Self::UnknownReference(name)
            }
            other => Self::Catalog(other),
        }
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}
