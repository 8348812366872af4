//! CPython with the scientific stack, in wasmtime, in your process.

pub mod limits;
pub mod outcome;
pub mod positioned;
pub mod run;

pub use limits::{LimitName, Limits};
pub use outcome::{Captured, Ending, GuestError, Outcome, Output, Usage};
pub use positioned::Positioned;
pub use run::{BadVariableName, Cancel, Input, NoOutputs, OutputSink, Run, SinkError, TableSink, VariableName};
