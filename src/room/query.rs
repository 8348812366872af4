//! One query: tables in, SQL, an artifact out.
//!
//! The whole result is always kept, whatever is shown of it; a query that fails, is
//! stopped or is late keeps nothing. What is recorded with it (text, tables with the
//! hashes of their content, the time of `now()`) is all that its rows depend on.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use chrono::{DateTime, Utc};

use super::remote::RemoteTable;
use super::run::now;
use super::{Call, Found, Names, Room, RoomError, ShownGroups};
use crate::audience::NextStep;
use crate::catalog::CatalogError;
use crate::policy::Values;
use crate::profile::SensitiveColumns;
use crate::sql::{
    Bound, Code, ENGINE, Engine, Parsed, Planned, Query, Sink, SqlError, Stop, Wanted, parse,
};
use crate::store::{Artifact, ArtifactWriter, Draft, InputRecord, Kind, Origin, RunRecord};

/// Characters of a name that is given to a result.
const NAME: usize = 120;

/// A query.
#[derive(Debug, Clone, Default)]
pub struct QueryRequest {
    /// Its text.
    pub sql: String,
    /// A name for its result.
    pub save_as: Option<String>,
}

/// What a query gave.
#[derive(Debug)]
pub struct QueryReport {
    /// The whole result.
    pub artifact: Artifact,
    /// What was known of it before its first row.
    pub planned: Planned,
    /// In a room that shows groups, those of the result that may be shown.
    pub groups: ShownGroups,
}

impl Room {
    /// Runs a query and keeps its result.
    ///
    /// # Errors
    /// It is refused, fails, is stopped or is late; nothing is kept then.
    pub fn query(&self, request: &QueryRequest, call: &Call) -> Result<QueryReport, RoomError> {
        let name = request.save_as.as_deref().map(str::trim).filter(|name| !name.is_empty());
        if name.is_some_and(|name| name.chars().count() > NAME) {
            let message = format!("`save_as` is longer than {NAME} characters");
            return Err(SqlError::new(Code::Length, message).into());
        }
        let parsed = parse(&request.sql, self.settings().query.sql_bytes)?;
        let tables = {
            // Reading waits for disks and servers, and takes no place of those that compute.
            let _place = self.0.scans.enter(call)?;
            self.tables_of(&parsed, call)?
        };
        let _place = self.0.queries.enter(call)?;
        let bound = self.bound(&tables).or_else(|error| {
            // What a half-written file makes of itself would lead nowhere.
            self.check_unchanged(&tables, call).and(Err(error))
        })?;
        let started = now();
        let warned: Vec<String> =
            tables.iter().flat_map(|(_, found)| found.warned(&request.sql)).collect();
        let draft = Draft {
            owner: self.settings().owner.clone(),
            kind: Kind::Table,
            name: name.map(str::to_owned),
            origin: Origin::Sql { sql: request.sql.clone() },
            inputs: records(&tables),
            versions: versions(),
            run: Some(RunRecord { seed: 0, started: Some(started), fuel: None }),
            warnings: warned.clone(),
            sensitive: SensitiveColumns::new(),
            cut: None,
            time_to_live: None,
        };
        let may_show_values = self.policy().shown_values() == Values::Sample;
        let judges_groups = self.policy().shows_groups();
        let query = Query { parsed, tables: bound, started, may_show_values, judges_groups };
        let keep = Keep { room: self.clone(), draft: Some(draft), writer: None };
        call.enter("running the query");
        let hidden = self.hidden_names(&request.sql, &tables, call);
        let done = self.engine()?.run(query, keep, &stop(call));
        if !matches!(&done, Err(error) if error.code == Code::Cancelled) {
            // What a half-written file made the engine say would lead nowhere.
            self.check_unchanged(&tables, call)?;
        }
        let mut done = done.map_err(|error| without_names(error, &hidden))?;
        done.planned.warnings.splice(0..0, warned);
        for told in done.planned.warnings.iter_mut().chain(&mut done.planned.allowed) {
            *told = without(told, &hidden);
        }
        let writer = done.sink.writer.ok_or_else(|| {
            SqlError::new(Code::Internal, "the query ended before it had columns")
        })?;
        let artifact = writer.finish()?;
        // A result of a result has other rows than people: only a dataset's are judged.
        let groups = match (done.groups, tables.as_slice()) {
            (Some(groups), [(_, found)]) if found.meta.is_none() => {
                self.shown_groups(&found.content_hash, groups)?
            }
            _ => ShownGroups::default(),
        };
        Ok(QueryReport { artifact, planned: done.planned, groups })
    }

