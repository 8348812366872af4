//! Host memory that decoded columns may hold.
//!
//! A script may read several files at once. All readers of a run share one budget, as
//! big as the run's memory limit: what does not fit the guest need not be decoded for
//! it. What is about to be decoded is paid for before it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A shared budget in bytes.
#[derive(Debug, Clone)]
pub struct Budget {
    used: Arc<AtomicU64>,
    limit: u64,
}

/// The budget has not that much left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "its values need more than the {0} bytes of memory that there are for them: leave the column \
     out, or make a table with fewer rows of it first"
)]
pub struct OverBudget(u64);

impl Budget {
    /// A budget of which nothing is spent.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self { used: Arc::default(), limit }
    }

    /// A charge of nothing, to be added to.
    #[must_use]
    pub fn charge(&self) -> Charge {
        Charge { budget: self.clone(), bytes: 0 }
    }

    /// A charge of `bytes`.
    ///
    /// # Errors
    /// That much is not left.
    pub fn pay(&self, bytes: u64) -> Result<Charge, OverBudget> {
        let mut charge = self.charge();
        charge.add(bytes).map(|()| charge)
    }
}

/// A part of the budget, given back when dropped.
#[derive(Debug)]
pub struct Charge {
    budget: Budget,
    bytes: u64,
}

impl Charge {
    /// Takes `bytes` more; nothing, if they are not left.
    ///
    /// # Errors
    /// They are not left.
    pub fn add(&mut self, bytes: u64) -> Result<(), OverBudget> {
        let take = |used: u64| used.checked_add(bytes).filter(|sum| *sum <= self.budget.limit);
        let taken = self.budget.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        if taken.is_err() {
            return Err(OverBudget(self.budget.limit));
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Takes over what `other`, of the same budget, has taken.
    pub fn join(&mut self, mut other: Charge) {
        debug_assert!(Arc::ptr_eq(&self.budget.used, &other.budget.used));
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// What it has taken.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives back all but `bytes`.
    pub fn keep(&mut self, bytes: u64) {
        let back = self.bytes.saturating_sub(bytes);
        self.bytes -= back;
        self.budget.used.fetch_sub(back, Ordering::Relaxed);
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
        assert_eq!(two.add(41), Err(OverBudget(100)));
        assert_eq!(two.add(40), Ok(()));
        assert_eq!(two.add(1), Err(OverBudget(100)));
        drop(two);
        assert_eq!(one.add(40), Ok(()));
        one.keep(10);
        assert!(budget.pay(91).is_err() && budget.pay(90).is_ok());
        one.join(budget.pay(5).unwrap());
        assert!(budget.pay(86).is_err() && budget.pay(85).is_ok());
        drop(one);
        assert!(budget.pay(100).is_ok() && budget.pay(u64::MAX).is_err());
    }
}
