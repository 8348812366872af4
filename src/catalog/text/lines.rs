//! On which line a row of a text begins, whatever ends its lines: LF, CR LF or CR, mixed too.

/// The line at which a reader stands.
#[derive(Debug)]
pub(in crate::catalog) struct Lines {
    line: u64,
    /// The last byte was a CR: an LF may belong to it.
    open: bool,
}

impl Default for Lines {
    fn default() -> Self {
        Self { line: 1, open: false }
    }
}

impl Lines {
    /// The line that begins with the next byte.
    pub(in crate::catalog) fn line(&self) -> u64 {
        self.line
    }

    /// Whether the next byte, if it is an LF, belongs to the CR before it.
    pub(in crate::catalog) fn open(&self) -> bool {
        self.open
    }

    /// Takes the LF after a CR.
    pub(in crate::catalog) fn close(&mut self) {
        self.open = false;
    }

    /// Takes whole rows of one line each, and no blank one.
    pub(in crate::catalog) fn rows(&mut self, rows: usize) {
        self.line += rows as u64;
        self.open = false;
    }

    /// The line of the row that `text` begins with, and how many lines with nothing in them
    /// stand before it.
    pub(in crate::catalog) fn of_row(&self, text: &[u8]) -> (u64, u64) {
        let (blank, _) = self.blank(text);
        (self.line + blank, blank)
    }

    fn blank<'t>(&self, text: &'t [u8]) -> (u64, &'t [u8]) {
        // The LF of a CR LF that a reader has taken half of ends no blank line.
        let mut rest = match text {
            [b'\n', rest @ ..] if self.open => rest,
            _ => text,
        };
        let mut blank = 0;
        while let [b'\r', b'\n', after @ ..] | [b'\r' | b'\n', after @ ..] = rest {
            rest = after;
            blank += 1;
        }
        (blank, rest)
    }

    /// Takes the text of a row, and what [`Self::of_row`] says of it.
    pub(in crate::catalog) fn row(&mut self, text: &[u8]) -> (u64, u64) {
        let (blank, rest) = self.blank(text);
        let line = self.line + blank;
        let ends = |at: usize| rest[at] == b'\n' || rest.get(at + 1) != Some(&b'\n');
        let ended = memchr::memchr2_iter(b'\n', b'\r', rest).filter(|at| ends(*at)).count();
        self.line = line + ended as u64;
        if let Some(last) = text.last() {
            self.open = *last == b'\r';
        }
        (line, blank)
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn every_mixture_of_line_ends_is_counted_wherever_a_reader_stops() {
        // Cut where a reader of rows stands: after the CR of CR LF, and before blank lines.
        let rows = ["a\n", "b\r", "\nc\r", "d\n", "\n\r\ne"];
        let mut lines = Lines::default();
        let found: Vec<_> = rows.iter().map(|row| lines.row(row.as_bytes())).collect();
        assert_eq!(found, [(1, 0), (2, 0), (3, 0), (4, 0), (7, 2)]);
        assert_eq!(lines.of_row(b"\r\n\r\rf"), (10, 3));
    }

    #[test]
    fn lines_within_a_row_count_and_a_half_line_end_does_not() {
        let mut lines = Lines::default();
        assert_eq!(lines.row(b"\"1\r\n2\n3\r4\",5\r"), (1, 0));
        assert!(lines.open());
        assert_eq!((lines.line(), lines.of_row(b"\nx")), (5, (5, 0)));
        // A CR of its own is a line, and so is the LF that another reader would join to it.
        assert_eq!(lines.of_row(b"\n\nx"), (6, 1));
        lines.close();
        assert_eq!(lines.of_row(b"\nx"), (6, 1));
        lines.rows(3);
        assert_eq!(lines.line(), 8);
    }
}
