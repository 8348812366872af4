//! What an artifact says about itself: one JSON value in the footer of its file.

use std::collections::BTreeMap;
use std::time::Duration;

use arrow::datatypes::{Schema, SchemaRef};
use chrono::{DateTime, TimeDelta, Utc};
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use serde::{Deserialize, Serialize};

use super::hash::logical_type;
use super::identity::{DataRef, Owner};
use crate::database::{RemoteColumn, TableName};
use crate::profile::SensitiveColumns;

/// The key in the Parquet file's metadata.
pub const FOOTER_KEY: &str = "dataroom";

/// What an artifact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Rows and columns.
    Table,
    /// A picture, as the file that shows it.
    Chart,
    /// A file's bytes.
    File,
}

impl Kind {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Chart => "chart",
            Self::File => "file",
        }
    }
}

/// The step that made an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Origin {
    /// A Python run.
    Python {
        /// The code that ran.
        code: String,
        /// The name it gave this output; of a file, its path below the script's folders.
        output: String,
    },
    /// A query.
    Sql {
        /// Its text.
        sql: String,
    },
    /// A chart of a table.
    Chart {
        /// What was asked for, as JSON.
        request: String,
    },
    /// The answer of a declared tool.
    Tool {
        /// Its name.
        tool: String,
        /// The database that was asked.
        source: String,
        /// What was asked; nulls where the policy hides values.
        arguments: serde_json::Map<String, serde_json::Value>,
        /// A hash of the statement.
        statement: String,
        /// When.
        read: DateTime<Utc>,
    },
    /// Brought in from outside.
    Import {
        /// Where from.
        source: String,
    },
    /// Read of a table of a database.
    Remote(RemoteRead),
}

/// What was read of a table of a database. When, the artifact says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteRead {
    /// The source of the configuration.
    pub source: String,
    /// Its table.
    pub table: TableName,
    /// What was asked, in general words and without the values of its conditions.
    pub statement: String,
    /// Whether all rows were asked for.
    pub is_whole: bool,
    /// Of the table as it was then: see [`TableShape`](crate::database::TableShape).
    pub fingerprint: String,
    /// Its columns then, those that were not asked for as well.
    pub columns: Vec<RemoteColumn>,
}

impl Origin {
    /// Where its rows are from, in words, for those that no code of a caller's made.
    #[must_use]
    pub fn place(&self) -> String {
        match self {
            Self::Tool { tool, source, arguments, statement, read } => {
                let arguments = serde_json::Value::Object(arguments.clone());
                let hash: String = statement.chars().take(16).collect();
                let read = read.format("%Y-%m-%dT%H:%M:%SZ");
                format!("{tool} {arguments} on {source} at {read}, statement {hash}")
            }
            Self::Import { source } => source.clone(),
            Self::Python { .. } | Self::Sql { .. } | Self::Chart { .. } | Self::Remote(_) => {
                String::new()
            }
        }
    }
}

/// One thing the step read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRecord {
    /// The name the code knew it by.
    pub variable: String,
    /// A dataset's name or a `dataRef`.
    pub data: String,
    /// What it held, so that a replay knows whether it still does.
    pub content_hash: String,
    /// Where it is, if it is a file that a person named and no dataset. Only for
    /// finding it again: a model is shown `data`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// What a run was given beside its code and inputs, and what it burnt. With these it
/// can be made again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// What its random numbers began with.
    pub seed: u64,
    /// What its clock began with; `None` if it saw the machine's clock.
    pub started: Option<DateTime<Utc>>,
    /// Its fuel. The same run burns the same.
    pub fuel: Option<u64>,
}

/// What the maker of an artifact says about it.
#[derive(Debug, Clone)]
pub struct Draft {
    /// Whose it is.
    pub owner: Owner,
    /// What it is.
    pub kind: Kind,
    /// A name for people.
    pub name: Option<String>,
    /// The step that makes it.
    pub origin: Origin,
    /// What the step reads.
    pub inputs: Vec<InputRecord>,
    /// The versions of the runtime and the engine.
    pub versions: BTreeMap<String, String>,
    /// What the run had, if a run makes it.
    pub run: Option<RunRecord>,
    /// What whoever uses it should know.
    pub warnings: Vec<String>,
    /// Its columns that are made of what nobody should be shown.
    pub sensitive: SensitiveColumns,
    /// Why it has not all the rows that it is about, if it has not.
    pub cut: Option<String>,
    /// How long it is kept; the store's default if `None`.
    pub time_to_live: Option<Duration>,
}

/// What is known of a finished artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactMeta {
    /// Its handle.
    pub reference: DataRef,
    /// Whose it is.
    pub owner: Owner,
    /// When it was begun.
    pub created: DateTime<Utc>,
    /// From when on it is unknown.
    pub expires: DateTime<Utc>,
    /// What it is.
    pub kind: Kind,
    /// A name for people.
    pub name: Option<String>,
    /// The step that made it.
    pub origin: Origin,
    /// What the step read.
    pub inputs: Vec<InputRecord>,
    /// The versions of the runtime and the engine.
    pub versions: BTreeMap<String, String>,
    /// What the run had, if a run made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunRecord>,
    /// blake3 of the columns' names and types.
    pub schema_fingerprint: String,
    /// The [`ContentHash`](super::ContentHash) of the rows.
    pub content_hash: String,
    /// Its rows.
    pub rows: u64,
    /// Its columns.
    pub columns: usize,
    /// The columns that have nulls, and how many.
    pub nulls: BTreeMap<String, u64>,
    /// What whoever uses it should know.
    pub warnings: Vec<String>,
    /// Its columns that are made of what nobody should be shown, whatever they look like.
    #[serde(default, skip_serializing_if = "SensitiveColumns::is_empty")]
    pub sensitive: SensitiveColumns,
    /// Why it has not all the rows that it is about, if it has not: no export and no total
    /// may take it for the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
}

