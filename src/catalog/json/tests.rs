//! JSON whose right reading is known by hand.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and set their scenes by path"
)]

use arrow::json::LineDelimitedWriter;

use super::super::tests::{Desk, go};
use super::super::{CatalogError, Dataset};
use crate::type_name::type_name;

fn read(contents: impl AsRef<[u8]>) -> Result<Dataset, CatalogError> {
    Desk::new().write("t.json", contents).catalog().table("t", &go)
}

fn error(contents: impl AsRef<[u8]>) -> String {
    read(contents).unwrap_err().to_string()
}

fn types(dataset: &Dataset) -> Vec<String> {
    let fields = dataset.table.schema().fields();
    fields.iter().map(|f| format!("{}: {}", f.name(), type_name(f.data_type()))).collect()
}

fn type_of(values: &[&str]) -> String {
    let text: String = values.iter().map(|v| format!("{{\"x\": {v}}}\n")).collect();
    types(&read(text).unwrap())[0].trim_start_matches("x: ").to_owned()
}

/// The rows written as JSON again, by arrow.
fn rows(dataset: &Dataset) -> String {
    let mut out = Vec::new();
    let mut writer = LineDelimitedWriter::new(&mut out);
    for batch in dataset.table.batches(None, None).unwrap() {
        writer.write(&batch.unwrap()).unwrap();
    }
    writer.finish().unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn an_array_and_lines_are_the_same_table() {
    let array =
        read("\u{feff} [ {\"a\": 1, \"b\": \"x\"},\n {\"b\": null, \"c\": [1.5, 2]} ]\n").unwrap();
    let lines = read("{\"a\": 1, \"b\": \"x\"}\n\n{\"b\": null, \"c\": [1.5, 2]}").unwrap();
    for dataset in [array, lines] {
        assert_eq!(types(&dataset), ["a: int64", "b: text", "c: list<float64>"]);
        assert_eq!(rows(&dataset), "{\"a\":1,\"b\":\"x\"}\n{\"c\":[1.5,2.0]}\n");
        assert!(dataset.notes.is_empty());
    }
}

#[test]
fn no_digit_is_lost() {
    for (values, expected) in [
        (&["1", "-5", "null"][..], "int64"),
        (&["9223372036854775807"], "int64"),
        (&["18446744073709551615"], "uint64"),
        (&["18446744073709551615", "-1"], "text"),
        (&["123456789012345678901234567890"], "text"),
        (&["1", "2.5", "1e3"], "float64"),
        (&["9007199254740993", "0.5"], "text"),
        (&["1e999", "1"], "text"),
        (&["true", "false"], "bool"),
        (&["\"12\"", "\"7\""], "text"),
        (&["\"2024-02-29\""], "date"),
        (&["\"2024-02-29\"", "\"\""], "text"),
        (&["\"2024-02-29T10:00:00Z\""], "timestamp[us, UTC]"),
        (&["\"2024-02-29 10:00:00\""], "timestamp[us]"),
        (&["null"], "null"),
        (&["[]", "null"], "list<null>"),
        (&["{\"a\": null}"], "struct<a: null>"),
        (&["[{\"a\": 1}, {\"b\": [null, 2]}]"], "list<struct<a: int64, b: list<int64>>>"),
        (&["[]", "[[1]]"], "list<list<int64>>"),
        (&["{\"a\": 1}", "{\"b\": {\"c\": true}}"], "struct<a: int64, b: struct<c: bool>>"),
    ] {
        assert_eq!(type_of(values), expected, "{values:?}");
    }
    let big = read("{\"x\": 123456789012345678901234567890}\n{\"x\": 0.1}").unwrap();
    assert_eq!(rows(&big), "{\"x\":\"123456789012345678901234567890\"}\n{\"x\":\"0.1\"}\n");
    assert!(big.notes[0].contains("64 bits cannot hold (line 1)"), "{:?}", big.notes);
}

#[test]
fn times_with_a_zone_are_utc_also_within_objects() {
    let dataset =
        read("{\"at\": {\"t\": \"2013-01-01T09:00:00+03:00\"}, \"l\": [\"2013-01-01T06:00:00Z\"]}")
            .unwrap();
    assert_eq!(
        types(&dataset),
        ["at: struct<t: timestamp[us, UTC]>", "l: list<timestamp[us, UTC]>"]
    );
    let batch = dataset.table.batches(None, None).unwrap().next().unwrap().unwrap();
    use arrow::array::AsArray as _;
    type Micros = arrow::datatypes::TimestampMicrosecondType;
    let nested = batch.column(0).as_struct().column(0).as_primitive::<Micros>();
    let listed = batch.column(1).as_list::<i32>().values().as_primitive::<Micros>();
    // date -u -d 2013-01-01T06:00:00Z +%s
    assert_eq!((nested.value(0), listed.value(0)), (1_357_020_000_000_000, 1_357_020_000_000_000));
}

#[test]
fn escapes_and_every_plane_of_unicode() {
    let dataset = read(r#"[{"ключ \"k\"": "a\n\u00e9\ud83d\ude00 😀 \\"}]"#).unwrap();
    assert_eq!(types(&dataset), ["ключ \"k\": text"]);
    assert!(rows(&dataset).contains(r#""a\né😀 😀 \\""#), "{}", rows(&dataset));
}

#[test]
fn mixed_types_name_the_key_the_lines_and_the_types() {
    assert_eq!(
        error("{\"a\": {\"b\": 1}}\n{\"a\": {\"b\": \"secret\"}}\n"),
        "`t.json`: the key `a.b` holds numbers (line 1) and texts (line 2); \
         make them one type, or split the key in two"
    );
    assert!(error("[{\"a\": [1]},\n{\"a\": 1}]").contains("numbers (line 2) and lists (line 1)"));
    assert!(error("[{\"a\": [1, {}]}]").contains("the key `a[]` holds"));
}

#[test]
fn what_is_not_a_table_says_so() {
    for (text, expected) in [
        ("", "it holds no objects"),
        ("[]", "it holds no objects"),
        ("[1, 2]", "line 1: an element of the array is not an object"),
        ("42", "line 1: it is not a table"),
        ("{\"a\": 1}\n[1]", "line 2: a row is not an object"),
        ("[{\"a\": 1}\n{\"a\": 2}]", "line 2: a comma is missing"),
        ("[{\"a\": 1},]", "a comma stands before"),
        ("[{\"a\": 1}", "the array is never closed"),
        ("[{\"a\": 1}] x", "something follows"),
        ("{\"a\": 1}\n{\"a\": ", "line 2: the object is cut off"),
        ("{}", "hold no values"),
        ("{\"a\": 1,\n\"a\": 2}", "line 2, character 5: the key `a` stands twice"),
        ("{\"a\": NaN}", "NaN and Infinity are not JSON"),
        ("{\"a\": 01}", "a number is written in another way"),
        ("{\"a\": 1.}", "a number is written in another way"),
        ("{\"a\": .5}", "a value is missing"),
        ("{\"a\" 1}", "`:` is missing"),
        ("{\"a\": 1 \"b\": 2}", "`}` is missing"),
        ("{'a': 1}", "a key in quotes is missing"),
        ("{\"a\": tru}", "a value is missing"),
        ("{\"a\": \"\\ud800\"}", "an escape that means nothing"),
        ("{\"a\": \"x\ny\"}", "a line break or control character"),
    ] {
        let error = error(text);
        assert!(error.contains(expected), "{text}: {error}");
    }
    assert!(
        error(b"{\"a\": 1}\n{\"a\":\n\"\xff\"}").contains("line 3, character 2: it is not UTF-8")
    );
}

#[test]
fn nesting_and_keys_are_bounded() {
    let nested = |n: usize| format!("{{\"a\": {}1{}}}", "[".repeat(n), "]".repeat(n));
    assert!(read(nested(31)).is_ok());
    assert!(error(nested(32)).contains("nested more than 32 deep"));
    let keys = |n: usize| {
        let keys: Vec<String> = (0..n).map(|k| format!("\"k{k}\": 1")).collect();
        format!("{{{}}}", keys.join(","))
    };
    assert_eq!(read(keys(16_384)).unwrap().table.schema().fields().len(), 16_384);
    assert!(error(keys(16_385)).contains("more than 16384 different keys"));
}

#[test]
fn what_is_left_out_or_guessed_is_noted() {
    let dataset = read("{\"a\": {}, \"b\": 1}").unwrap();
    assert_eq!(types(&dataset), ["b: int64"]);
    assert_eq!(
        dataset.notes,
        [
            "the file is a single object and is read as one row",
            "a holds only empty objects and is left out"
        ]
    );
}

#[test]
fn many_batches() {
    let text: String = (0..150_000).map(|n| format!("{{\"n\": {n}}}\n")).collect();
    let dataset = read(text).unwrap();
    assert_eq!(dataset.table.rows(), 150_000);
    let profile = crate::profile::describe(&dataset.table, None, None, &go).unwrap();
    assert_eq!(profile.columns[0].mean, Some(74_999.5));
}
