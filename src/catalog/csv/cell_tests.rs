#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and set their scenes by path"
)]

use super::*;

fn cell(text: &str) -> Cell {
    classify(text.as_bytes())
}

fn float(text: &str) -> Option<(f64, usize)> {
    match cell(text) {
        Cell::Number { value, digits, .. } => Some((value, digits)),
        _ => None,
    }
}

#[test]
fn whole_numbers_to_the_edge_of_64_bits_and_not_beyond() {
    assert_eq!(cell("0"), Cell::Int(0));
    assert_eq!(cell("-17"), Cell::Int(-17));
    assert_eq!(cell(" 17 "), Cell::Int(17));
    assert_eq!(cell("9223372036854775807"), Cell::Int(i64::MAX));
    assert_eq!(cell("-9223372036854775808"), Cell::Int(i64::MIN));
    assert_eq!(cell("9223372036854775808"), Cell::Unsigned(9_223_372_036_854_775_808));
    assert_eq!(cell("18446744073709551615"), Cell::Unsigned(u64::MAX));
    assert_eq!(cell("18446744073709551616"), Cell::HugeInt);
    assert_eq!(cell("-9223372036854775809"), Cell::HugeInt);
}

#[test]
fn ids_are_not_numbers() {
    for id in ["007", "00", "-01", "00.5", "01e3"] {
        assert_eq!(cell(id), Cell::ZeroLed, "{id}");
    }
    for id in
        ["+5", "+1.5", "1_000", "1,000", "0x10", "1e", "1e+", "-", ".", "-.", "1.2.3", "12a", "٣"]
    {
        assert_eq!(cell(id), Cell::Text, "{id}");
    }
}

#[test]
fn decimals_and_their_significant_digits() {
    assert_eq!(float("39.02"), Some((39.02, 4)));
    assert_eq!(float("-0.5"), Some((-0.5, 1)));
    assert_eq!(float(".5"), Some((0.5, 1)));
    assert_eq!(float("5."), Some((5.0, 1)));
    assert_eq!(float("1e5"), Some((100_000.0, 1)));
    assert_eq!(float("1.5E+3"), Some((1500.0, 2)));
    assert_eq!(float("10.357019999999999"), Some((10.357_019_999_999_999, 17)));
    assert_eq!(float("1.500000000000000000"), Some((1.5, 2)));
    assert_eq!(float("0.0"), Some((0.0, 0)));
}

#[test]
fn what_a_float_would_turn_into_infinity_or_zero_stays_text() {
    assert_eq!(cell("1e999"), Cell::Text);
    assert_eq!(cell("1e-999"), Cell::Text);
    assert_eq!(float("1e308"), Some((1e308, 1)));
    assert_eq!(float("0e-999"), Some((0.0, 0)));
}

#[test]
fn infinities_booleans_and_marks() {
    assert_eq!(cell("inf"), Cell::Infinity { negative: false });
    assert_eq!(cell("-Infinity"), Cell::Infinity { negative: true });
    assert_eq!(cell("+INF"), Cell::Infinity { negative: false });
    assert_eq!(cell("info"), Cell::Text);
    assert_eq!(cell("True"), Cell::Bool { value: true, case: Case::Title });
    assert_eq!(cell("FALSE"), Cell::Bool { value: false, case: Case::Upper });
    assert_eq!(cell("tRue"), Cell::Text);
    assert_eq!(cell("NA"), Cell::Mark(0));
    assert_eq!(cell("\\N"), Cell::Mark(8));
    assert_eq!(cell("Na"), Cell::Text);
    assert_eq!(cell("NAN"), Cell::Text);
    assert_eq!(cell(""), Cell::Empty);
    assert_eq!(cell("  "), Cell::Blank);
}

#[test]
fn dates_exist_in_the_calendar() {
    assert_eq!(cell("1970-01-01"), Cell::Date(0));
    assert_eq!(cell("1969-12-31"), Cell::Date(-1));
    assert_eq!(cell("2013-01-01"), Cell::Date(15706)); // numpy: datetime64('2013-01-01', 'D')
    assert_eq!(cell("2024-02-29"), Cell::Date(19782));
    for text in ["2023-02-29", "2024-13-01", "2024-1-01", "2024/01/01", "2024-01-01x", "20240-1-01"]
    {
        assert_eq!(cell(text), Cell::Text, "{text}");
    }
}

#[test]
fn moments_with_and_without_a_zone() {
    let moment = |text: &str| match cell(text) {
        Cell::Moment(moment) => Some(moment),
        _ => None,
    };
    // date -u -d 2013-01-01T06:00:00Z +%s
    let noon = Moment { seconds: 1_357_020_000, nanos: 0, fraction: 0, zone: Some(0) };
    assert_eq!(moment("2013-01-01T06:00:00Z"), Some(noon));
    assert_eq!(moment("2013-01-01 06:00"), Some(Moment { zone: None, ..noon }));
    assert_eq!(moment("2013-01-01T09:00:00+03:00"), Some(Moment { zone: Some(10_800), ..noon }));
    assert_eq!(moment("2013-01-01 01:00:00-0500"), Some(Moment { zone: Some(-18_000), ..noon }));
    assert_eq!(moment("2013-01-01 08:00:00 +02"), Some(Moment { zone: Some(7_200), ..noon }));
    let fine = moment("2013-01-01T06:00:00.123456789").unwrap();
    assert_eq!((fine.nanos, fine.fraction), (123_456_789, 9));
    assert_eq!(fine.nanoseconds(), Some(1_357_020_000_123_456_789));
    let milli = moment("2013-01-01T06:00:00.120000000").unwrap();
    assert_eq!((milli.fraction, milli.micros()), (2, 1_357_020_000_120_000));
    assert_eq!(moment("1969-12-31T23:59:59.5").unwrap().micros(), -500_000);
    assert_eq!(moment("9999-12-31T00:00:00").unwrap().nanoseconds(), None);
    for text in [
        "2013-01-01T24:00:00",
        "2013-01-01T06:60:00",
        "2013-01-01T06:00:60",
        "2013-01-01T6:00:00",
        "2013-01-01T06:00:00.",
        "2013-01-01T06:00:00.1234567890",
        "2013-01-01T06",
        "2013-01-01T06:00:00+24:00",
        "2013-01-01T06:00:00 UTC",
    ] {
        assert_eq!(cell(text), Cell::Text, "{text}");
    }
}
