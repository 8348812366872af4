//! What a table's columns hold, in a few numbers: the answer to "describe".
//!
//! One streaming pass over the asked columns, in bounded memory. Numbers are
//! right or marked: whole numbers and decimals are summed exactly, floats with
//! compensation; distinct values are counted exactly up to 65,536 and estimated
//! beyond, which `exact` says. A value that is not a number (NaN) is no missing
//! value: it is left out of the statistics, and a note says how many there are.
//! Everything serialises as plain JSON.
//!
//! This module does not decide who may see a minimum: the policy does, with
//! [`ColumnProfile::without_values`].

mod column;
mod distinct;
mod show;

use arrow::error::ArrowError;
use dataroom_sandbox::columns::{Budget, ReadError, Use, viewed};
use serde::Serialize;
use serde_json::Value;

use self::column::Column;
use crate::audience::{NextStep, Told};
use crate::nearest::{hint, nearest};
use crate::table::Table;
use crate::type_name::type_name;

/// Host memory that a column's batch may take while it is looked at.
const BATCH_MEMORY: u64 = 2 << 30;

/// A table, described.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    /// Rows in all.
    pub rows: u64,
    /// In the order asked, or the table's.
    pub columns: Vec<ColumnProfile>,
    /// What a reader of the numbers should know.
    pub notes: Vec<String>,
}

/// A column, described.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnProfile {
    /// Its name.
    pub name: String,
    /// As [`type_name`] has it.
    pub data_type: String,
    /// Missing values as a part of all rows, 0 to 1; 0 for no rows.
    pub null_share: f64,
    /// Missing values.
    pub nulls: u64,
    /// Different values, missing and NaN not counted. `None` for types that have no equality here.
    pub distinct: Option<Distinct>,
    /// The least value of a number, date, time or text. Decimals, dates, times and texts are texts.
    pub min: Option<Value>,
    /// The greatest.
    pub max: Option<Value>,
    /// The mean of a number.
    pub mean: Option<f64>,
}

/// How many different values there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Distinct {
    /// The number.
    pub count: u64,
    /// Whether it is counted, or estimated (within 1 % as a rule).
    pub exact: bool,
}

impl ColumnProfile {
    /// The same without anything that is a cell's value: no minimum, no maximum,
    /// and no mean of what is (or may be) a single value.
    #[must_use]
    pub fn without_values(mut self) -> Self {
        self.min = None;
        self.max = None;
        if self.distinct.is_none_or(|d| d.count < 2) {
            self.mean = None;
        }
        self
    }
}

/// A table that cannot be described.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// A column that is not there.
    #[error("there is no column `{name}`{}", hint(nearest))]
    UnknownColumn {
        /// As asked.
        name: String,
        /// What may have been meant.
        nearest: Vec<String>,
    },
    /// A column's part of the file cannot be read.
    #[error("column `{column}` cannot be read: {cause}")]
    Unreadable {
        /// Its name.
        column: String,
        /// Why.
        cause: ReadError,
    },
    /// The values of a column cannot be compared.
    #[error("column `{column}` cannot be described: {cause}")]
    Column {
        /// Its name.
        column: String,
        /// Why.
        cause: ArrowError,
    },
    /// The caller asked to stop.
    #[error("stopped before the table was described")]
    Stopped,
}

impl Told for ProfileError {
    fn next_step(&self) -> Option<NextStep> {
        match self {
            Self::UnknownColumn { .. } => Some(NextStep::SeeColumns),
            Self::Column { .. } | Self::Unreadable { .. } => Some(NextStep::OtherColumns),
            Self::Stopped => None,
        }
    }
}

/// Describes the columns named (all, if `None`).
///
/// # Errors
/// An unknown column, an unreadable file, or `stop` said true.
pub fn describe(
    table: &Table,
    columns: Option<&[String]>,
    stop: &dyn Fn() -> bool,
) -> Result<Profile, ProfileError> {
    let fields = table.schema().fields();
    let asked = asked(table, columns)?;
    // Notes come in the table's order, whatever the order asked.
    let mut read = asked.clone();
    read.sort_unstable();
    let parquet = table.columns();
    let budget = Budget::new(BATCH_MEMORY);
    let go_on = || !stop();
    let mut notes = Vec::new();
    let mut done: Vec<Option<ColumnProfile>> = Vec::new();
    for &at in &read {
        let field = viewed(&fields[at]);
        let mut state = Column::new(field.name(), field.data_type());
        let looked = parquet.batches(at, Use::Look, &budget, &go_on).map_err(Halt::from).and_then(
            |batches| batches.each(&mut budget.charge(), |array| Ok(state.add(&array, stop)?)),
        );
        looked.map_err(|halt| halt.of(field.name()))?;
        let name = type_name(fields[at].data_type());
        done.push(Some(state.finish(name, table.rows(), &mut notes)));
    }
    let columns = asked
        .iter()
        .filter_map(|at| read.binary_search(at).ok().and_then(|place| done[place].take()))
        .collect();
    Ok(Profile { rows: table.rows(), columns, notes })
}

/// Why a column was not described to its end.
#[derive(Debug)]
enum Halt {
    Read(ReadError),
    Values(ArrowError),
}

impl From<ReadError> for Halt {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl From<ArrowError> for Halt {
    fn from(error: ArrowError) -> Self {
        Self::Values(error)
    }
}

impl Halt {
    fn of(self, column: &str) -> ProfileError {
        let column = column.to_owned();
        match self {
            Self::Read(ReadError::Stopped) => ProfileError::Stopped,
            Self::Read(cause) => ProfileError::Unreadable { column, cause },
            Self::Values(cause) => ProfileError::Column { column, cause },
        }
    }
}

/// Places of the asked columns, each once. A name that several columns have means all of them.
fn asked(table: &Table, columns: Option<&[String]>) -> Result<Vec<usize>, ProfileError> {
    let fields = table.schema().fields();
    let Some(names) = columns else { return Ok((0..fields.len()).collect()) };
    let mut places: Vec<usize> = Vec::new();
    for name in names {
        let known = places.len();
        let mut found = false;
        for (at, field) in fields.iter().enumerate() {
            if field.name() == name {
                found = true;
                if !places[..known].contains(&at) {
                    places.push(at);
                }
            }
        }
        if !found {
            let known = fields.iter().map(|f| f.name().as_str());
            let nearest = nearest(name, known).into_iter().map(str::to_owned).collect();
            return Err(ProfileError::UnknownColumn { name: name.clone(), nearest });
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests;
