//! The one engine configuration, for making the start image and for running it.
//!
//! What is off matters as much as what is on: Cranelift only, core modules only,
//! no threads, no 64-bit memory, no garbage-collected types (exceptions need the
//! collector's runtime, not its proposal; several advisories of 2026 were in the
//! proposal). Fuel is the only metering: the guest yields to its driver every
//! [`YIELD_FUEL`], where deadline and cancellation are looked at.

use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, OptLevel, PoolingAllocationConfig,
    Strategy,
};

/// Fuel between two looks at the deadline and the cancel flag: about a millisecond.
pub(crate) const YIELD_FUEL: u64 = 10_000_000;

/// The guest's call stack. CPython's own recursion limit is met first; C
/// extensions that recurse end with [`crate::LimitName::Stack`].
const WASM_STACK: usize = 8 << 20;
const ASYNC_STACK: usize = 16 << 20;

/// Guests that can be alive at the same time in one process.
pub(crate) const MOST_GUESTS: u32 = 128;

/// Bytes of a finished guest's memory that are put back to the image by copying, with
/// their pages kept for the next guest.
///
/// A run of nothing writes to some 400 pages of the image; as copy-on-write faults
/// they would be two thirds of its time. The kernel says which pages were written
/// (`PAGEMAP_SCAN`, Linux 6.7), those are copied back from the image, the rest above
/// this many bytes is given back to the system. Elsewhere all of it is given back.
const KEEP_RESIDENT: usize = 16 << 20;

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
        // A NaN's sign and payload are then those of the processor's family. An image is
        // for one family, and making them alike would put a comparison behind every
        // operation on floats.
        .cranelift_nan_canonicalization(false)
        .memory_init_cow(true)
        // The snapshot's memory is one dense image even where a page is zero.
        .memory_guaranteed_dense_image_size(1 << 30);
    if purpose == Purpose::Run {
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool()));
        // A pool reserves address space for all guests at once. Where that is
        // rationed, each guest gets its own when it starts.
        if let Ok(engine) = Engine::new(&config) {
            return Ok(engine);
        }
        config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
    }
    Engine::new(&config)
}

fn pool() -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_core_instances(MOST_GUESTS)
        .total_memories(MOST_GUESTS)
        .total_tables(MOST_GUESTS * 2)
        // A guest has one stack, and one more while the host allocates in it.
        .total_stacks(MOST_GUESTS * 2)
        .total_gc_heaps(MOST_GUESTS)
        .max_core_instance_size(16 << 20)
        .max_tables_per_module(4)
        .table_elements(1 << 18)
        .max_memory_size(1 << 32)
        .linear_memory_keep_resident(KEEP_RESIDENT)
        .table_keep_resident(1 << 20)
        .max_unused_warm_slots(16)
        .pagemap_scan(Enabled::Auto);
    pool
}
