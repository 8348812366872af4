//! A file, or a part of one, read by position.
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

/// One open file or a part of it, read by position. Clones read the same file.
#[derive(Debug, Clone)]
pub struct Positioned {
    file: Arc<File>,
    /// Where in the file this begins.
    start: u64,
    length: u64,
}

impl Positioned {
    /// Wraps an open file. Its length is taken now.
    ///
    /// # Errors
    /// The system cannot say how long the file is.
    pub fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file: Arc::new(file), start: 0, length })
    }

    /// `length` bytes of it from `start` on, through the same open file; nothing where
    /// it is not that long.
    #[must_use]
    pub fn slice(&self, start: u64, length: u64) -> Option<Self> {
        let end = start.checked_add(length)?;
        (end <= self.length).then(|| Self {
            file: Arc::clone(&self.file),
            start: self.start + start,
            length,
        })
    }

    /// What the system says of the open file now.
    ///
    /// # Errors
    /// The system's.
    pub fn metadata(&self) -> io::Result<std::fs::Metadata> {
        self.file.metadata()
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
        // Behind the end there is nothing, or in a slice another slice's bytes.
        let left = self.length.saturating_sub(offset);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        let (buffer, offset) = (&mut buffer[..most], self.start + offset);
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(&*self.file, buffer, offset);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(&*self.file, buffer, offset);
    }

    pub(crate) fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests make files of their own")]

    use std::io::Write;

    use super::*;

    #[test]
    fn a_slice_ends_where_the_next_one_begins() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"onetwothree").unwrap();
        let whole = Positioned::new(file).unwrap();
        let two = whole.slice(3, 3).unwrap();
        let mut buffer = [b'.'; 8];
        assert_eq!(two.read_at(&mut buffer, 0).unwrap(), 3);
        assert_eq!(&buffer, b"two.....");
        assert_eq!(two.read_at(&mut buffer, 2).unwrap(), 1);
        for behind in [3, 4, u64::MAX] {
            assert_eq!(two.read_at(&mut buffer, behind).unwrap(), 0);
        }
        assert_eq!(two.length(), 3);
        assert_eq!(two.get_bytes(1, 2).unwrap(), &b"wo"[..]);
        assert!(two.get_bytes(1, 3).is_err());
        // A slice of a slice, and what is not there.
        assert_eq!(two.slice(1, 1).unwrap().get_bytes(0, 1).unwrap(), &b"w"[..]);
        assert!(two.slice(1, 3).is_none() && whole.slice(u64::MAX, 2).is_none());
        assert_eq!(whole.slice(11, 0).unwrap().read_at(&mut buffer, 0).unwrap(), 0);
    }
}
