//! Which type each column of a sheet has, from all of its cells.

use std::collections::{BTreeMap, HashMap};

use arrow::datatypes::{DataType, Field};

use super::super::Warning;
use super::super::converted::Notes;
use super::super::source::name_some;
use super::Given;
use super::head::Head;
use super::value::{Cell, KINDS, Kind, Place, Type};
use crate::units::{UNIT, Unit};

/// Areas of merged cells that are counted.
const MERGED: usize = 1 << 16;

/// Some cells: how many, and the first.
#[derive(Debug, Default, Clone, Copy)]
struct Cells {
    count: u64,
    first: Option<Place>,
}

impl Cells {
    fn add(&mut self, place: Place) {
        self.count += 1;
        self.first.get_or_insert(place);
    }

    fn place(self) -> String {
        self.first.map_or_else(String::new, Place::name)
    }
}

#[derive(Debug, Default, Clone)]
struct Facts {
    kinds: [Cells; KINDS.len()],
    /// Numbers that are not whole, and moments that are not midnight.
    broken: bool,
    timed: bool,
    errors: Cells,
    uncomputed: Cells,
    /// What the number formats of its cells name.
    units: BTreeMap<Unit, Cells>,
}

/// All columns, by their place in the sheet.
#[derive(Debug, Default)]
pub(super) struct Columns {
    facts: Vec<Facts>,
    /// The rows from the top, until it is known which has the names.
    head: Option<Head>,
    /// The row that has the names, and its cells; the first cell above.
    header: Option<u32>,
    names: Vec<Option<String>>,
    title: Option<Place>,
    /// The last row with a value, and rows with one.
    last: u32,
    rows: u64,
    /// Where areas of merged cells begin.
    merged: Vec<Place>,
}

/// What the cells of a column name as their unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Units {
    None,
    One(Unit),
    /// Different ones, which are a column of their own.
    Several(String),
}

/// What is built, and where it is in the sheet.
#[derive(Debug)]
pub(super) struct Plan {
    /// The row below the names.
    pub first_row: u32,
    pub first_column: u32,
    pub types: Vec<Type>,
    pub units: Vec<Units>,
}

impl Plan {
    pub(super) fn fields(&self, names: &[String]) -> Vec<Field> {
        let mut fields = Vec::new();
        for ((name, kind), units) in names.iter().zip(&self.types).zip(&self.units) {
            let mut field = Field::new(name, kind.data_type(), true);
            if let Units::One(unit) = units {
                let said = HashMap::from([(UNIT.to_owned(), unit.to_string())]);
                field = field.with_metadata(said);
            }
            fields.push(field);
            if let Units::Several(name) = units {
                fields.push(Field::new(name, DataType::Utf8, true));
            }
        }
        fields
    }
}

impl Columns {
    pub(super) fn new() -> Self {
        Self { head: Some(Head::default()), ..Self::default() }
    }

    /// Takes a cell; they come row by row.
    pub(super) fn cell(&mut self, given: &Given<'_>) {
        if let Some(head) = &mut self.head {
            if !head.knows_before(given) {
                return;
            }
            self.end_head();
        }
        self.take(given);
    }

    /// The first cell of an area of merged ones.
    pub(super) fn merged(&mut self, first: Place) {
        if self.merged.len() < MERGED {
            self.merged.push(first);
        }
    }

    /// After the last cell.
    pub(super) fn end_head(&mut self) {
        let Some(head) = self.head.take() else { return };
        let first = head.first();
        let rows = head.finish();
        self.header = rows.first().map(|row| row[0].place.row);
        self.last = self.header.unwrap_or(0);
        self.title = first.filter(|first| Some(first.row) != self.header);
        rows.iter().flatten().for_each(|given| self.take(given));
    }

    fn take(&mut self, Given { place, cell, unit }: &Given<'_>) {
        let at = place.column as usize;
        if at >= self.facts.len() {
            self.facts.resize(at + 1, Facts::default());
            self.names.resize(at + 1, None);
        }
        if Some(place.row) == self.header {
            self.names[at] = Some(cell.text().into_owned());
            return;
        }
        if place.row != self.last {
            self.last = place.row;
            self.rows += 1;
        }
        let facts = &mut self.facts[at];
        let Some(kind) = cell.kind() else {
            let failed = *cell != Cell::Uncomputed;
            if failed { &mut facts.errors } else { &mut facts.uncomputed }.add(*place);
            return;
        };
        facts.kinds[kind as usize].add(*place);
        facts.broken |= kind == Kind::Number && cell.whole().is_none();
        facts.timed |= kind == Kind::Moment && cell.day().is_none();
        if let Some(unit) = unit {
            facts.units.entry(*unit).or_default().add(*place);
        }
    }

    /// Columns before it have no name and no value.
    fn first_column(&self) -> usize {
        let used = |at: &usize| self.names[*at].is_some() || self.facts[*at].is_used();
        (0..self.facts.len()).find(used).unwrap_or(0)
    }

    /// The cells of the row with the names; `None` in an empty sheet.
    pub(super) fn header(&self) -> Option<Vec<String>> {
        self.header?;
        let names = self.names[self.first_column()..].iter();
        Some(names.map(|name| name.clone().unwrap_or_default()).collect())
    }

