//! Tables of databases, in the room.
//!
//! `warehouse.public.orders` is the table `public.orders` of the source `warehouse`;
//! `warehouse.orders` is, if no other schema has an `orders`. A table is read once for a call,
//! into an artifact of the store (a snapshot), and everything runs on that: so what guards
//! an answer and the answer see the same rows, and a number can be traced to what was read
//! and when. A query reads the columns and rows that it needs ([`crate::sql::Readings`]);
//! whatever else asks for a table reads all of it, within the source's budget.
//!
//! A table is looked at each time. When it is not what it was when it was last read, that is
//! said, with what was added, removed or became of another type.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::{DataType, Schema, SchemaRef};

use super::query::versions;
use super::run::now;
use super::{Call, Found, Room, RoomError};
use crate::catalog::Warning;
use crate::database::{Cause, DatabaseError, RemoteColumn, Scan, Source, TableName, TableShape};
use crate::nearest::nearest;
use crate::profile::SensitiveColumns;
use crate::sql::{Code, Parsed, Query, Reading, Readings, Stop, without_rows};
use crate::store::{ArtifactMeta, Draft, Kind, Origin, RemoteRead};

/// A table of a source, as it is now.
#[derive(Debug)]
pub(super) struct RemoteTable<'a> {
    source: &'a Source,
    shape: TableShape,
}

impl RemoteTable<'_> {
    /// Its name in the room.
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.source.name(), self.shape.table)
    }

    /// As a query may be planned over it: its columns and no rows.
    fn without_rows(&self, schema: &SchemaRef) -> Result<Found, RoomError> {
        Ok(Found {
            data: self.name(),
            table: without_rows(schema)?,
            content_hash: self.shape.fingerprint(),
            notes: Vec::new(),
            warnings: Vec::new(),
            meta: None,
            modified: None,
            in_place: None,
        })
    }
}

/// A table that a list shows.
#[derive(Debug, Clone)]
pub struct RemoteEntry {
    /// Its name in the room.
    pub name: String,
    /// The kind of database.
    pub kind: &'static str,
}

impl Room {
    /// The tables of all sources, by name, and what to know of sources that cannot be asked.
    pub fn remote_tables(&self, call: &Call) -> (Vec<RemoteEntry>, Vec<String>) {
        let (mut entries, mut notes) = (Vec::new(), Vec::new());
        for source in self.databases().iter() {
            match source.tables(&|| call.is_cancelled()) {
                Ok(tables) => {
                    let kind = source.section().place.name();
                    entries.extend(tables.iter().map(|table| RemoteEntry {
                        name: format!("{}.{table}", source.name()),
                        kind,
                    }));
                }
                Err(error) => notes.push(error.to_string()),
            }
        }
        (entries, notes)
    }

