//! A call of a declared tool: one statement, its values bound, and what may leave of its rows.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{Schema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::query::versions;
use super::{Call, Room, RoomError};
use crate::database::Rows;
use crate::gateway::texts::{Texts, has_texts};
use crate::gateway::{Given, Refusal, Returns, Tool, ToolError};
use crate::json_cell::json_cell;
use crate::profile::SensitiveColumns;
use crate::redact::Redactor;
use crate::store::{Artifact, ArtifactWriter, Draft, Kind, Origin};

/// What a call gave.
#[derive(Debug)]
pub struct ToolReport {
    /// When the database was asked.
    pub read: DateTime<Utc>,
    /// What it said.
    pub answer: ToolAnswer,
    /// What was blacked out, by the rule's name.
    pub redacted: BTreeMap<String, u64>,
}

/// What a declared tool says.
#[derive(Debug)]
pub enum ToolAnswer {
    /// Rows that are told.
    Rows(ToolRows),
    /// A table that was kept.
    Kept(Box<Artifact>),
}

/// Few rows, their texts cleaned, blacked out and cut.
#[derive(Debug, Default)]
pub struct ToolRows {
    /// They.
    pub rows: Vec<Map<String, Value>>,
    /// How many there are, if that is known.
    pub total: Option<u64>,
    /// What is told once.
    pub totals: Map<String, Value>,
    /// Whether there are more than these.
    pub cut: bool,
    /// Texts that had characters which nobody sees.
    pub hidden_characters: u64,
    /// Texts that were cut.
    pub cut_texts: u64,
}

impl Room {
    /// Calls a declared tool.
    ///
    /// # Errors
    /// The database cannot be asked or fails, there is nothing of what was asked for, or the
    /// rows cannot be kept.
    pub fn call_declared(
        &self,
        tool: &Tool,
        given: &Given,
        call: &Call,
    ) -> Result<ToolReport, RoomError> {
        let name = tool.source();
        let source = self.databases().get(&name.0).ok_or_else(|| {
            ToolError::of(Refusal::Unreachable, format!("this room has no source {name}"))
        })?;
        call.enter(format!("asking {name}"));
        let read = super::run::now();
        let stop = || call.is_cancelled();
        let rows = source
            .run(tool.declared(), given.values(), tool.budget(), &stop)
            .map_err(|error| ToolError::of_database(&error))?;
        let redactor = tool.redacts().then(Redactor::all);
        let mut asked = Asked { tool, call, rows, texts: Texts::new(redactor) };
        let answer = match tool.returns() {
            Returns::Rows => ToolAnswer::Rows(asked.told()?),
            Returns::Artifact => ToolAnswer::Kept(Box::new(self.kept(&mut asked, given, read)?)),
        };
        Ok(ToolReport { read, answer, redacted: asked.texts.redacted })
    }

    /// Keeps the rows as a table.
    fn kept(
        &self,
        asked: &mut Asked<'_>,
        given: &Given,
        read: DateTime<Utc>,
    ) -> Result<Artifact, RoomError> {
        let tool = asked.tool;
        let places = asked.leaving()?;
        let schema: SchemaRef = Arc::new(
            asked
                .rows
                .schema
                .project(&places)
                .map_err(|_| changed("the columns are other ones"))?,
        );
        // What a model may not see of values it shall not find in a history either.
        let arguments = match self.policy().hides_values() {
            true => given.recorded().keys().map(|name| (name.clone(), Value::Null)).collect(),
            false => given.recorded().clone(),
        };
        let origin = Origin::Tool {
            tool: tool.name().to_owned(),
            source: tool.source().0,
            arguments,
            statement: tool.statement_hash().to_owned(),
            read,
        };
        let draft = Draft {
            owner: self.settings().owner.clone(),
            kind: Kind::Table,
            name: Some(tool.name().to_owned()),
            origin,
            inputs: Vec::new(),
            versions: versions(),
            run: None,
            warnings: Vec::new(),
            sensitive: SensitiveColumns::new(),
            cut: None,
            time_to_live: None,
        };
        let mut writer: Option<ArtifactWriter> = None;
        let mut draft = Some(draft);
        let mut count = 0_usize;
        while let Some(batch) = asked.next()? {
            count += batch.num_rows();
            if let Some(draft) = draft.take() {
                writer = Some(self.store()?.create(draft, Arc::clone(&schema))?);
            }
            let batch = asked.without_secrets(&batch, &places, &schema)?;
            if let Some(writer) = &mut writer {
                writer.write(&batch)?;
            }
        }
        asked.found(count)?;
        match (writer, draft) {
            (Some(writer), _) => Ok(writer.finish()?),
            (None, Some(draft)) => Ok(self.store()?.create(draft, schema)?.finish()?),
            (None, None) => Err(changed("the rows ended before they had columns").into()),
        }
    }
}

