//! Ties keep their input order.
//!
//! numpy's default sort is not stable, and which order it leaves ties in depends on
//! the processor's features, natively too: a ranking or a `head(n)` after it can be
//! another one on another machine. In the room a sort for which no kind is named is
//! stable. That is also what a script gets that asks for `quicksort`.
//!
//! Where ties cannot be told apart, values and not indices of numbers, dates and fixed
//! text, the sort stays numpy's: it is faster and needs no second copy of the array.

use wasm_encoder::{Instruction, MemArg};

use super::PatchError;
use super::functions::Functions;
use super::rewrite::Rewrite;

/// `NPY_SORT_STABLE`, a bit of the kind.
const STABLE: i32 = 2;
/// The argument `kind` of `(array, axis, kind)`.
const KIND: u32 = 2;
/// `PyArrayObject.descr` and `PyArray_Descr.type_num`, by their offsets in a 32-bit guest.
const DESCR: MemArg = MemArg { offset: 28, align: 2, memory_index: 0 };
const TYPE_NUM: MemArg = MemArg { offset: 16, align: 2, memory_index: 0 };
/// `NPY_OBJECT`, `NPY_VOID` and the last of the built-in numbers, `NPY_HALF`.
const OBJECT: i32 = 17;
const VOID: i32 = 20;
const LAST_PLAIN: i32 = 23;

pub(super) fn add_to(
    rewrite: &mut Rewrite,
    functions: &Functions,
    wasm: &[u8],
) -> Result<(), PatchError> {
    rewrite.before(wasm, functions, "PyArray_ArgSort", 0, |_| {
        vec![
            Instruction::LocalGet(KIND),
            Instruction::I32Const(STABLE),
            Instruction::I32Or,
            Instruction::LocalSet(KIND),
        ]
    })?;
    rewrite.before(wasm, functions, "PyArray_Sort", 1, |type_num| {
        vec![
            Instruction::LocalGet(KIND),
            Instruction::I32Const(STABLE),
            Instruction::LocalGet(0),
            Instruction::I32Load(DESCR),
            Instruction::I32Load(TYPE_NUM),
            Instruction::LocalTee(type_num),
            Instruction::I32Const(OBJECT),
            Instruction::I32Eq,
            Instruction::LocalGet(type_num),
            Instruction::I32Const(VOID),
            Instruction::I32Eq,
            Instruction::I32Or,
            Instruction::LocalGet(type_num),
            Instruction::I32Const(LAST_PLAIN),
            Instruction::I32GtU,
            Instruction::I32Or,
            Instruction::I32Mul,
            Instruction::I32Or,
            Instruction::LocalSet(KIND),
        ]
    })
}
