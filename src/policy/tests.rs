use serde_json::json;

use super::*;

fn policy(values: Values) -> Policy {
    Policy { values, ..Policy::default() }
}

#[test]
fn result_is_refused_one_byte_over_the_limit() {
    let policy = Policy { result_bytes: 10, ..Policy::default() };
    // "12345678" with its two quotes is ten bytes of JSON.
    assert_eq!(policy.result(json!("12345678")), Ok(json!("12345678")));
    assert_eq!(
        policy.result(json!("123456789")),
        Err(ResultRefused::TooBig { bytes: 11, most: 10 })
    );
}

#[test]
fn aggregates_show_numbers_and_dates_but_no_text() {
    let policy = policy(Values::Aggregates);
    assert_eq!(policy.sample_of(1_000), 0);
    assert_eq!(policy.extreme(Some(json!(7)), "int64"), Some(json!(7)));
    assert_eq!(policy.extreme(Some(json!("2013-01-01")), "date"), Some(json!("2013-01-01")));
    assert_eq!(policy.extreme(Some(json!("Smith")), "text"), None);
    for row in ["123-45-6789", "2013-01-01", "1234-5678-9012-3456"] {
        assert_eq!(policy.extreme(Some(json!(row)), "text"), None);
        assert_eq!(policy.extreme(Some(json!(row)), "category"), None);
    }
    assert_eq!(policy.mean(Some(1.5)), Some(1.5));
}

#[test]
fn none_lets_no_value_through() {
    let policy = policy(Values::None);
    let printed = Captured { text: "SECRET".into(), total_bytes: 6, truncated: false };
    let error = GuestError {
        kind: "SECRETError".into(),
        message: "SECRET".into(),
        line: Some(3),
        source: Some("d['SECRET']".into()),
        column: Some(7),
        frames: vec!["line 3: SECRET".into()],
        hint: Some("SECRET".into()),
    };
    let shown = serde_json::to_string(&json!({
        "printed": policy.printed(&printed),
        "error": policy.exception(&error),
        "notes": policy.notes(vec!["SECRET".into()]),
        "max": policy.extreme(Some(json!("SECRET")), "text"),
        "mean": policy.mean(Some(42.0)),
        "result": policy.result(json!("SECRET")).is_err(),
    }))
    .unwrap();
    assert!(!shown.contains("SECRET") && !shown.contains("42"), "{shown}");
    assert!(shown.contains("\"line\":3") && shown.contains("\"result\":true"), "{shown}");
    assert_eq!(policy.sample_of(1_000), 0);
}

#[test]
fn a_known_class_keeps_its_name_when_values_are_hidden() {
    let error = GuestError {
        kind: "KeyError".into(),
        message: "'x'".into(),
        line: Some(1),
        source: None,
        column: None,
        frames: vec![],
        hint: None,
    };
    assert_eq!(policy(Values::None).exception(&error).kind, "KeyError");
}

#[test]
fn under_min_group_only_groups_are_shown() {
    let policy = Policy { min_group: 10, ..Policy::default() };
    assert_eq!(policy.sample_of(1_000), 0);
    assert_eq!(policy.preview_of(1_000, true), 0);
    assert_eq!(policy.extreme(Some(json!(1)), "int64"), None);
    assert_eq!(policy.mean(Some(1.0)), None);
    assert_eq!(policy.count(7), None);
    assert!(!Policy { chart_images: true, ..policy.clone() }.shows_images());
    assert!(policy.shows_groups() && policy.result(json!(1)).is_err());
    let none = Policy { values: Values::None, ..policy };
    assert!(!none.shows_groups());
}

#[test]
fn a_secret_is_hidden_before_a_cell_is_cut() {
    let token = ["gh", "p_q8Zk2Lw9Xc4Vb7Nm1As6Df3Gh5Jk0Pl2Qw8Er"].concat();
    let text = format!("{}{token}", "x ".repeat(55));
    let Value::String(shown) = capped_cell(json!(text)) else { panic!() };
    assert!(shown.contains("[redacted: github-token]") && !shown.contains("gh"), "{shown}");
    let policy = Policy::default();
    let shown = policy.result(json!({ "log": [token.clone()] })).unwrap().to_string();
    assert!(!shown.contains(&token), "{shown}");
}

#[test]
fn a_long_cell_is_cut_and_says_so() {
    assert_eq!(capped_cell(json!("é".repeat(120))), json!("é".repeat(120)));
    let cut = capped_cell(json!("é".repeat(121)));
    assert_eq!(cut, json!(format!("{}… (121 characters)", "é".repeat(120))));
}
