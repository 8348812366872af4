//! Rows that are cut against rows that are read by the `csv` crate: the same cells, on the
//! same lines.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and set their scenes by path"
)]

use std::io::Write as _;

use super::super::super::folder::Format;
use super::super::super::text::packed::Packing;
use super::super::dialect::Dialect;
use super::{CatalogError, Rows, Source};

/// A row's line and cells.
type Found = Vec<(u64, Vec<Vec<u8>>)>;

const PLAIN: Dialect = Dialect { delimiter: b',', quote: b'"', escape: None, sep_line: false };

fn source(file: &std::fs::File) -> Source<'_> {
    Source {
        file,
        path: "t.csv",
        format: Format::Csv,
        packing: Packing::None,
        encoding: encoding_rs::UTF_8,
        stop: &|| false,
    }
}

/// What is found, what is noted, and what ends it. `cut`: rows may be cut.
fn read(text: &[u8], dialect: Dialect, cut: bool) -> (Found, Vec<String>, Option<String>) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text).unwrap();
    let source = source(&file);
    let mut found = Vec::new();
    let mut notes = Vec::new();
    let mut all = || -> Result<(), CatalogError> {
        let mut rows = Rows::open(&source, dialect)?;
        let first = rows.first()?.iter().map(<[u8]>::to_vec).collect();
        found.push((rows.line(), first));
        if cut {
            rows.cut();
        }
        while let Some(block) = rows.next()? {
            let from = found.len();
            for at in 0..block.width {
                for (row, cell) in block.column(at).iter() {
                    if at == 0 {
                        found.push((block.column(at).line(row), Vec::new()));
                    }
                    found[from + row].1.push(cell.to_vec());
                }
            }
            assert_eq!(found.len(), from + block.rows);
        }
        rows.note(&mut notes);
        rows.closed()
    };
    let error = all().err().map(|error| error.to_string());
    (found, notes, error)
}

/// The rows as the `csv` crate has them, with as many cells as the first.
fn by_crate(text: &[u8], dialect: Dialect) -> Vec<Vec<Vec<u8>>> {
    let mut rows: Vec<Vec<Vec<u8>>> = dialect
        .reader()
        .from_reader(text)
        .byte_records()
        .map(|row| row.unwrap().iter().map(<[u8]>::to_vec).collect())
        .collect();
    let width = rows.first().map_or(0, Vec::len);
    rows.retain_mut(|row| {
        let beyond = row.iter().skip(width).all(Vec::is_empty);
        row.truncate(width);
        row.len() == width && beyond
    });
    rows
}

/// The line of each row, by the rule: lines end with LF, CR LF or CR; those with nothing in
/// them are no rows; a line end within quotes ends no row.
fn same(text: &[u8], dialect: Dialect) -> usize {
    let shown = String::from_utf8_lossy(text);
    let quick = read(text, dialect, true);
    let careful = read(text, dialect, false);
    assert_eq!((&quick.1, &quick.2), (&careful.1, &careful.2), "{shown:?}");
    if quick.2.is_some_and(|error| error.contains("UTF-8")) {
        // Nothing is made of the rows before it.
        return 0;
    }
    assert_eq!(quick.0, careful.0, "{shown:?}");
    if std::str::from_utf8(text).is_ok() && !quick.0.is_empty() {
        let cells: Vec<_> = quick.0.iter().map(|(_, cells)| cells.clone()).collect();
        assert_eq!(cells, by_crate(text, dialect), "{shown:?}");
    }
    quick.0.len()
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

#[test]
fn any_text_is_cut_as_it_is_read() {
    let pieces: [&[u8]; 22] = [
        b",",
        b",",
        b",",
        b"\n",
        b"\n",
        b"\r\n",
        b"\r",
        b"\"",
        b"\"",
        b"\"\"",
        b"a",
        b"12",
        b" ",
        b"\"x\"",
        b"\"a,b\"",
        b"\"a\"\"b\"",
        b"\"\n\"",
        b"\xc3\xa9",
        b"\xc3",
        b"\\\"",
        b"'",
        b";",
    ];
    let mut random = Random(3);
    for _ in 0..20_000 {
        let mut text = b"a,b,c\n"[2 * random.below(3)..].to_vec();
        for _ in 0..random.below(40) {
            text.extend_from_slice(pieces[random.below(pieces.len())]);
        }
        let dialect = match random.below(4) {
            0 => Dialect { quote: b'\'', ..PLAIN },
            1 => Dialect { delimiter: b';', ..PLAIN },
            _ => PLAIN,
        };
        same(&text, dialect);
    }
}

#[test]
fn tables_with_a_few_odd_rows_are_cut_as_they_are_read() {
    let odd: [&[u8]; 14] = [
        b"1,2\n",
        b"1,2,3,4\n",
        b"1,2,3,,\n",
        b"\n",
        b"\r\n\r\n",
        b"1,\"2\n2\",3\n",
        b"1,a\"b,3\n",
        b"1,\"2\"x,3\n",
        b"1,2,3\r",
        b"\xff,2,3\n",
        b"1,\"\xc3\",3\n",
        b"1,\"2",
        b"\"\",\"\",\"\"\n",
        b"1,\"say \"\"so\"\"\",\"\"\"\"\n",
    ];
    let plain: [&[u8]; 5] =
        [b"1,2,3\n", b"1,2,3\r\n", b",,\n", b"\"a, b\",\"\xc3\xa9\",3\n", b"abc,,-1.5\n"];
    let mut random = Random(4);
    for round in 0..60 {
        let mut text = b"x,y,z\n".to_vec();
        for _ in 0..random.below(20_000) {
            if random.below(5_000) < round % 7 {
                text.extend_from_slice(odd[random.below(odd.len())]);
            } else {
                text.extend_from_slice(plain[random.below(plain.len())]);
            }
        }
        same(&text, PLAIN);
    }
}

#[test]
fn lines_are_counted_over_what_is_cut_and_what_is_not() {
    let text = b"a,b\n1,2\r\n\r\n3,4\n\"5\n5\",6\n7,8\r\n\n\n9,10\n";
    let (found, _, error) = read(text, PLAIN, true);
    let lines: Vec<u64> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!((lines, error), (vec![1, 2, 4, 5, 7, 10], None));
}

#[test]
fn a_character_that_the_memory_cuts_in_two_is_whole() {
    for shift in 0..4 {
        let mut text = b"a,b\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', shift));
        while text.len() < 3 * super::PART {
            text.extend_from_slice("\u{20ac}\u{20ac}\u{20ac},\u{e9}\n".as_bytes());
        }
        assert!(same(&text, PLAIN) > 50_000);
    }
}

#[test]
fn a_row_that_is_longer_than_the_memory_is_whole_and_the_memory_is_given_back() {
    let mut text = b"a,b\n1,2\n".to_vec();
    text.extend(std::iter::repeat_n(b'x', 5 * super::PART));
    text.extend_from_slice(b",3\n");
    text.extend_from_slice(&b"4,5\n".repeat(1 << 19));
    assert_eq!(same(&text, PLAIN), 3 + (1 << 19));
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&text).unwrap();
    let source = source(&file);
    let mut rows = Rows::open(&source, PLAIN).unwrap();
    rows.first().unwrap();
    rows.cut();
    let mut most = 0;
    while let Some(block) = rows.next().unwrap() {
        if block.rows > super::CAREFUL.0 {
            most = most.max(block.bytes.len());
        }
    }
    assert!(most <= super::PART, "{most}");
    assert!(rows.part.bytes.len() <= 2 * super::PART);
}
