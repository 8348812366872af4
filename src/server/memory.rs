//! Gives memory back to the system when nobody works.
//!
//! glibc keeps what is freed for the next allocation. A table of many small parts (lists,
//! structs with thousands of keys) leaves its arenas full of holes: an idle server was
//! seen to keep two gigabytes. Giving them back takes tens of milliseconds and holds
//! up whoever allocates, so it waits until no call has ended for a moment. What lies at
//! the end of an arena that way does not give back: [`keep_little`] sees to that.

use std::time::Duration;

use tokio::sync::watch;

/// How long it must have been quiet.
const QUIET: Duration = Duration::from_secs(1);
/// How long a busy server may put it off.
const BUSY: Duration = Duration::from_secs(30);

/// How long after that what was given up may still have ended by itself.
const LATER: Duration = Duration::from_secs(5);

/// Gives memory back after calls, which are counted by `ended`, until that is dropped.
pub(super) async fn give_back_after(mut ended: watch::Receiver<u64>) {
    let mut has_ended = false;
    while has_ended || ended.changed().await.is_ok() {
        let quiet =
            async { while let Ok(Ok(())) = tokio::time::timeout(QUIET, ended.changed()).await {} };
        // Either way it is time.
        let _ = tokio::time::timeout(BUSY, quiet).await;
        let _ = tokio::task::spawn_blocking(give_back).await;
        // A query that was cancelled in one long computation ends after its call.
        has_ended = match tokio::time::timeout(LATER, ended.changed()).await {
            Ok(Ok(())) => true,
            Ok(Err(_)) => return,
            Err(_) => {
                let _ = tokio::task::spawn_blocking(give_back).await;
                false
            }
        };
    }
}

/// Makes glibc do with few arenas: each keeps some of what is freed at its end, and by itself it has eight of them for each core. The host allocates seldom, in
/// large parts, so that its threads are not in each other's way. (Making the arenas keep
/// less was tried: reading a table then takes a tenth longer, for the pages that it
/// gives back and takes again.) To be called before there are threads.
///
/// A batch of decimals has 128 KiB, and glibc gives back at once what is as large, until it
/// has seen larger: a query then pays for its pages again and again, a third of its time.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn keep_little() {
    const ARENAS: i32 = 4;
    /// Bytes from which a part is the system's alone, and goes back as soon as it is free.
    const ALONE: i32 = 8 << 20;
    /// Bytes that the end of an arena keeps.
    const END: i32 = 32 << 20;
    #[expect(unsafe_code, reason = "glibc's allocator has no other door, see SAFETY")]
    // SAFETY: it sets numbers and touches no memory that is allocated. They may be refused,
    // which is no fault.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, ARENAS);
        libc::mallopt(libc::M_MMAP_THRESHOLD, ALONE);
        libc::mallopt(libc::M_TRIM_THRESHOLD, END);
    }
}

/// Other allocators keep little by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn keep_little() {}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn give_back() {
    #[expect(unsafe_code, reason = "glibc's allocator has no other door, see SAFETY")]
    // SAFETY: it takes no pointer, changes nothing that is allocated, and is safe to call
    // from any thread at any time (malloc_trim(3): MT-Safe).
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other allocators give back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back() {}
