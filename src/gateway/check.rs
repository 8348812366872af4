//! A tools file held against the live database, without serving it.
//!
//! What only the database knows: whether the role only reads, whether each statement
//! prepares, whether the columns that leave are there, whether each parameter has the type
//! that its placeholder takes, whether the functions that are called are stable, and what
//! the planner thinks that the statement costs. Nothing is run but questions of ours.

use std::collections::BTreeMap;

use arrow::array::AsArray;
use serde::Serialize;

use super::Dialect;
use super::parameter::{Kind, Parameter};
use super::tool::{Tool, Tools};
use crate::database::{Budget, Cause, DatabaseError, Databases, Declared, Prepared, Source, Value};

/// What was found of one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Whether it is as it has to be.
    pub ok: bool,
    /// The tool, or the source.
    pub of: String,
    /// The line of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What was found.
    pub what: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The SQL that mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
}

impl Line {
    fn good(of: &str, line: Option<usize>, what: impl Into<String>) -> Self {
        Self { ok: true, of: of.to_owned(), line, what: what.into(), next: None, sql: None }
    }

    fn bad(of: &str, line: Option<usize>, what: impl Into<String>) -> Self {
        Self { ok: false, ..Self::good(of, line, what) }
    }

    fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    /// What a database said, to a person at a shell.
    fn failed(of: &str, line: Option<usize>, error: &DatabaseError) -> Self {
        let said = error.detail.as_ref().map(|detail| format!(" [{detail}]")).unwrap_or_default();
        let shown = DatabaseError { source: None, next: None, ..error.clone() };
        Self { next: error.next.clone(), ..Self::bad(of, line, format!("{shown}{said}")) }
    }
}

/// Holds each tool against its database.
#[must_use]
pub fn check(tools: &Tools, databases: &Databases, stop: &dyn Fn() -> bool) -> Vec<Line> {
    let mut lines = Vec::new();
    // Whether a source can be asked, so that a server that is down is said once.
    let mut answers: BTreeMap<String, bool> = BTreeMap::new();
    for tool in tools.iter() {
        let name = tool.source().0;
        let Some(source) = databases.get(&name) else {
            lines.push(Line::bad(
                tool.name(),
                Some(tool.line),
                format!("there is no source {name}"),
            ));
            continue;
        };
        let answers = *answers.entry(name).or_insert_with(|| role(source, stop, &mut lines));
        if answers {
            lines.extend(Looking { tool, source, stop, lines: Vec::new() }.look());
        } else {
            let what = "not looked at, because its source cannot be used";
            lines.push(Line::bad(tool.name(), Some(tool.line), what));
        }
    }
    lines
}

fn role(source: &Source, stop: &dyn Fn() -> bool, lines: &mut Vec<Line>) -> bool {
    let name = source.name().0.as_str();
    let report = match source.role(stop) {
        Ok(report) => report,
        Err(error) => {
            lines.push(Line::failed(name, None, &error));
            return false;
        }
    };
    if report.faults.is_empty() {
        let what = format!("{}: the role {} only reads", report.server, report.role);
        lines.push(Line::good(name, None, what));
        return true;
    }
    lines.extend(report.faults.into_iter().map(|fault| Line {
        sql: Some(fault.mend),
        ..Line::bad(name, None, format!("the role {} {}", report.role, fault.what))
    }));
    false
}

struct Looking<'a> {
    tool: &'a Tool,
    source: &'a Source,
    stop: &'a dyn Fn() -> bool,
    lines: Vec<Line>,
}

/// Whether functions of one name write, or act with the rights of their owner.
const OWN_FUNCTION: &str = "SELECT bool_or(p.provolatile = 'v') AS volatile, bool_or(p.prosecdef) AS definer \
     FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
     WHERE n.nspname::text = $1::text AND p.proname::text = $2::text";
/// Listed functions that this server calls volatile.
const LISTED: &str = "SELECT DISTINCT p.proname::text AS name FROM pg_catalog.pg_proc p \
     JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
     WHERE n.nspname = 'pg_catalog' AND p.provolatile = 'v' \
     AND p.proname::text = ANY (pg_catalog.string_to_array($1::text, ','))";

