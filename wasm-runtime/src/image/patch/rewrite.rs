//! A module with code put before functions' own, or around it.

use std::collections::HashMap;
use std::ops::Range;

use wasm_encoder::{Encode, Instruction, ValType};
use wasmparser::{BinaryReader, FunctionBody, Operator, Parser, Payload};

use super::PatchError;
use super::functions::{Functions, Signature};

/// What is to be changed in the code section.
pub(super) struct Rewrite {
    next: u32,
    next_type: u32,
    /// Function types behind the last one: parameters and results.
    types: Vec<(Vec<ValType>, Vec<ValType>)>,
    /// New bodies of functions, by their place in the code section.
    bodies: HashMap<u32, Vec<u8>>,
    /// Functions behind the last one: type and body.
    appended: Vec<(u32, Vec<u8>)>,
}

impl Rewrite {
    pub(super) fn of(functions: &Functions) -> Self {
        Self {
            next: functions.count(),
            next_type: functions.types(),
            types: Vec::new(),
            bodies: HashMap::new(),
            appended: Vec::new(),
        }
    }

    /// Puts `instructions` before the function's own. They get the index of the first
    /// of `locals` further locals of type i32.
    pub(super) fn before(
        &mut self,
        wasm: &[u8],
        functions: &Functions,
        name: &str,
        locals: u32,
        instructions: impl FnOnce(u32) -> Vec<Instruction<'static>>,
    ) -> Result<(), PatchError> {
        let Signature { body, parameters, .. } = functions.signature(name)?;
        let old = Body::read(wasm, functions.body(name)?)?;
        let first = parameters + old.locals.iter().map(|(count, _)| count).sum::<u32>();
        let mut declared = old.locals;
        declared.push((locals, ValType::I32));
        let mut code = encoded(&instructions(first));
        code.extend_from_slice(old.code);
        self.put(name, body, with_locals(&declared, &code))
    }

    /// The body of a function becomes another one, once.
    fn put(&mut self, name: &str, body: u32, code: Vec<u8>) -> Result<(), PatchError> {
        match self.bodies.insert(body, code) {
            None => Ok(()),
            Some(_) => Err(PatchError::Twice(name.to_owned())),
        }
    }

