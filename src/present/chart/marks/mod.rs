//! What is drawn inside of the frame, one file a kind.

pub(super) mod bars;
pub(super) mod boxes;
mod direct;
pub(super) mod heatmap;
pub(super) mod histogram;
pub(super) mod lines;
pub(super) mod pie;
mod places;
pub(super) mod points;
mod stack;
