//! A floating-point operation that notes down what a processor's flags would say.
//!
//! WebAssembly has no flags, but the runtime's C library keeps a word of memory in their
//! place, which numpy clears, reads and partly sets. What is missing is only that an
//! operation sets them. So each operation is followed by a look at its result: one
//! that is finite (and not next to zero, for those that can underflow) has done nothing
//! worth a flag. For any other one, a helper looks at the operands and decides as
//! IEEE 754 says:
//!
//! - *invalid*: not a number, of operands that are numbers;
//! - *divide by zero*: infinite, of a finite number and zero;
//! - *overflow*: infinite, of any other finite operands;
//! - *underflow*: smaller than any normal number, and not exact.
//!
//! Results stay as they are.

use wasm_encoder::{BlockType, Instruction, MemArg, ValType};
use wasmparser::{BinaryReader, FunctionBody, Operator};

use super::PatchError;
use super::functions::Functions;
use super::rewrite::Rewrite;

/// The C library's `FE_INVALID`.
pub(super) const INVALID: i32 = 1;
const DIVIDE_BY_ZERO: i32 = 4;
const OVERFLOW: i32 = 8;
const UNDERFLOW: i32 = 16;

/// The word of the flags.
pub(super) struct Flags {
    address: u64,
}

impl Flags {
    /// Sets a flag each.
    const SETTERS: [(&str, i32); 3] = [
        ("npy_set_floatstatus_invalid", INVALID),
        ("npy_set_floatstatus_divbyzero", DIVIDE_BY_ZERO),
        ("npy_set_floatstatus_overflow", OVERFLOW),
    ];

    /// Where numpy sets them: all in one word, and each in its bit.
    pub(super) fn find(wasm: &[u8], functions: &Functions) -> Result<Self, PatchError> {
        let mut found = Vec::new();
        for (name, bit) in Self::SETTERS {
            let body = functions.body(name)?;
            let reader = BinaryReader::new(&wasm[body.clone()], body.start);
            let (mut bits, mut address) = (Vec::new(), None);
            for operator in FunctionBody::new(reader).get_operators_reader()? {
                match operator? {
                    Operator::I32Const { value } if value != 0 => bits.push(value),
                    Operator::I32Store { memarg } => address = Some(memarg.offset),
                    _ => {}
                }
            }
            if bits == [bit] {
                found.extend(address);
            }
        }
        match found[..] {
            [address, second, third] if address == second && address == third => {
                Ok(Self { address })
            }
            _ => Err(PatchError::Constants {
                name: Self::SETTERS[0].0.to_owned(),
                found: found.len(),
                expected: Self::SETTERS.len(),
            }),
        }
    }

    /// Sets a flag.
    pub(super) fn raise(&self, flag: i32) -> [Instruction<'static>; 6] {
        let word = MemArg { offset: self.address, align: 2, memory_index: 0 };
        [
            Instruction::I32Const(0),
            Instruction::I32Const(0),
            Instruction::I32Load(word),
            Instruction::I32Const(flag),
            Instruction::I32Or,
            Instruction::I32Store(word),
        ]
    }
}

/// Functions of the module that look at a result which is not finite or next to zero:
/// `(operand, operand, result)`, all as 64-bit floats.
pub(super) struct Helpers {
    /// Of a sum, a root, and whatever can only overflow or be invalid.
    pub(super) sum: u32,
    product: [u32; 2],
    quotient: [u32; 2],
    /// Of a function that is infinite where its argument is 1 or less only for a pole.
    pub(super) function: u32,
    pub(super) exponential: u32,
    pub(super) power: u32,
    /// Takes nothing.
    invalid: u32,
}

/// How wide an operation is: index into a pair of helpers.
const DOUBLE: usize = 0;
const SINGLE: usize = 1;

const A: u32 = 0;
const B: u32 = 1;
const RESULT: u32 = 2;

/// Whether a parameter is finite.
fn finite(x: u32) -> [Instruction<'static>; 4] {
    use Instruction::*;
    [LocalGet(x), F64Abs, F64Const(f64::INFINITY.into()), F64Lt]
}

/// Whether a parameter is zero.
fn zero(x: u32) -> [Instruction<'static>; 3] {
    [Instruction::LocalGet(x), Instruction::F64Const(0.0.into()), Instruction::F64Eq]
}