    /// Puts other instructions in the place of single ones of the function at `index`,
    /// one at least. They get the index of the first of the further `locals`.
    pub(super) fn each(
        &mut self,
        wasm: &[u8],
        functions: &Functions,
        (name, index): (&str, u32),
        locals: &[ValType],
        instead: impl FnMut(&Operator<'_>, u32) -> Option<Vec<Instruction<'static>>>,
    ) -> Result<(), PatchError> {
        let Signature { body, .. } = functions.signature_of(name, index)?;
        let changed = changed(wasm, functions, (name, index), locals, instead)?;
        self.put(name, body, changed)
    }

    /// A further function: one that is there, changed as by [`Self::each`], which calls
    /// itself where that one does; its index.
    pub(super) fn copy(
        &mut self,
        wasm: &[u8],
        functions: &Functions,
        name: &str,
        locals: &[ValType],
        mut instead: impl FnMut(&Operator<'_>, u32) -> Option<Vec<Instruction<'static>>>,
    ) -> Result<u32, PatchError> {
        let index = functions.index(name)?;
        let Signature { type_index, .. } = functions.signature(name)?;
        let own = self.next + self.appended.len() as u32;
        let body =
            changed(wasm, functions, (name, index), locals, |operator, first| match operator {
                Operator::Call { function_index } if *function_index == index => {
                    Some(vec![Instruction::Call(own)])
                }
                _ => instead(operator, first),
            })?;
        self.appended.push((type_index, body));
        Ok(own)
    }

    /// The function does something else, with `locals` of its own.
    pub(super) fn replace(
        &mut self,
        functions: &Functions,
        name: &str,
        locals: &[(u32, ValType)],
        instructions: &[Instruction<'static>],
    ) -> Result<(), PatchError> {
        let Signature { body, .. } = functions.signature(name)?;
        self.put(name, body, with_locals(locals, &encoded(instructions)))
    }

    /// Puts the instructions in the function's place, which get the index of the
    /// original and of the first of `locals`.
    pub(super) fn around(
        &mut self,
        wasm: &[u8],
        functions: &Functions,
        name: &str,
        locals: &[(u32, ValType)],
        instructions: impl FnOnce(u32, u32) -> Vec<Instruction<'static>>,
    ) -> Result<(), PatchError> {
        let Signature { body, type_index, parameters } = functions.signature(name)?;
        let original = self.next + self.appended.len() as u32;
        self.appended.push((type_index, wasm[functions.body(name)?].to_vec()));
        let code = encoded(&instructions(original, parameters));
        self.put(name, body, with_locals(locals, &code))
    }

    /// A further function of a type of its own; its index.
    pub(super) fn append_new(
        &mut self,
        parameters: &[ValType],
        results: &[ValType],
        instructions: &[Instruction<'_>],
    ) -> u32 {
        let new = (parameters.to_vec(), results.to_vec());
        let place = self.types.iter().position(|ty| *ty == new).unwrap_or_else(|| {
            self.types.push(new);
            self.types.len() - 1
        });
        let type_index = self.next_type + place as u32;
        self.appended.push((type_index, with_locals(&[], &encoded(instructions))));
        self.next + self.appended.len() as u32 - 1
    }

    /// A further function of the type that `like` has; its index.
    pub(super) fn append(
        &mut self,
        functions: &Functions,
        like: &str,
        instructions: &[Instruction<'_>],
    ) -> Result<u32, PatchError> {
        let Signature { type_index, .. } = functions.signature(like)?;
        self.appended.push((type_index, with_locals(&[], &encoded(instructions))));
        Ok(self.next + self.appended.len() as u32 - 1)
    }

    /// Has the function call another one at `place`, a call's operand in its body.
    pub(super) fn call_instead(
        &mut self,
        wasm: &[u8],
        functions: &Functions,
        name: &str,
        place: usize,
        callee: u32,
    ) -> Result<(), PatchError> {
        let Signature { body, .. } = functions.signature(name)?;
        let mut bytes = wasm[functions.body(name)?].to_vec();
        // Linkers write an index in five bytes, so that any other fits in its place.
        let operand = bytes.get_mut(place..place + 5);
        let Some(operand) =
            operand.filter(|operand| operand[..4].iter().all(|byte| byte & 0x80 != 0))
        else {
            return Err(PatchError::Constants { name: name.to_owned(), found: 0, expected: 1 });
        };
        for (nth, byte) in operand.iter_mut().enumerate() {
            *byte = (callee >> (7 * nth)) as u8 & 0x7f | if nth < 4 { 0x80 } else { 0 };
        }
        self.put(name, body, bytes)
    }

    /// The module with these changes.
    pub(super) fn apply(self, wasm: &[u8]) -> Result<Vec<u8>, PatchError> {
        let mut out = Vec::with_capacity(wasm.len() + (1 << 16));
        let mut copied = 0;
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::TypeSection(section) => {
                    let range = section.range();
                    let content = self.type_section(wasm, &range, section.count());
                    put_section(&mut out, wasm, &mut copied, &range, &content);
                }
                Payload::FunctionSection(section) => {
                    let range = section.range();
                    let mut content = Vec::new();
                    (section.count() + self.appended.len() as u32).encode(&mut content);
                    for ty in section {
                        ty?.encode(&mut content);
                    }
                    for (ty, _) in &self.appended {
                        ty.encode(&mut content);
                    }
                    put_section(&mut out, wasm, &mut copied, &range, &content);
                }
                Payload::CodeSectionStart { range, count, .. } => {
                    let content = self.code(wasm, &range, count)?;
                    put_section(&mut out, wasm, &mut copied, &range, &content);
                }
                _ => {}
            }
        }
        out.extend_from_slice(&wasm[copied..]);
        Ok(out)
    }

    fn type_section(&self, wasm: &[u8], range: &Range<usize>, count: u32) -> Vec<u8> {
        let mut content = Vec::with_capacity(range.len() + 64);
        (count + self.types.len() as u32).encode(&mut content);
        // The old ones stand behind their number, which has no byte without a
        // continuation but its last.
        let number = wasm[range.clone()].iter().take_while(|byte| **byte & 0x80 != 0).count() + 1;
        content.extend_from_slice(&wasm[range.start + number..range.end]);
        for (parameters, results) in &self.types {
            content.push(0x60);
            parameters.as_slice().encode(&mut content);
            results.as_slice().encode(&mut content);
        }
        content
    }

    fn code(&self, wasm: &[u8], range: &Range<usize>, count: u32) -> Result<Vec<u8>, PatchError> {
        let mut content = Vec::with_capacity(range.len() + (1 << 16));
        (count + self.appended.len() as u32).encode(&mut content);
        let reader = BinaryReader::new(&wasm[range.clone()], range.start);
        let section = wasmparser::CodeSectionReader::new(reader)?;
        for (index, body) in section.into_iter().enumerate() {
            let body = body?.range();
            match self.bodies.get(&(index as u32)) {
                Some(new) => new.as_slice().encode(&mut content),
                None => wasm[body].encode(&mut content),
            }
        }
        for (_, body) in &self.appended {
            body.as_slice().encode(&mut content);
        }
        Ok(content)
    }
}

/// The function's body with other instructions in the place of single ones.
fn changed(
    wasm: &[u8],
    functions: &Functions,
    (name, index): (&str, u32),
    locals: &[ValType],
    mut instead: impl FnMut(&Operator<'_>, u32) -> Option<Vec<Instruction<'static>>>,
) -> Result<Vec<u8>, PatchError> {
    let Signature { parameters, .. } = functions.signature_of(name, index)?;
    let range = functions.body_of(name, index)?;
    let old = Body::read(wasm, range.clone())?;
    let first = parameters + old.locals.iter().map(|(count, _)| count).sum::<u32>();
    let mut declared = old.locals;
    declared.extend(locals.iter().map(|ty| (1, *ty)));
    let reader = BinaryReader::new(&wasm[range.clone()], range.start);
    let mut operators = FunctionBody::new(reader).get_operators_reader()?;
    let (mut code, mut replaced) = (Vec::with_capacity(2 * range.len()), 0);
    while !operators.eof() {
        let (operator, from) = operators.read_with_offset()?;
        if let Some(instructions) = instead(&operator, first) {
            code.extend_from_slice(&encoded(&instructions));
            replaced += 1;
        } else {
            code.extend_from_slice(&wasm[from..operators.original_position()]);
        }
    }
    if replaced == 0 {
        return Err(PatchError::Constants { name: name.to_owned(), found: 0, expected: 1 });
    }
    Ok(with_locals(&declared, &code))
}

/// Copies what stands before a section's content, but for its length, and the new
/// content.
fn put_section(
    out: &mut Vec<u8>,
    wasm: &[u8],
    copied: &mut usize,
    section: &Range<usize>,
    content: &[u8],
) {
    // The section's id and length stand before its content.
    let mut length = section.start - 1;
    while wasm[length - 1] & 0x80 != 0 {
        length -= 1;
    }
    out.extend_from_slice(&wasm[*copied..length]);
    content.encode(out);
    *copied = section.end;
}

/// A function's body in parts.
struct Body<'a> {
    locals: Vec<(u32, ValType)>,
    code: &'a [u8],
}

impl<'a> Body<'a> {
    fn read(wasm: &'a [u8], range: Range<usize>) -> Result<Self, PatchError> {
        let body = FunctionBody::new(BinaryReader::new(&wasm[range.clone()], range.start));
        let mut reader = body.get_locals_reader()?;
        let mut locals = Vec::new();
        for _ in 0..reader.get_count() {
            let (count, ty) = reader.read()?;
            let ty = match ty {
                wasmparser::ValType::I32 => ValType::I32,
                wasmparser::ValType::I64 => ValType::I64,
                wasmparser::ValType::F32 => ValType::F32,
                wasmparser::ValType::F64 => ValType::F64,
                wasmparser::ValType::V128 => ValType::V128,
                wasmparser::ValType::Ref(wasmparser::RefType::EXNREF) => ValType::EXNREF,
                other => return Err(PatchError::Local(other.to_string())),
            };
            locals.push((count, ty));
        }
        let start = body.get_operators_reader()?.original_position();
        Ok(Self { locals, code: &wasm[start..range.end] })
    }
}

fn encoded(instructions: &[Instruction<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for instruction in instructions {
        instruction.encode(&mut bytes);
    }
    bytes
}

fn with_locals(locals: &[(u32, ValType)], code: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    locals.len().encode(&mut bytes);
    for (count, ty) in locals {
        count.encode(&mut bytes);
        ty.encode(&mut bytes);
    }
    bytes.extend_from_slice(code);
    bytes
}
