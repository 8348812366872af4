//! What one run may use.
//!
//! Every limit has a default, a setting and a [`LimitName`]; a run that meets
//! one ends with that name, and the next run on the same sandbox works.

use std::time::Duration;

use serde::{Deserialize, Serialize};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// The limits of one run. Start from [`Limits::default`] and change what you need.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Instructions, in wasmtime fuel units (about 10 billion a second).
    pub fuel: u64,
    /// Wall-clock time, host work included, in milliseconds.
    pub wall_ms: u64,
    /// Linear memory of the guest, in bytes; at most 4 GiB.
    pub memory_bytes: u64,
    /// Bytes that the script may print to stdout before the run is ended.
    pub stdout_bytes: u64,
    /// Bytes that the script may print to stderr before the run is ended.
    pub stderr_bytes: u64,
    /// Bytes of `result` as JSON.
    pub result_bytes: u64,
    /// Number of output tables.
    pub outputs: u32,
    /// Rows of one output table.
    pub output_rows: u64,
    /// Columns of one output table.
    pub output_columns: u64,
    /// Rows times columns of one output table: nulls take no bytes here, but where a
    /// table is exported to.
    pub output_cells: u64,
    /// Bytes of all output tables together, as Arrow buffers.
    pub output_bytes: u64,
    /// Bytes in the scratch folders, which live in host memory.
    pub scratch_bytes: u64,
    /// Files and folders in the scratch folders.
    pub scratch_files: u32,
    /// Files that are taken from the scratch folders at the end; more are left there,
    /// with a warning.
    pub files: u32,
    /// Files open at the same time.
    pub open_files: u32,
    /// Bytes of one message from the guest to the host.
    pub host_call_bytes: u64,
    /// Messages from the guest to the host.
    pub host_calls: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            fuel: 600_000_000_000,
            wall_ms: 60_000,
            memory_bytes: 2 * GIB,
            stdout_bytes: 16 * MIB,
            stderr_bytes: 16 * MIB,
            result_bytes: 64 * 1024,
            outputs: 32,
            output_rows: 100_000_000,
            output_columns: 20_000,
            output_cells: 1_000_000_000,
            output_bytes: GIB,
            scratch_bytes: 256 * MIB,
            scratch_files: 10_000,
            files: 32,
            open_files: 256,
            host_call_bytes: 16 * MIB,
            host_calls: 100_000,
        }
    }
}

impl Limits {
    /// The wall-clock limit as a duration.
    #[must_use]
    pub fn wall(&self) -> Duration {
        Duration::from_millis(self.wall_ms)
    }
}

/// The name under which a limit ends a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitName {
    /// [`Limits::fuel`].
    Fuel,
    /// [`Limits::wall_ms`].
    Wall,
    /// [`Limits::memory_bytes`].
    Memory,
    /// The call stack (fixed when the engine is made).
    Stack,
    /// [`Limits::stdout_bytes`].
    Stdout,
    /// [`Limits::stderr_bytes`].
    Stderr,
    /// [`Limits::result_bytes`].
    Result,
    /// [`Limits::outputs`].
    Outputs,
    /// [`Limits::output_rows`].
    OutputRows,
    /// [`Limits::output_columns`].
    OutputColumns,
    /// [`Limits::output_cells`].
    OutputCells,
    /// [`Limits::output_bytes`].
    OutputBytes,
    /// [`Limits::scratch_bytes`].
    ScratchBytes,
    /// [`Limits::scratch_files`].
    ScratchFiles,
    /// [`Limits::open_files`].
    OpenFiles,
    /// [`Limits::host_call_bytes`].
    HostCallBytes,
    /// [`Limits::host_calls`].
    HostCalls,
}

impl LimitName {
    /// The name of the setting in [`Limits`].
    #[must_use]
    pub fn setting(self) -> &'static str {
        match self {
            Self::Fuel => "fuel",
            Self::Wall => "wall_ms",
            Self::Memory => "memory_bytes",
            Self::Stack => "stack",
            Self::Stdout => "stdout_bytes",
            Self::Stderr => "stderr_bytes",
            Self::Result => "result_bytes",
            Self::Outputs => "outputs",
            Self::OutputRows => "output_rows",
            Self::OutputColumns => "output_columns",
            Self::OutputCells => "output_cells",
            Self::OutputBytes => "output_bytes",
            Self::ScratchBytes => "scratch_bytes",
            Self::ScratchFiles => "scratch_files",
            Self::OpenFiles => "open_files",
            Self::HostCallBytes => "host_call_bytes",
            Self::HostCalls => "host_calls",
        }
    }
}
