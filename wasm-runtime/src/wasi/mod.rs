//! WASI preview 1, as much of it as the guest imports, over nothing of the host.
//!
//! wasmtime's own WASI resolves guest paths on the host's file system, and six
//! advisories of 2026 got through there (trailing slashes, renames, hard links,
//! truncation of read-only files, drive letters, stale bytes in directory
//! listings). A data room needs none of that: its folders are made of a handful of
//! read-only files that are already open and of scratch files in memory. So a path
//! here is looked up in a tree that we own ([`tree`]), and no system call ever
//! takes a string from the guest. Quotas on bytes, files and descriptors are exact
//! because each write passes through [`files`].
//!
//! There are no links of any kind, so nothing can lead out of the tree.

mod calls;
pub(crate) mod clock;
mod content;
pub(crate) mod errno;
pub(crate) mod files;
pub(crate) mod memory;
mod nodes;
mod quota;
pub(crate) mod streams;
pub(crate) mod tree;

pub(crate) use calls::{OverLimit, ProcExit, WasiView, add_to_linker};

use clock::GuestClock;
use files::Files;
use streams::Stream;

/// The state behind one guest's WASI imports.
#[derive(Debug)]
pub(crate) struct Wasi {
    pub(crate) files: Files,
    pub(crate) stdout: Stream,
    pub(crate) stderr: Stream,
    random: blake3::OutputReader,
    clock: GuestClock,
}

/// What the guest finds in its environment.
pub(crate) const ENVIRONMENT: &[&str] =
    &["TMPDIR=/tmp", "HOME=/tmp", "PYTHONTZPATH=", "PYTHONHASHSEED=0", "MPLBACKEND=agg", "TZ=UTC"];
/// The guest's `argv`.
pub(crate) const ARGUMENTS: &[&str] = &["/usr/local/bin/python.wasm"];

impl Wasi {
    pub(crate) fn new(
        files: Files,
        stdout: Stream,
        stderr: Stream,
        seed: u64,
        clock: GuestClock,
    ) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("dataroom 2026 guest randomness");
        hasher.update(&seed.to_le_bytes());
        Self { files, stdout, stderr, random: hasher.finalize_xof(), clock }
    }
}
