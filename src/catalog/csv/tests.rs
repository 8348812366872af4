//! Small tables whose right reading is known by hand. The types and values are
//! what native pandas gives, except where it loses digits or guesses: those
//! cases say so.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and set their scenes by path"
)]

use super::super::tests::{Desk, go};
use super::super::{CatalogError, Dataset};
use crate::type_name::type_name;

fn read(contents: impl AsRef<[u8]>) -> Result<Dataset, CatalogError> {
    Desk::new().write("t.csv", contents).catalog().table("t", &go)
}

fn error(contents: impl AsRef<[u8]>) -> String {
    read(contents).unwrap_err().to_string()
}

/// Names with types, and the cells, `-` for missing.
fn shown(dataset: &Dataset) -> (Vec<String>, Vec<Vec<String>>) {
    let fields = dataset.table.schema().fields();
    let types =
        fields.iter().map(|f| format!("{}: {}", f.name(), type_name(f.data_type()))).collect();
    let mut rows = Vec::new();
    for batch in dataset.table.batches(None, None).unwrap() {
        let batch = batch.unwrap();
        let options = arrow::util::display::FormatOptions::default().with_null("-");
        for row in 0..batch.num_rows() {
            let cell = |column: &arrow::array::ArrayRef| {
                let naive = arrow::util::display::ArrayFormatter::try_new(column, &options);
                naive.map_or("?".into(), |f| f.value(row).to_string())
            };
            rows.push(batch.columns().iter().map(cell).collect());
        }
    }
    (types, rows)
}

/// One column's type, from its cells.
fn type_of(cells: &[&str]) -> String {
    let dataset =
        read(format!("x,y\n{}", cells.iter().map(|c| format!("{c},1\n")).collect::<String>()));
    shown(&dataset.unwrap()).0[0].trim_start_matches("x: ").to_owned()
}

fn notes(contents: &str) -> Vec<String> {
    read(contents).unwrap().notes
}

#[test]
fn a_plain_table() {
    let dataset = read(
        "id,price,on,ok,who\n1,2.5,2024-01-31,true,Ann\n2,,2024-02-29,false,\"a, \"\"b\"\"\"\n",
    )
    .unwrap();
    let (types, rows) = shown(&dataset);
    assert_eq!(types, ["id: int64", "price: float64", "on: date", "ok: bool", "who: text"]);
    assert_eq!(rows[0], ["1", "2.5", "2024-01-31", "true", "Ann"]);
    assert_eq!(rows[1], ["2", "-", "2024-02-29", "false", "a, \"b\""]);
    assert!(dataset.notes.is_empty(), "{:?}", dataset.notes);
}

#[test]
fn types_are_never_a_wrong_number() {
    for (cells, expected) in [
        (&["1", "-2", ""][..], "int64"),
        (&["9223372036854775807"], "int64"),
        (&["18446744073709551615", "0"], "uint64"),
        (&["18446744073709551615", "-1"], "text"), // pandas: float64, 1.8446744073709552e19
        (&["18446744073709551616"], "text"),
        (&["007", "012"], "text"), // pandas: 7, 12
        (&["1", "2.5"], "float64"),
        (&["9007199254740993", "2.5"], "text"), // pandas: 9007199254740992.0
        (&["9007199254740992", "2.5"], "float64"),
        (&["1e400", "1.5"], "text"), // pandas: inf
        (&["inf", "-Infinity", "1"], "float64"),
        (&["inf", "inf"], "text"),
        (&["TRUE", "FALSE"], "bool"),
        (&["true", "FALSE"], "text"),
        (&["1", "true"], "text"),
        (&["2024-01-01", "2024-02-30"], "text"),
        (&["2024-01-01", "2024-01-01 00:00:00"], "text"),
        (&["2024-01-01T10:00:00Z", "2024-01-01 10:00:00+03:00"], "timestamp[us, UTC]"),
        (&["2024-01-01T10:00:00Z", "2024-01-01 10:00:00"], "text"),
        (&["2024-01-01 10:00", "2024-01-01 10:00:00.123456"], "timestamp[us]"),
        (&["2024-01-01 10:00:00.1234567"], "timestamp[ns]"),
        (&["2024-01-01 10:00:00.1234567", "1500-01-01 00:00:00"], "text"),
        (&["", ""], "null"),
        (&["+1", "+2"], "text"),
    ] {
        assert_eq!(type_of(cells), expected, "{cells:?}");
    }
}

