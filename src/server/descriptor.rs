//! What the model gets instead of a table: its handle, shape and a few rows.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::json_cell::json_cell;
use crate::policy::{Policy, capped_cell};
use crate::profile::sensitive_columns;
use crate::room::Names;
use crate::store::Artifact;
use crate::table::{Table, TableError};

/// Columns that a descriptor lists.
const COLUMNS: usize = 200;
/// Columns that a sample shows.
const SAMPLE_COLUMNS: usize = 50;

/// A table that stays in the room.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Descriptor {
    /// The handle: use it wherever a tool takes `data`, and in `inputs`.
    #[serde(rename = "dataRef")]
    pub(super) data_ref: String,
    /// Its rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rows: Option<u64>,
    /// The type of each column.
    #[schemars(with = "BTreeMap<String, String>")]
    pub(super) columns: Map<String, Value>,
    /// Nulls of the columns that have any.
    #[schemars(with = "BTreeMap<String, u64>")]
    pub(super) nulls: Map<String, Value>,
    /// The first rows, as far as the policy shows any.
    #[schemars(with = "Vec<BTreeMap<String, Value>>")]
    pub(super) sample: Vec<Map<String, Value>>,
    /// Whether the handle holds the whole result, whatever the sample shows.
    pub(super) complete: bool,
    /// What to know of it.
    pub(super) warnings: Vec<String>,
    /// How many columns it has, however many are listed.
    #[serde(skip)]
    all: usize,
}

impl Descriptor {
    pub(super) fn of(
        artifact: &Artifact,
        warnings: Vec<String>,
        policy: &Policy,
        names: &Names,
    ) -> Self {
        let rows = policy.sample_of(artifact.meta.rows);
        Self::of_rows(artifact, warnings, policy, names, rows)
    }

    /// The same with as many rows as the caller may show.
    pub(super) fn of_rows(
        artifact: &Artifact,
        warnings: Vec<String>,
        policy: &Policy,
        names: &Names,
        rows: usize,
    ) -> Self {
        let meta = &artifact.meta;
        let fields = artifact.table.schema().fields();
        let mut this = Self {
            data_ref: meta.reference.to_string(),
            rows: policy.count(meta.rows),
            columns: Map::new(),
            nulls: Map::new(),
            sample: Vec::new(),
            complete: meta.cut.is_none(),
            warnings: policy.notes(warnings),
            all: fields.len(),
        };
        let mut hidden = 0;
        for (place, field) in fields.iter().enumerate().take(COLUMNS) {
            let name = names.show(field.name(), place);
            hidden += usize::from(!names.may_show(field.name()));
            let nulls = policy.count(()).and_then(|()| meta.nulls.get(field.name()));
            if let Some(nulls) = nulls.filter(|nulls| **nulls > 0) {
                this.nulls.insert(name.clone(), (*nulls).into());
            }
            this.columns.insert(name, names.show_type(field.data_type()).into());
        }
        if fields.len() > COLUMNS {
            this.note_columns(fields.len());
        }
        if hidden > 0 {
            this.warnings.push(format!(
                "the names of {hidden} columns are hidden because they can be values: name the \
                 columns in the code (rename, set_axis) to see them"
            ));
        }
        match this.showable(artifact, rows).and_then(|rows| sample(&artifact.table, rows)) {
            Ok(rows) => this.sample = rows,
            Err(error) => this.warnings.push(format!("no sample: {error}")),
        }
        this
    }

    /// As many rows as may be shown: of people's addresses, cards and the like none.
    fn showable(&mut self, artifact: &Artifact, rows: usize) -> Result<usize, TableError> {
        if rows == 0 {
            return Ok(0);
        }
        let Artifact { meta, table } = artifact;
        let held = sensitive_columns(table, SAMPLE_COLUMNS)?;
        let is_held = |name: &String| held.iter().any(|(known, _)| known == name);
        // A column need not look like what it was made of.
        let shown = table.schema().fields().iter().take(SAMPLE_COLUMNS).map(|field| field.name());
        let made = shown.filter(|name| !is_held(name));
        let made: Vec<_> = made.filter_map(|name| meta.sensitive.get_key_value(name)).collect();
        let what = match (held.first(), made.first()) {
            (Some((name, kind)), _) => format!("{name:?} holds {}", kind.name()),
            (None, Some((name, kind))) => format!("{name:?} is made of {}", kind.name()),
            (None, None) => return Ok(rows),
        };
        let more = match held.len() + made.len() {
            1 => String::new(),
            many => format!(" and {} more columns hold such", many - 1),
        };
        self.warnings
            .push(format!("no rows are shown: {what}{more}; leave such columns out to see rows"));
        Ok(0)
    }

    fn note_columns(&mut self, all: usize) {
        self.warnings.retain(|warning| !warning.starts_with("only the first"));
        self.warnings.push(format!(
            "only the first {} of {all} columns are listed; describe_data shows any of them by name",
            self.columns.len()
        ));
    }

    /// Leaves out the sample, then columns.
    pub(super) fn shrink(&mut self) -> bool {
        if !self.sample.is_empty() {
            self.sample.clear();
            self.warnings.push("the sample was left out to keep the reply small".to_owned());
            return true;
        }
        if self.columns.len() <= 8 {
            return false;
        }
        let keep = self.columns.len() / 2;
        self.columns = std::mem::take(&mut self.columns).into_iter().take(keep).collect();
        let columns = &self.columns;
        self.nulls.retain(|name, _| columns.contains_key(name));
        self.note_columns(self.all);
        true
    }
}

fn sample(table: &Table, rows: usize) -> Result<Vec<Map<String, Value>>, TableError> {
    if rows == 0 || table.rows() == 0 {
        return Ok(Vec::new());
    }
    let fields = table.schema().fields();
    let columns: Vec<usize> = (0..fields.len().min(SAMPLE_COLUMNS)).collect();
    let mut sample = Vec::new();
    for batch in table.batches(Some(&columns), Some(rows))? {
        let batch = batch?;
        let schema = batch.schema();
        for row in 0..batch.num_rows() {
            let cells =
                schema.fields().iter().zip(batch.columns()).map(|(field, column)| {
                    (field.name().clone(), capped_cell(json_cell(column, row)))
                });
            sample.push(cells.collect());
        }
    }
    sample.truncate(rows);
    Ok(sample)
}
