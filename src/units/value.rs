//! The unit that a cell names.

use super::words::is_currency_sign;
use super::{Currency, Measure, Unit};

/// What a cell says about the unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// Nothing stands there.
    Blank,
    /// A unit.
    Unit(Unit),
    /// Something else, as it is compared: without case and blanks.
    Other(String),
}

impl Reading {
    /// The same unit has the same text, however it was spelled. `?` is a blank.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Blank => "?".to_owned(),
            Self::Unit(unit) => unit.to_string(),
            Self::Other(text) => text.clone(),
        }
    }
}

/// What the cell of a column that holds codes says: `EUR`, `eur `, `€`, `kg`, `Kilograms`.
#[must_use]
pub fn code(text: &str) -> Reading {
    let text = folded(text);
    if text.is_empty() || matches!(text.as_str(), "-" | "n/a" | "na" | "none" | "null" | "?") {
        return Reading::Blank;
    }
    unit(&text).map_or(Reading::Other(text), Reading::Unit)
}

/// The unit that stands beside a number in a text: `€12.50`, `12,5 kg`, `-5 %`, `USD 3`.
/// `None` if there is no number or nothing beside it.
#[must_use]
pub fn sign(text: &str) -> Option<Unit> {
    let text = folded(text);
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let of_number = |c: char| {
        c.is_ascii_digit()
            || c.is_whitespace()
            || matches!(c, '.' | ',' | '-' | '+' | '(' | ')' | '\'')
    };
    let beside = text.trim_matches(of_number);
    if beside.is_empty() || beside.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    unit(beside)
}

fn unit(text: &str) -> Option<Unit> {
    let text = text.trim_end_matches('.');
    if matches!(text, "¢" | "cent" | "cents" | "коп" | "копеек") {
        return Some(Unit::Money { currency: None, minor: true });
    }
    let bare =
        text.trim_matches(|c: char| !c.is_alphanumeric() && !is_currency_sign(c) && c != '%');
    let currency = Currency::of_text(text).or_else(|| Currency::of_text(bare));
    currency
        .map(Unit::money)
        .or_else(|| Measure::of_text(text).or_else(|| Measure::of_text(bare)).map(Unit::Measure))
}

/// Lower case, without blanks at the ends, also those that do not break and those that
/// cannot be seen.
fn folded(text: &str) -> String {
    let unseen = |c: char| c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}');
    text.trim_matches(unseen).to_lowercase()
}
