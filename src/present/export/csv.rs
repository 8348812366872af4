//! CSV by RFC 4180: UTF-8 without a mark, commas, CRLF.
//!
//! CRLF, because the RFC says so and every reader takes it; with LF, a lone CR
//! inside a text would be one line ending more than the writer meant. A null is
//! an empty field and an empty text is `""`, so that the two can be told apart by
//! readers that care.
//!
//! A text that a spreadsheet would take for a formula gets an apostrophe before
//! it. Numbers are never touched.

use std::io::Write;

use arrow::datatypes::Schema;

use super::cells::{Cell, Column};
use super::{AT_ONCE, ExportError, Notes, Source};

pub(super) fn write(source: &mut Source<'_>, out: &mut impl Write) -> Result<Notes, ExportError> {
    let mut lines = Lines::default();
    lines.header(source.schema());
    while let Some(batch) = source.next_batch()? {
        let columns = batch.columns().iter().map(Column::new).collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            for (n, column) in columns.iter().enumerate() {
                lines.field(n, &column.cell(row));
            }
            lines.end();
            if lines.text.len() >= AT_ONCE {
                source.put(&mut lines.text, out)?;
            }
        }
        source.put(&mut lines.text, out)?;
        source.done(batch.num_rows());
    }
    out.write_all(lines.text.as_bytes()).map_err(ExportError::io)?;
    let mut notes = Notes::default();
    notes.count(
        lines.neutralised,
        "text that a spreadsheet would run as a formula has an apostrophe before it",
    );
    notes.count(lines.not_finite, "number that is not finite is written as NaN, inf or -inf");
    Ok(notes)
}

#[derive(Default)]
struct Lines {
    text: String,
    cell: String,
    neutralised: u64,
    not_finite: u64,
}

impl Lines {
    fn header(&mut self, schema: &Schema) {
        for (n, field) in schema.fields().iter().enumerate() {
            self.field(n, &Cell::Text(field.name()));
        }
        self.end();
    }

    fn field(&mut self, position: usize, cell: &Cell<'_>) {
        if position > 0 {
            self.text.push(',');
        }
        self.cell.clear();
        cell.write_text(&mut self.cell);
        match cell {
            Cell::Null => return,
            Cell::Bool(_) | Cell::Int(_) | Cell::UInt(_) | Cell::Decimal(_) => {
                return self.text.push_str(&self.cell);
            }
            Cell::Single(_) | Cell::Double(_) => {
                self.not_finite += u64::from(!self.cell.ends_with(|c: char| c.is_ascii_digit()));
                return self.text.push_str(&self.cell);
            }
            _ => {}
        }
        if self.cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
            self.cell.insert(0, '\'');
            self.neutralised += 1;
        }
        if self.cell.is_empty() || self.cell.contains(['"', ',', '\r', '\n']) {
            self.text.push('"');
            self.text.push_str(&self.cell.replace('"', "\"\""));
            self.text.push('"');
        } else {
            self.text.push_str(&self.cell);
        }
    }

    fn end(&mut self) {
        self.text.push_str("\r\n");
    }
}
