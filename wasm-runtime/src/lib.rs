//! CPython with the scientific stack, in wasmtime, in your process.

mod bridge;
mod drive;
mod engine;
mod guest;
pub mod image;
pub mod limits;
mod mounts;
pub mod outcome;
pub mod positioned;
pub mod run;
mod sandbox;
mod wasi;

pub use limits::{LimitName, Limits};
pub use mounts::MountError;
pub use outcome::{Captured, Ending, GuestError, Outcome, Output, Usage};
pub use positioned::Positioned;
pub use run::{
    BadVariableName, Cancel, Input, NoOutputs, OutputSink, Run, SinkError, TableSink, VariableName,
};
pub use sandbox::{OpenError, Sandbox};
