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

/// A function and which of its `i32.const 7` before a call of
/// `PyArray_DescrFromType` chooses the default integer.
struct Site {
    function: &'static str,
    /// How many such constants the function has.
    constants: usize,
    /// Which of them to change, from 0.
    change: usize,
}

const SITES: &[Site] = &[
    Site { function: "discover_descriptor_from_pylong", constants: 1, change: 0 },
    Site { function: "int_default_descriptor", constants: 1, change: 0 },
    Site { function: "_convert_from_any", constants: 1, change: 0 },
    Site { function: "PyArray_ArangeObj", constants: 1, change: 0 },
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
    #[error("{name} in python.wasm has {found} places that choose the default integer, expected {expected}")]
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
    for site in SITES {
        let body = functions.body(site.function)?;
        let found = constants_before(wasm, body, callee)?;
        if found.len() != site.constants {
            return Err(PatchError::Constants {
                name: site.function,
                found: found.len(),
                expected: site.constants,
            });
        }
        offsets.push(found[site.change]);
    }
    for offset in offsets {
        wasm[offset] = NPY_LONGLONG;
    }
    Ok(())
}

struct Functions {
    imported: u32,
    bodies: Vec<Range<usize>>,
    by_name: HashMap<String, Vec<u32>>,
}

impl Functions {
    fn read(wasm: &[u8]) -> Result<Self, PatchError> {
        let mut functions = Self { imported: 0, bodies: Vec::new(), by_name: HashMap::new() };
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

/// Offsets of the operand of each `i32.const 7` that is the argument of a call of
/// `callee`.
fn constants_before(
    wasm: &[u8],
    body: Range<usize>,
    callee: u32,
) -> Result<Vec<usize>, PatchError> {
    let reader = wasmparser::BinaryReader::new(&wasm[body.clone()], body.start);
    let mut operators = wasmparser::FunctionBody::new(reader).get_operators_reader()?;
    let mut found = Vec::new();
    let mut constant = None;
    while !operators.eof() {
        let (operator, offset) = operators.read_with_offset()?;
        match operator {
            // One byte of opcode, one of operand.
            Operator::I32Const { value: NPY_LONG } => constant = Some(offset + 1),
            Operator::Call { function_index } if function_index == callee => {
                found.extend(constant.take());
            }
            _ => constant = None,
        }
    }
    Ok(found)
}
