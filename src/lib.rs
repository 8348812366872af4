//! A data room for AI agents.

pub mod table;
