//! From the bytes of a file to UTF-8 text: unpacked, decoded, its lines counted.
//!
//! ```text
//!   Raw ─▶ Unpacked ─▶ Text
//!   hashed  bounded    UTF-8, without a mark
//! ```
//!
//! Everything streams. What cannot be read on is a [`Fault`] inside the
//! `io::Error`, so that it comes through any reader in between.

pub(super) mod encoding;
pub(super) mod lines;
pub(super) mod packed;

use std::io::Read;

use encoding_rs::{CoderResult, Decoder, DecoderResult, Encoding, UTF_8};

use self::packed::Unpacked;

/// Why a text cannot be read on.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// A row without end.
    #[error("a row is too long")]
    TooLong,
    /// Bytes that mean nothing in the encoding.
    #[error("it is not {0}")]
    Malformed(&'static str),
    /// It unpacks to more than it may.
    #[error("it unpacks to more than {0}: it may be made to fill the disk")]
    Bomb(String),
    /// What it is packed in is damaged.
    #[error("its compressed data is damaged or cut off ({0})")]
    Damaged(String),
}

impl Fault {
    pub(super) fn of(error: &std::io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<Fault> for std::io::Error {
    fn from(fault: Fault) -> Self {
        Self::other(fault)
    }
}

/// Decoded at a time.
const CHUNK: usize = 64 << 10;

/// A file's text in UTF-8.
pub(super) struct Text<'a> {
    unpacked: Unpacked<'a>,
    /// `None`: it is UTF-8 already, or is to be looked at by whoever reads it.
    decoder: Option<Decoding>,
    /// Read to look for a mark, and not yet handed out.
    ahead: Vec<u8>,
}

struct Decoding {
    decoder: Decoder,
    name: &'static str,
    input: Vec<u8>,
    at: usize,
    ended: bool,
    done: bool,
    output: Vec<u8>,
    given: usize,
}

impl<'a> Text<'a> {
    /// Takes a mark at the beginning away. A UTF-16 mark says what the text is in,
    /// whatever `encoding` says.
    pub(super) fn new(
        mut unpacked: Unpacked<'a>,
        encoding: &'static Encoding,
    ) -> std::io::Result<Self> {
        let mut ahead = Vec::new();
        unpacked.by_ref().take(3).read_to_end(&mut ahead)?;
        let (encoding, mark) = Encoding::for_bom(&ahead).unwrap_or((encoding, 0));
        ahead.drain(..mark);
        let decoder = (encoding != UTF_8).then(|| Decoding {
            decoder: encoding.new_decoder_without_bom_handling(),
            name: encoding.name(),
            input: std::mem::take(&mut ahead),
            at: 0,
            ended: false,
            done: false,
            output: Vec::new(),
            given: 0,
        });
        Ok(Self { unpacked, decoder, ahead })
    }

    /// What it is in, if it is not UTF-8.
    pub(super) fn encoding(&self) -> Option<&'static str> {
        self.decoder.as_ref().map(|decoding| decoding.name)
    }

    /// The hash of the whole file's bytes, as they are on disk.
    pub(super) fn hash(&mut self) -> std::io::Result<String> {
        self.unpacked.hash()
    }
}

impl Read for Text<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if let Some(decoding) = &mut self.decoder {
            return decoding.read(&mut self.unpacked, buffer);
        }
        if !self.ahead.is_empty() {
            let taken = self.ahead.len().min(buffer.len());
            buffer[..taken].copy_from_slice(&self.ahead[..taken]);
            self.ahead.drain(..taken);
            return Ok(taken);
        }
        self.unpacked.read(buffer)
    }
}

impl Decoding {
    fn read(&mut self, from: &mut Unpacked<'_>, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.given == self.output.len() {
            if self.done {
                return Ok(0);
            }
            self.fill(from)?;
        }
        let ready = &self.output[self.given..];
        let taken = ready.len().min(buffer.len());
        buffer[..taken].copy_from_slice(&ready[..taken]);
        self.given += taken;
        Ok(taken)
    }

    fn fill(&mut self, from: &mut Unpacked<'_>) -> std::io::Result<()> {
        if self.at == self.input.len() && !self.ended {
            self.input.resize(CHUNK, 0);
            self.at = 0;
            let read = from.read(&mut self.input)?;
            self.input.truncate(read);
            self.ended = read == 0;
        }
        // Three bytes of UTF-8 for each of one byte, and what the decoder holds back.
        self.output.resize(4 * CHUNK, 0);
        self.given = 0;
        let input = &self.input[self.at..];
        let (result, read, written) =
            self.decoder.decode_to_utf8_without_replacement(input, &mut self.output, self.ended);
        self.output.truncate(written);
        self.at += read;
        match result {
            DecoderResult::InputEmpty => self.done = self.ended,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => return Err(Fault::Malformed(self.name).into()),
        }
        Ok(())
    }
}

/// The same of bytes in memory, with what means nothing replaced: for looking only.
pub(super) fn shown(bytes: &[u8], encoding: &'static Encoding) -> String {
    let mut text = String::with_capacity(bytes.len() * 3 + 16);
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut at = 0;
    loop {
        let (result, read, _) = decoder.decode_to_string(&bytes[at..], &mut text, true);
        at += read;
        match result {
            CoderResult::InputEmpty => return text,
            CoderResult::OutputFull => text.reserve(bytes.len() - at + 16),
        }
    }
}
