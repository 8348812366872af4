//! Values whose check digits others computed, and their neighbours that have wrong ones.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use arrow::record_batch::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use super::*;
use crate::table::Table;
use crate::units::words;

/// A table of one column, in row groups of 300 rows.
fn table(texts: Vec<String>) -> Table {
    let column: ArrayRef = Arc::new(StringArray::from(texts));
    let batch = RecordBatch::try_from_iter([("x", column)]).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(300)).build();
    let mut file = tempfile::tempfile().unwrap();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    Table::open(file).unwrap()
}

#[test]
fn the_first_thousand_rows_are_looked_at_across_row_groups_and_no_more() {
    let mails_from = |from: usize| {
        let text = |n: usize| match n >= from && n < from + 100 {
            true => format!("a{n}@example.org"),
            false => format!("note {n}"),
        };
        sensitive_columns(&table((0..1_500).map(text).collect()), 1).unwrap()
    };
    assert_eq!(mails_from(900), [("x".to_owned(), Kind::Mail)]);
    assert_eq!(mails_from(1_000), []);
}

#[test]
fn texts_that_are_too_long_to_be_known_again_hide_no_address_beside_them() {
    let long = (0..40).map(|n| format!("{n}{}", "y".repeat(100_000)));
    let mails = (0..10).map(|n| format!("a{n}@example.org"));
    let found = sensitive_columns(&table(long.chain(mails).collect()), 1).unwrap();
    assert_eq!(found, [("x".to_owned(), Kind::Mail)]);
}

fn kind(value: &str) -> Option<Kind> {
    judge(value).map(|(kind, _)| kind)
}

#[test]
fn a_value_is_known_by_its_form_or_its_check_digit() {
    use Kind::{Card, Iban, Mail, NationalId, Phone, Secret};
    for (value, want) in [
        ("ada@example.org", Mail),
        ("first.last+tag@sub.example.co.uk", Mail),
        ("почта@пример.рф", Mail),
        ("write to ada@example.org.", Mail),
        // Test numbers of the card networks.
        ("4111111111111111", Card),
        ("4111 1111 1111 1111", Card),
        ("5555-5555-5555-4444", Card),
        ("378282246310005", Card),
        ("2200123456789019", Card),
        // Examples of the IBAN registry.
        ("DE89370400440532013000", Iban),
        ("GB29 NWBK 6016 1331 9268 19", Iban),
        ("FR1420041010050500013M02606", Iban),
        ("+49 30 901820", Phone),
        ("+79161234567", Phone),
        ("(212) 555-0123", Phone),
        ("8 916 123-45-67", Phone),
        // Each state's own example of a valid number.
        ("078-05-1120", NationalId),
        ("112-233-445 95", NationalId),
        ("500100732259", NationalId),
        ("7707083893", NationalId),
        ("AB123456C", NationalId),
        ("RSSMRA85T10A562S", NationalId),
        ("12345678Z", NationalId),
        ("111.444.777-35", NationalId),
        ("11010519491231002X", NationalId),
        ("44051401359", NationalId),
        ("111222333", NationalId),
        ("86095742719", NationalId),
        ("AKIAIOSFODNN7EXAMPLE", Secret),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", Secret),
        ("postgres://user:pass@host/db", Secret),
    ] {
        assert_eq!(kind(value), Some(want), "{value}");
    }
}

#[test]
fn a_wrong_digit_or_a_likeness_is_nothing() {
    for value in [
        "4111111111111112",
        "1234567890123456",
        "DE89370400440532013001",
        "XX89370400440532013000",
        "078-00-1120",
        "2024-0001-00123",
        "2024-0001-0012",
        "1-2-3",
        "500100732258",
        "RSSMRA85T10A562T",
        "12345678A",
        "11010519491231002Y",
        "ada@example",
        "@ada",
        "a@b@c.de",
        "2024-01-31",
        "2024-01-31 10:00:00",
        "10.5",
        "-1234567890",
        "12345",
        "192.168.100.200",
        "sk-short",
        "https://example.org/a@b",
        "hello",
    ] {
        assert_eq!(kind(value), None, "{value}");
    }
}

#[test]
fn a_wrong_check_digit_leaves_what_could_be_a_phone() {
    assert_eq!(kind("112-233-445 96"), Some(Kind::Phone));
}

#[test]
fn a_column_is_judged_by_most_of_its_values_and_by_its_name() {
    let verdict = |values: &[String], name: &str| {
        let mut seen = Judge::default();
        values.iter().for_each(|value| seen.look(value));
        seen.verdict(by_name(&words(name))).map(|v| (v.kind, v.by_values, v.by_name))
    };
    let numbers = |from: u64, step: u64| -> Vec<String> {
        (0..200).map(|n| (from + n * step).to_string()).collect()
    };
    let mails: Vec<String> = (0..20).map(|n| format!("a{n}@example.org")).collect();
    assert_eq!(verdict(&mails, "contact"), Some((Kind::Mail, true, false)));
    assert_eq!(verdict(&mails, "email"), Some((Kind::Mail, true, true)));
    assert_eq!(verdict(&["x".to_owned()], "password"), Some((Kind::Secret, false, true)));
    // One in ten numbers has a right check digit: ids are no cards and no persons.
    for ids in
        [numbers(4_111_111_111_111_000, 1), numbers(100_000_000, 7), numbers(44_051_401_000, 3)]
    {
        assert_eq!(verdict(&ids, "order_id"), None);
    }
    let notes: Vec<String> = (0..20)
        .map(|n| if n < 2 { format!("ask a{n}@example.org") } else { format!("note {n}") })
        .collect();
    assert_eq!(verdict(&notes, "note"), Some((Kind::Mail, true, false)), "two of twenty");
}

#[test]
fn a_name_is_about_a_thing_or_is_the_thing() {
    for (name, want) in [
        ("email", Some(Kind::Mail)),
        ("customerEmail", Some(Kind::Mail)),
        ("work_phone", Some(Kind::Phone)),
        ("card_number", Some(Kind::Card)),
        ("cardNum", Some(Kind::Card)),
        ("phone_num", Some(Kind::Phone)),
        ("email_num", None),
        ("num_phones", None),
        ("card", None),
        ("IBAN", Some(Kind::Iban)),
        ("passport_no", Some(Kind::NationalId)),
        ("ИНН", Some(Kind::NationalId)),
        ("api_key", Some(Kind::Secret)),
        ("email_sent", None),
        ("token_count", None),
        ("phone_model", None),
        ("span", None),
        ("company", None),
        ("card_type", None),
        ("telemetry", None),
    ] {
        let sure = by_name(&words(name)).filter(|named| named.is_sure);
        assert_eq!(sure.map(|named| named.kind), want, "{name}");
    }
}
