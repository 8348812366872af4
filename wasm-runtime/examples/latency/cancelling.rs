//! How fast a cancelled run is gone.

use std::time::{Duration, Instant};

use dataroom_sandbox::{Cancel, Ending, Limits, Sandbox};
use serde_json::{Map, Value, json};

use crate::{Result, expect, or_error, run, spread};

/// Each is inside one call into C when it is cancelled, but for the first.
const SCRIPTS: &[(&str, &str)] = &[
    ("python loop", "while True: pass"),
    ("numpy matmul", "a = np.ones((3000, 3000)); a @ a"),
    ("numpy sort", "a = np.random.rand(30_000_000)\nwhile True: np.sort(a)"),
    ("sleep", "import time; time.sleep(10**6)"),
    ("regex", "import re; re.match('(a+)+$', 'a' * 60 + 'b')"),
    ("big integer", "9**9**9"),
    ("allocation", "while True: bytearray(500_000_000)"),
    ("copy of 800 MB", "a = np.ones(100_000_000)\nwhile True: a.copy()"),
    ("print", "while True: print('x' * 1000)"),
];

/// From `cancel()` until `run` has returned, for each script.
pub(crate) fn measure(sandbox: &Sandbox, repetitions: usize) -> Value {
    let mut figures = Map::new();
    for (name, code) in SCRIPTS {
        let times = (0..repetitions).map(|repetition| once(sandbox, code, repetition));
        let times = times.collect::<Result<_>>().map(spread);
        figures.insert((*name).to_owned(), or_error(times));
    }
    json!(figures)
}

fn once(sandbox: &Sandbox, code: &str, repetition: usize) -> Result<Duration> {
    let cancel = Cancel::new();
    let limits = Limits {
        fuel: u64::MAX / 2,
        wall_ms: 600_000,
        stdout_bytes: u64::MAX,
        ..Limits::default()
    };
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| run(sandbox, code, limits, &cancel));
        // Well into it, and not always at the same place.
        std::thread::sleep(Duration::from_millis(400 + 37 * repetition as u64));
        let begun = Instant::now();
        cancel.cancel();
        let outcome = thread.join().map_err(|_| "a thread panicked")?;
        let taken = begun.elapsed();
        expect(&outcome, &Ending::Cancelled, code)?;
        Ok(taken)
    })
}
