//! The cells of a sheet, as they stand in its part.

use std::borrow::Cow;

use quick_xml::events::{BytesStart, Event};

use super::moment::{duration_of, moment_of};
use super::parts::{Xml, damaged};
use super::texts::{Texts, plain, rich, skip, unescape};
use crate::catalog::sheets::format::Shown;
use crate::catalog::sheets::names::attribute;
use crate::catalog::sheets::value::{Cell, Place};
use crate::catalog::sheets::{Fault, Given, Take, ods};

/// Rows and columns that a sheet of Excel has.
const ROWS: u32 = 1 << 20;
const COLUMNS: u32 = 1 << 14;

/// See the module.
pub(super) struct Cells<'z, 'f, 'b> {
    xml: Xml<'z, 'f>,
    texts: &'b Texts,
    styles: &'b [Shown],
    from_1904: bool,
    /// The row that is open, and the next cell of it, where they do not say themselves.
    row: u32,
    column: u32,
    /// The row after the last.
    next_row: u32,
    content: Content,
    scratch: Vec<u8>,
}

/// What a cell says of itself.
#[derive(Debug, Default)]
struct Said<'e> {
    reference: Option<Cow<'e, str>>,
    style: Option<Cow<'e, str>>,
    kind: Option<Cow<'e, str>>,
}

impl<'e> Said<'e> {
    fn of(element: &'e BytesStart<'_>) -> Self {
        let mut said = Self::default();
        for attribute in element.attributes().with_checks(false).flatten() {
            let place = match attribute.key.as_ref() {
                "r" => &mut said.reference,
                "s" => &mut said.style,
                "t" => &mut said.kind,
                _ => continue,
            };
            // None of these is ever written with an entity.
            *place = Some(attribute.value);
        }
        said
    }
}

/// What stands in a cell's element.
#[derive(Debug, Default)]
struct Content {
    /// Its `v`, if it has one.
    value: String,
    has_value: bool,
    /// Its `is`.
    text: String,
    is_formula: bool,
}

impl<'z, 'f, 'b> Cells<'z, 'f, 'b> {
    pub(super) fn new(
        xml: Xml<'z, 'f>,
        texts: &'b Texts,
        styles: &'b [Shown],
        from_1904: bool,
    ) -> Self {
        let (row, column, next_row) = (0, 0, 0);
        let (content, scratch) = (Content::default(), Vec::new());
        Self { xml, texts, styles, from_1904, row, column, next_row, content, scratch }
    }

    /// Gives all cells that have something in them, then the areas of merged ones.
    pub(super) fn each(mut self, take: &mut dyn Take) -> Result<(), Fault> {
        let (mut buffer, mut is_whole) = (Vec::new(), false);
        loop {
            buffer.clear();
            match self.xml.read_event_into(&mut buffer).map_err(damaged)? {
                Event::Start(element) => match element.local_name().as_ref() {
                    "row" => self.begin_row(&element)?,
                    "c" => {
                        let said = Said::of(&element);
                        let place = self.place(said.reference.as_deref())?;
                        self.content()?;
                        self.column = place.column + 1;
                        self.give(place, said.style.as_deref(), said.kind.as_deref(), take)?;
                    }
                    "mergeCell" => {
                        let area = attribute(&element, "ref");
                        let first = area.as_deref().and_then(|area| area.split(':').next());
                        if let Some(place) = first.and_then(place_of) {
                            take.merged(place);
                        }
                    }
                    _ => {}
                },
                Event::End(element) => match element.local_name().as_ref() {
                    "row" => self.next_row = self.row + 1,
                    "sheetData" => is_whole = true,
                    _ => {}
                },
                Event::Eof if is_whole => return Ok(()),
                Event::Eof => return Err(damaged("a sheet has no end")),
                _ => {}
            }
        }
    }

    fn begin_row(&mut self, element: &BytesStart<'_>) -> Result<(), Fault> {
        let number = attribute(element, "r");
        let row = match number.as_deref().map(|number| number.trim().parse::<u32>()) {
            None => Some(self.next_row),
            Some(Ok(number)) => number.checked_sub(1),
            Some(Err(_)) => None,
        };
        self.row = row.filter(|row| *row < ROWS).ok_or_else(|| {
            let next = self.next_row + 1;
            damaged(format!("where row {next} may be, a row has a number that is none"))
        })?;
        self.column = 0;
        Ok(())
    }

    fn place(&self, reference: Option<&str>) -> Result<Place, Fault> {
        let next = Place { row: self.row, column: self.column };
        let place = match reference {
            None => Some(next).filter(|place| place.column < COLUMNS),
            Some(reference) => place_of(reference),
        };
        let place = place.ok_or_else(|| {
            damaged(format!("where the cell {} may be, one has no place in a sheet", next.name()))
        })?;
        if place.row == self.row {
            return Ok(place);
        }
        Err(damaged(format!("the cell {} stands in row {}", place.name(), self.row + 1)))
    }

