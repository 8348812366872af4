//! `dataroom doctor`: what is there, what is missing, how to mend it.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::cache::Cache;
use super::error::SetupError;
use super::lock::Lock;
use super::{owner, pins, python};

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What, in a word or two.
    pub name: &'static str,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found.
    pub detail: String,
    /// What to do, where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
}

impl Check {
    fn good(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, ok: true, detail: detail.into(), mend: None }
    }

    fn bad(name: &'static str, detail: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { name, ok: false, detail: detail.into(), mend: Some(mend.into()) }
    }
}

/// Looks at everything that a run needs; `wheels` says why those of the room's own that
/// cannot be read cannot. Hashes all files, and changes nothing.
#[must_use]
pub fn doctor(cache: &Cache, home: &Path, wheels: &[SetupError]) -> Vec<Check> {
    let runtime = runtime(cache);
    let packages = packages(cache);
    let image = image(cache, runtime.ok && packages.ok);
    let complete = runtime.ok && packages.ok && image.ok;
    let parts = [
        (runtime.ok, pins::RUNTIME_SPACE),
        (packages.ok, pins::PACKAGES_SPACE),
        (image.ok, pins::IMAGE_SPACE),
    ];
    let need = parts.iter().filter(|(there, _)| !there).map(|(_, space)| space).sum();
    let mut checks = vec![
        machine(),
        cache_folder(cache.folder(), complete),
        disk(cache.folder(), need),
        fetching(runtime.ok && packages.ok),
        runtime,
        packages,
        image,
        home_folder(home),
    ];
    checks.extend(wheels.iter().map(wheel));
    checks
}

fn machine() -> Check {
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let detail = format!("{system} on {processor}, {cores} cores");
    // Where Cranelift makes native code; elsewhere wasmtime has no compiler.
    if matches!(processor, "x86_64" | "aarch64" | "riscv64" | "s390x") {
        Check::good("machine", detail)
    } else {
        let mend = "use a 64-bit x86, ARM, RISC-V or IBM Z machine";
        Check::bad("machine", format!("{detail}: the sandbox has no compiler for it"), mend)
    }
}

fn cache_folder(folder: &Path, complete: bool) -> Check {
    const NAME: &str = "cache folder";
    let shown = folder.display().to_string();
    if folder.exists()
        && let Err(error) = owner::check_private(folder)
    {
        let (problem, mend) = error.problem_and_mend();
        return Check::bad(NAME, problem, mend);
    }
    match writable(folder) {
        Ok(()) if Lock::is_held(folder) => {
            Check::good(NAME, format!("{shown}; a setup is running right now"))
        }
        Ok(()) if folder.exists() => Check::good(NAME, shown),
        Ok(()) => Check::good(NAME, format!("{shown}, not made yet")),
        // A finished cache is only read.
        Err(error) if complete => Check::good(NAME, format!("{shown}, read-only ({error})")),
        Err(error) => Check::bad(
            NAME,
            format!("{shown} cannot be written to: {error}"),
            "make it writable, or name another one with DATAROOM_CACHE=DIR",
        ),
    }
}

fn disk(folder: &Path, need: u64) -> Check {
    const NAME: &str = "free disk";
    let Some(free) = existing(folder).and_then(|folder| owner::free_space(&folder)) else {
        return Check::good(NAME, "not known on this system");
    };
    let detail = format!("{} MiB free, set-up needs {} more", free >> 20, need >> 20);
    if free >= need {
        Check::good(NAME, detail)
    } else {
        Check::bad(NAME, detail, "free some, or name another disk's folder with DATAROOM_CACHE=DIR")
    }
}

fn fetching(have_all: bool) -> Check {
    const NAME: &str = "python and pip";
    let found = tempfile::tempdir()
        .map_err(|e| SetupError::io("write to", std::env::temp_dir(), e))
        .and_then(|empty| python::with_pip(empty.path()));
    match found {
        Ok(python) => Check::good(NAME, format!("{} has pip", python.join(" "))),
        Err(error) => {
            let (problem, mend) = error.problem_and_mend();
            if have_all {
                Check::good(NAME, format!("not needed, all is fetched ({problem})"))
            } else {
                Check::bad(NAME, problem, mend)
            }
        }
    }
}

fn runtime(cache: &Cache) -> Check {
    const NAME: &str = "runtime";
    let folder = cache.runtime();
    match cache.runtime_problem(true) {
        None => Check::good(NAME, format!("{}, all hashes right", folder.display())),
        Some(problem) => Check::bad(NAME, problem, "run `dataroom setup`"),
    }
}

fn packages(cache: &Cache) -> Check {
    const NAME: &str = "packages";
    let folder = cache.packages();
    let of_ones_own = match cache.extra.len() {
        0 => String::new(),
        1 => " with one wheel of this room's own".to_owned(),
        many => format!(" with {many} wheels of this room's own"),
    };
    match cache.packages_problem(true) {
        None => Check::good(NAME, format!("{}{of_ones_own}, all hashes right", folder.display())),
        Some(problem) => Check::bad(NAME, problem, "`dataroom setup` fetches them, too"),
    }
}

/// A wheel of the room's own that cannot be read.
fn wheel(error: &SetupError) -> Check {
    let (problem, mend) = error.problem_and_mend();
    let mend = format!("{mend}; or take it out of `[python] extra` in dataroom.toml");
    Check::bad("wheel of this room's own", problem, mend)
}

fn image(cache: &Cache, have_parts: bool) -> Check {
    const NAME: &str = "start image";
    match cache.image_problem(true) {
        None => Check::good(NAME, format!("{}, hash right", cache.image().display())),
        Some(problem) if have_parts => {
            Check::bad(NAME, problem, "run `dataroom setup`; it takes a few minutes")
        }
        Some(problem) => Check::bad(
            NAME,
            problem,
            "run `dataroom setup`, which fetches what it is made from first",
        ),
    }
}

fn home_folder(home: &Path) -> Check {
    const NAME: &str = "home";
    let shown = home.display();
    match writable(home) {
        Ok(()) if home.exists() => Check::good(NAME, shown.to_string()),
        Ok(()) => Check::good(NAME, format!("{shown}, not made yet")),
        Err(error) => Check::bad(
            NAME,
            format!("{shown} cannot be written to: {error}"),
            "make it writable, or name another one with --home DIR or DATAROOM_HOME",
        ),
    }
}

/// Whether files can be made in `folder`, or in the nearest folder above it that
/// there is.
fn writable(folder: &Path) -> std::io::Result<()> {
    let folder = existing(folder).ok_or(std::io::ErrorKind::NotFound)?;
    tempfile::Builder::new().prefix(".tmp-").tempfile_in(folder).map(drop)
}

fn existing(folder: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(folder).ok()?;
    folder.ancestors().find(|path| path.exists()).map(Path::to_owned)
}
