//! Hashing files while telling how far it got.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

const CHUNK: usize = 1 << 20;

/// Copies all of `source` (but no more than `most + 1` bytes, so that the caller
/// sees that there was more) into `sink`; gives the bytes and their SHA-256.
pub(super) fn copy(
    source: impl Read,
    sink: &mut impl Write,
    most: u64,
    progress: &mut dyn FnMut(u64),
) -> io::Result<(u64, String)> {
    let mut source = source.take(most.saturating_add(1));
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; CHUNK];
    let mut bytes = 0;
    loop {
        let read = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        sink.write_all(&buffer[..read])?;
        hasher.update(&buffer[..read]);
        bytes += read as u64;
        progress(bytes);
    }
    Ok((bytes, hex(&hasher.finalize())))
}

/// The SHA-256 of a file, in hex.
pub(super) fn sha256(path: &Path, progress: &mut dyn FnMut(u64)) -> io::Result<String> {
    Ok(copy(File::open(path)?, &mut io::sink(), u64::MAX - 1, progress)?.1)
}

/// The BLAKE3 of a file, in hex: four times as fast, for the image, which is
/// ours and is only looked at for damage.
pub(super) fn blake3(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
