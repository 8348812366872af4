//! Answers that look like others, and clean twins, as data: `tests/sql/guard/answers.txt`.

use std::sync::Arc;

use arrow::array::Int64Array;

use crate::sql::tests::{Fixture, cases, table, texts, whole};

fn room() -> Fixture {
    let amounts = [50, 40, 30, 30, 30, 20, 10, 10].map(Some).into_iter().chain([None, None]);
    let regions = ["north", "North", "south", "south ", "", "east", "east", "east", "east", "east"];
    Fixture::with(vec![
        (
            "sales",
            table(vec![
                ("id", whole(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10])),
                ("amount", Arc::new(Int64Array::from(amounts.collect::<Vec<_>>()))),
                ("region", texts(&regions)),
                ("kind", texts(&["a", "a", "a", "a", "a", "b", "b", "b", "b", "b"])),
            ]),
        ),
        ("codes", table(vec![("id", whole(&[1, 2, 3])), ("code", texts(&["EUR", "ЕUR", "USD"]))])),
        ("one", table(vec![("x", whole(&[7]))])),
        ("none", table(vec![("x", whole(&[]))])),
    ])
}

fn said(warnings: &[String]) -> String {
    let has = |words: &str| warnings.iter().find(|warning| warning.contains(words));
    if let Some(tie) = has("cuts through a tie") {
        let rows = tie.split("tie: ").nth(1).unwrap().split(' ').next().unwrap();
        return format!("ties {rows}");
    }
    for (words, name) in [
        ("over no rows", "nothing"),
        ("has a value for it", "empty"),
        ("only in spelling", "spelling"),
        ("is blank", "blank"),
    ] {
        if has(words).is_some() {
            return name.to_owned();
        }
    }
    if warnings.is_empty() { "clean".to_owned() } else { warnings.join("; ") }
}

#[test]
fn what_looks_like_another_answer_is_said_and_its_clean_twin_is_quiet() {
    let room = room();
    let cases = cases("guard/answers.txt", "case");
    assert!(cases.len() >= 40, "{}", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(want, sql)| {
            let got = match room.run(sql) {
                Ok(done) => said(&done.planned.warnings),
                Err(error) => error.to_string(),
            };
            (got != *want).then(|| format!("{want}, and it was {got}: {sql}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn the_row_and_the_keys_that_go_along_are_not_in_the_answer() {
    let room = room();
    let done = room
        .run("SELECT id FROM sales WHERE amount > 0 ORDER BY amount DESC, id LIMIT 3 OFFSET 1")
        .unwrap();
    assert_eq!(done.sink.columns, ["id"]);
    assert_eq!(
        (done.rows, done.sink.rows),
        (
            3,
            vec![vec!["2"], vec!["3"], vec!["4"]]
                .into_iter()
                .map(|row| row.into_iter().map(str::to_owned).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        )
    );
}

#[test]
fn an_aggregate_over_nothing_says_which_filter_left_nothing() {
    let done = room().run("SELECT sum(amount) FROM sales WHERE region = 'NORTH'").unwrap();
    let said = done.planned.warnings.join("\n");
    assert!(said.contains("alone leaves none") && said.contains("\"north\""), "{said}");
}

#[test]
fn no_group_is_named_where_values_are_hidden() {
    let sql = "SELECT code, count(*) FROM codes GROUP BY code";
    let said = room().run_without_values(sql).unwrap().planned.warnings.join("\n");
    assert!(said.contains("only in spelling") && !said.contains("EUR"), "{said}");
}
