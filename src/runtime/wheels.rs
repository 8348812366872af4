//! Wheels of pure Python: which ones are locked, what is right with one, and packing
//! them into the one file that the guest's packages are read from.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use dataroom_sandbox::packages::{EXTRA, FILE, Key, LOCK, Writer};
use zip::ZipArchive;

use super::cache::{CONTENTS, Entry, contents};
use super::error::SetupError;
use super::unpack::{bad, safe};
use super::{digest, owner};

/// Most files and bytes of all packages together.
const MOST_FILES: usize = 50_000;
const MOST_BYTES: u64 = 1 << 30;

/// Endings of what a machine executes, and so not our guest.
const NATIVE: &[&str] = &["so", "pyd", "dll", "dylib", "wasm"];

/// One requirement of the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Locked {
    pub name: String,
    pub version: String,
    pub sha256: String,
}

/// The requirements of [`LOCK`].
pub(super) fn locked() -> Vec<Locked> {
    let joined = LOCK.replace("\\\n", " ");
    let requirements = joined.lines().filter(|line| !line.starts_with('#'));
    requirements
        .filter_map(|line| {
            let (wanted, sha256) = line.split_once("--hash=sha256:")?;
            let (name, version) = wanted.trim().split_once("==")?;
            let [name, version, sha256] = [name, version, sha256.trim()].map(str::to_owned);
            Some(Locked { name, version, sha256 })
        })
        .collect()
}

impl Locked {
    /// Whether a file with this name claims to be its wheel.
    pub(super) fn is_named(&self, file: &str) -> bool {
        let mut parts = file.split('-');
        file.ends_with(".whl")
            && parts.next().is_some_and(|name| plain_name(name) == plain_name(&self.name))
            && parts.next() == Some(&self.version)
    }
}

/// One of the wheels that a configuration names.
#[derive(Debug, Clone)]
pub(super) struct Extra {
    pub path: PathBuf,
    pub sha256: String,
}

/// An open wheel that is pure Python.
pub(super) struct Wheel {
    path: PathBuf,
    pub(super) sha256: String,
    zip: ZipArchive<BufReader<File>>,
    names: Vec<String>,
}

