//! A data room for AI agents.
//!
//! Data stays inside; a model gets handles, shapes, small samples and computed
//! answers, and writes Python that runs on CPython in a sandbox inside this very
//! process. This crate is the room; the binary of the same name serves it over
//! MCP. To embed it, make a [`Room`]:
//!
//! ```no_run
//! use dataroom::{Call, Room, RoomSettings, RunRequest, Source, runtime::Cache};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut settings = RoomSettings::new("state".into(), Cache::locate(None)?);
//! settings.data.push("my-data".into());
//! let room = Room::new(settings);
//!
//! let report = room.run(
//!     RunRequest {
//!         code: "outputs['late'] = flights[flights.arr_delay > 60]\nresult = len(flights)".into(),
//!         inputs: vec![("flights".into(), Source::Data("flights".into()))],
//!     },
//!     &Call::new(),
//! )?;
//! println!("{:?} of which late: {}", report.outcome.result, report.kept[0].artifact.meta.rows);
//! # Ok(())
//! # }
//! ```
//!
//! A [`Room`] gives its caller everything. What a model may see is decided where
//! MCP is spoken: [`server::call_tool`] answers as a tool would, capped and under
//! the room's [`policy::Policy`].

pub mod audience;
pub mod audit;
pub mod catalog;
pub mod config;
pub mod database;
pub mod gateway;
pub mod json_cell;
pub mod json_integer;
pub mod nearest;
pub mod policy;
pub mod present;
pub mod profile;
pub mod redact;
pub mod reply;
pub mod room;
pub mod runtime;
pub mod server;
pub mod sql;
pub mod store;
pub mod table;
pub mod type_name;
pub mod units;

pub use room::{
    Call, QueryReport, QueryRequest, Room, RoomError, RoomSettings, RunReport, RunRequest, Source,
};
