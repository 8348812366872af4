//! What is computed from a 32-bit `long` or index is 64 bits wide.
//!
//! Arrays of indices stay as they are in memory, because compiled code insists on
//! them (`intp`). But arithmetic on them would wrap at 2**31, without a word. So
//! before a ufunc chooses its loop, operands of `NPY_LONG` are declared to be
//! `NPY_LONGLONG` (numpy casts them then, as it does for any other mixed operands),
//! and a scalar taken out of such an array is made one of 64 bits. The unsigned twins
//! likewise.

use wasm_encoder::{BlockType, Instruction, MemArg, ValType};
use wasmparser::Operator;

use super::PatchError;
use super::functions::Functions;
use super::rewrite::Rewrite;

/// Narrow types and their wide ones: `NPY_LONG`, `NPY_ULONG`.
const KINDS: [(i32, i32); 2] = [(7, 9), (8, 10)];

/// `(ufunc, operands, signature, dtypes, …)`: the dtypes are the caller's references,
/// null for an output that is not given; a non-null entry of the signature was asked
/// for by the user. Where everything that calls a ufunc comes through, once.
const CHOOSE_LOOP: &str = "promote_and_get_ufuncimpl";
/// Where a ufunc knows no loop for the classes, these look at the operands themselves, which
/// are still narrow, and what they find is remembered for the wide classes: without a change
/// `3 * index` would have every later `3 * int64` computed in 32 bits. `(ufunc, casting,
/// operands, types asked for, descriptors) -> below 0 on error`.
const RESOLVERS: &[&str] = &[
    "PyUFunc_AbsoluteTypeResolver",
    "PyUFunc_AdditionTypeResolver",
    "PyUFunc_DefaultTypeResolver",
    "PyUFunc_DivisionTypeResolver",
    "PyUFunc_DivmodTypeResolver",
    "PyUFunc_IsFiniteTypeResolver",
    "PyUFunc_IsNaTTypeResolver",
    "PyUFunc_MultiplicationTypeResolver",
    "PyUFunc_NegativeTypeResolver",
    "PyUFunc_OnesLikeTypeResolver",
    "PyUFunc_RemainderTypeResolver",
    "PyUFunc_SignTypeResolver",
    "PyUFunc_SimpleBinaryComparisonTypeResolver",
    "PyUFunc_SimpleUniformOperationTypeResolver",
    "PyUFunc_SubtractionTypeResolver",
    "PyUFunc_TrueDivisionTypeResolver",
];
/// `(data, descriptor, base) -> object`
const SCALAR: &str = "PyArray_Scalar";
/// `(type number) -> a new reference to a descriptor`
const DESCRIPTOR: &str = "PyArray_DescrFromType";
const DECREF: &str = "_Py_DecRef";
const STACK_POINTER: u32 = 0;

// Of CPython's and numpy's structures on wasm32.
const OBJECT_REFERENCES: u64 = 0;
const OBJECT_TYPE: u64 = 4;
const UFUNC_INPUTS: u64 = 8;
const UFUNC_ARGUMENTS: u64 = 16;
const UFUNC_LOOPS: u64 = 32;
const UFUNC_TYPES: u64 = 44;
const ARRAY_DESCRIPTOR: u64 = 28;
const DESCRIPTOR_BYTE_ORDER: u64 = 14;
const DESCRIPTOR_NUMBER: u64 = 16;

fn at(offset: u64) -> MemArg {
    MemArg { offset, align: 2, memory_index: 0 }
}

pub(super) fn add_to(
    rewrite: &mut Rewrite,
    functions: &Functions,
    wasm: &[u8],
) -> Result<(), PatchError> {
    let descriptor = functions.index(DESCRIPTOR)?;
    let decref = functions.index(DECREF)?;
    with_booleans(rewrite, functions, wasm)?;
    rewrite.before(wasm, functions, CHOOSE_LOOP, 5, |first| {
        KINDS.iter().flat_map(|kind| widen_operands(*kind, first, descriptor, decref)).collect()
    })?;
    for resolver in RESOLVERS {
        rewrite.around(wasm, functions, resolver, &[(5, ValType::I32)], |original, first| {
            widen_resolved(first, original, descriptor, decref)
        })?;
    }
    rewrite.around(wasm, functions, SCALAR, &[(2, ValType::I32)], |original, first| {
        let mut code = Vec::new();
        for (index, kind) in KINDS.iter().enumerate() {
            code.extend(widen_scalar(*kind, index == 0, first, original, descriptor, decref));
        }
        code.extend([
            Instruction::LocalGet(0),
            Instruction::LocalGet(1),
            Instruction::LocalGet(2),
            Instruction::Call(original),
            Instruction::End,
        ]);
        code
    })
}

/// Which class a Python integer is of beside another operand.
const OF_PYTHON: &str = "int_common_dtype";

