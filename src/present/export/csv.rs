//! CSV by RFC 4180: UTF-8, CRLF, and a delimiter, a decimal mark and a byte order mark
//! by choice; commas, points and no mark if nothing is chosen.
//!
//! CRLF, because the RFC says so and every reader takes it; with LF, a lone CR
//! inside a text would be one line ending more than the writer meant. A null is
//! an empty field and an empty text is `""`, so that the two can be told apart by
//! readers that care; in a table of one column a null is `""`, too, for an empty line
//! is no row to most readers.
//!
//! A text that a spreadsheet would take for a formula gets an apostrophe before
//! it. Numbers are never touched.

use std::fmt;
use std::io::Write;
use std::str::FromStr;

use arrow::datatypes::Schema;
use serde::{Deserialize, Serialize};

use super::cells::{Cell, Column};
use super::{AT_ONCE, ExportError, Notes, Source};

/// What stands between two fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Delimiter {
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// A tab.
    Tab,
    /// `|`
    Pipe,
}

impl Delimiter {
    const ALL: [(Self, &str, char); 4] = [
        (Self::Comma, "comma", ','),
        (Self::Semicolon, "semicolon", ';'),
        (Self::Tab, "tab", '\t'),
        (Self::Pipe, "pipe", '|'),
    ];

    fn character(self) -> char {
        Self::ALL.into_iter().find(|(one, ..)| *one == self).map_or(',', |(.., mark)| mark)
    }
}

/// What stands before the fraction of a number.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Decimal {
    /// `.`
    #[default]
    Point,
    /// `,`
    Comma,
}

impl Decimal {
    const ALL: [(Self, &str, char); 2] = [(Self::Point, "point", '.'), (Self::Comma, "comma", ',')];
}

/// A mark there is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{asked:?} is none of {choices}")]
pub struct UnknownMark {
    asked: String,
    choices: String,
}

/// A mark by its name or as itself.
fn mark<T: Copy>(text: &str, all: &[(T, &str, char)]) -> Result<T, UnknownMark> {
    let is_it = |(_, name, itself): &&(T, &str, char)| {
        text.eq_ignore_ascii_case(name)
            || text.chars().eq([*itself])
            || (*itself == '\t' && text == "\\t")
    };
    all.iter().find(is_it).map(|(mark, ..)| *mark).ok_or_else(|| UnknownMark {
        asked: text.chars().take(60).collect(),
        choices: all.iter().map(|(_, name, _)| *name).collect::<Vec<_>>().join(", "),
    })
}

impl FromStr for Delimiter {
    type Err = UnknownMark;

    fn from_str(text: &str) -> Result<Self, UnknownMark> {
        mark(text, &Self::ALL)
    }
}

impl FromStr for Decimal {
    type Err = UnknownMark;

    fn from_str(text: &str) -> Result<Self, UnknownMark> {
        mark(text, &Self::ALL)
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::ALL.into_iter().find(|(one, ..)| one == self).map_or("", |(_, n, _)| n))
    }
}

/// How a CSV is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CsvOptions {
    /// Between the fields. Left out, it is a comma, or a semicolon where the decimal mark
    /// is a comma: so Excel writes and reads CSV in the countries that have that mark.
    pub delimiter: Option<Delimiter>,
    /// In the numbers.
    pub decimal: Option<Decimal>,
    /// Whether the file begins with a byte order mark, without which Excel takes it for
    /// a text in the machine's old code page.
    pub bom: bool,
}

impl CsvOptions {
    pub(super) fn is_default(self) -> bool {
        self == Self::default()
    }

    /// The delimiter and the decimal mark.
    pub(super) fn marks(self) -> Result<(char, char), ExportError> {
        match (self.delimiter, self.decimal.unwrap_or_default()) {
            (Some(Delimiter::Comma), Decimal::Comma) => Err(ExportError::CommaTwice),
            (None, Decimal::Comma) => Ok((';', ',')),
            (Some(delimiter), Decimal::Comma) => Ok((delimiter.character(), ',')),
            (delimiter, Decimal::Point) => {
                Ok((delimiter.unwrap_or(Delimiter::Comma).character(), '.'))
            }
        }
    }
}