impl ArtifactMeta {
    /// The meta of a draft with nothing in it yet.
    pub(super) fn begin(
        draft: Draft,
        reference: DataRef,
        schema: &Schema,
        default: Duration,
    ) -> Self {
        let created = Utc::now();
        Self {
            reference,
            owner: draft.owner,
            created,
            expires: expiry(created, draft.time_to_live.unwrap_or(default)),
            kind: draft.kind,
            name: draft.name,
            origin: draft.origin,
            inputs: draft.inputs,
            versions: draft.versions,
            run: draft.run,
            schema_fingerprint: schema_fingerprint(schema),
            content_hash: String::new(),
            rows: 0,
            columns: schema.fields().len(),
            nulls: BTreeMap::new(),
            warnings: draft.warnings,
            sensitive: draft.sensitive,
            cut: draft.cut,
        }
    }

    /// Whether its script saw the machine's clock, which nothing can set back.
    pub(crate) fn saw_the_real_clock(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.started.is_none())
    }

    /// Whether its time has passed.
    pub(super) fn is_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires <= now
    }

    /// For the footer.
    pub(super) fn to_key_value(&self) -> serde_json::Result<KeyValue> {
        Ok(KeyValue::new(FOOTER_KEY.to_owned(), serde_json::to_string(self)?))
    }

    /// Out of a footer; `None` if this is not a file of ours.
    pub(super) fn from_footer(metadata: &ParquetMetaData) -> Option<Self> {
        let pairs = metadata.file_metadata().key_value_metadata()?;
        let text = pairs.iter().find(|pair| pair.key == FOOTER_KEY)?.value.as_deref()?;
        serde_json::from_str(text).ok()
    }
}

/// A far date rather than an overflow: RFC 3339 has four digits for the year.
fn expiry(created: DateTime<Utc>, time_to_live: Duration) -> DateTime<Utc> {
    let last = DateTime::from_timestamp(253_402_300_799, 0).unwrap_or(DateTime::<Utc>::MAX_UTC);
    TimeDelta::from_std(time_to_live)
        .ok()
        .and_then(|time_to_live| created.checked_add_signed(time_to_live))
        .map_or(last, |expires| expires.min(last))
}

/// blake3 of the names and types of the columns, in their order. What is one type
/// in two layouts (text and large text, categories of text) is one type here.
#[must_use]
pub fn schema_fingerprint(schema: &Schema) -> String {
    let mut hasher = blake3::Hasher::new();
    for field in schema.fields() {
        for part in [field.name().as_str(), &logical_type(field.data_type())] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// The schema with only that metadata of which `keep` approves, and never ours.
pub(crate) fn foreign_schema(schema: &Schema, keep: impl Fn(&str) -> bool) -> SchemaRef {
    let theirs = schema.metadata().iter().filter(|(key, _)| {
        let key = key.as_str();
        key != FOOTER_KEY && key != parquet::arrow::ARROW_SCHEMA_META_KEY && keep(key)
    });
    let theirs = theirs.map(|(key, value)| (key.clone(), value.clone())).collect();
    SchemaRef::new(Schema::new_with_metadata(schema.fields().clone(), theirs))
}

/// A schema's metadata for the file's own. It is written there and in the Arrow
/// schema, as pyarrow does: pyarrow reads the second, others the first.
pub(crate) fn key_values(schema: &Schema) -> Vec<KeyValue> {
    let pairs = schema.metadata().iter();
    pairs.map(|(key, value)| KeyValue::new(key.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_to_live_overflows() {
        let now = Utc::now();
        assert_eq!(expiry(now, Duration::MAX).to_rfc3339(), "9999-12-31T23:59:59+00:00");
        assert_eq!(expiry(now, Duration::from_secs(60)) - now, TimeDelta::seconds(60));
        assert_eq!(expiry(now, Duration::ZERO), now);
    }

    #[test]
    fn a_footer_of_before_says_nothing_of_sensitive_columns_and_is_read() {
        let draft = Draft {
            owner: Owner::new("me").unwrap(),
            kind: Kind::Table,
            name: None,
            origin: Origin::Sql { sql: "select 1".into() },
            inputs: Vec::new(),
            versions: BTreeMap::new(),
            run: None,
            warnings: Vec::new(),
            sensitive: SensitiveColumns::from([("x".into(), crate::profile::Kind::Card)]),
            cut: None,
            time_to_live: None,
        };
        let reference = DataRef::random().unwrap();
        let meta = ArtifactMeta::begin(draft, reference, &Schema::empty(), Duration::ZERO);
        let mut footer = serde_json::to_value(&meta).unwrap();
        assert_eq!(footer["sensitive"], serde_json::json!({"x": "card"}));
        assert_eq!(serde_json::from_value::<ArtifactMeta>(footer.clone()).unwrap(), meta);
        footer.as_object_mut().unwrap().remove("sensitive");
        let old: ArtifactMeta = serde_json::from_value(footer).unwrap();
        assert!(old.sensitive.is_empty() && old.reference == meta.reference);
    }

    #[test]
    fn kinds_and_origins_have_stable_names() {
        let json = serde_json::to_string(&(Kind::Table, Origin::Sql { sql: "select 1".into() }));
        assert_eq!(json.unwrap(), r#"["table",{"by":"sql","sql":"select 1"}]"#);
    }
}