    /// The table of a source that is called so; `None` if no source is.
    pub(super) fn remote(
        &self,
        name: &str,
        call: &Call,
    ) -> Result<Option<RemoteTable<'_>>, RoomError> {
        let Some((source, rest)) = name.split_once('.') else { return Ok(None) };
        let databases = self.databases();
        let Some(source) = databases.get(source).or_else(|| databases.get(&source.to_lowercase()))
        else {
            return Ok(None);
        };
        call.enter(format!("looking at {name}"));
        let stop = || call.is_cancelled();
        let tables = call.unless_cancelled(source.tables(&stop))?;
        let table = call.unless_cancelled(meant(source, rest, &tables))?;
        let shape = call.unless_cancelled(source.shape(&table, &stop))?;
        Ok(Some(RemoteTable { source, shape }))
    }

    /// The whole of a table of a source; `None` if no source is called so. Asked for again in
    /// the same call, it is the same rows.
    pub(super) fn find_remote(&self, name: &str, call: &Call) -> Result<Option<Found>, RoomError> {
        if let Some(read) = call.was_read(name) {
            let artifact = self.store()?.get(&self.settings().owner, &read)?;
            return Ok(Some(Found::artifact(&artifact)));
        }
        let Some(remote) = self.remote(name, call)? else { return Ok(None) };
        let columns = names_of(&remote.shape.schema);
        let reading = Reading { table: remote.name(), columns, filter: None, limit: None };
        let found = self.read(&remote, reading, call)?;
        if let Some(meta) = &found.meta {
            call.has_read(name, meta.reference.clone());
        }
        Ok(Some(found))
    }

    /// What a query reads of tables of sources, read. `tables` are the query's others.
    pub(super) fn read_for(
        &self,
        parsed: &Parsed,
        tables: &[(String, Found)],
        remote: Vec<(String, RemoteTable<'_>)>,
        call: &Call,
    ) -> Result<Vec<(String, Found)>, RoomError> {
        let whole: Vec<SchemaRef> =
            remote.iter().map(|(_, remote)| Arc::clone(&remote.shape.schema)).collect();
        let first = self.readings(parsed, tables, &remote, &whole, call);
        let first = first.map_err(|error| about_unreadable(error, &remote))?;
        let wanted: Vec<Reading> =
            remote.iter().map(|(_, remote)| wanted(remote, &first)).collect();
        let narrow: Vec<SchemaRef> = wanted
            .iter()
            .zip(&whole)
            .map(|(wanted, schema)| narrowed(schema, &wanted.columns))
            .collect();
        let again = self.readings(parsed, tables, &remote, &narrow, call);
        let is_same = again.is_ok_and(|again| again.plan == first.plan);
        let mut read = Vec::new();
        for ((asked, remote), mut wanted) in remote.into_iter().zip(wanted) {
            // Two readings of a part each would be two datasets to whoever counts groups.
            let is_counted = self.policy().min_group > 0;
            if is_counted || !is_same {
                wanted.columns = names_of(&remote.shape.schema);
            }
            if is_counted {
                (wanted.filter, wanted.limit) = (None, None);
            }
            let mut found = self.read(&remote, wanted, call)?;
            // Messages are about the table, and the record about what was read of it.
            found.data = remote.name();
            read.push((asked, found));
        }
        Ok(read)
    }

    fn readings(
        &self,
        parsed: &Parsed,
        tables: &[(String, Found)],
        remote: &[(String, RemoteTable<'_>)],
        schemas: &[SchemaRef],
        call: &Call,
    ) -> Result<Readings, RoomError> {
        let mut all = tables.to_vec();
        for ((asked, remote), schema) in remote.iter().zip(schemas) {
            all.push((asked.clone(), remote.without_rows(schema)?));
        }
        let names: BTreeSet<String> = remote.iter().map(|(_, remote)| remote.name()).collect();
        let query = Query {
            parsed: parsed.clone(),
            tables: self.bound(&all)?,
            started: now(),
            may_show_values: false,
            judges_groups: false,
        };
        let call = call.clone();
        let stop: Stop = Arc::new(move || call.is_cancelled());
        Ok(self.engine()?.readings(query, names, &stop)?)
    }

    /// Reads a table into the store.
    fn read(
        &self,
        remote: &RemoteTable<'_>,
        reading: Reading,
        call: &Call,
    ) -> Result<Found, RoomError> {
        let RemoteTable { source, shape } = remote;
        let name = remote.name();
        let Reading { columns, filter, limit, .. } = reading;
        let scan = Scan { table: shape.table.clone(), columns, filter, limit };
        let warnings = self.changes(remote);
        let read = RemoteRead {
            source: source.name().0.clone(),
            table: shape.table.clone(),
            statement: scan.to_string(),
            is_whole: scan.filter.is_none() && scan.limit.is_none(),
            fingerprint: shape.fingerprint(),
            columns: shape.columns.clone(),
        };
        let cut = (!read.is_whole).then(|| format!("it is what one query needed of {name}"));
        let draft = Draft {
            owner: self.settings().owner.clone(),
            kind: Kind::Table,
            name: Some(name.clone()),
            origin: Origin::Remote(read),
            inputs: Vec::new(),
            versions: versions(),
            run: None,
            warnings: Vec::new(),
            sensitive: SensitiveColumns::new(),
            cut,
            time_to_live: None,
        };
        call.enter(format!("reading {name}"));
        let stop = || call.is_cancelled();
        let mut rows = call.unless_cancelled(source.scan(&scan, source.budget(), &stop))?;
        let mut writer = self.store()?.create(draft, Arc::clone(&rows.schema))?;
        let mut arrived = 0;
        while let Some(batch) = call.unless_cancelled(rows.next(&stop))? {
            arrived += batch.num_rows();
            writer.write(&batch)?;
            call.enter(format!("reading {name}, {arrived} rows"));
        }
        let mut found = Found::artifact(&writer.finish()?);
        let unreadable = shape.unreadable.iter();
        found.notes.extend(unreadable.map(|(column, why)| format!("{column} is not read: {why}")));
        found.notes.extend(warnings.iter().cloned());
        // Whoever asks a table names it.
        let columns = vec![shape.table.table.clone()];
        let warning = |text| Warning { columns: columns.clone(), text };
        found.warnings.extend(warnings.into_iter().map(warning));
        Ok(found)
    }

    /// What became of a table since it was last read.
    fn changes(&self, remote: &RemoteTable<'_>) -> Vec<String> {
        let Ok(artifacts) = self.artifacts() else { return Vec::new() };
        let last = artifacts.iter().find_map(|meta| match &meta.origin {
            Origin::Remote(read)
                if read.source == remote.source.name().0 && read.table == remote.shape.table =>
            {
                Some((meta, read))
            }
            _ => None,
        });
        let changed = last.and_then(|(meta, read)| change(meta, read, &remote.shape));
        changed.into_iter().collect()
    }

    /// What became of the table since a snapshot of it was made; nothing if it is as it was.
    pub(super) fn changed_since(&self, meta: &ArtifactMeta, call: &Call) -> Option<String> {
        let Origin::Remote(read) = &meta.origin else { return None };
        let Some(source) = self.databases().get(&read.source) else {
            return Some(format!("this room has no source {} now", read.source));
        };
        match source.shape(&read.table, &|| call.is_cancelled()) {
            Ok(shape) => change(meta, read, &shape),
            Err(error) => Some(format!("how the table is now is not known: {error}")),
        }
    }
}

/// The table of a source that `rest` means: `schema.table`, or a table that one schema has.
fn meant(source: &Source, rest: &str, tables: &[TableName]) -> Result<TableName, DatabaseError> {
    let full = |table: &TableName| table.to_string() == rest;
    let short = |table: &TableName| table.table == rest;
    let folded = rest.to_lowercase();
    let alike = |table: &TableName| {
        table.to_string().to_lowercase() == folded || table.table.to_lowercase() == folded
    };
    let rules: [&dyn Fn(&TableName) -> bool; 3] = [&full, &short, &alike];
    let failed = |about: String, next: String| DatabaseError {
        about: Some(about),
        next: Some(next),
        ..DatabaseError::of(Cause::Table).of_source(source.name())
    };
    for rule in rules {
        let found: Vec<&TableName> = tables.iter().filter(|table| rule(table)).collect();
        match found.as_slice() {
            [] => {}
            [one] => return Ok((*one).clone()),
            several => {
                let names: Vec<String> =
                    several.iter().map(|table| format!("{}.{table}", source.name())).collect();
                let next = format!("write which is meant: {}", names.join(" or "));
                return Err(failed(format!("{rest} could be one of several"), next));
            }
        }
    }
    let names: Vec<String> = tables.iter().map(ToString::to_string).collect();
    let near = nearest(rest, names.iter().map(String::as_str));
    let shown: String = rest.chars().take(60).collect();
    let next = match near.as_slice() {
        [] => {
            "only tables that the configuration allows and the role may read are there".to_owned()
        }
        near => format!("near it there is {}", near.join(", ")),
    };
    Err(failed(format!("{shown:?}"), next))
}

fn names_of(schema: &Schema) -> Vec<String> {
    schema.fields().iter().map(|field| field.name().clone()).collect()
}

fn narrowed(schema: &SchemaRef, columns: &[String]) -> SchemaRef {
    let fields = schema.fields().iter().filter(|field| columns.contains(field.name())).cloned();
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// What a plan reads of a table: at least one column, because a file of ours has one.
fn wanted(remote: &RemoteTable<'_>, readings: &Readings) -> Reading {
    let name = remote.name();
    let found = readings.tables.iter().find(|reading| reading.table == name);
    let mut reading = found.cloned().unwrap_or(Reading {
        table: name,
        columns: Vec::new(),
        filter: None,
        limit: Some(0),
    });
    if reading.columns.is_empty() {
        let fields = remote.shape.schema.fields().iter();
        let least = fields.min_by_key(|field| weight(field.data_type()));
        reading.columns.extend(least.map(|field| field.name().clone()));
    }
    reading
}

/// How much a value of a type weighs on the way, roughly.
fn weight(data_type: &DataType) -> usize {
    match data_type {
        DataType::Boolean => 1,
        other => other.primitive_width().unwrap_or(64),
    }
}

/// A column that is there and cannot be read is another thing than one that is not there.
fn about_unreadable(error: RoomError, remote: &[(String, RemoteTable<'_>)]) -> RoomError {
    let RoomError::Sql(mut error) = error else { return error };
    if error.code == Code::Column {
        let all = remote.iter().flat_map(|(_, remote)| &remote.shape.unreadable);
        let named = all.filter(|(column, _)| error.message.contains(column.as_str()));
        let told: Vec<String> = named
            .map(|(column, why)| format!("{column} is there and is not read: {why}"))
            .collect();
        if !told.is_empty() {
            error.next = Some(told.join("; "));
        }
    }
    RoomError::Sql(error)
}

/// What is different in a table from when it was read, in words.
fn change(meta: &ArtifactMeta, read: &RemoteRead, now: &TableShape) -> Option<String> {
    if read.fingerprint == now.fingerprint() {
        return None;
    }
    let then: &[RemoteColumn] = &read.columns;
    let find = |columns: &[RemoteColumn], name: &str| {
        columns.iter().find(|column| column.name == name).cloned()
    };
    let mut parts = Vec::new();
    for column in then {
        match find(&now.columns, &column.name) {
            None => parts.push(format!("column {} is gone", column.name)),
            Some(new) if new.remote_type != column.remote_type => parts.push(format!(
                "column {} is {} and was {}",
                column.name, new.remote_type, column.remote_type
            )),
            Some(new) if new.nullable != column.nullable => parts.push(format!(
                "column {} may {} NULL now",
                column.name,
                if new.nullable { "be" } else { "not be" }
            )),
            Some(_) => {}
        }
    }
    for column in now.columns.iter().filter(|column| find(then, &column.name).is_none()) {
        parts.push(format!("column {} ({}) was added", column.name, column.remote_type));
    }
    if parts.is_empty() {
        parts.push("its columns are in another order".to_owned());
    }
    let when = meta.created.format("%Y-%m-%d %H:%M:%S UTC");
    Some(format!("the table was changed since it was read at {when}: {}", parts.join("; ")))
}
