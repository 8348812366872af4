//! numpy's default integer, made 64 bits wide.
//!
//! On wasm32 C's `long` has 32 bits, and numpy's default integer is `long`:
//! `np.arange(100000).sum()` gives 704982704 there, without a word. In numpy's C
//! code a handful of functions choose the default integer as the constant
//! `NPY_LONG` (7) before `PyArray_DescrFromType`. Here each of them is made
//! `NPY_LONGLONG` (9): one byte each in the code section, found by the function's
//! name in the name section and by the instructions around it. A binary where
//! anything is not as expected is refused; it is never patched by guess.

use std::collections::HashMap;
use std::ops::Range;

use wasmparser::{KnownCustom, Name, Operator, Parser, Payload};

/// The functions, and how often each chooses the default integer: as the argument
/// of `PyArray_DescrFromType`, or against `NPY_LONGLONG` for one that is too big.
const SITES: &[(&str, usize)] = &[
    ("discover_descriptor_from_pylong", 2),
    ("int_default_descriptor", 1),
    ("_convert_from_any", 1),
    ("PyArray_ArangeObj", 1),
];
const CALLEE: &str = "PyArray_DescrFromType";
const NPY_LONG: i32 = 7;
const NPY_LONGLONG: u8 = 9;

/// The runtime is not the one that the patch was made for.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    /// Not a module, or cut short.
    #[error("python.wasm cannot be read as a WebAssembly module: {0}")]
    Wasm(#[from] wasmparser::BinaryReaderError),
    /// A function is missing or there are two of the name.
    #[error("python.wasm has {found} functions named {name}, expected 1")]
    Function {
        /// The function's name in the name section.
        name: &'static str,
        /// How many there are.
        found: usize,
    },
    /// A function is not the one that was measured.
    #[error(
        "{name} in python.wasm has {found} places that choose the default integer, expected {expected}"
    )]
    Constants {
        /// The function's name in the name section.
        name: &'static str,
        /// How many there are.
        found: usize,
        /// How many were measured.
        expected: usize,
    },
}

/// Rewrites `wasm` in place.
///
/// # Errors
/// Anything in the module that is not as expected; `wasm` is then unchanged.
pub fn patch_default_integer(wasm: &mut [u8]) -> Result<(), PatchError> {
    let functions = Functions::read(wasm)?;
    let callee = functions.index(CALLEE)?;
    let mut offsets = Vec::new();
    for &(name, expected) in SITES {
        let found = choices(wasm, functions.body(name)?, callee)?;
        if found.len() != expected {
            return Err(PatchError::Constants { name, found: found.len(), expected });
        }
        offsets.extend(found);
    }
    let reduction = Reduction::find(wasm, &functions)?;
    for offset in offsets {
        wasm[offset] = NPY_LONGLONG;
    }
    wasm[reduction.boolean] = NPY_LONGLONG;
    wasm[reduction.size] = BYTES_BELOW_64_BITS;
    wasm[reduction.table..reduction.table + WIDE_TABLE.len()].copy_from_slice(&WIDE_TABLE);
    Ok(())
}

const REDUCTION: &str = "reducelike_promote_and_resolve";
const BYTES_BELOW_64_BITS: u8 = 7;
/// From type numbers 2 (unsigned byte) to 10 (unsigned long long).
const NARROW_TABLE: [u8; 9] = [8, 7, 8, 7, 8, 7, 8, 7, 8];
const WIDE_TABLE: [u8; 9] = [10, 9, 10, 9, 10, 9, 10, 9, 10];

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
                name: REDUCTION,
                found: booleans.len() + sizes.len() + tables.len(),
                expected: 3,
            }),
        }
    }
}

struct Functions {
    imported: u32,
    bodies: Vec<Range<usize>>,
    by_name: HashMap<String, Vec<u32>>,
    /// Active data segments: address, and place in the file.
    data: Vec<(u64, Range<usize>)>,
}

impl Functions {
    fn read(wasm: &[u8]) -> Result<Self, PatchError> {
        let mut functions =
            Self { imported: 0, bodies: Vec::new(), by_name: HashMap::new(), data: Vec::new() };
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        if let wasmparser::TypeRef::Func(_) = import?.ty {
                            functions.imported += 1;
                        }
                    }
                }
                Payload::CodeSectionEntry(body) => functions.bodies.push(body.range()),
                Payload::DataSection(section) => {
                    for segment in section {
                        functions.data.extend(placed(&segment?)?);
                    }
                }
                Payload::CustomSection(custom) => {
                    if let KnownCustom::Name(names) = custom.as_known() {
                        functions.read_names(names)?;
                    }
                }
                _ => {}
            }
        }
        Ok(functions)
    }

    fn read_names(&mut self, names: wasmparser::NameSectionReader<'_>) -> Result<(), PatchError> {
        for name in names {
            if let Name::Function(map) = name? {
                for naming in map {
                    let naming = naming?;
                    self.by_name.entry(naming.name.to_owned()).or_default().push(naming.index);
                }
            }
        }
        Ok(())
    }

    /// Where in the file the byte at a memory address comes from.
    fn data_offset(&self, address: u64) -> Option<usize> {
        self.data.iter().find_map(|(base, range)| {
            let offset = usize::try_from(address.checked_sub(*base)?).ok()?;
            (offset < range.len()).then_some(range.start + offset)
        })
    }

    fn index(&self, name: &'static str) -> Result<u32, PatchError> {
        match self.by_name.get(name).map(Vec::as_slice) {
            Some([index]) => Ok(*index),
            found => Err(PatchError::Function { name, found: found.map_or(0, <[u32]>::len) }),
        }
    }

    fn body(&self, name: &'static str) -> Result<Range<usize>, PatchError> {
        let index = self.index(name)?.checked_sub(self.imported);
        let body = index.and_then(|index| self.bodies.get(index as usize));
        body.cloned().ok_or(PatchError::Function { name, found: 0 })
    }
}

/// An active segment's address and its bytes' place in the file.
fn placed(
    segment: &wasmparser::Data<'_>,
) -> Result<Option<(u64, Range<usize>)>, wasmparser::BinaryReaderError> {
    let wasmparser::DataKind::Active { offset_expr, .. } = &segment.kind else { return Ok(None) };
    let Operator::I32Const { value } = offset_expr.get_operators_reader().read()? else {
        return Ok(None);
    };
    let end = segment.range.end;
    Ok(Some((u64::from(value as u32), end - segment.data.len()..end)))
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

    #[test]
    fn what_is_not_the_runtime_is_refused_and_left_alone() {
        let mut empty = *b"\0asm\x01\0\0\0";
        let refused = patch_default_integer(&mut empty);
        assert!(matches!(refused, Err(PatchError::Function { name: CALLEE, found: 0 })));
        assert_eq!(empty, *b"\0asm\x01\0\0\0");
        let mut garbage = b"no module at all".to_vec();
        assert!(matches!(patch_default_integer(&mut garbage), Err(PatchError::Wasm(_))));
    }

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