impl Looking<'_> {
    fn look(mut self) -> Vec<Line> {
        match self.source.prepare(self.tool.declared(), self.stop) {
            Ok(prepared) => self.prepared(&prepared),
            Err(error) => {
                let line = Line::failed(self.tool.name(), Some(self.tool.line), &error);
                self.lines.push(line);
            }
        }
        self.lines
    }

    fn bad(&mut self, what: String, next: &str) {
        let line = Line::bad(self.tool.name(), Some(self.tool.line), what).next(next);
        self.lines.push(line);
    }

    fn prepared(&mut self, prepared: &Prepared) {
        let has = |name: &String| prepared.schema.index_of(name).is_ok();
        let named = self.tool.columns().unwrap_or_default().iter().chain(self.tool.totals());
        let missing: Vec<String> = named.filter(|name| !has(name)).cloned().collect();
        for name in missing {
            let there: Vec<&str> =
                prepared.schema.fields().iter().map(|field| field.name().as_str()).collect();
            self.bad(
                format!("COLUMN: the statement gives no column {name:?}"),
                &format!("it gives {}", there.join(", ")),
            );
        }
        self.types(prepared);
        if self.tool.dialect == Dialect::Postgres {
            self.functions();
        }
        if self.lines.is_empty() {
            let plan = match self.plan() {
                Ok(plan) => plan.map(|plan| format!(", {plan}")).unwrap_or_default(),
                // Asked for a plan, the server looks at the role's rights, too.
                Err(error) if error.cause == Cause::Denied => {
                    let line = Line::failed(self.tool.name(), Some(self.tool.line), &error);
                    self.lines.push(line);
                    return;
                }
                // A likely value need not be one that the statement can compute with.
                Err(_) => String::new(),
            };
            let what = format!(
                "prepared, {} parameters, {} columns{plan}, at most {} rows and {} ms",
                self.tool.parameters.iter().map(|p| p.arguments().len()).sum::<usize>(),
                prepared.schema.fields().len(),
                self.tool.limits().rows,
                self.tool.limits().time.as_millis(),
            );
            self.lines.push(Line::good(self.tool.name(), Some(self.tool.line), what));
        }
    }

    /// The type of each placeholder is one that takes the parameter's values.
    fn types(&mut self, prepared: &Prepared) {
        let bound: Vec<String> = self.tool.statement.bound.clone();
        for (name, server) in bound.iter().zip(&prepared.parameters) {
            let of = |parameter: &&Parameter| parameter.arguments().contains(&name.as_str());
            let Some(parameter) = self.tool.parameters.iter().find(of) else { continue };
            let server = server.to_lowercase();
            if server.is_empty() || takes(&parameter.kind, &server) {
                continue;
            }
            self.bad(
                format!("PARAMETER: :{name} is {}, and the statement wants {server} there", word(&parameter.kind)),
                "change the parameter's type or its range, or cast it in the statement (:name::type)",
            );
        }
    }

    fn functions(&mut self) {
        for function in self.tool.statement.functions.clone() {
            let (schema, name) = function.split_once('.').unwrap_or(("", &function));
            let values = [Value::Text(schema.to_owned()), Value::Text(name.to_owned())];
            let found = self.ask(OWN_FUNCTION, &values, |batch| {
                let truth = |at: usize| {
                    let column = batch.column(at);
                    (!column.is_null(0)).then(|| column.as_boolean().value(0))
                };
                Some((truth(0)?, truth(1)?))
            });
            match found {
                Ok(Some((false, false))) => {}
                Ok(Some((true, _))) => self.bad(
                    format!("FUNCTION: {function} is volatile: it may write, or draw by chance"),
                    "declare it STABLE or IMMUTABLE if it is, or do without it",
                ),
                Ok(Some((_, true))) => self.bad(
                    format!(
                        "FUNCTION: {function} acts with the rights of its owner (SECURITY DEFINER)"
                    ),
                    "do without it",
                ),
                Ok(None) => self.bad(
                    format!("FUNCTION: there is no function {function}"),
                    "name one that is there",
                ),
                Err(error) => {
                    self.lines.push(Line::failed(self.tool.name(), Some(self.tool.line), &error));
                }
            }
        }
        let listed = Value::Text(self.tool.statement.listed.join(","));
        let found = self.ask(LISTED, &[listed], |batch| {
            Some(crate::json_cell::json_cell(batch.column(0), 0).to_string())
        });
        match found {
            Ok(None) => {}
            Ok(Some(name)) => {
                self.bad(format!("FUNCTION: this server calls {name} volatile"), "do without it");
            }
            Err(error) => {
                self.lines.push(Line::failed(self.tool.name(), Some(self.tool.line), &error));
            }
        }
    }

    /// What the planner thinks of the statement, with values as a caller may give them.
    fn plan(&self) -> Result<Option<String>, DatabaseError> {
        if self.tool.dialect != Dialect::Postgres {
            return Ok(None);
        }
        let named: Vec<(String, Value)> = self.tool.parameters.iter().flat_map(likely).collect();
        let bound = self.tool.statement.bound.iter();
        let values: Vec<Value> = bound
            .filter_map(|name| Some(named.iter().find(|(known, _)| known == name)?.1.clone()))
            .collect();
        let explain = format!("EXPLAIN {}", self.tool.declared().sql());
        let first = self.ask(&explain, &values, |batch| {
            Some(crate::json_cell::json_cell(batch.column(0), 0).to_string())
        });
        Ok(first?.as_deref().and_then(planned))
    }

    /// The first row of a question of ours.
    fn ask<T>(
        &self,
        sql: &str,
        values: &[Value],
        read: impl Fn(&arrow::record_batch::RecordBatch) -> Option<T>,
    ) -> Result<Option<T>, DatabaseError> {
        let budget = Budget { rows: 1_000, bytes: 1 << 20, cuts: true, ..self.tool.budget() };
        let question = Declared::of_configuration(sql.to_owned());
        let mut rows = self.source.run(&question, values, budget, self.stop)?;
        let mut first = None;
        while let Some(batch) = rows.next(self.stop)? {
            if first.is_none() && batch.num_rows() > 0 {
                first = Some(read(&batch).ok_or_else(|| DatabaseError::of(Cause::Server)));
            }
        }
        match first {
            None | Some(Err(_)) => Ok(None),
            Some(Ok(value)) => Ok(Some(value)),
        }
    }
}

