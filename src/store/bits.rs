//! Bits that are hashed as one stream, however they come.

use std::fmt;

use arrow::array::BooleanBufferBuilder;
use arrow::buffer::BooleanBuffer;
use blake3::Hasher;

/// Bits held back before they are hashed, to hash many bytes at once.
pub(super) const BITS_HELD: usize = 8 * 64 * 1024;

/// A stream of bits that does not care how it was cut.
pub(super) struct Bits {
    held: BooleanBufferBuilder,
    hasher: Hasher,
    total: u64,
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bits").field("total", &self.total).finish_non_exhaustive()
    }
}

impl Bits {
    pub(super) fn new() -> Self {
        Self { held: BooleanBufferBuilder::new(0), hasher: Hasher::new(), total: 0 }
    }

    pub(super) fn append(&mut self, bits: &BooleanBuffer) {
        self.held.append_buffer(bits);
        self.total += bits.len() as u64;
        self.pass_on();
    }

    pub(super) fn append_n(&mut self, count: usize, bit: bool) {
        self.held.append_n(count, bit);
        self.total += count as u64;
        self.pass_on();
    }

    /// Hashes the whole bytes and keeps the bits of the last, begun one.
    fn pass_on(&mut self) {
        if self.held.len() < BITS_HELD {
            return;
        }
        let whole = self.held.len() / 8;
        self.hasher.update(&self.held.as_slice()[..whole]);
        let rest = self.held.finish();
        let rest = rest.slice(whole * 8, rest.len() - whole * 8);
        self.held = BooleanBufferBuilder::new(BITS_HELD);
        self.held.append_buffer(&rest);
    }

    pub(super) fn finish(mut self) -> [u8; 32] {
        let whole = self.held.len() / 8;
        self.hasher.update(&self.held.as_slice()[..whole]);
        let last = (whole * 8..self.held.len())
            .enumerate()
            .fold(0u8, |byte, (n, bit)| byte | u8::from(self.held.get_bit(bit)) << n);
        self.hasher.update(&[last]);
        self.hasher.update(&self.total.to_le_bytes());
        *self.hasher.finalize().as_bytes()
    }
}
