//! JSON: an array of objects, one on each line; NDJSON: the objects alone.
//!
//! Integers and decimals are numbers with all their digits; a reader that makes
//! doubles of them loses some, and a reader that does not, does not. Times are
//! ISO 8601.

use std::io::Write;

use super::cells::{Column, push_json_text};
use super::{AT_ONCE, ExportError, Notes, Source};

/// What stands before the first object, before each other one, and behind the last.
struct Around {
    open: &'static str,
    between: &'static str,
    close: &'static str,
    /// The whole, if there is no object.
    none: &'static str,
}

const ARRAY: Around = Around { open: "[\n", between: ",\n", close: "\n]\n", none: "[]\n" };
const LINES: Around = Around { open: "", between: "\n", close: "\n", none: "" };

pub(super) fn write(source: &mut Source<'_>, out: &mut impl Write) -> Result<Notes, ExportError> {
    write_objects(source, out, &ARRAY)
}

pub(super) fn write_lines(
    source: &mut Source<'_>,
    out: &mut impl Write,
) -> Result<Notes, ExportError> {
    write_objects(source, out, &LINES)
}

fn write_objects(
    source: &mut Source<'_>,
    out: &mut impl Write,
    around: &Around,
) -> Result<Notes, ExportError> {
    let keys: Vec<String> = (source.schema().fields().iter().enumerate())
        .map(|(n, field)| {
            let mut key = if n > 0 { ",".to_owned() } else { String::new() };
            push_json_text(field.name(), &mut key);
            key.push(':');
            key
        })
        .collect();
    let mut not_finite = 0;
    let mut text = String::new();
    let mut before = around.open;
    while let Some(batch) = source.next_batch()? {
        let columns = batch.columns().iter().map(Column::new).collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            text.push_str(before);
            before = around.between;
            text.push('{');
            for (key, column) in keys.iter().zip(&columns) {
                text.push_str(key);
                column.write_json(row, &mut text, &mut not_finite);
            }
            text.push('}');
            if text.len() >= AT_ONCE {
                source.put(&mut text, out)?;
            }
        }
        source.put(&mut text, out)?;
        source.done(batch.num_rows());
    }
    text.push_str(if source.rows == 0 { around.none } else { around.close });
    out.write_all(text.as_bytes()).map_err(ExportError::io)?;
    let mut notes = Notes::default();
    notes.count(not_finite, "number that is not finite (NaN, infinity) is written as null");
    Ok(notes)
}
