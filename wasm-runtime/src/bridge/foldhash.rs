//! A fast hash for bytes: `blake3` and SipHash cost more than decoding.
use std::hash::{BuildHasher, Hasher};

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seed;
#[derive(Debug, Clone, Copy)]
pub(super) struct Fold(u64);

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Fold {
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * u128::from(MULTIPLIER);
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl BuildHasher for Seed {
    type Hasher = Fold;
    fn build_hasher(&self) -> Fold {
        Fold(0x2545_f491_4f6c_dd1d)
    }
}

impl Hasher for Fold {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last) ^ ((rest.len() as u64) << 56));
    }
    fn finish(&self) -> u64 {
        self.0
    }
}
