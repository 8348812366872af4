//! A float that no integer holds, as an integer: in numpy's casts, in `np.reciprocal` and
//! where a duration meets a float.
//!
//! C leaves open what comes of such a cast; WebAssembly takes the nearest integer and
//! makes zero of what is not a number. Scripts know what numpy gives on x86-64, where
//! the processor has one answer, *indefinite* (the sign bit alone), and says that the
//! operation was invalid; narrower integers are cut out of a wider one:
//!
//! | to | goes through | out of that one's range |
//! |---|---|---|
//! | 8 and 16 bits, `int32` | 32 bits, signed | indefinite, cut |
//! | `uint32` | 64 bits, signed | indefinite, cut |
//! | `int64` | 64 bits, signed | indefinite |
//! | `uint64` | 64 bits, signed; from 2**63 on what is above that | indefinite |
//!
//! (Natively some lanes of a long array of `uint32` come out otherwise, by where in the
//! array they stand. The table is what single values give.)

use wasm_encoder::{BlockType, Instruction, ValType};
use wasmparser::Operator;

use super::PatchError;
use super::functions::Functions;
use super::operations::{Flags, INVALID};
use super::rewrite::Rewrite;

const LAYOUTS: [&str; 4] = ["_aligned_contig_cast", "_contig_cast", "_aligned_cast", "_cast"];
const FLOATS: [&str; 5] = ["half", "float", "double", "cfloat", "cdouble"];
const INTEGERS: [(&str, Through); 10] = [
    ("byte", Through::Int32),
    ("ubyte", Through::Int32),
    ("short", Through::Int32),
    ("ushort", Through::Int32),
    ("int", Through::Int32),
    ("uint", Through::Low32),
    ("long", Through::Int32),
    ("ulong", Through::Low32),
    ("longlong", Through::Int64),
    ("ulonglong", Through::Uint64),
];
/// From each of the floats, in capital letters, to dates and durations.
const TIMES: [&str; 2] = ["DATETIME", "TIMEDELTA"];
/// A duration times or over a float.
const DURATIONS: [&str; 3] = ["md_m_multiply", "dm_m_multiply", "md_m_divide"];
#[derive(Clone, Copy)]
pub(super) enum Through {
    Int32,
    /// 64 bits, of which the low half is taken.
    Low32,
    Int64,
    /// The same; what is not finite is looked at before, and the answer thrown away.
    FiniteInt64,
    Uint64,
}

/// Functions for floats that are out of range, or nearly.
pub(super) struct Helpers {
    int32: u32,
    int64: u32,
    finite_int64: u32,
    uint64: u32,
}

const TWO_31: f64 = 2_147_483_648.0;
const TWO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_64: f64 = 2.0 * TWO_63;

/// Casts; what also serves [`loops`].
pub(super) fn add_to(
    rewrite: &mut Rewrite,
    functions: &Functions,
    wasm: &[u8],
    flags: &Flags,
) -> Result<Helpers, PatchError> {
    let helpers = Helpers::add_to(rewrite, flags);
    let casts = LAYOUTS.iter().flat_map(|layout| {
        FLOATS.iter().flat_map(move |float| {
            INTEGERS
                .iter()
                .map(move |(to, through)| (format!("{layout}_{float}_to_{to}"), *through))
        })
    });
    let times = FLOATS.iter().flat_map(|float| {
        TIMES.map(|time| (format!("{}_to_{time}", float.to_uppercase()), Through::Int64))
    });
    for (name, through) in casts.chain(times) {
        let function = (name.as_str(), functions.index(&name)?);
        rewrite.each(wasm, functions, function, &[ValType::F64], |operator, x| {
            helpers.instead(operator, through, x)
        })?;
    }
    Ok(helpers)
}

/// Loops that compute with floats and give integers: one over an integer, a duration
/// times or over a float.
pub(super) fn loops() -> impl Iterator<Item = (String, Through)> {
    let reciprocals = INTEGERS
        .iter()
        .map(|(of, through)| (format!("{}_reciprocal", of.to_uppercase()), *through));
    let durations =
        DURATIONS.map(|operation| (format!("TIMEDELTA_{operation}"), Through::FiniteInt64));
    reciprocals.chain(durations)
}

