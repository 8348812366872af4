//! Independent pieces of work, on two threads.

use std::sync::{Mutex, PoisonError};

/// Does all tasks, on this thread and, if that is `worth` it, on another; what they gave,
/// in the tasks' order.
pub(crate) fn side_by_side<T: Send, F: FnOnce() -> T + Send>(tasks: Vec<F>, worth: bool) -> Vec<T> {
    if !worth || tasks.len() < 2 {
        return tasks.into_iter().map(|task| task()).collect();
    }
    let mut given: Vec<Option<T>> = tasks.iter().map(|_| None).collect();
    let queue = Mutex::new(tasks.into_iter().zip(&mut given));
    let work = || {
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((task, place)) = next else { return };
            *place = Some(task());
        }
    };
    std::thread::scope(|scope| {
        // If there is no other thread to be had, this one does all of them.
        let other = std::thread::Builder::new().name("side-by-side".to_owned());
        drop(other.spawn_scoped(scope, work));
        work();
    });
    drop(queue);
    given.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_done_and_comes_in_order() {
        for worth in [false, true] {
            let tasks: Vec<_> = (0..1_000).map(|n| move || n * 2).collect();
            let wanted: Vec<i32> = (0..1_000).map(|n| n * 2).collect();
            assert_eq!(side_by_side(tasks, worth), wanted);
        }
    }
}
