//! How a text table is written: its delimiter, its header, its last quote.

use std::collections::HashSet;
use std::io::{Read as _, Seek as _, SeekFrom};

use csv::{ByteRecord, ReaderBuilder};

use super::super::error::CatalogError;
use super::super::folder::Format;
use super::super::source::{COLUMNS, ROW_BYTES, Source};
use super::cell::{Cell, classify};

/// Read to find the delimiter.
const SAMPLE_BYTES: u64 = 256 << 10;
const SAMPLE_ROWS: usize = 200;

/// In the order in which they are preferred.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How the file is written.
#[derive(Clone, Copy)]
pub(super) struct Dialect {
    pub delimiter: u8,
    /// Lines end in CR LF.
    pub crlf: bool,
}

/// Looks at the beginning of the file.
pub(super) fn dialect(
    source: &Source<'_>,
    notes: &mut Vec<String>,
) -> Result<Dialect, CatalogError> {
    let mut sample = Vec::new();
    source.reader()?.take(SAMPLE_BYTES).read_to_end(&mut sample).map_err(|e| source.read(e))?;
    let line = sample.iter().position(|b| *b == b'\n').unwrap_or(0);
    let crlf = sample[..line].ends_with(b"\r");
    let delimiter = if source.format == Format::Tsv { b'\t' } else { delimiter(&sample, notes) };
    Ok(Dialect { delimiter, crlf })
}

/// What separates cells: that of `, ; tab |` which cuts nearly all of the first
/// rows into the same, largest number of cells.
fn delimiter(sample: &[u8], notes: &mut Vec<String>) -> u8 {
    let whole = (sample.len() as u64) < SAMPLE_BYTES;
    let mut best = (0, b',');
    for delimiter in DELIMITERS {
        let score = cells_per_row(sample, delimiter, whole);
        if score > best.0 {
            best = (score, delimiter);
        }
    }
    match best {
        (2.., b',') | (0..=1, _) => return b',',
        (_, b'\t') => notes.push("cells are separated by tabs".into()),
        (_, other) => notes.push(format!("cells are separated by `{}`", char::from(other))),
    }
    best.1
}

/// The header's number of cells, if nearly all rows of the sample have as many.
fn cells_per_row(sample: &[u8], delimiter: u8, whole: bool) -> usize {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(sample);
    let mut widths = Vec::new();
    let mut record = ByteRecord::new();
    while widths.len() <= SAMPLE_ROWS && matches!(reader.read_byte_record(&mut record), Ok(true)) {
        widths.push(record.len());
    }
    // The sample may end within a row.
    if !whole && widths.len() <= SAMPLE_ROWS && widths.len() > 1 {
        widths.pop();
    }
    let Some(&header) = widths.first() else { return 0 };
    let alike = widths.iter().filter(|w| **w == header).count();
    if alike * 10 >= widths.len() * 9 { header } else { 0 }
}

/// The columns' names, all there and all different.
pub(super) fn names(
    source: &Source<'_>,
    header: &ByteRecord,
    notes: &mut Vec<String>,
) -> Result<Vec<String>, CatalogError> {
    if header.len() > COLUMNS {
        let what = format!("it has {} columns; the most is {COLUMNS}", header.len());
        return Err(source.whole(what));
    }
    if header.as_slice().contains(&0) {
        return Err(source.whole("it is not a text file, or in UTF-16; save it as UTF-8"));
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

/// Whether the row that begins at byte `begin`, the file's last, ends inside quotes.
pub(super) fn ends_in_open_quote(
    source: &Source<'_>,
    begin: u64,
    delimiter: u8,
) -> Result<bool, CatalogError> {
    let mut file = source.file;
    let mut row = Vec::new();
    file.seek(SeekFrom::Start(begin)).map_err(|e| source.read(e))?;
    file.take(ROW_BYTES as u64).read_to_end(&mut row).map_err(|e| source.read(e))?;
    #[derive(Clone, Copy, PartialEq)]
    enum At {
        Start,
        Bare,
        Quoted,
        /// A quote within quotes: the end, or the first of two.
        Quote,
    }
    let mut at = At::Start;
    for byte in row {
        at = match (at, byte) {
            (At::Start | At::Quote, b'"') => At::Quoted,
            (At::Quoted, b'"') => At::Quote,
            (At::Quoted, _) => At::Quoted,
            (_, b) if b == delimiter || b == b'\n' || b == b'\r' => At::Start,
            _ => At::Bare,
        };
    }
    Ok(at == At::Quoted)
}
