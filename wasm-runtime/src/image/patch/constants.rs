//! numpy's default integer, made 64 bits wide.
//!
//! On wasm32 C's `long` has 32 bits, and numpy's default integer is `long`:
//! `np.arange(100000).sum()` gives 704982704 there, without a word. In numpy's C
//! code a handful of functions choose the default integer as the constant
//! `NPY_LONG` (7) before `PyArray_DescrFromType`. Here each of them is made
//! `NPY_LONGLONG` (9): one byte each in the code section, found by the function's
//! name in the name section and by the instructions around it. A binary where
//! anything is not as expected is refused; it is never patched by guess.

use std::ops::Range;

use wasmparser::Operator;

use super::PatchError;
use super::functions::Functions;

/// The functions, and how often each chooses the default integer: as the argument
/// of `PyArray_DescrFromType`, or against `NPY_LONGLONG` for one that is too big.
const SITES: &[(&str, usize)] = &[
    ("discover_descriptor_from_pylong", 2),
    ("int_default_descriptor", 1),
    ("_convert_from_any", 1),
    ("PyArray_ArangeObj", 1),
];
const CALLEE: &str = "PyArray_DescrFromType";
const NPY_INT: u8 = 5;
const NPY_UINT: u8 = 6;
const NPY_LONG: i32 = 7;
const NPY_LONGLONG: u8 = 9;

/// Rewrites `wasm` in place.
///
/// # Errors
/// Anything in the module that is not as expected; `wasm` is then unchanged.
pub(super) fn patch_constants(wasm: &mut [u8], functions: &Functions) -> Result<(), PatchError> {
    let callee = functions.index(CALLEE)?;
    let mut offsets = Vec::new();
    for &(name, expected) in SITES {
        let found = choices(wasm, functions.body(name)?, callee)?;
        if found.len() != expected {
            return Err(PatchError::Constants {
                name: name.to_owned(),
                found: found.len(),
                expected,
            });
        }
        offsets.extend(found);
    }
    offsets.push(python_integers(wasm, functions)?);
    let reduction = Reduction::find(wasm, functions)?;
    for offset in offsets {
        wasm[offset] = NPY_LONGLONG;
    }
    let (signed, unsigned) = TypeStrings::find(wasm, functions)?;
    let detour = ScalarPath::find(wasm, functions)?;
    // The condition becomes true.
    wasm[detour.clone()].fill(NOP);
    wasm[detour.start..detour.start + 2].copy_from_slice(&[I32_CONST, 1]);
    wasm[signed] = NPY_INT;
    wasm[unsigned] = NPY_UINT;
    wasm[reduction.boolean] = NPY_LONGLONG;
    wasm[reduction.size] = BYTES_BELOW_64_BITS;
    wasm[reduction.table..reduction.table + WIDE_TABLE.len()].copy_from_slice(&WIDE_TABLE);
    Ok(())
}

const OPERANDS: &str = "convert_ufunc_arguments";

/// Where a ufunc's operand that is a Python number is held against the default integer:
/// one of any other type, so too big, is taken for a default one all the same.
fn python_integers(wasm: &[u8], functions: &Functions) -> Result<usize, PatchError> {
    let body = functions.body(OPERANDS)?;
    let reader = wasmparser::BinaryReader::new(&wasm[body.clone()], body.start);
    let mut operators = wasmparser::FunctionBody::new(reader).get_operators_reader()?;
    let (mut found, mut constant) = (Vec::new(), None);
    while !operators.eof() {
        let (operator, offset) = operators.read_with_offset()?;
        match operator {
            Operator::I32Const { value: NPY_LONG } => constant = Some(offset + 1),
            Operator::I32Eq => found.extend(constant.take()),
            _ => constant = None,
        }
    }
    match found[..] {
        [offset] => Ok(offset),
        _ => {
            let name = OPERANDS.to_owned();
            Err(PatchError::Constants { name, found: found.len(), expected: 1 })
        }
    }
}

const REDUCTION: &str = "reducelike_promote_and_resolve";
const BYTES_BELOW_64_BITS: u8 = 7;
/// From type numbers 2 (unsigned byte) to 10 (unsigned long long).
const NARROW_TABLE: [u8; 9] = [8, 7, 8, 7, 8, 7, 8, 7, 8];
const WIDE_TABLE: [u8; 9] = [10, 9, 10, 9, 10, 9, 10, 9, 10];

const I32_CONST: u8 = 0x41;
const NOP: u8 = 0x01;

/// Where a ufunc of Python numbers alone (`np.power(10, 12)`) is computed in C's own
/// types: an `int` in a `long`. One that does not fit goes the general way; here
/// every `int` does.
struct ScalarPath;

impl ScalarPath {
    const FUNCTION: &str = "ufunc_generic_fastcall";
    const CONVERSION: &str = "PyLong_AsLongAndOverflow";

    /// The bytes of the condition "it does not fit": a variable's address, a load.
    fn find(wasm: &[u8], functions: &Functions) -> Result<Range<usize>, PatchError> {
        let conversion = functions.index(Self::CONVERSION)?;
        let body = functions.body(Self::FUNCTION)?;
        let reader = wasmparser::BinaryReader::new(&wasm[body.clone()], body.start);
        let mut operators = wasmparser::FunctionBody::new(reader).get_operators_reader()?;
        let (mut found, mut converted, mut start, mut loaded) = (Vec::new(), false, 0, false);
        while !operators.eof() {
            let (operator, offset) = operators.read_with_offset()?;
            match operator {
                Operator::Call { function_index } => converted = function_index == conversion,
                Operator::LocalGet { .. } => start = offset,
                Operator::BrIf { .. } if converted && loaded => {
                    found.push(start..offset);
                    converted = false;
                }
                _ => {}
            }
            loaded = matches!(operator, Operator::I32Load { .. });
        }
        match &found[..] {
            [range] => Ok(range.clone()),
            _ => Err(PatchError::Constants {
                name: Self::FUNCTION.to_owned(),
                found: found.len(),
                expected: 1,
            }),
        }
    }
}

