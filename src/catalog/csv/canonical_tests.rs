//! The quick readers against the general ones: what they say is the same, to the bit.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use chrono::{Datelike as _, NaiveDate};

use super::super::block::Tail;
use super::super::cell::{Cell, classify, mark, significant};
use super::{date, decimal, is_word, moment, whole};

/// Holds every quick reader that says something of this cell to what it is. How many did.
fn agree(cell: &[u8]) -> usize {
    let shown = String::from_utf8_lossy(cell);
    let is = classify(cell);
    let mut said = 0;
    // What stands before a cell is none of it.
    let tail = Tail::of(&[b"1.2-39,0", cell].concat());
    assert_eq!(tail.0 >> 56, u64::from(cell.last().copied().unwrap_or(b'0')));
    if let Some(value) = whole(cell, tail) {
        assert_eq!(is, Cell::Int(value), "{shown}");
        // A float holds it, which nobody asks again.
        #[allow(clippy::cast_precision_loss, reason = "that it does not occur is tested")]
        let float = value as f64;
        assert_eq!(float as i128, i128::from(value), "{shown}");
        said += 1;
    }
    if let Some(number) = decimal(cell, tail) {
        let Cell::Number { value, digits, grouped } = is else { panic!("{shown} is {is:?}") };
        assert_eq!(number.value.to_bits(), value.to_bits(), "{shown}");
        assert_eq!(number.grouped, grouped, "{shown}");
        assert!(number.written >= digits, "{shown}");
        assert_eq!(significant(cell.strip_prefix(b"-").unwrap_or(cell)), digits, "{shown}");
        said += 1;
    }
    if let Some(days) = date(cell) {
        assert_eq!(is, Cell::Date(days), "{shown}");
        said += 1;
    }
    if let Some(quick) = moment(cell) {
        assert_eq!(is, Cell::Moment(quick), "{shown}");
        // Nobody asks again whether 64 bits hold it, and no zone is another than UTC.
        assert!(quick.nanoseconds().is_some() && quick.zone.is_none_or(|zone| zone == 0));
        said += 1;
    }
    if is_word(cell) {
        assert_eq!((is, mark(cell)), (Cell::Text, None), "{shown}");
        said += 1;
    }
    assert!(said <= 1, "{shown}");
    said
}

/// The same numbers each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// Canonical cells, from which the others are made.
const SEEDS: [&str; 40] = [
    "0",
    "7",
    "-7",
    "42",
    "123456789",
    "999999999999999",
    "1000000000000000",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "0.5",
    "-0.0",
    "1.50",
    "123.456",
    "-123.456",
    "0.123",
    "99999999999999.9",
    "0.00000000000001",
    "9007199254740.993",
    "1e5",
    "2024-02-29",
    "1970-01-01",
    "0001-01-01",
    "9999-12-31",
    "2024-01-31 23:59:59",
    "2024-01-31T00:00:00Z",
    "2024-01-31T12:30:45.123456",
    "2024-01-31 12:30:45.120000000Z",
    "1677-12-31 00:00:00",
    "2262-01-01 00:00:00.5",
    "2024-01-31 12:30",
    "2024-01-31T12:30:45+03:00",
    "north-east",
    "true",
    "Infinity",
    "null",
    "None at all",
    "NaN",
    "nan of nine",
];

#[test]
fn cells_near_the_canonical_forms_are_read_alike() {
    for seed in SEEDS {
        agree(seed.as_bytes());
        let seed = seed.as_bytes();
        for at in 0..=seed.len() {
            let (head, tail) = seed.split_at(at);
            agree(head);
            agree(tail);
            for byte in 0..=255 {
                agree(&[head, &[byte], tail].concat());
                if let [_, tail @ ..] = tail {
                    agree(&[head, &[byte], tail].concat());
                }
            }
        }
    }
}

#[test]
fn cells_with_several_changes_are_read_alike() {
    let bytes = b"00123456789--..::TZ +eE\\tfin";
    let mut random = Random(1);
    let mut said = 0;
    for _ in 0..200_000 {
        let mut cell = SEEDS[random.below(SEEDS.len())].as_bytes().to_vec();
        for _ in 0..random.below(4) {
            let byte = bytes[random.below(bytes.len())];
            let at = random.below(cell.len() + 1);
            match random.below(3) {
                0 => cell.insert(at, byte),
                1 if at < cell.len() => drop(cell.remove(at)),
                _ if at < cell.len() => cell[at] = byte,
                _ => {}
            }
        }
        said += agree(&cell);
    }
    assert!(said > 50_000, "{said}");
}

#[test]
fn every_day_is_where_the_calendar_has_it() {
    let first = NaiveDate::from_ymd_opt(1, 1, 1).unwrap();
    let mut quick = 0;
    for day in first.iter_days().take_while(|day| day.year() < 10_000) {
        let since = day.signed_duration_since(NaiveDate::default()).num_days();
        assert_eq!(date(day.to_string().as_bytes()).map(i64::from), Some(since), "{day}");
        quick += 1;
    }
    assert_eq!(quick, 3_652_059); // Python: date(9999, 12, 31).toordinal()
    // And no other is a day.
    for year in [1, 4, 100, 400, 1900, 2000, 2023, 2024] {
        for month in 0..100 {
            for day in 0..100 {
                let exists = NaiveDate::from_ymd_opt(year, month, day).is_some();
                let text = format!("{year:04}-{month:02}-{day:02}");
                assert_eq!(date(text.as_bytes()).is_some(), exists, "{text}");
            }
        }
    }
}

#[test]
fn every_second_of_a_day_is_read_and_none_beyond() {
    for hour in 0..30 {
        for minute in 0..100 {
            for second in 0..100 {
                let text = format!("2024-02-29 {hour:02}:{minute:02}:{second:02}");
                let exists = hour < 24 && minute < 60 && second < 60;
                assert_eq!(agree(text.as_bytes()) == 1, exists, "{text}");
            }
        }
    }
}

#[test]
fn decimals_are_rounded_as_if_all_their_digits_were_read() {
    let mut random = Random(2);
    for _ in 0..300_000 {
        let digits = 2 + random.below(14);
        let mut text: String = (0..digits)
            .map(|_| char::from(b'0' + u8::try_from(random.below(10)).unwrap()))
            .collect();
        text.insert(1 + random.below(digits - 1), '.');
        if random.below(2) == 0 {
            text.insert(0, '-');
        }
        agree(text.as_bytes());
    }
}

#[test]
fn what_programs_write_is_read_the_quick_way() {
    for cell in [
        "0",
        "-5",
        "123456789012345",
        "0.5",
        "-12.25",
        "1234567890.12345",
        "2024-02-29",
        "2024-02-29 10:20:30",
        "2024-02-29T10:20:30Z",
        "2024-02-29 10:20:30.123456",
        "north",
        "north-east",
        "Ünal",
        "x",
        "information technology",
    ] {
        let quick = agree(cell.as_bytes());
        // A word that begins as one of the marks does is short of the length that tells.
        assert_eq!(
            quick,
            usize::from(!cell.starts_with('n'))
                + usize::from(cell.len() > 9 && cell.starts_with('n')),
            "{cell}"
        );
    }
}
