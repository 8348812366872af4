//! numpy's integers, made as wide as on a 64-bit machine.
//!
//! On wasm32 C's `long` and an index (`intp`) have 32 bits, and numpy's default
//! integer is `long`: `np.arange(100000).sum()` gives 704982704 there, without a
//! word. So, while the image is made, the interpreter's binary is rewritten:
//!
//! - [`constants`]: the functions that choose a *default* integer choose
//!   `NPY_LONGLONG`; and `'i4'` is `NPY_INT`, so that a 32-bit integer that someone
//!   asked for (`int32`) and one that is a `long` or an index on this machine
//!   (`NPY_LONG`) are two types and can be told apart.
//! - [`widening`]: whatever is computed from `NPY_LONG` is 64 bits wide: a ufunc
//!   takes it as `NPY_LONGLONG`, and an element of such an array is an `int64`.
//! - [`casts`]: an `int64` is taken where an index is wanted, and refused if it does
//!   not fit.
//! - [`letters`]: a dtype written as `'l'` or `'p'` is `NPY_LONGLONG`.
//! - [`flags`]: what floats do that numpy warns of is noted down, as a processor's
//!   flags do it natively.
//! - [`truncation`]: a float that no integer holds becomes what it becomes on x86-64.
//! - [`draws`]: numpy's old random generators draw integers of 64 bits.
//! - [`pauses`]: a large copy is done in parts, so that the guest can be stopped in it.
//! - [`sorting`]: a sort for which no kind is named is a stable one.
//!
//! Functions are found by their names in the name section, places in them by the
//! instructions around. A binary where anything is not as expected is refused; it is
//! never patched by guess.

mod casts;
mod constants;
mod draws;
mod flags;
mod functions;
mod letters;
mod library;
mod operations;
mod pauses;
mod rewrite;
mod sorting;
mod sums;
mod truncation;
mod widening;

/// The patch's own code, so that an image made by another one has another name.
pub(crate) const SOURCES: &[&str] = &[
    include_str!("casts.rs"),
    include_str!("constants.rs"),
    include_str!("draws.rs"),
    include_str!("flags.rs"),
    include_str!("functions.rs"),
    include_str!("letters.rs"),
    include_str!("library.rs"),
    include_str!("mod.rs"),
    include_str!("operations.rs"),
    include_str!("pauses.rs"),
    include_str!("rewrite.rs"),
    include_str!("sorting.rs"),
    include_str!("sums.rs"),
    include_str!("truncation.rs"),
    include_str!("widening.rs"),
];

use functions::Functions;
use rewrite::Rewrite;

/// The runtime is not the one that the patch was made for.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    /// Not a module, or cut short.
    #[error("python.wasm cannot be read as a WebAssembly module: {0}")]
    Wasm(#[from] wasmparser::BinaryReaderError),
    /// A function has locals of a kind that this code does not know.
    #[error("python.wasm has a local variable of type {0}, expected numbers and exceptions only")]
    Local(String),
    /// A function is missing or there are two of the name.
    #[error("python.wasm has {found} functions named {name}, expected 1")]
    Function {
        /// The function's name in the name section.
        name: String,
        /// How many there are.
        found: usize,
    },
    /// Two changes of one function: a mistake in this code.
    #[error("{0} in python.wasm is to be rewritten twice")]
    Twice(String),
    /// A function is not the one that was measured.
    #[error("{name} in python.wasm has {found} places to change, expected {expected}")]
    Constants {
        /// The function's name in the name section.
        name: String,
        /// How many there are.
        found: usize,
        /// How many were measured.
        expected: usize,
    },
}

/// The interpreter of `wasm` with 64-bit integers and stable sorts.
///
/// # Errors
/// Anything in the module that is not as expected.
pub fn patch(mut wasm: Vec<u8>) -> Result<Vec<u8>, PatchError> {
    let functions = Functions::read(&wasm)?;
    constants::patch_constants(&mut wasm, &functions)?;
    casts::declare_safe(&mut wasm, &functions)?;
    let mut rewrite = Rewrite::of(&functions);
    widening::add_to(&mut rewrite, &functions, &wasm)?;
    casts::add_to(&mut rewrite, &functions, &wasm)?;
    letters::add_to(&mut rewrite, &functions, &wasm)?;
    sorting::add_to(&mut rewrite, &functions, &wasm)?;
    draws::add_to(&mut rewrite, &functions, &wasm)?;
    let raised = operations::Flags::find(&wasm, &functions)?;
    let truncation = truncation::add_to(&mut rewrite, &functions, &wasm, &raised)?;
    flags::add_to(&mut rewrite, &functions, &wasm, &raised, &truncation)?;
    pauses::add_to(&rewrite.apply(&wasm)?)
}

#[cfg(test)]
#[path = "patch_tests.rs"]
mod tests;
