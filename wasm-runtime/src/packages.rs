//! The packages that the runtime does not have: one file, thousands of names.
//!
//! Packages such as plotly and python-docx open their own data files by path, so the
//! guest sees all of them as a real folder, `/usr/local/lib/packages`. On the host they
//! are one file, of which each of the guest's is a slice: one descriptor, one hash, and
//! nothing to unpack when a sandbox is opened.
//!
//! ```text
//! contents, one behind the other
//! index     the key, then `LENGTH PATH` for each file, a line each
//! end       length of the index (8 bytes), its BLAKE3 (32), MAGIC (8)
//! ```
//!
//! The end is written last, so a file that was cut off is no such file. Whether the
//! contents are right is for who keeps the file to see to, as with the start image.
//!
//! What is in it is said by its [`Key`]: [`LOCK`], and the hashes of the wheels that a
//! room has besides. The start image has imported from it and is named by the key too,
//! so the two cannot be mixed up.

use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::positioned::Positioned;

/// The packages that every room has, as requirements with hashes, for pip.
pub const LOCK: &str = include_str!("../../python-stdlib/wheels.txt");

/// In the folder of the packages, a list of what is not in [`LOCK`]: JSON, the names of
/// wheels to the modules that are imported while the start image is made.
pub const EXTRA: &str = ".dataroom-extra.json";

/// The name of the file in the folder that [`Key::folder`] names.
pub const FILE: &str = "packages";

/// Raise it with the format, or with what is taken from a wheel.
const MAGIC: &[u8; 8] = b"DRPACK01";
const END: u64 = 8 + 32 + 8;
/// The longest index: a hundred thousand files.
const LONGEST_INDEX: u64 = 16 << 20;

/// What is in a file of packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// The packages of [`LOCK`].
    #[must_use]
    pub fn locked() -> Self {
        Self::with(&[])
    }

    /// Those, and wheels with these SHA-256, in any order.
    #[must_use]
    pub fn with(wheels: &[String]) -> Self {
        let mut wheels: Vec<&str> = wheels.iter().map(String::as_str).collect();
        wheels.sort_unstable();
        wheels.dedup();
        let mut hasher = blake3::Hasher::new_derive_key("dataroom 2026 packages");
        hasher.update(MAGIC);
        for text in std::iter::once(LOCK).chain(wheels) {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        Self(hasher.finalize().to_hex()[..32].to_owned())
    }

    /// The name of the folder that the file is kept in.
    #[must_use]
    pub fn folder(&self) -> String {
        format!("packages-{}", &self.0[..16])
    }

    /// Where the file is in the cache folder of `dataroom setup`.
    #[must_use]
    pub fn file(&self, cache: &Path) -> PathBuf {
        cache.join(self.folder()).join(FILE)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Writes a file of packages.
#[derive(Debug)]
pub struct Writer<W> {
    sink: W,
    index: String,
}

impl<W: Write> Writer<W> {
    /// Begins one with this key.
    pub fn new(sink: W, key: &Key) -> Self {
        Self { sink, index: format!("{key}\n") }
    }

    /// Adds the file `path`, relative to the packages' folder, with `/`. Each path is
    /// given once.
    ///
    /// # Errors
    /// The source's, the sink's, and a path that cannot be in the folder.
    pub fn file(&mut self, path: &str, mut content: impl Read) -> io::Result<u64> {
        if !is_plain(path) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{path:?} is no path"),
            ));
        }
        let length = io::copy(&mut content, &mut self.sink)?;
        self.index.push_str(&format!("{length} {path}\n"));
        Ok(length)
    }

    /// Writes the index; without it the file is none.
    ///
    /// # Errors
    /// The sink's.
    pub fn finish(mut self) -> io::Result<W> {
        let index = self.index.as_bytes();
        self.sink.write_all(index)?;
        self.sink.write_all(&(index.len() as u64).to_le_bytes())?;
        self.sink.write_all(blake3::hash(index).as_bytes())?;
        self.sink.write_all(MAGIC)?;
        Ok(self.sink)
    }
}

/// An open file of packages.
#[derive(Debug)]
pub(crate) struct Packages {
    pub(crate) key: Key,
    /// Paths in the packages' folder, and what is there.
    pub(crate) files: Vec<(String, Positioned)>,
}

