//! A file with a limit on its size.

use std::fs::File;
use std::io::{self, Write};

/// Refuses what would make the file larger than its limit.
#[derive(Debug)]
pub(super) struct Capped {
    file: File,
    left: u64,
}

impl Capped {
    pub(super) fn new(file: File, most: u64) -> Self {
        Self { file, left: most }
    }
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.left {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = self.file.write(bytes)?;
        self.left -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
