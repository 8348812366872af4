//! A data room for AI agents.

pub mod catalog;
pub mod nearest;
pub mod present;
pub mod profile;
pub mod runtime;
pub mod store;
pub mod table;
pub mod type_name;