/// Distributions are the same under other spellings of their names.
fn plain_name(name: &str) -> String {
    name.replace(['_', '.'], "-").to_lowercase()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

impl Wheel {
    /// Opens and hashes `path`, and checks that it is a wheel of pure Python, and the
    /// one with the hash `wanted`, where that is known.
    pub(super) fn open(path: &Path, wanted: Option<&str>) -> Result<Self, SetupError> {
        let not_pure = |problem: String| SetupError::Wheel {
            path: path.to_owned(),
            problem,
            mend: "name one whose name ends with -none-any.whl and that holds Python alone".into(),
        };
        check_name(&file_name(path)).map_err(not_pure)?;
        let mut file = File::open(path).map_err(|e| SetupError::io("open", path, e))?;
        let read = |e| SetupError::io("read", path, e);
        let mut sink = std::io::sink();
        let sha256 = digest::copy(&mut file, &mut sink, u64::MAX - 1, &mut |_| ()).map_err(read)?.1;
        if let Some(wanted) = wanted.filter(|wanted| *wanted != sha256) {
            let (path, wanted) = (path.to_owned(), wanted.to_owned());
            return Err(SetupError::WrongHash { path, wanted, found: sha256 });
        }
        file.rewind().map_err(read)?;
        let zip = ZipArchive::new(BufReader::new(file))
            .map_err(|e| not_pure(format!("is no wheel: {e}")))?;
        let names: Result<Vec<String>, zip::result::ZipError> =
            zip.file_names().map(|name| Ok(name?.into_owned())).collect();
        let names = names.map_err(|e| not_pure(format!("is no wheel: {e}")))?;
        if let Some(native) = names.iter().find(|name| is_native(name)) {
            return Err(not_pure(format!("is not pure Python: it holds {native}")));
        }
        let mut wheel = Self { path: path.to_owned(), sha256, zip, names };
        let said = wheel.said("WHEEL").map_err(|e| not_pure(format!("is no wheel: {e}")))?;
        if !said.lines().any(|line| line.trim().eq_ignore_ascii_case("Root-Is-Purelib: true")) {
            return Err(not_pure("says of itself that it is not pure Python".into()));
        }
        Ok(wheel)
    }

    /// The text of a file in its `.dist-info`.
    fn said(&mut self, name: &str) -> Result<String, String> {
        let of_itself = |path: &&String| {
            let folder = path.strip_suffix(name).and_then(|path| path.strip_suffix('/'));
            folder.is_some_and(|folder| folder.ends_with(".dist-info") && !folder.contains('/'))
        };
        let path = self.names.iter().find(of_itself).ok_or_else(|| format!("it has no {name}"))?;
        let item = self.zip.by_name(path).map_err(|e| e.to_string())?;
        let mut text = String::new();
        item.take(1 << 20).read_to_string(&mut text).map_err(|e| e.to_string())?;
        Ok(text)
    }

    fn distribution(&self) -> String {
        plain_name(file_name(&self.path).split('-').next().unwrap_or_default())
    }

    /// What it puts into the packages' folder: path there, index, bytes, checksum.
    fn files(&mut self) -> Result<Vec<(String, usize, u64, u32)>, SetupError> {
        let mut files = Vec::new();
        for index in 0..self.zip.len() {
            let item = self.zip.by_index_raw(index).map_err(|e| bad(&self.path, &e))?;
            let name = item.name().map_err(|e| bad(&self.path, &e))?;
            let Some(place) = place(&name).filter(|_| !item.is_dir()) else { continue };
            if safe(place).is_none() {
                return Err(bad(&self.path, &format!("{place:?} leads out of it")));
            }
            files.push((place.to_owned(), index, item.size(), item.crc32()));
        }
        Ok(files)
    }
}

/// Where a file of a wheel goes below the packages' folder, if it goes there.
fn place(name: &str) -> Option<&str> {
    let Some((first, rest)) = name.split_once('/') else { return Some(name) };
    if !first.ends_with(".data") {
        return Some(name);
    }
    // Scripts and headers are for a machine's own folders.
    rest.strip_prefix("purelib/").or_else(|| rest.strip_prefix("platlib/"))
}

fn is_native(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default().to_lowercase();
    let ending = file.rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
    NATIVE.contains(&ending) || file.contains(".so.")
}

fn check_name(file: &str) -> Result<(), String> {
    let parts: Vec<&str> = file.strip_suffix(".whl").unwrap_or_default().split('-').collect();
    let [_, _, .., python, "none", "any"] = parts.as_slice() else {
        let made_for = match parts.as_slice() {
            [_, _, .., platform] if parts.len() >= 5 => format!(": it is made for {platform}"),
            _ => " by its name".to_owned(),
        };
        return Err(format!("is no wheel of pure Python{made_for}"));
    };
    if !python.split('.').any(|tag| tag.starts_with("py3")) {
        return Err(format!("is for another Python ({python})"));
    }
    Ok(())
}

/// The modules that a wheel brings, by their paths.
fn modules(files: &[(String, usize, u64, u32)]) -> Vec<String> {
    let mut found: Vec<&str> = files
        .iter()
        .filter_map(|(path, ..)| match path.split_once('/') {
            Some((folder, rest)) => rest.ends_with(".py").then_some(folder),
            None => path.strip_suffix(".py"),
        })
        .filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(str::to_owned).collect()
}

/// Packs the wheels into the empty `folder`: the file, their licences, the list of both.
/// Of a package that is among both, `extra` has the one that counts.
pub(super) fn pack(
    locked: Vec<Wheel>,
    extra: Vec<Wheel>,
    key: &Key,
    folder: &Path,
    progress: &mut dyn FnMut(f64),
) -> Result<(), SetupError> {
    let named: Vec<String> = extra.iter().map(Wheel::distribution).collect();
    let kept = locked.into_iter().filter(|wheel| !named.contains(&wheel.distribution()));
    let mut imported = BTreeMap::new();
    let extras = extra.len();
    let mut wheels: Vec<Wheel> = extra.into_iter().chain(kept).collect();
    let (mut places, mut bytes) = (BTreeMap::new(), 0u64);
    for at in 0..wheels.len() {
        let files = wheels[at].files()?;
        if at < extras {
            imported.insert(file_name(&wheels[at].path), modules(&files));
        }
        for (path, index, length, checksum) in files {
            bytes = bytes.saturating_add(length);
            let file = (at, index, length, checksum);
            let other = places.insert(path.clone(), file);
            if let Some((other, _, was, had)) = other
                && (was, had) != (length, checksum)
            {
                return Err(clash(&wheels[at].path, &wheels[other].path, &path));
            }
        }
    }
    if places.len() > MOST_FILES || bytes > MOST_BYTES {
        let (path, mib) = (wheels[0].path.clone(), bytes >> 20);
        let problem = format!("and the others hold {} files and {mib} MiB", places.len());
        let mend =
            format!("name fewer: {MOST_FILES} files and {} MiB are the most", MOST_BYTES >> 20);
        return Err(SetupError::Wheel { path, problem, mend });
    }
    let mut entries = vec![write(&mut wheels, &places, &imported, key, folder, (bytes, progress))?];
    for wheel in &mut wheels {
        licences(wheel, folder, &mut entries)?;
    }
    let list = folder.join(CONTENTS);
    fs::write(&list, contents(&entries))
        .and_then(|()| File::open(&list)?.sync_all())
        .map_err(|e| SetupError::io("write", &list, e))
}

fn clash(one: &Path, other: &Path, path: &str) -> SetupError {
    SetupError::Wheel {
        path: one.to_owned(),
        problem: format!("and {} both hold {path}, and it differs", file_name(other)),
        mend: "leave one of them out".into(),
    }
}

/// Writes the one file, in the order of the paths: the same wheels give the same bytes.
fn write(
    wheels: &mut [Wheel],
    places: &BTreeMap<String, (usize, usize, u64, u32)>,
    imported: &BTreeMap<String, Vec<String>>,
    key: &Key,
    folder: &Path,
    (total, progress): (u64, &mut dyn FnMut(f64)),
) -> Result<Entry, SetupError> {
    let place = folder.join(FILE);
    let failed = |e| SetupError::io("write", &place, e);
    let file = File::create_new(&place).map_err(failed)?;
    let mut writer = Writer::new(BufWriter::new(file), key);
    if !imported.is_empty() {
        let list = serde_json::json!(imported).to_string();
        writer.file(EXTRA, list.as_bytes()).map_err(failed)?;
    }
    let mut done = 0;
    for (path, &(at, index, length, _)) in places {
        let wheel = &mut wheels[at];
        let item = wheel.zip.by_index(index).map_err(|e| bad(&wheel.path, &e))?;
        let mut content = Vec::new();
        // One byte more, so that the end is met, where the checksum is looked at.
        let read = item.take(length + 1).read_to_end(&mut content);
        let read = read.map_err(|e| bad(&wheel.path, &format!("{path}: {e}")))?;
        if read as u64 != length {
            return Err(bad(&wheel.path, &format!("{path} is not as long as it says")));
        }
        writer.file(path, content.as_slice()).map_err(failed)?;
        done += length;
        progress(done as f64 / total.max(1) as f64);
    }
    let mut sink = writer.finish().map_err(failed)?;
    sink.flush().and_then(|()| sink.get_ref().sync_all()).map_err(failed)?;
    drop(sink);
    owner::make_private(&place)?;
    let bytes = fs::metadata(&place).map_err(failed)?.len();
    let sha256 = digest::sha256(&place, &mut |_| ()).map_err(failed)?;
    Ok(Entry { sha256, bytes, name: FILE.to_owned() })
}

/// Keeps what the package says of its licence, where a person finds it.
fn licences(wheel: &mut Wheel, folder: &Path, entries: &mut Vec<Entry>) -> Result<(), SetupError> {
    let distribution = wheel.distribution();
    let about = |path: &&String| {
        let inside = path.split_once(".dist-info/").map(|(_, rest)| rest.to_lowercase());
        let words = ["metadata", "licen", "copying", "notice", "authors"];
        inside.is_some_and(|inside| {
            !inside.ends_with('/') && words.iter().any(|w| inside.contains(w))
        })
    };
    let paths: Vec<String> = wheel.names.iter().filter(about).cloned().collect();
    for path in paths {
        let inside = path.split_once(".dist-info/").map(|(_, rest)| rest).unwrap_or_default();
        let name = format!("LICENSES/{distribution}/{}", inside.replace('/', "-"));
        if safe(&name).is_none() {
            return Err(bad(&wheel.path, &format!("{inside:?} leads out of it")));
        }
        let target = folder.join(&name);
        let parent = target.parent().unwrap_or(folder);
        owner::make_folder(parent).map_err(|e| SetupError::io("make", parent, e))?;
        let item = wheel.zip.by_name(&path).map_err(|e| bad(&wheel.path, &e))?;
        let mut text = Vec::new();
        item.take(16 << 20).read_to_end(&mut text).map_err(|e| bad(&wheel.path, &e))?;
        let mut file =
            File::create_new(&target).map_err(|e| SetupError::io("write", &target, e))?;
        let (bytes, sha256) = digest::copy(&*text, &mut file, u64::MAX - 1, &mut |_| ())
            .and_then(|done| file.sync_all().map(|()| done))
            .map_err(|e| SetupError::io("write", &target, e))?;
        entries.push(Entry { sha256, bytes, name });
    }
    Ok(())
}

#[cfg(test)]
#[path = "wheels_tests.rs"]
mod tests;
