//! Units and currencies: what a number is a number of.
//!
//! A table seldom says it in its schema. It says it in a column's name (`price_eur`,
//! `weight_kg`, "Цена, ₽"), in the values themselves (`€ 12.50`), or in a column beside
//! (`amount` with `currency`). Each of these is read here, with the evidence in words, so
//! that whoever is told a unit can judge it.
//!
//! ```text
//!   words     a name, as words
//!   currency  the codes of ISO 4217, their signs and their names
//!   measure   kg, lb, km, mi, %, °C, hours …
//!   column    the unit that a name claims; which column says the unit of which
//!   value     the unit that a cell names: a code, or a sign beside a number
//! ```
//!
//! Pure functions of names and texts. In doubt nothing is claimed: `total_all` is no sum of
//! Albanian lek and `team_g` has no grams. Two units [clash](Unit::clashes) if no number of
//! one can be added to or compared with a number of the other as it stands.

mod column;
mod currency;
mod measure;
mod value;
mod words;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use self::column::{
    Claim, Evidence, Teller, TellerKind, claim, converts, is_money, is_teller, tellers,
    unit_of_column,
};
pub use self::currency::Currency;
pub use self::measure::{Dimension, Measure};
pub use self::value::{Reading, code, sign};
pub use self::words::words;

/// The key under which a column's field has the unit that the number formats of its cells name.
pub const UNIT: &str = "dataroom.unit";

/// What a number is a number of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Unit {
    /// Money, of a currency or of one that is not told.
    Money {
        /// Which.
        currency: Option<Currency>,
        /// Whether it counts cents (or what the currency has for them).
        minor: bool,
    },
    /// Anything else that is measured.
    Measure(Measure),
}

impl Unit {
    /// Whole units of a currency.
    #[must_use]
    pub fn money(currency: Currency) -> Self {
        Self::Money { currency: Some(currency), minor: false }
    }

    /// Whether numbers of the two cannot be added or compared as they are.
    #[must_use]
    pub fn clashes(self, other: Self) -> bool {
        match (self, other) {
            (
                Self::Money { currency: one, minor },
                Self::Money { currency: two, minor: other_minor },
            ) => minor != other_minor || matches!((one, two), (Some(one), Some(two)) if one != two),
            // Money whose currency nobody names is only known by a word such as "total".
            (Self::Money { currency: None, minor: false }, Self::Measure(_))
            | (Self::Measure(_), Self::Money { currency: None, minor: false }) => false,
            (one, two) => one != two,
        }
    }

    /// The one of two units, neither of which clashes with the other, that says more.
    #[must_use]
    pub fn narrower(self, other: Self) -> Self {
        match (self, other) {
            (Self::Money { currency: None, minor: false }, _) => other,
            (Self::Money { currency: None, .. }, Self::Money { .. }) => other,
            _ => self,
        }
    }

    /// What a number of this is multiplied by to be one of the other, if that is the same
    /// every day.
    #[must_use]
    pub fn factor_to(self, other: Self) -> Option<f64> {
        match (self, other) {
            (
                Self::Money { currency: one, minor },
                Self::Money { currency: two, minor: other_minor },
            ) if one == two || one.is_none() || two.is_none() => Some(match (minor, other_minor) {
                (true, false) => 0.01,
                (false, true) => 100.0,
                _ => 1.0,
            }),
            (Self::Measure(one), Self::Measure(two)) if one.dimension() == two.dimension() => {
                let factor = one.in_base()? / two.in_base()?;
                // Twelve digits, so that a quotient of decimals is as it is written.
                format!("{factor:.12}").parse().ok()
            }
            _ => None,
        }
    }

    /// Whether it says more than "some money".
    #[must_use]
    pub fn is_told(self) -> bool {
        self != Self::Money { currency: None, minor: false }
    }

    /// Whether it is a sum of money.
    #[must_use]
    pub fn is_money(self) -> bool {
        matches!(self, Self::Money { .. })
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Money { currency: Some(currency), minor: false } => currency.fmt(f),
            Self::Money { currency: Some(currency), minor: true } => write!(f, "{currency} cents"),
            Self::Money { currency: None, minor: true } => f.write_str("cents"),
            Self::Money { currency: None, minor: false } => f.write_str("money"),
            Self::Measure(measure) => f.write_str(measure.symbol()),
        }
    }
}

/// A text that names no unit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no unit")]
pub struct NoUnit(String);

impl FromStr for Unit {
    type Err = NoUnit;

    /// Reads what `Display` writes.
    fn from_str(text: &str) -> Result<Self, NoUnit> {
        let (currency, minor) = match text {
            "money" => return Ok(Self::Money { currency: None, minor: false }),
            "cents" => return Ok(Self::Money { currency: None, minor: true }),
            _ => match text.strip_suffix(" cents") {
                Some(currency) => (currency, true),
                None => (text, false),
            },
        };
        if let Some(currency) = Currency::of_code(currency) {
            return Ok(Self::Money { currency: Some(currency), minor });
        }
        let measure = Measure::ALL.iter().copied().find(|measure| measure.symbol() == text);
        measure.map(Self::Measure).ok_or_else(|| NoUnit(text.to_owned()))
    }
}

impl From<Unit> for String {
    fn from(unit: Unit) -> Self {
        unit.to_string()
    }
}

impl TryFrom<String> for Unit {
    type Error = NoUnit;

    fn try_from(text: String) -> Result<Self, NoUnit> {
        text.parse()
    }
}

/// Whether two units, by the texts that [`Reading::key`] gives, cannot be added. A text that
/// names no unit is one of its own.
#[must_use]
pub fn clash(one: &str, other: &str) -> bool {
    match (one.parse::<Unit>(), other.parse::<Unit>()) {
        (Ok(one), Ok(other)) => one.clashes(other),
        _ => one != other,
    }
}

#[cfg(test)]
mod tests;
