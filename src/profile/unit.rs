//! The units of a table's columns: by name, by the column beside, by signs in the cells.

use std::collections::BTreeMap;

use arrow::datatypes::Field;
use serde::{Deserialize, Serialize};

use super::column::{Column, State};
use crate::type_name::holds_numbers;
use crate::units::{
    Evidence, Teller, UNIT, Unit, claim, clash, code, is_teller, sign, tellers, unit_of_column,
};

/// What a column's numbers are of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitFound {
    /// The units with their rows, the most frequent first; `?` is a blank. One, with no
    /// count, if it is known without looking.
    pub units: Vec<(String, u64)>,
    /// How it is known.
    pub evidence: String,
    /// Whether it is known from cells.
    pub of_cells: bool,
    /// Whether there are units that cannot be added.
    pub mixed: bool,
}

impl UnitFound {
    fn new(units: Vec<(String, u64)>, evidence: &Evidence) -> Self {
        let of_cells = evidence.of_cells();
        let mixed = units.iter().any(|(one, _)| units.iter().any(|(other, _)| clash(one, other)));
        Self { units, evidence: evidence.to_string(), of_cells, mixed }
    }
}

/// The units that a column's cells name, with their rows.
pub(super) type Codes = Vec<(String, u64)>;

/// What a column of texts says of units.
#[derive(Debug, Clone, Default)]
pub(super) struct Says {
    /// Its cells as codes, if its name is that of such a column.
    pub codes: Codes,
    /// The signs beside its numbers, if most cells have one.
    pub signs: Codes,
}

impl Column {
    pub(super) fn says(&self) -> Says {
        let State::Text(texts) = &self.state else { return Says::default() };
        let all = texts.all(&self.counts);
        let gathered = |key: &dyn Fn(&str) -> Option<String>| {
            let mut found: BTreeMap<String, u64> = BTreeMap::new();
            for (text, count) in &all {
                if let Some(key) = key(text) {
                    *found.entry(key).or_default() += count;
                }
            }
            found
        };
        let mut says = Says::default();
        if is_teller(&self.name) {
            let mut codes = gathered(&|text| Some(code(text).key()));
            if self.nulls > 0 {
                *codes.entry("?".to_owned()).or_default() += self.nulls;
            }
            says.codes = ordered(codes);
        }
        let signs = gathered(&|text| sign(text).map(|unit| unit.to_string()));
        let signed: u64 = signs.values().sum();
        if signed > 0 && signed * 2 >= self.values {
            says.signs = ordered(signs);
        }
        says
    }
}

fn ordered(codes: BTreeMap<String, u64>) -> Codes {
    let mut codes: Codes = codes.into_iter().collect();
    codes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    codes
}

/// The columns that say the unit of others.
pub(super) fn tellers_of(fields: &[&Field]) -> Vec<Teller> {
    let columns: Vec<_> = fields
        .iter()
        .map(|field| (field.name().as_str(), holds_numbers(field.data_type())))
        .collect();
    tellers(&columns)
}

/// The unit of the column at a place, by what all columns say.
pub(super) fn unit(
    at: usize,
    field: &Field,
    tellers: &[Teller],
    says: &BTreeMap<usize, Says>,
    fields: &[&Field],
) -> Option<UnitFound> {
    if holds_numbers(field.data_type()) != Some(true) {
        let signs = says.get(&at).filter(|says| !says.signs.is_empty())?.signs.clone();
        let first = signs.first().map(|(key, _)| key.clone()).unwrap_or_default();
        let evidence = Evidence::Values(format!("{first} beside the number"));
        return Some(UnitFound::new(signs, &evidence));
    }
    let claimed = claim(field.name());
    let told = tellers.iter().find(|teller| teller.tells.contains(&at)).and_then(|teller| {
        let codes = &says.get(&teller.column)?.codes;
        teller.is_sound(codes).then(|| (teller, codes.clone()))
    });
    if let Some((teller, codes)) = told {
        let evidence = Evidence::Beside(fields[teller.column].name().clone());
        let minor = claimed.is_some_and(|c| matches!(c.unit, Unit::Money { minor: true, .. }));
        let units = codes.into_iter().map(|(key, count)| (in_cents(key, minor), count)).collect();
        return Some(UnitFound::new(units, &evidence));
    }
    let by_format = field.metadata().get(UNIT).map(String::as_str);
    let (unit, evidence) = unit_of_column(field.name(), by_format)?;
    unit.is_told().then(|| UnitFound::new(vec![(unit.to_string(), 0)], &evidence))
}

fn in_cents(key: String, minor: bool) -> String {
    match key.parse::<Unit>() {
        Ok(Unit::Money { currency, .. }) if minor => Unit::Money { currency, minor }.to_string(),
        _ => key,
    }
}
