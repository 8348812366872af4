//! From what the model calls a table to the table.

use chrono::{DateTime, Utc};

use super::{Call, Names, Room, RoomError};
use crate::catalog::{CatalogError, Dataset, FileState, Warning, is_unchanged};
use crate::nearest::nearest;
use crate::store::{Artifact, ArtifactMeta, DataRef, Kind, Origin};
use crate::table::Table;

/// A dataset or an artifact that was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its name or reference, as it is asked for.
    pub data: String,
    /// Its rows.
    pub table: Table,
    /// The hash of its content.
    pub content_hash: String,
    /// What to know of it.
    pub notes: Vec<String>,
    /// What whoever computes with it must know, by the columns that it is about.
    pub warnings: Vec<Warning>,
    /// Where it came from; `None` for a dataset.
    pub meta: Option<ArtifactMeta>,
    /// When a dataset's file was last written to, where the system says.
    pub modified: Option<DateTime<Utc>>,
    /// Of a dataset's file that is read in place, and may be written to meanwhile.
    pub in_place: Option<FileState>,
}

impl Found {
    /// A name for people: a dataset's, or the one that the script gave.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        match &self.meta {
            Some(meta) => meta.name.as_deref(),
            None => Some(&self.data),
        }
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.meta.as_ref().map_or(Kind::Table, |meta| meta.kind)
    }

    /// What is to be told of what a query computes of it: nothing, if the query names none
    /// of a warning's columns and does not take all.
    pub fn warned(&self, query: &str) -> impl Iterator<Item = String> {
        let query = query.to_lowercase().replace("count(*)", "");
        let named = move |warning: &&Warning| {
            let mut columns = warning.columns.iter();
            query.contains('*') || columns.any(|column| query.contains(&column.to_lowercase()))
        };
        let told = |warning: &Warning| format!("{}: {}", self.data, warning.text);
        self.warnings.iter().filter(named).map(told)
    }

    /// What a record of it names: of a table of a database, what was read of it.
    #[must_use]
    pub fn recorded(&self) -> String {
        match &self.meta {
            Some(meta) => meta.reference.to_string(),
            None => self.data.clone(),
        }
    }

    /// Whether it was read of a database under a condition.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        let origin = self.meta.as_ref().map(|meta| &meta.origin);
        matches!(origin, Some(Origin::Remote(read)) if !read.is_whole)
    }

    /// What is to be told of what is computed of these columns.
    pub(super) fn warned_of(&self, columns: &[String]) -> Vec<String> {
        let named =
            |warning: &&Warning| warning.columns.iter().any(|column| columns.contains(column));
        self.warnings.iter().filter(named).map(|warning| warning.text.clone()).collect()
    }

    /// The names of its columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.table.schema().fields().iter().map(|field| field.name().as_str())
    }

    /// An artifact that was just made.
    #[must_use]
    pub fn artifact(artifact: &Artifact) -> Self {
        Self {
            data: artifact.meta.reference.to_string(),
            table: artifact.table.clone(),
            content_hash: artifact.meta.content_hash.clone(),
            notes: artifact.meta.warnings.clone(),
            warnings: Vec::new(),
            meta: Some(artifact.meta.clone()),
            modified: None,
            in_place: None,
        }
    }

    pub(super) fn dataset(dataset: Dataset) -> Self {
        let warnings = dataset.warnings.iter().map(|warning| warning.text.clone());
        Self {
            data: dataset.name.to_string(),
            table: dataset.table,
            content_hash: dataset.content_hash,
            notes: warnings.chain(dataset.notes).collect(),
            warnings: dataset.warnings,
            meta: None,
            modified: dataset.modified,
            in_place: dataset.in_place,
        }
    }
}

impl Room {
    /// Finds a dataset by its name or an artifact by its reference.
    ///
    /// # Errors
    /// There is no such data, or it cannot be read.
    pub fn find(&self, data: &str, call: &Call) -> Result<Found, RoomError> {
        if let Ok(reference) = data.parse::<DataRef>() {
            let artifact = self.store()?.get(&self.settings().owner, &reference)?;
            return Ok(Found::artifact(&artifact));
        }
        if let Some(found) = self.find_remote(data, call)? {
            return Ok(found);
        }
        call.enter(format!("reading {data}"));
        let dataset = self.catalog()?.table(data, &|| call.is_cancelled());
        call.unless_cancelled(dataset).map(Found::dataset)
    }

    /// Finds data that has rows and columns.
    ///
    /// # Errors
    /// There is no such data, it cannot be read, or it is a file or a chart.
    pub fn find_table(&self, data: &str, call: &Call) -> Result<Found, RoomError> {
        let found = self.find(data, call)?;
        match found.kind() {
            Kind::Table => Ok(found),
            kind => Err(RoomError::NoTable { data: data.to_owned(), kind: kind.name() }),
        }
    }

    /// An error if the file of a dataset, read in place, was written to since: what was
    /// computed may be a mixture. A file that was replaced or deleted was read whole.
    pub(super) fn unless_changed(&self, found: &Found, call: &Call) -> Result<(), RoomError> {
        let same = found.in_place.as_ref().is_none_or(|before| {
            is_unchanged(&found.table, before, &found.content_hash, &|| call.is_cancelled())
        });
        match same {
            true => Ok(()),
            false => Err(CatalogError::Changed { file: found.data.clone() }.into()),
        }
    }

    /// Refuses columns that the table does not have, naming those that are close.
    pub(super) fn check_columns(
        &self,
        found: &Found,
        columns: &[String],
        call: &Call,
    ) -> Result<(), RoomError> {
        let unknown: Vec<String> = columns
            .iter()
            .filter(|wanted| !found.columns().any(|known| known == wanted.as_str()))
            .take(10)
            .cloned()
            .collect();
        let Some(first) = unknown.first() else {
            return Ok(());
        };
        let names = Names::of(self, found, call);
        let nearest = nearest(first, found.columns().filter(|name| names.may_show(name)))
            .into_iter()
            .map(str::to_owned)
            .collect();
        Err(RoomError::UnknownColumns { data: found.data.clone(), columns: unknown, nearest })
    }
}
