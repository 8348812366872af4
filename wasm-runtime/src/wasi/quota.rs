//! How much of something a guest has, and may have.

use super::errno::{Errno, Result};

/// A count with a limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quota {
    used: u64,
    pub(super) most: u64,
    limit: u64,
    pub(super) refused: bool,
}

impl Quota {
    pub(super) fn new(limit: u64) -> Self {
        Self { used: 0, most: 0, limit, refused: false }
    }

    pub(super) fn take(&mut self, amount: u64) -> Result<()> {
        match self.used.checked_add(amount) {
            Some(used) if used <= self.limit => {
                self.used = used;
                self.most = self.most.max(used);
                Ok(())
            }
            _ => {
                self.refused = true;
                Err(Errno::NOSPC)
            }
        }
    }

    pub(super) fn give_back(&mut self, amount: u64) {
        self.used = self.used.saturating_sub(amount);
    }
}
