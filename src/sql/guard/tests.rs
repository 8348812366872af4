//! Traps and clean twins as data: `tests/sql/guard/fanout.txt`.

use super::super::Code;
use super::super::tests::{Fixture, cases, cents, table, texts, whole};

fn room() -> Fixture {
    Fixture::with(vec![
        (
            "orders",
            table(vec![
                ("id", whole(&[1, 2, 3])),
                ("customer_id", whole(&[1, 1, 2])),
                ("total", cents(&[10_000, 15_000, 25_000])),
                ("currency", texts(&["EUR"; 3])),
            ]),
        ),
        (
            "items",
            table(vec![
                ("id", whole(&[1, 2, 3, 4])),
                ("order_id", whole(&[1, 1, 2, 3])),
                ("line", whole(&[1, 2, 1, 1])),
                ("product", texts(&["a", "b", "a", "c"])),
                ("qty", whole(&[1, 2, 3, 4])),
                ("price", cents(&[5_000, 2_500, 5_000, 6_250])),
            ]),
        ),
        (
            "payments",
            table(vec![
                ("order_id", whole(&[1, 2, 2, 3])),
                ("kind", texts(&["card", "card", "cash", "card"])),
                ("paid", cents(&[10_000, 5_000, 10_000, 25_000])),
            ]),
        ),
        (
            "customers",
            table(vec![
                ("id", whole(&[1, 2])),
                ("country", texts(&["DE", "GB"])),
                ("credit", cents(&[100_000, 50_000])),
            ]),
        ),
        (
            "tags",
            table(vec![("order_id", whole(&[1, 1, 2])), ("label", texts(&["new", "big", "new"]))]),
        ),
        ("headers", table(vec![("doc", whole(&[1, 2])), ("amount", cents(&[300, 200]))])),
        ("lines", table(vec![("doc", whole(&[1, 1, 2])), ("value", cents(&[100, 200, 200]))])),
    ])
}

#[test]
fn what_counts_rows_twice_is_refused_and_its_clean_twin_is_not() {
    let room = room();
    let cases = cases("guard/fanout.txt", "case");
    assert!(cases.len() >= 60, "{}", cases.len());
    let mut wrong = Vec::new();
    for (want, sql) in &cases {
        let got = match room.run(sql) {
            Ok(done) if !done.planned.allowed.is_empty() => {
                let named = done.planned.allowed[0].split(['(', ')']).nth(1).unwrap().to_owned();
                format!("allowed {named}")
            }
            Ok(done) if done.planned.warnings.iter().any(|w| w.contains("counts pairs")) => {
                "warn".to_owned()
            }
            Ok(done)
                if done.planned.warnings.iter().any(|w| w.contains("could not be measured")) =>
            {
                done.planned.warnings[0].clone()
            }
            Ok(_) => "clean".to_owned(),
            Err(error) if error.code == Code::Fanout => {
                format!("trap {}", error.message.split('"').nth(1).unwrap_or_default())
            }
            Err(error) => error.to_string(),
        };
        if got != *want {
            wrong.push(format!("{want}, and it was {got}: {sql}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn a_refusal_names_table_key_factor_and_what_to_write() {
    let room = room();
    let sql = "SELECT sum(o.total) FROM orders o JOIN items i ON i.order_id = o.id";
    let error = room.refusal(sql).to_string();
    for part in [
        "FANOUT",
        "\"orders\"",
        "1.33 times",
        "o.id = i.order_id",
        "4 rows of 3",
        "GROUP BY order_id",
        "allow: fanout(orders)",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn what_is_offered_instead_passes_and_gives_the_sum_of_the_tables_themselves() {
    let room = room();
    let mut offered = 0;
    for (want, sql) in cases("guard/fanout.txt", "case") {
        let Err(error) = room.run(&sql) else { continue };
        let next = error.next.unwrap_or_default();
        let Some(query) = next.strip_prefix("write ").and_then(|n| n.split_once("; or,")) else {
            continue;
        };
        let rows = room.rows(query.0);
        offered += 1;
        if sql.starts_with("SELECT sum(o.total) FROM orders o JOIN items i ON i.order_id = o.id")
            && !sql.contains("WHERE")
            && !sql.contains("AND")
        {
            assert_eq!(rows, [["500.00"]], "{want}: {}", query.0);
        }
    }
    assert!(offered >= 8, "{offered}");
    let both = "SELECT sum(o.total), sum(i.qty) FROM orders o JOIN items i ON i.order_id = o.id";
    let next = room.refusal(both).next.unwrap();
    let query = next.strip_prefix("write ").unwrap().split_once("; or,").unwrap().0;
    assert_eq!(room.rows(query), [["500.00", "10"]], "{query}");
}
