//! `list_data`: what there is to work with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tool::{Hints, Tool};
use crate::audience::{Audience, empty_list};
use crate::catalog::DatasetInfo;
use crate::nearest::nearest;
use crate::reply::Answer;
use crate::room::{Call, Names, RemoteEntry, Room, RoomError};
use crate::store::{ArtifactMeta, Kind, Origin};

/// Entries of each kind in one reply.
const MOST: usize = 100;

pub(super) struct ListData;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Part of a name or of a dataRef; upper and lower case are alike.
    filter: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct List {
    /// Data of the person, by name.
    datasets: Vec<DatasetEntry>,
    /// Tables, charts and files that were computed here, newest first.
    artifacts: Vec<ArtifactEntry>,
    /// Entries that are not shown.
    left_out: usize,
    /// What to know of the list.
    notes: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DatasetEntry {
    name: String,
    kind: &'static str,
    format: &'static str,
    /// Known once the data was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    /// Known once the data was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<usize>,
    /// Of the file; a database does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ArtifactEntry {
    #[serde(rename = "dataRef")]
    data_ref: String,
    /// The key in `outputs` that it had, or the file's path.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// table, or chart or file, which have no rows.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<usize>,
    created: String,
    expires: String,
}

impl Tool for ListData {
    const NAME: &'static str = "list_data";
    const TITLE: &'static str = "List data";
    const DESCRIPTION: &'static str = "Lists the datasets of this room by name, tables of \
        databases among them, and the tables that earlier calls computed (artifacts) by dataRef, with rows and columns where known. \
        It shows no columns and no values: describe_data does for one of them. `filter` narrows \
        a long list to names that contain it.";
    const HINTS: Hints = Hints { read_only: true, idempotent: true };
    type Arguments = Arguments;
    type Answer = List;

    fn call(room: &Room, arguments: Arguments, call: &Call) -> Result<List, RoomError> {
        let filter = arguments.filter.unwrap_or_default().trim().to_lowercase();
        let matches = |text: &str| filter.is_empty() || text.to_lowercase().contains(&filter);
        let all = room.datasets()?;
        let datasets: Vec<&DatasetInfo> =
            all.iter().filter(|dataset| matches(&dataset.name)).collect();
        let (tables, unasked) = room.remote_tables(call);
        let near_all: Vec<&str> = (all.iter().map(|dataset| dataset.name.as_str()))
            .chain(tables.iter().map(|table| table.name.as_str()))
            .collect();
        let near = nearest(&filter, near_all.iter().copied());
        let mut datasets: Vec<DatasetEntry> = datasets.into_iter().map(DatasetEntry::of).collect();
        datasets.extend(
            tables.iter().filter(|table| matches(&table.name)).map(DatasetEntry::of_database),
        );
        // What was read of a database for a query is a step of its history, and no more.
        let made = room.artifacts()?.into_iter();
        let made = made.filter(|meta| !matches!(meta.origin, Origin::Remote(_)));
        let mut artifacts: Vec<ArtifactEntry> =
            made.map(|meta| ArtifactEntry::of(room, &meta)).collect();
        artifacts.retain(|artifact| {
            matches(&artifact.data_ref) || artifact.name.as_deref().is_some_and(matches)
        });
        let mut notes = unasked;
        if datasets.is_empty() && artifacts.is_empty() {
            notes.push(empty_list(&filter, &near, Audience::Model));
        }
        let mut list = List { datasets, artifacts, left_out: 0, notes };
        list.keep(MOST);
        Ok(list)
    }
}

impl DatasetEntry {
    fn of(info: &DatasetInfo) -> Self {
        Self {
            name: info.name.clone(),
            kind: "dataset",
            format: info.format,
            rows: info.rows,
            columns: info.columns,
            bytes: Some(info.bytes),
        }
    }
}

impl DatasetEntry {
    fn of_database(entry: &RemoteEntry) -> Self {
        Self {
            name: entry.name.clone(),
            kind: "table",
            format: entry.kind,
            rows: None,
            columns: None,
            bytes: None,
        }
    }
}

impl ArtifactEntry {
    fn of(room: &Room, meta: &ArtifactMeta) -> Self {
        Self {
            data_ref: meta.reference.to_string(),
            name: meta.name.as_ref().map(|name| Names::of_origin(room, meta).show(name, 0)),
            kind: meta.kind.name(),
            rows: room.policy().count(meta.rows).filter(|_| meta.kind == Kind::Table),
            columns: (meta.kind == Kind::Table).then_some(meta.columns),
            created: meta.created.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
            expires: meta.expires.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        }
    }
}

impl List {
    /// Keeps at most `most` entries of each kind, and says what it left out.
    fn keep(&mut self, most: usize) {
        let before = self.datasets.len() + self.artifacts.len();
        self.datasets.truncate(most);
        self.artifacts.truncate(most);
        self.left_out += before - self.datasets.len() - self.artifacts.len();
        if self.left_out > 0 {
            self.notes.retain(|note| !note.ends_with("with `filter`"));
            self.notes.push(format!(
                "{} more are not shown: narrow the list with `filter`",
                self.left_out
            ));
        }
    }
}

impl Answer for List {
    fn shrink(&mut self) -> bool {
        let most = self.datasets.len().max(self.artifacts.len());
        self.keep(most / 2);
        most > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::Reply;

    fn list(datasets: usize) -> List {
        let entry = |n| DatasetEntry {
            name: format!("dataset_{n:05}"),
            kind: "dataset",
            format: "csv",
            rows: Some(1),
            columns: Some(2),
            bytes: Some(3),
        };
        List {
            datasets: (0..datasets).map(entry).collect(),
            artifacts: vec![],
            left_out: 0,
            notes: vec![],
        }
    }

    #[test]
    fn ten_thousand_datasets_are_counted_and_fit() {
        let reply = Reply::answer(list(10_000), 4_096);
        let shown = reply.structured().unwrap();
        let datasets = shown["datasets"].as_array().unwrap().len();
        assert!(reply.bytes() <= 4_096 && datasets > 10, "{datasets}");
        assert_eq!(shown["left_out"], 10_000 - datasets);
        assert!(shown["notes"][0].as_str().unwrap().contains("`filter`"));
    }

    #[test]
    fn exactly_the_most_is_shown_whole() {
        let mut whole = list(MOST);
        whole.keep(MOST);
        assert_eq!((whole.datasets.len(), whole.left_out, whole.notes.len()), (MOST, 0, 0));
        let mut over = list(MOST + 1);
        over.keep(MOST);
        assert_eq!((over.datasets.len(), over.left_out, over.notes.len()), (MOST, 1, 1));
    }
}
