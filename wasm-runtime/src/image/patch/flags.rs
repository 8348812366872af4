//! Where numpy's warnings of floats come from.
//!
//! numpy warns of a division by zero, an overflow or an invalid value (and raises under
//! `np.errstate`) when the processor's flags say so after a loop. On wasm they never
//! do. So the loops, the arithmetic of scalars and the C library's functions below note
//! them down ([`super::operations`]): no other code of numpy looks at the flags after
//! work of its own.

use wasm_encoder::{Instruction, ValType};
use wasmparser::Operator;

use super::PatchError;
use super::functions::Functions;
use super::library::Library;
use super::operations::{Flags, Helpers};
use super::rewrite::Rewrite;
use super::{sums, truncation};

/// Loops over arrays, of each float and complex type's name, and of `HALF`.
const REAL_LOOPS: &[&str] = &[
    "add",
    "add_indexed",
    "divide",
    "divide_indexed",
    "multiply",
    "multiply_indexed",
    "reciprocal",
    "square",
    "subtract",
    "subtract_indexed",
];
const COMPLEX_LOOPS: &[&str] = &[
    "add",
    "add_indexed",
    "divide",
    "multiply",
    "multiply_indexed",
    "pairwise_sum",
    "reciprocal",
    "square",
    "subtract",
    "subtract_indexed",
];
const LOOPS: &[(&[&str], &[&str])] = &[
    (&["HALF", "FLOAT", "DOUBLE"], REAL_LOOPS),
    (&["FLOAT", "DOUBLE"], &["power", "sqrt"]),
    (&["HALF"], &["pairwise_sum"]),
    (&["CFLOAT", "CDOUBLE"], COMPLEX_LOOPS),
    (&["TIMEDELTA"], &["mm_d_divide"]),
];

/// Arithmetic of scalars.
const REAL_SCALARS: &[&str] = &["multiply", "subtract", "add", "true_divide"];
const SCALARS: &[(&[&str], &[&str])] = &[
    (&["float", "double"], REAL_SCALARS),
    (&["half"], &["add", "subtract", "multiply", "true_divide"]),
    (&["cfloat", "cdouble"], &["add", "subtract", "multiply"]),
    (
        &["byte", "ubyte", "short", "ushort", "int", "uint", "longlong", "ulonglong"],
        &["true_divide"],
    ),
];
/// CPython has functions of two of the names; numpy's call this one.
const CLEARS_FLAGS: &str = "npy_clear_floatstatus_barrier";

/// Remainders: their sums cannot overflow where they are taken, but the compiler has
/// them computed where they are not.
const REMAINDERS: &[(&[&str], &[&str])] = &[
    (&["FLOAT", "DOUBLE"], &["divmod"]),
    (&["HALF", "FLOAT", "DOUBLE"], &["floor_divide", "floor_divide_indexed"]),
    (&["half"], &["floor_divide"]),
    (&["float", "double"], &["divmod", "floor_divide"]),
    (&["npy"], &["divmodf"]),
];

/// Casts to narrower floats; those to 16 bits set the flags themselves.
const CASTS: (&[&str], &[&str]) = (
    &["_aligned_contig_cast", "_contig_cast", "_aligned_cast", "_cast"],
    &["double_to_float", "double_to_cfloat", "cdouble_to_float", "cdouble_to_cfloat"],
);

/// What an operation and a look at it need.
pub(super) const LOCALS: [ValType; 6] =
    [ValType::F64, ValType::F64, ValType::F64, ValType::F32, ValType::F32, ValType::F32];

/// numpy's own mathematical functions, some of them there twice.
const MATHEMATICS: &[&str] = &[
    "npy_cpow",
    "npy_cpowf",
    "npy_deg2rad",
    "npy_deg2radf",
    "npy_rad2deg",
    "npy_rad2degf",
    "npy_sqrtf",
];
/// They compare their operands: with what is not a number that is invalid, too.
const COMPARING: &[&str] =
    &["npy_logaddexp", "npy_logaddexp2", "npy_logaddexp2f", "npy_logaddexpf"];
/// Loops that do not tell what happened in them.
const SILENT: &[&str] = &["CFLOAT_absolute", "CDOUBLE_absolute"];

pub(super) fn add_to(
    rewrite: &mut Rewrite,
    functions: &Functions,
    wasm: &[u8],
    flags: &Flags,
    truncation: &truncation::Helpers,
) -> Result<(), PatchError> {
    let helpers = Helpers::add_to(rewrite, flags);
    let library = Library::add_to(rewrite, functions, wasm, &helpers)?;
    let looking = |operator: &Operator<'_>, first| {
        helpers.instead(operator, first).or_else(|| library.instead(operator, first))
    };
    for (kinds, operations) in LOOPS.iter().chain(SCALARS).chain([&CASTS]) {
        for name in joined(kinds, operations) {
            note_each(rewrite, functions, wasm, &name, looking)?;
        }
    }
    for (name, through) in truncation::loops() {
        note_each(rewrite, functions, wasm, &name, |operator, first| {
            looking(operator, first).or_else(|| truncation.instead(operator, through, first))
        })?;
    }
    for (kinds, operations) in REMAINDERS {
        for name in joined(kinds, operations) {
            note_each(rewrite, functions, wasm, &name, |operator, first| match operator {
                Operator::F32Add | Operator::F64Add => None,
                _ => looking(operator, first),
            })?;
        }
    }
    for name in MATHEMATICS {
        for index in functions.named(name)? {
            rewrite.each(wasm, functions, (name, *index), &LOCALS, looking)?;
        }
    }
    for name in COMPARING {
        note_each(rewrite, functions, wasm, name, |operator, first| {
            looking(operator, first).or_else(|| helpers.comparing(operator, first))
        })?;
    }
    sums::add_to(rewrite, functions, wasm, &helpers)?;
    silence(rewrite, functions, wasm)
}

fn joined(kinds: &[&str], operations: &[&str]) -> impl Iterator<Item = String> {
    kinds
        .iter()
        .flat_map(|kind| operations.iter().map(move |operation| format!("{kind}_{operation}")))
}

/// Has the function note down the flags of each of its operations.
fn note_each(
    rewrite: &mut Rewrite,
    functions: &Functions,
    wasm: &[u8],
    name: &str,
    instead: impl FnMut(&Operator<'_>, u32) -> Option<Vec<Instruction<'static>>>,
) -> Result<(), PatchError> {
    let index = match functions.index(name) {
        Err(PatchError::Function { found: 2, .. }) => {
            functions.that_calls(wasm, name, functions.index(CLEARS_FLAGS)?)?
        }
        index => index?,
    };
    rewrite.each(wasm, functions, (name, index), &LOCALS, instead)
}

/// Has the loops clear the flags when they have ended, as natively.
fn silence(rewrite: &mut Rewrite, functions: &Functions, wasm: &[u8]) -> Result<(), PatchError> {
    use Instruction::*;
    let clear = functions.index(CLEARS_FLAGS)?;
    for name in SILENT {
        let parameters = functions.signature(name)?.parameters;
        rewrite.around(wasm, functions, name, &[], |original, _| {
            let mut code: Vec<_> = (0..parameters).map(LocalGet).collect();
            code.extend([Call(original), I32Const(0), Call(clear), Drop, End]);
            code
        })?;
    }
    Ok(())
}
