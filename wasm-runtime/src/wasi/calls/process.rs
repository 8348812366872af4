//! Arguments, environment, clocks, randomness, the end.

use std::task::Poll;

use wasmtime::{Caller, Linker};

use super::super::errno::{Errno, Result};
use super::super::memory::Memory;
use super::super::{ARGUMENTS, ENVIRONMENT};
use super::{MODULE, ProcExit, WasiView, with};

fn strings(memory: &mut Memory<'_>, list: &[&str], pointers: u32, buffer: u32) -> Result<()> {
    let mut at = buffer;
    for (i, text) in list.iter().enumerate() {
        memory.write_u32(pointers.wrapping_add(4 * i as u32), at)?;
        memory.write(at, text.as_bytes())?;
        memory.write(at.wrapping_add(text.len() as u32), &[0])?;
        at = at.wrapping_add(text.len() as u32 + 1);
    }
    Ok(())
}

fn sizes(memory: &mut Memory<'_>, list: &[&str], count: u32, size: u32) -> Result<()> {
    let bytes: usize = list.iter().map(|text| text.len() + 1).sum();
    memory.write_u32(count, list.len() as u32)?;
    memory.write_u32(size, bytes as u32)
}

pub(super) fn add<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.func_wrap(MODULE, "args_get", |mut c: Caller<'_, T>, a: u32, b: u32| {
        with(&mut c, |memory, _| strings(memory, ARGUMENTS, a, b))
    })?;
    linker.func_wrap(MODULE, "args_sizes_get", |mut c: Caller<'_, T>, a: u32, b: u32| {
        with(&mut c, |memory, _| sizes(memory, ARGUMENTS, a, b))
    })?;
    linker.func_wrap(MODULE, "environ_get", |mut c: Caller<'_, T>, a: u32, b: u32| {
        with(&mut c, |memory, _| strings(memory, ENVIRONMENT, a, b))
    })?;
    linker.func_wrap(MODULE, "environ_sizes_get", |mut c: Caller<'_, T>, a: u32, b: u32| {
        with(&mut c, |memory, _| sizes(memory, ENVIRONMENT, a, b))
    })?;
    linker.func_wrap(MODULE, "clock_res_get", |mut c: Caller<'_, T>, id: u32, out: u32| {
        with(&mut c, |memory, _| if id > 3 { Err(Errno::INVAL) } else { memory.write_u64(out, 1) })
    })?;
    linker.func_wrap(
        MODULE,
        "clock_time_get",
        |mut c: Caller<'_, T>, id: u32, _precision: u64, out: u32| {
            let left = c.get_fuel()?;
            with(&mut c, |memory, data| {
                let now = match id {
                    0 => data.wasi().clock.realtime(left),
                    1..=3 => data.wasi().clock.monotonic(left),
                    _ => return Err(Errno::INVAL),
                };
                memory.write_u64(out, now)
            })
        },
    )?;
    linker.func_wrap(MODULE, "random_get", |mut c: Caller<'_, T>, buffer: u32, length: u32| {
        with(&mut c, |memory, data| {
            data.wasi().random.fill(memory.slice_mut(buffer, length)?);
            Ok(())
        })
    })?;
    linker.func_wrap(MODULE, "proc_exit", |code: i32| -> wasmtime::Result<()> {
        Err(wasmtime::Error::from(ProcExit(code)))
    })?;
    // Also called between the parts of a large copy, for the driver to look at the clock.
    linker.func_wrap_async(MODULE, "sched_yield", |_: Caller<'_, T>, (): ()| {
        let mut polled = false;
        Box::new(std::future::poll_fn(move |_| {
            if std::mem::replace(&mut polled, true) { Poll::Ready(0i32) } else { Poll::Pending }
        }))
    })?;
    Ok(())
}
