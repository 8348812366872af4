//! LibreOffice's workbooks, read as a stream: a row or cell that is repeated a million
//! times takes a few bytes in the file, and must not be spread in memory.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader};

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, Timelike as _};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use zip::ZipArchive;

use super::names::attribute;
use super::value::{Cell, Place, moment};
use super::{CELLS, Fault, Given, Take, too_many};
use crate::units::{Currency, Measure, Unit};

const CONTENT: &str = "content.xml";

pub(super) struct Book<'a>(ZipArchive<&'a File>);

/// The names of the sheets; `None` if they cannot be read.
pub(super) fn names(file: &File) -> Option<Vec<String>> {
    let mut archive = ZipArchive::new(file).ok()?;
    let mut reader = Reader::from_reader(BufReader::new(archive.by_name(CONTENT).ok()?));
    let (mut buffer, mut names) = (Vec::new(), Vec::new());
    loop {
        match reader.read_event_into(&mut buffer).ok()? {
            Event::Start(element) | Event::Empty(element) if is(&element, "table") => {
                names.extend(attribute(&element, "table:name"));
            }
            Event::Eof => return Some(names),
            _ => {}
        }
        buffer.clear();
    }
}

fn is(element: &BytesStart<'_>, name: &str) -> bool {
    element.local_name().as_ref() == name
}

fn damaged(error: impl std::fmt::Display) -> Fault {
    Fault::Damaged(format!("{error}; open and save it again"))
}

impl<'a> Book<'a> {
    pub(super) fn open(file: &'a File) -> Result<Self, Fault> {
        Ok(Self(ZipArchive::new(file)?))
    }

    pub(super) fn cells(&mut self, number: usize, take: &mut dyn Take) -> Result<(), Fault> {
        let mut reader = Reader::from_reader(BufReader::new(self.0.by_name(CONTENT)?));
        let mut sheet = Sheet { reader: &mut reader, buffer: Vec::new() };
        let mut at = 0;
        while let Some(element) = sheet.next()? {
            let Element::Table { is_open } = element else { continue };
            if at == number {
                return if is_open { sheet.rows(take) } else { Ok(()) };
            }
            at += 1;
        }
        Ok(())
    }
}

/// What matters of a document, flat.
#[derive(Debug, PartialEq)]
enum Element {
    Table {
        is_open: bool,
    },
    TableEnd,
    Row {
        repeated: u32,
        is_open: bool,
    },
    RowEnd,
    Cell {
        value: Option<Value>,
        unit: Option<Unit>,
        repeated: u32,
        /// Whether it spreads over others.
        is_merged: bool,
        is_open: bool,
    },
    CellEnd,
    /// A paragraph of a cell's text begins.
    Paragraph,
    Text(String),
    /// A note's text is none of the cell's.
    Note,
    NoteEnd,
}

/// A cell's value as its attributes have it; a text may stand in paragraphs instead.
#[derive(Debug, PartialEq)]
enum Value {
    Whole(Cell<'static>),
    Paragraphs,
    /// Not of the type that it says.
    Wrong,
}

struct Sheet<'r, R> {
    reader: &'r mut Reader<R>,
    buffer: Vec<u8>,
}

