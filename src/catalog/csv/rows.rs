//! One pass over the rows of a text table.
//!
//! A part of the text is in memory at a time. From where the last row ended, rows that are
//! plainly written are cut at once (`split`); where one is not, the next few are read one
//! after another, by the rules of CSV, and then the quick way is tried again. Both give
//! [`Block`]s, so that nobody behind them knows the difference.

use std::io::Read as _;

use csv::ByteRecord;
use csv_core::{ReadRecordResult, Reader};

use super::super::error::CatalogError;
use super::super::source::{COLUMNS, ROW_BYTES, Source};
use super::super::text::lines::Lines as Line;
use super::super::text::{Fault, Text};
use super::block::{Block, Lines};
use super::dialect::{Dialect, ends_in_open_quote};
use super::infer::Seen;
use super::ragged::Ragged;
use super::split::{Marks, Span, Spans};

/// Text in memory at a time, if its rows are short.
const PART: usize = 256 << 10;

/// Rows that are read one by one where one is not plain, and the bytes that end it early.
const CAREFUL: (usize, usize) = (32, 1 << 20);

/// See the module. Every row that is given has as many cells as the first; the others are
/// counted.
pub(super) struct Rows<'a> {
    source: &'a Source<'a>,
    part: Part<'a>,
    core: Reader,
    dialect: Dialect,
    first: ByteRecord,
    /// `None`: no rows are cut.
    marks: Option<Marks>,
    cut: Spans,
    /// Rows to be read one by one before any are cut.
    careful: usize,
    /// Cells of rows read one by one: their bytes, the places of all, the ends of the last.
    cells: Vec<u8>,
    spans: Vec<Span>,
    lines: Vec<u64>,
    ends: Vec<usize>,
    /// Where the last row begins that was read by itself: its line.
    line: u64,
    count: u64,
    ragged: Ragged,
    /// Lines without anything, and rows with empty cells beyond the last column.
    blank: u64,
    longer: Seen,
}

/// The text from the last row on, as far as it is in memory.
struct Part<'a> {
    text: Text<'a>,
    bytes: Vec<u8>,
    /// The last row that was read by itself, what follows it, and the end.
    row: usize,
    next: usize,
    end: usize,
    /// Of the text that was before `bytes`.
    before: u64,
    line: Line,
    ended: bool,
    /// Why no more can be read.
    failed: Option<std::io::Error>,
}

