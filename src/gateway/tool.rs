//! From a `[[tool]]` to a tool that can be called, or to all that is wrong with it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json};

use super::Dialect;
use super::error::ToolError;
use super::fault::{Cause, Fault, FaultCode};
use super::making::{Making, fault};
use super::parameter::{self, Parameter};
use super::section::{Returns, ToolSection};
use super::statement::Statement;
use crate::database::config::Sources;
use crate::database::{Budget, SourceName, Value};

/// Names that a declared tool cannot have: the room's own tools, and what their views call.
pub(crate) const TAKEN: &[&str] = &[
    "list_data",
    "describe_data",
    "query_data",
    "run_python",
    "render_chart",
    "export_data",
    "trace_result",
    "read_rows",
    "draw_chart",
    "save_file",
];

/// Tools of one room.
const TOOLS: usize = 64;
/// What a reader of rows may take from the server; what leaves is [`Limits::bytes`].
const READ_BYTES: u64 = 16 << 20;

/// The declared tools of a room, in the order of their file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tools(Arc<Vec<Arc<Tool>>>);

/// A declared tool.
#[derive(Debug, Clone)]
pub struct Tool {
    pub(super) section: ToolSection,
    pub(super) line: usize,
    pub(super) dialect: Dialect,
    pub(super) parameters: Vec<Parameter>,
    pub(super) statement: Statement,
    pub(super) limits: Limits,
}

impl PartialEq for Tool {
    fn eq(&self, other: &Self) -> bool {
        self.section == other.section
    }
}

/// What a tool may give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Rows that leave.
    pub rows: u64,
    /// Bytes that leave: as JSON, or as the kept table.
    pub bytes: u64,
    /// Until the statement is cancelled.
    pub time: Duration,
}

/// The values of one call, in the order of the statement's placeholders.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    values: Vec<Value>,
    /// By their names, as they are recorded.
    recorded: Map<String, Json>,
}

impl Given {
    /// What the server is sent.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// What is recorded of the call.
    #[must_use]
    pub fn recorded(&self) -> &Map<String, Json> {
        &self.recorded
    }
}

impl Tools {
    /// The tools of a file. `text` is the file's, for the lines.
    ///
    /// # Errors
    /// Every fault of the file, by line.
    pub fn of(
        sections: Vec<ToolSection>,
        sources: &Sources,
        text: &str,
    ) -> Result<Self, Vec<Fault>> {
        let (mut tools, mut faults) = (Vec::<Arc<Tool>>::new(), Vec::new());
        for (at, section) in sections.into_iter().enumerate() {
            let (made, mut found) = Making::of(text, &section).make(sources);
            let taken = tools.iter().any(|tool| tool.name() == section.name.get_ref());
            if taken || TAKEN.contains(&section.name.get_ref().as_str()) || at >= TOOLS {
                let message = match at >= TOOLS {
                    true => format!("there are more than {TOOLS} tools"),
                    false => "another tool is called so".to_owned(),
                };
                let cause = Cause::new(FaultCode::Collision, message);
                found.push(fault(text, &section, section.name.span().start, cause));
            }
            faults.extend(found);
            tools.extend(made.map(Arc::new));
        }
        faults.sort_by_key(|fault| fault.line);
        match faults.is_empty() {
            true => Ok(Self(Arc::new(tools))),
            false => Err(faults),
        }
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.iter().find(|tool| tool.name() == name)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.0.iter()
    }
}

impl Tool {
    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        self.section.name.get_ref()
    }

    /// What a person reads above it.
    #[must_use]
    pub fn title(&self) -> &str {
        self.section.title.as_ref().unwrap_or(&self.section.name).get_ref()
    }

    /// What a model reads of it.
    #[must_use]
    pub fn description(&self) -> &str {
        self.section.description.get_ref()
    }

    /// The source that it asks.
    #[must_use]
    pub fn source(&self) -> SourceName {
        SourceName(self.section.source.get_ref().clone())
    }

    /// The line of the file on which it begins.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// What becomes of its rows.
    #[must_use]
    pub fn returns(&self) -> Returns {
        *self.section.returns.get_ref()
    }

    /// What it may give.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Whether its texts are blacked out.
    #[must_use]
    pub fn redacts(&self) -> bool {
        self.section.redact.unwrap_or(true)
    }

    /// What no row means, if it was said.
    #[must_use]
    pub fn empty(&self) -> Option<&str> {
        self.section.empty.as_ref().map(|empty| empty.get_ref().as_str())
    }

    /// Columns that are told once, of which the first counts all rows.
    #[must_use]
    pub fn totals(&self) -> &[String] {
        self.section.totals.as_ref().map_or(&[], |totals| totals.get_ref())
    }

    /// Columns that leave, if not all do.
    #[must_use]
    pub fn columns(&self) -> Option<&[String]> {
        self.section.columns.as_ref().map(|columns| columns.get_ref().as_slice())
    }

    /// A hash of its statement.
    #[must_use]
    pub fn statement_hash(&self) -> &str {
        &self.statement.hash
    }

    /// What the server is sent.
    #[must_use]
    pub fn declared(&self) -> &crate::database::Declared {
        &self.statement.declared
    }

    /// The schema that its arguments are held to.
    #[must_use]
    pub fn schema(&self) -> Map<String, Json> {
        parameter::schema(&self.parameters)
    }

    /// What its statement may use.
    #[must_use]
    pub fn budget(&self) -> Budget {
        let Limits { rows, bytes, time } = self.limits;
        match self.returns() {
            // What is over the rows is left out and said; the bytes of a cell are counted
            // when it was blacked out and cut.
            Returns::Rows => Budget { time, rows, bytes: READ_BYTES, cuts: true },
            Returns::Artifact => Budget { time, rows, bytes, cuts: false },
        }
    }

    /// The values of a call, whose arguments have the types of the schema.
    ///
    /// # Errors
    /// Names the argument and what it takes.
    pub fn given(&self, arguments: &Map<String, Json>) -> Result<Given, ToolError> {
        let mut named: Vec<(String, Value)> = Vec::new();
        for parameter in &self.parameters {
            named.extend(parameter.values(arguments)?);
        }
        let of = |name: &String| named.iter().find(|(known, _)| known == name);
        let values = self.statement.bound.iter().filter_map(of).map(|(_, v)| v.clone()).collect();
        let recorded =
            named.iter().map(|(name, value)| (name.clone(), parameter::recorded(value))).collect();
        Ok(Given { values, recorded })
    }
}