/// A parameter times a power of two.
fn scaled(x: u32, exponent: u64) -> [Instruction<'static>; 3] {
    let factor = f64::from_bits((1023 + exponent) << 52);
    [Instruction::LocalGet(x), Instruction::F64Const(factor.into()), Instruction::F64Mul]
}

impl Helpers {
    pub(super) fn add_to(rewrite: &mut Rewrite, flags: &Flags) -> Self {
        use Instruction::*;
        let mut append = |code: Vec<Instruction<'static>>| {
            let code: Vec<_> = code.into_iter().chain([End]).collect();
            rewrite.append_new(&[ValType::F64; 3], &[], &code)
        };
        let sum = append(not_finite(flags, &[I32Const(0)]));
        let of_zero = append(not_finite(flags, &zero(A)));
        let by_zero = append(not_finite(flags, &zero(B)));
        let near = [LocalGet(A), F64Abs, F64Const(1.0.into()), F64Le];
        let function = append(not_finite(flags, &near));

        // A 32-bit product or quotient can be checked in 64 bits; a 64-bit one after
        // scaling, which keeps all digits.
        let nothing = [&zero(A)[..], &zero(B), &[I32Or]].concat();
        let single = [LocalGet(A), LocalGet(B), F64Mul, LocalGet(RESULT), F64Ne];
        let double = [
            &scaled(A, 537)[..],
            &scaled(B, 537),
            &[F64Mul],
            &scaled(RESULT, 537),
            &[F64Const(f64::from_bits((1023 + 537) << 52).into()), F64Mul, F64Ne],
        ];
        let product = [
            append(tiny_too(flags, &nothing, &double.concat(), sum)),
            append(tiny_too(flags, &nothing, &single, sum)),
        ];
        let nothing = [&zero(A)[..], &finite(B), &[I32Eqz, I32Or]].concat();
        let single = [LocalGet(RESULT), LocalGet(B), F64Mul, LocalGet(A), F64Ne];
        let double = [&scaled(RESULT, 600)[..], &[LocalGet(B), F64Mul], &scaled(A, 600), &[F64Ne]];
        let quotient = [
            append(tiny_too(flags, &nothing, &double.concat(), by_zero)),
            append(tiny_too(flags, &nothing, &single, by_zero)),
        ];
        // What these give next to zero is not exact.
        let nothing = [&finite(A)[..], &[I32Eqz]].concat();
        let exponential = append(tiny_too(flags, &nothing, &[I32Const(1)], sum));
        let nothing = [&nothing[..], &zero(A), &[I32Or], &finite(B), &[I32Eqz, I32Or]].concat();
        let power = append(tiny_too(flags, &nothing, &[I32Const(1)], of_zero));
        let code: Vec<_> = flags.raise(INVALID).into_iter().chain([End]).collect();
        let invalid = rewrite.append_new(&[], &[], &code);
        Self { sum, product, quotient, function, exponential, power, invalid }
    }

    /// What stands in the place of `operator`, given three locals of 64 bits and three
    /// of 32 bits from `first` on; nothing if it is no operation that sets flags.
    pub(super) fn instead(
        &self,
        operator: &Operator<'_>,
        first: u32,
    ) -> Option<Vec<Instruction<'static>>> {
        use Instruction::*;
        Some(match operator {
            Operator::F64Add => double(first, F64Add, Trouble::Infinite, self.sum),
            Operator::F64Sub => double(first, F64Sub, Trouble::Infinite, self.sum),
            Operator::F64Mul => double(first, F64Mul, Trouble::TinyToo, self.product[DOUBLE]),
            Operator::F64Div => double(first, F64Div, Trouble::TinyToo, self.quotient[DOUBLE]),
            Operator::F32Add => single(first + 3, F32Add, Trouble::Infinite, self.sum),
            Operator::F32Sub => single(first + 3, F32Sub, Trouble::Infinite, self.sum),
            Operator::F32Mul => single(first + 3, F32Mul, Trouble::TinyToo, self.product[SINGLE]),
            Operator::F32Div => single(first + 3, F32Div, Trouble::TinyToo, self.quotient[SINGLE]),
            Operator::F64Sqrt => self.double_root(first),
            Operator::F32Sqrt => self.single_root(first + 3),
            Operator::F32DemoteF64 => self.demotion(first),
            _ => return None,
        })
    }

    /// The same of a comparison, which is invalid with what is not a number.
    pub(super) fn comparing(
        &self,
        operator: &Operator<'_>,
        first: u32,
    ) -> Option<Vec<Instruction<'static>>> {
        use Instruction::*;
        let (single, comparison) = match operator {
            Operator::F64Lt => (false, F64Lt),
            Operator::F64Le => (false, F64Le),
            Operator::F64Gt => (false, F64Gt),
            Operator::F64Ge => (false, F64Ge),
            Operator::F32Lt => (true, F32Lt),
            Operator::F32Le => (true, F32Le),
            Operator::F32Gt => (true, F32Gt),
            Operator::F32Ge => (true, F32Ge),
            _ => return None,
        };
        let (a, b) = if single { (first + 3, first + 4) } else { (first, first + 1) };
        let equal = if single { F32Eq } else { F64Eq };
        let mut code = vec![LocalSet(b), LocalSet(a)];
        code.extend([LocalGet(a), LocalGet(a), equal.clone(), LocalGet(b), LocalGet(b), equal]);
        code.extend([I32And, I32Eqz, If(BlockType::Empty), Call(self.invalid), End]);
        code.extend([LocalGet(a), LocalGet(b), comparison]);
        Some(code)
    }

    fn double_root(&self, first: u32) -> Vec<Instruction<'static>> {
        use Instruction::*;
        let (a, r) = (first, first + 1);
        let mut code = vec![LocalTee(a), F64Sqrt, LocalTee(r), LocalGet(r), F64Ne];
        code.extend([If(BlockType::Empty), LocalGet(a), LocalGet(a), LocalGet(r)]);
        code.extend([Call(self.sum), End, LocalGet(r)]);
        code
    }

    fn single_root(&self, first: u32) -> Vec<Instruction<'static>> {
        use Instruction::*;
        let (a, r) = (first, first + 1);
        let mut code = vec![LocalTee(a), F32Sqrt, LocalTee(r), LocalGet(r), F32Ne];
        code.push(If(BlockType::Empty));
        code.extend([a, a, r].into_iter().flat_map(|x| [LocalGet(x), F64PromoteF32]));
        code.extend([Call(self.sum), End, LocalGet(r)]);
        code
    }

    /// A narrowing is a product with 1.
    fn demotion(&self, first: u32) -> Vec<Instruction<'static>> {
        use Instruction::*;
        let (a, r) = (first, first + 3);
        let mut code = vec![LocalTee(a), F32DemoteF64, LocalSet(r)];
        code.extend(in_trouble(r, Trouble::TinyToo, true));
        code.extend([If(BlockType::Empty), LocalGet(a), F64Const(1.0.into())]);
        code.extend([LocalGet(r), F64PromoteF32, Call(self.product[SINGLE]), End, LocalGet(r)]);
        code
    }
}

