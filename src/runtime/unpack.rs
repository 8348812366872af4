//! From the wheel to a runtime folder.

use std::fs::{self, File};
use std::io::{BufReader, Read, Seek};
use std::path::{Component, Path, PathBuf};

use zip::ZipArchive;

use super::cache::{CONTENTS, Entry, contents};
use super::error::SetupError;
use super::pins::{self, Pin};
use super::{digest, owner};

type Zip = ZipArchive<BufReader<File>>;

/// Checks the wheel's size and hash. The open file is what is unpacked later:
/// the name could be another file by then.
pub(super) fn check_wheel(path: &Path, progress: &mut dyn FnMut(f64)) -> Result<File, SetupError> {
    check_pinned(path, &pins::WHEEL, progress)
}

fn check_pinned(path: &Path, pin: &Pin, progress: &mut dyn FnMut(f64)) -> Result<File, SetupError> {
    let mut file = File::open(path).map_err(|e| SetupError::io("open", path, e))?;
    let metadata = file.metadata().map_err(|e| SetupError::io("read", path, e))?;
    if metadata.is_dir() {
        let (path, problem) = (path.to_owned(), "is a folder");
        return Err(SetupError::NotTheWheel { path, problem, wheel: pin.source });
    }
    let length = metadata.len();
    let mut start = [0; 2];
    if length >= 2 {
        file.read_exact(&mut start).map_err(|e| SetupError::io("read", path, e))?;
        file.rewind().map_err(|e| SetupError::io("read", path, e))?;
        if start != *b"PK" {
            let (path, problem) = (path.to_owned(), "is no zip file, as every wheel is");
            return Err(SetupError::NotTheWheel { path, problem, wheel: pin.source });
        }
    }
    if length < pin.bytes {
        let (wanted, found) = (pin.bytes, length);
        return Err(SetupError::Truncated { path: path.to_owned(), wanted, found });
    }
    let mut told = |bytes: u64| progress(bytes as f64 / pin.bytes as f64);
    let (_, found) = digest::copy(&mut file, &mut std::io::sink(), pin.bytes, &mut told)
        .map_err(|e| SetupError::io("read", path, e))?;
    if found != pin.sha256 {
        let wanted = pin.sha256.to_owned();
        return Err(SetupError::WrongHash { path: path.to_owned(), wanted, found });
    }
    file.rewind().map_err(|e| SetupError::io("read", path, e))?;
    Ok(file)
}

/// Unpacks what is needed of the checked wheel into the empty `folder`.
pub(super) fn unpack(
    wheel: File,
    wheel_path: &Path,
    folder: &Path,
    progress: &mut dyn FnMut(f64),
) -> Result<(), SetupError> {
    let mut source = Source::open(wheel, wheel_path)?;
    let mut entries = Vec::new();
    let total = (pins::PYTHON.bytes + pins::STDLIB.bytes) as f64;
    let mut before = 0;
    for pin in [pins::PYTHON, pins::STDLIB] {
        let mut told = |bytes: u64| progress((before + bytes) as f64 / total);
        entries.push(source.pinned(&pin, folder, &mut told)?);
        before += pin.bytes;
    }
    for (from, to) in pins::KEPT {
        let index = source.index(from)?;
        entries.push(source.file(index, folder, Path::new(to), pins::MOST_BYTES)?);
    }
    source.folder(pins::LICENSES, folder, "LICENSES", &mut entries)?;
    mpl_data(folder, &mut entries)?;

    let list = folder.join(CONTENTS);
    fs::write(&list, contents(&entries))
        .and_then(|()| File::open(&list)?.sync_all())
        .map_err(|e| SetupError::io("write", &list, e))
}

/// Unpacks Matplotlib's data out of the zip that was just unpacked.
fn mpl_data(folder: &Path, entries: &mut Vec<Entry>) -> Result<(), SetupError> {
    let stdlib = folder.join(pins::STDLIB.name);
    let file = File::open(&stdlib).map_err(|e| SetupError::io("open", &stdlib, e))?;
    let mut outer = Source::open(file, &stdlib)?;
    let inner_path = folder.join("mpl-data.zip");
    let index = outer.index(pins::MPL_DATA)?;
    outer.file(index, folder, Path::new("mpl-data.zip"), pins::MOST_BYTES)?;
    let file = File::open(&inner_path).map_err(|e| SetupError::io("open", &inner_path, e))?;
    Source::open(file, &inner_path)?.folder("", folder, "mpl-data", entries)?;
    fs::remove_file(&inner_path).map_err(|e| SetupError::io("remove", &inner_path, e))
}

