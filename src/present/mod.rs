//! What leaves the room for a person's eyes.

pub mod chart;
pub mod export;
pub mod report;
pub mod view;
