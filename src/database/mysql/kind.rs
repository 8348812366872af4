//! Types of MySQL and MariaDB, and what they are here.
//!
//! A type is known twice: from the catalog (`information_schema`), before anything is read,
//! and from what the server says of a statement's columns. Either is read into a [`Kind`],
//! and a scan is refused as changed when the two differ.
//!
//! Decisions, each so that no value can become another one:
//! - `tinyint(1)` stays a number (int8): `bool` is only another word for it, and it may hold 2;
//! - `bit(n)` is the number that its bits are (uint64);
//! - `decimal(p, s)` stays exact, in 128 bits up to 38 digits, else in 256;
//! - `timestamp` is UTC, as the session's zone is; `datetime` has no zone;
//! - `time` is a time of day; one below zero or over 24 hours is a duration, and an error;
//! - `enum`, `set`, `json`, `uuid`, `inet4` and `inet6` are their texts;
//! - geometry and vectors are not read.

use arrow::datatypes::{DataType, TimeUnit};
use mysql_async::Column;
use mysql_async::consts::{ColumnFlags, ColumnType};

/// What a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float32,
    Float64,
    /// Digits, and how many of them are behind the point.
    Decimal(u8, i8),
    Date,
    /// Of a calendar without a zone.
    DateTime,
    /// UTC.
    Timestamp,
    Time,
    Year,
    Bit,
    Text,
    Binary,
}

/// Digits that fit into 128 bits.
const DIGITS_128: u8 = 38;
/// The most digits that a decimal of the server's has.
const DIGITS: u8 = 65;

impl Kind {
    /// The type here.
    pub(super) fn data_type(self) -> DataType {
        match self {
            Self::Int8 => DataType::Int8,
            Self::Int16 | Self::Year => DataType::Int16,
            Self::Int32 => DataType::Int32,
            Self::Int64 => DataType::Int64,
            Self::UInt8 => DataType::UInt8,
            Self::UInt16 => DataType::UInt16,
            Self::UInt32 => DataType::UInt32,
            Self::UInt64 | Self::Bit => DataType::UInt64,
            Self::Float32 => DataType::Float32,
            Self::Float64 => DataType::Float64,
            Self::Decimal(digits, scale) if digits <= DIGITS_128 => {
                DataType::Decimal128(digits, scale)
            }
            Self::Decimal(digits, scale) => DataType::Decimal256(digits, scale),
            Self::Date => DataType::Date32,
            Self::DateTime => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Self::Time => DataType::Time64(TimeUnit::Microsecond),
            Self::Text => DataType::Utf8,
            Self::Binary => DataType::Binary,
        }
    }

    /// Whether it is a whole number that the server compares as one.
    pub(super) fn is_integer(self) -> bool {
        matches!(
            self,
            Self::Int8
                | Self::Int16
                | Self::Int32
                | Self::Int64
                | Self::UInt8
                | Self::UInt16
                | Self::UInt32
                | Self::UInt64
        )
    }