impl<R: BufRead> Sheet<'_, R> {
    /// The next element that matters; `None` at the end of the document.
    fn next(&mut self) -> Result<Option<Element>, Fault> {
        loop {
            self.buffer.clear();
            let event = self.reader.read_event_into(&mut self.buffer).map_err(damaged)?;
            let found = match &event {
                Event::Start(element) => begins(element, true),
                Event::Empty(element) => begins(element, false),
                Event::End(element) => match element.local_name().as_ref() {
                    "table" => Some(Element::TableEnd),
                    "table-row" => Some(Element::RowEnd),
                    "table-cell" | "covered-table-cell" => Some(Element::CellEnd),
                    "annotation" => Some(Element::NoteEnd),
                    _ => None,
                },
                Event::Text(text) => {
                    Some(Element::Text(text.xml_content(XmlVersion::Explicit1_0).into_owned()))
                }
                Event::CData(text) => {
                    Some(Element::Text(text.xml_content(XmlVersion::Explicit1_0).into_owned()))
                }
                Event::GeneralRef(name) => {
                    let known = match name.resolve_char_ref().map_err(damaged)? {
                        Some(character) => character.to_string(),
                        None => quick_xml::escape::resolve_predefined_entity(
                            &name.xml_content(XmlVersion::Explicit1_0),
                        )
                        .unwrap_or_default()
                        .to_owned(),
                    };
                    Some(Element::Text(known))
                }
                Event::Eof => return Ok(None),
                _ => None,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    fn rows(&mut self, take: &mut dyn Take) -> Result<(), Fault> {
        let mut row = 0_u32;
        let mut depth = 0_u32;
        while let Some(element) = self.next()? {
            match element {
                // A table within a cell is none of this one's.
                Element::Table { is_open } => depth += u32::from(is_open),
                Element::TableEnd if depth == 0 => return Ok(()),
                Element::TableEnd => depth -= 1,
                Element::Row { repeated, is_open } if depth == 0 => {
                    let cells = if is_open { self.row(row, take)? } else { Vec::new() };
                    let times = if cells.is_empty() { 0 } else { repeated };
                    if cells.len() as u64 * u64::from(times) > CELLS {
                        return Err(too_many());
                    }
                    for again in 0..times {
                        for given in &cells {
                            let row = row.saturating_add(again);
                            let place = Place { row, ..given.place };
                            take.cell(Given { place, ..given.to_owned() })?;
                        }
                    }
                    row = row.saturating_add(repeated);
                }
                _ => {}
            }
        }
        Err(Fault::Damaged("a sheet has no end; copy or save it again".into()))
    }

    /// The cells of a row that have values.
    fn row(&mut self, row: u32, take: &mut dyn Take) -> Result<Vec<Given<'static>>, Fault> {
        let mut cells = Vec::new();
        let mut column = 0_u32;
        while let Some(element) = self.next()? {
            match element {
                Element::RowEnd => return Ok(cells),
                Element::Cell { value, unit, repeated, is_merged, is_open } => {
                    if is_merged {
                        take.merged(Place { row, column });
                    }
                    let text = if is_open { self.text()? } else { String::new() };
                    let cell = match value {
                        Some(Value::Whole(cell)) => Some(cell),
                        Some(Value::Paragraphs) if !text.is_empty() => {
                            Some(Cell::Text(text.into()))
                        }
                        Some(Value::Wrong) => {
                            let name = Place { row, column }.name();
                            let what = "has no value of the type that it says";
                            return Err(damaged(format!("the cell {name} {what}")));
                        }
                        _ => None,
                    };
                    if let Some(cell) = cell {
                        if cells.len() as u64 + u64::from(repeated) > 1 << 14 {
                            return Err(Fault::Damaged("a row has more than 16384 cells".into()));
                        }
                        let places = column..column.saturating_add(repeated);
                        let given = |column| Given {
                            place: Place { row, column },
                            cell: cell.to_owned(),
                            unit,
                        };
                        cells.extend(places.map(given));
                    }
                    column = column.saturating_add(repeated);
                }
                _ => {}
            }
        }
        Err(Fault::Damaged("a row has no end; copy or save it again".into()))
    }

    /// The text of the cell that is open, its paragraphs as lines.
    fn text(&mut self) -> Result<String, Fault> {
        let (mut text, mut paragraphs, mut notes) = (String::new(), 0, 0);
        while let Some(element) = self.next()? {
            match element {
                Element::CellEnd => return Ok(text),
                Element::Note => notes += 1,
                Element::NoteEnd => notes -= 1,
                Element::Paragraph if notes == 0 => {
                    if paragraphs > 0 {
                        text.push('\n');
                    }
                    paragraphs += 1;
                }
                // Between elements there is only the file's own layout.
                Element::Text(more) if notes == 0 && paragraphs > 0 => {
                    text.push_str(more.trim_matches(|c| c == '\n' || c == '\r'));
                }
                _ => {}
            }
        }
        Err(Fault::Damaged("a cell has no end; copy or save it again".into()))
    }
}

fn begins(element: &BytesStart<'_>, is_open: bool) -> Option<Element> {
    let repeated = |name| {
        let times = attribute(element, name).and_then(|times| times.parse().ok());
        times.unwrap_or(1_u32)
    };
    let name = element.local_name();
    Some(match name.as_ref() {
        "table" => Element::Table { is_open },
        "table-row" => Element::Row { repeated: repeated("table:number-rows-repeated"), is_open },
        "table-cell" | "covered-table-cell" => {
            let repeated = repeated("table:number-columns-repeated");
            let spread = |name| attribute(element, name).is_some_and(|n| n.trim() != "1");
            let is_merged =
                spread("table:number-columns-spanned") || spread("table:number-rows-spanned");
            let (value, unit) = (value(element), unit(element));
            Element::Cell { value, unit, repeated, is_merged, is_open }
        }
        "p" => Element::Paragraph,
        // A number of spaces, a tab, a line break.
        "s" => {
            let count =
                attribute(element, "text:c").and_then(|c| c.parse().ok()).unwrap_or(1_usize);
            Element::Text(" ".repeat(count.min(1 << 16)))
        }
        "tab" => Element::Text("\t".into()),
        "line-break" => Element::Text("\n".into()),
        "annotation" => Element::Note,
        _ => return None,
    })
}

/// A number's format is said with its type.
fn unit(element: &BytesStart<'_>) -> Option<Unit> {
    match attribute(element, "office:value-type")?.as_str() {
        "percentage" => Some(Unit::Measure(Measure::Fraction)),
        "currency" => Currency::of_code(&attribute(element, "office:currency")?).map(Unit::money),
        _ => None,
    }
}

fn value(element: &BytesStart<'_>) -> Option<Value> {
    let of = |name| attribute(element, name);
    if of("calcext:value-type").as_deref() == Some("error") {
        return Some(Value::Whole(Cell::Error("#ERROR")));
    }
    let is_formula = of("table:formula").is_some();
    let Some(kind) = of("office:value-type") else {
        return is_formula.then_some(Value::Whole(Cell::Uncomputed));
    };
    let (name, read): (_, fn(&str) -> Option<Cell<'static>>) = match kind.as_str() {
        "float" | "percentage" | "currency" => ("office:value", number),
        "boolean" => ("office:boolean-value", truth),
        "date" => ("office:date-value", date),
        "time" => ("office:time-value", duration),
        "string" => {
            let text = of("office:string-value").filter(|text| !text.is_empty());
            let whole = text.map(|text| Value::Whole(Cell::Text(Cow::Owned(text))));
            return Some(whole.unwrap_or(Value::Paragraphs));
        }
        _ => return Some(Value::Paragraphs),
    };
    Some(match of(name) {
        None if is_formula => Value::Whole(Cell::Uncomputed),
        None => Value::Wrong,
        Some(text) => read(&text).map_or(Value::Wrong, Value::Whole),
    })
}

fn number(text: &str) -> Option<Cell<'static>> {
    text.parse().ok().filter(|value: &f64| value.is_finite()).map(Cell::Number)
}

