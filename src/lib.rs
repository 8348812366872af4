//! A data room for AI agents.

pub mod runtime;
pub mod table;
