//! Columns that hold what nobody should be shown: by their values, and by their names.
//!
//! A value is judged by what can be checked: the check digit of a card (Luhn), of an IBAN
//! (ISO 7064), of a national number; the form of an address or a key. A number that
//! anything could be is believed only if nearly all values of a column pass, because one in
//! ten random numbers has a right check digit. A name alone is believed, too: a false alarm
//! hides a few values, the other mistake tells them.

mod checks;
mod first_rows;
mod names;
mod numbers;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use self::first_rows::{sensitive_columns, sensitive_kind};
pub(super) use self::names::{Named, by_name};

/// What the form of one value proves, for those who look at texts.
pub(crate) mod forms {
    pub(crate) use super::checks::{is_card, is_iban, is_mail};
    pub(crate) use super::numbers::is_formed_id;
}

/// Digits of a card.
const CARD: std::ops::RangeInclusive<usize> = 13..=19;

/// Different values of a column that are judged.
pub(super) const JUDGED: usize = 5_000;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An address for mail.
    Mail,
    /// A number to call.
    Phone,
    /// The number of a payment card.
    Card,
    /// A bank account.
    Iban,
    /// A number that a state gives a person.
    NationalId,
    /// A password, a token, a key.
    Secret,
}

impl Kind {
    /// In words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mail => "mail addresses",
            Self::Phone => "phone numbers",
            Self::Card => "card numbers",
            Self::Iban => "bank accounts",
            Self::NationalId => "national ids",
            Self::Secret => "secrets",
        }
    }

    const ALL: [Self; 6] =
        [Self::Mail, Self::Phone, Self::Card, Self::Iban, Self::NationalId, Self::Secret];
}

/// The columns of a table that nobody should be shown, by name.
pub type SensitiveColumns = BTreeMap<String, Kind>;

/// What is sensitive in a column: by itself, or else by what it was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sensitive {
    /// What it is.
    pub kind: Kind,
    /// Whether its values are such, as far as that can be checked.
    pub by_values: bool,
    /// Whether its name says so.
    pub by_name: bool,
}

/// How sure a look at one value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sure {
    /// Its form is that of nothing else.
    Form,
    /// Many a number looks so.
    Digits,
    /// It is somewhere within a longer text.
    Within,
}

/// Counts what values look like.
#[derive(Debug, Default)]
pub(super) struct Judge {
    judged: u32,
    forms: [u32; 6],
    digits: [u32; 6],
    within: [u32; 6],
    /// Values with as many digits as a card has, whatever the last one is.
    card_long: u32,
}

impl Judge {
    /// Looks at a value that did not come before.
    pub(super) fn look(&mut self, value: &str) {
        if self.judged as usize >= JUDGED || value.trim().is_empty() {
            return;
        }
        self.judged += 1;
        let digits = checks::digits(value.trim());
        self.card_long += u32::from(digits.is_some_and(|digits| CARD.contains(&digits.len())));
        if let Some((kind, sure)) = judge(value.trim()) {
            let at = Kind::ALL.iter().position(|known| *known == kind).unwrap_or(0);
            match sure {
                Sure::Form => self.forms[at] += 1,
                Sure::Digits => self.digits[at] += 1,
                Sure::Within => self.within[at] += 1,
            }
        }
    }

    /// What the column holds, with what its name says.
    pub(super) fn verdict(&self, name: Option<Named>) -> Option<Sensitive> {
        let named = name.map(|name| name.kind);
        let share = |count: u32, percent: u32| count > 0 && count * 100 >= self.judged * percent;
        let of_values = |kind: &Kind| {
            let at = *kind as usize;
            let is_named = named == Some(*kind);
            let all = self.forms[at] + self.digits[at];
            share(self.forms[at] + self.within[at], 5)
                || (share(all, 95) && self.judged >= 10)
                || (is_named && share(all, 50))
                // Called a card and as long as one: nobody checks digits to show it.
                || (is_named && *kind == Kind::Card && share(self.card_long, 50))
        };
        let by_values = Kind::ALL.iter().copied().filter(of_values).max_by_key(|kind| {
            let at = *kind as usize;
            (self.forms[at] + self.digits[at] + self.within[at], named == Some(*kind))
        });
        let kind = by_values.or(named.filter(|_| name.is_some_and(|name| name.is_sure)))?;
        Some(Sensitive { kind, by_values: by_values.is_some(), by_name: named == Some(kind) })
    }
}

fn judge(value: &str) -> Option<(Kind, Sure)> {
    if value.len() > 4_000 {
        return None;
    }
    if checks::is_secret(value) {
        return Some((Kind::Secret, Sure::Form));
    }
    if checks::is_mail(value) {
        return Some((Kind::Mail, Sure::Form));
    }
    if checks::is_iban(value) {
        return Some((Kind::Iban, Sure::Form));
    }
    if numbers::is_formed_id(value) {
        return Some((Kind::NationalId, Sure::Form));
    }
    if checks::is_card(value) {
        return Some((Kind::Card, Sure::Digits));
    }
    if numbers::is_id(value) {
        return Some((Kind::NationalId, Sure::Digits));
    }
    if let Some(formed) = checks::phone(value) {
        return Some((Kind::Phone, if formed { Sure::Form } else { Sure::Digits }));
    }
    let words = || {
        value.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '<' | '>' | '(' | ')'))
    };
    if value.contains('@') && words().any(|word| checks::is_mail(word.trim_end_matches('.'))) {
        return Some((Kind::Mail, Sure::Within));
    }
    words().any(checks::is_secret).then_some((Kind::Secret, Sure::Within))
}

#[cfg(test)]
mod tests;
