//! Declared statements over a file, and what is left of it.

use super::*;

/// `v` and the views `shown`, `nested` and `inner_with` are allowed; `u`, `hidden` and
/// `hidden_some` are not.
const SETUP: &str = "
    CREATE TABLE v (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO v VALUES (1, 'ann'), (2, 'bob');
    CREATE TABLE u (id INTEGER); INSERT INTO u VALUES (7);
    CREATE VIEW hidden AS SELECT * FROM u;
    CREATE VIEW hidden_some AS SELECT id FROM u WHERE id > 5;
    CREATE VIEW shown AS SELECT id FROM u;
    CREATE VIEW nested AS SELECT id FROM hidden;
    CREATE VIEW inner_with AS WITH c AS (SELECT id FROM u) SELECT id FROM c;";

struct Given {
    folder: tempfile::TempDir,
    sqlite: Sqlite,
}

impl Given {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("given.db");
        Connection::open(&file).unwrap().execute_batch(SETUP).unwrap();
        let tables = ["v", "shown", "nested", "inner_with"]
            .map(|table| TableName { schema: "main".to_owned(), table: table.to_owned() });
        let allowed = Allowed { schemas: Vec::new(), tables: tables.to_vec() };
        let settings = Settings { file, allowed, limits: SourceLimits::default() };
        Self { folder, sqlite: Sqlite::new(settings) }
    }

    /// The file's bytes, and what lies in its folder.
    fn state(&self) -> (Vec<u8>, usize) {
        #[expect(clippy::disallowed_methods, reason = "a file of the test's own")]
        let state = (
            std::fs::read(self.folder.path().join("given.db")).unwrap(),
            std::fs::read_dir(self.folder.path()).unwrap().count(),
        );
        state
    }

    /// The first column of all rows, as texts.
    async fn run(&self, sql: &str, values: &[Value]) -> Result<Vec<String>, DatabaseError> {
        let declared = Declared::of_configuration(sql.to_owned());
        let budget =
            Budget { time: Duration::from_secs(5), rows: 100, bytes: 1 << 20, cuts: false };
        let mut rows = self.sqlite.run(&declared, values, budget).await?;
        let mut found = Vec::new();
        while let Some(batch) = rows.next(&|| false)? {
            for row in 0..batch.num_rows() {
                let column = batch.column(0);
                found.push(arrow::util::display::array_value_to_string(column, row).unwrap());
            }
        }
        Ok(found)
    }
}

fn cases(of: &str) -> Vec<String> {
    let cases: toml::Table =
        toml::from_str(include_str!("../../../tests/databases/sqlite_gate.toml")).unwrap();
    cases[of].as_array().unwrap().iter().map(|case| case.as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_leaves_nothing() {
    let given = Given::new();
    let before = given.state();
    for sql in cases("refused") {
        let error = given.run(&sql, &[]).await.err().unwrap_or_else(|| panic!("passed: {sql}"));
        let refused = matches!(error.cause, Cause::Statement | Cause::Denied | Cause::Table);
        assert!(refused, "{sql}: {error:?}");
        let declared = Declared::of_configuration(sql.clone());
        assert!(given.sqlite.prepare(&declared).await.is_err(), "prepared: {sql}");
        assert!(given.state() == before, "changed: {sql}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn their_twins_pass() {
    let given = Given::new();
    for sql in cases("passes") {
        let rows = given.run(&sql, &[]).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
        assert!(!rows.is_empty(), "{sql}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn values_are_bound() {
    let given = Given::new();
    let text = Value::Text("ann' OR 1=1 --".to_owned());
    assert_eq!(given.run("SELECT id FROM v WHERE name = ?", &[text]).await, Ok(Vec::new()));
    let found = given.run("SELECT name FROM v WHERE id = ?", &[Value::Integer(2)]).await;
    assert_eq!(found, Ok(vec!["bob".to_owned()]));
    let error = given.run("SELECT name FROM v WHERE id = ?", &[]).await.unwrap_err();
    assert_eq!(error.cause, Cause::Statement);
    let odd = Value::Decimal { unscaled: 15, scale: 1 };
    assert_eq!(given.run("SELECT ?", &[odd]).await.unwrap_err().cause, Cause::Value);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_statement_ends_with_its_time() {
    let given = Given::new();
    let declared = Declared::of_configuration(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"
            .to_owned(),
    );
    let budget = Budget { time: Duration::from_millis(100), rows: 1, bytes: 100, cuts: false };
    let error = given.sqlite.run(&declared, &[], budget).await.unwrap_err();
    assert_eq!(error.cause, Cause::Time);
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_of_a_result_are_what_their_values_are() {
    let given = Given::new();
    for (sql, expected) in [
        ("SELECT id FROM v", Ok("Int64")),
        ("SELECT id * 0.5 FROM v", Ok("Float64")),
        ("SELECT CASE id WHEN 1 THEN 1 ELSE 0.5 END FROM v", Ok("Float64")),
        ("SELECT NULL FROM v", Ok("Utf8")),
        ("SELECT CASE id WHEN 1 THEN 'x' ELSE 1 END FROM v", Err(Cause::Type)),
    ] {
        let declared = Declared::of_configuration(sql.to_owned());
        let budget = SourceLimits::default().budget();
        let found = given.sqlite.run(&declared, &[], budget).await;
        let found = found.map(|rows| rows.schema.field(0).data_type().to_string());
        assert_eq!(found.as_deref().map_err(|error| error.cause), expected, "{sql}");
    }
}
