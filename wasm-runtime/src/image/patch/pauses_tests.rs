use wasm_encoder::{
    CodeSection, EntityType, ExportKind, ExportSection, Function, FunctionSection, ImportSection,
    Module, NameMap, NameSection, TypeSection,
};
use wasmtime::{Engine, Instance, Store};

use super::*;

const PAGES: u64 = 1024;

/// A module whose `copy` and `fill` are the instructions of the name.
fn module() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([], [ValType::I32]);
    types.ty().function([ValType::I32; 3], []);
    let mut imports = ImportSection::new();
    imports.import("wasi_snapshot_preview1", "sched_yield", EntityType::Function(0));
    let mut functions = FunctionSection::new();
    functions.function(1).function(1);
    let memories = crate::image::patch::tests::memory(PAGES);
    let mut exports = ExportSection::new();
    exports.export("copy", ExportKind::Func, 1).export("fill", ExportKind::Func, 2);
    exports.export("memory", ExportKind::Memory, 0);
    let mut code = CodeSection::new();
    let copy = Instruction::MemoryCopy { src_mem: 0, dst_mem: 0 };
    for instruction in [copy, Instruction::MemoryFill(0)] {
        let mut function = Function::new([]);
        (0..3).for_each(|local| {
            function.instruction(&Instruction::LocalGet(local));
        });
        function.instruction(&instruction).instruction(&Instruction::End);
        code.function(&function);
    }
    let mut names = NameSection::new();
    let mut named = NameMap::new();
    named.append(0, YIELD);
    names.functions(&named);
    let mut module = Module::new();
    module.section(&types).section(&imports).section(&functions).section(&memories);
    module.section(&exports).section(&code).section(&names);
    module.finish()
}

/// The memory after a call, begun with bytes that tell places apart, and the pauses.
fn after(name: &str, arguments: (i32, i32, i32)) -> (Vec<u8>, u32) {
    let engine = Engine::default();
    let module = wasmtime::Module::new(&engine, add_to(&module()).unwrap()).unwrap();
    let mut store = Store::new(&engine, 0u32);
    let pause = wasmtime::Func::wrap(&mut store, |mut caller: wasmtime::Caller<'_, u32>| {
        *caller.data_mut() += 1;
        0i32
    });
    let instance = Instance::new(&mut store, &module, &[pause.into()]).unwrap();
    let memory = instance.get_memory(&mut store, "memory").unwrap();
    memory.data_mut(&mut store).copy_from_slice(&begun());
    let call = instance.get_typed_func::<(i32, i32, i32), ()>(&mut store, name).unwrap();
    call.call(&mut store, arguments).unwrap();
    (memory.data(&store).to_vec(), *store.data())
}

fn begun() -> Vec<u8> {
    (0..PAGES as usize * 65_536).map(|at| (at % 65_521 % 251) as u8).collect()
}

#[test]
fn a_large_copy_pauses_and_copies_whatever_overlaps() {
    let more = 2 * PART + 5;
    for (destination, source, length, pauses) in [
        (0, 10, more, 2),
        (10, 0, more, 2),
        (PART + 7, 0, more, 2),
        (0, PART + 7, more, 2),
        (3, 3, more, 2),
        (0, 1 << 25, PART + 1, 1),
        (0, 1 << 25, PART, 0),
        (5, 1, 100, 0),
        (1, 5, 0, 0),
    ] {
        let (found, paused) = after("copy", (destination, source, length));
        let mut expected = begun();
        let (from, to) = (source as usize, destination as usize);
        expected.copy_within(from..from + length as usize, to);
        assert!(found == expected, "{destination} {source} {length}");
        assert_eq!(paused, pauses, "{destination} {source} {length}");
    }
}

#[test]
fn a_large_fill_pauses_and_fills() {
    for (length, pauses) in [(3 * PART, 2), (3 * PART + 1, 3), (PART, 0), (9, 0)] {
        let (found, paused) = after("fill", (77, 5, length));
        let mut expected = begun();
        expected[77..77 + length as usize].fill(5);
        assert!(found == expected, "{length}");
        assert_eq!(paused, pauses, "{length}");
    }
}
