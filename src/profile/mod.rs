//! What a table's columns hold, in a few numbers: the answer to "describe".
//!
//! One streaming pass over each of the asked columns, in bounded memory, some columns at a
//! time. Numbers are right or marked: whole numbers and decimals are summed exactly, floats
//! with compensation; distinct values and quartiles are exact as far as that is cheap
//! ([`counts`]), which `exact` says. A value that is not a number (NaN) is no missing
//! value: it is left out of the statistics, and a note says how many there are.
//!
//! Beside the numbers: which columns could be a key, gaps in time ([`gaps`](mod@gaps)), units
//! and currencies with their evidence ([`unit`](mod@unit)), and what nobody should be shown
//! ([`sensitive`]). What was described once is kept by its content ([`kept`]).
//!
//! This module does not decide who may see a minimum: the policy does, with
//! [`ColumnProfile::without_values`].

mod column;
mod counts;
mod distinct;
mod finish;
mod floats;
mod gaps;
mod kept;
mod sensitive;
mod show;
mod texts;
mod unit;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arrow::error::ArrowError;
use dataroom_sandbox::columns::{Budget, ReadError, Use, viewed};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::column::Column;
use self::unit::{Says, tellers_of, unit};
use crate::audience::{NextStep, Told};
use crate::nearest::{hint, nearest};
use crate::table::{Table, TableError};
use crate::type_name::type_name;

pub use self::gaps::{Beat, Gaps};
pub use self::kept::Kept;
pub(crate) use self::sensitive::forms;
pub use self::sensitive::{Kind, Sensitive, SensitiveColumns, sensitive_columns, sensitive_kind};
pub use self::unit::UnitFound;

/// Host memory that the batches of all columns may take while they are looked at.
const BATCH_MEMORY: u64 = 2 << 30;
/// Columns that are looked at together: each may keep its numbers for their quartiles.
const TOGETHER: usize = 4;

/// A table, described.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Rows in all.
    pub rows: u64,
    /// In the order asked, or the table's.
    pub columns: Vec<ColumnProfile>,
    /// What a reader of the numbers should know.
    pub notes: Vec<String>,
}

impl Profile {
    /// Adds what is known of columns that are not judged alone: by values within them, or by
    /// what they were made of.
    pub fn know(&mut self, sensitive: &SensitiveColumns, by_values: bool) {
        for column in self.columns.iter_mut().filter(|column| column.sensitive.is_none()) {
            let kind = sensitive.get(&column.name);
            column.sensitive =
                kind.map(|kind| Sensitive { kind: *kind, by_values, by_name: false });
        }
    }
}

/// A column, described.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnProfile {
    /// Its name.
    pub name: String,
    /// As [`type_name`] has it.
    pub data_type: String,
    /// Missing values as a part of all rows, 0 to 1; 0 for no rows.
    #[serde(skip)]
    pub null_share: f64,
    /// Missing values.
    pub nulls: u64,
    /// Different values, missing and NaN not counted. `None` for types that have no equality here.
    pub distinct: Option<Distinct>,
    /// Whether each row has another value, and none is missing.
    pub is_key: bool,
    /// The least value of a number, date, time or text. Decimals, dates, times and texts are texts.
    #[serde(with = "kept::exactly")]
    pub min: Option<Value>,
    /// The greatest.
    #[serde(with = "kept::exactly")]
    pub max: Option<Value>,
    /// The mean of a number.
    #[serde(with = "kept::float")]
    pub mean: Option<f64>,
    /// The quartiles of a number.
    pub quartiles: Option<Quartiles>,
    /// The most frequent values with their counts, if there are few different ones.
    pub top: Vec<(Value, u64)>,
    /// Days without rows.
    pub gaps: Option<Gaps>,
    /// What its numbers are of.
    pub unit: Option<UnitFound>,
    /// What nobody should be shown.
    pub sensitive: Option<Sensitive>,
    /// What a reader of its numbers should know.
    pub notes: Vec<String>,
}

/// The value below which a quarter, a half and three quarters of the values lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quartiles {
    /// As pandas has them: between two values, a part of the way.
    pub values: [f64; 3],
    /// Whether of all values; else of every second, fourth, …
    pub exact: bool,
}

impl Serialize for Quartiles {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (self.values.map(f64::to_bits), self.exact).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Quartiles {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (bits, exact) = <([u64; 3], bool)>::deserialize(from)?;
        Ok(Self { values: bits.map(f64::from_bits), exact })
    }
}

/// How many different values there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Distinct {
    /// The number.
    pub count: u64,
    /// Whether it is counted, or estimated (within 1 % as a rule).
    pub exact: bool,
}

