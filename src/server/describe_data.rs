//! `describe_data`: what is in a table, without its rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tool::{Hints, Tool};
use crate::profile::ColumnProfile;
use crate::reply::Answer;
use crate::room::{Call, Names, Room, RoomError};

pub(super) struct DescribeData;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// A dataset's name or a dataRef.
    data: String,
    /// Only these columns; all if left out.
    columns: Option<Vec<String>>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Description {
    /// What is described.
    data: String,
    /// Its rows.
    rows: u64,
    /// Its columns.
    columns: Vec<Column>,
    /// What to know of it.
    notes: Vec<String>,
    #[serde(skip)]
    left_out: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Column {
    name: String,
    #[serde(rename = "type")]
    data_type: String,
    /// Nulls among the rows, from 0 to 1.
    null_share: f64,
    /// Different values, where values can be told apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    distinct: Option<Distinct>,
    /// The smallest, where the policy shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<Value>,
    /// The largest, where the policy shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<Value>,
    /// The mean, where there is one and the policy shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Distinct {
    count: u64,
    /// Whether the count is exact; else it is estimated.
    exact: bool,
}

impl Tool for DescribeData {
    const NAME: &'static str = "describe_data";
    const TITLE: &'static str = "Describe data";
    const DESCRIPTION: &'static str = "Describes one dataset or artifact: rows, and for each \
        column its type, share of nulls, number of different values and, where the policy allows, \
        min, max and mean, over all rows. It shows no rows; run_python computes anything else. \
        The first look at a large CSV or JSON file reads it whole and can take a while.";
    const HINTS: Hints = Hints { read_only: true, idempotent: true };
    type Arguments = Arguments;
    type Answer = Description;

    fn call(room: &Room, arguments: Arguments, call: &Call) -> Result<Description, RoomError> {
        // No columns at all is never what is meant.
        let columns = arguments.columns.as_deref().filter(|columns| !columns.is_empty());
        let (found, profile) = room.describe(&arguments.data, columns, call)?;
        let policy = room.policy();
        let names = Names::of(room, &found, call);
        let rows = profile.rows;
        let column = |(place, column): (usize, ColumnProfile)| Column {
            name: names.show(&column.name, place),
            data_type: names.type_of(&found, &column.name, &column.data_type),
            null_share: (column.null_share * 1e6).round() / 1e6,
            distinct: column.distinct.map(|d| Distinct { count: d.count, exact: d.exact }),
            min: policy.extreme(column.min, &column.data_type, rows),
            max: policy.extreme(column.max, &column.data_type, rows),
            mean: policy.mean(column.mean, rows),
        };
        Ok(Description {
            data: arguments.data,
            rows,
            columns: profile.columns.into_iter().enumerate().map(column).collect(),
            notes: policy.notes(found.notes.into_iter().chain(profile.notes).collect()),
            left_out: 0,
        })
    }
}

impl Answer for Description {
    fn shrink(&mut self) -> bool {
        // Few notes stay: they can be long, and columns are what was asked for.
        if self.notes.len() > 5 {
            self.notes.truncate(4);
            self.notes.push("further notes were left out".to_owned());
            return true;
        }
        let keep = self.columns.len() / 2;
        if keep == 0 {
            return false;
        }
        if self.left_out > 0 {
            self.notes.pop();
        }
        self.left_out += self.columns.len() - keep;
        self.columns.truncate(keep);
        self.notes.push(format!(
            "{} more columns are not shown: name those you need in `columns`",
            self.left_out
        ));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::Reply;

    #[test]
    fn a_wide_table_says_how_many_columns_are_left_out() {
        let column = |n| Column {
            name: format!("column {n}"),
            data_type: "int64".into(),
            null_share: 0.0,
            distinct: Some(Distinct { count: 1, exact: true }),
            min: None,
            max: None,
            mean: None,
        };
        let wide = Description {
            data: "wide".into(),
            rows: 1,
            columns: (0..1_000).map(column).collect(),
            notes: vec!["a note".into()],
            left_out: 0,
        };
        let reply = Reply::answer(wide, 8_000);
        let shown = reply.structured().unwrap();
        let columns = shown["columns"].as_array().unwrap().len();
        assert!(reply.bytes() <= 8_000 && columns > 20);
        let notes = shown["notes"].as_array().unwrap();
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert_eq!(
            notes[1],
            format!(
                "{} more columns are not shown: name those you need in `columns`",
                1_000 - columns
            )
        );
    }
}
