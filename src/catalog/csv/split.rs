//! Cuts text into cells many bytes at a time, where it is written plainly.
//!
//! Plain is a row with the right number of cells, each of them bare and without quotes, or
//! in quotes from its first byte to its last, without a line break; and that ends with LF or
//! CR LF. Of such rows every reader says the same. The first that is not plain ends the cut,
//! and is left to the careful reader of `rows`, whose words (what a quote within a bare cell
//! is, which line is broken) are the only ones that count.

use std::ops::Range;

/// Where a cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub(super) fn new(start: usize, end: usize) -> Option<Self> {
        Some(Self { start: u32::try_from(start).ok()?, end: u32::try_from(end).ok()? })
    }

    #[inline]
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The cells that were cut, in memory that is used again.
#[derive(Default)]
pub(super) struct Spans {
    pub spans: Vec<Span>,
    /// Ends of cells, with one before the first.
    ends: Vec<u32>,
}

/// Bytes that are looked at together.
const WORD: usize = 64;

/// What rows are cut by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    pub delimiter: u8,
    pub quote: u8,
    /// Cells in a row.
    pub width: usize,
}

/// Rows that were cut.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub rows: usize,
    /// Bytes of them.
    pub end: usize,
    /// The text ends in the row behind them; else that row is not plain.
    pub ran_out: bool,
}

impl Marks {
    /// Whether `text` can be cut this way at all.
    pub(super) fn are_plain(self) -> bool {
        let ascii = self.delimiter.is_ascii() && self.quote.is_ascii();
        let of_lines = b"\r\n".contains(&self.delimiter) || b"\r\n".contains(&self.quote);
        ascii && !of_lines && self.delimiter != self.quote
    }

    /// Cuts rows from the beginning of `text`, which is UTF-8. Quotes that are doubled within
    /// a cell are made one, in place.
    pub(super) fn cut(self, text: &mut [u8], cells: &mut Spans) -> Cut {
        let has_quotes = memchr::memchr(self.quote, text).is_some();
        if !has_quotes
            && self.width > 1
            && let Some(cut) = self.cut_bare(text, cells)
        {
            return cut;
        }
        let spans = &mut cells.spans;
        spans.clear();
        let mut scan = Scan { spans, start: 0, column: 0, rows: 0, end: 0 };
        let mut doubled = Vec::new();
        let ran_out = match has_quotes {
            false => scan.run::<false>(self, text, &mut doubled),
            true => scan.run::<true>(self, text, &mut doubled),
        };
        let (rows, end) = (scan.rows, scan.end);
        spans.truncate(rows * self.width);
        for cell in doubled {
            if let Some(span) = spans.get_mut(cell) {
                *span = make_single(text, *span, self.quote);
            }
        }
        Cut { rows, end, ran_out }
    }

    /// The same where there are no quotes, all lines end with LF, and every row is plain; else
    /// `None`. Ends of cells are gathered without a look at what each is: if every
    /// `width`th is that of a line, and there are no other lines, the rest are of cells.
    fn cut_bare(self, text: &[u8], cells: &mut Spans) -> Option<Cut> {
        if u32::try_from(text.len()).is_err() || memchr::memchr(b'\r', text).is_some() {
            return None;
        }
        let count = self.find_ends(text, &mut cells.ends);
        let rows = count / self.width;
        // Before the first cell stands what ends the one before it.
        let ends = &cells.ends[..=rows * self.width];
        let last = *ends.last()? as usize;
        let is_line = |row: &[u32]| row.last().is_some_and(|at| text[*at as usize] == b'\n');
        let lines = memchr::memchr_iter(b'\n', text.get(..=last)?).count();
        if rows == 0 || lines != rows || !ends[1..].chunks_exact(self.width).all(is_line) {
            return None;
        }
        let span = |pair: &[u32]| Span { start: pair[0].wrapping_add(1), end: pair[1] };
        cells.spans.clear();
        cells.spans.extend(ends.windows(2).map(span));
        Some(Cut { rows, end: last + 1, ran_out: true })
    }

    /// Writes where delimiters and LFs are, from the second place in `ends` on, and how many.
    fn find_ends(self, text: &[u8], ends: &mut Vec<u32>) -> usize {
        // Room for all that a word can hold, behind as many as there can be.
        ends.resize(ends.len().max(text.len() + 2 * WORD), 0);
        ends[0] = u32::MAX;
        let mut found = 1;
        let (words, rest) = text.as_chunks::<WORD>();
        let mut last = [0; WORD];
        last[..rest.len()].copy_from_slice(rest);
        let of_last = (1_u64 << rest.len()) - 1;
        let bits = words.iter().map(|word| self.bits::<false>(word));
        let bits = bits.chain(std::iter::once_with(|| self.bits::<false>(&last) & of_last));
        for (word, mut bits) in (0_u32..).step_by(WORD).zip(bits) {
            let Some(room) = ends[found..].first_chunk_mut::<WORD>() else { break };
            let mut count = 0;
            while bits != 0 {
                room[count % WORD] = word + bits.trailing_zeros();
                count += 1;
                bits &= bits - 1;
            }
            found += count;
        }
        found - 1
    }

