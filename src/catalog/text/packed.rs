//! gzip and zstd around a text, with a bound on what a bomb may unpack to.

use std::fs::File;
use std::io::{BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use zstd::stream::read::Decoder;

use super::Fault;

/// What a text file is packed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::catalog) enum Packing {
    None,
    Gzip,
    Zstd,
}

/// Bytes that anything may unpack to.
const FREE: u64 = 256 << 20;
/// Beyond that, how many times its own size: texts reach a tenth of it, and what
/// gzip makes of one byte repeated without end reaches 1,030.
const RATIO: u64 = 200;
/// In any case no more: a file on disk is written from it.
const MOST: u64 = 64 << 30;

const BUFFER: usize = 256 << 10;

/// The bytes on disk.
pub(super) struct Raw<'a> {
    file: &'a File,
    hasher: blake3::Hasher,
    read: u64,
}

impl Read for Raw<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.hasher.update(&buffer[..read]);
        self.read += read as u64;
        Ok(read)
    }
}

enum Reader<'a> {
    Plain(Box<Raw<'a>>),
    Gzip(Box<MultiGzDecoder<BufReader<Raw<'a>>>>),
    Zstd(Box<Decoder<'static, BufReader<Raw<'a>>>>),
}

/// The bytes that were packed.
pub(in crate::catalog) struct Unpacked<'a> {
    reader: Reader<'a>,
    unpacked: u64,
}

impl<'a> Unpacked<'a> {
    /// Of a file that is read from its beginning.
    pub(in crate::catalog) fn new(file: &'a File, packing: Packing) -> std::io::Result<Self> {
        let raw = Raw { file, hasher: blake3::Hasher::new(), read: 0 };
        let reader = match packing {
            Packing::None => Reader::Plain(Box::new(raw)),
            Packing::Gzip => {
                Reader::Gzip(Box::new(MultiGzDecoder::new(BufReader::with_capacity(BUFFER, raw))))
            }
            Packing::Zstd => {
                Reader::Zstd(Box::new(Decoder::with_buffer(BufReader::with_capacity(BUFFER, raw))?))
            }
        };
        Ok(Self { reader, unpacked: 0 })
    }

    fn raw(&mut self) -> &mut Raw<'a> {
        match &mut self.reader {
            Reader::Plain(raw) => raw,
            Reader::Gzip(decoder) => decoder.get_mut().get_mut(),
            Reader::Zstd(decoder) => decoder.get_mut().get_mut(),
        }
    }

    /// Reads what is left of the file.
    pub(in crate::catalog) fn hash(&mut self) -> std::io::Result<String> {
        std::io::copy(self.raw(), &mut std::io::sink())?;
        Ok(self.raw().hasher.finalize().to_hex().to_string())
    }

    fn bounded(&mut self, read: usize) -> std::io::Result<usize> {
        self.unpacked += read as u64;
        if self.unpacked > FREE {
            let most = self.raw().read.saturating_mul(RATIO).clamp(FREE, MOST);
            if self.unpacked > most {
                return Err(Fault::Bomb(format!("{} MiB", most >> 20)).into());
            }
        }
        Ok(read)
    }
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = match &mut self.reader {
            Reader::Plain(raw) => return raw.read(buffer),
            Reader::Gzip(decoder) => decoder.read(buffer),
            Reader::Zstd(decoder) => decoder.read(buffer),
        };
        // The system's own errors carry a number; the decoders' do not.
        let read = read.map_err(|error| match error.raw_os_error() {
            Some(_) => error,
            None => Fault::Damaged(error.to_string()).into(),
        })?;
        self.bounded(read)
    }
}
