//! Traps and clean twins as data: `tests/sql/guard/units.txt`.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array};

use crate::sql::tests::{Fixture, cases, cents, table, texts, whole};
use crate::sql::{Code, Done, SqlError};

fn floats(values: &[f64]) -> ArrayRef {
    Arc::new(Float64Array::from(values.to_vec()))
}

fn room() -> Fixture {
    let mut tables = money();
    tables.extend(measures());
    Fixture::with(tables)
}

fn money() -> Vec<(&'static str, crate::table::Table)> {
    let ids = || whole(&[1, 2, 3, 4]);
    let four = || cents(&[1_000, 2_000, 3_000, 4_000]);
    vec![
        (
            "payments",
            table(vec![
                ("id", ids()),
                ("order_id", whole(&[1, 1, 2, 3])),
                ("amount", four()),
                ("currency", texts(&["EUR", "USD", "USD", "EUR"])),
                ("country", texts(&["US", "US", "US", "DE"])),
                ("kind", texts(&["card", "card", "cash", "cash"])),
                ("qty", ids()),
            ]),
        ),
        (
            "refunds",
            table(vec![
                ("payment_id", whole(&[1, 2])),
                ("amount", cents(&[100, 200])),
                ("currency", texts(&["EUR", "EUR"])),
            ]),
        ),
        ("euros", table(vec![("id", ids()), ("amount", four()), ("currency", texts(&["EUR"; 4]))])),
        (
            "blanks",
            table(vec![("amount", four()), ("currency", texts(&["EUR", "EUR", "", "EUR"]))]),
        ),
        (
            "spelled",
            table(vec![("amount", four()), ("currency", texts(&["EUR", "eur ", "€", "EUR"]))]),
        ),
        (
            "prices",
            table(vec![
                ("id", ids()),
                ("price_usd", four()),
                ("price_eur", four()),
                ("fee_cents", ids()),
                ("total", four()),
                ("qty", ids()),
            ]),
        ),
        (
            "rates",
            table(vec![("currency", texts(&["EUR", "USD"])), ("rate", floats(&[1.0, 0.92]))]),
        ),
        ("menu", table(vec![("dish", texts(&["a", "b"])), ("price", texts(&["€5.50", "$3.00"]))])),
        ("orders", table(vec![("id", whole(&[1, 2, 3])), ("total", cents(&[100, 200, 300]))])),
    ]
}

fn measures() -> Vec<(&'static str, crate::table::Table)> {
    let three = || floats(&[1.0, 2.0, 3.0]);
    let names = [
        "weight_kg",
        "weight_lb",
        "distance_km",
        "distance_mi",
        "wait_ms",
        "work_seconds",
        "temp_c",
        "temp_f",
        "discount_pct",
        "discount_fraction",
    ];
    let mut freight = vec![("id", whole(&[1, 2, 3]))];
    freight.extend(names.map(|name| (name, three())));
    let stock = table(vec![
        ("item", texts(&["tea", "tea", "salt"])),
        ("quantity", three()),
        ("uom", texts(&["kg", "lb", "kg"])),
    ]);
    let coded = table(vec![
        ("amount", cents(&[100, 200, 300, 400])),
        ("currency", texts(&["BTC", "ETH", "BTC", "USDT"])),
    ]);
    let coins = table(vec![
        ("amount_cents", whole(&[1, 2, 3, 4])),
        ("currency", texts(&["EUR", "USD", "EUR", "EUR"])),
    ]);
    vec![("freight", table(freight)), ("stock", stock), ("coded", coded), ("coins", coins)]
}

