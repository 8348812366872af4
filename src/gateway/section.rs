//! `[[tool]]` as it is written. What it means, and whether it means anything, [`super::tool`]
//! finds out; here is only what a key is called and what kind of value it has.

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// One `[[tool]]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSection {
    /// What it is called.
    pub(super) name: Spanned<String>,
    /// What a person reads above it; its name if it is left out.
    pub(super) title: Option<Spanned<String>>,
    /// What a model reads of it.
    pub(super) description: Spanned<String>,
    /// The `[[source]]` that is asked.
    pub(super) source: Spanned<String>,
    /// One SELECT, with `:name` where a parameter's value goes.
    pub(super) sql: Spanned<String>,
    /// Its parameters by name.
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, Spanned<ParameterSection>>,
    /// What becomes of the rows.
    pub(super) returns: Spanned<Returns>,
    /// Rows that leave at most.
    pub(super) rows: Option<Spanned<i64>>,
    /// Bytes that leave at most.
    pub(super) bytes: Option<Spanned<i64>>,
    /// Until the statement is cancelled.
    pub(super) time_ms: Option<Spanned<i64>>,
    /// Columns that leave, in this order; all if it is left out.
    pub(super) columns: Option<Spanned<Vec<String>>>,
    /// Columns that say the same in each row, and are told once. The first is the number of
    /// all rows, whatever leaves.
    pub(super) totals: Option<Spanned<Vec<String>>>,
    /// What no row at all means.
    pub(super) empty: Option<Spanned<String>>,
    /// Functions of the database's own that the statement may call, with their schema.
    #[serde(default)]
    pub(super) functions: Vec<Spanned<String>>,
    /// Whether secrets and people's data in texts are blacked out.
    pub(super) redact: Option<bool>,
}

/// What becomes of a tool's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Returns {
    /// They are kept as a table, whose handle is told.
    Artifact,
    /// They are told, few and small.
    Rows,
}

/// One `[tool.parameters.NAME]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParameterSection {
    /// What it takes.
    #[serde(rename = "type")]
    pub(super) kind: Spanned<KindName>,
    /// What a model reads of it.
    pub(super) description: Option<String>,
    /// Whether it has to be given; it has to if there is no default.
    pub(super) required: Option<Spanned<bool>>,
    /// What it is if it is not given.
    pub(super) default: Option<Spanned<toml::Value>>,
    /// The least.
    pub(super) min: Option<Spanned<toml::Value>>,
    /// The most.
    pub(super) max: Option<Spanned<toml::Value>>,
    /// What it can be.
    pub(super) values: Option<Spanned<Vec<String>>>,
    /// What a text looks like, from its first character to its last.
    pub(super) pattern: Option<Spanned<String>>,
    /// Characters of a text; of a window its span, like `"7d"`.
    pub(super) longest: Option<Spanned<toml::Value>>,
    /// Of a window, the name of its beginning.
    pub(super) since: Option<Spanned<String>>,
    /// Of a window, the name of its end.
    pub(super) until: Option<Spanned<String>>,
}

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum KindName {
    Uuid,
    Integer,
    Enum,
    Date,
    Timestamp,
    Window,
    Text,
}

impl KindName {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Uuid => "uuid",
            Self::Integer => "integer",
            Self::Enum => "enum",
            Self::Date => "date",
            Self::Timestamp => "timestamp",
            Self::Window => "window",
            Self::Text => "text",
        }
    }
}