    /// Decides.
    pub(super) fn finish(self, names: &[String], Notes { notes, warnings }: &mut Notes) -> Plan {
        let first_column = self.first_column();
        let header = self.header.unwrap_or(0);
        self.note_rows(header, notes);
        let facts = &self.facts[first_column..];
        let types: Vec<Type> =
            facts.iter().zip(names).map(|(facts, name)| facts.decide(name, notes)).collect();
        let mut units = Vec::new();
        for ((facts, name), kind) in facts.iter().zip(names).zip(&types) {
            let is_number = matches!(kind, Type::Int64 | Type::Float64);
            let found = if is_number { facts.units(name, names, notes) } else { Units::None };
            units.push(found);
        }
        let of = |which: fn(&Facts) -> Cells| some_of(facts, names, which);
        if let Some((cells, columns)) = of(|facts| facts.uncomputed) {
            let text = format!(
                "{} formulas have no value in the file (first in {}) and are read as missing in \
                 {}; open and save it in a spreadsheet program, which computes them",
                cells.count,
                cells.place(),
                name_some(&columns)
            );
            warnings.push(Warning::new(&columns, text));
        }
        if let Some((cells, columns)) = of(|facts| facts.errors) {
            let text = format!(
                "{} cells hold an error of a formula (first in {}) and are read as missing in {}",
                cells.count,
                cells.place(),
                name_some(&columns)
            );
            warnings.push(Warning::new(&columns, text));
        }
        let first_column = u32::try_from(first_column).unwrap_or(0);
        Plan { first_row: header + 1, first_column, types, units }
    }

    fn note_rows(&self, header: u32, notes: &mut Vec<String>) {
        match self.title {
            Some(first) => notes.push(format!(
                "{header} row{} above the names {} skipped, with a title in {}: the names are in \
                 row {}",
                if header == 1 { "" } else { "s" },
                if header == 1 { "is" } else { "are" },
                first.name(),
                header + 1
            )),
            None if header > 0 => notes.push(format!(
                "the names are in row {}, the first with anything in it",
                header + 1
            )),
            None => {}
        }
        let blank = u64::from(self.last.saturating_sub(header)).saturating_sub(self.rows);
        if blank > 0 {
            notes.push(format!("{blank} rows between others are blank: they are rows of nulls"));
        }
        let mut merged = self.merged.iter().filter(|place| place.row > header);
        if let Some(first) = merged.next() {
            notes.push(format!(
                "{} areas of merged cells (first at {}) have their value in their first cell and \
                 nulls in the others",
                merged.count() + 1,
                first.name()
            ));
        }
    }
}

/// Some cells of all columns together, and the columns that have any.
fn some_of<'a>(
    facts: &[Facts],
    names: &'a [String],
    which: fn(&Facts) -> Cells,
) -> Option<(Cells, Vec<&'a str>)> {
    let some = facts.iter().map(which).zip(names).filter(|(cells, _)| cells.count > 0);
    let (cells, columns): (Vec<Cells>, Vec<&str>) =
        some.map(|(cells, name)| (cells, name.as_str())).unzip();
    let first = cells.iter().filter_map(|cells| cells.first).min()?;
    let count = cells.iter().map(|cells| cells.count).sum();
    Some((Cells { count, first: Some(first) }, columns))
}

impl Facts {
    fn is_used(&self) -> bool {
        let others = [self.errors.count, self.uncomputed.count];
        self.kinds.iter().map(|kind| kind.count).chain(others).any(|count| count > 0)
    }

    fn decide(&self, name: &str, notes: &mut Vec<String>) -> Type {
        let present: Vec<Kind> =
            KINDS.into_iter().filter(|kind| self.kinds[*kind as usize].count > 0).collect();
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
                    let some = self.kinds[*kind as usize];
                    format!("{} {} (first in {})", some.count, kind.words(), some.place())
                };
                let kinds: Vec<String> = present.iter().map(of).collect();
                notes.push(format!("{name} is kept as text: it holds {}", kinds.join(" and ")));
                Type::Text
            }
        }
    }

    /// What the number formats say of all numbers. Accountants write the sign of a currency
    /// beside the first and the last number only; a part of a whole must be shown in most.
    fn units(&self, name: &str, names: &[String], notes: &mut Vec<String>) -> Units {
        let listed = || {
            let of = |(unit, some): (&Unit, &Cells)| {
                format!("{unit} in {} (first in {})", some.count, some.place())
            };
            self.units.iter().map(of).collect::<Vec<_>>().join(", ")
        };
        match self.units.iter().collect::<Vec<_>>()[..] {
            [] => Units::None,
            [(unit, some)] => {
                let numbers = self.kinds[Kind::Number as usize].count;
                if unit.is_money() || some.count * 2 >= numbers {
                    return Units::One(*unit);
                }
                notes.push(format!(
                    "the number formats of only some of the {numbers} numbers of {name} name a \
                     unit: {}",
                    listed()
                ));
                Units::None
            }
            _ => {
                let is_money = self.units.keys().all(|unit| unit.is_money());
                let own =
                    free(&format!("{name}_{}", if is_money { "currency" } else { "unit" }), names);
                notes.push(format!(
                    "the number formats of the cells of {name} name different units: {}; {own} has \
                     the unit of each row",
                    listed()
                ));
                Units::Several(own)
            }
        }
    }
}

/// A name that no column has.
fn free(name: &str, names: &[String]) -> String {
    let is_free = |name: &String| !names.contains(name);
    let mut numbered = (2..).map(|n| format!("{name}_{n}"));
    Some(name.to_owned()).filter(is_free).or_else(|| numbered.find(is_free)).unwrap_or_default()
}