    /// Of a statement's column.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(super) fn of_result(column: &Column) -> Result<Self, String> {
        let unsigned = column.flags().contains(ColumnFlags::UNSIGNED_FLAG);
        let kind = match column.column_type() {
            ColumnType::MYSQL_TYPE_TINY => pick(unsigned, Self::UInt8, Self::Int8),
            ColumnType::MYSQL_TYPE_SHORT => pick(unsigned, Self::UInt16, Self::Int16),
            ColumnType::MYSQL_TYPE_INT24 | ColumnType::MYSQL_TYPE_LONG => {
                pick(unsigned, Self::UInt32, Self::Int32)
            }
            ColumnType::MYSQL_TYPE_LONGLONG => pick(unsigned, Self::UInt64, Self::Int64),
            ColumnType::MYSQL_TYPE_YEAR => Self::Year,
            ColumnType::MYSQL_TYPE_FLOAT => Self::Float32,
            ColumnType::MYSQL_TYPE_DOUBLE => Self::Float64,
            ColumnType::MYSQL_TYPE_DECIMAL | ColumnType::MYSQL_TYPE_NEWDECIMAL => {
                decimal_of_length(column.column_length(), column.decimals(), unsigned)?
            }
            ColumnType::MYSQL_TYPE_DATE | ColumnType::MYSQL_TYPE_NEWDATE => Self::Date,
            ColumnType::MYSQL_TYPE_DATETIME | ColumnType::MYSQL_TYPE_DATETIME2 => Self::DateTime,
            ColumnType::MYSQL_TYPE_TIMESTAMP | ColumnType::MYSQL_TYPE_TIMESTAMP2 => Self::Timestamp,
            ColumnType::MYSQL_TYPE_TIME | ColumnType::MYSQL_TYPE_TIME2 => Self::Time,
            ColumnType::MYSQL_TYPE_BIT => Self::Bit,
            ColumnType::MYSQL_TYPE_JSON
            | ColumnType::MYSQL_TYPE_ENUM
            | ColumnType::MYSQL_TYPE_SET
            | ColumnType::MYSQL_TYPE_NULL => Self::Text,
            ColumnType::MYSQL_TYPE_STRING
            | ColumnType::MYSQL_TYPE_VAR_STRING
            | ColumnType::MYSQL_TYPE_VARCHAR
            | ColumnType::MYSQL_TYPE_TINY_BLOB
            | ColumnType::MYSQL_TYPE_MEDIUM_BLOB
            | ColumnType::MYSQL_TYPE_LONG_BLOB
            | ColumnType::MYSQL_TYPE_BLOB => {
                pick(column.character_set() == BINARY_CHARSET, Self::Binary, Self::Text)
            }
            ColumnType::MYSQL_TYPE_GEOMETRY => return Err("geometry is not read".to_owned()),
            other => return Err(format!("the server's type {other:?} is not read")),
        };
        Ok(kind)
    }

    /// Of a column in `information_schema.columns`: its `data_type`, `column_type`,
    /// `numeric_precision` and `numeric_scale`.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(super) fn of_catalog(
        data_type: &str,
        column_type: &str,
        digits: Option<u64>,
        scale: Option<u64>,
    ) -> Result<Self, String> {
        let column_type = column_type.to_ascii_lowercase();
        // MariaDB's ZEROFILL implies it, and says it.
        let unsigned = column_type.split(' ').any(|word| word == "unsigned");
        let kind = match data_type.to_ascii_lowercase().as_str() {
            "tinyint" => pick(unsigned, Self::UInt8, Self::Int8),
            "smallint" => pick(unsigned, Self::UInt16, Self::Int16),
            "mediumint" | "int" => pick(unsigned, Self::UInt32, Self::Int32),
            "bigint" => pick(unsigned, Self::UInt64, Self::Int64),
            "decimal" => {
                let digits = digits.and_then(|digits| u8::try_from(digits).ok());
                let scale = scale.and_then(|scale| i8::try_from(scale).ok());
                let (Some(digits), Some(scale)) = (digits, scale) else {
                    return Err("a decimal whose digits the server does not tell".to_owned());
                };
                Self::Decimal(digits, scale)
            }
            "float" => Self::Float32,
            "double" => Self::Float64,
            "date" => Self::Date,
            "datetime" => Self::DateTime,
            "timestamp" => Self::Timestamp,
            "time" => Self::Time,
            "year" => Self::Year,
            "bit" => Self::Bit,
            "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" | "enum"
            | "set" | "json" | "uuid" | "inet4" | "inet6" => Self::Text,
            "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => {
                Self::Binary
            }
            _ => {
                return Err(format!(
                    "{column_type} is not read; a view can give it as text or as numbers"
                ));
            }
        };
        Ok(kind)
    }
}

/// The number of the character set that stands for bytes.
const BINARY_CHARSET: u16 = 63;

fn pick(first: bool, yes: Kind, no: Kind) -> Kind {
    if first { yes } else { no }
}

/// A result's decimal: the server tells how wide its text can be, which is its digits and a
/// place each for the point and the sign.
fn decimal_of_length(length: u32, scale: u8, unsigned: bool) -> Result<Kind, String> {
    let marks = u32::from(scale > 0) + u32::from(!unsigned);
    let digits = length.saturating_sub(marks).clamp(1, u32::from(DIGITS));
    let (Ok(digits), Ok(scale)) = (u8::try_from(digits), i8::try_from(scale)) else {
        return Err("a decimal whose digits the server does not tell".to_owned());
    };
    // `SELECT 0.5` has one digit before the point that its length does not count.
    Ok(Kind::Decimal(digits.max(scale.unsigned_abs()), scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalog_and_a_result_say_the_same() {
        for (data_type, column_type, digits, scale, result) in [
            ("tinyint", "tinyint(1)", Some(3), Some(0), (ColumnType::MYSQL_TYPE_TINY, 1, 0, false)),
            (
                "bigint",
                "bigint(20) unsigned",
                Some(20),
                Some(0),
                (ColumnType::MYSQL_TYPE_LONGLONG, 20, 0, true),
            ),
            (
                "decimal",
                "decimal(10,2)",
                Some(10),
                Some(2),
                (ColumnType::MYSQL_TYPE_NEWDECIMAL, 12, 2, false),
            ),
            (
                "decimal",
                "decimal(65,0)",
                Some(65),
                Some(0),
                (ColumnType::MYSQL_TYPE_NEWDECIMAL, 66, 0, false),
            ),
            (
                "decimal",
                "decimal(5,5) unsigned",
                Some(5),
                Some(5),
                (ColumnType::MYSQL_TYPE_NEWDECIMAL, 6, 5, true),
            ),
        ] {
            let (column_kind, length, decimals, unsigned) = result;
            let mut column =
                Column::new(column_kind).with_column_length(length).with_decimals(decimals);
            if unsigned {
                column = column.with_flags(ColumnFlags::UNSIGNED_FLAG);
            }
            let catalog = Kind::of_catalog(data_type, column_type, digits, scale).unwrap();
            assert_eq!(Kind::of_result(&column).unwrap(), catalog, "{column_type}");
        }
    }

    #[test]
    fn what_is_not_read_is_said_by_name() {
        let error = Kind::of_catalog("point", "point", None, None).unwrap_err();
        assert!(error.contains("point"), "{error}");
        assert!(Kind::of_result(&Column::new(ColumnType::MYSQL_TYPE_GEOMETRY)).is_err());
    }
}
