//! The start image: an interpreter that has imported everything, ready compiled.
//!
//! Importing numpy, pandas, scipy, scikit-learn, statsmodels and matplotlib takes
//! seconds; no run should pay for it. So it is done once: the module is patched
//! ([`patch`]), instrumented, compiled fast, run up to the end of the imports, its
//! memory and globals are written back into the module ([`snapshot`]), and that is
//! compiled well. A run then instantiates the result, copy-on-write, in under a
//! millisecond.
//!
//! An image is named by everything that it depends on ([`file_name`]), so a stale
//! one cannot be loaded.

mod build;
pub mod patch;
mod snapshot;

pub use build::{BuildError, Progress, Step, build};

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use crate::engine::{self, Purpose};
use crate::mounts::PACKAGE;
use crate::packages::Key;
use crate::wasi::{ARGUMENTS, ENVIRONMENT};

/// SHA-256 of the runtime's `python.wasm`.
pub const PYTHON_WASM_SHA256: &str =
    "d41926055c3f869715202092a1b8d070ff9ffcd2c82d0dd368786e79f2200f9a";
/// SHA-256 of the runtime's `python-stdlib.zip`.
pub const STDLIB_ZIP_SHA256: &str =
    "a7b8f7cbd4799ac8c81223cbc47f8cea503adac934a04826778b66e5a5e9b847";

/// Raise it when an image must be made anew for a reason that its name cannot see.
const FORMAT: u32 = 3;

/// The source that the snapshot has run.
pub(crate) const PRELOAD: &str = include_str!("../../../python-stdlib/preload.py");

/// The image's file name: a hash of the runtime, its patch, the packages, our guest package, the
/// engine's version and settings, and this processor's features. On a machine that
/// wasmtime does not compile for it is a name that no image has; making or opening one
/// says why.
#[must_use]
pub fn file_name(packages: &Key) -> String {
    static COMPATIBLE: OnceLock<Option<u64>> = OnceLock::new();
    let compatible =
        COMPATIBLE.get_or_init(|| engine::engine(Purpose::Run).ok().map(|e| compatibility(&e)));
    match compatible {
        Some(compatible) => name(*compatible, packages),
        None => "start-unsupported.cwasm".to_owned(),
    }
}

pub(crate) fn name_for(engine: &wasmtime::Engine, packages: &Key) -> String {
    name(compatibility(engine), packages)
}

fn compatibility(engine: &wasmtime::Engine) -> u64 {
    let mut hasher = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut hasher);
    hasher.finish()
}

fn name(compatible: u64, packages: &Key) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("dataroom 2026 start image");
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    part(&FORMAT.to_le_bytes());
    part(PYTHON_WASM_SHA256.as_bytes());
    part(STDLIB_ZIP_SHA256.as_bytes());
    part(packages.as_str().as_bytes());
    part(&compatible.to_le_bytes());
    part(PRELOAD.as_bytes());
    for text in patch::SOURCES {
        part(text.as_bytes());
    }
    for (name, text) in PACKAGE {
        part(name.as_bytes());
        part(text.as_bytes());
    }
    for text in ARGUMENTS.iter().chain(ENVIRONMENT) {
        part(text.as_bytes());
    }
    format!("start-{}.cwasm", &hasher.finalize().to_hex()[..32])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_packages_are_another_image() {
        let other = Key::with(&["a".repeat(64)]);
        assert_ne!(file_name(&Key::locked()), file_name(&other));
        assert_eq!(file_name(&other), file_name(&other));
    }
}
