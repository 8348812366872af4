//! Where the runtime, the packages and the start image are, and whether they are there.

use std::path::{Path, PathBuf};

use dataroom_sandbox::packages::{FILE, Key};

use super::error::SetupError;
use super::wheels::{Extra, Wheel};
use super::{digest, owner, pins};

/// Where downloads and images live. Nothing in it is anybody's data: it can be
/// removed at any time and made again.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
    /// The wheels that this room has besides the locked ones.
    pub(super) extra: Vec<Extra>,
    /// Of all the packages.
    pub(super) key: Key,
}

/// What the sandbox is opened with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    /// The folder of `python.wasm`, `python315.zip` and `mpl-data`.
    pub runtime: PathBuf,
    /// The file of the packages that the runtime lacks.
    pub packages: PathBuf,
    /// The start image.
    pub image: PathBuf,
}

/// The list of a runtime folder's files.
pub(super) const CONTENTS: &str = "CONTENTS";

/// One line of [`CONTENTS`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub sha256: String,
    pub bytes: u64,
    pub name: String,
}

impl Cache {
    /// The folder that is named by `setting`, else by `DATAROOM_CACHE`, else the
    /// platform's cache folder. It is not made here.
    ///
    /// # Errors
    /// The user has no home folder, so the platform names none.
    pub fn locate(setting: Option<PathBuf>) -> Result<Self, SetupError> {
        let named = setting.or_else(|| folder_in("DATAROOM_CACHE"));
        let folder = named.or_else(platform_folder).ok_or(SetupError::NoCacheFolder)?;
        let folder = std::path::absolute(&folder).map_err(|e| SetupError::io("find", folder, e))?;
        Ok(Self { folder, extra: Vec::new(), key: Key::locked() })
    }

    /// The same folder, for a room that has these wheels too. They are read here: the
    /// image that such a room starts from is named by what is in them.
    ///
    /// # Errors
    /// Names the wheel that cannot be read or is not pure Python.
    pub fn with_extra(mut self, wheels: &[PathBuf]) -> Result<Self, SetupError> {
        for path in wheels {
            let sha256 = Wheel::open(path, None)?.sha256;
            self.extra.push(Extra { path: path.clone(), sha256 });
        }
        let hashes: Vec<String> = self.extra.iter().map(|extra| extra.sha256.clone()).collect();
        self.key = Key::with(&hashes);
        Ok(self)
    }

    /// The same as far as it goes: if a wheel cannot be read, the cache that all rooms have,
    /// and why each such wheel cannot.
    #[must_use]
    pub fn with_extra_or_why(self, wheels: &[PathBuf]) -> (Self, Vec<SetupError>) {
        let broken = wheels.iter().filter_map(|path| Wheel::open(path, None).err());
        let broken: Vec<SetupError> = broken.collect();
        match self.clone().with_extra(if broken.is_empty() { wheels } else { &[] }) {
            Ok(cache) => (cache, broken),
            // A wheel that went away between the two looks.
            Err(error) => (self, vec![error]),
        }
    }

