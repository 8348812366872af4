//! Rows that have more or fewer cells than the header names columns.
//!
//! They are counted to the end of the file, so that who mends it knows whether one row is
//! broken or every second.

use super::super::error::CatalogError;
use super::super::source::Source;

/// Rows that are named.
const NAMED: usize = 3;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Ragged {
    count: u64,
    /// Lines and cells of the first ones.
    first: Vec<(u64, usize)>,
    /// Whether all have as many cells as the first.
    alike: bool,
}

impl Ragged {
    /// Takes a row.
    pub(super) fn add(&mut self, line: u64, cells: usize) {
        self.count += 1;
        self.alike = self.first.first().is_none_or(|(_, first)| self.alike && *first == cells);
        if self.first.len() < NAMED {
            self.first.push((line, cells));
        }
    }

    /// The error that they are, if there are any; `rows` are all of the file below the header.
    pub(super) fn check(
        &self,
        source: &Source<'_>,
        columns: usize,
        rows: u64,
    ) -> Result<(), CatalogError> {
        let Some((line, cells)) = self.first.first() else { return Ok(()) };
        let quotes = "a delimiter or a line break inside a cell needs quotes around the cell";
        if self.count == 1 {
            let what = format!(
                "found {cells} cell{} where the header names {columns} columns; mend the row \
                 ({quotes})",
                if *cells == 1 { "" } else { "s" }
            );
            return Err(source.line(*line, what));
        }
        let of = |(line, cells): &(u64, usize)| format!("{cells} on line {line}");
        let first: Vec<String> = self.first.iter().map(of).collect();
        let more = self.count - self.first.len() as u64;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let next = if self.alike && self.count == rows {
            "the first line may be none of the table: delete what stands above the names".to_owned()
        } else {
            format!("mend these rows ({quotes}), and delete lines that are no rows, as totals")
        };
        let what = format!(
            "{} of {rows} rows have another number of cells than the header, which has {columns}: \
             {}{more}; {next}",
            self.count,
            first.join(", ")
        );
        Err(source.line(*line, what))
    }
}
