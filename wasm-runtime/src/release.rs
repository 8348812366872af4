//! Giving a guest's memory back.
//!
//! A gigabyte of pages takes the kernel a tenth of a second, and nobody waits for it:
//! neither who has the answer, nor who cancelled and wants to hear that the guest is
//! gone. The guest does not execute any more when it comes here.

use wasmtime::Store;

use crate::guest::Guest;

/// Linear memory that is given back before the run returns.
const AT_ONCE: u64 = 320 << 20;

/// Drops the guest, a large one on a thread of its own.
pub(crate) fn release(store: Store<Guest>) {
    if store.data().memory_bytes() > AT_ONCE {
        // Where there is no thread to be had, the closure is dropped here, and the store.
        let _ = std::thread::Builder::new().name("release".to_owned()).spawn(move || drop(store));
    }
}