/// Of `Limit  (cost=0.43..8.45 rows=1 width=36)`, what it says.
fn planned(first: &str) -> Option<String> {
    let (_, cost) = first.split_once("..")?;
    let (cost, rest) = cost.split_once(" rows=")?;
    let rows = rest.split(' ').next()?;
    Some(format!("planned cost {cost} for {rows} rows"))
}

fn word(kind: &Kind) -> &'static str {
    match kind {
        Kind::Uuid => "a uuid",
        Kind::Integer(..) => "an integer",
        Kind::Enum(_) => "one of a few texts",
        Kind::Date(..) => "a date",
        Kind::Timestamp(..) | Kind::Window(_) => "a moment with a zone",
        Kind::Text(_) => "a text",
    }
}

const TEXTS: &[&str] =
    &["text", "varchar", "character varying", "bpchar", "char", "character", "name", "citext"];
/// Types that a text must not be bound to: the server would read it as something else.
const NO_TEXTS: &[&str] = &[
    "uuid",
    "int2",
    "int4",
    "int8",
    "smallint",
    "integer",
    "bigint",
    "oid",
    "numeric",
    "float4",
    "float8",
    "bool",
    "boolean",
    "date",
    "time",
    "timetz",
    "timestamp",
    "timestamptz",
    "interval",
    "json",
    "jsonb",
    "bytea",
    "inet",
    "cidr",
    "regclass",
    "xml",
];

/// Whether a placeholder of this type takes a parameter's values.
fn takes(kind: &Kind, server: &str) -> bool {
    let within = |least: i64, most: i64, low: &i64, high: &i64| *low >= least && *high <= most;
    match kind {
        Kind::Uuid => server == "uuid",
        Kind::Integer(low, high) => match server {
            "int2" | "smallint" => within(i16::MIN.into(), i16::MAX.into(), low, high),
            "int4" | "integer" | "int" => within(i32::MIN.into(), i32::MAX.into(), low, high),
            "int8" | "bigint" | "numeric" | "decimal" => true,
            _ => false,
        },
        Kind::Text(_) => TEXTS.iter().any(|text| server.starts_with(text)),
        // An enum of the database's own takes its words.
        Kind::Enum(_) => !NO_TEXTS.contains(&server),
        Kind::Date(..) => server == "date",
        Kind::Timestamp(..) | Kind::Window(_) => {
            matches!(server, "timestamptz" | "timestamp with time zone")
        }
    }
}

/// Values that a caller may give.
fn likely(parameter: &Parameter) -> Vec<(String, Value)> {
    let day = 20_000;
    let moment = |micros: i64| Value::Timestamp { micros, utc: true };
    let noon: i64 = 1_728_000_000_000_000;
    let value = match &parameter.kind {
        Kind::Window(window) => {
            let until = noon + window.longest.0.saturating_mul(1_000_000);
            return vec![
                (window.since.clone(), moment(noon)),
                (window.until.clone(), moment(until)),
            ];
        }
        Kind::Uuid => Value::Uuid([7; 16]),
        Kind::Integer(_, most) => Value::Integer(*most),
        Kind::Enum(values) => Value::Text(values.first().cloned().unwrap_or_default()),
        Kind::Date(least, _) => Value::Date(least.unwrap_or(day)),
        Kind::Timestamp(least, _) => moment(least.unwrap_or(noon)),
        Kind::Text(_) => Value::Text("a".to_owned()),
    };
    vec![(parameter.name.clone(), value)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_takes_what_cannot_become_another_value() {
        for (kind, server, fits) in [
            (Kind::Uuid, "uuid", true),
            (Kind::Uuid, "text", false),
            (Kind::Integer(1, 5), "int2", true),
            (Kind::Integer(1, 40_000), "int2", false),
            (Kind::Integer(1, 3_000_000_000), "int4", false),
            (Kind::Integer(1, 3_000_000_000), "int8", true),
            (Kind::Integer(1, 5), "text", false),
            (Kind::Enum(vec!["a".into()]), "mood", true),
            (Kind::Enum(vec!["a".into()]), "int4", false),
            (Kind::Date(None, None), "date", true),
            (Kind::Date(None, None), "timestamptz", false),
            (Kind::Timestamp(None, None), "timestamp", false),
            (Kind::Timestamp(None, None), "timestamptz", true),
        ] {
            assert_eq!(takes(&kind, server), fits, "{kind:?} {server}");
        }
    }
}
