//! A column's values as they arrive, each held against what its column is.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryBuilder, Float64Builder, Int64Builder, StringBuilder};
use rusqlite::types::ValueRef;

use super::classes::{Class, EXACT};

/// The values of one column.
#[derive(Debug)]
pub(super) enum Cells {
    Integer(Int64Builder),
    Real(Float64Builder),
    Text(StringBuilder),
    Blob(BinaryBuilder),
}

/// Why a value is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bad {
    /// It is of another type than was counted.
    Class,
    /// It is no text.
    Utf8,
}

impl Cells {
    /// None yet.
    pub(super) fn new(class: Class) -> Self {
        match class {
            Class::Integer => Self::Integer(Int64Builder::new()),
            Class::Real => Self::Real(Float64Builder::new()),
            Class::Text => Self::Text(StringBuilder::new()),
            Class::Blob => Self::Blob(BinaryBuilder::new()),
        }
    }

    /// One more.
    #[allow(clippy::cast_precision_loss, reason = "only integers that are floats come here")]
    pub(super) fn push(&mut self, value: ValueRef<'_>) -> Result<(), Bad> {
        match (self, value) {
            (Self::Integer(cells), ValueRef::Null) => cells.append_null(),
            (Self::Real(cells), ValueRef::Null) => cells.append_null(),
            (Self::Text(cells), ValueRef::Null) => cells.append_null(),
            (Self::Blob(cells), ValueRef::Null) => cells.append_null(),
            (Self::Integer(cells), ValueRef::Integer(number)) => cells.append_value(number),
            (Self::Real(cells), ValueRef::Real(number)) => cells.append_value(number),
            (Self::Real(cells), ValueRef::Integer(number))
                if (-EXACT..=EXACT).contains(&number) =>
            {
                cells.append_value(number as f64);
            }
            (Self::Text(cells), ValueRef::Text(bytes)) => {
                cells.append_value(std::str::from_utf8(bytes).map_err(|_| Bad::Utf8)?);
            }
            (Self::Blob(cells), ValueRef::Blob(bytes)) => cells.append_value(bytes),
            _ => return Err(Bad::Class),
        }
        Ok(())
    }

    /// What has arrived, as an array; none then.
    pub(super) fn take(&mut self) -> ArrayRef {
        match self {
            Self::Integer(cells) => Arc::new(cells.finish()),
            Self::Real(cells) => Arc::new(cells.finish()),
            Self::Text(cells) => Arc::new(cells.finish()),
            Self::Blob(cells) => Arc::new(cells.finish()),
        }
    }
}

/// What a value takes.
pub(super) fn size(value: ValueRef<'_>) -> u64 {
    match value {
        ValueRef::Null => 1,
        ValueRef::Integer(_) | ValueRef::Real(_) => 8,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len() as u64,
    }
}
