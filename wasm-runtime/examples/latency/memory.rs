//! Resident memory, as Linux counts it.
//!
//! RSS counts a page once for each mapping of it: the start image's pages that two
//! runs merely read count twice. PSS counts each physical page once, so it is what
//! a further run costs the machine. Both are given.

use std::time::Duration;

use dataroom_sandbox::{Cancel, Ending, Limits, Sandbox};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{Result, answer, expect, run};

/// Numbers of `/proc/self/smaps_rollup`, in KiB.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct Resident {
    /// Pages in memory, once for each mapping.
    pub rss: i64,
    /// Pages in memory, each once.
    pub pss: i64,
    /// Pages that nobody else maps.
    pub private: i64,
    /// Pages without a file behind them.
    pub anonymous: i64,
}

impl Resident {
    pub(crate) fn now() -> Result<Self> {
        let text = std::fs::read_to_string("/proc/self/smaps_rollup")?;
        let of = |key: &str| -> i64 {
            text.lines()
                .filter_map(|line| {
                    line.strip_prefix(key)?.split_whitespace().next()?.parse::<i64>().ok()
                })
                .sum()
        };
        Ok(Self {
            rss: of("Rss:"),
            pss: of("Pss:"),
            private: of("Private_Clean:") + of("Private_Dirty:"),
            anonymous: of("Anonymous:"),
        })
    }

    fn per_run(self, before: Self, runs: i64) -> Self {
        Self {
            rss: (self.rss - before.rss) / runs,
            pss: (self.pss - before.pss) / runs,
            private: (self.private - before.private) / runs,
            anonymous: (self.anonymous - before.anonymous) / runs,
        }
    }
}

/// Files that this process has open.
pub(crate) fn open_files() -> Result<usize> {
    Ok(std::fs::read_dir("/proc/self/fd")?.count())
}

/// Page faults of this process that needed no disk: most of what a fresh run costs.
pub(crate) fn page_faults() -> Result<u64> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    // After the name, which is in brackets and may hold spaces: the tenth of all.
    let after = text.rsplit(')').next().unwrap_or_default();
    Ok(after.split_whitespace().nth(7).ok_or("no page faults in /proc/self/stat")?.parse()?)
}

const IDLE: &str = "import time; time.sleep(600)";
const AFTER_WORK: &str = "df = pd.DataFrame({'k': np.arange(10_000) % 7, 'v': np.ones(10_000)})\n\
     df = df.merge(df.groupby('k')['v'].mean().reset_index(), on='k').sort_values('k')\n\
     import time; time.sleep(600)";

/// Memory of the open sandbox, and of runs that wait.
pub(crate) fn measure(sandbox: &Sandbox) -> Result<Value> {
    let opened = Resident::now()?;
    answer(sandbox, "1+1")?;
    let idle = Resident::now()?;
    Ok(json!({
        "unit": "KiB", "opened": opened, "idle": idle,
        "per_idle_run": waiting(sandbox, IDLE)?,
        "per_run_after_work": waiting(sandbox, AFTER_WORK)?,
    }))
}

/// What each of 16 further runs adds to one that waits.
fn waiting(sandbox: &Sandbox, code: &str) -> Result<Resident> {
    const FURTHER: i64 = 16;
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let start = || {
            scope.spawn(|| {
                run(sandbox, code, Limits { wall_ms: 600_000, ..Limits::default() }, &cancel)
            })
        };
        let mut threads = vec![start()];
        let measured = settled().and_then(|before| {
            threads.extend((0..FURTHER).map(|_| start()));
            Ok(settled()?.per_run(before, FURTHER))
        });
        cancel.cancel();
        for thread in threads {
            let outcome = thread.join().map_err(|_| "a thread panicked")?;
            expect(&outcome, &Ending::Cancelled, code)?;
        }
        measured
    })
}

/// Memory once it has stopped growing: the runs are asleep.
fn settled() -> Result<Resident> {
    let mut last = Resident::default();
    for _ in 0..100 {
        std::thread::sleep(Duration::from_millis(300));
        let now = Resident::now()?;
        if now.rss == last.rss {
            return Ok(now);
        }
        last = now;
    }
    Err("the runs did not come to rest".into())
}