#[test]
fn offsets_are_converted_to_utc() {
    let dataset = read("t,k\n2013-01-01T09:00:00+03:00,1\n2013-01-01T06:00:00.5Z,2\n").unwrap();
    let batch = dataset.table.batches(None, None).unwrap().next().unwrap().unwrap();
    let times = arrow::array::AsArray::as_primitive::<arrow::datatypes::TimestampMicrosecondType>(
        batch.column(0),
    );
    // date -u -d 2013-01-01T06:00:00Z +%s
    assert_eq!(times.values().as_ref(), [1_357_020_000_000_000, 1_357_020_000_500_000]);
    assert_eq!(dataset.notes, ["t has UTC offsets and is converted to UTC"]);
}

#[test]
fn na_is_missing_where_the_file_says_so_and_a_country_elsewhere() {
    let dataset = read("delay,tail,code\n3,N1,x\nNA,NA,null\n").unwrap();
    let (types, rows) = shown(&dataset);
    assert_eq!(types, ["delay: int64", "tail: text", "code: text"]);
    assert_eq!(rows[1], ["-", "-", "null"]);
    assert_eq!(
        dataset.notes,
        ["NA is read as missing in delay, tail", "null is kept as a text in code"]
    );
    let (_, rows) = shown(&read("country,n\nNA,1\nDE,\n").unwrap());
    assert_eq!(rows[0], ["NA", "1"]);
    assert_eq!(notes("country,n\nNA,1\nDE,\n"), ["NA is kept as a text in country"]);
    let (types, rows) = shown(&read("x,y,z\nNaN,None,NaN\n1.5,None,a\n").unwrap());
    assert_eq!(types, ["x: float64", "y: text", "z: text"]);
    assert_eq!(rows[0], ["-", "None", "-"]);
    let (types, _) = shown(&read("x,speed\nNA,NA\n1,NA\n").unwrap());
    assert_eq!(types, ["x: int64", "speed: null"]);
}

#[test]
fn decisions_a_reader_would_not_guess_are_noted() {
    assert_eq!(notes("id,n\n007,1\n"), ["id is kept as text: leading zeros (line 2)"]);
    let nine = "1,1\n".repeat(19);
    assert_eq!(
        notes(&format!("q,n\n{nine}secret,1\n")),
        ["q is kept as text: 1 of 20 values are not numbers (first on line 21)"]
    );
    assert_eq!(
        notes("w,n\n10.357019999999999,1\n"),
        ["w is float64 but has values of 17 digits: the last may be rounded"]
    );
    assert!(notes("1,2\n3,4\n")[0].starts_with("every column name is a number"));
}

#[test]
fn headers_end_up_all_there_and_all_different() {
    let dataset = read("a,,a,a_2,b\n1,2,3,4,5\n").unwrap();
    let (types, _) = shown(&dataset);
    let names: Vec<_> = types.iter().map(|t| t.split(':').next().unwrap()).collect();
    assert_eq!(names, ["a", "column_2", "a_3", "a_2", "b"]);
    assert_eq!(
        dataset.notes,
        [
            "column 2 has no name in the header and is called column_2",
            "column 3 repeats the name a and is called a_3"
        ]
    );
}

#[test]
fn delimiters_are_found_and_marks_dropped() {
    for (text, note) in [
        ("a;b\n1.5;x\n2.5;y\n", "cells are separated by `;`"),
        ("a\tb\n1.5\tx\n", "cells are separated by tabs"),
        ("a|b\n1.5|x\n", "cells are separated by `|`"),
    ] {
        let dataset = read(text).unwrap();
        assert_eq!((shown(&dataset).0.len(), dataset.notes), (2, vec![note.to_owned()]));
    }
    let (types, rows) = shown(&read("\u{feff}a,b\r\n1,\"x;y;z\"\r\n").unwrap());
    assert_eq!(
        (types, rows),
        (vec!["a: int64".into(), "b: text".into()], vec![vec!["1".into(), "x;y;z".into()]])
    );
    let desk = Desk::new();
    let tsv = desk.write("t.tsv", "a\tb\n1,5\t2\n").catalog().table("t", &go).unwrap();
    assert_eq!(shown(&tsv).0, ["a: float64", "b: int64"]);
    assert_eq!(tsv.notes, ["the comma is read as the decimal mark in a"]);
}

