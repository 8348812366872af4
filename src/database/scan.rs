//! What is asked of one table: columns, a condition, a limit.
//!
//! A condition that goes to the server may let more rows pass than was asked for, and never
//! fewer: the room's own engine looks at each row again. So a driver leaves a part out when
//! it is not certain that the server compares as the engine does or passes more (texts
//! under a collation, for one), and no part is translated that it does not know.

use std::fmt;

use super::{TableName, Value};

/// One statement on one table.
#[derive(Debug, Clone, PartialEq)]
pub struct Scan {
    /// The table.
    pub table: TableName,
    /// The columns wanted, in this order. None: only the number of rows matters.
    pub columns: Vec<String>,
    /// Which rows; all if `None`.
    pub filter: Option<Predicate>,
    /// At most so many. Only given when `filter` passes exactly what was asked for, or is
    /// `None`, and each of its parts is one that the driver says it applies exactly.
    pub limit: Option<u64>,
}

/// A condition on one row.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// `column op value`.
    Compare {
        /// The column.
        column: String,
        /// How.
        comparison: Comparison,
        /// With what; never [`Value::Null`].
        value: Value,
    },
    /// `column IN (values)`.
    In {
        /// The column.
        column: String,
        /// At least one; none is [`Value::Null`].
        values: Vec<Value>,
    },
    /// `column IS NULL`, or `IS NOT NULL`.
    Null {
        /// The column.
        column: String,
        /// Whether it is.
        is: bool,
    },
    /// All of these.
    And(Vec<Predicate>),
    /// One of these.
    Or(Vec<Predicate>),
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// As a record has it: in general words, a value of a condition being `?`.
impl fmt::Display for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = match self.columns.is_empty() {
            true => "nothing".to_owned(),
            false => self.columns.join(", "),
        };
        write!(f, "SELECT {columns} FROM {}", self.table)?;
        if let Some(filter) = &self.filter {
            write!(f, " WHERE {filter}")?;
        }
        match self.limit {
            Some(limit) => write!(f, " LIMIT {limit}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = |f: &mut fmt::Formatter<'_>, parts: &[Self], between: &str| {
            let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
            write!(f, "({})", parts.join(between))
        };
        match self {
            Self::Compare { column, comparison, .. } => write!(f, "{column} {comparison} ?"),
            Self::In { column, values } => {
                write!(f, "{column} IN ({})", vec!["?"; values.len()].join(", "))
            }
            Self::Null { column, is: true } => write!(f, "{column} IS NULL"),
            Self::Null { column, is: false } => write!(f, "{column} IS NOT NULL"),
            Self::And(parts) => all(f, parts, " AND "),
            Self::Or(parts) => all(f, parts, " OR "),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::NotEqual => "<>",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        })
    }
}