/// A Python integer beside booleans is of the default class: in the table of classes that
/// the function looks into, `int64`'s instead of an index's.
fn with_booleans(
    rewrite: &mut Rewrite,
    functions: &Functions,
    wasm: &[u8],
) -> Result<(), PatchError> {
    // From the entry of `int8`, which the function looks at, too: those of `uint8`,
    // `int64`, and an index.
    const UINT8: u64 = 4;
    const INT64: u64 = 24;
    const INDEX: u64 = 32;
    let index = functions.index(OF_PYTHON)?;
    let mut loads = Vec::new();
    for operator in functions.operators(wasm, index)? {
        if let Operator::I32Load { memarg } = operator {
            loads.push(memarg.offset);
        }
    }
    let has = |offset: u64| loads.contains(&offset);
    let table = loads.iter().copied().find(|at| has(at + UINT8) && has(at + INDEX));
    let Some(int8) = table else {
        let name = OF_PYTHON.to_owned();
        return Err(PatchError::Constants { name, found: 0, expected: 1 });
    };
    rewrite.each(wasm, functions, (OF_PYTHON, index), &[], |operator, _| match operator {
        Operator::I32Load { memarg } if memarg.offset == int8 + INDEX => {
            Some(vec![Instruction::I32Load(at(int8 + INT64))])
        }
        _ => None,
    })
}

/// Of each argument, the class of `narrow` becomes the class of `wide`, unless the
/// signature names `narrow`.
fn widen_operands(
    (narrow, wide): (i32, i32),
    first: u32,
    descriptor: u32,
    decref: u32,
) -> Vec<Instruction<'static>> {
    use Instruction::*;
    const SIGNATURE: u32 = 2;
    const DTYPES: u32 = 3;
    let (from, to, entry, found) = (first, first + 1, first + 3, first + 4);
    let class = |number, local| {
        [
            I32Const(number),
            Call(descriptor),
            LocalTee(entry),
            I32Load(at(OBJECT_TYPE)),
            LocalSet(local),
            LocalGet(entry),
            Call(decref),
        ]
    };
    let add = |class, by| {
        [
            LocalGet(class),
            LocalGet(class),
            I32Load(at(OBJECT_REFERENCES)),
            I32Const(by),
            I32Add,
            I32Store(at(OBJECT_REFERENCES)),
        ]
    };
    let mut code = Vec::new();
    code.extend(class(narrow, from));
    code.extend(class(wide, to));
    code.push(Block(BlockType::Empty));
    // Who asks for the narrow type gets it.
    code.extend(each_entry(UFUNC_ARGUMENTS, SIGNATURE, first + 2));
    code.extend([LocalGet(found), LocalGet(from), I32Eq, BrIf(2), Br(0), End, End]);
    code.extend(each_entry(UFUNC_ARGUMENTS, DTYPES, first + 2));
    code.extend([LocalGet(found), LocalGet(from), I32Ne, BrIf(0)]);
    code.extend([LocalGet(entry), LocalGet(to), I32Store(at(0))]);
    code.extend(add(from, -1));
    code.extend(add(to, 1));
    code.extend([Br(0), End, End, End]);
    code
}

/// Calls the resolver; of each descriptor that it found for itself, a narrow kind becomes a
/// wide one. It may have found C's `int`, which is as wide as the `long` of an operand: that
/// is wide, too, if one of the operands was narrow.
fn widen_resolved(
    first: u32,
    original: u32,
    descriptor: u32,
    decref: u32,
) -> Vec<Instruction<'static>> {
    use Instruction::*;
    const OPERANDS: u32 = 2;
    const ASKED: u32 = 3;
    const DESCRIPTORS: u32 = 4;
    /// `NPY_INT` and `NPY_UINT` beside those that stand in their place.
    const AS_WIDE: [(i32, i32); 2] = [(5, 9), (6, 10)];
    let (status, narrow_ones, entry, found) = (first, first + 1, first + 3, first + 4);
    let mut code: Vec<_> = (0..=DESCRIPTORS).map(LocalGet).collect();
    code.extend([Call(original), LocalTee(status), I32Const(0), I32GeS, LocalGet(ASKED), I32Eqz]);
    code.extend([I32And, If(BlockType::Empty)]);
    code.extend(has_wide_loops(first + 2));
    code.extend([If(BlockType::Empty), I32Const(0), LocalSet(narrow_ones)]);
    code.extend(each_entry(UFUNC_INPUTS, OPERANDS, first + 2));
    code.extend([LocalGet(found), I32Load(at(ARRAY_DESCRIPTOR)), I32Load(at(DESCRIPTOR_NUMBER))]);
    // One of two that follow each other.
    code.extend([I32Const(KINDS[0].0), I32Sub, I32Const(2), I32LtU, LocalGet(narrow_ones)]);
    code.extend([I32Or, LocalSet(narrow_ones), Br(0), End, End]);
    code.extend(each_entry(UFUNC_ARGUMENTS, DESCRIPTORS, first + 2));
    for ((narrow, wide), always) in
        KINDS.into_iter().map(|kind| (kind, 1)).chain(AS_WIDE.into_iter().map(|kind| (kind, 0)))
    {
        code.extend([LocalGet(found), I32Load(at(DESCRIPTOR_NUMBER)), I32Const(narrow), I32Eq]);
        code.extend([LocalGet(narrow_ones), I32Const(always), I32Or, I32And]);
        code.extend([If(BlockType::Empty), LocalGet(entry), I32Const(wide), Call(descriptor)]);
        code.extend([I32Store(at(0)), LocalGet(found), Call(decref), Br(1), End]);
    }
    code.extend([Br(0), End, End, End, End, LocalGet(status), End]);
    code
}

