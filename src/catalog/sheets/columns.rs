//! Which type each column of a sheet has, from all of its cells.

use arrow::datatypes::Field;

use super::super::source::name_some;
use super::value::{Cell, KINDS, Kind, Place, Type};

#[derive(Debug, Default, Clone)]
struct Facts {
    /// How many cells of each kind, and where the first is.
    kinds: [(u64, Option<Place>); KINDS.len()],
    /// Numbers that are not whole, and moments that are not midnight.
    broken: bool,
    timed: bool,
    errors: u64,
    first_error: Option<Place>,
}

/// All columns, by their place in the sheet.
#[derive(Debug, Default)]
pub(super) struct Columns {
    facts: Vec<Facts>,
    /// The row that has the names, and its cells.
    header: Option<u32>,
    names: Vec<Option<String>>,
    /// The last row with a value, and rows with one.
    last: u32,
    rows: u64,
}

/// What is built, and where it is in the sheet.
#[derive(Debug)]
pub(super) struct Plan {
    /// The row below the names.
    pub first_row: u32,
    pub first_column: u32,
    pub types: Vec<Type>,
}

impl Plan {
    pub(super) fn fields(&self, names: &[String]) -> Vec<Field> {
        let fields = names.iter().zip(&self.types);
        fields.map(|(name, kind)| Field::new(name, kind.data_type(), true)).collect()
    }
}

impl Columns {
    /// Takes a cell; they come row by row.
    pub(super) fn cell(&mut self, place: Place, cell: &Cell<'_>) {
        let header = *self.header.get_or_insert(place.row);
        let at = place.column as usize;
        if at >= self.facts.len() {
            self.facts.resize(at + 1, Facts::default());
            self.names.resize(at + 1, None);
        }
        if place.row == header {
            self.names[at] = Some(cell.text().into_owned());
            self.last = header;
            return;
        }
        if place.row != self.last {
            self.last = place.row;
            self.rows += 1;
        }
        let facts = &mut self.facts[at];
        let Some(kind) = cell.kind() else {
            facts.errors += 1;
            facts.first_error.get_or_insert(place);
            return;
        };
        let seen = &mut facts.kinds[kind as usize];
        seen.0 += 1;
        seen.1.get_or_insert(place);
        facts.broken |= kind == Kind::Number && cell.whole().is_none();
        facts.timed |= kind == Kind::Moment && cell.day().is_none();
    }

    /// Columns before it have no name and no value.
    fn first_column(&self) -> usize {
        let used = |at: &usize| {
            let facts = &self.facts[*at];
            self.names[*at].is_some() || facts.errors > 0 || facts.kinds.iter().any(|k| k.0 > 0)
        };
        (0..self.facts.len()).find(used).unwrap_or(0)
    }

    /// The cells of the first row with anything in it; `None` in an empty sheet.
    pub(super) fn header(&self) -> Option<Vec<String>> {
        self.header?;
        let names = self.names[self.first_column()..].iter();
        Some(names.map(|name| name.clone().unwrap_or_default()).collect())
    }

    /// Decides.
    pub(super) fn finish(self, names: &[String], notes: &mut Vec<String>) -> Plan {
        let first_column = self.first_column();
        let header = self.header.unwrap_or(0);
        if header > 0 {
            notes.push(format!(
                "the names are in row {}, the first with anything in it",
                header + 1
            ));
        }
        let blank = u64::from(self.last - header) - self.rows;
        if blank > 0 {
            notes.push(format!("{blank} rows between others are blank: they are rows of nulls"));
        }
        let mut types = Vec::with_capacity(names.len());
        let mut failed = Vec::new();
        for (facts, name) in self.facts[first_column..].iter().zip(names) {
            types.push(facts.decide(name, notes));
            if let Some(place) = facts.first_error {
                failed.push((name.as_str(), facts.errors, place));
            }
        }
        if let Some((_, _, first)) = failed.first() {
            let count: u64 = failed.iter().map(|(_, count, _)| count).sum();
            let names: Vec<&str> = failed.iter().map(|(name, ..)| *name).collect();
            notes.push(format!(
                "{count} cells hold an error of a formula (first in {}) and are read as missing \
                 in {}",
                first.name(),
                name_some(&names)
            ));
        }
        let first_column = u32::try_from(first_column).unwrap_or(0);
        Plan { first_row: header + 1, first_column, types }
    }
}

impl Facts {
    fn decide(&self, name: &str, notes: &mut Vec<String>) -> Type {
        let present: Vec<Kind> =
            KINDS.into_iter().filter(|kind| self.kinds[*kind as usize].0 > 0).collect();
        match present[..] {
            [] => Type::Null,
            [Kind::Text] => Type::Text,
            [Kind::Number] if self.broken => Type::Float64,
            [Kind::Number] => Type::Int64,
            [Kind::Bool] => Type::Bool,
            [Kind::Moment] if self.timed => Type::Moment,
            [Kind::Moment] => Type::Date,
            [Kind::Time] => Type::Time,
            [Kind::Duration] | [Kind::Time, Kind::Duration] => Type::Duration,
            _ => {
                let of = |kind: &Kind| {
                    let (count, first) = self.kinds[*kind as usize];
                    let place = first.map_or_else(String::new, Place::name);
                    format!("{count} {} (first in {place})", kind.words())
                };
                let kinds: Vec<String> = present.iter().map(of).collect();
                notes.push(format!("{name} is kept as text: it holds {}", kinds.join(" and ")));
                Type::Text
            }
        }
    }
}
