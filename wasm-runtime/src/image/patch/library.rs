//! The C library's mathematical functions, with a look at what they give.
//!
//! Each is put in a function that looks at its result; the loops that look at what they
//! compute themselves (`np.power`) call the plain one and look at that, too. In loops of
//! nothing but such calls it was measured to be slower.

use std::collections::HashMap;

use wasm_encoder::{BlockType, Instruction, ValType};
use wasmparser::Operator;

use super::PatchError;
use super::functions::Functions;
use super::operations::{Helpers, Trouble, in_trouble};
use super::rewrite::Rewrite;

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

/// The functions that were wrapped: by the index under which they are called, the plain
/// one's index, and how it is looked at.
pub(super) struct Library(HashMap<u32, (u32, Wrapping)>);

impl Library {
    pub(super) fn add_to(
        rewrite: &mut Rewrite,
        functions: &Functions,
        wasm: &[u8],
        helpers: &Helpers,
    ) -> Result<Self, PatchError> {
        let all = [
            (OF_ONE, 1, Trouble::Infinite, helpers.function),
            (EXPONENTIALS, 1, Trouble::TinyToo, helpers.exponential),
            (POWERS, 2, Trouble::TinyToo, helpers.power),
            (OF_TWO, 2, Trouble::Infinite, helpers.sum),
            (SCALINGS, 0, Trouble::Infinite, helpers.sum),
        ];
        let mut wrapped = HashMap::new();
        for (names, floats, which, helper) in all {
            for name in names {
                for (name, single) in [((*name).to_owned(), false), (format!("{name}f"), true)] {
                    let wrapping = Wrapping { floats, single, which, helper };
                    let original = wrapping.put_around(rewrite, functions, wasm, &name)?;
                    wrapped.insert(functions.index(&name)?, (original, wrapping));
                }
            }
        }
        Ok(Self(wrapped))
    }

    /// What stands in the place of a call of one of them, given three locals of 64 bits
    /// and three of 32 bits from `first` on.
    pub(super) fn instead(
        &self,
        operator: &Operator<'_>,
        first: u32,
    ) -> Option<Vec<Instruction<'static>>> {
        use Instruction::*;
        let Operator::Call { function_index } = operator else { return None };
        let (original, wrapping) = self.0.get(function_index)?;
        let a = if wrapping.single { first + 3 } else { first };
        let (b, r) = (a + 1, a + 2);
        let (mut code, second) = match wrapping.floats {
            1 => (vec![LocalTee(a)], a),
            2 => (vec![LocalSet(b), LocalTee(a), LocalGet(b)], b),
            _ => return None,
        };
        code.extend([Call(*original), LocalSet(r)]);
        code.extend(wrapping.look(a, second, r));
        Some(code)
    }
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
    ) -> Result<u32, PatchError> {
        use Instruction::*;
        let kind = if self.single { ValType::F32 } else { ValType::F64 };
        let mut plain = 0;
        rewrite.around(wasm, functions, name, &[(1, kind)], |original, result| {
            plain = original;
            let arguments = if self.floats == 1 { 1 } else { 2 };
            let mut code: Vec<_> = (0..arguments).map(LocalGet).collect();
            code.extend([Call(original), LocalSet(result)]);
            code.extend(self.look(0, if self.floats == 2 { 1 } else { 0 }, result));
            code.push(End);
            code
        })?;
        Ok(plain)
    }

    /// A look at the result, which is given back.
    fn look(self, a: u32, b: u32, result: u32) -> Vec<Instruction<'static>> {
        use Instruction::*;
        let mut code = in_trouble(result, self.which, self.single);
        code.push(If(BlockType::Empty));
        for x in [a, b, result] {
            code.push(LocalGet(x));
            if self.single {
                code.push(F64PromoteF32);
            }
        }
        code.extend([Call(self.helper), End, LocalGet(result)]);
        code
    }
}