impl ColumnProfile {
    /// The same without anything that is a cell's value: no minimum, no maximum, none of the
    /// frequent ones, and no mean of what is (or may be) a single value.
    #[must_use]
    pub fn without_values(mut self) -> Self {
        self.min = None;
        self.max = None;
        self.top.clear();
        self.quartiles = None;
        self.gaps = None;
        if self.distinct.is_none_or(|d| d.count < 2) {
            self.mean = None;
        }
        if let Some(unit) = self.unit.as_mut().filter(|unit| unit.of_cells) {
            unit.units.clear();
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

/// Describes the columns named (all, if `None`). What `kept` has of the content is taken
/// from there, and what is made is kept in it.
///
/// # Errors
/// An unknown column, an unreadable file, or `stop` said true.
pub fn describe(
    table: &Table,
    columns: Option<&[String]>,
    kept: Option<(&Kept, &str)>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Profile, ProfileError> {
    let asked = asked(table, columns)?;
    let mut entry = kept.map(|(kept, hash)| kept.get(hash, table)).unwrap_or_default();
    let missing: BTreeSet<usize> =
        asked.iter().copied().filter(|at| !entry.0.contains_key(at)).collect();
    if !missing.is_empty() {
        entry.0.extend(made(table, &missing, stop)?);
        if let Some((kept, hash)) = kept {
            kept.put(hash, table, &entry);
        }
    }
    let rows = table.rows();
    // Notes come in the table's order, whatever the order asked.
    let mut places = asked.clone();
    places.sort_unstable();
    let notes = places.iter().filter_map(|at| entry.0.get(at)).flat_map(|c| c.notes.clone());
    let notes = notes.collect();
    let columns = asked.iter().filter_map(|at| entry.0.get(at).cloned());
    #[allow(clippy::cast_precision_loss, reason = "the share is a float")]
    let shared = |mut column: ColumnProfile| {
        column.null_share = if rows == 0 { 0.0 } else { column.nulls as f64 / rows as f64 };
        column
    };
    Ok(Profile { rows, columns: columns.map(shared).collect(), notes })
}

/// Looks at columns, and at those that say their units.
fn made(
    table: &Table,
    missing: &BTreeSet<usize>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<BTreeMap<usize, ColumnProfile>, ProfileError> {
    let fields: Vec<_> = table.schema().fields().iter().map(AsRef::as_ref).collect();
    let tellers = tellers_of(&fields);
    let mut read = missing.clone();
    let needed = tellers.iter().filter(|teller| teller.tells.iter().any(|at| missing.contains(at)));
    read.extend(needed.map(|teller| teller.column));
    let mut looked = look_at(table, &read.into_iter().collect::<Vec<_>>(), stop)?;
    let says: BTreeMap<usize, Says> =
        looked.iter_mut().map(|(at, (_, says))| (*at, std::mem::take(says))).collect();
    for (at, (profile, _)) in &mut looked {
        profile.unit = unit(*at, fields[*at], &tellers, &says, &fields);
    }
    Ok(looked.into_iter().map(|(at, (profile, _))| (at, profile)).collect())
}

type Looked = BTreeMap<usize, (ColumnProfile, Says)>;
type LookedAt = Result<(ColumnProfile, Says), ProfileError>;

/// Looks at columns, as many at once as there are processors for.
fn look_at(
    table: &Table,
    places: &[usize],
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Looked, ProfileError> {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = cores.min(TOGETHER).min(places.len()).max(1);
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let found: Mutex<Vec<(usize, LookedAt)>> = Mutex::default();
    let work = || {
        let over = || stop() || failed.load(Ordering::Relaxed);
        while let Some(at) = places.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
            let looked = look(table, at, BATCH_MEMORY / threads as u64, &over);
            failed.fetch_or(looked.is_err(), Ordering::Relaxed);
            found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((at, looked));
        }
    };
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let mut found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    // What failed first made the others stop.
    found.sort_by_key(|(at, looked)| (matches!(looked, Err(ProfileError::Stopped)), *at));
    found.into_iter().map(|(at, looked)| Ok((at, looked?))).collect()
}

fn look(
    table: &Table,
    at: usize,
    memory: u64,
    stop: &dyn Fn() -> bool,
) -> Result<(ColumnProfile, Says), ProfileError> {
    let own = &table.schema().fields()[at];
    let field = viewed(own);
    let parquet = table.columns();
    let budget = Budget::new(memory);
    let go_on = || !stop();
    let mut state = Column::new(field.name(), field.data_type());
    let looked =
        parquet.batches(at, Use::Look, &budget, &go_on).map_err(Halt::from).and_then(|batches| {
            batches.each(&mut budget.charge(), |array| Ok(state.add(&array, stop)?))
        });
    looked.map_err(|halt| halt.of(field.name()))?;
    let says = state.says();
    Ok((state.finish(type_name(own.data_type()), table.rows()), says))
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

impl From<Halt> for TableError {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Read(error) => error.into(),
            Halt::Values(error) => Self(error.into()),
        }
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
