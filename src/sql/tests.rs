//! Statements as data, against one small room.
//!
//! `tests/sql/gate/hostile.txt` holds what must be refused, with the code of the
//! refusal, `legitimate.txt` what must pass and run. The engine has small limits here,
//! so that what asks for too much ends soon.

#![expect(clippy::disallowed_methods, reason = "tests make folders of their own")]

use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{
    ArrayRef, Date32Array, Decimal128Array, Float64Array, Int64Array, StringArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use chrono::DateTime;
use parquet::arrow::ArrowWriter;
use tempfile::TempDir;

use super::*;
use crate::nearest::nearest;
use crate::table::Table;

/// A room with three tables.
pub(super) struct Fixture {
    folder: TempDir,
    engine: Engine,
    tables: Vec<(&'static str, Table)>,
}

/// Collects what comes out, as text.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Sink for Rows {
    fn begin(&mut self, schema: &SchemaRef, _: &Planned) -> Result<(), SqlError> {
        self.columns = schema.fields().iter().map(|field| field.name().clone()).collect();
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), SqlError> {
        let options = FormatOptions::default().with_null("NULL");
        let columns = batch.columns().iter();
        let formats: Vec<_> =
            columns.map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
        for row in 0..batch.num_rows() {
            self.rows.push(formats.iter().map(|f| f.value(row).to_string()).collect());
        }
        Ok(())
    }
}

pub(super) fn table(columns: Vec<(&str, ArrayRef)>) -> Table {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut file = tempfile::tempfile().unwrap();
    let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    Table::open(file).unwrap()
}

pub(super) fn whole(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

pub(super) fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

pub(super) fn cents(values: &[i128]) -> ArrayRef {
    let values = Decimal128Array::from(values.to_vec());
    Arc::new(values.with_precision_and_scale(12, 2).unwrap())
}

fn orders(currencies: &[&str]) -> Table {
    let times = [1_704_103_200_000_000, 1_706_781_600_000_000, 1_709_287_200_000_000];
    table(vec![
        ("id", whole(&[1, 2, 3])),
        ("customer_id", whole(&[1, 1, 2])),
        ("total", cents(&[10_000, 15_000, 25_000])),
        ("amount", Arc::new(Float64Array::from(vec![1.5, 2.5, 4.0]))),
        ("currency", texts(currencies)),
        ("placed_at", Arc::new(TimestampMicrosecondArray::from(times.to_vec()))),
        ("day", Arc::new(Date32Array::from(vec![19_723, 19_754, 19_783]))),
        ("note", texts(&["alpha", "beta", "gamma"])),
        ("qty", whole(&[1, 2, 3])),
    ])
}

impl Fixture {
    /// Totals are summed in it: they are in one currency.
    pub(super) fn new() -> Self {
        Self::of_currencies(&["EUR"; 3])
    }

    /// A room whose orders are in these currencies.
    pub(super) fn of_currencies(currencies: &[&str]) -> Self {
        let items = table(vec![
            ("id", whole(&[1, 2, 3, 4])),
            ("order_id", whole(&[1, 1, 2, 3])),
            ("qty", whole(&[1, 2, 3, 4])),
            ("price", cents(&[5_000, 2_500, 5_000, 6_250])),
        ]);
        let customers = table(vec![
            ("id", whole(&[1, 2])),
            ("name", texts(&["Ada", "Alan"])),
            ("email", texts(&["ada@example.org", "alan@example.org"])),
            ("country", texts(&["DE", "GB"])),
        ]);
        Self::with(vec![("orders", orders(currencies)), ("items", items), ("customers", customers)])
    }

    pub(super) fn with(tables: Vec<(&'static str, Table)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let spill = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        let settings = QuerySettings {
            wall_ms: 3_000,
            memory_bytes: 48 << 20,
            spill_bytes: 64 << 20,
            ..QuerySettings::default()
        };
        Self { folder, engine: Engine::new(spill, settings).unwrap(), tables }
    }

    pub(super) fn run(&self, sql: &str) -> Result<Done<Rows>, SqlError> {
        self.run_until(sql, true, &(Arc::new(|| false) as Stop))
    }

    fn run_until(
        &self,
        sql: &str,
        may_show_values: bool,
        stop: &Stop,
    ) -> Result<Done<Rows>, SqlError> {
        let parsed = parse(sql, 100_000)?;
        let mut bound = Vec::new();
        for wanted in parsed.wanted() {
            let folded = wanted.name.to_lowercase();
            let Some((name, table)) = self.tables.iter().find(|(name, _)| *name == folded) else {
                if wanted.is_cte {
                    continue;
                }
                let near = nearest(&wanted.name, self.tables.iter().map(|(name, _)| *name));
                return Err(SqlError::new(
                    Code::Table,
                    format!("there is no table {:?}", wanted.name),
                )
                .at(wanted.at)
                .near(near.into_iter().map(str::to_owned).collect()));
            };
            bound.push(Bound {
                asked: wanted.name,
                name: (*name).to_owned(),
                table: table.clone(),
                content_hash: (*name).to_owned(),
                sensitive: Arc::default(),
                is_filtered: false,
            });
        }
        let started = DateTime::from_timestamp(1_750_000_000, 0).unwrap();
        let query = Query { parsed, tables: bound, started, may_show_values, judges_groups: false };
        self.engine.run(query, Rows::default(), stop)
    }

    pub(super) fn one(&self, sql: &str) -> Vec<String> {
        let mut rows = self.rows(sql);
        assert_eq!(rows.len(), 1, "{sql}");
        rows.remove(0)
    }

    pub(super) fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        self.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}")).sink.rows
    }

    pub(super) fn refusal(&self, sql: &str) -> SqlError {
        match self.run(sql) {
            Ok(done) => panic!("{sql} gave {:?}", done.sink.rows),
            Err(error) => error,
        }
    }

    /// A query in a room that shows no values.
    pub(super) fn run_without_values(&self, sql: &str) -> Result<Done<Rows>, SqlError> {
        self.run_until(sql, false, &(Arc::new(|| false) as Stop))
    }
}

