//! A 64-bit integer where an index is wanted: taken, if it fits.
//!
//! On a 64-bit machine an `int64` *is* an index, so numpy's compiled functions take it
//! (`np.repeat`'s counts, `np.choose`, a sorter). Here the cast narrows, and numpy
//! refuses it as unsafe. So it is declared safe, and made safe: the loops that do it
//! look at each value and raise `OverflowError` before one is cut.

use wasm_encoder::{BlockType, Instruction, MemArg};
use wasmparser::{BinaryReader, FunctionBody, Operator};

use super::PatchError;
use super::functions::Functions;
use super::rewrite::Rewrite;

const CAN_CAST: &str = "PyArray_CanCastSafely";
/// Types in a row of the table of safe casts.
const ROW: usize = 24;
/// `NPY_LONGLONG` to `NPY_LONG`, `NPY_ULONGLONG` to `NPY_ULONG`.
const CASTS: [(usize, usize); 2] = [(9, 7), (10, 8)];

/// `(context, data, dimensions, strides, auxiliary) -> -1 on error`, whether the
/// values follow each other, and whether they are signed.
const LOOPS: [(&str, bool, bool); 8] = [
    ("_aligned_contig_cast_longlong_to_long", true, true),
    ("_contig_cast_longlong_to_long", true, true),
    ("_aligned_cast_longlong_to_long", false, true),
    ("_cast_longlong_to_long", false, true),
    ("_aligned_contig_cast_ulonglong_to_ulong", true, false),
    ("_contig_cast_ulonglong_to_ulong", true, false),
    ("_aligned_cast_ulonglong_to_ulong", false, false),
    ("_cast_ulonglong_to_ulong", false, false),
];
/// Raises from code that may not hold the interpreter's lock: `(class, format, arguments)`.
const RAISE: &str = "npy_gil_error";
/// Where the class and the text of the error are taken from.
const OVERFLOWS: &str = "PyLong_AsLong";
const SET_STRING: &str = "PyErr_SetString";

/// Declares the casts safe to numpy's own machinery, in the table of constants that numpy makes them from.
pub(super) fn declare_safe(wasm: &mut [u8], functions: &Functions) -> Result<(), PatchError> {
    let body = functions.body(CAN_CAST)?;
    let reader = BinaryReader::new(&wasm[body.clone()], body.start);
    let mut tables = Vec::new();
    for operator in FunctionBody::new(reader).get_operators_reader()? {
        if let Operator::I32Load8U { memarg } = operator? {
            tables.extend(functions.data_offset(memarg.offset));
        }
    }
    let &[table] = &tables[..] else {
        return Err(PatchError::Constants { name: CAN_CAST, found: tables.len(), expected: 1 });
    };
    let entries = CASTS.map(|(from, to)| table + from * ROW + to);
    // What is safe is so in both directions of a pair only by this change.
    let as_measured = CASTS.iter().zip(entries).all(|((from, to), entry)| {
        wasm.get(entry) == Some(&0) && wasm.get(table + to * ROW + from) == Some(&1)
    });
    if !as_measured {
        return Err(PatchError::Constants { name: CAN_CAST, found: 0, expected: CASTS.len() });
    }
    for entry in entries {
        wasm[entry] = 1;
    }
    Ok(())
}

/// Makes them safe.
pub(super) fn add_to(
    rewrite: &mut Rewrite,
    functions: &Functions,
    wasm: &[u8],
) -> Result<(), PatchError> {
    rewrite.before(wasm, functions, CAN_CAST, 0, |_| {
        CASTS.iter().flat_map(|&(from, to)| not_by_number(from as i32, to as i32)).collect()
    })?;
    let raise = functions.index(RAISE)?;
    let error = Overflow::find(wasm, functions)?;
    for (name, contiguous, signed) in LOOPS {
        rewrite.before(wasm, functions, name, 3, |first| {
            look_at_each(first, contiguous, signed, raise, &error)
        })?;
    }
    Ok(())
}

/// Who asks by the types' numbers chooses what to compute in (scipy's sparse matrices),
/// and must not choose the narrow type.
fn not_by_number(from: i32, to: i32) -> [Instruction<'static>; 11] {
    use Instruction::*;
    [
        LocalGet(0),
        I32Const(from),
        I32Eq,
        LocalGet(1),
        I32Const(to),
        I32Eq,
        I32And,
        If(BlockType::Empty),
        I32Const(0),
        Return,
        End,
    ]
}

/// Addresses of the pointer to the class and of the text.
struct Overflow {
    class: u64,
    text: i32,
}

impl Overflow {
    fn find(wasm: &[u8], functions: &Functions) -> Result<Self, PatchError> {
        let set_string = functions.index(SET_STRING)?;
        let body = functions.body(OVERFLOWS)?;
        let reader = BinaryReader::new(&wasm[body.clone()], body.start);
        let mut last = [None, None];
        for operator in FunctionBody::new(reader).get_operators_reader()? {
            let operator = operator?;
            if let (
                Operator::Call { function_index },
                [Some(Operator::I32Load { memarg }), Some(Operator::I32Const { value })],
            ) = (&operator, &last)
                && *function_index == set_string
            {
                return Ok(Self { class: memarg.offset, text: *value });
            }
            last = [last[1].take(), Some(operator)];
        }
        Err(PatchError::Constants { name: OVERFLOWS, found: 0, expected: 1 })
    }
}

fn look_at_each(
    first: u32,
    contiguous: bool,
    signed: bool,
    raise: u32,
    error: &Overflow,
) -> Vec<Instruction<'static>> {
    use Instruction::*;
    const DATA: u32 = 1;
    const DIMENSIONS: u32 = 2;
    const STRIDES: u32 = 3;
    let (left, value, stride) = (first, first + 1, first + 2);
    let word = MemArg { offset: 0, align: 2, memory_index: 0 };
    let any = MemArg { offset: 0, align: 0, memory_index: 0 };
    let class = MemArg { offset: error.class, align: 2, memory_index: 0 };
    let mut code = vec![LocalGet(DIMENSIONS), I32Load(word), LocalSet(left)];
    code.extend([LocalGet(DATA), I32Load(word), LocalSet(value)]);
    if contiguous {
        code.extend([I32Const(8), LocalSet(stride)]);
    } else {
        code.extend([LocalGet(STRIDES), I32Load(word), LocalSet(stride)]);
    }
    code.extend([
        Block(BlockType::Empty),
        Loop(BlockType::Empty),
        LocalGet(left),
        I32Eqz,
        BrIf(1),
        LocalGet(value),
        I64Load(any),
        LocalGet(value),
        if signed { I64Load32S(any) } else { I64Load32U(any) },
        I64Ne,
        If(BlockType::Empty),
        I32Const(0),
        I32Load(class),
        I32Const(error.text),
        I32Const(0),
        Call(raise),
        I32Const(-1),
        Return,
        End,
        LocalGet(value),
        LocalGet(stride),
        I32Add,
        LocalSet(value),
        LocalGet(left),
        I32Const(1),
        I32Sub,
        LocalSet(left),
        Br(0),
        End,
        End,
    ]);
    code
}
