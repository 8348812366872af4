//! The sandbox: one engine and one start image, any number of runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use wasmtime::{Engine, InstancePre, Linker, Module, Store, Trap};

use crate::bridge::session::Session;
use crate::drive::{self, Stopped};
use crate::engine::{Purpose, engine};
use crate::guest::{Guest, Halt, Stop};
use crate::image;
use crate::left_files;
use crate::limits::LimitName;
use crate::mounts::{MountError, Mounts};
use crate::outcome::{Captured, Ending, GuestError, Outcome, Usage, WrittenFile};
use crate::release::release;
use crate::run::{Cancel, OutputSink, Run};
use crate::wasi::clock::GuestClock;
use crate::wasi::streams::{KEEP, Stream};
use crate::wasi::{OverLimit, ProcExit, Wasi, WasiView};

/// What a run executes; the script itself is fetched by a host call.
const START: &str = "__import__('dataroom._run')._run.main()";

/// Where our guest package is, in a traceback.
const OUR_PACKAGE: &str = "/usr/local/lib/room/";

/// A loaded start image. Clones share it; runs on any threads at once are fine.
#[derive(Clone)]
pub struct Sandbox {
    engine: Engine,
    start: Arc<InstancePre<Guest>>,
    mounts: Arc<Mounts>,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").finish_non_exhaustive()
    }
}