/// The cases of a file: the words after `verb`, and the statement.
pub(super) fn cases(file: &str, verb: &str) -> Vec<(String, String)> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sql").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let mut cases = Vec::new();
    let mut open: Option<(String, Vec<&str>)> = None;
    for line in text.lines() {
        match &mut open {
            None => {
                if let Some(rest) = line.strip_prefix(verb) {
                    open = Some((rest.trim().to_owned(), Vec::new()));
                }
            }
            Some(_) if line == "----" => {
                let (words, lines) = open.take().unwrap();
                cases.push((words, expanded(&lines.join("\n"))));
            }
            Some((_, lines)) => lines.push(line),
        }
    }
    assert!(open.is_none(), "{file} ends within a case");
    cases
}

/// `⟦3|ab⟧` is `ababab`.
fn expanded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('⟦') {
        let (inside, after) = after.split_once('⟧').unwrap();
        let (times, what) = inside.split_once('|').unwrap();
        out.push_str(before);
        out.push_str(&what.repeat(times.parse().unwrap()));
        rest = after;
    }
    out + rest
}

#[test]
fn what_is_hostile_is_refused_by_its_name() {
    let room = Fixture::new();
    let cases = cases("gate/hostile.txt", "refuse");
    assert!(cases.len() >= 150, "{}", cases.len());
    let mut wrong = Vec::new();
    for (code, sql) in &cases {
        let began = Instant::now();
        let got = match room.run(sql) {
            Ok(done) => format!("passed with {} rows", done.rows),
            Err(error) if error.code.name() == code => {
                let shown = error.to_string();
                if shown.len() > 1_500 {
                    format!("a message of {} bytes", shown.len())
                } else {
                    continue;
                }
            }
            Err(error) => error.to_string(),
        };
        let sql: String = sql.chars().take(100).collect();
        wrong.push(format!("{code}: {sql}\n    {got} ({:?})", began.elapsed()));
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    let left = std::fs::read_dir(room.folder.path()).unwrap().count();
    assert_eq!(left, 0, "temporary files");
}

#[test]
fn what_is_legitimate_passes() {
    let room = Fixture::new();
    let cases = cases("gate/legitimate.txt", "pass");
    assert!(cases.len() >= 150, "{}", cases.len());
    let refused: Vec<String> = cases
        .iter()
        .filter_map(|(_, sql)| {
            let error = room.run(sql).err()?;
            Some(format!("{}\n    {error}", sql.chars().take(120).collect::<String>()))
        })
        .collect();
    assert!(refused.is_empty(), "{} of {}:\n{}", refused.len(), cases.len(), refused.join("\n"));
}

#[test]
fn a_query_ends_when_it_is_told_to_and_soon() {
    let room = Fixture::new();
    let began = Instant::now();
    let stop: Stop = Arc::new(move || began.elapsed() > Duration::from_millis(300));
    let endless =
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM r) SELECT count(*) FROM r";
    let error = room.run_until(endless, true, &stop).unwrap_err();
    assert_eq!(error.code, Code::Cancelled);
    assert!(began.elapsed() < Duration::from_millis(1_300), "{:?}", began.elapsed());
    assert_eq!(room.one("SELECT 1"), ["1"], "the engine goes on");
}

