//! Cuts a JSON file into its top-level objects, without looking into them.

use std::io::{BufRead as _, BufReader};

use super::super::error::CatalogError;
use super::super::source::{Pass, ROW_BYTES, Source};

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Start,
    /// Within the array; whether a comma must come before the next object.
    Array {
        comma: bool,
    },
    /// One object after another.
    Lines,
    End,
}

/// One pass over the file's objects.
pub(super) struct Objects<'a> {
    source: &'a Source<'a>,
    reader: BufReader<Pass<'a>>,
    mode: Mode,
    array: bool,
    object: Vec<u8>,
    /// Of the next byte to read, and of `object`.
    here: u64,
    line: u64,
    /// Bytes of the line `here` that were taken, and of `line` before `object`: as many
    /// characters, because only an earlier object on the same line could have others.
    taken: u64,
    offset: u64,
    count: u64,
}

impl<'a> Objects<'a> {
    pub(super) fn open(source: &'a Source<'a>) -> Result<Self, CatalogError> {
        Ok(Self {
            source,
            reader: BufReader::with_capacity(1 << 18, source.reader()?),
            mode: Mode::Start,
            array: false,
            object: Vec::new(),
            here: 1,
            line: 1,
            taken: 0,
            offset: 0,
            count: 0,
        })
    }

    /// The object [`Self::next`] went to.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.object
    }

    /// The line it begins on, and the characters before it there.
    pub(super) fn place(&self) -> (u64, u64) {
        (self.line, self.offset)
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn in_array(&self) -> bool {
        self.array
    }

    pub(super) fn pass(&mut self) -> &mut Pass<'a> {
        self.reader.get_mut()
    }

    /// Goes to the next object; `false` at the end.
    pub(super) fn next(&mut self) -> Result<bool, CatalogError> {
        loop {
            let Some(byte) = self.skip_space()? else {
                return match self.mode {
                    Mode::Array { .. } => {
                        Err(self.wrong("the array is never closed: the file is cut off"))
                    }
                    _ => Ok(false),
                };
            };
            match (self.mode, byte) {
                (Mode::Start, b'[') => {
                    self.array = true;
                    self.mode = Mode::Array { comma: false };
                    self.consume(1);
                }
                (Mode::Start | Mode::Lines, b'{') => {
                    self.mode = Mode::Lines;
                    return self.take();
                }
                (Mode::Array { comma: false }, b'{') => {
                    self.mode = Mode::Array { comma: true };
                    return self.take();
                }
                (Mode::Array { comma: true }, b',') => {
                    self.mode = Mode::Array { comma: false };
                    self.consume(1);
                    if self.skip_space()? == Some(b']') {
                        return Err(self.wrong("a comma stands before the array's end"));
                    }
                }
                (Mode::Array { .. }, b']') => {
                    self.mode = Mode::End;
                    self.consume(1);
                }
                (mode, _) => return Err(self.unexpected(mode)),
            }
        }
    }

    fn unexpected(&self, mode: Mode) -> CatalogError {
        self.wrong(match mode {
            Mode::Start => {
                "it is not a table: it must be an array of objects, or one object a line"
            }
            Mode::Array { comma: true } => "a comma is missing between two objects",
            Mode::Array { comma: false } => "an element of the array is not an object",
            Mode::Lines => "a row is not an object",
            Mode::End => "something follows the array's end",
        })
    }

    fn wrong(&self, what: &str) -> CatalogError {
        self.source.line(self.here, what)
    }

    /// The next byte that is not space, not yet consumed.
    fn skip_space(&mut self) -> Result<Option<u8>, CatalogError> {
        loop {
            let buffer = self.reader.fill_buf().map_err(|e| self.source.failed(self.here, e))?;
            let Some(&byte) = buffer.first() else { return Ok(None) };
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Ok(Some(byte));
            }
            self.here += u64::from(byte == b'\n');
            self.consume(1);
            self.reader.get_ref().row();
        }
    }

    fn consume(&mut self, bytes: usize) {
        let part = &self.reader.buffer()[..bytes];
        self.taken = match memchr::memrchr(b'\n', part) {
            Some(end) => (bytes - end - 1) as u64,
            None => self.taken + bytes as u64,
        };
        self.reader.consume(bytes);
    }

    /// Takes the object that begins here.
    fn take(&mut self) -> Result<bool, CatalogError> {
        self.object.clear();
        self.line = self.here;
        self.offset = self.taken;
        self.count += 1;
        let (mut depth, mut quoted, mut escaped) = (0_u32, false, false);
        loop {
            // Filled first and looked at again, because an error must name a line too.
            if let Err(error) = self.reader.fill_buf() {
                return Err(self.source.failed(self.line, error));
            }
            let buffer = self.reader.buffer();
            if buffer.is_empty() {
                return Err(self.source.line(self.line, "the object is cut off"));
            }
            let mut end = None;
            for (at, &byte) in buffer.iter().enumerate() {
                self.here += u64::from(byte == b'\n');
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if quoted => escaped = true,
                    b'"' => quoted = !quoted,
                    b'{' | b'[' if !quoted => depth += 1,
                    b'}' | b']' if !quoted => {
                        depth -= 1;
                        if depth == 0 {
                            end = Some(at + 1);
                            break;
                        }
                    }
                    _ => {}
                }
            }
            let taken = end.unwrap_or(buffer.len());
            self.object.extend_from_slice(&buffer[..taken]);
            self.consume(taken);
            if self.object.len() > ROW_BYTES {
                return Err(self.too_long());
            }
            if end.is_some() {
                self.reader.get_ref().row();
                return Ok(true);
            }
        }
    }

    fn too_long(&self) -> CatalogError {
        let what = "the object has no end within 64 MiB; look for a quote or bracket never closed";
        self.source.line(self.line, what)
    }
}
