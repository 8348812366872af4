//! How a text table is written: its delimiter, its header, its last quote.

use std::collections::HashSet;
use std::io::Read as _;

use csv::{ByteRecord, ReaderBuilder};

use super::super::error::CatalogError;
use super::super::folder::Format;
use super::super::source::{COLUMNS, Source};
use super::build::Columns;
use super::cell::{Cell, classify};
use super::infer::{Plan, Type};

/// Read to find the delimiter.
const SAMPLE_BYTES: u64 = 256 << 10;
const SAMPLE_ROWS: usize = 200;

/// In the order in which they are preferred.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How the file is written.
#[derive(Clone, Copy)]
pub(super) struct Dialect {
    pub delimiter: u8,
    pub quote: u8,
    /// What a quote within quotes has before it, if it is not doubled.
    pub escape: Option<u8>,
    /// A first line `sep=;`, as Excel reads and writes it.
    pub sep_line: bool,
}

impl Dialect {
    pub(super) fn reader(self) -> ReaderBuilder {
        let mut builder = ReaderBuilder::new();
        builder
            .has_headers(false)
            .flexible(true)
            .delimiter(self.delimiter)
            .quote(self.quote)
            .escape(self.escape);
        builder
    }

    /// The same rules, for whoever holds the text.
    pub(super) fn core(self) -> csv_core::Reader {
        let mut builder = csv_core::ReaderBuilder::new();
        builder.delimiter(self.delimiter).quote(self.quote).escape(self.escape);
        builder.build()
    }
}

/// Looks at the beginning of the file.
pub(super) fn dialect(
    source: &Source<'_>,
    notes: &mut Vec<String>,
) -> Result<Dialect, CatalogError> {
    let mut sample = Vec::new();
    let pass = source.reader()?;
    if let Some(encoding) = pass.encoding() {
        notes.push(format!("the file is read as {}", encoding.to_lowercase()));
    }
    pass.take(SAMPLE_BYTES).read_to_end(&mut sample).map_err(|e| source.failed(1, e))?;
    let mut found = Dialect { delimiter: b',', quote: b'"', escape: None, sep_line: false };
    if is_quoted_by(&sample, b'\'') {
        found.quote = b'\'';
        notes.push("texts are in single quotes".into());
    }
    if let [b's', b'e', b'p', b'=', delimiter, b'\r' | b'\n', ..] = sample[..] {
        notes.push("the first line names what separates cells and is no row".into());
        return Ok(Dialect { delimiter, sep_line: true, ..found });
    }
    if source.format == Format::Tsv {
        found.delimiter = b'\t';
        return Ok(found);
    }
    let mut best = delimiter(&sample, found);
    if memchr::memmem::find(&sample, b"\\\"").is_some() {
        let escaped = delimiter(&sample, Dialect { escape: Some(b'\\'), ..found });
        if escaped.alike > best.alike {
            notes.push("a quote within quotes is written as \\\"".into());
            found.escape = Some(b'\\');
            best = escaped;
        }
    }
    found.delimiter = best.delimiter;
    match found.delimiter {
        b',' => {}
        b'\t' => notes.push("cells are separated by tabs".into()),
        other => notes.push(format!("cells are separated by `{}`", char::from(other))),
    }
    Ok(found)
}

/// Whether nearly every such mark stands at a cell's end, so that it is no apostrophe.
fn is_quoted_by(sample: &[u8], mark: u8) -> bool {
    if sample.contains(&b'"') {
        return false;
    }
    let is_edge = |b: Option<&u8>| b.is_none_or(|b| b"\r\n".contains(b) || DELIMITERS.contains(b));
    let (mut all, mut opens, mut closes) = (0, 0, 0);
    for at in memchr::memchr_iter(mark, sample) {
        all += 1;
        opens += usize::from(is_edge(at.checked_sub(1).and_then(|before| sample.get(before))));
        closes += usize::from(is_edge(sample.get(at + 1)));
    }
    all >= 4 && opens.abs_diff(closes) * 10 <= all && (opens + closes) * 10 >= all * 9
}

/// A delimiter, and how well it cuts the sample.
struct Cut {
    delimiter: u8,
    /// Of a thousand rows, those with the header's number of cells.
    alike: usize,
}

/// What separates cells: that of `, ; tab |` which cuts nearly all of the first
/// rows into the same, largest number of cells.
fn delimiter(sample: &[u8], dialect: Dialect) -> Cut {
    let whole = (sample.len() as u64) < SAMPLE_BYTES;
    let mut best = (1, Cut { delimiter: b',', alike: 0 });
    for delimiter in DELIMITERS {
        let (cells, alike) = cells_per_row(sample, Dialect { delimiter, ..dialect }, whole);
        if delimiter == b',' {
            best.1.alike = alike;
        }
        if alike >= 900 && cells > best.0 {
            best = (cells, Cut { delimiter, alike });
        }
    }
    best.1
}