/// Which results are looked at.
#[derive(Clone, Copy)]
pub(super) enum Trouble {
    /// What is not finite.
    Infinite,
    /// What is not finite, zero or smaller than any normal number.
    TinyToo,
}

/// Whether the float, of 64 or of 32 bits, is one to look at.
pub(super) fn in_trouble(r: u32, which: Trouble, single: bool) -> Vec<Instruction<'static>> {
    use Instruction::*;
    match (which, single) {
        (Trouble::Infinite, false) => {
            vec![LocalGet(r), LocalGet(r), F64Sub, F64Const(0.0.into()), F64Ne]
        }
        (Trouble::Infinite, true) => {
            vec![LocalGet(r), LocalGet(r), F32Sub, F32Const(0.0.into()), F32Ne]
        }
        // Without its sign, from the smallest normal number on and below infinity is
        // one range.
        (Trouble::TinyToo, false) => vec![
            LocalGet(r),
            I64ReinterpretF64,
            I64Const(1),
            I64Shl,
            I64Const(0x0020_0000_0000_0000),
            I64Sub,
            I64Const(0xffc0_0000_0000_0000_u64 as i64),
            I64GeU,
        ],
        (Trouble::TinyToo, true) => vec![
            LocalGet(r),
            I32ReinterpretF32,
            I32Const(1),
            I32Shl,
            I32Const(0x0100_0000),
            I32Sub,
            I32Const(0xfe00_0000_u32 as i32),
            I32GeU,
        ],
    }
}

