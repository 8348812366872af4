//! Which functions a module has, by name, and where their code is.

use std::collections::HashMap;
use std::ops::Range;

use wasmparser::{CompositeInnerType, KnownCustom, Name, Operator, Parser, Payload};

use super::PatchError;

/// See [`Functions::signature`].
#[derive(Clone, Copy)]
pub(super) struct Signature {
    pub(super) body: u32,
    pub(super) type_index: u32,
    pub(super) parameters: u32,
}

#[derive(Default)]
pub(super) struct Functions {
    imported: u32,
    /// Of each function type, its number of parameters; nothing for other types.
    parameters: Vec<Option<u32>>,
    /// Of each function with a body, its type.
    types: Vec<u32>,
    bodies: Vec<Range<usize>>,
    by_name: HashMap<String, Vec<u32>>,
    /// Active data segments: address, and place in the file.
    data: Vec<(u64, Range<usize>)>,
}

impl Functions {
    pub(super) fn read(wasm: &[u8]) -> Result<Self, PatchError> {
        let mut functions = Self::default();
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::TypeSection(section) => {
                    for group in section {
                        for ty in group?.types() {
                            functions.parameters.push(match &ty.composite_type.inner {
                                CompositeInnerType::Func(ty) => Some(ty.params().len() as u32),
                                _ => None,
                            });
                        }
                    }
                }
                Payload::FunctionSection(section) => {
                    functions.types = section.into_iter().collect::<Result<_, _>>()?;
                }
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

    /// How many functions there are, imported ones too: the index of the next one.
    pub(super) fn count(&self) -> u32 {
        self.imported + self.bodies.len() as u32
    }

    /// The functions that have a body.
    pub(super) fn own(&self) -> Range<u32> {
        self.imported..self.count()
    }

    /// The operators of the function at `index`.
    pub(super) fn operators<'a>(
        &self,
        wasm: &'a [u8],
        index: u32,
    ) -> Result<Vec<Operator<'a>>, PatchError> {
        let body = self.body_of("", index)?;
        let reader = wasmparser::BinaryReader::new(&wasm[body.clone()], body.start);
        let operators = wasmparser::FunctionBody::new(reader).get_operators_reader()?;
        Ok(operators.into_iter().collect::<Result<_, _>>()?)
    }

    /// Where a function stands in the code section, its type, and the number of its
    /// parameters.
    pub(super) fn signature(&self, name: &str) -> Result<Signature, PatchError> {
        self.signature_of(name, self.index(name)?)
    }

    /// The same of the function at `index`, which is called `name`.
    pub(super) fn signature_of(&self, name: &str, index: u32) -> Result<Signature, PatchError> {
        let missing = PatchError::Function { name: name.to_owned(), found: 0 };
        let Some(body) = index.checked_sub(self.imported) else { return Err(missing) };
        let type_index = self.types.get(body as usize).copied();
        let parameters = type_index.and_then(|ty| *self.parameters.get(ty as usize)?);
        match (type_index, parameters) {
            (Some(type_index), Some(parameters)) => Ok(Signature { body, type_index, parameters }),
            _ => Err(missing),
        }
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
    pub(super) fn data_offset(&self, address: u64) -> Option<usize> {
        self.data.iter().find_map(|(base, range)| {
            let offset = usize::try_from(address.checked_sub(*base)?).ok()?;
            (offset < range.len()).then_some(range.start + offset)
        })
    }

    pub(super) fn index(&self, name: &str) -> Result<u32, PatchError> {
        match self.by_name.get(name).map(Vec::as_slice) {
            Some([index]) => Ok(*index),
            found => Err(PatchError::Function {
                name: name.to_owned(),
                found: found.map_or(0, <[u32]>::len),
            }),
        }
    }

    /// The one function of the name that calls the function at `callee`.
    pub(super) fn that_calls(
        &self,
        wasm: &[u8],
        name: &str,
        callee: u32,
    ) -> Result<u32, PatchError> {
        let mut found = Vec::new();
        for index in self.by_name.get(name).into_iter().flatten() {
            let calls = |operator: &Operator<'_>| matches!(operator, Operator::Call { function_index } if *function_index == callee);
            if self.operators(wasm, *index)?.iter().any(calls) {
                found.push(*index);
            }
        }
        match found[..] {
            [index] => Ok(index),
            _ => Err(PatchError::Function { name: name.to_owned(), found: found.len() }),
        }
    }

    /// All functions of the name, one at least.
    pub(super) fn named(&self, name: &str) -> Result<&[u32], PatchError> {
        let none = || PatchError::Function { name: name.to_owned(), found: 0 };
        self.by_name.get(name).map(Vec::as_slice).ok_or_else(none)
    }

    /// How many types there are: the index of the next one.
    pub(super) fn types(&self) -> u32 {
        self.parameters.len() as u32
    }

    pub(super) fn body(&self, name: &str) -> Result<Range<usize>, PatchError> {
        self.body_of(name, self.index(name)?)
    }

    /// The body of the function at `index`, which is called `name`.
    pub(super) fn body_of(&self, name: &str, index: u32) -> Result<Range<usize>, PatchError> {
        let index = index.checked_sub(self.imported);
        let body = index.and_then(|index| self.bodies.get(index as usize));
        body.cloned().ok_or(PatchError::Function { name: name.to_owned(), found: 0 })
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
