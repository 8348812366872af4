//! Ties keep their input order.
//!
//! numpy's default sort is not stable, and which order it leaves ties in depends on
//! the processor's features, natively too: a ranking or a `head(n)` after it can be
//! another one on another machine. In the room a sort for which no kind is named is
//! stable. That is also what a script gets that asks for `quicksort`.

use wasm_encoder::Instruction;

use super::PatchError;
use super::functions::Functions;
use super::rewrite::Rewrite;

/// `(array, axis, kind)`
const SORTS: &[&str] = &["PyArray_ArgSort", "PyArray_Sort"];
/// `NPY_SORT_STABLE`, a bit of the kind.
const STABLE: i32 = 2;

pub(super) fn add_to(
    rewrite: &mut Rewrite,
    functions: &Functions,
    wasm: &[u8],
) -> Result<(), PatchError> {
    const KIND: u32 = 2;
    for name in SORTS {
        rewrite.before(wasm, functions, name, 0, |_| {
            vec![
                Instruction::LocalGet(KIND),
                Instruction::I32Const(STABLE),
                Instruction::I32Or,
                Instruction::LocalSet(KIND),
            ]
        })?;
    }
    Ok(())
}
