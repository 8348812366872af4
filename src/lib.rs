//! A data room for AI agents.

pub mod present;
pub mod store;
pub mod table;
