//! Delimiters, decimal marks and byte order marks.

use super::*;

fn written(csv: CsvOptions, columns: Vec<(&str, ArrayRef)>) -> (String, Vec<String>) {
    let folder = folder();
    let wanted = Wanted { format: Format::Csv, csv };
    let target = target(&folder, Some("t"));
    let exported = export((&table(columns), &[]), wanted, target, &|| false, &mut |_| {}).unwrap();
    (folder.1.read_to_string(&exported.file).unwrap(), exported.notes)
}

fn columns() -> Vec<(&'static str, ArrayRef)> {
    let decimal = Decimal128Array::from(vec![-1250, 0]).with_precision_and_scale(9, 2).unwrap();
    vec![
        ("t", words(vec![Some("a,b"), Some("a;b\tc|d")])),
        ("x", Arc::new(Float64Array::from(vec![-1.5, 1e300]))),
        ("d", Arc::new(decimal)),
    ]
}

#[test]
fn each_delimiter_is_quoted_and_no_other() {
    let with = |delimiter| {
        written(CsvOptions { delimiter: Some(delimiter), ..CsvOptions::default() }, columns()).0
    };
    let plain = "t,x,d\r\n\"a,b\",-1.5,-12.50\r\na;b\tc|d,1e300,0.00\r\n";
    assert_eq!(with(Delimiter::Comma), plain);
    assert_eq!(
        with(Delimiter::Semicolon),
        "t;x;d\r\na,b;-1.5;-12.50\r\n\"a;b\tc|d\";1e300;0.00\r\n"
    );
    assert_eq!(
        with(Delimiter::Tab),
        "t\tx\td\r\na,b\t-1.5\t-12.50\r\n\"a;b\tc|d\"\t1e300\t0.00\r\n"
    );
    assert_eq!(with(Delimiter::Pipe), "t|x|d\r\na,b|-1.5|-12.50\r\n\"a;b\tc|d\"|1e300|0.00\r\n");
}

#[test]
fn a_decimal_comma_brings_its_semicolon_and_never_shares_a_comma() {
    let csv = CsvOptions { decimal: Some(Decimal::Comma), bom: true, ..CsvOptions::default() };
    let (text, notes) = written(csv, columns());
    assert_eq!(text, "\u{feff}t;x;d\r\na,b;-1,5;-12,50\r\n\"a;b\tc|d\";1e300;0,00\r\n");
    assert_eq!(notes, ["the fields are separated by semicolons: the comma is the decimal mark"]);
    let piped = CsvOptions { delimiter: Some(Delimiter::Pipe), bom: false, ..csv };
    assert!(written(piped, columns()).0.contains("a,b|-1,5|-12,50"));
    let both = CsvOptions { delimiter: Some(Delimiter::Comma), ..csv };
    let refused = Wanted { format: Format::Csv, csv: both }.check();
    assert!(matches!(refused, Err(ExportError::CommaTwice)));
    let error = Wanted { format: Format::Xlsx, csv }.check().unwrap_err().to_string();
    assert!(error.starts_with("delimiter, decimal and bom are for csv"), "{error}");
}

#[test]
fn formulas_are_neutralised_whatever_the_delimiter() {
    let cells = ["=1;2", "+1", "\n=1", "\u{ff1d}1", "-x|y", "a;=1"];
    for delimiter in [Delimiter::Semicolon, Delimiter::Tab, Delimiter::Pipe, Delimiter::Comma] {
        let csv = CsvOptions {
            delimiter: Some(delimiter),
            decimal: Some(Decimal::Point),
            ..CsvOptions::default()
        };
        let column = words(cells.iter().map(|cell| Some(*cell)).collect());
        let (text, notes) = written(csv, vec![("a", column)]);
        assert!(notes[0].starts_with("5 x text"), "{delimiter}: {notes:?}");
        assert!(text.lines().all(|line| !line.starts_with(['+', '-', '\u{ff1d}'])), "{text:?}");
    }
}

#[test]
fn a_null_alone_in_its_row_is_a_row() {
    let (text, _) = written(CsvOptions::default(), vec![("a", words(vec![None, Some("x")]))]);
    assert_eq!(text, "a\r\n\"\"\r\nx\r\n");
}

#[test]
fn marks_are_known_by_name_and_as_themselves() {
    assert_eq!(";".parse(), Ok(Delimiter::Semicolon));
    assert_eq!("\\t".parse(), Ok(Delimiter::Tab));
    assert_eq!("Pipe".parse(), Ok(Delimiter::Pipe));
    assert_eq!(",".parse(), Ok(Decimal::Comma));
    let error = ":".parse::<Delimiter>().unwrap_err().to_string();
    assert_eq!(error, "\":\" is none of comma, semicolon, tab, pipe");
}
