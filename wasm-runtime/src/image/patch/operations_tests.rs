//! Each operation notes down what IEEE 754 says of it, and gives what it gave.

use wasm_encoder::{
    CodeSection, ExportKind, ExportSection, Function, FunctionSection, Instruction, Module,
    NameMap, NameSection, TypeSection, ValType,
};
use wasmtime::{Engine, Instance, Store};

use super::*;

const NONE: i32 = 0;
const DENORMAL: f64 = 5e-324;
const SMALL: f64 = 1e-200;
const BIG: f64 = 1e300;
const NAN: f64 = f64::NAN;
const INFINITE: f64 = f64::INFINITY;

/// A module whose `f` does the operation on two floats and gives one.
fn module(operation: &Instruction<'static>, operands: u32) -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::F64; 2], [ValType::F64]);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let memories = crate::image::patch::tests::memory(1);
    let mut exports = ExportSection::new();
    exports.export("f", ExportKind::Func, 0).export("memory", ExportKind::Memory, 0);
    let mut body = Function::new([]);
    for operand in 0..operands {
        body.instruction(&Instruction::LocalGet(operand));
    }
    body.instruction(operation);
    if matches!(operation, Instruction::F32DemoteF64) {
        body.instruction(&Instruction::F64PromoteF32);
    }
    body.instruction(&Instruction::End);
    let mut code = CodeSection::new();
    code.function(&body);
    let mut map = NameMap::new();
    map.append(0, "f");
    let mut names = NameSection::new();
    names.functions(&map);
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&memories).section(&exports);
    module.section(&code).section(&names);
    module.finish()
}

fn check(
    operation: &Instruction<'static>,
    operands: u32,
    plain: fn(f64, f64) -> f64,
    cases: &[(f64, f64, i32)],
) {
    let wasm = module(operation, operands);
    let functions = Functions::read(&wasm).unwrap();
    let mut rewrite = Rewrite::of(&functions);
    let helpers = Helpers::add_to(&mut rewrite, &Flags { address: 8 });
    let locals = [[ValType::F64; 3], [ValType::F32; 3]].concat();
    let instead = |operator: &Operator<'_>, first| helpers.instead(operator, first);
    rewrite.each(&wasm, &functions, ("f", 0), &locals, instead).unwrap();
    let engine = Engine::default();
    let patched = wasmtime::Module::new(&engine, rewrite.apply(&wasm).unwrap()).unwrap();
    for &(a, b, expected) in cases {
        let mut store = Store::new(&engine, ());
        let instance = Instance::new(&mut store, &patched, &[]).unwrap();
        let function = instance.get_typed_func::<(f64, f64), f64>(&mut store, "f").unwrap();
        let result = function.call(&mut store, (a, b)).unwrap();
        let memory = instance.get_memory(&mut store, "memory").unwrap();
        let flags = i32::from_le_bytes(memory.data(&store)[8..12].try_into().unwrap());
        assert_eq!(flags, expected, "{a:e} and {b:e} give {result:e}");
        assert!(result == plain(a, b) || result.is_nan() && plain(a, b).is_nan(), "{a:e} {b:e}");
    }
}

#[test]
fn sums() {
    let cases = [
        (1.0, 2.0, NONE),
        (f64::MAX, f64::MAX, OVERFLOW),
        (INFINITE, -INFINITE, INVALID),
        (INFINITE, 1.0, NONE),
        (NAN, INFINITE, NONE),
        // What is next to zero is added without loss.
        (DENORMAL, -DENORMAL * 3.0, NONE),
    ];
    check(&Instruction::F64Add, 2, |a, b| a + b, &cases);
}

#[test]
fn products() {
    let cases = [
        (2.0, 0.0, NONE),
        (BIG, BIG, OVERFLOW),
        (INFINITE, 0.0, INVALID),
        (INFINITE, 2.0, NONE),
        (NAN, 0.0, NONE),
        (SMALL, SMALL, UNDERFLOW),
        (SMALL, 1e-110, UNDERFLOW),
        (DENORMAL, 0.5, UNDERFLOW),
        // Below the normal numbers, and exact.
        (DENORMAL, 2.0, NONE),
        (DENORMAL * 4.0, 0.5, NONE),
        (f64::MIN_POSITIVE, 0.5, NONE),
        (f64::MIN_POSITIVE, 0.3, UNDERFLOW),
    ];
    check(&Instruction::F64Mul, 2, |a, b| a * b, &cases);
}

#[test]
fn quotients() {
    let cases = [
        (1.0, 3.0, NONE),
        (1.0, 0.0, DIVIDE_BY_ZERO),
        (0.0, 0.0, INVALID),
        (INFINITE, 0.0, NONE),
        (INFINITE, INFINITE, INVALID),
        (1.0, INFINITE, NONE),
        (0.0, 5.0, NONE),
        (NAN, 0.0, NONE),
        (BIG, 1e-300, OVERFLOW),
        (1e-300, BIG, UNDERFLOW),
        (f64::MIN_POSITIVE, 2.0, NONE),
        (f64::MIN_POSITIVE, 3.0, UNDERFLOW),
    ];
    check(&Instruction::F64Div, 2, |a, b| a / b, &cases);
}

#[test]
fn roots() {
    let cases = [
        (4.0, 0.0, NONE),
        (-1.0, 0.0, INVALID),
        (-0.0, 0.0, NONE),
        (NAN, 0.0, NONE),
        (INFINITE, 0.0, NONE),
    ];
    check(&Instruction::F64Sqrt, 1, |a, _| a.sqrt(), &cases);
}

#[test]
fn narrowings() {
    let cases = [
        (1.5, 0.0, NONE),
        (BIG, 0.0, OVERFLOW),
        (NAN, 0.0, NONE),
        (-INFINITE, 0.0, NONE),
        (SMALL, 0.0, UNDERFLOW),
        (0.0, 0.0, NONE),
        // The smallest 32-bit float, exactly.
        (f64::from(f32::from_bits(1)), 0.0, NONE),
    ];
    check(&Instruction::F32DemoteF64, 1, |a, _| f64::from(a as f32), &cases);
}
