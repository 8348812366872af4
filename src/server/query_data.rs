//! `query_data`: computes with SQL on data that the model does not see.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::descriptor::Descriptor;
use super::groups;
use super::tool::{Hints, Tool};
use crate::policy::Values;
use crate::reply::{Answer, Reply, head_and_tail};
use crate::room::{Call, Found, Names, QueryReport, QueryRequest, Room, RoomError};

pub(super) struct QueryData;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// One SELECT. Tables are datasets by name and dataRefs.
    sql: String,
    /// A name for the result, for the person's lists and files.
    save_as: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answered {
    /// The handle of the whole result: use it wherever a tool takes `data`, in
    /// `inputs`, and as a table in the next query.
    #[serde(rename = "dataRef")]
    data_ref: String,
    /// Rows of the whole result, where the policy tells them.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    /// The type of each column.
    #[schemars(with = "BTreeMap<String, String>")]
    columns: Map<String, Value>,
    /// Nulls of the columns that have any.
    #[schemars(with = "BTreeMap<String, u64>")]
    nulls: Map<String, Value>,
    /// The first rows, as far as the policy shows any.
    #[schemars(with = "Vec<BTreeMap<String, Value>>")]
    preview: Vec<Map<String, Value>>,
    /// Whether the preview is the whole result. The handle always is.
    complete: bool,
    /// Rows in the preview.
    returned: usize,
    /// Rows of the whole result, where the policy tells them.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// What to know of the numbers.
    warnings: Vec<String>,
}

impl Tool for QueryData {
    const NAME: &'static str = "query_data";
    const TITLE: &'static str = "Query data";
    const DESCRIPTION: &'static str = "Runs one read-only SELECT on data of this room: joins, \
        groups, windows, CTEs, percentiles, EXPLAIN. Tables are datasets and dataRefs by name: \
        SELECT carrier, count(*) FROM flights GROUP BY carrier. The whole result is kept under a \
        handle (dataRef); the first rows come back as `preview`, and `complete` says whether they \
        are all. Integers and decimals do not wrap or round in silence, times are UTC, names are \
        forgiving in case; what could make a number misleading is in `warnings`. An error names \
        what is wrong, where, and what to write instead.";
    // Each call keeps its result anew.
    const HINTS: Hints = Hints { read_only: false, idempotent: false };
    type Arguments = Arguments;
    type Answer = Answered;

    fn call(room: &Room, arguments: Arguments, call: &Call) -> Result<Answered, RoomError> {
        let request = QueryRequest { sql: arguments.sql, save_as: arguments.save_as };
        Ok(answer(room, room.query(&request, call)?, call))
    }
}

/// The reply that the tool gives for a report.
pub(super) fn reply(room: &Room, report: QueryReport, call: &Call) -> Reply {
    Reply::answer(answer(room, report, call), room.policy().reply_bytes())
}

fn answer(room: &Room, report: QueryReport, call: &Call) -> Answered {
    let policy = room.policy();
    let QueryReport { artifact, planned, groups } = report;
    let found = Found::artifact(&artifact);
    let names = Names::of(room, &found, call);
    let shown = policy.preview_of(artifact.meta.rows, planned.is_single_aggregate);
    // What is said of a plan quotes the query, which the model wrote, and no cell.
    let descriptor = Descriptor::of_rows(&artifact, Vec::new(), policy, &names, shown);
    let Descriptor { data_ref, rows, columns, nulls, mut sample, warnings, .. } = descriptor;
    let mut warnings: Vec<String> = planned.warnings.into_iter().chain(warnings).collect();
    warnings.extend(planned.allowed.iter().map(|what| format!("allowed by a comment: {what}")));
    let mut withheld = 0;
    let mut is_whole = sample.len() as u64 == artifact.meta.rows;
    let mut rows = rows;
    if policy.shows_groups() {
        match groups::shown(&artifact.table, &groups, policy) {
            Ok(shown) => sample = shown,
            Err(error) => warnings.push(format!("no groups are shown: {error}")),
        }
        is_whole = !groups.some_are_withheld && sample.len() as u64 == artifact.meta.rows;
        // How many groups there are is told if there is nothing else to be told of them.
        rows = is_whole.then_some(artifact.meta.rows);
        warnings.extend(groups::told(&groups, policy));
    }
    if policy.shown_values() == Values::Aggregates {
        // A text that an aggregate took from one row is that row's.
        for row in &mut sample {
            let before = row.len();
            row.retain(|_, value| !value.is_string());
            withheld = before - row.len();
        }
    }
    if withheld > 0 {
        warnings.push(format!("{withheld} values of the preview are hidden by this room's policy"));
    }
    let returned = sample.len();
    Answered {
        data_ref,
        rows,
        columns,
        nulls,
        complete: is_whole && withheld == 0,
        returned,
        total: rows,
        preview: sample,
        warnings,
    }
}

impl Answer for Answered {
    fn shrink(&mut self) -> bool {
        if !self.preview.is_empty() {
            self.preview.truncate(self.preview.len() / 2);
            self.returned = self.preview.len();
            self.complete = false;
            return true;
        }
        if self.warnings.iter().any(|warning| warning.len() > 300) {
            self.warnings.iter_mut().for_each(|warning| *warning = head_and_tail(warning, 300));
            return true;
        }
        if self.columns.len() <= 8 {
            return false;
        }
        let (all, keep) = (self.columns.len(), self.columns.len() / 2);
        self.columns = std::mem::take(&mut self.columns).into_iter().take(keep).collect();
        let columns = &self.columns;
        self.nulls.retain(|name, _| columns.contains_key(name));
        self.warnings.retain(|warning| !warning.starts_with("only the first"));
        self.warnings.push(format!(
            "only the first {keep} of {all} columns are listed; describe_data shows any of them by name"
        ));
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_preview_that_does_not_fit_says_that_it_is_not_whole() {
        let row = |n: usize| Map::from_iter([("x".to_owned(), json!("y".repeat(100 + n)))]);
        let answered = || Answered {
            data_ref: "data_0".into(),
            rows: Some(8),
            columns: Map::from_iter([("x".to_owned(), json!("text"))]),
            nulls: Map::new(),
            preview: (0..8).map(row).collect(),
            complete: true,
            returned: 8,
            total: Some(8),
            warnings: vec![],
        };
        let whole = Reply::answer(answered(), 10_000);
        assert_eq!(whole.structured().unwrap()["complete"], true);
        let cut = Reply::answer(answered(), whole.bytes() - 1);
        let cut = cut.structured().unwrap();
        assert_eq!(
            (&cut["complete"], &cut["returned"], &cut["total"]),
            (&json!(false), &json!(4), &json!(8))
        );
        assert_eq!(cut["preview"].as_array().unwrap().len(), 4);
    }
}
