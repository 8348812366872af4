//! JSON: an array of objects, one on each line.
//!
//! Integers and decimals are numbers with all their digits; a reader that makes
//! doubles of them loses some, and a reader that does not, does not. Times are
//! ISO 8601.

use std::io::Write;

use super::cells::{Column, push_json_text};
use super::{AT_ONCE, ExportError, Notes, Source};

pub(super) fn write(source: &mut Source<'_>, out: &mut impl Write) -> Result<Notes, ExportError> {
    let keys: Vec<String> = (source.schema().fields().iter().enumerate())
        .map(|(n, field)| {
            let mut key = if n > 0 { ",".to_owned() } else { String::new() };
            push_json_text(field.name(), &mut key);
            key.push(':');
            key
        })
        .collect();
    let mut not_finite = 0;
    let mut text = "[".to_owned();
    let mut before = "\n";
    while let Some(batch) = source.next_batch()? {
        let columns = batch.columns().iter().map(Column::new).collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            text.push_str(before);
            before = ",\n";
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
    text.push_str(if before == "\n" { "]\n" } else { "\n]\n" });
    out.write_all(text.as_bytes()).map_err(ExportError::io)?;
    let mut notes = Notes::default();
    notes.count(not_finite, "number that is not finite (NaN, infinity) is written as null");
    Ok(notes)
}
