//! Host memory that a run's decoded columns may hold.
//!
//! A Parquet file of a few kilobytes can stand for gigabytes, and a script may read
//! several at once. All readers of a run share one budget, as big as the run's memory
//! limit: what does not fit the guest need not be decoded for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A shared budget in bytes.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    used: Arc<AtomicU64>,
    limit: u64,
}

/// The budget has not that much left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("its values need more than the {0} bytes of memory that a run has")]
pub(super) struct OverBudget(u64);

impl Budget {
    pub(super) fn new(limit: u64) -> Self {
        Self { used: Arc::default(), limit }
    }

    /// A charge of nothing, to be added to.
    pub(super) fn charge(&self) -> Charge {
        Charge { budget: self.clone(), bytes: 0 }
    }
}

/// A part of the budget, given back when dropped.
#[derive(Debug)]
pub(super) struct Charge {
    budget: Budget,
    bytes: u64,
}

impl Charge {
    /// Takes `bytes` more.
    pub(super) fn add(&mut self, bytes: u64) -> Result<(), OverBudget> {
        self.bytes = self.bytes.saturating_add(bytes);
        let before = self.budget.used.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > self.budget.limit {
            return Err(OverBudget(self.budget.limit));
        }
        Ok(())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_share_the_budget_and_give_it_back() {
        let budget = Budget::new(100);
        let (mut one, mut two) = (budget.charge(), budget.charge());
        assert_eq!(one.add(60), Ok(()));
        assert_eq!(two.add(40), Ok(()));
        assert_eq!(two.add(1), Err(OverBudget(100)));
        drop(two);
        assert_eq!(one.add(40), Ok(()));
        drop(one);
        assert_eq!(budget.charge().add(100), Ok(()));
    }
}