#[test]
fn an_error_names_the_place_and_what_is_near() {
    let room = Fixture::new();
    let error = room.refusal("SELECT id,\n  totl\nFROM orders");
    assert_eq!(
        (error.code, error.nearest.first().map(String::as_str)),
        (Code::Column, Some("total"))
    );
    assert_eq!(error.at, Some(Place { line: 2, column: 3 }));
    let error = room.refusal("SELECT *\nFROM ordrs");
    assert_eq!((error.code, error.nearest), (Code::Table, vec!["orders".to_owned()]));
    assert_eq!(error.at, Some(Place { line: 2, column: 6 }));
    let error = room.refusal("SELECT summ(total) FROM orders");
    assert_eq!(
        (error.code, error.nearest.first().map(String::as_str)),
        (Code::Function, Some("sum"))
    );
    assert_eq!(error.at, Some(Place { line: 1, column: 8 }));
    let error = room.refusal("SELECT o.id FROM orders x");
    assert_eq!(error.code, Code::Column, "{error}");
}

#[test]
fn a_cell_is_in_no_error_that_is_shown_without_values() {
    let room = Fixture::new();
    for sql in ["SELECT CAST(note AS INT) FROM orders", "SELECT CAST(note AS DATE) FROM orders"] {
        let error = room.refusal(sql);
        assert!(error.to_string().contains("alpha"), "the test has lost its subject: {error}");
        assert!(!error.without_values().to_string().contains("alpha"), "{error}");
    }
}

#[test]
fn numbers_do_not_wrap_and_decimals_are_exact() {
    let room = Fixture::new();
    assert_eq!(
        room.one("SELECT 0.1 + 0.2 = 0.3, 9007199254740993 = 9007199254740992.0"),
        ["true", "false"]
    );
    assert_eq!(
        room.one("SELECT avg(total), sum(total) FROM orders"),
        ["166.66666666666666", "500.00"]
    );
    assert_eq!(
        room.one("SELECT avg(x) FROM (VALUES (9223372036854775807), (9223372036854775805)) t(x)")
            [0]
        .parse::<f64>()
        .unwrap(),
        9_223_372_036_854_775_806_i64 as f64
    );
    let most = "99999999999999999999999999999999999999";
    let error = room.refusal(&format!("SELECT sum(x) FROM (VALUES ({most}), ({most})) t(x)"));
    assert_eq!(error.code, Code::Overflow, "{error}");
    let error = room.refusal(&format!("SELECT CAST({most} AS DECIMAL(38,0)) + 1"));
    assert_eq!(error.code, Code::Overflow, "{error}");
    assert_eq!(
        room.one("SELECT sum(x) FROM (VALUES (9223372036854775807), (-1)) t(x)"),
        ["9223372036854775806"]
    );
    assert_eq!(room.one("SELECT sum(DISTINCT x) FROM (VALUES (5), (5), (2)) t(x)"), ["7"]);
    assert_eq!(
        room.one("SELECT sum(x), avg(x) FROM (VALUES (1), (2)) t(x) WHERE x > 9"),
        ["NULL", "NULL"]
    );
}

#[test]
fn what_could_mislead_is_said() {
    let room = Fixture::new();
    let warned = |sql: &str| room.run(sql).unwrap().planned.warnings;
    assert!(warned("SELECT qty / 2 FROM orders")[0].contains("whole numbers"));
    assert!(warned("SELECT qty / 2.0 FROM orders").is_empty());
    assert!(warned("SELECT sum(amount) FROM orders")[0].contains("fractions of a cent"));
    assert!(warned("SELECT sum(total), sum(qty) FROM orders").is_empty());
    let mixed = "SELECT placed_at < TIMESTAMP '2024-01-01 00:00:00' AT TIME ZONE 'UTC' FROM orders";
    assert!(warned(mixed).iter().any(|w| w.contains("zone")), "{:?}", warned(mixed));
    assert!(warned("SELECT placed_at < TIMESTAMP '2024-01-01 00:00:00' FROM orders").is_empty());
}

#[test]
fn what_does_not_fit_into_memory_goes_to_disk_and_comes_back() {
    let values: Vec<i64> = (0..1_500_000).map(|n| (n * 7_919) % 1_500_007).collect();
    let room = Fixture::with(vec![("big", table(vec![("x", whole(&values))]))]);
    let sorted = "SELECT sum(x * n % 1000) FROM (SELECT x, row_number() OVER (ORDER BY x) AS n FROM \
                  (SELECT x, x || 'some longer text to carry around with it' AS t FROM big ORDER BY t)) s";
    let error_or = room.run(sorted);
    assert!(
        error_or.is_ok() || error_or.as_ref().is_err_and(|e| e.code == Code::Memory),
        "{:?}",
        error_or.err()
    );
    let rows = room.one("SELECT count(*), min(x), max(x) FROM (SELECT x FROM big ORDER BY x DESC)");
    assert_eq!(rows, ["1500000", "0", "1500006"]);
    assert_eq!(std::fs::read_dir(room.folder.path()).unwrap().count(), 0);
    let _: Option<File> = None;
}
