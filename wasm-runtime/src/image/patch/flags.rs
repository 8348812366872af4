//! Where numpy's warnings of floats come from.
//!
//! numpy warns of a division by zero, an overflow or an invalid value (and raises under
//! `np.errstate`) when the processor's flags say so after a loop. On wasm they never
//! do. So the loops, the arithmetic of scalars and the C library's functions below note
//! them down ([`super::operations`]): no other code of numpy looks at the flags after
//! work of its own.

use wasm_encoder::{Instruction, ValType};

use super::PatchError;
use super::functions::Functions;
use super::operations::{Flags, Helpers, Trouble, in_trouble};
use super::rewrite::Rewrite;

/// Loops over arrays, of each float and complex type's name, and of `HALF`.
const REAL_LOOPS: &[&str] = &[
    "add",
    "add_indexed",
    "divide",
    "divide_indexed",
    "floor_divide",
    "floor_divide_indexed",
    "multiply",
    "multiply_indexed",
    "pairwise_sum",
    "reciprocal",
    "remainder",
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
    (&["FLOAT", "DOUBLE"], &["divmod", "power", "sqrt"]),
    (&["CFLOAT", "CDOUBLE"], COMPLEX_LOOPS),
    (&["TIMEDELTA"], &["dm_m_multiply", "md_m_divide", "md_m_multiply", "mm_d_divide"]),
];

/// Arithmetic of scalars.
const REAL_SCALARS: &[&str] =
    &["divmod", "floor_divide", "multiply", "remainder", "subtract", "add", "true_divide"];
const SCALARS: &[(&[&str], &[&str])] = &[
    (&["float", "double"], REAL_SCALARS),
    (&["half"], &["add", "subtract", "multiply", "floor_divide", "true_divide"]),
    (&["cfloat", "cdouble"], &["add", "subtract", "multiply"]),
    (
        &["byte", "ubyte", "short", "ushort", "int", "uint", "longlong", "ulonglong"],
        &["true_divide"],
    ),
];
/// CPython has functions of two of the names; numpy's call this one.
const CLEARS_FLAGS: &str = "npy_clear_floatstatus_barrier";

/// Casts to narrower floats; those to 16 bits set the flags themselves.
const CASTS: (&[&str], &[&str]) = (
    &["_aligned_contig_cast", "_contig_cast", "_aligned_cast", "_cast"],
    &["double_to_float", "double_to_cfloat", "cdouble_to_float", "cdouble_to_cfloat"],
);

/// numpy's own mathematical functions.
const MATHEMATICS: &[&str] = &[
    "npy_deg2rad",
    "npy_deg2radf",
    "npy_divmodf",
    "npy_logaddexp",
    "npy_logaddexp2",
    "npy_logaddexp2f",
    "npy_logaddexpf",
    "npy_rad2deg",
    "npy_rad2degf",
];

/// The C library's, each with its twin of 32 bits, which has an `f` behind the name.
const OF_ONE: &[&str] = &[
    "acos", "acosh", "asin", "atanh", "cos", "cosh", "expm1", "log", "log10", "log1p", "log2",
    "sin", "sinh", "tan",
];
const EXPONENTIALS: &[&str] = &["exp", "exp2"];
const POWERS: &[&str] = &["pow"];
const OF_TWO: &[&str] = &["fmod", "hypot"];
/// Of a float and an integer.
const SCALINGS: &[&str] = &["ldexp"];

pub(super) fn add_to(
    rewrite: &mut Rewrite,
    functions: &Functions,
    wasm: &[u8],
    flags: &Flags,
) -> Result<(), PatchError> {
    let helpers = Helpers::add_to(rewrite, flags);
    for (kinds, operations) in LOOPS.iter().chain(SCALARS).chain([&CASTS]) {
        for name in joined(kinds, operations) {
            note_each(rewrite, functions, wasm, &helpers, &name)?;
        }
    }
    for name in MATHEMATICS {
        note_each(rewrite, functions, wasm, &helpers, name)?;
    }
    let library = [
        (OF_ONE, 1, Trouble::Infinite, helpers.function),
        (EXPONENTIALS, 1, Trouble::TinyToo, helpers.exponential),
        (POWERS, 2, Trouble::TinyToo, helpers.power),
        (OF_TWO, 2, Trouble::Infinite, helpers.sum),
        (SCALINGS, 0, Trouble::Infinite, helpers.sum),
    ];
    for (names, floats, which, helper) in library {
        for name in names {
            let double = Wrapping { floats, single: false, which, helper };
            double.put_around(rewrite, functions, wasm, name)?;
            let single = Wrapping { single: true, ..double };
            single.put_around(rewrite, functions, wasm, &format!("{name}f"))?;
        }
    }
    Ok(())
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
    helpers: &Helpers,
    name: &str,
) -> Result<(), PatchError> {
    let index = match functions.index(name) {
        Err(PatchError::Function { found: 2, .. }) => {
            functions.that_calls(wasm, name, functions.index(CLEARS_FLAGS)?)?
        }
        index => index?,
    };
    let locals = [[ValType::F64; 3], [ValType::F32; 3]].concat();
    rewrite.each(wasm, functions, (name, index), &locals, |operator, first| {
        helpers.instead(operator, first)
    })
}

/// A function of the C library, with a look at what it gives.
#[derive(Clone, Copy)]
struct Wrapping {
    /// Its operands that are floats; none is a float and an integer.
    floats: u32,
    single: bool,
    which: Trouble,
    helper: u32,
}

impl Wrapping {
    fn put_around(
        self,
        rewrite: &mut Rewrite,
        functions: &Functions,
        wasm: &[u8],
        name: &str,
    ) -> Result<(), PatchError> {
        use Instruction::*;
        let kind = if self.single { ValType::F32 } else { ValType::F64 };
        rewrite.around(wasm, functions, name, &[(1, kind)], |original, first| {
            let wide =
                |x| if self.single { vec![LocalGet(x), F64PromoteF32] } else { vec![LocalGet(x)] };
            let arguments = if self.floats == 1 { 1 } else { 2 };
            let mut code: Vec<_> = (0..arguments).map(LocalGet).collect();
            code.extend([Call(original), LocalSet(first)]);
            code.extend(in_trouble(first, self.which, self.single));
            code.push(If(wasm_encoder::BlockType::Empty));
            code.extend(wide(0));
            code.extend(wide(if self.floats == 2 { 1 } else { 0 }));
            code.extend(wide(first));
            code.extend([Call(self.helper), End, LocalGet(first), End]);
            code
        })
    }
}