/// Rows on their way.
struct Asked<'a> {
    tool: &'a Tool,
    call: &'a Call,
    rows: Rows,
    texts: Texts,
}

fn changed(message: &str) -> ToolError {
    ToolError::of(Refusal::Changed, message).next("`dataroom tools check` says where it differs")
}

impl Asked<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>, RoomError> {
        let call = self.call;
        let batch = self.rows.next(&|| call.is_cancelled());
        Ok(batch.map_err(|error| ToolError::of_database(&error))?)
    }

    /// Nothing at all is what the tool's author says it is.
    fn found(&self, rows: usize) -> Result<(), ToolError> {
        match (rows, self.tool.empty()) {
            (0, Some(empty)) => Err(ToolError::of(Refusal::NotFound, empty)),
            _ => Ok(()),
        }
    }

    fn place(&self, name: &str) -> Result<usize, ToolError> {
        self.rows.schema.index_of(name).map_err(|_| {
            changed(&format!("the statement of {} gives no column {name:?} now", self.tool.name()))
        })
    }

    /// The places of the columns that leave, in the order in which they leave.
    fn leaving(&self) -> Result<Vec<usize>, ToolError> {
        match self.tool.columns() {
            Some(columns) => columns.iter().map(|name| self.place(name)).collect(),
            None => {
                let told_once = self.tool.totals();
                let fields = self.rows.schema.fields().iter().enumerate();
                let leave = fields.filter(|(_, field)| !told_once.contains(field.name()));
                Ok(leave.map(|(place, _)| place).collect())
            }
        }
    }

    /// The batch's columns at these places, without what nobody should be shown.
    fn without_secrets(
        &mut self,
        batch: &RecordBatch,
        places: &[usize],
        schema: &SchemaRef,
    ) -> Result<RecordBatch, ToolError> {
        let columns: Result<Vec<ArrayRef>, _> =
            places.iter().map(|place| self.texts.column(batch.column(*place))).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        columns
            .and_then(|columns| {
                RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
            })
            .map_err(|_| changed("the rows do not have the columns that were said"))
    }

    /// The rows that are told.
    fn told(&mut self) -> Result<ToolRows, RoomError> {
        let places = self.leaving()?;
        let once: Result<Vec<usize>, ToolError> =
            self.tool.totals().iter().map(|name| self.place(name)).collect();
        let once = once?;
        let most = usize::try_from(self.tool.limits().rows).unwrap_or(usize::MAX);
        let mut told = ToolRows::default();
        let mut count = 0_usize;
        while let Some(batch) = self.next()? {
            let schema = batch.schema();
            for row in 0..batch.num_rows() {
                if count == 0 {
                    told.totals = self.row(&batch, &schema, &once, row);
                }
                count += 1;
                if count <= most {
                    let row = self.row(&batch, &schema, &places, row);
                    told.rows.push(row);
                }
            }
        }
        self.found(count)?;
        told.cut = self.rows.was_cut() || count > most;
        self.count(&mut told, count)?;
        told.hidden_characters = self.texts.hidden;
        told.cut_texts = self.texts.cut;
        Ok(told)
    }

    /// How many rows there are: by the statement's own word, or by having seen them all.
    fn count(&self, told: &mut ToolRows, count: usize) -> Result<(), ToolError> {
        let Some(name) = self.tool.totals().first() else {
            told.total = (!told.cut).then_some(count as u64);
            return Ok(());
        };
        let total = match count {
            0 => Some(0),
            _ => told.totals.shift_remove(name).as_ref().and_then(Value::as_u64),
        };
        let Some(total) = total else {
            return Err(changed(&format!("the column {name:?} of `totals` is no number")));
        };
        told.total = Some(total);
        if total == 0 {
            // The row only says that what was asked for is known.
            told.rows.clear();
            told.cut = false;
        }
        told.cut |= total > told.rows.len() as u64;
        Ok(())
    }

    fn row(
        &mut self,
        batch: &RecordBatch,
        schema: &Schema,
        places: &[usize],
        row: usize,
    ) -> Map<String, Value> {
        let cell = |place: &usize| {
            let (field, column) = (schema.field(*place), batch.column(*place));
            let value = match json_cell(column, row) {
                Value::String(text) if has_texts(field.data_type()) => {
                    Value::String(self.texts.shown(&text))
                }
                other => other,
            };
            (field.name().clone(), value)
        };
        places.iter().map(cell).collect()
    }
}
