//! Which texts are the same: a code each, in the order in which they first appear.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, StringArray};

use super::super::foldhash;
use super::{Declined, Work};

/// A code for each row, -1 for none; and for each code, its first row.
pub(super) fn codes(work: &Work<'_>, texts: &StringArray) -> Result<Vec<ArrayRef>, Declined> {
    let mut seen: HashMap<&[u8], i32, foldhash::Seed> = HashMap::default();
    let mut firsts = Vec::new();
    let codes = work.each(texts.iter().enumerate(), |(row, text)| {
        let Some(text) = text else { return Ok(-1) };
        let next = firsts.len() as i32;
        let code = *seen.entry(text.as_bytes()).or_insert(next);
        if code == next {
            firsts.push(row as i32);
        }
        Ok(code)
    })?;
    Ok(vec![Arc::new(Int32Array::from(codes)), Arc::new(Int32Array::from(firsts))])
}