    /// A bit for each byte that ends a cell or opens a quote.
    #[inline]
    fn bits<const QUOTES: bool>(self, word: &[u8; WORD]) -> u64 {
        let mut hits = [0_u8; WORD];
        for (hit, byte) in hits.iter_mut().zip(word) {
            let of_line = u8::from(*byte == b'\n') | u8::from(*byte == b'\r');
            *hit = of_line | u8::from(*byte == self.delimiter);
            if QUOTES {
                *hit |= u8::from(*byte == self.quote);
            }
        }
        // A product moves the lowest bits of eight bytes side by side.
        hits.as_chunks::<8>().0.iter().rev().fold(0, |bits, eight| {
            let eight = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            bits << 8 | eight
        })
    }
}

struct Scan<'s> {
    spans: &'s mut Vec<Span>,
    /// Of the cell.
    start: usize,
    /// Cells of its row before it.
    column: usize,
    rows: usize,
    /// Of the last whole row.
    end: usize,
}

impl Scan<'_> {
    /// Whether the text ran out before a row that is not plain was found. `doubled` are cells
    /// within which quotes are doubled.
    fn run<const QUOTES: bool>(
        &mut self,
        marks: Marks,
        text: &[u8],
        doubled: &mut Vec<usize>,
    ) -> bool {
        let (mut inside, mut quoted) = (false, false);
        let (words, rest) = text.as_chunks::<WORD>();
        let mut last = [0; WORD];
        last[..rest.len()].copy_from_slice(rest);
        let of_last = (1_u64 << rest.len()) - 1;
        let bits = words.iter().map(|word| marks.bits::<QUOTES>(word));
        let bits = bits.chain(std::iter::once_with(|| marks.bits::<QUOTES>(&last) & of_last));
        for (word, mut bits) in bits.enumerate() {
            while bits != 0 {
                let at = word * WORD + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let byte = text[at];
                if QUOTES && byte == marks.quote {
                    (inside, quoted) = (!inside, true);
                    continue;
                }
                if QUOTES && inside {
                    if byte == marks.delimiter {
                        continue;
                    }
                    return false;
                }
                let next = if byte == marks.delimiter {
                    if self.column + 1 >= marks.width {
                        return false;
                    }
                    at + 1
                } else {
                    match self.ends_row(marks, text, at) {
                        Ends::Row(next) => next,
                        // The LF of a CR LF.
                        Ends::Again => continue,
                        Ends::Unknown => return true,
                        Ends::Not => return false,
                    }
                };
                let cell = match QUOTES && std::mem::take(&mut quoted) {
                    true => self.quoted(marks, &text[self.start..at], doubled),
                    false => Span::new(self.start, at),
                };
                let Some(cell) = cell else { return false };
                self.spans.push(cell);
                self.start = next;
                self.column += 1;
                if byte != marks.delimiter {
                    (self.column, self.end) = (0, next);
                    self.rows += 1;
                }
            }
        }
        true
    }

    /// What stands within the quotes of a cell, if they are all of it.
    fn quoted(&self, marks: Marks, cell: &[u8], doubled: &mut Vec<usize>) -> Option<Span> {
        match inner(cell, marks.quote) {
            Inner::Plain => {}
            Inner::Doubled => doubled.push(self.spans.len()),
            Inner::Careful => return None,
        }
        Span::new(self.start + 1, self.start + cell.len() - 1)
    }

    /// What the CR or LF at this place ends.
    #[inline]
    fn ends_row(&self, marks: Marks, text: &[u8], at: usize) -> Ends {
        if at < self.start {
            return Ends::Again;
        }
        // A line without anything is no row.
        if self.column + 1 != marks.width || (marks.width == 1 && at == self.start) {
            return Ends::Not;
        }
        match (text[at], text.get(at + 1)) {
            (b'\n', _) => Ends::Row(at + 1),
            (_, Some(b'\n')) => Ends::Row(at + 2),
            (_, None) => Ends::Unknown,
            _ => Ends::Not,
        }
    }
}

enum Ends {
    /// And where the next row begins.
    Row(usize),
    Again,
    /// The text ends too early to say.
    Unknown,
    Not,
}

/// What a cell with quotes is.
enum Inner {
    Plain,
    Doubled,
    Careful,
}

fn inner(cell: &[u8], quote: u8) -> Inner {
    let [first, inner @ .., last] = cell else { return Inner::Careful };
    if *first != quote || *last != quote {
        return Inner::Careful;
    }
    let mut rest = inner;
    let mut doubled = false;
    while let Some(at) = memchr::memchr(quote, rest) {
        if rest.get(at + 1) != Some(&quote) {
            return Inner::Careful;
        }
        doubled = true;
        rest = &rest[at + 2..];
    }
    if doubled { Inner::Doubled } else { Inner::Plain }
}

/// Moves the bytes of a cell together, over each second quote.
fn make_single(text: &mut [u8], cell: Span, quote: u8) -> Span {
    let mut end = cell.range().start;
    let mut after_quote = false;
    for at in cell.range() {
        let byte = text[at];
        after_quote = byte == quote && !after_quote;
        if byte != quote || after_quote {
            text[end] = byte;
            end += 1;
        }
    }
    Span::new(cell.range().start, end).unwrap_or(cell)
}
