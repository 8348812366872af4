//! What has arrived so far, held against the [`Budget`].

use super::{Budget, Cause, DatabaseError};

/// Rows of a batch, at most.
pub(super) const BATCH_ROWS: usize = 8192;
/// Bytes of a batch, after which it is sent.
pub(super) const BATCH_BYTES: u64 = 4 << 20;

/// Counts rows and bytes.
#[derive(Debug)]
pub(super) struct Meter {
    budget: Budget,
    rows: u64,
    bytes: u64,
}

/// Whether one more row may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// It may.
    Fits,
    /// It is one too many, and the budget leaves out what is over.
    Full,
}

impl Meter {
    /// Nothing has arrived.
    pub(super) fn new(budget: Budget) -> Self {
        Self { budget, rows: 0, bytes: 0 }
    }

    /// One more row.
    pub(super) fn row(&mut self) -> Result<Room, DatabaseError> {
        if self.rows == self.budget.rows {
            return if self.budget.cuts {
                Ok(Room::Full)
            } else {
                Err(spent(&format!("{} rows", self.budget.rows)))
            };
        }
        self.rows += 1;
        Ok(Room::Fits)
    }

    /// Bytes of a row.
    pub(super) fn bytes(&mut self, bytes: u64) -> Result<(), DatabaseError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.budget.bytes {
            return Err(spent(&format!("{} bytes", self.budget.bytes)));
        }
        Ok(())
    }

    /// Rows that a statement needs to give at most: one more than may arrive, so that a cut
    /// is known and not guessed.
    pub(super) fn limit(budget: &Budget, wanted: Option<u64>) -> u64 {
        let most = budget.rows.saturating_add(1);
        // As an i64, which is what servers take for a limit.
        wanted.map_or(most, |wanted| wanted.min(most)).min(i64::MAX as u64)
    }
}

/// The budget is spent, in words.
pub(super) fn spent(what: &str) -> DatabaseError {
    DatabaseError {
        about: Some(format!("the limit is {what}")),
        next: Some("ask for fewer rows or columns, or aggregate in the query".to_owned()),
        ..DatabaseError::of(Cause::Budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(cuts: bool) -> Budget {
        Budget { time: std::time::Duration::from_secs(1), rows: 2, bytes: 10, cuts }
    }

    #[test]
    fn a_row_too_many_is_cut_or_an_error() {
        for (cuts, expected) in [(true, Ok(Room::Full)), (false, Err(Cause::Budget))] {
            let mut meter = Meter::new(budget(cuts));
            assert_eq!(meter.row(), Ok(Room::Fits));
            assert_eq!(meter.row(), Ok(Room::Fits));
            assert_eq!(meter.row().map_err(|error| error.cause), expected);
        }
    }

    #[test]
    fn bytes_are_never_cut() {
        let mut meter = Meter::new(budget(true));
        assert_eq!(meter.bytes(10), Ok(()));
        assert_eq!(meter.bytes(1).map_err(|error| error.cause), Err(Cause::Budget));
    }

    #[test]
    fn a_statement_gives_one_row_more_than_may_arrive() {
        assert_eq!(Meter::limit(&budget(false), None), 3);
        assert_eq!(Meter::limit(&budget(false), Some(1)), 1);
        let all = Budget { rows: u64::MAX, ..budget(false) };
        assert_eq!(Meter::limit(&all, None), i64::MAX as u64);
    }
}
