//! Columns decoded ahead of the guest, by one thread or two, and handed over in order.
//!
//! While the guest makes a column its own, the next are being decoded; a host holds a
//! few columns, never a table. All that is decoded is paid for from one budget, so a
//! column may fail only because others wait for the guest. A column that has failed is
//! tried again when it is the one that the guest waits for, with nobody else at work
//! and what was decoded beyond it thrown away: what fails then does not fit, or is
//! damaged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// How many columns may be begun before the guest has taken the first of them.
const AHEAD: usize = 8;

/// What decodes the column at a position.
type Decode<T> = dyn Fn(usize) -> Result<T, String> + Send + Sync;

/// Columns that come one after another.
#[derive(Debug)]
pub(super) struct Ahead<T>(Arc<Shared<T>>);

#[derive(Debug)]
struct Shared<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    /// Positions that are to be decoded.
    todo: BTreeSet<usize>,
    /// Those of them that have failed once.
    again: BTreeSet<usize>,
    done: BTreeMap<usize, Result<T, String>>,
    /// The position that the guest takes next, and whether it waits for it.
    next: usize,
    waiting: bool,
    /// Threads that decode, and whether one of them must be alone.
    busy: usize,
    alone: bool,
    /// Nobody wants any more, or a thread has panicked.
    over: bool,
}

impl<T: Send + 'static> Ahead<T> {
    /// Starts threads that decode `count` columns.
    pub(super) fn start(
        count: usize,
        threads: usize,
        decode: impl Fn(usize) -> Result<T, String> + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                todo: (0..count).collect(),
                again: BTreeSet::new(),
                done: BTreeMap::new(),
                next: 0,
                waiting: false,
                busy: 0,
                alone: false,
                over: count == 0,
            }),
            changed: Condvar::new(),
        });
        // From here on whatever fails ends the threads that there are.
        let ahead = Self(shared);
        let decode: Arc<Decode<T>> = Arc::new(decode);
        for _ in 0..threads.min(count) {
            let (shared, decode) = (ahead.0.clone(), decode.clone());
            let thread = std::thread::Builder::new().name("parquet-reader".to_owned());
            thread.spawn(move || shared.work(&*decode))?;
        }
        Ok(ahead)
    }

    /// Waits for the next column. `None`: there is none, or a thread has panicked.
    pub(super) fn next(&self) -> Option<Result<T, String>> {
        let mut state = self.0.lock();
        state.waiting = true;
        self.0.changed.notify_all();
        loop {
            let next = state.next;
            if let Some(column) = state.done.remove(&next) {
                state.next += 1;
                state.waiting = false;
                self.0.changed.notify_all();
                return Some(column);
            }
            if state.over || (state.todo.is_empty() && state.busy == 0) {
                return None;
            }
            state = self.0.wait(state);
        }
    }
}

impl<T> Drop for Ahead<T> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&'a self, state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self) {
        let mut state = self.lock();
        state.over = true;
        state.done.clear();
        self.changed.notify_all();
    }

    fn work(&self, decode: &Decode<T>) {
        let over = Over(self);
        while let Some((at, alone)) = self.begin() {
            let column = decode(at);
            let mut state = self.lock();
            state.busy -= 1;
            if alone {
                state.alone = false;
            }
            match column {
                Err(_) if !alone => {
                    state.todo.insert(at);
                    state.again.insert(at);
                }
                column => {
                    state.done.insert(at, column);
                }
            }
            self.changed.notify_all();
        }
        std::mem::forget(over);
    }

    /// A position to decode, and whether nobody else may decode meanwhile.
    fn begin(&self) -> Option<(usize, bool)> {
        let mut state = self.lock();
        loop {
            if state.over || (state.todo.is_empty() && state.busy == 0) {
                return None;
            }
            if let Some(&at) = state.todo.first().filter(|_| !state.alone) {
                let alone = state.again.contains(&at);
                let free = if alone {
                    state.next == at && state.waiting && state.busy == 0
                } else {
                    at < state.next + AHEAD
                };
                if free {
                    if alone {
                        let beyond = std::mem::take(&mut state.done);
                        state.todo.extend(beyond.into_keys());
                    }
                    state.todo.remove(&at);
                    state.alone = alone;
                    state.busy += 1;
                    return Some((at, alone));
                }
            }
            state = self.wait(state);
        }
    }
}

/// Ends everything if a thread panics.
struct Over<'a, T>(&'a Shared<T>);

impl<T> Drop for Over<'_, T> {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::columns::{Budget, Charge};

    /// Columns of these sizes, each paid for until it is dropped.
    fn columns(limit: u64, threads: usize, sizes: &'static [u64]) -> Ahead<(usize, Charge)> {
        let budget = Budget::new(limit);
        let decode = move |at: usize| {
            let charge = budget.pay(sizes[at]).map_err(|error| error.to_string())?;
            std::thread::yield_now();
            Ok((at, charge))
        };
        Ahead::start(sizes.len(), threads, decode).unwrap()
    }

    #[test]
    fn columns_come_in_order_whoever_decodes_them() {
        for threads in [1, 2] {
            let ahead = columns(1_000, threads, &[1; 100]);
            for wanted in 0..100 {
                assert_eq!(ahead.next().unwrap().unwrap().0, wanted);
            }
            assert!(ahead.next().is_none());
        }
    }

    /// Two columns that fit one after another failed when they were decoded together.
    #[test]
    fn what_fits_alone_does_not_fail_because_others_wait() {
        for threads in [1, 2] {
            for _ in 0..50 {
                let ahead = columns(100, threads, &[60, 60, 1, 100, 99, 1, 1, 60, 60, 100]);
                for wanted in 0..10 {
                    assert_eq!(ahead.next().unwrap().unwrap().0, wanted);
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_fails_where_it_is() {
        let ahead = columns(100, 2, &[60, 101, 60]);
        assert!(ahead.next().unwrap().is_ok());
        assert!(ahead.next().unwrap().is_err());
        assert!(ahead.next().unwrap().is_ok());
    }

    #[test]
    fn no_more_is_begun_than_a_few_ahead_and_nothing_after_the_end() {
        let begun = Arc::new(AtomicUsize::new(0));
        let count = begun.clone();
        let ahead = Ahead::start(100, 2, move |at| {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(at)
        });
        let ahead = ahead.unwrap();
        for taken in 1..=10 {
            ahead.next().unwrap().unwrap();
            assert!(begun.load(Ordering::Relaxed) <= taken + AHEAD);
        }
        drop(ahead);
        let at_the_end = begun.load(Ordering::Relaxed);
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(begun.load(Ordering::Relaxed) <= at_the_end + 2);
    }

    #[test]
    fn a_panic_ends_the_columns_and_nobody_waits_for_ever() {
        let ahead: Ahead<()> = Ahead::start(10, 2, |_| panic!("a damaged page")).unwrap();
        assert!(ahead.next().is_none());
    }
}
