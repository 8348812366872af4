//! A table of text for a terminal: words to the left, numbers to the right.

use std::io::Write as _;
use std::process::ExitCode;

/// No cell is shown wider than that.
const WIDEST: usize = 40;

/// One cell.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    text: String,
    right: bool,
}

/// A cell of words.
pub(super) fn text(words: impl AsRef<str>) -> Cell {
    Cell { text: cut(words.as_ref()), right: false }
}

/// A cell with a number.
pub(super) fn number(digits: impl AsRef<str>) -> Cell {
    Cell { text: cut(digits.as_ref()), right: true }
}

/// So many rows, in words.
pub(super) fn rows(count: u64) -> String {
    format!("{count} row{}", if count == 1 { "" } else { "s" })
}

/// How large a table is.
pub(super) fn size(count: u64, columns: usize) -> String {
    format!("{} x {columns} column{}", rows(count), if columns == 1 { "" } else { "s" })
}

fn cut(cell: &str) -> String {
    let cell = dataroom::reply::scrub(&cell.replace(['\n', '\t', '\r'], " "));
    if cell.chars().count() <= WIDEST {
        return cell;
    }
    cell.chars().take(WIDEST - 1).chain(['…']).collect()
}

/// A number as short as a reader wants it: at most six digits after the point, and no
/// zeros at the end; by powers of ten where that would say nothing.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if value != 0.0 && !(1e-4..1e15).contains(&size) {
        let text = format!("{value:.6e}");
        return match text.split_once('e') {
            Some((digits, power)) if digits.contains('.') => {
                format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
            }
            _ => text,
        };
    }
    format!("{value:.6}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The lines of a table whose rows all have as many cells as the first.
pub(super) fn lines<Row: AsRef<[Cell]>>(rows: &[Row]) -> impl Iterator<Item = String> {
    let columns = rows.first().map_or(0, |row| row.as_ref().len());
    let wide = |cell: &Cell| cell.text.chars().count();
    let widest = |at| rows.iter().map(|row| wide(&row.as_ref()[at])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(widest).collect();
    rows.iter().map(move |row| {
        let mut line = String::new();
        for (cell, width) in row.as_ref().iter().zip(&widths) {
            let Cell { text, right } = cell;
            line.push_str(&if *right {
                format!("{text:>width$}  ")
            } else {
                format!("{text:<width$}  ")
            });
        }
        line.trim_end().to_owned()
    })
}

/// See the module.
#[derive(Debug)]
pub(super) struct Table<const COLUMNS: usize>(Vec<[Cell; COLUMNS]>);

impl<const COLUMNS: usize> Table<COLUMNS> {
    pub(super) fn new(headings: [Cell; COLUMNS]) -> Self {
        Self(vec![headings])
    }

    pub(super) fn row(&mut self, cells: [Cell; COLUMNS]) {
        self.0.push(cells);
    }

    /// Whether it has headings only.
    pub(super) fn is_empty(&self) -> bool {
        self.0.len() == 1
    }

    pub(super) fn print(&self) -> anyhow::Result<ExitCode> {
        let mut out = std::io::stdout().lock();
        for line in lines(&self.0) {
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_mean_has_no_zeros_after_its_point() {
        for (value, want) in [
            (2013.0, "2013"),
            (0.0, "0"),
            (-3.5, "-3.5"),
            (6.895_376_757, "6.895377"),
            (100.0, "100"),
            (0.000_25, "0.00025"),
            (1.5e-9, "1.5e-9"),
            (2e300, "2e300"),
        ] {
            assert_eq!(short(value), want);
        }
    }

    #[test]
    fn numbers_stand_to_the_right_and_words_to_the_left() {
        let mut table = Table::new([text("column"), number("max")]);
        table.row([text("year"), number("2013")]);
        table.row([text("tailnum"), text("N9")]);
        table.row([text("x"), number("7")]);
        let lines: Vec<_> = lines(&table.0).collect();
        assert_eq!(lines, ["column    max", "year     2013", "tailnum  N9", "x           7"]);
    }
}