    /// The tables of a query, those of databases read as far as it needs them.
    fn tables_of(&self, parsed: &Parsed, call: &Call) -> Result<Vec<(String, Found)>, RoomError> {
        let (mut tables, mut remote) = (Vec::new(), Vec::new());
        for wanted in parsed.wanted() {
            match self.remote(&wanted.name, call) {
                Ok(Some(table)) => remote.push((wanted.name, table)),
                Err(RoomError::Cancelled) => return Err(RoomError::Cancelled),
                Err(error) if !wanted.is_cte => return Err(error),
                _ => {
                    if let Some(found) = self.find_wanted(&wanted, call)? {
                        tables.push((wanted.name, found));
                    }
                }
            }
        }
        one_name_each(&remote)?;
        if !remote.is_empty() {
            let read = self.read_for(parsed, &tables, remote, call)?;
            tables.extend(read);
        }
        Ok(tables)
    }

    /// What a query's relation is; `None` if only a CTE is called so.
    fn find_wanted(&self, wanted: &Wanted, call: &Call) -> Result<Option<Found>, RoomError> {
        let error = match self.find_table(&wanted.name, call) {
            Ok(found) => return Ok(Some(found)),
            Err(RoomError::Cancelled) => return Err(RoomError::Cancelled),
            Err(_) if wanted.is_cte => return Ok(None),
            Err(error) => error,
        };
        let RoomError::Catalog(CatalogError::Unknown { nearest, .. }) = &error else {
            return Err(error);
        };
        let folded = wanted.name.to_lowercase();
        let names = self.datasets()?.into_iter().map(|dataset| dataset.name);
        let alike: Vec<String> = names.filter(|name| name.to_lowercase() == folded).collect();
        if let [one] = alike.as_slice() {
            return self.find_table(one, call).map(Some);
        }
        let shown: String = wanted.name.chars().take(60).collect();
        let mut refused = SqlError::new(Code::Table, format!("there is no table {shown:?}"))
            .at(wanted.at)
            .near(if alike.is_empty() { nearest.clone() } else { alike });
        if refused.nearest.is_empty() {
            refused =
                refused.next("a table is a dataset's name or a dataRef").step(NextStep::ListAll);
        }
        Err(refused.into())
    }

    /// Columns whose names may not be told, because a script can have made them from
    /// values: an error that lists what there is would tell them.
    pub(super) fn hidden_names(
        &self,
        sql: &str,
        tables: &[(String, Found)],
        call: &Call,
    ) -> Vec<String> {
        if !self.policy().hides_values() {
            return Vec::new();
        }
        let found: Vec<Found> = tables.iter().map(|(_, found)| found.clone()).collect();
        let names = Names::of_run(self, sql, &found, call);
        let all = found.iter().flat_map(Found::columns);
        let mut hidden: Vec<String> =
            all.filter(|name| !names.may_show(name)).map(str::to_owned).collect();
        // The longest first: a name may be within another.
        hidden.sort_by_key(|name| std::cmp::Reverse(name.len()));
        hidden
    }

    /// Refuses what was computed from a file that changed meanwhile. What was copied
    /// into the room cannot change, so this is about Parquet files.
    fn check_unchanged(&self, tables: &[(String, Found)], call: &Call) -> Result<(), RoomError> {
        for (_, found) in tables {
            if self.unless_changed(found, call).is_err() {
                let message =
                    format!("{:?} changed while the query read it: nothing was kept", found.data);
                return Err(SqlError::new(Code::Data, message).next("run it again").into());
            }
        }
        Ok(())
    }

