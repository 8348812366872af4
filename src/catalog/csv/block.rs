//! Rows of a text table, cut into cells and not yet read.

use super::split::Span;

/// Rows that have the same number of cells.
#[derive(Clone, Copy)]
pub(super) struct Block<'b> {
    /// What the spans are places in. Every cell is UTF-8.
    pub bytes: &'b [u8],
    /// Row by row.
    pub spans: &'b [Span],
    /// Cells in a row, and rows.
    pub width: usize,
    pub rows: usize,
    pub lines: Lines<'b>,
}

/// On which lines rows begin.
#[derive(Clone, Copy)]
pub(super) enum Lines<'b> {
    /// One after another, from this one.
    From(u64),
    Each(&'b [u64]),
}

impl Lines<'_> {
    #[inline]
    fn of(self, row: usize) -> u64 {
        match self {
            Lines::From(first) => first + row as u64,
            Lines::Each(lines) => lines.get(row).copied().unwrap_or(0),
        }
    }
}

impl<'b> Block<'b> {
    /// The cells of a column.
    pub(super) fn column(self, at: usize) -> Cells<'b> {
        Cells { block: self, at }
    }

    /// Bytes of the cells.
    pub(super) fn weight(self) -> usize {
        self.bytes.len()
    }
}

/// A column of a block.
#[derive(Clone, Copy)]
pub(super) struct Cells<'b> {
    block: Block<'b>,
    at: usize,
}

impl<'b> Cells<'b> {
    pub(super) fn rows(self) -> usize {
        self.block.rows
    }

    /// The line on which a row begins.
    #[inline]
    pub(super) fn line(self, row: usize) -> u64 {
        self.block.lines.of(row)
    }

    /// The cells, each with its row's number in the block.
    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = (usize, &'b [u8])> {
        let rows = self.block.spans.chunks_exact(self.block.width);
        rows.map(move |row| &self.block.bytes[row[self.at].range()]).enumerate()
    }

    /// Gives the cells one after another, with the bytes that each ends with.
    #[inline(always)]
    pub(super) fn each(self, mut take: impl FnMut(usize, &'b [u8], Tail)) {
        let Self { block, at } = self;
        for (row, spans) in block.spans.chunks_exact(block.width).enumerate() {
            let place = spans[at].range();
            let tail = Tail::of(&block.bytes[..place.end]);
            take(row, &block.bytes[place], tail);
        }
    }
}

/// The eight bytes up to a cell's end, its last one in the highest place. A shorter cell has
/// bytes that are none of it in the lower ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tail(pub u64);

impl Tail {
    #[inline(always)]
    pub(super) fn of(bytes: &[u8]) -> Self {
        let Some(eight) = bytes.last_chunk() else {
            return Self(bytes.iter().fold(0, |tail, byte| tail >> 8 | u64::from(*byte) << 56));
        };
        Self(u64::from_le_bytes(*eight))
    }
}
