//! From a type of PostgreSQL's to a column here: exactly, as text, or not at all.
//!
//! | PostgreSQL | here |
//! |---|---|
//! | `boolean`, `smallint`, `integer`, `bigint`, `real`, `double precision` | the same |
//! | `oid` | `int64` |
//! | `numeric(p, s)` up to 76 digits | a decimal of that scale |
//! | `numeric` | a decimal of the scale that its values have; see [`Kind::Numeric`] |
//! | `text`, `varchar`, `char`, `name`, `"char"`, `json`, `jsonb`, `xml`, `uuid`, enums | text |
//! | `bytea` | binary |
//! | `date`, `time`, `timestamp`, `timestamptz` | the same, in microseconds; UTC |
//! | `interval` | text as ISO 8601 has it: months and days are no number of microseconds |
//! | arrays of these, of one dimension | list |
//! | `timetz`, `inet`, `cidr`, `macaddr`, `bit`, ranges, composites, `citext` | the server's text |
//! | domains | what they are of |
//! | `money` | not read: its digits depend on the server's locale |
//! | geometry, `tsvector`, and what else extensions bring | not read |
//!
//! What is read as the server's text is cast in our own statement on a table. A declared
//! statement has to cast it itself, and is told so.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, TimeUnit};

/// Digits that a decimal of the store can have.
const MOST_DIGITS: u16 = 76;
/// The scale that a `numeric` without one has until its values were looked at.
pub(super) const LOOSE_SCALE: i8 = 10;
/// Digits that it has then.
pub(super) const LOOSE_DIGITS: u8 = 38;

/// How a column arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int2,
    Int4,
    Int8,
    Oid,
    Float4,
    Float8,
    /// A decimal of this precision and scale; `loose` if the server knows none.
    Numeric {
        digits: u8,
        scale: i8,
        loose: bool,
    },
    Text,
    /// The type `"char"`: one byte.
    Char,
    /// A text behind one byte of version.
    Jsonb,
    Binary,
    Date,
    Time,
    Timestamp,
    TimestampTz,
    Uuid,
    Interval,
    List(Box<Kind>),
    /// What the server is asked to write as text.
    Cast,
}

/// A type as the catalog has it, of a domain its base.
#[derive(Debug, Clone)]
pub(super) struct Known<'a> {
    /// `pg_type.oid`.
    pub oid: u32,
    /// The modifier: length, precision.
    pub modifier: i32,
    /// `pg_type.typtype`: `b`ase, `e`num, `r`ange, `c`omposite…
    pub typtype: char,
    /// `pg_type.typcategory`.
    pub category: char,
    /// `pg_type.typname`.
    pub name: &'a str,
    /// Of an array: its elements' type, the `typtype` of that and its name.
    pub element: Option<(u32, char, &'a str)>,
}

/// How a type arrives, or why it cannot be read.
pub(super) fn kind(known: &Known<'_>) -> Result<Kind, String> {
    if let Some((oid, typtype, name)) = known.element.filter(|_| known.category == 'A') {
        let element =
            Known { oid, typtype, name, modifier: known.modifier, category: 'X', element: None };
        return match kind(&element)? {
            Kind::Cast => Err(format!("an array of {name} is not read; unnest it in a view")),
            inner => Ok(Kind::List(Box::new(inner))),
        };
    }
    if let Some(simple) = simple(known.oid) {
        return Ok(simple);
    }
    match known.oid {
        1700 => numeric(known.modifier),
        // timetz, inet, cidr, macaddr, macaddr8, bit, varbit
        1266 | 869 | 650 | 829 | 774 | 1560 | 1562 => Ok(Kind::Cast),
        790 => Err("money depends on the server's locale; give it as numeric in a view".to_owned()),
        _ => match (known.typtype, known.name) {
            ('e', _) => Ok(Kind::Text),
            ('r' | 'm' | 'c', _) | (_, "citext") => Ok(Kind::Cast),
            (_, name) => {
                Err(format!("{name} has no exact form here; give it as text or numbers in a view"))
            }
        },
    }
}