/// A helper for results that are not finite; `pole` says whether an infinite one of
/// finite operands is a division by zero.
fn not_finite(flags: &Flags, pole: &[Instruction<'static>]) -> Vec<Instruction<'static>> {
    use Instruction::*;
    let number = |x| [LocalGet(x), LocalGet(x), F64Eq];
    let mut code = vec![LocalGet(RESULT), LocalGet(RESULT), F64Ne, If(BlockType::Empty)];
    code.extend(number(A));
    code.extend(number(B));
    code.extend([I32And, If(BlockType::Empty)]);
    code.extend(flags.raise(INVALID));
    code.extend([End, Return, End]);
    code.extend(finite(A));
    code.extend(finite(B));
    code.extend([I32And, If(BlockType::Empty)]);
    code.extend_from_slice(pole);
    code.push(If(BlockType::Empty));
    code.extend(flags.raise(DIVIDE_BY_ZERO));
    code.push(Else);
    code.extend(flags.raise(OVERFLOW));
    code.extend([End, End]);
    code
}

/// A helper for results that may be next to zero too: `nothing` says that zero is the
/// right result, `inexact` that digits were lost; `otherwise` is for the rest.
fn tiny_too(
    flags: &Flags,
    nothing: &[Instruction<'static>],
    inexact: &[Instruction<'static>],
    otherwise: u32,
) -> Vec<Instruction<'static>> {
    use Instruction::*;
    let mut code = vec![LocalGet(RESULT), F64Abs, F64Const(1.0.into()), F64Lt];
    code.push(If(BlockType::Empty));
    code.extend_from_slice(nothing);
    code.extend([I32Eqz, If(BlockType::Empty)]);
    code.extend_from_slice(inexact);
    code.push(If(BlockType::Empty));
    code.extend(flags.raise(UNDERFLOW));
    code.extend([End, End, Return, End]);
    code.extend([LocalGet(A), LocalGet(B), LocalGet(RESULT), Call(otherwise)]);
    code
}

/// The operation, of the two floats on the stack, and what is done in trouble is begun.
fn looked_at(
    [a, b, r]: [u32; 3],
    operation: Instruction<'static>,
    which: Trouble,
    single: bool,
) -> Vec<Instruction<'static>> {
    use Instruction::*;
    let mut code = vec![LocalSet(b), LocalTee(a), LocalGet(b), operation, LocalSet(r)];
    code.extend(in_trouble(r, which, single));
    code.push(If(BlockType::Empty));
    code
}

/// The operation, of the two floats on the stack, and a look at its result.
fn double(
    first: u32,
    operation: Instruction<'static>,
    which: Trouble,
    helper: u32,
) -> Vec<Instruction<'static>> {
    use Instruction::*;
    let [a, b, r] = [first, first + 1, first + 2];
    let mut code = looked_at([a, b, r], operation, which, false);
    if matches!(which, Trouble::TinyToo) {
        // Zeros are many in data, and a call for each would be felt.
        code.extend([LocalGet(a), F64Const(0.0.into()), F64Eq, LocalGet(b), F64Const(0.0.into())]);
        code.extend([F64Eq, I32Or, LocalGet(r), F64Const(0.0.into()), F64Eq, I32And, I32Eqz]);
        code.push(If(BlockType::Empty));
    }
    code.extend([LocalGet(a), LocalGet(b), LocalGet(r), Call(helper)]);
    if matches!(which, Trouble::TinyToo) {
        code.push(End);
    }
    code.extend([End, LocalGet(r)]);
    code
}

fn single(
    first: u32,
    operation: Instruction<'static>,
    which: Trouble,
    helper: u32,
) -> Vec<Instruction<'static>> {
    use Instruction::*;
    let [a, b, r] = [first, first + 1, first + 2];
    let mut code = looked_at([a, b, r], operation, which, true);
    code.extend([a, b, r].into_iter().flat_map(|x| [LocalGet(x), F64PromoteF32]));
    code.extend([Call(helper), End, LocalGet(r)]);
    code
}

#[cfg(test)]
#[path = "operations_tests.rs"]
mod tests;
