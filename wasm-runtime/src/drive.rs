//! Driving a guest on the calling thread.
//!
//! The guest runs as a future that yields every [`YIELD_FUEL`], when it sleeps,
//! and when it has a table for the sink. Between two polls the driver looks at the
//! deadline and the cancel flag; to stop a guest is to drop its future. So one
//! mechanism, fuel, serves as instruction limit, deadline and cancellation, and no
//! runtime and no signal is needed.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use wasmtime::{Caller, Engine, Extern, Instance, Linker, Store};

use crate::bridge;
use crate::engine::YIELD_FUEL;
use crate::guest::{Guest, Halt};
use crate::run::OutputSink;
use crate::wasi;

/// The longest that a stop can go unnoticed while the guest sleeps.
const NAP: Duration = Duration::from_millis(5);

/// Why a guest did not come to its end.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// The driver stopped it.
    Halted(Halt),
    /// It trapped, left, or a host function failed.
    Failed(wasmtime::Error),
}

/// Everything that the guest imports.
pub(crate) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    wasi::add_to_linker(linker)?;
    linker.func_wrap_async(
        "host",
        "call",
        |caller: Caller<'_, Guest>, (message, length, out, out_length): (u32, u32, u32, u32)| {
            Box::new(host_call(caller, (message, length), (out, out_length)))
        },
    )?;
    Ok(())
}

const FAULT: i32 = -2;

/// `host.call`: a message in, a reply in memory that the guest allocates.
async fn host_call(
    mut caller: Caller<'_, Guest>,
    (message, length): (u32, u32),
    (out, out_length): (u32, u32),
) -> wasmtime::Result<i32> {
    let Some(Extern::Memory(memory)) = caller.get_export("memory") else { return Ok(FAULT) };
    let start = message as usize;
    let Some(text) = memory.data(&caller).get(start..start + length as usize) else {
        return Ok(FAULT);
    };
    let limit = caller.data().limits.host_call_bytes;
    let text = if u64::from(length) > limit { None } else { Some(text.to_vec()) };
    let reply = bridge::answer(&mut caller, &memory, text.as_deref()).await?;
    let Some(Extern::Func(allocate)) = caller.get_export("host_alloc") else { return Ok(FAULT) };
    let allocate = allocate.typed::<u32, u32>(&caller)?;
    let Ok(size) = u32::try_from(reply.len()) else { return Ok(FAULT) };
    let address = allocate.call_async(&mut caller, size).await?;
    let mut memory = wasi::memory::Memory(memory.data_mut(&mut caller));
    let written = memory
        .write(address, &reply)
        .and_then(|()| memory.write_u32(out, address))
        .and_then(|()| memory.write_u32(out_length, size));
    Ok(if address != 0 && written.is_ok() { 0 } else { FAULT })
}

/// A store with the guest's limits in force.
pub(crate) fn store(engine: &Engine, guest: Guest) -> wasmtime::Result<Store<Guest>> {
    let fuel = guest.limits.fuel;
    let mut store = Store::new(engine, guest);
    store.limiter(|guest| guest);
    store.set_fuel(fuel)?;
    store.fuel_async_yield_interval(Some(YIELD_FUEL))?;
    Ok(store)
}

/// Executes `source` in the guest's `__main__`; 0 if it came to its end.
pub(crate) async fn turn(
    store: &mut Store<Guest>,
    instance: &Instance,
    source: &str,
) -> wasmtime::Result<i32> {
    let allocate = instance.get_typed_func::<u32, u32>(&mut *store, "host_alloc")?;
    let turn = instance.get_typed_func::<(u32, u32), i32>(&mut *store, "turn")?;
    let memory = instance.get_memory(&mut *store, "memory");
    let memory = memory.ok_or_else(|| wasmtime::Error::msg("the guest exports no memory"))?;
    let length = u32::try_from(source.len())?;
    let address = allocate.call_async(&mut *store, length).await?;
    memory.write(&mut *store, address as usize, source.as_bytes())?;
    turn.call_async(&mut *store, (address, length)).await
}

/// Polls `begun` on this thread until it ends or must be stopped.
pub(crate) fn drive<T>(
    store: &mut Store<Guest>,
    sink: &mut dyn OutputSink,
    begun: impl AsyncFnOnce(&mut Store<Guest>) -> wasmtime::Result<T>,
) -> Result<T, Stopped> {
    let stop = store.data().stop.clone();
    let mailbox = store.data().mailbox();
    let exchange = store.data().session.exchange();
    let mut future = pin!(begun(store));
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Some(halt) = stop.reason() {
            return Err(Stopped::Halted(halt));
        }
        match future.as_mut().poll(&mut context) {
            Poll::Ready(ended) => return ended.map_err(Stopped::Failed),
            Poll::Pending => {
                exchange.serve(sink, &stop);
                if let Some(until) = mailbox.sleeping_until() {
                    let left = until.saturating_duration_since(Instant::now());
                    std::thread::sleep(left.min(NAP));
                }
            }
        }
    }
}

/// The value of a future that never waits.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}
