//! How many different values a column has, where they are too many to be counted.
//!
//! Each value is hashed to 64 bits, and the hashes are kept. Up to 65,536 of them
//! the count is exact (that two different values share a hash has a chance of one
//! in eight thousand million). Beyond, only the least hashes are kept: hashes are
//! spread evenly, so how densely they lie tells how many there are in all (the
//! "k minimum values" estimate; with k = 65,536 its standard error is 0.4 %).

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use super::Distinct;
use super::counts::Spread;

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

    pub(super) fn hash(&mut self, hash: u64) {
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

#[cfg(test)]
mod tests {
    use super::super::counts::{hashed, mixed};
    use super::*;

    fn count(values: impl Iterator<Item = u64>) -> Distinct {
        let mut sketch = Sketch::new();
        values.for_each(|v| sketch.hash(mixed(v)));
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
            sketch.hash(hashed(format!("customer {}", value % 200_000).as_bytes()));
        }
        let found = sketch.count();
        assert!(!found.exact && found.count.abs_diff(200_000) < 4_000, "{found:?}");
    }
}
