//! The rules over `tests/redact/`: texts with what is to be left of them.

use serde::Deserialize;

use super::rules::Rules;
use super::*;

#[derive(Deserialize)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    text: String,
    /// What is left; nothing was hidden if it is not there.
    want: Option<String>,
}

/// The cases of a file. A `¦` is taken out, so that the file holds no token that a search for
/// leaks would find.
fn cases(file: &str) -> Vec<(String, String)> {
    let file: File = toml::from_str(file).unwrap();
    let whole = |text: &str| text.replace('¦', "");
    let case = |case: &Case| (whole(&case.text), whole(case.want.as_ref().unwrap_or(&case.text)));
    file.case.iter().map(case).collect()
}

const FILES: [(&str, &str); 5] = [
    ("tokens.toml", include_str!("../../tests/redact/tokens.toml")),
    ("passwords.toml", include_str!("../../tests/redact/passwords.toml")),
    ("persons.toml", include_str!("../../tests/redact/persons.toml")),
    ("machines.toml", include_str!("../../tests/redact/machines.toml")),
    ("disguised.toml", include_str!("../../tests/redact/disguised.toml")),
];

const CLEAN: &str = include_str!("../../tests/redact/clean.toml");

#[test]
fn what_is_to_be_hidden_is_and_nothing_else() {
    let mut wrong = Vec::new();
    for (name, file) in FILES.into_iter().chain([("clean.toml", CLEAN)]) {
        for (text, want) in cases(file) {
            let have = Redactor::all().redact(&text).text;
            if have != want {
                wrong.push(format!("{name}: {text}\n  want {want}\n  have {have}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_rule_has_a_case_that_it_alone_hides() {
    let counted: Vec<_> = FILES
        .iter()
        .flat_map(|(_, file)| cases(file))
        .flat_map(|(text, _)| Redactor::all().redact(&text).counts.into_keys())
        .collect();
    for (_, rule) in Rules::embedded().unwrap().iter() {
        assert!(counted.contains(&rule.name), "no case for {}", rule.name);
    }
}

#[test]
fn what_was_hidden_stays_as_it_is() {
    for (_, file) in FILES {
        for (text, want) in cases(file) {
            assert_eq!(Redactor::all().redact(&want).text, want, "of {text}");
        }
    }
}

#[test]
fn secrets_are_hidden_without_hiding_persons_and_machines() {
    let text = "ann@example.org at 10.0.0.7: password=hunter2";
    let want = "ann@example.org at 10.0.0.7: password=[redacted: password]";
    assert_eq!(Redactor::secrets().redact(text).text, want);
}

/// Wherever a text is cut, nothing of the secret is shown: it is hidden first.
#[test]
fn no_cut_shows_a_piece_of_a_secret() {
    let secret = ["gh", "p_q8Zk2Lw9Xc4Vb7Nm1As6Df3Gh5Jk0Pl2Qw8Er"].concat();
    let text = format!("{}token {secret} end{}", "a ".repeat(90), " b".repeat(90));
    for most in (0..text.len()).step_by(3) {
        for shown in [
            Redactor::all().head(&text, most).text,
            Redactor::all().head_and_tail(&text, most).text,
        ] {
            for piece in 0..secret.len() - 6 {
                assert!(!shown.contains(&secret[piece..piece + 6]), "{most}: {shown}");
            }
        }
    }
    // Cut first and hidden afterwards, a piece would be seen: the trap is one.
    assert!(Redactor::all().redact(&text[..180 + 6 + 12]).text.contains(&secret[..6]));
}

#[test]
fn a_value_is_judged_with_its_name() {
    let all = Redactor::all();
    let named = |name: &str, value: &str| all.named(name, value).text;
    assert_eq!(named("password", "hunter2"), "[redacted: password]");
    assert_eq!(named("db_password", "correct horse battery"), "[redacted: password]");
    assert_eq!(named("note", "hunter2"), "hunter2");
    assert_eq!(named("note", "correct horse battery"), "correct horse battery");
    assert_eq!(named("password_changed_at", "2026-01-01"), "2026-01-01");
    assert_eq!(named("log", "x password=hunter2 y"), "x password=[redacted: password] y");
}

/// What is linear takes a fraction of a second; what is not, minutes.
#[test]
fn texts_made_to_be_slow_are_not() {
    for hard in [
        "password=",
        "a@",
        "eyJ.",
        "1 ",
        "::",
        "%25",
        "\\\\",
        "-----BEGIN PRIVATE KEY",
        "a.",
        "+1 (2",
        "://a:",
    ] {
        let text = hard.repeat(100_000 / hard.len());
        let began = std::time::Instant::now();
        assert!(!Redactor::all().redact(&text).text.is_empty());
        let took = began.elapsed().as_secs_f64();
        assert!(took < 15.0, "{hard}: {took} s");
    }
}
