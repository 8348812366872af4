//! Days: Python's objects, one for each day that there is.

use arrow::datatypes::Int32Type;

use super::super::messages::{KindOut, Object};
use super::super::objects::{Block, NULL, Types};
use super::{Arrays, Decoded, Pace, Prepare, primitive};

/// Days that a table may span, of those that Python has.
const SPAN: i64 = 3_700_000;

/// Days since 1970, or objects if these are wanted and Python has all of the days.
pub(super) fn decoded(arrays: &impl Arrays, prepare: Prepare<'_>) -> Result<Decoded, String> {
    let days = primitive::<Int32Type>(KindOut::Fixed { data_type: "date" }, arrays, prepare)?;
    match arrays.types() {
        Some(types) => objects(days, types, arrays),
        None => Ok(days),
    }
}

fn objects(mut days: Decoded, types: Types, arrays: &impl Arrays) -> Result<Decoded, String> {
    let mut pace = Pace::new(arrays.stop());
    let (values, mask) = match days.buffers.as_slice() {
        [values] => (values, None),
        [values, mask] => (values, Some(mask)),
        _ => return Ok(days),
    };
    let missing = |row: usize| mask.is_some_and(|mask| mask.get(row) != Some(&0));
    let rows = values.as_chunks::<4>().0;
    let (mut low, mut high) = (i32::MAX, i32::MIN);
    for (row, day) in rows.iter().enumerate() {
        pace.work(4)?;
        if !missing(row) {
            let day = i32::from_le_bytes(*day);
            (low, high) = (low.min(day), high.max(day));
        }
    }
    let span = i64::from(high) - i64::from(low) + 1;
    if span > SPAN {
        return Ok(days);
    }
    let span = usize::try_from(span).unwrap_or(0);
    let most = Block::DATE_SIZE * span.min(rows.len()) as u64;
    let more = most.saturating_add((span + rows.len()) as u64 * 4);
    days.charge.add(more).map_err(|error| error.to_string())?;
    let Some(mut block) = Block::new(most, types) else { return Ok(days) };
    let mut places = vec![NULL; span];
    let mut found = Vec::with_capacity(values.len());
    for (row, day) in rows.iter().enumerate() {
        pace.work(4)?;
        let mut place = NULL;
        if !missing(row) {
            let day = i32::from_le_bytes(*day);
            let known = &mut places[day.abs_diff(low) as usize];
            if *known == NULL {
                let Some(new) = block.date(day) else { return Ok(days) };
                *known = new;
            }
            place = *known;
        }
        found.extend_from_slice(&place.to_le_bytes());
    }
    days.buffers = vec![block.done(), found];
    days.kind = KindOut::Objects { of: Object::Date };
    days.charge.keep(days.buffers.iter().map(|buffer| buffer.len() as u64).sum());
    Ok(days)
}