#[test]
fn what_cannot_be_read_rightly_is_an_error_with_its_line() {
    let ragged = "`t.csv`, line 3: found 1 cell where the header names 2 columns; \
                  mend the row (a delimiter or a line break inside a cell needs quotes around the \
                  cell)";
    assert_eq!(error("a,b\n1,2\n3\n4,5\n"), ragged);
    assert_eq!(error("a,b\r\n1,2\r\n3\r\n4,5\r\n"), ragged);
    assert_eq!(error("a,b\n\n3\n"), ragged); // a blank line counts
    assert_eq!(error("a,b\n1,2\n3"), ragged);
    assert!(error("a,b\n\"1\n1\",2\n3,4,5\n").contains("line 4: found 3 cells"));
    assert!(
        error(b"a,b\n1,2\n\xff,2\n").starts_with("`t.csv`, line 3, column 1 (a): it is not UTF-8")
    );
    // Two broken halves side by side, which would be whole if taken together.
    assert!(error(b"a,b\n\xc3,\xa9\n").contains("line 2, column 1 (a): it is not UTF-8"));
    assert!(error(b"\xff\xfea\0,\0b\0\n\0\x00").contains("not UTF-16LE"));
    assert!(error(b"a\0\0b,c\n1,2\n").contains("zero bytes"));
    assert_eq!(error(""), "`t.csv`: it is empty; the first line must name the columns");
    assert!(error("a,b\n1,\"x\n2,y\n3,z\n").contains("line 2: a quote opened"));
    assert_eq!(read("a,b\n1,\"x\ny\"\n").unwrap().table.rows(), 1);
}

#[test]
fn a_row_may_be_long_but_not_endless() {
    let long = |bytes: usize| format!("a,b\n1,\"{}\"\n", "x".repeat(bytes));
    assert_eq!(read(long(60 << 20)).unwrap().table.rows(), 1);
    assert!(error(long(70 << 20)).contains("no end within 64 MiB"));
}

#[test]
fn a_header_alone_is_an_empty_table() {
    let dataset = read("a,b\n").unwrap();
    assert_eq!(
        (dataset.table.rows(), shown(&dataset).0),
        (0, vec!["a: null".into(), "b: null".into()])
    );
}

#[test]
fn columns_are_counted() {
    let wide = |n: usize| {
        let names: Vec<String> = (0..n).map(|c| format!("c{c}")).collect();
        names.join(",") + "\n"
    };
    assert_eq!(read(wide(16_384)).unwrap().table.schema().fields().len(), 16_384);
    assert!(error(wide(16_385)).contains("it has 16385 columns; the most is 16384"));
}

#[test]
fn many_batches_and_a_late_surprise() {
    let mut text = "n,t\n".to_owned();
    for n in 0..150_000 {
        text += &format!("{n},v{}\n", n % 7);
    }
    let dataset = read(&text).unwrap();
    assert_eq!((dataset.table.rows(), shown(&dataset).0[0].as_str()), (150_000, "n: int64"));
    // The last of all cells decides.
    assert_eq!(shown(&read(text + "0.5,v\n").unwrap()).0[0], "n: float64");
}

#[test]
fn what_the_last_row_says_overrules_the_first_twenty_thousand() {
    let row = "7,2.5,2024-01-31,NA,Ann\n";
    let body = row.repeat(super::GUESS.0 + 10);
    for (last, types) in [
        ("8,3.5,2024-02-29,NA,Bob\n", ["int64", "float64", "date", "text", "text"]),
        ("8.5,3,2024-02-29,NA,Bob\n", ["float64", "float64", "date", "text", "text"]),
        ("x,3.5,2024-02-29 10:00,NA,Bob\n", ["text", "float64", "text", "text", "text"]),
        ("007,9007199254740993,2024-02-30,NA,1\n", ["text", "text", "text", "text", "text"]),
        // The file's mark of a missing number is one in its texts, from the first row on.
        ("NA,3.5,2024-02-29,NA,Bob\n", ["int64", "float64", "date", "null", "text"]),
    ] {
        let (found, cells) = shown(&read(format!("a,b,c,d,e\n{body}{last}")).unwrap());
        let names = ["a", "b", "c", "d", "e"];
        let expected: Vec<String> =
            names.iter().zip(types).map(|(name, of)| format!("{name}: {of}")).collect();
        assert_eq!(found, expected, "{last}");
        assert_eq!(cells.len(), super::GUESS.0 + 11, "{last}");
        // The same as when nothing was left to guess.
        let (first, early) = shown(&read(format!("a,b,c,d,e\n{last}{body}")).unwrap());
        assert_eq!(first, found, "{last}");
        assert_eq!((&early[0], &early[1]), (cells.last().unwrap(), &cells[0]), "{last}");
    }
}

#[test]
fn whether_the_first_line_is_names_is_said_by_all_rows() {
    let body = "1,2\n".repeat(super::GUESS.0 + 10);
    for last in ["1,2\n", "x,y\n", "1,\n"] {
        let late = shown(&read(format!("10,20\n{body}{last}")).unwrap());
        let early = shown(&read(format!("10,20\n{last}{body}")).unwrap());
        assert_eq!((late.0, late.1.len()), (early.0, early.1.len()), "{last}");
    }
}