fn simple(oid: u32) -> Option<Kind> {
    Some(match oid {
        16 => Kind::Bool,
        21 => Kind::Int2,
        23 => Kind::Int4,
        20 => Kind::Int8,
        26 => Kind::Oid,
        700 => Kind::Float4,
        701 => Kind::Float8,
        // text, varchar, bpchar, name, unknown, json, xml
        25 | 1043 | 1042 | 19 | 705 | 114 | 142 => Kind::Text,
        18 => Kind::Char,
        3802 => Kind::Jsonb,
        17 => Kind::Binary,
        1082 => Kind::Date,
        1083 => Kind::Time,
        1114 => Kind::Timestamp,
        1184 => Kind::TimestampTz,
        2950 => Kind::Uuid,
        1186 => Kind::Interval,
        _ => return None,
    })
}

fn numeric(modifier: i32) -> Result<Kind, String> {
    let Ok(packed) = u32::try_from(modifier.wrapping_sub(4)) else {
        return Ok(Kind::Numeric { digits: LOOSE_DIGITS, scale: LOOSE_SCALE, loose: true });
    };
    let precision = i32::try_from((packed >> 16) & 0xffff).unwrap_or(i32::MAX);
    // Eleven bits with a sign.
    let scale = i32::try_from(packed & 0x7ff).map_or(0, |scale| (scale ^ 1024) - 1024);
    // A scale below nothing is zeros before the point; one above the precision, behind it.
    let (digits, scale) = match scale {
        ..0 => (precision - scale, 0),
        _ => (precision.max(scale), scale),
    };
    match (u8::try_from(digits), i8::try_from(scale)) {
        (Ok(digits), Ok(scale)) if u16::from(digits) <= MOST_DIGITS => {
            Ok(Kind::Numeric { digits: digits.max(1), scale, loose: false })
        }
        _ => Err(format!(
            "numeric({precision}, {scale}) has more than {MOST_DIGITS} digits; round it in a view"
        )),
    }
}

impl Kind {
    /// The column's type here.
    pub(super) fn data_type(&self) -> DataType {
        match self {
            Self::Bool => DataType::Boolean,
            Self::Int2 => DataType::Int16,
            Self::Int4 => DataType::Int32,
            Self::Int8 | Self::Oid => DataType::Int64,
            Self::Float4 => DataType::Float32,
            Self::Float8 => DataType::Float64,
            Self::Numeric { digits, scale, .. } if *digits <= 38 => {
                DataType::Decimal128(*digits, *scale)
            }
            Self::Numeric { digits, scale, .. } => DataType::Decimal256(*digits, *scale),
            Self::Text | Self::Char | Self::Jsonb | Self::Uuid | Self::Interval | Self::Cast => {
                DataType::Utf8
            }
            Self::Binary => DataType::Binary,
            Self::Date => DataType::Date32,
            Self::Time => DataType::Time64(TimeUnit::Microsecond),
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::TimestampTz => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Self::List(inner) => {
                DataType::List(Arc::new(Field::new("item", inner.data_type(), true)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(oid: u32, modifier: i32) -> Result<Kind, String> {
        kind(&Known { oid, modifier, typtype: 'b', category: 'X', name: "x", element: None })
    }

    fn modifier(precision: i32, scale: i32) -> i32 {
        ((precision << 16) | (scale & 0x7ff)) + 4
    }

    #[test]
    fn a_numeric_is_a_decimal_of_its_scale() {
        for (precision, scale, expected) in [
            (10, 2, Some((10, 2))),
            (38, 38, Some((38, 38))),
            (76, 10, Some((76, 10))),
            (2, -3, Some((5, 0))),
            (3, 5, Some((5, 5))),
            (77, 0, None),
            (1000, 0, None),
            (1, 1000, None),
        ] {
            let expected =
                expected.map(|(digits, scale)| Kind::Numeric { digits, scale, loose: false });
            assert_eq!(of(1700, modifier(precision, scale)).ok(), expected, "{precision} {scale}");
        }
        let loose = Kind::Numeric { digits: LOOSE_DIGITS, scale: LOOSE_SCALE, loose: true };
        assert_eq!(of(1700, -1), Ok(loose));
    }

    #[test]
    fn what_has_no_exact_form_is_refused_by_name() {
        assert!(of(790, -1).unwrap_err().contains("money"));
        assert!(of(600, -1).is_err());
    }
}