/// An open zip and its name for messages.
pub(super) struct Source<'a> {
    zip: Zip,
    path: &'a Path,
}

impl<'a> Source<'a> {
    pub(super) fn open(file: File, path: &'a Path) -> Result<Self, SetupError> {
        let zip = ZipArchive::new(BufReader::new(file)).map_err(|e| bad(path, &e))?;
        Ok(Self { zip, path })
    }

    fn index(&self, name: &str) -> Result<usize, SetupError> {
        self.zip.index_for_name(name).ok_or_else(|| bad(self.path, &format!("no {name} in it")))
    }

    /// Unpacks a file whose size and hash are known.
    fn pinned(
        &mut self,
        pin: &Pin,
        folder: &Path,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Entry, SetupError> {
        let index = self.index(pin.source)?;
        let entry = self.write(index, folder, Path::new(pin.name), pin.bytes, progress)?;
        if entry.sha256 == pin.sha256 {
            return Ok(entry);
        }
        let (path, wanted) = (self.path.join(pin.source), pin.sha256.to_owned());
        Err(SetupError::WrongHash { path, wanted, found: entry.sha256 })
    }

    fn file(
        &mut self,
        index: usize,
        folder: &Path,
        name: &Path,
        most: u64,
    ) -> Result<Entry, SetupError> {
        let entry = self.write(index, folder, name, most, &mut |_| ())?;
        if entry.bytes > most {
            return Err(bad(self.path, &format!("{} is too big", entry.name)));
        }
        Ok(entry)
    }

    /// Unpacks every file under `prefix` to `folder/name`.
    pub(super) fn folder(
        &mut self,
        prefix: &str,
        folder: &Path,
        name: &str,
        entries: &mut Vec<Entry>,
    ) -> Result<(), SetupError> {
        let (mut files, mut left) = (0, pins::MOST_BYTES);
        for index in 0..self.zip.len() {
            let inside = {
                let item = self.zip.by_index_raw(index).map_err(|e| bad(self.path, &e))?;
                let name = item.name().map_err(|e| bad(self.path, &e))?;
                let Some(rest) = name.strip_prefix(prefix) else { continue };
                if item.is_dir() || rest.is_empty() {
                    continue;
                }
                safe(rest).ok_or_else(|| bad(self.path, &format!("{rest:?} leads out of it")))?
            };
            files += 1;
            if files > pins::MOST_FILES {
                return Err(bad(self.path, &format!("more than {} files", pins::MOST_FILES)));
            }
            let entry = self.file(index, folder, &Path::new(name).join(inside), left)?;
            left -= entry.bytes;
            entries.push(entry);
        }
        if files == 0 {
            return Err(bad(self.path, &format!("nothing in it under {prefix:?}")));
        }
        Ok(())
    }

    fn write(
        &mut self,
        index: usize,
        folder: &Path,
        name: &Path,
        most: u64,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Entry, SetupError> {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            owner::make_folder(parent).map_err(|e| SetupError::io("make", parent, e))?;
        }
        let item = self.zip.by_index(index).map_err(|e| bad(self.path, &e))?;
        // A new file each time: a zip that names a file twice is refused, and a
        // link in it becomes a plain file with the link's text.
        let mut file = File::create_new(&path).map_err(|e| SetupError::io("write", &path, e))?;
        let (bytes, sha256) = digest::copy(Reading(item), &mut file, most, progress)
            .and_then(|done| file.sync_all().map(|()| done))
            .map_err(|error| {
                // A zip that cannot be read is another matter than a disk that
                // cannot be written.
                match error.get_ref() {
                    Some(inner) if inner.is::<Damaged>() => bad(self.path, &error),
                    _ => SetupError::io("write", &path, error),
                }
            })?;
        // One spelling on every platform.
        let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
        Ok(Entry { sha256, bytes, name: parts.join("/") })
    }
}

/// A read error of the zip, to be told apart from a write error of the disk.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Damaged(std::io::Error);

struct Reading<R>(R);

impl<R: Read> Read for Reading<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer).map_err(|error| std::io::Error::other(Damaged(error)))
    }
}

/// A relative path of plain names, or nothing.
pub(super) fn safe(name: &str) -> Option<PathBuf> {
    let strange = |c: char| c == '\\' || c == ':' || c.is_control();
    if name.is_empty() || name.len() > 200 || name.contains(strange) {
        return None;
    }
    let path = PathBuf::from(name);
    path.components().all(|part| matches!(part, Component::Normal(_))).then_some(path)
}

pub(super) fn bad(path: &Path, problem: &dyn std::fmt::Display) -> SetupError {
    SetupError::Unpack { path: path.to_owned(), problem: problem.to_string() }
}
