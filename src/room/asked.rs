//! What a script may ask of the room while it runs: `sql("select …")`.
//!
//! It is the query of `query_data`, with its gate, its guard and its limits, over the
//! run's own inputs by their variables and nothing else. Its answer is a Parquet file
//! without a name, which the script reads as it read its inputs; nothing is kept of it.
//! `now()` is the start of the script's clock, so a replay asks and hears the same.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use arrow::record_batch::RecordBatch;
use chrono::{DateTime, Utc};
use dataroom_sandbox::{Answer, Door, Positioned, Stopping};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::query::{kept, without, without_names};
use super::run::now;
use super::sensitive::Given;
use super::{Call, Found, Room, RoomError};
use crate::policy::Values;
use crate::sql::{Code, Planned, Query, Sink, SqlError, Wanted, parse};
use crate::store::InputRecord;
use crate::store::temporary::Temporary;

/// See the module.
#[derive(Debug)]
pub(super) struct Asked {
    room: Room,
    /// By their variables.
    inputs: Vec<(String, Found)>,
    /// The sensitive columns that the script has.
    given: Arc<Given>,
    started: Option<DateTime<Utc>>,
    call: Call,
}

impl Asked {
    /// The door of a run on these inputs, in the order of their records.
    pub(super) fn of(
        room: &Room,
        records: &[InputRecord],
        inputs: &[Found],
        given: &Arc<Given>,
        started: Option<DateTime<Utc>>,
        call: &Call,
    ) -> Arc<dyn Door> {
        let named = records.iter().zip(inputs);
        let inputs = named.map(|(r, found)| (r.variable.clone(), found.clone())).collect();
        let given = Arc::clone(given);
        Arc::new(Self { room: room.clone(), inputs, given, started, call: call.clone() })
    }

    fn sql(&self, text: &str, stop: &Stopping) -> Result<Answer, RoomError> {
        let room = &self.room;
        let parsed = parse(text, room.settings().query.sql_bytes)?;
        let mut tables = Vec::new();
        for wanted in parsed.wanted() {
            if let Some(found) = self.input(&wanted)? {
                tables.push((wanted.name, found));
            }
        }
        let hidden = room.hidden_names(text, &tables, &self.call);
        let query = Query {
            parsed,
            tables: room.bound(&tables)?,
            started: self.started.unwrap_or_else(now),
            may_show_values: room.policy().shown_values() == Values::Sample,
            judges_groups: false,
        };
        let _place = room.0.queries.enter_until(&self.call, &|| stop.is_over())?;
        let folder = room.home()?.folder("spill")?;
        let file = Temporary::create(&folder, "answer-").map_err(|e| kept(&e))?;
        let most = room.settings().limits.memory_bytes;
        let keep = Keep { file, given: Arc::clone(&self.given), writer: None, bytes: 0, most };
        let stop = stop.clone();
        let done = room
            .engine()?
            .run(query, keep, &(Arc::new(move || stop.is_over()) as _))
            .map_err(|error| without_names(error, &hidden))
            // The script's exception quotes it.
            .map_err(|error| if error.of_sensitive { error.without_values() } else { error })?;
        let allowed = done.planned.allowed.iter().map(|what| without(what, &hidden));
        let allowed = allowed.map(|what| format!("allowed by a comment: {what}"));
        let warnings = done.planned.warnings.iter().map(|warning| without(warning, &hidden));
        let warnings = warnings.chain(allowed).map(|warning| format!("sql: {warning}")).collect();
        Ok(Answer { table: done.sink.finish()?, warnings })
    }

    /// The input that a query's relation is; `None` if only a CTE is called so.
    fn input(&self, wanted: &Wanted) -> Result<Option<Found>, SqlError> {
        let folded = wanted.name.to_lowercase();
        let mut named = self.inputs.iter().filter(|(name, _)| *name == wanted.name);
        let mut alike = self.inputs.iter().filter(|(name, _)| name.to_lowercase() == folded);
        // The table is called by its variable, whatever the dataset's name is.
        let of =
            |(name, found): &(String, Found)| Some(Found { data: name.clone(), ..found.clone() });
        match (named.next(), alike.next(), alike.next()) {
            (Some(input), ..) | (None, Some(input), None) => Ok(of(input)),
            _ if wanted.is_cte => Ok(None),
            _ => {
                let shown: String = wanted.name.chars().take(60).collect();
                let inputs = self.inputs.iter().map(|(name, _)| name.clone()).collect();
                let message = format!("there is no table {shown:?} among the run's inputs");
                Err(SqlError::new(Code::Table, message)
                    .at(wanted.at)
                    .near(inputs)
                    .next("a table is an input's variable: name it in `inputs`"))
            }
        }
    }
}

impl Door for Asked {
    fn ask(&self, name: &str, text: &str, stop: &Stopping) -> Result<Answer, String> {
        match name {
            "sql" => self.sql(text, stop).map_err(|error| error.to_string()),
            _ => Err(format!("the room does not know what {name}(…) is")),
        }
    }
}

/// Writes rows to a file that has no name when the script reads it.
struct Keep {
    file: Temporary,
    given: Arc<Given>,
    writer: Option<ArrowWriter<std::fs::File>>,
    /// In memory, as the script will have them; more than its memory is of no use.
    bytes: u64,
    most: u64,
}

impl Keep {
    fn finish(self) -> Result<Positioned, SqlError> {
        let ended = "the query ended before it had columns";
        let writer = self.writer.ok_or_else(|| SqlError::new(Code::Internal, ended))?;
        writer.close().map_err(|error| kept(&error))?;
        let file = self.file.file().try_clone().map_err(|error| kept(&error))?;
        Positioned::new(file).map_err(|error| kept(&error))
    }
}

impl Sink for Keep {
    fn begin(&mut self, schema: &SchemaRef, planned: &Planned) -> Result<(), SqlError> {
        self.given.add(schema, &planned.sensitive);
        let file = self.file.file().try_clone().map_err(|error| kept(&error))?;
        // It is read once, by this process.
        let properties =
            WriterProperties::builder().set_compression(Compression::UNCOMPRESSED).build();
        let writer = ArrowWriter::try_new(file, Arc::clone(schema), Some(properties));
        self.writer = Some(writer.map_err(|error| kept(&error))?);
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), SqlError> {
        self.bytes += batch.get_array_memory_size() as u64;
        if self.bytes > self.most {
            let message = format!(
                "the result takes more than the {} bytes of memory that this run may have",
                self.most
            );
            return Err(SqlError::new(Code::Memory, message)
                .next("group or filter in the query, or select fewer columns"));
        }
        match &mut self.writer {
            Some(writer) => writer.write(batch).map_err(|error| kept(&error)),
            None => Ok(()),
        }
    }
}
