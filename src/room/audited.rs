//! One call, written down: what was asked, how it ended, how much of it was told.

use std::time::Instant;

use serde_json::{Map, Value};

use super::{Room, RoomError};
use crate::audit::{Audit, CallLine, Event, Through, shapes};
use crate::redact::Redactor;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The tool or command.
    pub tool: &'a str,
    /// By which road.
    pub through: Through,
    /// What it is given.
    pub arguments: &'a Map<String, Value>,
    /// The arguments that it has; others were made up.
    pub known: &'a dyn KnownNames,
}

/// Says which arguments there are.
pub trait KnownNames: std::fmt::Debug {
    /// Whether there is one of this name.
    fn has(&self, name: &str) -> bool;
}

impl KnownNames for Map<String, Value> {
    fn has(&self, name: &str) -> bool {
        self.contains_key(name)
    }
}

/// How a call ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ended {
    /// Rows that reached the model.
    pub rows: u64,
    /// Bytes that reached the model.
    pub bytes: u64,
    /// Why it was refused or failed.
    pub code: Option<String>,
}

/// Writes a line even when its call ends by a fault.
struct Unfinished<'a> {
    audit: &'a Audit,
    line: Option<Box<CallLine>>,
    began: Instant,
}

impl Unfinished<'_> {
    fn end(&mut self, ended: Ended, names: Vec<String>) -> Result<(), RoomError> {
        let Some(mut line) = self.line.take() else { return Ok(()) };
        line.ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        (line.rows, line.bytes, line.code) = (ended.rows, ended.bytes, ended.code);
        if line.code.is_none() {
            // What was answered is about data that there is; another name can be anything.
            line.data.extend(names);
        }
        self.audit.append(Event::Call(line))?;
        Ok(())
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        let ended = Ended { code: Some("FAULT".to_owned()), ..Ended::default() };
        // The fault itself is what the caller is told.
        let _ = self.end(ended, Vec::new());
    }
}

impl Room {
    /// Does `work` and writes it down, with what `told` says of how it ended.
    ///
    /// # Errors
    /// The audit is required and cannot be written: before the work, which is then not done,
    /// or after it; what it gave is then to be shown to nobody.
    pub fn audited<T>(
        &self,
        asked: Asked<'_>,
        work: impl FnOnce() -> T,
        told: impl FnOnce(&T) -> Ended,
    ) -> Result<T, RoomError> {
        let audit = self.audit()?;
        audit.ready()?;
        let shapes = shapes(asked.arguments, |name| asked.known.has(name));
        let line = CallLine {
            tool: asked.tool.to_owned(),
            owner: self.settings().owner.as_str().to_owned(),
            through: asked.through,
            arguments: shapes.arguments,
            sql_hash: shapes.sql.as_ref().map(|sql| blake3::hash(sql.as_bytes()).to_string()),
            sql: shapes.sql,
            data: shapes.references,
            ..CallLine::default()
        };
        let line = Some(Box::new(line));
        let mut unfinished = Unfinished { audit, line, began: Instant::now() };
        let done = work();
        let clean = |name: &String| Redactor::all().redact(name).text;
        unfinished.end(told(&done), shapes.names.iter().map(clean).collect())?;
        Ok(done)
    }

    /// The audit of this room.
    ///
    /// # Errors
    /// Its folder cannot be used.
    pub fn audit(&self) -> Result<&Audit, RoomError> {
        self.0.audit.get_or_try(|| {
            let folder = self.home()?.folder("audit")?;
            let path = self.home()?.path().join("audit");
            Ok(Audit::new(folder, path, self.settings().audit.clone()))
        })
    }
}
