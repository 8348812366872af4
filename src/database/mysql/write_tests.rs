//! Statements of scans, against what they have to be.

use super::*;

fn column(name: &str, kind: Kind, charset: Option<&str>) -> Column {
    Column {
        name: name.to_owned(),
        remote_type: String::new(),
        nullable: true,
        kind: Ok(kind),
        charset: charset.map(str::to_owned),
    }
}

fn columns() -> Vec<Column> {
    vec![
        column("id", Kind::UInt64, None),
        column("pay", Kind::Decimal(10, 2), None),
        column("day", Kind::Date, None),
        column("at", Kind::Timestamp, None),
        column("ratio", Kind::Float64, None),
        column("small", Kind::Float32, None),
        column("name", Kind::Text, Some("utf8mb4")),
        column("odd", Kind::Text, Some("big5")),
    ]
}

fn compare(column: &str, comparison: Comparison, value: Value) -> Predicate {
    Predicate::Compare { column: column.to_owned(), comparison, value }
}

#[test]
fn names_are_quoted_and_values_bound() {
    let asked = Scan {
        table: TableName { schema: "sh`op".to_owned(), table: "t".to_owned() },
        columns: vec!["id".to_owned(), "a`; DROP TABLE t; --".to_owned()],
        filter: Some(compare("id", Comparison::Greater, Value::Integer(7))),
        limit: None,
    };
    let written = scan(&asked, &columns(), 11);
    assert_eq!(
        written.sql,
        "SELECT `id`, `a``; DROP TABLE t; --` FROM `sh``op`.`t` WHERE `id` > ? LIMIT 11"
    );
    assert_eq!(written.bound, [Bound::Int(7)]);
}

#[test]
fn rows_are_counted_by_the_server() {
    let table = TableName { schema: "shop".to_owned(), table: "t".to_owned() };
    for (limit, expected) in [
        (None, "SELECT COUNT(*) AS n FROM (SELECT 1 FROM `shop`.`t`) AS counted"),
        (Some(3), "SELECT COUNT(*) AS n FROM (SELECT 1 FROM `shop`.`t` LIMIT 3) AS counted"),
    ] {
        let asked = Scan { table: table.clone(), columns: Vec::new(), filter: None, limit };
        assert_eq!(scan(&asked, &columns(), 11).sql, expected);
    }
}

#[test]
fn what_the_server_compares_as_the_engine_does() {
    let decimal = Value::Decimal { unscaled: -5, scale: 2 };
    let utc = Value::Timestamp { micros: 0, utc: true };
    for (predicate, sql, bound, fit) in [
        (
            compare("pay", Comparison::LessOrEqual, decimal),
            "`pay` <= CAST(? AS DECIMAL(65, 2))",
            "-0.05",
            Fit::Exactly,
        ),
        (
            compare("day", Comparison::Equal, Value::Date(0)),
            "`day` = CAST(? AS DATE)",
            "1970-01-01",
            Fit::Exactly,
        ),
        (
            compare("at", Comparison::Less, utc),
            "`at` < CAST(? AS DATETIME(6))",
            "1970-01-01 00:00:00.000000",
            Fit::Exactly,
        ),
        (
            compare("name", Comparison::Equal, Value::Text("x".to_owned())),
            "`name` = ?",
            "x",
            Fit::More,
        ),
    ] {
        let (written, found) = condition(&predicate, &columns()).unwrap();
        assert_eq!((written.sql.as_str(), found), (sql, fit));
        assert_eq!(written.bound, [Bound::Bytes(bound.as_bytes().to_vec())]);
    }
}

#[test]
fn what_could_let_fewer_pass_stays_here() {
    let text = || Value::Text("x".to_owned());
    for predicate in [
        compare("name", Comparison::NotEqual, text()),
        compare("name", Comparison::Less, text()),
        compare("odd", Comparison::Equal, text()),
        compare("small", Comparison::Equal, Value::Float(0.1)),
        compare("ratio", Comparison::Equal, Value::Float(f64::NAN)),
        compare("id", Comparison::Equal, text()),
        compare("at", Comparison::Equal, Value::Timestamp { micros: 0, utc: false }),
        compare("day", Comparison::Less, Value::Date(i32::MAX)),
        compare("gone", Comparison::Equal, Value::Integer(1)),
    ] {
        assert_eq!(condition(&predicate, &columns()), None, "{predicate:?}");
    }
}

#[test]
fn a_part_that_stays_here_takes_only_what_it_must_with_it() {
    let known = compare("id", Comparison::Equal, Value::Integer(1));
    let unknown = compare("small", Comparison::Equal, Value::Float(0.1));
    let both = Predicate::And(vec![known.clone(), unknown.clone()]);
    let (written, fit) = condition(&both, &columns()).unwrap();
    assert_eq!((written.sql.as_str(), fit), ("(`id` = ?)", Fit::More));
    assert_eq!(condition(&Predicate::Or(vec![known, unknown]), &columns()), None);
}
