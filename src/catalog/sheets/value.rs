//! What a cell of a sheet holds.

use std::borrow::Cow;

use arrow::datatypes::{DataType, TimeUnit};
use chrono::{DateTime, NaiveDate};

/// Where a cell is; both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub row: u32,
    pub column: u32,
}

impl Place {
    /// As people write it: `B7`.
    pub(super) fn name(self) -> String {
        let mut letters = Vec::new();
        let mut rest = self.column + 1;
        while rest > 0 {
            letters.push(char::from(b'A' + u8::try_from((rest - 1) % 26).unwrap_or(0)));
            rest = (rest - 1) / 26;
        }
        format!("{}{}", letters.iter().rev().collect::<String>(), self.row + 1)
    }
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell<'a> {
    Text(Cow<'a, str>),
    Number(f64),
    Bool(bool),
    /// Microseconds since 1970-01-01T00:00.
    Moment(i64),
    /// Microseconds since midnight.
    Time(i64),
    /// Microseconds.
    Duration(i64),
    /// What a formula could not compute, in its own word, which is none of the values.
    Error(&'static str),
    /// A formula whose value the file does not have.
    Uncomputed,
}

/// What kinds of cells a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Bool,
    Moment,
    Time,
    Duration,
}

pub(super) const KINDS: [Kind; 6] =
    [Kind::Text, Kind::Number, Kind::Bool, Kind::Moment, Kind::Time, Kind::Duration];

impl Kind {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Text => "texts",
            Self::Number => "numbers",
            Self::Bool => "truths",
            Self::Moment => "dates",
            Self::Time => "times",
            Self::Duration => "durations",
        }
    }
}

const DAY: i64 = 86_400_000_000;
/// Beyond it, a float may have been another whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Cell<'_> {
    /// On its own.
    pub(super) fn to_owned(&self) -> Cell<'static> {
        match self {
            Self::Text(text) => Cell::Text(text.clone().into_owned().into()),
            Self::Number(value) => Cell::Number(*value),
            Self::Bool(value) => Cell::Bool(*value),
            Self::Moment(micros) => Cell::Moment(*micros),
            Self::Time(micros) => Cell::Time(*micros),
            Self::Duration(micros) => Cell::Duration(*micros),
            Self::Error(word) => Cell::Error(word),
            Self::Uncomputed => Cell::Uncomputed,
        }
    }

    /// `None` for an error and for what was not computed.
    pub(super) fn kind(&self) -> Option<Kind> {
        Some(match self {
            Self::Text(_) => Kind::Text,
            Self::Number(_) => Kind::Number,
            Self::Bool(_) => Kind::Bool,
            Self::Moment(_) => Kind::Moment,
            Self::Time(_) => Kind::Time,
            Self::Duration(_) => Kind::Duration,
            Self::Error(_) | Self::Uncomputed => return None,
        })
    }

    /// The number, if an integer holds it exactly.
    pub(super) fn whole(&self) -> Option<i64> {
        match self {
            #[allow(clippy::cast_possible_truncation, reason = "looked at before")]
            Self::Number(value) if value.fract() == 0.0 && value.abs() <= EXACT => {
                Some(*value as i64)
            }
            _ => None,
        }
    }

    /// The days since 1970, if it is a day without a time.
    pub(super) fn day(&self) -> Option<i32> {
        match self {
            Self::Moment(micros) if micros % DAY == 0 => i32::try_from(micros / DAY).ok(),
            _ => None,
        }
    }

    /// As a text, for a column that is not all of one kind.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Number(value) => match self.whole() {
                Some(whole) => whole.to_string().into(),
                None => value.to_string().into(),
            },
            Self::Bool(value) => if *value { "TRUE" } else { "FALSE" }.into(),
            Self::Moment(micros) => {
                let form = if self.day().is_some() { "%Y-%m-%d" } else { "%Y-%m-%d %H:%M:%S%.f" };
                let moment = DateTime::from_timestamp_micros(*micros);
                moment.map_or_else(|| micros.to_string(), |m| m.format(form).to_string()).into()
            }
            Self::Time(micros) => {
                let moment = DateTime::from_timestamp_micros(*micros);
                moment
                    .map_or_else(|| micros.to_string(), |m| m.format("%H:%M:%S%.f").to_string())
                    .into()
            }
            Self::Duration(micros) => {
                let (seconds, rest) = (micros / 1_000_000, micros % 1_000_000);
                let fraction =
                    if rest == 0 { String::new() } else { format!(".{:06}", rest.abs()) };
                let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
                format!("{hours}:{:02}:{:02}{fraction}", minutes.abs(), seconds.abs()).into()
            }
            Self::Error(word) => (*word).into(),
            Self::Uncomputed => "".into(),
        }
    }
}

/// A day at a time, as microseconds.
pub(super) fn moment(date: NaiveDate, micros_of_day: i64) -> i64 {
    date.signed_duration_since(NaiveDate::default()).num_days() * DAY + micros_of_day
}

/// How a column is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Null,
    Text,
    Int64,
    Float64,
    Bool,
    Date,
    Moment,
    Time,
    Duration,
}

impl Type {
    pub(super) fn data_type(self) -> DataType {
        match self {
            Self::Null => DataType::Null,
            Self::Text => DataType::Utf8,
            Self::Int64 => DataType::Int64,
            Self::Float64 => DataType::Float64,
            Self::Bool => DataType::Boolean,
            Self::Date => DataType::Date32,
            Self::Moment => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Time => DataType::Time64(TimeUnit::Microsecond),
            Self::Duration => DataType::Duration(TimeUnit::Microsecond),
        }
    }
}