/// Why the sandbox cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The image is for other code than this.
    #[error("{found} is not this version's start image ({expected}): run `dataroom setup`")]
    Stale {
        /// The file's name.
        found: String,
        /// The name that this version gives its image.
        expected: String,
    },
    /// A shared file of the runtime.
    #[error(transparent)]
    Mount(#[from] MountError),
    /// wasmtime refuses the image or this machine.
    #[error("the start image cannot be loaded ({0}): run `dataroom setup`")]
    Engine(#[from] wasmtime::Error),
}

impl Sandbox {
    /// Opens the start image `image`, made by [`image::build`] from the runtime in
    /// the folder `runtime` and the file `packages` (see [`crate::packages`]). Takes
    /// about 10 ms; the image's pages are read as they are used.
    ///
    /// The image is machine code: whoever can write it owns this process. Keep it
    /// in a folder that only this user can write.
    ///
    /// # Errors
    /// The image is missing, of another version or other packages, or damaged; see
    /// [`OpenError`].
    pub fn open(runtime: &Path, packages: &Path, image: &Path) -> Result<Self, OpenError> {
        let engine = engine(Purpose::Run)?;
        let (mounts, key) = Mounts::open(runtime, packages)?;
        let expected = image::name_for(&engine, &key);
        let found = image.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if found != expected {
            return Err(OpenError::Stale { found, expected });
        }
        #[expect(unsafe_code, reason = "deserialising our own image, see SAFETY")]
        // SAFETY: the file was written by `image::build` through
        // `Engine::precompile_module`: its name carries the hash of everything that
        // it was made from, the caller keeps its folder private to this user, and
        // wasmtime checks version and settings again.
        let module = unsafe { Module::deserialize_file(&engine, image) }?;
        let mounts = Arc::new(mounts);
        let mut linker = Linker::new(&engine);
        drive::add_to_linker(&mut linker)?;
        let start = Arc::new(linker.instantiate_pre(&module)?);
        Ok(Self { engine, start, mounts })
    }

    /// Shows every later run of this sandbox, and of clones made from now on, the
    /// files below `folder` in `/mnt/NAME`, to read. They are read here, once, and
    /// held in memory.
    ///
    /// # Errors
    /// The name is no plain folder name or is taken; a file cannot be read.
    pub fn show(&mut self, name: &str, folder: &Path) -> Result<(), MountError> {
        Arc::make_mut(&mut self.mounts).show(name, folder)
    }

    /// Runs one script in a fresh interpreter, on this thread, to its end or to a
    /// limit. Tables that the script puts into `outputs` go to `sink`.
    ///
    /// Never fails: every way in which a run can end is an [`Ending`]. The memory of a
    /// large guest is given back in the background; it does not execute any more then.
    pub fn run(&self, run: Run, sink: &mut dyn OutputSink, cancel: &Cancel) -> Outcome {
        let begun = Instant::now();
        let stop = Stop::new(cancel.clone(), run.limits.wall());
        let limits = run.limits.clone();
        let files = self.mounts.files(&run.inputs, &limits);
        let keep = run.keep_bytes.unwrap_or(KEEP);
        let stream = |limit| Stream::new(limit, keep);
        let fuel = limits.fuel;
        let (stdout, stderr) = (stream(limits.stdout_bytes), stream(limits.stderr_bytes));
        let wasi = Wasi::new(files, stdout, stderr, run.seed, GuestClock::new(run.clock, fuel));
        let guest = Guest::new(wasi, Session::new(run, stop.clone()), limits, stop);
        let mut store = match drive::store(&self.engine, guest) {
            Ok(store) => store,
            Err(error) => return refused(&error),
        };
        let start = &self.start;
        let begin = async |store: &mut Store<Guest>| {
            let instance = start.instantiate_async(&mut *store).await?;
            drive::turn(store, &instance, START).await
        };
        let ended = catch_unwind(AssertUnwindSafe(|| drive::drive(&mut store, sink, begin)));
        let ended = ended.unwrap_or_else(|_| {
            Err(Stopped::Failed(wasmtime::Error::msg("a host function panicked")))
        });
        let left = store.get_fuel().unwrap_or(0);
        let mut outcome = conclude(store.data_mut(), &ended);
        outcome.usage.fuel = fuel - left;
        release(store);
        outcome.usage.wall = begun.elapsed();
        outcome
    }
}

fn refused(error: &wasmtime::Error) -> Outcome {
    Outcome {
        ending: Ending::Aborted,
        result: None,
        last_line: false,
        stdout: Default::default(),
        stderr: Default::default(),
        error: Some(failure(format!("no interpreter could be started: {error}"))),
        outputs: Vec::new(),
        files: Vec::new(),
        warnings: Vec::new(),
        usage: Usage::default(),
    }
}

fn failure(message: String) -> GuestError {
    GuestError { kind: "Aborted".to_owned(), message, ..GuestError::default() }
}

/// Turns what the guest left behind into an outcome.
fn conclude(guest: &mut Guest, ended: &Result<i32, Stopped>) -> Outcome {
    let usage = Usage {
        memory_bytes: guest.memory_bytes(),
        scratch_bytes: guest.wasi_ref().files.tree.scratch_most(),
        host_calls: guest.session.calls(),
        ..Usage::default()
    };
    let stdout = guest.wasi_ref().stdout.captured();
    let mut stderr = guest.wasi_ref().stderr.captured();
    let report = guest.session.report();
    if !report.done && stderr.text.contains(OUR_PACKAGE) {
        // A script that breaks our own package sees its traceback nowhere else.
        stderr = Captured::default();
    }
    let (ending, error) = match (ended, guest.over_limit()) {
        (_, Some(limit)) => (Ending::Limit { limit }, None),
        (Err(Stopped::Halted(Halt::Cancelled)), _) => (Ending::Cancelled, None),
        (Err(Stopped::Halted(Halt::Wall)), _) => (Ending::Limit { limit: LimitName::Wall }, None),
        (Err(Stopped::Failed(error)), _) => fallen(error),
        (Ok(_), _) => match (&report.error, report.exit) {
            (_, Some(code)) => (Ending::Exited { code }, None),
            (Some(error), None) => {
                let limit = guest.limit_behind(&error.kind, &error.message);
                (
                    limit.map_or(Ending::Raised, |limit| Ending::Limit { limit }),
                    report.error.clone(),
                )
            }
            (None, None) if report.done => (Ending::Completed, None),
            (None, None) => {
                let said = stderr.text.trim().lines().last().unwrap_or_default().to_owned();
                (Ending::Aborted, Some(failure(format!("the interpreter left early: {said}"))))
            }
        },
    };
    let ending = match ending {
        Ending::Aborted if guest.memory_refused() => Ending::Limit { limit: LimitName::Memory },
        ending => ending,
    };
    let completed = ending == Ending::Completed;
    let mut warnings = report.warnings;
    let files = if completed { left_behind(guest, &mut warnings) } else { Vec::new() };
    Outcome {
        ending,
        result: report.result.filter(|_| completed),
        last_line: report.last_line,
        stdout,
        stderr,
        error,
        outputs: report.outputs,
        files,
        warnings,
        usage,
    }
}

fn left_behind(guest: &Guest, warnings: &mut Vec<String>) -> Vec<WrittenFile> {
    let most = guest.limits.files;
    let (files, more) = left_files::of(&guest.wasi_ref().files.tree, most);
    if more > 0 {
        warnings
            .push(format!("the script left {more} more files than are kept ({most}): write fewer"));
    }
    files
}

/// The ending behind a trap.
fn fallen(error: &wasmtime::Error) -> (Ending, Option<GuestError>) {
    if let Some(ProcExit(code)) = error.downcast_ref() {
        return (Ending::Exited { code: *code }, None);
    }
    if let Some(OverLimit(limit)) = error.downcast_ref() {
        return (Ending::Limit { limit: *limit }, None);
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => (Ending::Limit { limit: LimitName::Fuel }, None),
        Some(Trap::StackOverflow) => (Ending::Limit { limit: LimitName::Stack }, None),
        Some(trap) => (Ending::Aborted, Some(failure(format!("the interpreter aborted: {trap}")))),
        None => (Ending::Aborted, Some(failure(format!("the interpreter aborted: {error}")))),
    }
}
