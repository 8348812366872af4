//! numpy's old random generators draw integers of 64 bits.
//!
//! `np.random.poisson` and its like are computed in C's `long`, which is 32 bits wide
//! here: a draw of 2**31 and more would be 2**31 - 1, without a word, and what is drawn
//! after a rejected one would be another number. What they give is declared to be 64
//! bits wide, so only what it is computed from changes.

use wasm_encoder::Instruction;
use wasmparser::Operator;

use super::PatchError;
use super::functions::Functions;
use super::rewrite::Rewrite;

/// They call the one of 32 bits, whose twin of 64 bits the new generators use.
const OF_POISSON: [&str; 2] = ["legacy_random_poisson", "legacy_negative_binomial"];
const POISSON_32: &str = "npy_legacy_random_poisson";
const POISSON_64: &str = "random_poisson";
/// They cut off a float.
const CUT: [&str; 2] = ["legacy_random_geometric", "legacy_random_zipf"];
const MOST_32: f64 = 2_147_483_647.0;
const MOST_64: f64 = 9_223_372_036_854_775_808.0;
/// Makes a single draw a Python number.
const TO_PYTHON: &str = "__pyx_f_5numpy_6random_6mtrand_int64_to_long";
const FROM_32: &str = "PyLong_FromLong";
const FROM_64: &str = "PyLong_FromLongLong";

pub(super) fn add_to(
    rewrite: &mut Rewrite,
    functions: &Functions,
    wasm: &[u8],
) -> Result<(), PatchError> {
    let (poisson, wide) = (functions.index(POISSON_32)?, functions.index(POISSON_64)?);
    for name in OF_POISSON {
        let mut extended = Following::default();
        rewrite.each(wasm, functions, (name, functions.index(name)?), &[], |operator, _| {
            let after = extended.next();
            match operator {
                Operator::Call { function_index } if *function_index == poisson => {
                    extended.expect();
                    Some(vec![Instruction::Call(wide)])
                }
                Operator::I64ExtendI32S if after => Some(Vec::new()),
                _ => None,
            }
        })?;
    }
    for name in CUT {
        let mut extended = Following::default();
        rewrite.each(wasm, functions, (name, functions.index(name)?), &[], |operator, _| {
            let after = extended.next();
            match operator {
                Operator::I32TruncSatF64S => {
                    extended.expect();
                    Some(vec![Instruction::I64TruncSatF64S])
                }
                Operator::I64ExtendI32S if after => Some(Vec::new()),
                Operator::F64Const { value } if f64::from_bits(value.bits()) == MOST_32 => {
                    Some(vec![Instruction::F64Const(MOST_64.into())])
                }
                _ => None,
            }
        })?;
    }
    let (narrow, wide) = (functions.index(FROM_32)?, functions.index(FROM_64)?);
    let mut converted = Following::default();
    let function = (TO_PYTHON, functions.index(TO_PYTHON)?);
    rewrite.each(wasm, functions, function, &[], |operator, _| {
        let after = converted.next();
        match operator {
            Operator::I32WrapI64 => {
                converted.expect();
                Some(Vec::new())
            }
            Operator::Call { function_index } if after && *function_index == narrow => {
                Some(vec![Instruction::Call(wide)])
            }
            _ => None,
        }
    })
}

/// Whether an instruction stands right behind one that was replaced.
#[derive(Default)]
struct Following(bool);

impl Following {
    fn expect(&mut self) {
        self.0 = true;
    }

    fn next(&mut self) -> bool {
        std::mem::take(&mut self.0)
    }
}
