//! Which texts are the same: a code each, in the order in which they first appear.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int32Array, StringArray};

use super::super::foldhash;
use super::{Declined, Work};

/// A code for each row, -1 for none; and for each code, its first row.
pub(super) fn codes(work: &Work<'_>, texts: &StringArray) -> Result<Vec<ArrayRef>, Declined> {
    let mut seen: HashMap<&[u8], i32, foldhash::Seed> = HashMap::default();
    let (mut codes, mut firsts) = (Vec::with_capacity(texts.len()), Vec::new());
    for (row, text) in texts.iter().enumerate() {
        work.go_on(row)?;
        let Some(text) = text else {
            codes.push(-1);
            continue;
        };
        let next = firsts.len() as i32;
        let code = *seen.entry(text.as_bytes()).or_insert(next);
        if code == next {
            firsts.push(row as i32);
        }
        codes.push(code);
    }
    Ok(vec![Arc::new(Int32Array::from(codes)), Arc::new(Int32Array::from(firsts))])
}