/// Whether one of the ufunc's loops takes or gives `int64`: scipy has some that know no other
/// integer than a `long`. Of its locals the first counts; the second is the answer.
fn has_wide_loops(first: u32) -> Vec<Instruction<'static>> {
    use Instruction::*;
    const UFUNC: u32 = 0;
    let (index, found) = (first, first + 1);
    let kind = MemArg { offset: 0, align: 0, memory_index: 0 };
    vec![
        I32Const(0),
        LocalSet(found),
        LocalGet(UFUNC),
        I32Load(at(UFUNC_LOOPS)),
        LocalGet(UFUNC),
        I32Load(at(UFUNC_ARGUMENTS)),
        I32Mul,
        LocalSet(index),
        Block(BlockType::Empty),
        Loop(BlockType::Empty),
        LocalGet(index),
        I32Eqz,
        BrIf(1),
        LocalGet(index),
        I32Const(1),
        I32Sub,
        LocalTee(index),
        LocalGet(UFUNC),
        I32Load(at(UFUNC_TYPES)),
        I32Add,
        I32Load8U(kind),
        I32Const(KINDS[0].1),
        I32Ne,
        BrIf(0),
        I32Const(1),
        LocalSet(found),
        End,
        End,
        LocalGet(found),
    ]
}

/// Begins a loop over the entries of a table, from the last one on, as many as a field of the
/// ufunc says; null ones are passed over. Of its locals the first counts, the second is the
/// entry's place, the third the entry.
fn each_entry(count: u64, table: u32, first: u32) -> Vec<Instruction<'static>> {
    use Instruction::*;
    const UFUNC: u32 = 0;
    let (index, entry, found) = (first, first + 1, first + 2);
    vec![
        LocalGet(UFUNC),
        I32Load(at(count)),
        LocalSet(index),
        Block(BlockType::Empty),
        Loop(BlockType::Empty),
        LocalGet(index),
        I32Eqz,
        BrIf(1),
        LocalGet(index),
        I32Const(1),
        I32Sub,
        LocalTee(index),
        I32Const(2),
        I32Shl,
        LocalGet(table),
        I32Add,
        LocalTee(entry),
        I32Load(at(0)),
        LocalTee(found),
        I32Eqz,
        BrIf(0),
    ]
}

/// Returns early with a scalar of `wide` where the descriptor is `narrow`'s, in the
/// machine's byte order: its value goes through eight bytes on the stack.
fn widen_scalar(
    (narrow, wide): (i32, i32),
    signed: bool,
    first: u32,
    original: u32,
    descriptor: u32,
    decref: u32,
) -> Vec<Instruction<'static>> {
    use Instruction::*;
    const DATA: u32 = 0;
    const DESCR: u32 = 1;
    const BASE: u32 = 2;
    const SWAPPED: i32 = b'>' as i32;
    let (space, other) = (first, first + 1);
    let byte = MemArg { offset: DESCRIPTOR_BYTE_ORDER, align: 0, memory_index: 0 };
    let value = MemArg { offset: 0, align: 0, memory_index: 0 };
    vec![
        LocalGet(DESCR),
        I32Load(at(DESCRIPTOR_NUMBER)),
        I32Const(narrow),
        I32Eq,
        LocalGet(DESCR),
        I32Load8U(byte),
        I32Const(SWAPPED),
        I32Ne,
        I32And,
        If(BlockType::Empty),
        GlobalGet(STACK_POINTER),
        I32Const(16),
        I32Sub,
        LocalTee(space),
        GlobalSet(STACK_POINTER),
        LocalGet(space),
        LocalGet(DATA),
        if signed { I64Load32S(value) } else { I64Load32U(value) },
        I64Store(value),
        LocalGet(space),
        I32Const(wide),
        Call(descriptor),
        LocalTee(other),
        LocalGet(BASE),
        Call(original),
        // The descriptor's reference is given back; the scalar stays.
        LocalGet(other),
        Call(decref),
        LocalGet(space),
        I32Const(16),
        I32Add,
        GlobalSet(STACK_POINTER),
        Return,
        End,
    ]
}
