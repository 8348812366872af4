//! The one engine configuration, for making the start image and for running it.
//!
//! What is off matters as much as what is on: Cranelift only, core modules only,
//! no threads, no 64-bit memory, no garbage-collected types (exceptions need the
//! collector's runtime, not its proposal; several advisories of 2026 were in the
//! proposal). Fuel is the only metering: the guest yields to its driver every
//! [`YIELD_FUEL`], where deadline and cancellation are looked at.

use wasmtime::{Config, Engine, OptLevel, Strategy};

/// Fuel between two looks at the deadline and the cancel flag: about a millisecond.
pub(crate) const YIELD_FUEL: u64 = 10_000_000;

/// The guest's call stack. CPython's own recursion limit is met first; C
/// extensions that recurse end with [`crate::LimitName::Stack`].
const WASM_STACK: usize = 8 << 20;
const ASYNC_STACK: usize = 16 << 20;

/// Which compilation an engine is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Runs once, to make the snapshot: compile fast.
    Snapshot,
    /// Runs for ever after: compile well.
    Run,
}

/// Makes an engine.
///
/// # Errors
/// The processor or system is not one that wasmtime compiles for.
pub(crate) fn engine(purpose: Purpose) -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config
        .strategy(Strategy::Cranelift)
        .cranelift_opt_level(match purpose {
            Purpose::Snapshot => OptLevel::None,
            Purpose::Run => OptLevel::Speed,
        })
        .consume_fuel(true)
        .max_wasm_stack(WASM_STACK)
        .async_stack_size(ASYNC_STACK)
        .wasm_exceptions(true)
        .wasm_gc(false)
        .wasm_memory64(false)
        .wasm_multi_memory(false)
        .wasm_tail_call(false)
        // Names and offsets of 75 MB of code, of use only in a wasm backtrace.
        .generate_address_map(false)
        .wasm_backtrace_max_frames(None)
        // NaN bits would otherwise differ between processors.
        .cranelift_nan_canonicalization(false)
        .memory_init_cow(true)
        // The snapshot's memory is one dense image even where a page is zero.
        .memory_guaranteed_dense_image_size(1 << 30);
    Engine::new(&config)
}
