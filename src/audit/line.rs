//! What a line says.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// By which road a call came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Through {
    /// A model, over MCP.
    Mcp,
    /// What shows charts and tables to the person.
    View,
    /// A command, by hand.
    Command,
    /// A program that this crate is a part of.
    #[default]
    Library,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its number, from 1.
    pub seq: u64,
    /// When it was written.
    pub time: DateTime<Utc>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
    /// The hash of the line before; nothing before the first.
    pub prev: String,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A call.
    Call(Box<CallLine>),
    /// What a process that died left was put in order.
    Recovered {
        /// Bytes of half a line that were taken out.
        bytes: u64,
        /// Whole lines that the head did not know and that were taken in.
        lines: u64,
    },
    /// What was there before is not what was written.
    Damaged {
        /// In words.
        why: String,
    },
}

/// A call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CallLine {
    /// The tool or command.
    pub tool: String,
    /// Whose room it is.
    pub owner: String,
    /// By which road it came.
    pub through: Through,
    /// Names of arguments with what they are like.
    pub arguments: Map<String, Value>,
    /// The query without its values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The hash of that text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql_hash: Option<String>,
    /// What it was about: names of datasets, first digits of references.
    pub data: Vec<String>,
    /// Milliseconds that it took.
    pub ms: u64,
    /// Rows that reached the model.
    pub rows: u64,
    /// Bytes that reached the model.
    pub bytes: u64,
    /// Why it was refused or failed; nothing if it was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Calls before this one that could not be written down.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
