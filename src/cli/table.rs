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

    fn lines(&self) -> impl Iterator<Item = String> {
        let wide = |cell: &Cell| cell.text.chars().count();
        let widths: [usize; COLUMNS] =
            std::array::from_fn(|at| self.0.iter().map(|row| wide(&row[at])).max().unwrap_or(0));
        self.0.iter().map(move |row| {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths) {
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

    pub(super) fn print(&self) -> anyhow::Result<ExitCode> {
        let mut out = std::io::stdout().lock();
        for line in self.lines() {
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
        let lines: Vec<_> = table.lines().collect();
        assert_eq!(lines, ["column    max", "year     2013", "tailnum  N9", "x           7"]);
    }
}
