//! Python's own objects, in guest memory: texts and dates, made and read in place.
//!
//! A million texts made one by one by the interpreter take longer than to decode them,
//! and telling them apart again when a table is written takes longer still. So the host
//! lays a column's texts and dates out as the interpreter would have, in one block of
//! guest memory ([`make`]), and reads such objects where they are ([`look`]).
//!
//! What is made is immortal, as the interpreter's own constants are: it counts no
//! references and never gives an object's memory back, so that an object may be a part
//! of a block. What blocks take until the run's end is limited by the guest (`_objects.py`).
//!
//! How objects are laid out is CPython 3.15's business on a machine of 32 bits; where
//! the types themselves are, the guest says. Both are checked when the start image is
//! made. A guest that says otherwise gets broken objects in its own memory, no more:
//! what is read is bounds-checked, and text is checked to be what it says.

pub(super) mod calendar;
mod laid;
mod look;
mod make;

use serde::Deserialize;

pub(super) use laid::Laid;
pub(super) use look::{Found, Looking};
pub(super) use make::{Block, NULL, addresses};

/// Where the guest has its types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) struct Types {
    /// `str`
    pub(crate) text: u32,
    /// `datetime.date`
    pub(crate) date: u32,
    /// `float`
    pub(crate) float: u32,
    /// The count of references of an object that is never freed.
    pub(crate) forever: u32,
}

/// Bytes of `ob_refcnt` and `ob_type`; then come the fields of each type.
const HEAD: usize = 8;
/// A text's header: `length`, `hash` and `state` follow the head.
const ASCII_HEADER: usize = 20;
/// `utf8_length` and `utf8`, too.
const HEADER: usize = 28;
/// `hash`, `hastzinfo`, and four bytes of year, month and day.
const DATE: usize = 17;
/// A hash that has not been computed.
const NO_HASH: u32 = u32::MAX;

/// The bits of `state`: how wide a character is, that the characters follow the header,
/// and that all are ASCII.
const WIDTH: u32 = 0b111 << 2;
const COMPACT: u32 = 1 << 5;
const ASCII: u32 = 1 << 6;

#[cfg(test)]
mod tests;