    /// Computes a recorded query again, for whoever compares its rows.
    pub(super) fn query_again<S: Sink + 'static>(
        &self,
        sql: &str,
        inputs: &[(String, Found)],
        started: DateTime<Utc>,
        sink: S,
        call: &Call,
    ) -> Result<S, RoomError> {
        let _place = self.0.queries.enter(call)?;
        let parsed = parse(sql, usize::MAX)?;
        let tables = self.bound(inputs)?;
        let query = Query { parsed, tables, started, may_show_values: false, judges_groups: false };
        Ok(self.engine()?.run(query, sink, &stop(call))?.sink)
    }

    /// The tables of a query, with what is known of them.
    pub(super) fn bound(&self, tables: &[(String, Found)]) -> Result<Vec<Bound>, RoomError> {
        let bound = |(asked, found): &(String, Found)| {
            Ok(Bound {
                asked: asked.clone(),
                name: found.data.clone(),
                table: found.table.clone(),
                content_hash: found.content_hash.clone(),
                sensitive: self.sensitive(found)?,
                is_filtered: found.is_filtered(),
            })
        };
        tables.iter().map(bound).collect()
    }

    pub(super) fn engine(&self) -> Result<&Engine, RoomError> {
        self.0.engine.get_or_try(|| {
            let folder = self.home()?.folder("spill")?;
            Ok(Engine::new(folder, self.settings().query.clone())?)
        })
    }
}

/// A table of a database goes by one name in a query, so that it is read once.
fn one_name_each(remote: &[(String, RemoteTable<'_>)]) -> Result<(), SqlError> {
    let mut names = HashMap::new();
    for (asked, table) in remote {
        if let Some(other) = names.insert(table.name(), asked) {
            let message = format!("{other} and {asked} are one table under two names");
            let next = format!("write {} for both", table.name());
            return Err(SqlError::new(Code::Table, message).next(next));
        }
    }
    Ok(())
}

pub(super) fn without(text: &str, hidden: &[String]) -> String {
    let named = hidden.iter().filter(|name| !name.is_empty());
    named.fold(text.to_owned(), |text, name| text.replace(name.as_str(), "[name hidden]"))
}

pub(super) fn without_names(mut error: SqlError, hidden: &[String]) -> SqlError {
    error.message = without(&error.message, hidden);
    error.next = error.next.map(|next| without(&next, hidden));
    error.nearest.retain(|name| !hidden.contains(name));
    error
}

/// What a replay needs to know to compute the same again.
pub(super) fn versions() -> BTreeMap<String, String> {
    BTreeMap::from([
        ("dataroom".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        ("datafusion".to_owned(), ENGINE.to_owned()),
    ])
}

fn stop(call: &Call) -> Stop {
    let call = call.clone();
    Arc::new(move || call.is_cancelled())
}

fn records(tables: &[(String, Found)]) -> Vec<InputRecord> {
    let record = |(asked, found): &(String, Found)| InputRecord {
        variable: asked.clone(),
        data: found.recorded(),
        content_hash: found.content_hash.clone(),
        file: None,
    };
    tables.iter().map(record).collect()
}

/// Writes rows to the store.
struct Keep {
    room: Room,
    draft: Option<Draft>,
    writer: Option<ArtifactWriter>,
}

impl Sink for Keep {
    fn begin(&mut self, schema: &SchemaRef, planned: &Planned) -> Result<(), SqlError> {
        let Some(mut draft) = self.draft.take() else { return Ok(()) };
        draft.warnings.extend(planned.warnings.iter().cloned());
        draft.sensitive.clone_from(&planned.sensitive);
        draft
            .warnings
            .extend(planned.allowed.iter().map(|what| format!("allowed by a comment: {what}")));
        let store = self.room.store().map_err(|error| kept(&error))?;
        self.writer = Some(store.create(draft, Arc::clone(schema)).map_err(|error| kept(&error))?);
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), SqlError> {
        match &mut self.writer {
            Some(writer) => writer.write(batch).map_err(|error| kept(&error)),
            None => Ok(()),
        }
    }
}

pub(super) fn kept(error: &dyn std::fmt::Display) -> SqlError {
    SqlError::new(Code::Store, format!("the result cannot be kept: {error}"))
}
