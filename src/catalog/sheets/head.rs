//! Which row of a sheet has the names.
//!
//! It is the first row with anything in it, unless that is a title: people put a line of
//! text above a table, often merged over its columns, and a date or a department below.
//! A title is a row with one text and nothing else; after titles, the first row of several
//! texts has the names. If there is no such row, the table has one column, and the first
//! row its name.

use super::Given;
use super::value::{Cell, Kind};

/// Titles above one another. A column of one text a row is longer.
const TITLES: usize = 10;
/// Whole numbers that are names among texts, as in `region | 2023 | 2024`.
const YEARS: std::ops::RangeInclusive<i64> = 1900..=2100;

/// The rows from the top, until it is known.
#[derive(Debug, Default)]
pub(super) struct Head {
    rows: Vec<Vec<Given<'static>>>,
}

impl Head {
    /// Takes a cell; true if the rows before it are enough to know, and it was not taken.
    pub(super) fn knows_before(&mut self, given: &Given<'_>) -> bool {
        let kept = given.to_owned();
        let many = self.rows.len() > TITLES;
        match self.rows.last_mut() {
            Some(row) if row[0].place.row == given.place.row => row.push(kept),
            Some(row) if !is_title(row) || many => return true,
            _ => self.rows.push(vec![kept]),
        }
        false
    }

    /// The rows from the one that has the names on; none if there is nothing.
    pub(super) fn finish(self) -> Vec<Vec<Given<'static>>> {
        let mut rows = self.rows;
        if rows.len() > 1 && rows.last().is_some_and(|row| are_names(row)) {
            rows.drain(..rows.len() - 1);
        }
        rows
    }

    /// The first cell of all, if rows above the names are left out.
    pub(super) fn first(&self) -> Option<super::value::Place> {
        self.rows.first().map(|row| row[0].place)
    }
}

fn is_title(row: &[Given<'_>]) -> bool {
    matches!(row, [only] if only.cell.kind() == Some(Kind::Text))
}

fn are_names(row: &[Given<'_>]) -> bool {
    let is_text = |given: &Given<'_>| matches!(given.cell, Cell::Text(_));
    let is_year = |given: &Given<'_>| given.cell.whole().is_some_and(|n| YEARS.contains(&n));
    row.len() > 1 && row.iter().any(is_text) && row.iter().all(|g| is_text(g) || is_year(g))
}