fn truth(text: &str) -> Option<Cell<'static>> {
    match text {
        "true" => Some(Cell::Bool(true)),
        "false" => Some(Cell::Bool(false)),
        _ => None,
    }
}

/// `2024-01-31` or `2024-01-31T10:20:30.5`.
pub(super) fn date(text: &str) -> Option<Cell<'static>> {
    if let Ok(date) = text.parse::<NaiveDate>() {
        return Some(Cell::Moment(moment(date, 0)));
    }
    let at = text.trim_end_matches('Z').parse::<NaiveDateTime>().ok()?;
    Some(Cell::Moment(moment(at.date(), of_day(at.time()))))
}

fn of_day(time: NaiveTime) -> i64 {
    i64::from(time.num_seconds_from_midnight()) * 1_000_000 + i64::from(time.nanosecond() / 1_000)
}

/// `PT10H20M30.5S`: a time of day, or longer than a day a duration.
pub(super) fn duration(text: &str) -> Option<Cell<'static>> {
    const DAY: i64 = 86_400_000_000;
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut rest = text.strip_prefix("PT")?;
    let mut micros = 0_i64;
    for (unit, size) in [('H', 3_600_000_000_i64), ('M', 60_000_000), ('S', 1_000_000)] {
        let Some((number, after)) = rest.split_once(unit) else { continue };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let mut parts = whole.parse::<i64>().ok()?.checked_mul(size)?;
        if !fraction.is_empty() {
            let digits: String = format!("{fraction:0<6}").chars().take(6).collect();
            parts += digits.parse::<i64>().ok()? * size / 1_000_000;
        }
        micros = micros.checked_add(parts)?;
        rest = after;
    }
    Some(match (negative, micros) {
        (true, _) => Cell::Duration(-micros),
        (false, 0..DAY) => Cell::Time(micros),
        _ => Cell::Duration(micros),
    })
}
