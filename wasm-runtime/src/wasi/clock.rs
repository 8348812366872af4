//! What time it is for the guest.
//!
//! A script may put the time into its result, or decide by it, so a clock that cannot
//! be set back would make every run its own. Unless a host wants real time, a guest's
//! time is therefore a function of the run: it begins where [`Clock::Own`] says and
//! goes on with the fuel that the guest burns, which is the same on every machine, and
//! with the sleeps that it asks for. The monotonic clocks are that same time counted
//! from the begin: `perf_counter` differences reach results as easily as dates do.
//! What the host works meanwhile (decoding an input) takes no time in here.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::run::Clock;

/// About what a processor burns in a nanosecond, so that times look like times.
const FUEL_PER_NANOSECOND: u64 = 10;

/// See the module.
#[derive(Debug)]
pub(crate) struct GuestClock {
    /// Nanoseconds since 1970 at the start of the run.
    epoch: u64,
    passing: Passing,
}

#[derive(Debug)]
enum Passing {
    Real { since: Instant },
    Own { fuel: u64, slept: u64 },
}

impl GuestClock {
    /// A clock for a guest that begins with `fuel`.
    pub(crate) fn new(clock: Clock, fuel: u64) -> Self {
        let (start, passing) = match clock {
            Clock::Real => (SystemTime::now(), Passing::Real { since: Instant::now() }),
            Clock::Own { start } => (start, Passing::Own { fuel, slept: 0 }),
        };
        let since = start.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Self { epoch: nanoseconds(since), passing }
    }

    /// Nanoseconds since the start of the run, for a guest that has `left` fuel.
    pub(crate) fn monotonic(&self, left: u64) -> u64 {
        match self.passing {
            Passing::Real { since } => nanoseconds(since.elapsed()),
            Passing::Own { fuel, slept } => {
                (fuel.saturating_sub(left) / FUEL_PER_NANOSECOND).saturating_add(slept)
            }
        }
    }

    /// Nanoseconds since 1970.
    pub(crate) fn realtime(&self, left: u64) -> u64 {
        self.epoch.saturating_add(self.monotonic(left))
    }

    /// The guest has slept for as long as it had asked to.
    pub(crate) fn slept(&mut self, time: Duration) {
        if let Passing::Own { slept, .. } = &mut self.passing {
            *slept = slept.saturating_add(nanoseconds(time));
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_time_goes_on_by_fuel_and_sleep_and_by_nothing_else() {
        let start = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let mut clock = GuestClock::new(Clock::Own { start }, 1_000);
        assert_eq!(
            (clock.monotonic(1_000), clock.realtime(1_000)),
            (0, 1_700_000_000 * 10_u64.pow(9))
        );
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!((clock.monotonic(1_000), clock.monotonic(500)), (0, 50));
        clock.slept(Duration::from_secs(2));
        assert_eq!(clock.monotonic(500), 2_000_000_050);
        clock.slept(Duration::MAX);
        assert_eq!(clock.realtime(0), u64::MAX);
    }

    #[test]
    fn real_time_goes_on_by_itself() {
        let clock = GuestClock::new(Clock::Real, 1_000);
        std::thread::sleep(Duration::from_millis(2));
        assert!(clock.monotonic(1_000) >= 2_000_000);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        assert!(nanoseconds(now).abs_diff(clock.realtime(0)) < 10_u64.pow(10));
    }
}
