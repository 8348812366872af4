//! What leaves the room for a person's eyes.

pub mod export;
