//! Waiting.

use std::time::Duration;

use wasmtime::{Caller, Linker};

use super::super::Wasi;
use super::super::errno::{Errno, Result};
use super::super::memory::Memory;
use super::{MODULE, WasiView, with};

/// What `poll_oneoff` waits for: ready descriptors at once, else the first clock.
struct Poll {
    ready: Vec<(u64, u8)>,
    clock: Option<(u64, Duration)>,
}

fn read_subscriptions(
    memory: &Memory<'_>,
    wasi: &Wasi,
    left: u64,
    (at, count): (u32, u32),
) -> Result<Poll> {
    if count == 0 || count > 1024 {
        return Err(Errno::INVAL);
    }
    let mut poll = Poll { ready: Vec::new(), clock: None };
    for i in 0..count {
        let base = at.checked_add(i * 48).ok_or(Errno::FAULT)?;
        let record = memory.slice(base, 48)?;
        let (user, tag) = (memory.u64(base)?, record[8]);
        if tag != 0 {
            poll.ready.push((user, tag));
            continue;
        }
        let (clock, timeout) =
            (memory.u32(base.wrapping_add(16))?, memory.u64(base.wrapping_add(24))?);
        let absolute = memory.u16(base.wrapping_add(40))? & 1 != 0;
        let now = match clock {
            0 => wasi.clock.realtime(left),
            _ => wasi.clock.monotonic(left),
        };
        let wait = if absolute { timeout.saturating_sub(now) } else { timeout };
        let wait = Duration::from_nanos(wait);
        if poll.clock.is_none_or(|(_, first)| wait < first) {
            poll.clock = Some((user, wait));
        }
    }
    Ok(poll)
}

pub(super) fn add<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap_async(
        MODULE,
        "poll_oneoff",
        |mut caller: Caller<'_, T>, (subscriptions, events, count, out): (u32, u32, u32, u32)| {
            Box::new(async move {
                let mut poll = Poll { ready: Vec::new(), clock: None };
                let left = caller.get_fuel()?;
                let status = with(&mut caller, |memory, data| {
                    poll = read_subscriptions(memory, data.wasi(), left, (subscriptions, count))?;
                    Ok(())
                });
                if !matches!(status, Ok(0)) {
                    return status;
                }
                if poll.ready.is_empty()
                    && let Some((user, wait)) = poll.clock
                {
                    let sleep = caller.data_mut().sleep(wait);
                    sleep.await;
                    caller.data_mut().wasi().clock.slept(wait);
                    poll.ready.push((user, 0));
                }
                with(&mut caller, |memory, _| {
                    for (i, (user, tag)) in poll.ready.iter().enumerate() {
                        let mut event = [0u8; 32];
                        event[0..8].copy_from_slice(&user.to_le_bytes());
                        event[10] = *tag;
                        memory.write(events.wrapping_add(32 * i as u32), &event)?;
                    }
                    memory.write_u32(out, poll.ready.len() as u32)
                })
            })
        },
    )?;
    Ok(())
}
