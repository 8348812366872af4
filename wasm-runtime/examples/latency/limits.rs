//! How fast each limit ends a run.

use std::time::Instant;

use dataroom_sandbox::{Cancel, Ending, LimitName, Limits, Run, Sandbox};
use serde_json::{Map, Value, json};

use crate::{Discard, Result, expect, millis, or_error};

const MIB: u64 = 1 << 20;

struct Case {
    limit: LimitName,
    limits: Limits,
    code: &'static str,
}

/// From the begin of the run until it has returned, with each limit set low; of the
/// wall-clock limit, how long after it.
pub(crate) fn measure(sandbox: &Sandbox) -> Value {
    let mut figures = Map::new();
    for case in cases() {
        figures.insert(case.limit.setting().to_owned(), or_error(bite(sandbox, case)));
    }
    json!(figures)
}

fn bite(sandbox: &Sandbox, Case { limit, limits, code }: Case) -> Result<Value> {
    let wall = limits.wall();
    let begun = Instant::now();
    let run = Run { code: code.to_owned(), limits, ..Run::default() };
    let outcome = sandbox.run(run, &mut Discard, &Cancel::new());
    let taken = begun.elapsed();
    expect(&outcome, &Ending::Limit { limit }, code)?;
    let taken = match limit {
        LimitName::Wall => taken.checked_sub(wall).ok_or("stopped before the limit")?,
        _ => taken,
    };
    Ok(json!(millis(taken)))
}

fn cases() -> Vec<Case> {
    let limits = Limits::default;
    let case = |limit, limits, code| Case { limit, limits, code };
    vec![
        case(LimitName::Fuel, Limits { fuel: 1_000_000_000, ..limits() }, "while True: pass"),
        case(LimitName::Wall, Limits { wall_ms: 300, ..limits() }, "while True: pass"),
        case(LimitName::Memory, limits(), "x = [bytearray(10**9) for _ in range(10)]"),
        case(
            LimitName::Stdout,
            Limits { stdout_bytes: MIB, ..limits() },
            "print('x' * 100_000_000)",
        ),
        case(
            LimitName::Stderr,
            Limits { stderr_bytes: MIB, ..limits() },
            "import sys; sys.stderr.write('x' * 100_000_000)",
        ),
        case(LimitName::Result, limits(), "result = 'x' * 1_000_000"),
        case(
            LimitName::Outputs,
            Limits { outputs: 2, ..limits() },
            "for i in range(5): outputs[str(i)] = pd.DataFrame({'a': [i]})",
        ),
        case(
            LimitName::OutputRows,
            Limits { output_rows: 1_000, ..limits() },
            "outputs['t'] = pd.DataFrame({'a': np.arange(1_001)})",
        ),
        case(
            LimitName::OutputBytes,
            Limits { output_bytes: MIB, ..limits() },
            "outputs['t'] = pd.DataFrame({'a': np.arange(1_000_000)})",
        ),
        case(
            LimitName::ScratchBytes,
            Limits { scratch_bytes: MIB, ..limits() },
            "open('/tmp/x', 'wb').write(bytes(2_000_000))",
        ),
        case(
            LimitName::ScratchFiles,
            Limits { scratch_files: 100, ..limits() },
            "for i in range(1_000_000): open(f'/tmp/{i}', 'w').close()",
        ),
        case(
            LimitName::OpenFiles,
            Limits { open_files: 32, ..limits() },
            "f = [open(f'/tmp/{i}', 'w') for i in range(100)]",
        ),
        case(
            LimitName::HostCallBytes,
            Limits { host_call_bytes: MIB, ..limits() },
            "import _host; _host.call(bytes(2_000_000))",
        ),
        case(
            LimitName::HostCalls,
            Limits { host_calls: 100, ..limits() },
            "import _host\nfor i in range(1_000):\n    try: _host.call(b'{}')\n    except Exception: pass",
        ),
    ]
}
