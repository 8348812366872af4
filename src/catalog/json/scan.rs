//! Reads one JSON object strictly, and adds what it holds to a [`Shape`].

use super::super::csv::cell::{Cell, classify, day_or_moment};
use super::super::error::CatalogError;
use super::super::source::Source;
use super::shape::Shape;
use arrow::compute::kernels::cast_utils::string_to_datetime;
use chrono::Utc;

/// Objects and lists within each other.
const DEPTH: usize = 32;

/// What is wrong, and where.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    pub line: u64,
    /// Characters into the line, from 1.
    pub character: u64,
    /// `None`: it is not UTF-8.
    pub what: Option<String>,
}

impl Fault {
    pub(super) fn of(self, source: &Source<'_>) -> CatalogError {
        let place = Some(format!("character {}", self.character));
        match self.what {
            None => source.not_utf8(self.line, place),
            Some(what) => source.at(self.line, place, what),
        }
    }
}

/// A reader of objects, one after another.
#[derive(Default)]
pub(super) struct Scan {
    /// Numbers the objects, so that a shape can tell a key seen twice in one.
    objects: u64,
    /// Keys seen in all.
    keys: usize,
}

impl Scan {
    /// Reads an object that begins on `line`, with `offset` characters before it there.
    pub(super) fn object(
        &mut self,
        bytes: &[u8],
        (line, offset): (u64, u64),
        shape: &mut Shape,
    ) -> Result<(), Fault> {
        let mut parser = Parser { bytes, line, offset, at: 0, depth: 0, seen: self };
        if let Err(error) = std::str::from_utf8(bytes) {
            let before = &bytes[..error.valid_up_to()];
            parser.line += before.iter().filter(|b| **b == b'\n').count() as u64;
            parser.at = before.len();
            return Err(Fault { what: None, ..parser.fault("") });
        }
        parser.members(shape)
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    offset: u64,
    depth: usize,
    seen: &'a mut Scan,
}

impl<'a> Parser<'a> {
    fn fault(&self, what: impl Into<String>) -> Fault {
        let before = &self.bytes[..self.at.min(self.bytes.len())];
        let begin = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let of_line = String::from_utf8_lossy(&before[begin..]).chars().count() as u64;
        // The object's first line may have had something before it.
        let offset = if begin == 0 { self.offset } else { 0 };
        let what = Some(what.into());
        Fault { line: self.line, character: offset + of_line + 1, what }
    }

