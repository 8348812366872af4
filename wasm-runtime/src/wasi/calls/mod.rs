//! The imports of `wasi_snapshot_preview1`, one closure each.
//!
//! Addresses come from the guest: sums wrap, and every access is bounds-checked
//! after. Each closure turns addresses into slices and calls the descriptor table or a stream. Only
//! `poll_oneoff` waits, and it waits as a future, so that a sleeping guest can be
//! stopped.

mod descriptors;
mod folders;
mod paths;
mod polling;
mod process;
mod stat;
mod transfer;

use std::time::Duration;

use wasmtime::{Caller, Extern, Linker};

use super::Wasi;
use super::errno::{Errno, Result};
use super::memory::Memory;
use crate::limits::LimitName;

const MODULE: &str = "wasi_snapshot_preview1";

/// A store's data that has a [`Wasi`] in it.
pub(crate) trait WasiView: Send + 'static {
    fn wasi(&mut self) -> &mut Wasi;
    /// A limit was met that the guest must not survive.
    fn over(&mut self, limit: LimitName);
    /// The limit that [`WasiView::over`] was told of.
    fn over_limit(&self) -> Option<LimitName>;
    /// A future that is done after `duration`.
    fn sleep(&mut self, duration: Duration) -> impl Future<Output = ()> + Send + 'static;
}

/// The guest left by `proc_exit`.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the guest left with code {0}")]
pub(crate) struct ProcExit(pub(crate) i32);

/// A limit that ends the guest at once.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the guest met its limit {0:?}")]
pub(crate) struct OverLimit(pub(crate) LimitName);

/// Splits a store's data and the guest's memory, and turns errors into numbers. A
/// limit that ends the guest is a trap.
fn with<T: WasiView>(
    caller: &mut Caller<'_, T>,
    body: impl FnOnce(&mut Memory<'_>, &mut T) -> Result<()>,
) -> wasmtime::Result<i32> {
    let Some(Extern::Memory(memory)) = caller.get_export("memory") else {
        return Ok(i32::from(Errno::FAULT.0));
    };
    let (bytes, data) = memory.data_and_store_mut(caller);
    let answer = body(&mut Memory(bytes), data);
    if let Some(limit) = data.over_limit() {
        return Err(OverLimit(limit).into());
    }
    Ok(answer.map_or_else(|Errno(number)| i32::from(number), |()| 0))
}

/// Adds every import that the guest has.
pub(crate) fn add_to_linker<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    process::add(linker)?;
    descriptors::add(linker)?;
    transfer::add(linker)?;
    folders::add(linker)?;
    paths::add(linker)?;
    paths::add_refused(linker)?;
    polling::add(linker)
}
