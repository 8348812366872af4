//! `'l'` and `'p'` are 64 bits wide.
//!
//! `np.dtype('l')` is C's `long` and `'p'` (also `'n'`) an index: 64 bits on a
//! 64-bit machine. Only where text that a person wrote becomes a dtype: the same
//! letters in a buffer's format speak of memory as it is.

use wasm_encoder::{BlockType, Instruction};
use wasmparser::{BinaryReader, FunctionBody, Operator};

use super::PatchError;
use super::functions::Functions;
use super::rewrite::Rewrite;

/// Text to dtype: calls [`DESCRIPTOR`] with a letter, or with a number.
const FROM_TEXT: &str = "_convert_from_str";
const DESCRIPTOR: &str = "PyArray_DescrFromType";
const LETTERS: [(u8, i32); 6] =
    [(b'l', 9), (b'p', 9), (b'n', 9), (b'L', 10), (b'P', 10), (b'N', 10)];

pub(super) fn add_to(
    rewrite: &mut Rewrite,
    functions: &Functions,
    wasm: &[u8],
) -> Result<(), PatchError> {
    let descriptor = functions.index(DESCRIPTOR)?;
    let call = call_with_a_variable(wasm, functions, descriptor)?;
    let widening = rewrite.append(functions, DESCRIPTOR, &wide_letters(descriptor))?;
    rewrite.call_instead(wasm, functions, FROM_TEXT, call, widening)
}

/// Where in the body the function's index of the one call stands whose argument is a
/// variable: the others ask for a type that the code names.
fn call_with_a_variable(
    wasm: &[u8],
    functions: &Functions,
    callee: u32,
) -> Result<usize, PatchError> {
    let body = functions.body(FROM_TEXT)?;
    let reader = BinaryReader::new(&wasm[body.clone()], body.start);
    let mut operators = FunctionBody::new(reader).get_operators_reader()?;
    let (mut found, mut variable) = (Vec::new(), false);
    while !operators.eof() {
        let (operator, offset) = operators.read_with_offset()?;
        if matches!(operator, Operator::Call { function_index } if function_index == callee)
            && variable
        {
            found.push(offset + 1 - body.start);
        }
        variable = matches!(operator, Operator::LocalGet { .. });
    }
    match found[..] {
        [call] => Ok(call),
        _ => Err(PatchError::Constants {
            name: FROM_TEXT.to_owned(),
            found: found.len(),
            expected: 1,
        }),
    }
}

fn wide_letters(descriptor: u32) -> Vec<Instruction<'static>> {
    use Instruction::*;
    let mut code = Vec::new();
    for (letter, wide) in LETTERS {
        code.extend([
            LocalGet(0),
            I32Const(i32::from(letter)),
            I32Eq,
            If(BlockType::Empty),
            I32Const(wide),
            LocalSet(0),
            End,
        ]);
    }
    code.extend([LocalGet(0), Call(descriptor), End]);
    code
}