    fn content(&mut self) -> Result<(), Fault> {
        let Self { xml, content, scratch, .. } = self;
        content.value.clear();
        content.text.clear();
        (content.has_value, content.is_formula) = (false, false);
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match xml.read_event_into(&mut buffer).map_err(damaged)? {
                Event::Start(element) => match element.local_name().as_ref() {
                    "v" => {
                        // The last one counts.
                        content.value.clear();
                        content.has_value = true;
                        plain(xml, scratch, "v", &mut content.value)?;
                    }
                    "is" => rich(xml, "is", &mut content.text)?,
                    "f" => {
                        content.is_formula = true;
                        skip(xml)?;
                    }
                    _ => skip(xml)?,
                },
                Event::End(element) if element.local_name().as_ref() == "c" => return Ok(()),
                Event::Eof => return Err(damaged("a cell has no end")),
                _ => {}
            }
        }
    }

    fn give(
        &self,
        place: Place,
        style: Option<&str>,
        kind: Option<&str>,
        take: &mut dyn Take,
    ) -> Result<(), Fault> {
        let content = &self.content;
        let wrong = |what: String| damaged(format!("the cell {} {what}", place.name()));
        let written = Some(content.value.as_str()).filter(|value| !value.is_empty());
        let cell = match (kind.unwrap_or("n"), written) {
            ("inlineStr", _) => text(&content.text),
            ("str", _) if content.has_value => {
                let mut whole = String::new();
                unescape(written.unwrap_or_default(), &mut whole);
                (!whole.is_empty()).then(|| Cell::Text(whole.into()))
            }
            (_, None) if content.is_formula => Some(Cell::Uncomputed),
            (_, None) => None,
            ("s", Some(value)) => {
                let index = value.trim().parse::<usize>().ok();
                text(index.and_then(|index| self.texts.get(index)).ok_or_else(|| {
                    wrong(format!("has a text that is none of the {} it has", self.texts.len()))
                })?)
            }
            ("b", Some(value)) => match value.trim().to_ascii_lowercase().as_str() {
                "0" | "false" => Some(Cell::Bool(false)),
                "1" | "true" => Some(Cell::Bool(true)),
                _ => return Err(wrong("is neither true nor false".into())),
            },
            ("e", Some(value)) => Some(Cell::Error(word(value.trim()))),
            ("d", Some(value)) => Some(
                ods::date(value)
                    .or_else(|| ods::duration(value))
                    .unwrap_or_else(|| Cell::Text(value.to_owned().into())),
            ),
            ("n", Some(value)) => {
                let number = number(value).ok_or_else(|| wrong("is no number".into()))?;
                let shown = self.shown(style).ok_or_else(|| {
                    wrong(format!("has a style that is none of the {}", self.styles.len()))
                })?;
                return self.number(place, number, shown, take);
            }
            _ => return Err(wrong("is of a type that no sheet has".into())),
        };
        match cell {
            Some(cell) => take.cell(Given { place, cell, unit: None }),
            None => Ok(()),
        }
    }

    fn number(
        &self,
        place: Place,
        number: f64,
        shown: Shown,
        take: &mut dyn Take,
    ) -> Result<(), Fault> {
        let (cell, unit) = match shown {
            Shown::Number(unit) => (Cell::Number(number), unit),
            Shown::Moment => (moment_of(number, self.from_1904), None),
            Shown::Duration => (duration_of(number), None),
        };
        take.cell(Given { place, cell, unit })
    }

    fn shown(&self, style: Option<&str>) -> Option<Shown> {
        match style {
            None => Some(Shown::Number(None)),
            Some(style) => self.styles.get(style.trim().parse::<usize>().ok()?).copied(),
        }
    }
}

/// What is empty is missing, as in a text table.
fn text(text: &str) -> Option<Cell<'_>> {
    (!text.is_empty()).then(|| Cell::Text(text.into()))
}

/// A number as XML writes it; none that no float holds.
fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    let value: f64 = text.chars().all(is_number).then(|| text.parse().ok())??;
    value.is_finite().then_some(value)
}

fn word(text: &str) -> &'static str {
    const WORDS: [&str; 9] =
        ["#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!", "#CALC!"];
    WORDS.into_iter().find(|word| *word == text).unwrap_or("#ERROR")
}

/// `B7`, also `$B$7`.
fn place_of(reference: &str) -> Option<Place> {
    let mut plain = Cow::Borrowed(reference.trim());
    if plain.contains('$') {
        plain = plain.replace('$', "").into();
    }
    let letters = plain.chars().take_while(char::is_ascii_alphabetic).count();
    let (column, row) = plain.split_at(letters);
    if !(1..=3).contains(&letters) || !row.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let of = |letter: u8| u32::from(letter.to_ascii_uppercase() - b'A') + 1;
    let column = column.bytes().fold(0, |column, letter| column * 26 + of(letter)) - 1;
    let row = row.parse::<u32>().ok()?.checked_sub(1)?;
    (row < ROWS && column < COLUMNS).then_some(Place { row, column })
}