/// What `'i4'` and `'u4'` mean.
struct TypeStrings;

impl TypeStrings {
    const FUNCTION: &str = "PyArray_TypestrConvert";
    /// By the logarithm of the size, from 1 byte on.
    const SIGNED: [u8; 4] = [1, 3, 7, 9];
    const UNSIGNED: [u8; 4] = [2, 4, 8, 10];

    /// The two tables' entries of 4 bytes, as offsets in the file.
    fn find(wasm: &[u8], functions: &Functions) -> Result<(usize, usize), PatchError> {
        let body = functions.body(Self::FUNCTION)?;
        let reader = wasmparser::BinaryReader::new(&wasm[body.clone()], body.start);
        let mut operators = wasmparser::FunctionBody::new(reader).get_operators_reader()?;
        let (mut signed, mut unsigned) = (Vec::new(), Vec::new());
        while !operators.eof() {
            if let Operator::I32Load8U { memarg } = operators.read()? {
                let at = functions.data_offset(memarg.offset);
                let bytes = at.and_then(|at| wasm.get(at..at + 4));
                if bytes == Some(&Self::SIGNED) {
                    signed.extend(at);
                } else if bytes == Some(&Self::UNSIGNED) {
                    unsigned.extend(at);
                }
            }
        }
        match (&signed[..], &unsigned[..]) {
            (&[signed], &[unsigned]) => Ok((signed + 2, unsigned + 2)),
            _ => Err(PatchError::Constants {
                name: Self::FUNCTION.to_owned(),
                found: signed.len() + unsigned.len(),
                expected: 2,
            }),
        }
    }
}

/// The three places of the reductions, as offsets in the file.
struct Reduction {
    boolean: usize,
    size: usize,
    table: usize,
}

impl Reduction {
    fn find(wasm: &[u8], functions: &Functions) -> Result<Self, PatchError> {
        let body = functions.body(REDUCTION)?;
        let reader = wasmparser::BinaryReader::new(&wasm[body.clone()], body.start);
        let mut operators = wasmparser::FunctionBody::new(reader).get_operators_reader()?;
        let (mut booleans, mut sizes, mut tables) = (Vec::new(), Vec::new(), Vec::new());
        let mut before = None;
        while !operators.eof() {
            let (operator, offset) = operators.read_with_offset()?;
            match (&before, &operator) {
                (Some((Operator::I32Const { value: NPY_LONG }, at)), Operator::LocalSet { .. }) => {
                    booleans.push(at + 1);
                }
                (Some((Operator::I32Const { value: 3 }, at)), Operator::I32LeU) => {
                    sizes.push(at + 1);
                }
                (_, Operator::I32Load8U { memarg }) => {
                    let at = functions.data_offset(memarg.offset);
                    let bytes = at.and_then(|at| wasm.get(at..at + NARROW_TABLE.len()));
                    if bytes == Some(&NARROW_TABLE) {
                        tables.extend(at);
                    }
                }
                _ => {}
            }
            before = Some((operator, offset));
        }
        match (&booleans[..], &sizes[..], &tables[..]) {
            (&[boolean], &[size], &[table]) => Ok(Self { boolean, size, table }),
            _ => Err(PatchError::Constants {
                name: REDUCTION.to_owned(),
                found: booleans.len() + sizes.len() + tables.len(),
                expected: 3,
            }),
        }
    }
}

/// Offsets of the operand of each `i32.const 7` that is the argument of a call of
/// `callee` or stands beside `i32.const 9` for a `select`.
fn choices(wasm: &[u8], body: Range<usize>, callee: u32) -> Result<Vec<usize>, PatchError> {
    let reader = wasmparser::BinaryReader::new(&wasm[body.clone()], body.start);
    let mut operators = wasmparser::FunctionBody::new(reader).get_operators_reader()?;
    let mut found = Vec::new();
    let mut constant = None;
    while !operators.eof() {
        let (operator, offset) = operators.read_with_offset()?;
        match operator {
            // One byte of opcode, one of operand.
            Operator::I32Const { value: NPY_LONG } => constant = Some(offset + 1),
            Operator::I32Const { value } if value == i32::from(NPY_LONGLONG) => {
                found.extend(constant.take());
            }
            Operator::Call { function_index } if function_index == callee => {
                found.extend(constant.take());
            }
            _ => constant = None,
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body of one function type-checks nothing here; only its instructions count.
    fn found(instructions: &[u8]) -> Vec<usize> {
        // No locals, the instructions, end.
        let body = [&[0], instructions, &[0x0b]].concat();
        choices(&body, 0..body.len(), 3).unwrap()
    }

    #[test]
    fn only_constants_that_choose_the_default_integer_are_found() {
        // i32.const 7; call 3
        assert_eq!(found(&[0x41, 7, 0x10, 3]), [2]);
        // i32.const 7; i32.const 9; …
        assert_eq!(found(&[0x41, 7, 0x41, 9, 0x10, 3]), [2]);
        // Another type, another callee, another instruction between.
        assert_eq!(found(&[0x41, 5, 0x10, 3]), [0usize; 0]);
        assert_eq!(found(&[0x41, 7, 0x10, 4]), [0usize; 0]);
        assert_eq!(found(&[0x41, 7, 0x1a, 0x10, 3]), [0usize; 0]);
    }
}
