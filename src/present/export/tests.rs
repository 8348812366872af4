#![expect(clippy::disallowed_methods, reason = "tests make folders of their own")]

use std::io::Read;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, DictionaryArray,
    DurationMillisecondArray, Float32Array, Float64Array, Int64Array, ListArray, StringArray,
    Time64MicrosecondArray, TimestampMicrosecondArray, TimestampSecondArray, UInt64Array,
};
use arrow::datatypes::{Int8Type, Int64Type};
use cap_std::ambient_authority;

use super::*;

struct Folder(#[allow(dead_code, reason = "removed when dropped")] tempfile::TempDir, Dir);

fn folder() -> Folder {
    let home = tempfile::tempdir().unwrap();
    let dir = Dir::open_ambient_dir(home.path(), ambient_authority()).unwrap();
    Folder(home, dir)
}

fn table_of(batch: &RecordBatch) -> Table {
    table_with(batch, ::parquet::file::properties::WriterProperties::default())
}

fn table_with(
    batch: &RecordBatch,
    properties: ::parquet::file::properties::WriterProperties,
) -> Table {
    let file = tempfile::tempfile().unwrap();
    let copy = file.try_clone().unwrap();
    let mut writer =
        ::parquet::arrow::ArrowWriter::try_new(copy, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    Table::open(file).unwrap()
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
        .unwrap()
}

fn table(columns: Vec<(&str, ArrayRef)>) -> Table {
    table_of(&batch(columns))
}

fn target<'a>(folder: &'a Folder, name: Option<&'a str>) -> Target<'a> {
    Target { folder: &folder.1, name, bytes: u64::MAX, overwrite: false }
}

fn export_plain(
    table: &Table,
    format: Format,
    target: Target<'_>,
    stop: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(u64),
) -> Result<Exported, ExportError> {
    export((table, &[]), format.into(), target, stop, progress)
}

fn run(table: &Table, format: Format, folder: &Folder) -> Result<Exported, ExportError> {
    export_plain(table, format, target(folder, Some("t")), &|| false, &mut |_| {})
}

/// Exports one column as text and gives the file and the notes.
fn text(format: Format, columns: Vec<(&str, ArrayRef)>) -> (String, Vec<String>) {
    let folder = folder();
    let exported = run(&table(columns), format, &folder).unwrap();
    (folder.1.read_to_string(&exported.file).unwrap(), exported.notes)
}

fn words(words: Vec<Option<&str>>) -> ArrayRef {
    Arc::new(StringArray::from(words))
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = folder.1.entries().unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Every kind of value, with what ISO 8601 and RFC 4180 make of it.
fn mixed() -> Vec<(&'static str, ArrayRef)> {
    let moscow = TimestampMicrosecondArray::from(vec![Some(1_394_000_000_500_000), None]);
    let lists = vec![Some(vec![Some(1), None]), None];
    vec![
        ("int", Arc::new(Int64Array::from(vec![Some(9_007_199_254_740_993), None]))),
        ("uint", Arc::new(UInt64Array::from(vec![Some(u64::MAX), None]))),
        ("single", Arc::new(Float32Array::from(vec![Some(0.1), None]))),
        ("double", Arc::new(Float64Array::from(vec![Some(-1e300), None]))),
        ("bool", Arc::new(BooleanArray::from(vec![Some(true), None]))),
        (
            "dec",
            Arc::new(
                Decimal128Array::from(vec![Some(-1250), None])
                    .with_precision_and_scale(9, 2)
                    .unwrap(),
            ),
        ),
        ("text", words(vec![Some("a \"b\", c\nd"), None])),
        ("cat", Arc::new(vec![Some("я"), None].into_iter().collect::<DictionaryArray<Int8Type>>())),
        ("bin", Arc::new(BinaryArray::from(vec![Some(b"\x00\xff".as_slice()), None]))),
        ("date", Arc::new(Date32Array::from(vec![Some(15_706), None]))),
        ("naive", Arc::new(TimestampSecondArray::from(vec![Some(-1), None]))),
        ("zoned", Arc::new(moscow.with_timezone("Europe/Moscow"))),
        ("time", Arc::new(Time64MicrosecondArray::from(vec![Some(3_661_000_001), None]))),
        ("dur", Arc::new(DurationMillisecondArray::from(vec![Some(93_784_500), None]))),
        ("list", Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists))),
    ]
}

#[test]
fn csv_of_every_kind() {
    let (csv, notes) = text(Format::Csv, mixed());
    let expected = concat!(
        "int,uint,single,double,bool,dec,text,cat,bin,date,naive,zoned,time,dur,list\r\n",
        "9007199254740993,18446744073709551615,0.1,-1e300,true,-12.50,\"a \"\"b\"\", c\nd\",я,00ff,",
        "2013-01-01,1969-12-31 23:59:59,2014-03-05 10:13:20.5+04:00,01:01:01.000001,",
        "P1DT2H3M4.5S,\"[1,null]\"\r\n",
        ",,,,,,,,,,,,,,\r\n",
    );
    assert_eq!(csv, expected);
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn json_of_every_kind() {
    let (json, notes) = text(Format::Json, mixed());
    let expected = concat!(
        "[\n{\"int\":9007199254740993,\"uint\":18446744073709551615,\"single\":0.1,\"double\":-1e300,",
        "\"bool\":true,\"dec\":-12.50,\"text\":\"a \\\"b\\\", c\\nd\",\"cat\":\"я\",\"bin\":\"00ff\",",
        "\"date\":\"2013-01-01\",\"naive\":\"1969-12-31T23:59:59\",",
        "\"zoned\":\"2014-03-05T10:13:20.5+04:00\",\"time\":\"01:01:01.000001\",",
        "\"dur\":\"P1DT2H3M4.5S\",\"list\":[1,null]},\n",
        "{\"int\":null,\"uint\":null,\"single\":null,\"double\":null,\"bool\":null,\"dec\":null,",
        "\"text\":null,\"cat\":null,\"bin\":null,\"date\":null,\"naive\":null,\"zoned\":null,",
        "\"time\":null,\"dur\":null,\"list\":null}\n]\n",
    );
    assert_eq!(json, expected);
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!(serde_json::from_str::<Vec<serde_json::Value>>(&json).unwrap().len(), 2);
}

#[test]
fn ndjson_is_the_same_objects_a_line_each() {
    let (json, _) = text(Format::Json, mixed());
    let (lines, _) = text(Format::Ndjson, mixed());
    let whole = format!("[\n{}\n]\n", lines.trim_end().replace('\n', ",\n"));
    assert_eq!(whole, json);
    assert!(lines.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
}

#[test]
fn csv_neutralises_formulas_in_text_and_only_there() {
    let cells = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "a=1", " =1", "'=1", ""];
    let (csv, notes) = text(
        Format::Csv,
        vec![
            ("=name", words(cells.iter().map(|cell| Some(*cell)).collect())),
            ("n", Arc::new(Int64Array::from_iter_values((0..10).map(|n| -n)))),
        ],
    );
    let expected = "'=name,n\r\n'=1+1,0\r\n'+1,-1\r\n'-1,-2\r\n'@SUM(A1),-3\r\n'\tx,-4\r\n\"'\rx\",-5\r\n\
                    a=1,-6\r\n =1,-7\r\n'=1,-8\r\n\"\",-9\r\n";
    assert_eq!(csv, expected);
    assert_eq!(
        notes,
        ["7 x text that a spreadsheet would run as a formula has an apostrophe before it"]
    );
}

#[test]
fn numbers_that_are_not_finite_are_told_of() {
    let odd = || {
        vec![(
            "x",
            Arc::new(Float64Array::from(vec![f64::NAN, f64::NEG_INFINITY, 1.0])) as ArrayRef,
        )]
    };
    let (csv, notes) = text(Format::Csv, odd());
    assert_eq!(csv, "x\r\nNaN\r\n-inf\r\n1.0\r\n");
    assert_eq!(notes, ["2 x number that is not finite is written as NaN, inf or -inf"]);
    let (json, notes) = text(Format::Json, odd());
    assert_eq!(json, "[\n{\"x\":null},\n{\"x\":null},\n{\"x\":1.0}\n]\n");
    assert_eq!(notes, ["2 x number that is not finite (NaN, infinity) is written as null"]);
}

#[test]
fn empty_tables_make_whole_files() {
    let none = || vec![("a", Arc::new(Int64Array::from(Vec::<i64>::new())) as ArrayRef)];
    assert_eq!(text(Format::Csv, none()).0, "a\r\n");
    assert_eq!(text(Format::Json, none()).0, "[]\n");
    assert_eq!(text(Format::Ndjson, none()).0, "");
    assert_eq!(text(Format::Markdown, none()).0, "| a |\n| ---: |\n");
    let folder = folder();
    assert_eq!(run(&table(none()), Format::Xlsx, &folder).unwrap().rows, 0);
    assert!(sheet(&folder, "t.xlsx", 1).contains("<c r=\"A1\""));
    run(&table(none()), Format::Parquet, &folder).unwrap();
    let back = Table::open(folder.1.open("t.parquet").unwrap().into_std()).unwrap();
    assert_eq!((back.rows(), back.schema().field(0).name().as_str()), (0, "a"));
}

/// The XML of the n-th sheet, with the strings in it.
fn sheet(folder: &Folder, file: &str, n: usize) -> String {
    let mut book = zip::ZipArchive::new(folder.1.open(file).unwrap().into_std()).unwrap();
    let mut xml = String::new();
    book.by_name(&format!("xl/worksheets/sheet{n}.xml")).unwrap().read_to_string(&mut xml).unwrap();
    xml
}

/// What is in a cell: the element's content, tags and all.
fn cell(xml: &str, place: &str) -> Option<String> {
    let from = xml.find(&format!("<c r=\"{place}\""))?;
    let rest = &xml[from..];
    let body = &rest[rest.find('>')? + 1..];
    Some(body[..body.find("</c>")?].to_owned())
}

#[test]
fn xlsx_of_every_kind() {
    let folder = folder();
    let exported = run(&table(mixed()), Format::Xlsx, &folder).unwrap();
    let xml = sheet(&folder, &exported.file, 1);
    let is = |place: &str, expected: &str| {
        assert_eq!(cell(&xml, place).as_deref(), Some(expected), "{place}");
    };
    let text = |text: &str| format!("<is><t>{text}</t></is>");
    is("A1", &text("int"));
    is("A2", &text("9007199254740993"));
    is("B2", &text("18446744073709551615"));
    is("C2", "<v>0.1</v>");
    is("E2", "<v>1</v>");
    is("F2", "<v>-12.5</v>");
    is("G2", &text("a \"b\", c\nd"));
    is("I2", &text("00ff"));
    // 2013-01-01, in Excel's own count.
    is("J2", "<v>41275</v>");
    // 1969-12-31 23:59:59 is one second before 25569.
    let serial: f64 = cell(&xml, "K2").unwrap()[3..].trim_end_matches("</v>").parse().unwrap();
    assert!((serial - (25_569.0 - 1.0 / 86_400.0)).abs() < 1e-9, "{serial}");
    // 2014-03-05 10:13:20.5 in Moscow.
    let serial: f64 = cell(&xml, "L2").unwrap()[3..].trim_end_matches("</v>").parse().unwrap();
    assert!((serial - (41_703.0 + 36_800.5 / 86_400.0)).abs() < 1e-9, "{serial}");
    is("O2", &text("[1,null]"));
    assert_eq!(cell(&xml, "A3"), None);
    assert!(xml.contains("state=\"frozen\""), "the header stays in sight");
    assert_eq!(
        exported.notes,
        [
            "2 x number of more than 15 digits is written as text: Excel would change it",
            "1 x time is cut to milliseconds: Excel has no finer ones",
            "the times in \"zoned\" are local times of Europe/Moscow: Excel has no time zones",
        ]
    );
}

#[test]
fn xlsx_has_no_formulas_and_no_links() {
    let folder = folder();
    let cells =
        ["=1+1", "+1", "@x", "https://example.org/", "mailto:a@b", "{=A1}", "internal:Data!A1"];
    let column = words(cells.iter().map(|cell| Some(*cell)).collect());
    run(&table(vec![("=h", column)]), Format::Xlsx, &folder).unwrap();
    let xml = sheet(&folder, "t.xlsx", 1);
    assert!(!xml.contains("<f>") && !xml.contains("hyperlink"), "{xml}");
    assert_eq!(cell(&xml, "A1").unwrap(), "<is><t>=h</t></is>");
    for (n, text) in cells.iter().enumerate() {
        assert_eq!(cell(&xml, &format!("A{}", n + 2)).unwrap(), format!("<is><t>{text}</t></is>"));
    }
}

#[test]
fn xlsx_keeps_numbers_or_writes_them_as_text() {
    let folder = folder();
    let ints = Int64Array::from(vec![
        999_999_999_999_999,
        1_000_000_000_000_000,
        -999_999_999_999_999,
        i64::MIN,
    ]);
    let decimals = Decimal128Array::from(vec![123_456_789_012_345, 1_234_567_890_123_456, -5, 0]);
    let decimals = decimals.with_precision_and_scale(20, 4).unwrap();
    // 1899-12-31, 1900-01-01, 1900-02-28, 1900-03-01 in days from 1970.
    let dates = Date32Array::from(vec![-25_568, -25_567, -25_509, -25_508]);
    let columns: Vec<(&str, ArrayRef)> =
        vec![("i", Arc::new(ints)), ("d", Arc::new(decimals)), ("t", Arc::new(dates))];
    let notes = run(&table(columns), Format::Xlsx, &folder).unwrap().notes;
    let xml = sheet(&folder, "t.xlsx", 1);
    let column = |letter: &str| -> Vec<String> {
        (2..6).map(|row| cell(&xml, &format!("{letter}{row}")).unwrap()).collect()
    };
    let text = |text: &str| format!("<is><t>{text}</t></is>");
    assert_eq!(
        column("A"),
        [
            "<v>999999999999999</v>".to_owned(),
            text("1000000000000000"),
            "<v>-999999999999999</v>".to_owned(),
            text("-9223372036854775808"),
        ]
    );
    assert_eq!(
        column("B"),
        [
            "<v>12345678901.2345</v>".to_owned(),
            text("123456789012.3456"),
            "<v>-0.0005</v>".to_owned(),
            "<v>0</v>".to_owned(),
        ]
    );
    assert_eq!(
        column("C"),
        [text("1899-12-31"), "<v>1</v>".into(), "<v>59</v>".into(), "<v>61</v>".into()]
    );
    assert_eq!(
        notes[0],
        "3 x number of more than 15 digits is written as text: Excel would change it"
    );
    assert_eq!(
        notes[1],
        "1 x date outside 1900 to 9999 is written as text: Excel has no such dates"
    );
}

#[test]
fn xlsx_goes_on_on_the_next_sheet() {
    let folder = folder();
    let table = table(vec![("n", Arc::new(Int64Array::from_iter_values(0..5)))]);
    let file = folder.1.create("s.xlsx").unwrap().into_std();
    let batches = Box::new(table.batches(None, None).unwrap());
    let mut progress = |_| {};
    let mut source = Source {
        table: &table,
        units: &[],
        batches,
        stop: &|| false,
        progress: &mut progress,
        rows: 0,
    };
    let notes =
        xlsx::write_sheets(&mut source, Capped::new(file, u64::MAX), (2, u64::MAX)).unwrap();
    assert_eq!(notes.0, ["the rows are on 3 sheets: a sheet holds 2 of them"]);
    let last = sheet(&folder, "s.xlsx", 3);
    assert_eq!(cell(&last, "A1").unwrap(), "<is><t>n</t></is>");
    assert_eq!(cell(&last, "A2").unwrap(), "<v>4</v>");
    assert_eq!(cell(&last, "A3"), None);
    assert_eq!(cell(&sheet(&folder, "s.xlsx", 2), "A3").unwrap(), "<v>3</v>");
}

#[test]
fn xlsx_refuses_a_text_it_would_cut() {
    let folder = folder();
    let fits = "x".repeat(32_767);
    run(&table(vec![("a", words(vec![Some(&fits)]))]), Format::Xlsx, &folder).unwrap();
    // 32,768 as Excel counts: the last character takes two.
    let over = format!("{}\u{1f600}", "x".repeat(32_766));
    let rows = words(vec![Some("a"), Some(&over)]);
    let error = run(&table(vec![("a", rows)]), Format::Xlsx, &folder).unwrap_err().to_string();
    assert!(error.starts_with("column \"a\", row 2: a text of 32768 characters"), "{error}");
    assert_eq!(names(&folder), ["t.xlsx"]);
}

#[test]
fn parquet_has_the_rows_and_pandas_metadata_and_nothing_of_ours() {
    let folder = folder();
    let batch = batch(mixed());
    let pair = |key: &str, value: &str| {
        ::parquet::file::metadata::KeyValue::new(key.into(), value.to_owned())
    };
    let ours =
        vec![pair("dataroom", "SECRET"), pair("dataroom.columns", "SECRET"), pair("pandas", "{}")];
    let properties = ::parquet::file::properties::WriterProperties::builder();
    let table = table_with(&batch, properties.set_key_value_metadata(Some(ours)).build());
    assert!(table.schema().metadata().contains_key("dataroom"), "it was there");
    let exported = run(&table, Format::Parquet, &folder).unwrap();
    let bytes = folder.1.read(&exported.file).unwrap();
    assert!(!bytes.windows(6).any(|window| window == b"SECRET"));
    let back = Table::open(folder.1.open(&exported.file).unwrap().into_std()).unwrap();
    assert_eq!(back.schema().metadata().len(), 1);
    assert_eq!(back.schema().metadata()["pandas"], "{}");
    let rows = back.batches(None, None).unwrap().next().unwrap().unwrap();
    for (n, column) in rows.columns().iter().enumerate() {
        match batch.schema().field(n).name().as_str() {
            "naive" => assert_eq!(
                column.to_data(),
                arrow::compute::cast(batch.column(n), column.data_type()).unwrap().to_data()
            ),
            _ => assert_eq!(column, batch.column(n)),
        }
    }
    assert_eq!(rows.schema().field(10).data_type().to_string(), "Timestamp(ms)");
}

#[test]
fn nothing_is_ever_replaced_and_names_stay_in_the_folder() {
    let folder = folder();
    let table = table(vec![("a", words(vec![Some("x")]))]);
    folder.1.write("t.csv", "theirs").unwrap();
    let files: Vec<_> = (0..2).map(|_| run(&table, Format::Csv, &folder).unwrap().file).collect();
    assert_eq!(files, ["t (2).csv", "t (3).csv"]);
    assert_eq!(folder.1.read("t.csv").unwrap(), b"theirs");
    let asked = Some("../../t.csv");
    let exported =
        export_plain(&table, Format::Csv, target(&folder, asked), &|| false, &mut |_| {}).unwrap();
    assert_eq!(exported.file, "_.._t.csv");
    let exported =
        export_plain(&table, Format::Csv, target(&folder, None), &|| false, &mut |_| {}).unwrap();
    assert_eq!(exported.file, "export.csv");
    let bytes = folder.1.read("export.csv").unwrap();
    assert_eq!((exported.bytes, exported.rows), (bytes.len() as u64, 1));
    assert_eq!(exported.blake3, blake3::hash(&bytes).to_hex().to_string());
}

#[test]
fn a_stopped_export_leaves_nothing_and_progress_counts_rows() {
    let many = table(vec![("n", Arc::new(Int64Array::from_iter_values(0..200_000)))]);
    let others = [Format::Markdown, Format::Html, Format::Report, Format::Svg, Format::Png];
    for format in Format::ALL.into_iter().filter(|format| !others.contains(format)) {
        let folder = folder();
        let done = std::cell::Cell::new(0);
        let stop = || done.get() > 0;
        let result =
            export_plain(&many, format, target(&folder, None), &stop, &mut |rows| done.set(rows));
        assert!(matches!(result, Err(ExportError::Stopped)), "{format}: {result:?}");
        assert_eq!(done.get(), 65_536, "{format}");
        assert!(names(&folder).is_empty(), "{format}");

        let mut seen = Vec::new();
        export_plain(&many, format, target(&folder, None), &|| false, &mut |rows| seen.push(rows))
            .unwrap();
        assert_eq!(seen, [65_536, 131_072, 196_608, 200_000], "{format}");
    }
}

#[test]
fn what_a_killed_export_left_is_swept() {
    let folder = folder();
    folder.1.write(format!(".dataroom-export-{}.part", "0".repeat(32)), "half").unwrap();
    run(&table(vec![("a", words(vec![None]))]), Format::Csv, &folder).unwrap();
    assert_eq!(names(&folder), ["t.csv"]);
}

#[test]
fn formats_are_found_by_name_or_nearly() {
    assert_eq!("CSV".parse(), Ok(Format::Csv));
    assert_eq!(".xlsx".parse(), Ok(Format::Xlsx));
    let error = "excel".parse::<Format>().unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown format \"excel\": use csv, xlsx, parquet, json, ndjson, markdown, html or report, and svg or png for a chart (did you mean xlsx?)"
    );
    let error = "pdf".parse::<Format>().unwrap_err().to_string();
    assert_eq!(
        error,
        "unknown format \"pdf\": use csv, xlsx, parquet, json, ndjson, markdown, html or report, and svg or png for a chart"
    );
    assert_eq!(serde_json::to_string(&Format::Parquet).unwrap(), "\"parquet\"");
}

#[test]
fn an_export_over_its_limit_leaves_nothing() {
    let rows = 200_000;
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
    // Nulls take no bytes at rest, and a comma or a name each in an export.
    let nothing: ArrayRef = Arc::new(Int64Array::from(vec![None; rows as usize]));
    for (column, format) in [
        (&numbers, Format::Csv),
        (&nothing, Format::Json),
        (&numbers, Format::Parquet),
        (&numbers, Format::Xlsx),
    ] {
        let (table, folder) = (table(vec![("n", column.clone())]), folder());
        let within = |bytes| {
            let target = Target { bytes, ..target(&folder, Some("t")) };
            export_plain(&table, format, target, &|| false, &mut |_| {})
        };
        let error = within(100_000).unwrap_err();
        assert!(matches!(error, ExportError::TooLarge { most: 100_000 }), "{format:?}: {error}");
        assert_eq!(folder.1.entries().unwrap().count(), 0, "{format:?}");
        within(100_000_000).unwrap();
    }
}

mod csv_options;
mod small_tables;