    /// Whether the room has wheels of its own.
    #[must_use]
    pub fn has_extra(&self) -> bool {
        !self.extra.is_empty()
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the sandbox is opened with, if it is all there: names, sizes and
    /// owners are looked at, nothing is hashed.
    #[must_use]
    pub fn ready(&self) -> Option<Ready> {
        owner::check_private(&self.folder).ok()?;
        self.runtime_problem(false).is_none().then_some(())?;
        self.packages_problem(false).is_none().then_some(())?;
        self.image_problem(false).is_none().then_some(())?;
        let packages = self.key.file(&self.folder);
        Some(Ready { runtime: self.runtime(), packages, image: self.image() })
    }

    /// Notes that the image and its packages are in use, so that set-up for another
    /// room or another version does not take them for forgotten ones.
    pub fn note_use(&self) {
        let now = std::time::SystemTime::now();
        for path in [self.image(), self.key.file(&self.folder)] {
            // In a cache that is read-only nothing is removed either.
            let _ = std::fs::File::open(path).and_then(|file| file.set_modified(now));
        }
    }

    pub(super) fn runtime(&self) -> PathBuf {
        self.folder.join(format!("runtime-{}", &pins::WHEEL.sha256[..16]))
    }

    /// The folder of the packages and their licences.
    pub(super) fn packages(&self) -> PathBuf {
        self.folder.join(self.key.folder())
    }

    pub(super) fn image(&self) -> PathBuf {
        self.folder.join(dataroom_sandbox::image::file_name(&self.key))
    }

    pub(super) fn image_sum(&self) -> PathBuf {
        self.image().with_extension("sum")
    }

    /// What is wrong with the runtime folder, if anything.
    pub(super) fn runtime_problem(&self, hash: bool) -> Option<String> {
        // The two files that are executed are held against their pins and not against
        // what the folder says of itself.
        let pinned = |entries: &[Entry]| {
            [pins::PYTHON, pins::STDLIB].iter().all(|pin| {
                let entry = entries.iter().find(|entry| entry.name == pin.name);
                entry.is_some_and(|e| e.sha256 == pin.sha256 && e.bytes == pin.bytes)
            })
        };
        folder_problem(&self.runtime(), &pinned, hash)
    }

    /// What is wrong with the packages, if anything.
    pub(super) fn packages_problem(&self, hash: bool) -> Option<String> {
        let has_file = |entries: &[Entry]| entries.iter().any(|entry| entry.name == FILE);
        folder_problem(&self.packages(), &has_file, hash)
    }

    /// What is wrong with the start image, if anything.
    pub(super) fn image_problem(&self, hash: bool) -> Option<String> {
        let image = self.image();
        let Ok(metadata) = std::fs::symlink_metadata(&image) else {
            return Some("not made yet for this version of dataroom".into());
        };
        if let Err(error) = owner::check_private(&image) {
            return Some(error.to_string());
        }
        let sum = std::fs::read_to_string(self.image_sum()).unwrap_or_default();
        let Some((bytes, wanted)) = sum.trim_end().split_once(' ') else {
            return Some(format!("{} is missing or damaged", self.image_sum().display()));
        };
        if bytes.parse() != Ok(metadata.len()) {
            let (found, image) = (metadata.len(), image.display());
            return Some(format!("{image} has {found} bytes instead of {bytes}"));
        }
        if hash && digest::blake3(&image).ok().as_deref() != Some(wanted) {
            return Some(format!("{} is damaged: its hash differs", image.display()));
        }
        None
    }
}

impl Entry {
    fn problem(&self, folder: &Path, hash: bool) -> Option<String> {
        let path = folder.join(&self.name);
        let Ok(metadata) = std::fs::symlink_metadata(&path) else {
            return Some(format!("{} is missing", path.display()));
        };
        if !metadata.is_file() || metadata.len() != self.bytes {
            let (found, wanted) = (metadata.len(), self.bytes);
            return Some(format!("{} has {found} bytes instead of {wanted}", path.display()));
        }
        if hash && digest::sha256(&path, &mut |_| ()).ok().as_ref() != Some(&self.sha256) {
            return Some(format!("{} is damaged: its hash differs", path.display()));
        }
        None
    }
}

/// Writes [`CONTENTS`]: one `hash size name` a line.
pub(super) fn contents(entries: &[Entry]) -> String {
    entries.iter().map(|e| format!("{} {} {}\n", e.sha256, e.bytes, e.name)).collect()
}

/// What is wrong with a folder that lists its files, if anything.
fn folder_problem(folder: &Path, right: &dyn Fn(&[Entry]) -> bool, hash: bool) -> Option<String> {
    if !folder.is_dir() {
        return Some("not fetched yet".into());
    }
    if let Err(error) = owner::check_private(folder) {
        return Some(error.to_string());
    }
    let Some(entries) = read_contents(folder).filter(|entries| right(entries)) else {
        return Some(format!("{} is missing or damaged", folder.join(CONTENTS).display()));
    };
    entries.iter().find_map(|entry| entry.problem(folder, hash))
}

/// Reads [`CONTENTS`].
fn read_contents(folder: &Path) -> Option<Vec<Entry>> {
    let text = std::fs::read_to_string(folder.join(CONTENTS)).ok()?;
    let mut entries = Vec::new();
    for line in text.lines() {
        let (sha256, rest) = line.split_once(' ')?;
        let (bytes, name) = rest.split_once(' ')?;
        entries.push(Entry {
            sha256: sha256.to_owned(),
            bytes: bytes.parse().ok()?,
            name: name.to_owned(),
        });
    }
    // Written last: a list without its end is a list that was cut off.
    (entries.len() > 2 && text.ends_with('\n')).then_some(entries)
}

fn folder_in(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn platform_folder() -> Option<PathBuf> {
    let base = if cfg!(windows) {
        folder_in("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        std::env::home_dir().map(|home| home.join("Library/Caches"))
    } else {
        // The XDG specification: a relative path is to be ignored.
        folder_in("XDG_CACHE_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| std::env::home_dir().map(|home| home.join(".cache")))
    };
    base.filter(|path| path.is_absolute()).map(|base| base.join("dataroom"))
}