pub(super) fn write(
    source: &mut Source<'_>,
    out: &mut impl Write,
    options: CsvOptions,
) -> Result<Notes, ExportError> {
    let (delimiter, decimal) = options.marks()?;
    let mut lines = Lines {
        delimiter,
        decimal,
        is_alone: source.schema().fields().len() == 1,
        text: String::new(),
        cell: String::new(),
        neutralised: 0,
        not_finite: 0,
    };
    if options.bom {
        lines.text.push('\u{feff}');
    }
    lines.header(source.schema());
    while let Some(batch) = source.next_batch()? {
        let columns = batch.columns().iter().map(Column::new).collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            for (n, column) in columns.iter().enumerate() {
                lines.field(n, &column.cell(row));
            }
            lines.end();
            if lines.text.len() >= AT_ONCE {
                source.put(&mut lines.text, out)?;
            }
        }
        source.put(&mut lines.text, out)?;
        source.done(batch.num_rows());
    }
    out.write_all(lines.text.as_bytes()).map_err(ExportError::io)?;
    let mut notes = Notes::default();
    if decimal == ',' && options.delimiter.is_none() {
        notes.add("the fields are separated by semicolons: the comma is the decimal mark".into());
    }
    notes.count(
        lines.neutralised,
        "text that a spreadsheet would run as a formula has an apostrophe before it",
    );
    notes.count(lines.not_finite, "number that is not finite is written as NaN, inf or -inf");
    Ok(notes)
}

struct Lines {
    delimiter: char,
    decimal: char,
    /// Whether there is one column.
    is_alone: bool,
    text: String,
    cell: String,
    neutralised: u64,
    not_finite: u64,
}

impl Lines {
    fn header(&mut self, schema: &Schema) {
        for (n, field) in schema.fields().iter().enumerate() {
            self.field(n, &Cell::Text(field.name()));
        }
        self.end();
    }

    fn field(&mut self, position: usize, cell: &Cell<'_>) {
        if position > 0 {
            self.text.push(self.delimiter);
        }
        self.cell.clear();
        cell.write_text(&mut self.cell);
        match cell {
            Cell::Null => return self.text.push_str(if self.is_alone { "\"\"" } else { "" }),
            Cell::Bool(_) | Cell::Int(_) | Cell::UInt(_) => {
                return self.text.push_str(&self.cell);
            }
            Cell::Decimal(_) => return self.number(),
            Cell::Single(_) | Cell::Double(_) => {
                self.not_finite += u64::from(!self.cell.ends_with(|c: char| c.is_ascii_digit()));
                return self.number();
            }
            _ => {}
        }
        if self.cell.starts_with(STARTS_A_FORMULA) {
            self.cell.insert(0, '\'');
            self.neutralised += 1;
        }
        let marks = [self.delimiter, '"', '\r', '\n'];
        if self.cell.is_empty() || self.cell.contains(marks) {
            self.text.push('"');
            self.text.push_str(&self.cell.replace('"', "\"\""));
            self.text.push('"');
        } else {
            self.text.push_str(&self.cell);
        }
    }

    /// The cell, a number, with the decimal mark that was asked for.
    fn number(&mut self) {
        match self.cell.split_once('.') {
            Some((whole, fraction)) if self.decimal != '.' => {
                self.text.extend([whole, ",", fraction]);
            }
            _ => self.text.push_str(&self.cell),
        }
    }

    fn end(&mut self) {
        self.text.push_str("\r\n");
    }
}

/// What spreadsheets begin a formula with, in full width too (Japanese editions read it so),
/// and the white space that some of them skip before it.
const STARTS_A_FORMULA: [char; 11] =
    ['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
