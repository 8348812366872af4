//! How many different values a column has.
//!
//! Each value is hashed to 64 bits, and the hashes are kept. Up to 65,536 of them
//! the count is exact (that two different values share a hash has a chance of one
//! in eight thousand million). Beyond, only the least hashes are kept: hashes are
//! spread evenly, so how densely they lie tells how many there are in all (the
//! "k minimum values" estimate; with k = 65,536 its standard error is 0.4 %).

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};

use super::Distinct;

/// Hashes that are always kept.
const KEPT: usize = 65_536;

/// The set of the least hashes.
#[derive(Debug)]
pub(super) struct Sketch {
    least: HashSet<u64, BuildHasherDefault<Spread>>,
    /// Only smaller hashes are kept; `None` while all are.
    below: Option<u64>,
}

impl Sketch {
    pub(super) fn new() -> Self {
        Self { least: HashSet::default(), below: None }
    }

    /// A value that 64 bits hold: its hash is a bijection, so these never collide.
    pub(super) fn word(&mut self, value: u64) {
        // The finaliser of splitmix64 (Steele, Lea, Flood 2014).
        let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        self.hash(z ^ (z >> 31));
    }

    /// Any other value, as bytes.
    pub(super) fn bytes(&mut self, value: &[u8]) {
        let mut hasher = DefaultHasher::new();
        hasher.write(value);
        self.hash(hasher.finish());
    }

    fn hash(&mut self, hash: u64) {
        if self.below.is_some_and(|limit| hash >= limit) {
            return;
        }
        self.least.insert(hash);
        if self.least.len() >= 2 * KEPT {
            let mut all: Vec<u64> = self.least.iter().copied().collect();
            let (_, limit, _) = all.select_nth_unstable(KEPT);
            let limit = *limit;
            self.below = Some(limit);
            self.least.retain(|hash| *hash < limit);
        }
    }

    pub(super) fn count(&self) -> Distinct {
        let kept = self.least.len() as u64;
        let Some(limit) = self.below else { return Distinct { count: kept, exact: true } };
        // kept / (limit / 2^64), in whole numbers.
        let estimate = (u128::from(kept) << 64) / u128::from(limit.max(1));
        Distinct { count: u64::try_from(estimate).unwrap_or(u64::MAX), exact: false }
    }
}

/// Hashes are hashed already, but the least of them have equal high bits.
#[derive(Debug, Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, value: u64) {
        self.0 = value.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(values: impl Iterator<Item = u64>) -> Distinct {
        let mut sketch = Sketch::new();
        values.for_each(|v| sketch.word(v));
        sketch.count()
    }

    #[test]
    fn exact_up_to_the_limit_and_marked_beyond() {
        assert_eq!(count(0..0), Distinct { count: 0, exact: true });
        assert_eq!(
            count((0..500_000).map(|v| v % 65_536)),
            Distinct { count: 65_536, exact: true }
        );
        let many = count(0..1_000_000);
        assert!(!many.exact);
        assert!(many.count.abs_diff(1_000_000) < 20_000, "{many:?}");
    }

    #[test]
    fn texts_are_estimated_as_well() {
        let mut sketch = Sketch::new();
        for value in 0..300_000_u32 {
            sketch.bytes(format!("customer {}", value % 200_000).as_bytes());
        }
        let found = sketch.count();
        assert!(!found.exact && found.count.abs_diff(200_000) < 4_000, "{found:?}");
    }
}