/// The header's number of cells, and how many rows in a thousand have as many.
fn cells_per_row(sample: &[u8], dialect: Dialect, whole: bool) -> (usize, usize) {
    let mut reader = dialect.reader().from_reader(sample);
    let mut widths = Vec::new();
    let mut record = ByteRecord::new();
    while widths.len() <= SAMPLE_ROWS && matches!(reader.read_byte_record(&mut record), Ok(true)) {
        widths.push(record.len());
    }
    // The sample may end within a row.
    if !whole && widths.len() <= SAMPLE_ROWS && widths.len() > 1 {
        widths.pop();
    }
    let Some(&header) = widths.first() else { return (0, 0) };
    let alike = widths.iter().filter(|w| **w == header).count();
    (header, alike * 1000 / widths.len())
}

/// Whether the first line is a row like those below it. It is, if in every column that
/// is not of texts it holds a value of the column's type; but years and numbers that
/// count up are names.
pub(super) fn first_is_a_row(first: &ByteRecord, plans: &[Plan]) -> bool {
    let typed = |plan: &Plan| !matches!(plan.kind, Type::Text | Type::Null);
    if !plans.iter().any(typed) || !Columns::new(plans).holds(first) {
        return false;
    }
    let cells = plans.iter().zip(first).filter(|(plan, _)| typed(plan));
    let whole: Option<Vec<i64>> = cells
        .map(|(_, cell)| match classify(cell) {
            Cell::Int(value) => Some(value),
            _ => None,
        })
        .collect();
    whole.is_none_or(|whole| {
        let years = whole.iter().all(|value| (1800..=2200).contains(value));
        let counts = whole.len() > 1 && whole.windows(2).all(|pair| pair[1] - pair[0] == 1);
        !years && !counts
    })
}

/// Names for the columns of a file without a header.
pub(super) fn numbered(width: usize, notes: &mut Vec<String>) -> Vec<String> {
    notes.push(
        "the file has no header: its first line holds values like those below, so the columns \
         are called column_1, column_2 and so on"
            .into(),
    );
    (1..=width).map(|number| format!("column_{number}")).collect()
}

/// The columns' names, all there and all different.
pub(in crate::catalog) fn names(
    source: &Source<'_>,
    header: &ByteRecord,
    notes: &mut Vec<String>,
) -> Result<Vec<String>, CatalogError> {
    if header.len() > COLUMNS {
        let what = format!("it has {} columns; the most is {COLUMNS}", header.len());
        return Err(source.whole(what));
    }
    if header.as_slice().contains(&0) {
        return Err(source.whole("it is not a text file: its first line holds zero bytes"));
    }
    let number = |c| matches!(classify(c), Cell::Int(_) | Cell::Number { .. } | Cell::ZeroLed);
    if header.iter().all(number) {
        notes.push(
            "every column name is a number: if the file has no header line, add one, \
             because the first line is always read as the names"
                .into(),
        );
    }
    // Names that stand in the file keep themselves; only what repeats is renamed.
    let written: Vec<String> =
        header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let mut taken: HashSet<String> = written.iter().cloned().collect();
    let mut seen = HashSet::new();
    let mut names = Vec::with_capacity(written.len());
    for (at, name) in written.into_iter().enumerate() {
        if !name.is_empty() && seen.insert(name.clone()) {
            names.push(name);
            continue;
        }
        let (base, mut number) =
            if name.is_empty() { ("column", at + 1) } else { (name.as_str(), 2) };
        let mut given = format!("{base}_{number}");
        while !taken.insert(given.clone()) {
            number += 1;
            given = format!("{base}_{number}");
        }
        notes.push(if name.is_empty() {
            format!("column {} has no name in the header and is called {given}", at + 1)
        } else {
            format!("column {} repeats the name {name} and is called {given}", at + 1)
        });
        names.push(given);
    }
    Ok(names)
}

/// Whether a row, as it stands in the file, ends inside quotes.
pub(super) fn ends_in_open_quote(row: &[u8], dialect: Dialect) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum At {
        Start,
        Bare,
        Quoted,
        /// Behind the mark that takes a quote's meaning.
        Escaped,
        /// A quote within quotes: the end, or the first of two.
        Quote,
    }
    let mut at = At::Start;
    for &byte in row {
        at = match (at, byte) {
            (At::Escaped, _) => At::Quoted,
            (At::Quoted, b) if Some(b) == dialect.escape => At::Escaped,
            (At::Start | At::Quote, b) if b == dialect.quote => At::Quoted,
            (At::Quoted, b) if b == dialect.quote => At::Quote,
            (At::Quoted, _) => At::Quoted,
            (_, b) if b == dialect.delimiter || b == b'\n' || b == b'\r' => At::Start,
            _ => At::Bare,
        };
    }
    matches!(at, At::Quoted | At::Escaped)
}
