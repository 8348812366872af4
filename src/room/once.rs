//! A part that is made when it is first needed, and made again if that failed.

use std::sync::{Mutex, OnceLock, PoisonError};

/// `OnceLock` with a maker that may fail, which the standard library does not
/// have yet. Two who need the part at once wait for one maker.
#[derive(Debug)]
pub(super) struct Once<T> {
    part: OnceLock<T>,
    making: Mutex<()>,
}

impl<T> Once<T> {
    pub(super) fn new() -> Self {
        Self { part: OnceLock::new(), making: Mutex::new(()) }
    }

    pub(super) fn get_or_try<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        if let Some(part) = self.part.get() {
            return Ok(part);
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(part) = self.part.get() {
            return Ok(part);
        }
        let part = make()?;
        Ok(self.part.get_or_init(|| part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_tried_again_and_a_success_is_not() {
        let once = Once::new();
        assert_eq!(once.get_or_try(|| Err::<u8, _>("no")), Err("no"));
        assert_eq!(once.get_or_try(|| Ok::<u8, &str>(1)), Ok(&1));
        assert_eq!(once.get_or_try(|| Ok::<u8, &str>(2)), Ok(&1));
    }
}