impl Part<'_> {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.next..self.end]
    }

    /// Reads on; `from` is the byte from which on all is needed. Whether there is more.
    fn fill(&mut self, from: usize) -> std::io::Result<bool> {
        if self.end - from > ROW_BYTES {
            return Err(Fault::TooLong.into());
        }
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let over = self.row.min(from);
        self.bytes.copy_within(over..self.end, 0);
        self.row -= over;
        self.next -= over;
        self.end -= over;
        self.before += over as u64;
        // A long row needs more memory, and gives it back.
        let most = from - over + ROW_BYTES + PART;
        self.bytes.resize((self.end * 2).next_power_of_two().max(PART).min(most), 0);
        self.bytes.shrink_to(self.bytes.len());
        let had = self.end;
        while !self.ended && self.end < self.bytes.len() {
            match self.text.read(&mut self.bytes[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(read) => self.end += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                // What comes before it is read first, so that the error has its line.
                Err(error) if self.end > had => {
                    self.failed = Some(error);
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(self.end > had)
    }
}

impl<'a> Rows<'a> {
    pub(super) fn open(source: &'a Source<'a>, dialect: Dialect) -> Result<Self, CatalogError> {
        let part = Part {
            text: source.text()?,
            bytes: vec![0; PART],
            row: 0,
            next: 0,
            end: 0,
            before: 0,
            line: Line::default(),
            ended: false,
            failed: None,
        };
        Ok(Self {
            source,
            part,
            core: dialect.core(),
            dialect,
            first: ByteRecord::new(),
            marks: None,
            cut: Spans::default(),
            careful: 0,
            cells: vec![0; 1 << 10],
            spans: Vec::new(),
            lines: Vec::new(),
            ends: vec![0; 64],
            line: 1,
            count: 0,
            ragged: Ragged::default(),
            blank: 0,
            longer: Seen::default(),
        })
    }

    /// The line on which the last row begins that was read by itself.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Rows below the first.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Bytes of the text that were read.
    pub(super) fn bytes(&self) -> u64 {
        self.part.before + self.part.next as u64
    }

    pub(super) fn text(&mut self) -> &mut Text<'a> {
        &mut self.part.text
    }

    /// The row that names the columns, as a rule; it says how many there are.
    pub(super) fn first(&mut self) -> Result<&ByteRecord, CatalogError> {
        let skipped = !self.dialect.sep_line || self.read(0)?.is_some();
        let Some(cells) = (if skipped { self.read(0)? } else { None }) else {
            return Err(self.source.whole("it is empty; the first line must name the columns"));
        };
        self.first = cells_of(&self.ends[..cells], 0).map(|at| &self.cells[at]).collect();
        if cells > COLUMNS {
            let what = format!("it has {cells} columns; the most is {COLUMNS}");
            return Err(self.source.whole(what));
        }
        Ok(&self.first)
    }

    /// Lets rows be cut; else they are all read one by one.
    pub(super) fn cut(&mut self) {
        let Dialect { delimiter, quote, escape, .. } = self.dialect;
        let marks = Marks { delimiter, quote, width: self.first.len() };
        self.marks = (escape.is_none() && marks.are_plain()).then_some(marks);
    }

    /// The next rows; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<Block<'_>>, CatalogError> {
        let width = self.first.len();
        self.source.check()?;
        if let Some(marks) = self.marks
            && self.careful == 0
        {
            let (line, begin, rows) = self.cut_rows(marks)?;
            if rows > 0 {
                let (bytes, spans) = (&self.part.bytes[begin..self.part.next], &self.cut.spans[..]);
                return Ok(Some(Block { bytes, spans, width, rows, lines: Lines::From(line) }));
            }
        }
        let (rows, bytes) = self.read_rows()?;
        let (bytes, spans) = (&self.cells[..bytes], &self.spans[..]);
        let lines = Lines::Each(&self.lines);
        Ok((rows > 0).then_some(Block { bytes, spans, width, rows, lines }))
    }

    /// Cuts what is in memory: the line and the place of the first row, and how many there are.
    fn cut_rows(&mut self, marks: Marks) -> Result<(u64, usize, usize), CatalogError> {
        loop {
            let part = &mut self.part;
            if part.line.open() && part.rest().first() == Some(&b'\n') {
                part.next += 1;
                part.line.close();
            }
            let (begin, line) = (part.next, part.line.line());
            let left = part.rest().len();
            let (whole, broken) = whole_characters(&part.rest()[..left.min(PART)]);
            let text = &mut part.bytes[begin..begin + whole];
            let cut = marks.cut(text, &mut self.cut);
            let at_end = cut.ran_out && !broken;
            if cut.rows > 0 {
                part.next += cut.end;
                part.row = part.next;
                part.line.rows(cut.rows);
                self.count += cut.rows as u64;
            }
            if !at_end {
                self.careful = CAREFUL.0;
            }
            if cut.rows > 0 || !at_end {
                return Ok((line, begin, cut.rows));
            }
            // A long row is not worth being looked at twice.
            if left > PART || !self.fill(self.part.next)? {
                self.careful = CAREFUL.0;
                return Ok((line, begin, 0));
            }
        }
    }

    fn fill(&mut self, begin: usize) -> Result<bool, CatalogError> {
        self.part.fill(begin).map_err(|error| {
            let part = &self.part;
            let begin = begin.min(part.end);
            self.source.failed(part.line.of_row(&part.bytes[begin..part.end]).0, error)
        })
    }

    /// Reads rows one by one: how many, and the bytes of their cells. None after the last.
    fn read_rows(&mut self) -> Result<(usize, usize), CatalogError> {
        self.spans.clear();
        self.lines.clear();
        let expected = self.first.len();
        let mut bytes = 0;
        let mut rows = 0;
        let mut left = if self.marks.is_some() { self.careful } else { CAREFUL.0 };
        while left > 0 && bytes < CAREFUL.1 {
            left -= 1;
            let Some(found) = self.read(bytes)? else { break };
            self.count += 1;
            let ends = &self.ends[..found];
            let beyond = ends.get(expected - 1) != ends.last();
            if found < expected || beyond {
                self.ragged.add(self.line, found);
                // Rows that are of no use are not gathered; there may be no others.
                left += 1;
                if self.count.is_multiple_of(4096) {
                    self.source.check()?;
                }
                continue;
            }
            if found > expected {
                self.longer.at(self.line);
            }
            let cells = cells_of(&ends[..expected], bytes);
            let spans = cells.filter_map(|cell| Span::new(cell.start, cell.end));
            self.spans.extend(spans);
            self.lines.push(self.line);
            bytes += ends.last().copied().unwrap_or(0);
            rows += 1;
        }
        self.careful = left;
        Ok((rows, bytes))
    }

    /// Reads one row, with its cells' bytes from `at` on: how many cells it has.
    fn read(&mut self, at: usize) -> Result<Option<usize>, CatalogError> {
        let mut begin = self.part.next;
        let (mut bytes, mut cells) = (at, 0);
        loop {
            if self.part.rest().is_empty() && !self.part.ended {
                let over = self.part.row;
                self.fill(begin)?;
                begin -= over;
            }
            let (result, read, written, ended) = self.core.read_record(
                &self.part.bytes[self.part.next..self.part.end],
                &mut self.cells[bytes..],
                &mut self.ends[cells..],
            );
            self.part.next += read;
            bytes += written;
            cells += ended;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.cells.resize(self.cells.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::End => return Ok(None),
                ReadRecordResult::Record => break,
            }
        }
        self.part.row = begin;
        let part = &mut self.part;
        let (line, blank) = part.line.row(&part.bytes[begin..part.next]);
        self.line = line;
        self.blank += blank;
        if !self.cells[at..bytes].is_ascii() {
            // Each cell by itself: two broken cells side by side may look whole together.
            let broken = |cell| std::str::from_utf8(&self.cells[cell]).is_err();
            if let Some(column) = cells_of(&self.ends[..cells], at).position(broken) {
                let column = Some(self.column(column));
                return Err(self.source.not_utf8(self.line, column));
            }
        }
        Ok(Some(cells))
    }

    /// A column, for an error: by its number, and its name if the first line has it.
    fn column(&self, at: usize) -> String {
        match self.first.get(at).and_then(|name| std::str::from_utf8(name).ok()) {
            Some(name) if !name.is_empty() => format!("column {} ({name})", at + 1),
            _ => format!("column {}", at + 1),
        }
    }

    /// After the last row: whether all had as many cells as the first, and whether a quote that
    /// was opened in the last cell was closed too, or the cell has swallowed the rest.
    pub(super) fn closed(&self) -> Result<(), CatalogError> {
        let last = &self.part.bytes[self.part.row..self.part.end];
        if ends_in_open_quote(last, self.dialect) {
            let what = "a quote opened in the last cell of this row is never closed";
            return Err(self.source.line(self.line, what));
        }
        self.ragged.check(self.source, self.first.len(), self.count)
    }

    /// What was passed over.
    pub(super) fn note(&self, notes: &mut Vec<String>) {
        let Seen { count, first } = self.longer;
        if count > 0 {
            notes.push(format!(
                "{count} rows have empty cells beyond the last column (first on line {first})"
            ));
        }
        // With one column, a blank line may have been meant as a missing value.
        if self.blank > 0 && self.first.len() == 1 {
            notes.push(format!("{} blank lines are no rows", self.blank));
        }
    }
}

/// The places of cells that end there, one behind another, and the first of them at `at`.
fn cells_of(ends: &[usize], at: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(move |(start, end)| at + start..at + end)
}

/// How many bytes are whole characters, and whether what follows them cannot become one.
fn whole_characters(text: &[u8]) -> (usize, bool) {
    if text.is_ascii() {
        return (text.len(), false);
    }
    match std::str::from_utf8(text) {
        Ok(_) => (text.len(), false),
        Err(error) => (error.valid_up_to(), error.error_len().is_some()),
    }
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
