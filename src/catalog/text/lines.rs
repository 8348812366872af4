//! On which line a byte of a text is, whatever ends its lines: LF, CR LF or CR,
//! mixed too.

use std::cell::Cell;
use std::collections::VecDeque;

/// Where lines begin, of the part that may still be asked about.
#[derive(Debug)]
pub(in crate::catalog) struct Lines {
    /// The first byte of each line, and whether CR LF stands before it.
    starts: VecDeque<(u64, bool)>,
    /// The number of the first of `starts`.
    first: u64,
    bytes: u64,
    /// The last byte was a CR: an LF may belong to it.
    open: bool,
    /// The line that was found last: rows are asked about in their order.
    found: Cell<u64>,
}

impl Default for Lines {
    fn default() -> Self {
        Self {
            starts: VecDeque::from([(0, false)]),
            first: 1,
            bytes: 0,
            open: false,
            found: Cell::new(1),
        }
    }
}

impl Lines {
    /// Takes the next part of the text; lines that end before `keep` are forgotten.
    pub(in crate::catalog) fn read(&mut self, part: &[u8], keep: u64) {
        while self.starts.len() > 1 && self.starts[1].0 <= keep {
            self.starts.pop_front();
            self.first += 1;
        }
        for at in memchr::memchr2_iter(b'\n', b'\r', part) {
            let here = self.bytes + at as u64;
            let before = if at == 0 { self.open } else { part[at - 1] == b'\r' };
            if part[at] == b'\n' && before {
                // The line that the CR began begins after the LF.
                if let Some(last) = self.starts.back_mut() {
                    *last = (here + 1, true);
                }
            } else {
                self.starts.push_back((here + 1, false));
            }
        }
        if let Some(last) = part.last() {
            self.open = *last == b'\r';
        }
        self.bytes += part.len() as u64;
    }

    /// The line of the first row that begins at or after `byte`, and how many lines
    /// with nothing in them were passed over.
    pub(in crate::catalog) fn of_row(&self, byte: u64) -> (u64, u64) {
        let mut place = self.place(byte);
        let mut at = byte;
        let mut blank = 0;
        while let Some(&(next, crlf)) = self.starts.get(place + 1) {
            let rest = next - at;
            // The LF of a CR LF that a reader has taken half of ends no blank line.
            if rest == 1 + u64::from(crlf) || (rest == 1 && at > self.starts[place].0) {
                blank += u64::from(at == self.starts[place].0);
                at = next;
                place += 1;
            } else {
                break;
            }
        }
        self.found.set(self.first + place as u64);
        (self.first + place as u64, blank)
    }

    /// Where in `starts` the line is that holds `byte`: at what was found last or behind it, as
    /// a rule.
    fn place(&self, byte: u64) -> usize {
        let last = usize::try_from(self.found.get().saturating_sub(self.first)).unwrap_or(0);
        if self.starts.get(last).is_none_or(|(start, _)| *start > byte) {
            return self.starts.partition_point(|(start, _)| *start <= byte).max(1) - 1;
        }
        let behind = self.starts.range(last + 1..);
        last + behind.take_while(|(start, _)| *start <= byte).count()
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    fn lines(text: &str, split: usize) -> Lines {
        let mut lines = Lines::default();
        for part in text.as_bytes().chunks(split) {
            lines.read(part, 0);
        }
        lines
    }

    #[test]
    fn every_mixture_of_line_ends_is_counted_however_it_is_cut() {
        for split in 1..12 {
            let text = "a\nb\r\nc\rd\n\n\r\ne";
            let of = |c: char| lines(text, split).of_row(text.find(c).unwrap_or(0) as u64);
            assert_eq!(['a', 'b', 'c', 'd', 'e'].map(of).map(|l| l.0), [1, 2, 3, 4, 7], "{split}");
            // From where a reader stands: after the CR of `b\r\n`, or before blank lines.
            assert_eq!(lines(text, split).of_row(4), (3, 0));
            assert_eq!(lines(text, split).of_row(9), (7, 2));
        }
    }

    #[test]
    fn lines_that_are_over_are_forgotten_and_still_counted() {
        let mut lines = Lines::default();
        for row in 0..10_000_u64 {
            lines.read(b"1,2\n", row * 4);
        }
        assert!(lines.starts.len() < 8);
        assert_eq!(lines.of_row(9_999 * 4).0, 10_000);
    }
}
