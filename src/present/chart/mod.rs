//! Charts.

pub mod figure;
