//! `describe_data`: what is in a table, without its rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::column_line::{Detail, line};
use super::tool::{Hints, Tool};
use crate::profile::ColumnProfile;
use crate::reply::Answer;
use crate::room::{Call, Names, Room, RoomError};

pub(super) struct DescribeData;

/// What the lines of a table may take together; of a wide table, less is said of each.
const BYTES: usize = 3_700;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    /// A line for each column.
    columns: Vec<String>,
    /// What to know of it.
    notes: Vec<String>,
    #[serde(skip)]
    left_out: usize,
}

impl Tool for DescribeData {
    const NAME: &'static str = "describe_data";
    const TITLE: &'static str = "Describe data";
    const DESCRIPTION: &'static str = "Describes one dataset or artifact over all its rows, one \
        line a column: type, nulls, different values (~ is an estimate), and where the policy \
        allows, range, mean, quartiles, the most frequent values; whether it could be a key, gaps \
        in time, its unit or currency with the evidence, and whether it is sensitive. It shows no \
        rows; query_data and run_python compute anything else. The first look at a large file \
        reads it whole and can take a while; the next one is free.";
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
        let seen: Vec<(String, String, ColumnProfile)> = profile
            .columns
            .into_iter()
            .enumerate()
            .map(|(place, column)| {
                let data_type = names.type_of(&found, &column.name, &column.data_type);
                (names.show(&column.name, place), data_type, policy.column(column))
            })
            .collect();
        // Of what was computed, counts are as telling as values.
        let is_counted = found.meta.is_none() || policy.count(()).is_some();
        let names_only = || seen.iter().map(|(name, kind, _)| format!("{name} {kind}")).collect();
        let lines = |detail| -> Vec<String> {
            seen.iter().map(|(name, data_type, c)| line(name, data_type, c, rows, detail)).collect()
        };
        let fits =
            |lines: &Vec<String>| lines.iter().map(|line| line.len() + 4).sum::<usize>() <= BYTES;
        let most = Detail::ALL.into_iter().map(lines).find(fits);
        Ok(Description {
            data: arguments.data,
            rows: is_counted.then_some(rows),
            columns: match is_counted {
                true => most.unwrap_or_else(|| lines(Detail::Least)),
                false => names_only(),
            },
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
        let column = |n| format!("column {n} int64: 1 distinct");
        let wide = Description {
            data: "wide".into(),
            rows: Some(1),
            columns: (0..1_000).map(column).collect(),
            notes: vec!["a note".into()],
            left_out: 0,
        };
        let reply = Reply::answer(wide, 8_000);
        let shown = reply.structured().unwrap();
        let columns = shown["columns"].as_array().unwrap().len();
        assert!(reply.bytes() <= 8_000 && columns > 100);
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