impl Helpers {
    fn add_to(rewrite: &mut Rewrite, flags: &Flags) -> Self {
        use Instruction::*;
        let mut append = |to, code: Vec<Instruction<'static>>| {
            let code: Vec<_> = code.into_iter().chain([End]).collect();
            rewrite.append_new(&[ValType::F64], &[to], &code)
        };
        // What is cut off to the smallest integer is in range.
        let mut code = vec![LocalGet(0), F64Const((-TWO_31 - 1.0).into()), F64Gt];
        code.extend([LocalGet(0), F64Const(TWO_31.into()), F64Lt, I32And]);
        code.extend([If(BlockType::Empty), LocalGet(0), I32TruncSatF64S, Return, End]);
        code.extend(flags.raise(INVALID));
        code.push(I32Const(i32::MIN));
        let int32 = append(ValType::I32, code);

        let mut code = vec![LocalGet(0), F64Const((-TWO_63).into()), F64Ne];
        code.push(If(BlockType::Empty));
        code.extend(flags.raise(INVALID));
        code.extend([End, I64Const(i64::MIN)]);
        let int64 = append(ValType::I64, code);

        let mut code = vec![LocalGet(0), F64Abs, F64Const(f64::INFINITY.into()), F64Lt];
        code.extend([If(BlockType::Result(ValType::I64)), LocalGet(0), Call(int64)]);
        code.extend([Else, I64Const(i64::MIN), End]);
        let finite_int64 = append(ValType::I64, code);

        let mut code = vec![LocalGet(0), F64Const(TWO_63.into()), F64Ge];
        code.extend([If(BlockType::Empty), LocalGet(0), F64Const(TWO_64.into()), F64Ge]);
        code.push(If(BlockType::Empty));
        code.extend(flags.raise(INVALID));
        code.extend([I64Const(0), Return, End, LocalGet(0), I64TruncSatF64U, Return, End]);
        code.extend([LocalGet(0), Call(int64)]);
        let uint64 = append(ValType::I64, code);
        Self { int32, int64, finite_int64, uint64 }
    }

    /// What stands in the place of `operator` in a cast, given a local of 64 bits.
    pub(super) fn instead(
        &self,
        operator: &Operator<'_>,
        through: Through,
        x: u32,
    ) -> Option<Vec<Instruction<'static>>> {
        use Instruction::*;
        let (single, narrow) = match operator {
            Operator::I32TruncSatF32S | Operator::I32TruncSatF32U => (true, true),
            Operator::I32TruncSatF64S | Operator::I32TruncSatF64U => (false, true),
            Operator::I64TruncSatF32S | Operator::I64TruncSatF32U => (true, false),
            Operator::I64TruncSatF64S | Operator::I64TruncSatF64U => (false, false),
            _ => return None,
        };
        let (limit, helper) = match through {
            Through::Int32 if narrow => (TWO_31, vec![Call(self.int32)]),
            Through::Low32 if narrow => (TWO_63, vec![Call(self.int64), I32WrapI64]),
            Through::Int64 if !narrow => (TWO_63, vec![Call(self.int64)]),
            Through::FiniteInt64 if !narrow => (TWO_63, vec![Call(self.finite_int64)]),
            Through::Uint64 if !narrow => (TWO_63, vec![Call(self.uint64)]),
            _ => return None,
        };
        let usual = match through {
            Through::Int32 => vec![I32TruncSatF64S],
            Through::Low32 => vec![I64TruncSatF64S, I32WrapI64],
            Through::Int64 | Through::FiniteInt64 | Through::Uint64 => vec![I64TruncSatF64S],
        };
        let result = BlockType::Result(if narrow { ValType::I32 } else { ValType::I64 });
        let mut code = if single { vec![F64PromoteF32] } else { vec![] };
        code.extend([LocalTee(x), F64Abs, F64Const(limit.into()), F64Lt, If(result), LocalGet(x)]);
        code.extend(usual);
        code.extend([Else, LocalGet(x)]);
        code.extend(helper);
        code.push(End);
        Some(code)
    }
}
