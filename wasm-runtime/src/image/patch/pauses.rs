//! A guest can be stopped in the middle of a large copy.
//!
//! `memory.copy` and `memory.fill` are single instructions that no fuel interrupts; of a
//! gigabyte that was never touched they take half a second, and a cancelled run has to be
//! gone within 100 ms. So large ones are done in parts of [`PART`] bytes, and between two
//! parts the guest calls `sched_yield`, where the host looks at the deadline and the
//! cancel flag.

use wasm_encoder::{BlockType, Instruction, ValType};
use wasmparser::Operator;

use super::PatchError;
use super::functions::Functions;
use super::rewrite::Rewrite;

/// About 5 ms, if the pages were never touched.
const PART: i32 = 16 << 20;
const YIELD: &str = "__imported_wasi_snapshot_preview1_sched_yield";
const DESTINATION: u32 = 0;
/// Of a fill, the byte.
const SOURCE: u32 = 1;
const LENGTH: u32 = 2;

/// The module with its large copies and fills in parts.
pub(super) fn add_to(wasm: &[u8]) -> Result<Vec<u8>, PatchError> {
    let functions = Functions::read(wasm)?;
    let pause = functions.index(YIELD)?;
    let mut rewrite = Rewrite::of(&functions);
    let mut append =
        |code: Vec<Instruction<'static>>| rewrite.append_new(&[ValType::I32; 3], &[], &code);
    let copy = append(copy_in_parts(pause));
    let fill = append(fill_in_parts(pause));
    for index in functions.own() {
        let mut large = Large::default();
        if functions.operators(wasm, index)?.iter().any(|operator| large.is(operator)) {
            let mut large = Large::default();
            rewrite.each(wasm, &functions, (YIELD, index), &[], |operator, _| {
                let found = large.is(operator);
                match operator {
                    Operator::MemoryCopy { .. } if found => Some(vec![Instruction::Call(copy)]),
                    Operator::MemoryFill { .. } if found => Some(vec![Instruction::Call(fill)]),
                    _ => None,
                }
            })?;
        }
    }
    rewrite.apply(wasm)
}

/// Tells the operations that may be large, which are those whose length is not a small
/// constant that stands just before them.
#[derive(Default)]
struct Large {
    small: bool,
}

impl Large {
    fn is(&mut self, operator: &Operator<'_>) -> bool {
        let bulk = matches!(operator, Operator::MemoryCopy { .. } | Operator::MemoryFill { .. });
        let large = bulk && !self.small;
        self.small = matches!(operator, Operator::I32Const { value } if (0..=PART).contains(value));
        large
    }
}

/// `(destination, source, length)`; the two may overlap.
fn copy_in_parts(pause: u32) -> Vec<Instruction<'static>> {
    use Instruction::*;
    let part = || [I32Const(PART), MemoryCopy { src_mem: 0, dst_mem: 0 }, Call(pause), Drop];
    // Forwards, unless the destination begins within the source.
    let mut code = vec![LocalGet(DESTINATION), LocalGet(SOURCE), I32Sub, LocalGet(LENGTH), I32GeU];
    code.push(If(BlockType::Empty));
    code.extend(while_large(
        [LocalGet(DESTINATION), LocalGet(SOURCE)]
            .into_iter()
            .chain(part())
            .chain(advanced(DESTINATION))
            .chain(advanced(SOURCE)),
    ));
    code.push(Else);
    let end_of = |local| [LocalGet(local), LocalGet(LENGTH), I32Const(PART), I32Sub, I32Add];
    code.extend(while_large(end_of(DESTINATION).into_iter().chain(end_of(SOURCE)).chain(part())));
    code.extend([End, LocalGet(DESTINATION), LocalGet(SOURCE), LocalGet(LENGTH)]);
    code.extend([MemoryCopy { src_mem: 0, dst_mem: 0 }, End]);
    code
}

/// `(destination, byte, length)`
fn fill_in_parts(pause: u32) -> Vec<Instruction<'static>> {
    use Instruction::*;
    let part = [LocalGet(DESTINATION), LocalGet(SOURCE), I32Const(PART), MemoryFill(0)];
    let pause = [Call(pause), Drop];
    let mut code = while_large(part.into_iter().chain(pause).chain(advanced(DESTINATION)));
    code.extend([LocalGet(DESTINATION), LocalGet(SOURCE), LocalGet(LENGTH), MemoryFill(0), End]);
    code
}

/// Does `step`, which does a part, as long as there is more than a part.
fn while_large(step: impl Iterator<Item = Instruction<'static>>) -> Vec<Instruction<'static>> {
    use Instruction::*;
    let mut code = vec![Block(BlockType::Empty), Loop(BlockType::Empty)];
    code.extend([LocalGet(LENGTH), I32Const(PART), I32LeU, BrIf(1)]);
    code.extend(step);
    code.extend([LocalGet(LENGTH), I32Const(PART), I32Sub, LocalSet(LENGTH), Br(0), End, End]);
    code
}

fn advanced(local: u32) -> [Instruction<'static>; 4] {
    use Instruction::*;
    [LocalGet(local), I32Const(PART), I32Add, LocalSet(local)]
}

#[cfg(test)]
#[path = "pauses_tests.rs"]
mod tests;