    /// The next byte that is not space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                _ => return Some(byte),
            }
            self.at += 1;
        }
        None
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Fault> {
        if self.peek() == Some(wanted) {
            self.at += 1;
            return Ok(());
        }
        Err(self.fault(format!("this is not JSON: `{}` is missing", char::from(wanted))))
    }

    fn deeper(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.fault(format!("it is nested more than {DEPTH} deep")));
        }
        Ok(())
    }

    fn members(&mut self, shape: &mut Shape) -> Result<(), Fault> {
        self.deeper()?;
        self.expect(b'{')?;
        self.seen.objects += 1;
        let this = self.seen.objects;
        shape.objects.at(self.line);
        let mut place = 0;
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            loop {
                if self.peek() != Some(b'"') {
                    return Err(self.fault("this is not JSON: a key in quotes is missing"));
                }
                let raw = self.quoted()?;
                let key = self.text(raw)?;
                self.expect(b':')?;
                place = shape.place(&key, place, &mut self.seen.keys).map_err(|w| self.fault(w))?;
                if !shape.fields[place].mark(this) {
                    return Err(self.fault(format!("the key `{key}` stands twice in one object")));
                }
                self.value(&mut shape.fields[place].shape)?;
                place += 1;
                match self.peek() {
                    Some(b',') => self.at += 1,
                    _ => break self.expect(b'}')?,
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn items(&mut self, shape: &mut Shape) -> Result<(), Fault> {
        self.deeper()?;
        self.expect(b'[')?;
        shape.lists.at(self.line);
        let item = shape.item.get_or_insert_default();
        if self.peek() == Some(b']') {
            self.at += 1;
        } else {
            loop {
                self.value(item)?;
                match self.peek() {
                    Some(b',') => self.at += 1,
                    _ => break self.expect(b']')?,
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn value(&mut self, shape: &mut Shape) -> Result<(), Fault> {
        match self.peek() {
            Some(b'{') => return self.members(shape),
            Some(b'[') => return self.items(shape),
            Some(b'"') => {
                let raw = self.quoted()?;
                let cell = if raw.contains(&b'\\') {
                    self.text(raw)?;
                    Cell::Text
                } else {
                    date_or_text(raw)
                };
                shape.texts.cell(self.line, cell);
            }
            Some(b'-' | b'0'..=b'9') => {
                let number = self.number()?;
                shape.numbers.cell(self.line, classify(number));
            }
            Some(b't') => self.word(b"true").map(|()| shape.bools.at(self.line))?,
            Some(b'f') => self.word(b"false").map(|()| shape.bools.at(self.line))?,
            Some(b'n') => self.word(b"null")?,
            Some(b'N' | b'I') => {
                return Err(self.fault("NaN and Infinity are not JSON; write null instead"));
            }
            _ => return Err(self.fault("this is not JSON: a value is missing")),
        }
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Fault> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(self.fault("this is not JSON: a value is missing"));
        }
        self.at += word.len();
        Ok(())
    }

    /// The bytes between the quotes that begin here, escapes and all.
    fn quoted(&mut self) -> Result<&'a [u8], Fault> {
        let begin = self.at + 1;
        let mut escaped = false;
        for (at, &byte) in self.bytes.iter().enumerate().skip(begin) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    self.at = at + 1;
                    return Ok(&self.bytes[begin..at]);
                }
                0..0x20 => {
                    let what = "this is not JSON: a line break or control character in a text";
                    return Err(self.fault(what));
                }
                _ => {}
            }
        }
        Err(self.fault("this is not JSON: a quote is never closed"))
    }

    /// What the bytes between quotes mean.
    fn text(&self, raw: &[u8]) -> Result<String, Fault> {
        if !raw.contains(&b'\\') {
            return Ok(String::from_utf8_lossy(raw).into_owned());
        }
        let quoted = [b"\"", raw, b"\""].concat();
        serde_json::from_slice(&quoted)
            .map_err(|_| self.fault("this is not JSON: a text has an escape that means nothing"))
    }

    fn number(&mut self) -> Result<&'a [u8], Fault> {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .take_while(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
            .count();
        let number = &rest[..length];
        if !is_number(number) {
            return Err(self.fault("this is not JSON: a number is written in another way"));
        }
        self.at += length;
        Ok(number)
    }
}

/// The grammar of RFC 8259: `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`.
fn is_number(text: &[u8]) -> bool {
    fn digits(text: &[u8]) -> (usize, &[u8]) {
        let count = text.iter().take_while(|b| b.is_ascii_digit()).count();
        (count, &text[count..])
    }
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, mut rest) = digits(text);
    if whole == 0 || (whole > 1 && text[0] == b'0') {
        return false;
    }
    if let [b'.', after @ ..] = rest {
        let (count, after) = digits(after);
        if count == 0 {
            return false;
        }
        rest = after;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        let after = after.strip_prefix(b"+").or(after.strip_prefix(b"-")).unwrap_or(after);
        let (count, after) = digits(after);
        if count == 0 {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

/// A text in JSON is a text, even if it looks like a number; a date has no other form.
fn date_or_text(raw: &[u8]) -> Cell {
    match day_or_moment(raw) {
        Some(cell @ Cell::Date(_)) => cell,
        // Only forms that arrow, which builds the column, reads too.
        Some(cell @ Cell::Moment(_)) => match std::str::from_utf8(raw) {
            Ok(text) if string_to_datetime(&Utc, text).is_ok() => cell,
            _ => Cell::Text,
        },
        _ => Cell::Text,
    }
}
