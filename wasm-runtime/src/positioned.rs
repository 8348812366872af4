//! A Parquet file read by position.
//!
//! `parquet` reads a [`File`] through `try_clone` and `seek`, and clones of a
//! file share one offset: two readers of the same file would read each other's
//! bytes. This reader asks for each range by its position instead, so any number
//! of threads may read one open file.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};

/// One open file, read by position. Clones read the same file.
#[derive(Debug, Clone)]
pub struct Positioned {
    file: Arc<File>,
    length: u64,
}

impl Positioned {
    /// Wraps an open file. Its length is taken now.
    ///
    /// # Errors
    /// The system cannot say how long the file is.
    pub fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file: Arc::new(file), length })
    }

    /// Its length in bytes, as it was when it was opened.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads up to `buffer.len()` bytes at `offset`; 0 at the end.
    ///
    /// # Errors
    /// The system's.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(&*self.file, buffer, offset);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(&*self.file, buffer, offset);
    }

    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.read_at(buffer, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(n) => {
                    buffer = &mut buffer[n..];
                    offset += n as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Reads on from one position.
#[derive(Debug)]
pub struct ReadFrom {
    source: Positioned,
    offset: u64,
}

impl Read for ReadFrom {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl Length for Positioned {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Positioned {
    type T = BufReader<ReadFrom>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(BufReader::new(ReadFrom { source: self.clone(), offset: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // A damaged footer can name any length: refuse before allocating it.
        if start.saturating_add(length as u64) > self.length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let mut buffer = vec![0; length];
        self.read_exact_at(&mut buffer, start)?;
        Ok(buffer.into())
    }
}
