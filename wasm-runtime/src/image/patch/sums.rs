//! The sum of an array, which is looked at when it is done.
//!
//! What is not finite stays so, whatever is added: a sum that is finite has had no step
//! worth a flag. So the plain function adds up, and only where its sum is not finite one
//! that looks at each step ([`super::operations`]) does it again.

use wasm_encoder::{BlockType, Instruction, ValType};

use super::PatchError;
use super::flags::LOCALS;
use super::functions::Functions;
use super::operations::{Helpers, Trouble, in_trouble};
use super::rewrite::Rewrite;

/// `(data, number, stride) -> sum`
const SUMS: [(&str, ValType); 2] =
    [("FLOAT_pairwise_sum", ValType::F32), ("DOUBLE_pairwise_sum", ValType::F64)];

pub(super) fn add_to(
    rewrite: &mut Rewrite,
    functions: &Functions,
    wasm: &[u8],
    helpers: &Helpers,
) -> Result<(), PatchError> {
    use Instruction::*;
    for (name, kind) in SUMS {
        let plain = rewrite.copy(wasm, functions, name, &[], |_, _| None)?;
        let looking = rewrite.copy(wasm, functions, name, &LOCALS, |operator, first| {
            helpers.instead(operator, first)
        })?;
        let sum = functions.signature(name)?.parameters;
        let call = |function| (0..sum).map(LocalGet).chain([Call(function), LocalSet(sum)]);
        let mut code: Vec<_> = call(plain).collect();
        code.extend(in_trouble(sum, Trouble::Infinite, kind == ValType::F32));
        code.push(If(BlockType::Empty));
        code.extend(call(looking));
        code.extend([End, LocalGet(sum), End]);
        rewrite.replace(functions, name, &[(1, kind)], &code)?;
    }
    Ok(())
}
