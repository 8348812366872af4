//! A 64-bit integer where an index is wanted: taken, if it fits.
//!
//! On a 64-bit machine an `int64` *is* an index, so numpy's compiled functions take it
//! (`np.repeat`'s counts, `np.choose`, a sorter), and so they do a `uint32`. Here the
//! cast narrows, and numpy refuses it as unsafe. So it is declared safe, and made safe:
//! the loops that do it look at each value and raise `OverflowError` before one is cut.
//! A single index that does not fit is out of any array's range, an `IndexError`.

use wasm_encoder::{BlockType, Instruction, MemArg, ValType};
use wasmparser::{BinaryReader, FunctionBody, Operator};

use super::PatchError;
use super::functions::Functions;
use super::rewrite::Rewrite;

const CAN_CAST: &str = "PyArray_CanCastSafely";
/// Types in a row of the table of safe casts.
const ROW: usize = 24;
/// `NPY_LONGLONG` to `NPY_LONG`, `NPY_ULONGLONG` to `NPY_ULONG`, `NPY_UINT` to
/// `NPY_LONG`; and whether it is safe the other way.
const CASTS: [(usize, usize, bool); 3] = [(9, 7, true), (10, 8, true), (6, 7, false)];

/// What the loops of a cast look at.
#[derive(Clone, Copy)]
enum Values {
    Signed64,
    Unsigned64,
    Unsigned32,
}

/// The loops' names behind their layout, each of `(context, data, dimensions, strides,
/// auxiliary) -> -1 on error`.
const LOOPS: [(&str, Values); 3] = [
    ("longlong_to_long", Values::Signed64),
    ("ulonglong_to_ulong", Values::Unsigned64),
    ("uint_to_long", Values::Unsigned32),
];
/// The layouts, and whether the values follow each other.
const LAYOUTS: [(&str, bool); 4] = [
    ("_aligned_contig_cast", true),
    ("_contig_cast", true),
    ("_aligned_cast", false),
    ("_cast", false),
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
        return Err(PatchError::Constants {
            name: CAN_CAST.to_owned(),
            found: tables.len(),
            expected: 1,
        });
    };
    let entries = CASTS.map(|(from, to, _)| table + from * ROW + to);
    // What is safe is so in both directions of a pair only by this change.
    let as_measured = CASTS.iter().zip(entries).all(|((from, to, back), entry)| {
        let other_way = table + to * ROW + from;
        wasm.get(entry) == Some(&0) && wasm.get(other_way) == Some(&u8::from(*back))
    });
    if !as_measured {
        return Err(PatchError::Constants {
            name: CAN_CAST.to_owned(),
            found: 0,
            expected: CASTS.len(),
        });
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
        CASTS.iter().flat_map(|&(from, to, _)| not_by_number(from as i32, to as i32)).collect()
    })?;
    let raise = functions.index(RAISE)?;
    let error = Raised::find(wasm, functions, OVERFLOWS)?;
    for (layout, contiguous) in LAYOUTS {
        for (cast, values) in LOOPS {
            rewrite.before(wasm, functions, &format!("{layout}_{cast}"), 3, |first| {
                look_at_each(first, contiguous, values, raise, &error)
            })?;
        }
    }
    beyond_any_array(rewrite, functions, wasm, &error)
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

/// Reads an index that is a number: `(…) -> -1 on error`.
const READ_INDEX: &str = "prepare_index_noarray";
/// Where an index that is out of range is an `IndexError`.
const OUT_OF_RANGE: &str = "bytes_item";
const MATCHES: &str = "PyErr_ExceptionMatches";

/// `a[2**40]` is out of range, as an index of 64 bits is that no array has.
fn beyond_any_array(
    rewrite: &mut Rewrite,
    functions: &Functions,
    wasm: &[u8],
    overflow: &Raised,
) -> Result<(), PatchError> {
    use Instruction::*;
    let (matches, set_string) = (functions.index(MATCHES)?, functions.index(SET_STRING)?);
    let range = Raised::find(wasm, functions, OUT_OF_RANGE)?;
    let parameters = functions.signature(READ_INDEX)?.parameters;
    let class = |error: &Raised| MemArg { offset: error.class, align: 2, memory_index: 0 };
    rewrite.around(wasm, functions, READ_INDEX, &[(1, ValType::I32)], |original, status| {
        let mut code: Vec<_> = (0..parameters).map(LocalGet).collect();
        code.extend([Call(original), LocalTee(status), I32Const(0), I32LtS]);
        code.push(If(BlockType::Empty));
        code.extend([I32Const(0), I32Load(class(overflow)), Call(matches)]);
        code.push(If(BlockType::Empty));
        code.extend([I32Const(0), I32Load(class(&range)), I32Const(range.text), Call(set_string)]);
        code.extend([End, End, LocalGet(status), End]);
        code
    })
}

/// An error that a function raises: addresses of the pointer to the class and of the
/// text.
struct Raised {
    class: u64,
    text: i32,
}

impl Raised {
    fn find(wasm: &[u8], functions: &Functions, name: &str) -> Result<Self, PatchError> {
        let set_string = functions.index(SET_STRING)?;
        let body = functions.body(name)?;
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
        Err(PatchError::Constants { name: name.to_owned(), found: 0, expected: 1 })
    }
}

fn look_at_each(
    first: u32,
    contiguous: bool,
    values: Values,
    raise: u32,
    error: &Raised,
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
    let (bytes, fits) = match values {
        Values::Signed64 => (8, [LocalGet(value), I64Load(any), LocalGet(value), I64Load32S(any)]),
        Values::Unsigned64 => {
            (8, [LocalGet(value), I64Load(any), LocalGet(value), I64Load32U(any)])
        }
        Values::Unsigned32 => {
            (4, [LocalGet(value), I64Load32U(any), LocalGet(value), I64Load32S(any)])
        }
    };
    if contiguous {
        code.extend([I32Const(bytes), LocalSet(stride)]);
    } else {
        code.extend([LocalGet(STRIDES), I32Load(word), LocalSet(stride)]);
    }
    code.extend([Block(BlockType::Empty), Loop(BlockType::Empty), LocalGet(left), I32Eqz, BrIf(1)]);
    code.extend(fits);
    code.extend([
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
