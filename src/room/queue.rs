//! A bounded queue that is first come, first served.
//!
//! Scripts are hungry: two cores cannot run sixteen at once. The queue lets a
//! fixed number work and a fixed number wait, in the order of their coming, and
//! refuses the rest at once, so that a flood costs nothing and nobody starves.
//! It blocks its thread; the server calls it from threads made for that.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Call, RoomError};

/// How often one who waits looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(20);

/// See the module.
#[derive(Debug)]
pub(super) struct Queue {
    running: usize,
    waiting: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    next: u64,
    line: VecDeque<u64>,
}

/// A place at work; dropping it lets the next one in.
#[derive(Debug)]
pub(super) struct Place<'a>(&'a Queue);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.state().running -= 1;
        self.0.changed.notify_all();
    }
}

impl Queue {
    pub(super) fn new(running: usize, waiting: usize) -> Self {
        Self { running: running.max(1), waiting, state: Mutex::default(), changed: Condvar::new() }
    }

    // A panic of one call must not close the queue to the others: the state is
    // two numbers and a list, whole after each statement.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place. Tells `call` how many are before it.
    pub(super) fn enter(&self, call: &Call) -> Result<Place<'_>, RoomError> {
        self.enter_until(call, &|| call.is_cancelled())
    }

    /// The same, for one who does not wait longer than until `over`.
    pub(super) fn enter_until(
        &self,
        call: &Call,
        over: &dyn Fn() -> bool,
    ) -> Result<Place<'_>, RoomError> {
        let mut state = self.state();
        if state.running < self.running && state.line.is_empty() {
            state.running += 1;
            return Ok(Place(self));
        }
        if state.line.len() >= self.waiting {
            return Err(RoomError::Busy { running: state.running, waiting: state.line.len() });
        }
        let ticket = state.next;
        state.next += 1;
        state.line.push_back(ticket);
        loop {
            let before = state.line.iter().position(|t| *t == ticket).unwrap_or(0);
            if over() {
                state.line.remove(before);
                drop(state);
                self.changed.notify_all();
                return Err(RoomError::Cancelled);
            }
            if before == 0 && state.running < self.running {
                state.line.pop_front();
                state.running += 1;
                drop(state);
                self.changed.notify_all();
                return Ok(Place(self));
            }
            call.enter(format!("waiting for a free place: {before} before this call"));
            state =
                self.changed.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};

    use super::*;

    fn wait_for_line(queue: &Queue, length: usize) {
        while queue.state().line.len() != length {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn no_more_work_at_once_than_allowed_and_in_the_order_of_coming() {
        let queue = Arc::new(Queue::new(2, 64));
        let first = [queue.enter(&Call::new()).unwrap(), queue.enter(&Call::new()).unwrap()];
        let (sender, order) = mpsc::channel();
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut threads = Vec::new();
        for number in 0..14 {
            let (queue, sender) = (queue.clone(), sender.clone());
            let (now, most) = (now.clone(), most.clone());
            threads.push(std::thread::spawn({
                let queue = queue.clone();
                move || {
                    let _place = queue.enter(&Call::new()).unwrap();
                    sender.send(number).unwrap();
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(3));
                    now.fetch_sub(1, Ordering::SeqCst);
                }
            }));
            wait_for_line(&queue, number + 1);
        }
        // One place, so that the order in which they are let in can be seen.
        let [one, two] = first;
        drop(one);
        drop(two);
        threads.into_iter().for_each(|t| t.join().unwrap());
        let mut seen: Vec<_> = order.try_iter().collect();
        assert!(most.load(Ordering::SeqCst) <= 2);
        // Two at once may swap with each other, but nobody is overtaken by two.
        assert!(seen.iter().enumerate().all(|(i, n)| i.abs_diff(*n) <= 2), "{seen:?}");
        seen.sort_unstable();
        assert_eq!(seen, (0..14).collect::<Vec<_>>());
    }

    #[test]
    fn one_more_than_can_wait_is_refused_and_the_others_are_not() {
        let queue = Arc::new(Queue::new(1, 1));
        let place = queue.enter(&Call::new()).unwrap();
        let waiting = std::thread::spawn({
            let queue = queue.clone();
            move || queue.enter(&Call::new()).map(drop)
        });
        wait_for_line(&queue, 1);
        let error = queue.enter(&Call::new()).unwrap_err();
        assert!(matches!(error, RoomError::Busy { running: 1, waiting: 1 }), "{error}");
        drop(place);
        waiting.join().unwrap().unwrap();
        queue.enter(&Call::new()).unwrap();
    }

    #[test]
    fn one_who_waits_can_be_cancelled() {
        let queue = Arc::new(Queue::new(1, 4));
        let place = queue.enter(&Call::new()).unwrap();
        let call = Call::new();
        let waiting = std::thread::spawn({
            let (queue, call) = (queue.clone(), call.clone());
            move || queue.enter(&call).map(drop)
        });
        wait_for_line(&queue, 1);
        call.cancel();
        assert!(matches!(waiting.join().unwrap(), Err(RoomError::Cancelled)));
        assert_eq!(queue.state().line.len(), 0);
        drop(place);
        queue.enter(&Call::new()).unwrap();
    }
}
