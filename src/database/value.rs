//! One value that is bound to a placeholder: a literal of a filter, or an argument of a
//! declared tool. Never written into a statement's text.

use serde::Serialize;

/// A value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Value {
    /// Nothing.
    Null,
    /// A truth.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A binary float.
    Float(f64),
    /// An exact number: `unscaled` × 10^-`scale`.
    Decimal {
        /// Its digits.
        unscaled: i128,
        /// How many of them are behind the point.
        scale: i8,
    },
    /// A text.
    Text(String),
    /// Days since 1970-01-01.
    Date(i32),
    /// Microseconds since 1970-01-01 00:00.
    Timestamp {
        /// How many.
        micros: i64,
        /// Whether they are UTC, or of a calendar without a zone.
        utc: bool,
    },
    /// A UUID.
    Uuid([u8; 16]),
}

/// What a [`Value`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// See [`Value::Bool`].
    Bool,
    /// See [`Value::Integer`].
    Integer,
    /// See [`Value::Float`].
    Float,
    /// See [`Value::Decimal`].
    Decimal,
    /// See [`Value::Text`].
    Text,
    /// See [`Value::Date`].
    Date,
    /// See [`Value::Timestamp`].
    Timestamp,
    /// See [`Value::Uuid`].
    Uuid,
}
