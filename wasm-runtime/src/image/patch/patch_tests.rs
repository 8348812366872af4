#![allow(clippy::disallowed_methods, reason = "a test lists the sources beside it")]

use wasm_encoder::{MemorySection, MemoryType};

use super::*;

/// The memory of a module that a test makes.
pub(super) fn memory(pages: u64) -> MemorySection {
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: pages,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    memories
}

#[test]
fn every_source_of_the_patch_is_in_the_images_name() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/image/patch");
    let files = std::fs::read_dir(folder).unwrap().filter(|file| {
        let name = file.as_ref().unwrap().file_name();
        !name.to_string_lossy().ends_with("_tests.rs")
    });
    let files = files.count();
    assert_eq!(SOURCES.len(), files, "a file of {folder} is missing from SOURCES");
}

#[test]
fn what_is_not_the_runtime_is_refused() {
    let refused = patch(b"\0asm\x01\0\0\0".to_vec());
    assert!(matches!(refused, Err(PatchError::Function { found: 0, .. })));
    assert!(matches!(patch(b"no module at all".to_vec()), Err(PatchError::Wasm(_))));
}