impl Packages {
    /// Reads the index of an open file.
    pub(crate) fn open(file: &Positioned) -> io::Result<Self> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged or cut off");
        let part = |start: u64, length: u64| {
            let slice = file.slice(start, length).ok_or_else(damaged)?;
            let mut bytes = vec![0; usize::try_from(length).map_err(|_| damaged())?];
            slice.read_exact_at(&mut bytes, 0)?;
            Ok::<_, io::Error>(bytes)
        };
        let end_at = file.length().checked_sub(END).ok_or_else(damaged)?;
        let end = part(end_at, END)?;
        let (length, rest) = end.split_at(8);
        let (hash, magic) = rest.split_at(32);
        let length = u64::from_le_bytes(length.try_into().map_err(|_| damaged())?);
        if magic != MAGIC || length > LONGEST_INDEX {
            return Err(damaged());
        }
        let contents = end_at.checked_sub(length).ok_or_else(damaged)?;
        let index = part(contents, length)?;
        if blake3::hash(&index).as_bytes() != hash {
            return Err(damaged());
        }
        let index = String::from_utf8(index).map_err(|_| damaged())?;
        let (key, lines) = index.split_once('\n').ok_or_else(damaged)?;
        let mut files = Vec::new();
        let mut at = 0;
        for line in lines.lines() {
            let (length, path) = line.split_once(' ').ok_or_else(damaged)?;
            let length = length.parse().map_err(|_| damaged())?;
            let content = file.slice(at, length).filter(|_| is_plain(path));
            at += length;
            files.push((path.to_owned(), content.ok_or_else(damaged)?));
        }
        if at != contents {
            return Err(damaged());
        }
        Ok(Self { key: Key(key.to_owned()), files })
    }
}

/// Plain names with `/` between them.
fn is_plain(path: &str) -> bool {
    let strange = |c: char| c == '\\' || c.is_control();
    !path.contains(strange)
        && path.split('/').all(|name| !matches!(name, "" | "." | "..") && name.len() <= 255)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new(), &Key::locked());
        for (path, bytes) in files {
            writer.file(path, *bytes).unwrap();
        }
        writer.finish().unwrap()
    }

    fn opened(bytes: &[u8]) -> io::Result<Packages> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        Packages::open(&Positioned::new(file).unwrap())
    }

    const FILES: &[(&str, &[u8])] =
        &[("a/__init__.py", b"x = 1\n"), ("a/data/empty", b""), ("b.py", b"import a\n")];

    #[test]
    fn what_was_written_is_read() {
        let packages = opened(&written(FILES)).unwrap();
        assert_eq!(packages.key, Key::locked());
        let read: Vec<_> = packages
            .files
            .iter()
            .map(|(path, content)| {
                let mut bytes = vec![0; 100];
                let n = content.read_at(&mut bytes, 0).unwrap();
                bytes.truncate(n);
                (path.as_str(), bytes)
            })
            .collect();
        let wanted: Vec<_> = FILES.iter().map(|(path, bytes)| (*path, bytes.to_vec())).collect();
        assert_eq!(read, wanted);
    }

    #[test]
    fn a_file_that_was_cut_off_or_changed_is_refused() {
        let whole = written(FILES);
        for length in 0..whole.len() {
            assert!(opened(&whole[..length]).is_err(), "{length}");
        }
        let contents: usize = FILES.iter().map(|(_, bytes)| bytes.len()).sum();
        for at in contents..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            assert!(opened(&bytes).is_err(), "{at}");
        }
        assert!(opened(&[whole.as_slice(), b"x"].concat()).is_err());
    }

    #[test]
    fn a_path_that_leads_out_is_not_written_and_not_read() {
        for path in ["", "/a", "../a", "a/../b", "a//b", "a/.", "a\\b", "a\nb", "a/"] {
            let mut writer = Writer::new(Vec::new(), &Key::locked());
            assert!(writer.file(path, &b""[..]).is_err(), "{path:?}");
            writer.index.push_str(&format!("0 {path}\n"));
            assert!(opened(&writer.finish().unwrap()).is_err(), "{path:?}");
        }
    }

    #[test]
    fn the_key_is_of_the_wheels_and_not_of_their_order() {
        let [a, b] = ["a".repeat(64), "b".repeat(64)];
        let both = Key::with(&[a.clone(), b.clone()]);
        assert_eq!(both, Key::with(&[b.clone(), a.clone(), b.clone()]));
        assert_ne!(both, Key::with(std::slice::from_ref(&a)));
        assert_ne!(Key::with(&[a]), Key::locked());
        assert_eq!(Key::locked().folder().len(), "packages-".len() + 16);
    }
}