fn verdict<S>(want: &str, ran: Result<Done<S>, SqlError>) -> String {
    match ran {
        Ok(done) if !done.planned.allowed.is_empty() => {
            format!("allowed {}", done.planned.allowed[0].split(['(', ')']).nth(1).unwrap())
        }
        Ok(done) if done.planned.warnings.iter().any(|w| w.contains("ranks different units")) => {
            "warn".to_owned()
        }
        Ok(_) => "clean".to_owned(),
        Err(error) if error.code == Code::Unit => {
            let table = want.strip_prefix("trap ").unwrap_or("none");
            let named = error.message.contains(&format!("{table:?}"));
            if named { want.to_owned() } else { format!("trap of another table: {error}") }
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_mixes_units_is_refused_and_its_clean_twin_is_not() {
    let room = room();
    let cases = cases("guard/units.txt", "case");
    assert!(cases.len() >= 100, "{}", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(want, sql)| {
            let got = verdict(want, room.run(sql));
            (got != *want).then(|| format!("{want}, and it was {got}: {sql}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn a_refusal_names_table_column_units_and_what_to_write() {
    let room = room();
    let error = room.refusal("SELECT sum(amount) AS s FROM payments").to_string();
    for part in [
        "UNIT",
        "\"amount\" of \"payments\"",
        "by column currency",
        "EUR in 2 rows, USD in 2 rows",
        "GROUP BY payments.currency",
        "allow: units(payments)",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let error = room.refusal("SELECT sum(amount) FROM blanks").to_string();
    assert!(error.contains("a blank in 1 row"), "{error}");
    let error = room.refusal("SELECT price_usd + price_eur FROM prices").to_string();
    assert!(error.contains("USD and EUR") && error.contains("by its name: usd"), "{error}");
}

#[test]
fn a_constant_that_may_be_a_rate_is_told_with_both_readings_and_three_ways_to_say_which() {
    let room = room();
    let error = room.refusal("SELECT price_usd * 1.2 + price_eur AS x FROM prices").to_string();
    for part in [
        "USD and EUR",
        "a rate or a tax",
        "AS amount_usd",
        "(SELECT 1.08 AS rate)",
        "allow: units(prices)",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    for said in [
        "SELECT price_usd * (SELECT 1.2 AS rate) + price_eur AS x FROM prices",
        "SELECT a_eur + price_eur AS x FROM (SELECT price_usd * 1.2 AS a_eur, price_eur FROM prices) t",
        "SELECT price_usd * 1.2 + price_eur AS x FROM prices /* allow: units(prices) */",
    ] {
        assert_eq!(room.rows(said)[0][0].parse::<f64>().unwrap(), 22.0, "{said}");
    }
    // Where the factor is known, it is no question.
    let error = room.refusal("SELECT weight_kg + weight_lb * 0.5 AS x FROM freight");
    assert!(!error.to_string().contains("a rate or a tax"), "{error}");
    let next = error.next.unwrap();
    let offered = next.strip_prefix("write ").unwrap().split_once("; or").unwrap().0;
    assert!(room.rows(offered)[0][0].starts_with("2.7046"), "{offered}");
}

#[test]
fn what_is_offered_instead_passes_and_gives_the_right_numbers() {
    let room = room();
    let offered = |sql: &str| {
        let next = room.refusal(sql).next.unwrap();
        next.strip_prefix("write ").unwrap().split_once("; or").unwrap().0.to_owned()
    };
    for (sql, want) in [
        ("SELECT sum(amount) FROM payments", vec![vec!["EUR", "50.00"], vec!["USD", "50.00"]]),
        (
            "SELECT kind, sum(p.amount) FROM payments p WHERE id > 1 GROUP BY kind ORDER BY 1, 2",
            vec![
                vec!["EUR", "cash", "40.00"],
                vec!["USD", "card", "20.00"],
                vec!["USD", "cash", "30.00"],
            ],
        ),
        ("SELECT sum(price_usd + fee_cents) FROM prices", vec![vec!["100.10"]]),
        ("SELECT sum(weight_lb) + sum(weight_kg) FROM freight", vec![vec!["8.72155422"]]),
        (
            "SELECT avg(a) FROM (SELECT amount AS a FROM payments) x",
            vec![vec!["EUR", "50.00"], vec!["USD", "50.00"]],
        ),
    ] {
        let query = offered(sql);
        let mut rows = room.rows(&query);
        rows.sort();
        assert_eq!(rows, want, "{sql}\n{query}");
    }
}

#[test]
fn no_unit_that_stands_in_a_cell_is_told_where_values_are_hidden() {
    let room = room();
    for sql in [
        "SELECT sum(amount) FROM payments",
        "SELECT sum(amount) FROM blanks",
        "SELECT p.amount - r.amount FROM payments p JOIN refunds r ON r.payment_id = p.id",
        "SELECT e.amount + p.price_usd FROM euros e JOIN prices p ON p.id = e.id",
    ] {
        let error = room.run_without_values(sql).unwrap_err().to_string();
        assert!(error.starts_with("UNIT"), "{error}");
        let message = error.split(';').next().unwrap();
        assert!(!message.contains("EUR") && !message.contains("in 2 rows"), "{error}");
    }
}
