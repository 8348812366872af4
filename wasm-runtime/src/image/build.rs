//! Making the image, step by step.

#![expect(
    clippy::disallowed_methods,
    reason = "reads the runtime and writes the image where set-up says; no guest path comes here"
)]

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use wasmparser::{Parser, Payload};
use wasmtime::{Engine, Linker, Module, Store};
use wasmtime_wizer::Wizer;

use super::patch::{PatchError, patch};
use super::snapshot::Instantiated;
use super::{PRELOAD, PYTHON_WASM_SHA256};
use crate::bridge::session::Session;
use crate::drive::{self, Stopped};
use crate::engine::{Purpose, engine};
use crate::guest::{Guest, Stop};
use crate::limits::Limits;
use crate::mounts::{MountError, Mounts};
use crate::run::{Cancel, Clock, NoOutputs};
use crate::wasi::Wasi;
use crate::wasi::clock::GuestClock;
use crate::wasi::streams::{KEEP, Stream};

/// 2020-01-01, as the time of every file in the guest.
const PRELOAD_TIME: Duration = Duration::from_secs(1_577_836_800);

/// A step of making the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Reading and patching `python.wasm`.
    Read,
    /// The compilation that is run once.
    CompileForSnapshot,
    /// Importing the scientific stack.
    Preload,
    /// Writing memory back into the module.
    Snapshot,
    /// The compilation that is kept.
    Compile,
    /// Writing the file.
    Write,
}

impl Step {
    /// About how long the step takes on two cores, in seconds: the weights of the
    /// progress bar.
    fn seconds(self) -> f64 {
        match self {
            Step::Read => 2.0,
            Step::CompileForSnapshot => 45.0,
            Step::Preload => 8.0,
            Step::Snapshot => 3.0,
            Step::Compile => 85.0,
            Step::Write => 2.0,
        }
    }

    const ALL: [Step; 6] = [
        Step::Read,
        Step::CompileForSnapshot,
        Step::Preload,
        Step::Snapshot,
        Step::Compile,
        Step::Write,
    ];
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Step::Read => "reading and patching the interpreter",
            Step::CompileForSnapshot => "compiling for the first start",
            Step::Preload => "importing numpy, pandas, scipy, scikit-learn, …",
            Step::Snapshot => "taking the snapshot",
            Step::Compile => "compiling the start image",
            Step::Write => "writing the start image",
        })
    }
}

/// How far the image is.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// What is being done.
    pub step: Step,
    /// Of the whole, 0 to 1. Within a step it is an estimate from the clock.
    pub fraction: f64,
}

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A file of the runtime or the image.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A shared file of the runtime.
    #[error(transparent)]
    Mount(#[from] MountError),
    /// The runtime is not the pinned one.
    #[error("{} is not the pinned runtime (its SHA-256 is {found}); `dataroom setup` fetches it again", path.display())]
    Hash {
        /// The file.
        path: PathBuf,
        /// Its hash.
        found: String,
    },
    /// The patch does not fit.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// Compiling or instantiating failed.
    #[error("the {step} step failed: {source}")]
    Engine {
        /// The step.
        step: Step,
        /// wasmtime's words.
        source: wasmtime::Error,
    },
    /// The preload script failed.
    #[error("importing the packages into the image failed: {0}")]
    Preload(String),
    /// A wheel that is not in the lock fails in the guest.
    #[error("{wheel}: {problem}")]
    Wheel {
        /// The name of its file.
        wheel: String,
        /// Which import failed, and how.
        problem: String,
    },
}

/// Makes the start image from the runtime in the folder `runtime`
/// (`python.wasm`, `python315.zip`, `mpl-data/`) and the file `packages` (see
/// [`crate::packages`]), and writes it to `destination`, which must not exist. Takes two to four minutes on two cores and 3 GB of memory.
///
/// # Errors
/// See [`BuildError`]; a file left half written is the caller's to remove.
pub fn build(
    runtime: &Path,
    packages: &Path,
    destination: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), BuildError> {
    let mut bar = Bar { progress };
    let wasm = bar.during(Step::Read, || read(runtime))?;
    let failed = |step| move |source| BuildError::Engine { step, source };

    let step = Step::CompileForSnapshot;
    let wizer = Wizer::new();
    let (context, module, fast) = bar.during(step, || {
        let (context, instrumented) = wizer.instrument(&wasm).map_err(failed(step))?;
        let fast = engine(Purpose::Snapshot).map_err(failed(step))?;
        let module = Module::new(&fast, &instrumented).map_err(failed(step))?;
        Ok((context, module, fast))
    })?;
    let (mounts, _) = Mounts::open(runtime, packages)?;
    let (mut store, instance) = bar.during(Step::Preload, || preload(&fast, &module, &mounts))?;
    let snapshot = bar.during(Step::Snapshot, || {
        let mut state = Instantiated { store: &mut store, instance };
        let snapshot = drive::ready(wizer.snapshot(&context, &mut state));
        Ok(without_custom_sections(&snapshot.map_err(failed(Step::Snapshot))?))
    })?;
    drop((store, module, fast, context));
    drop(wasm);
    let step = Step::Compile;
    let compiled = bar.during(step, || {
        let engine = engine(Purpose::Run).map_err(failed(step))?;
        engine.precompile_module(&snapshot).map_err(failed(step))
    })?;
    bar.during(Step::Write, || write(destination, &compiled))
}

fn file_error(path: &Path) -> impl FnOnce(io::Error) -> BuildError {
    let path = path.to_owned();
    move |source| BuildError::File { path, source }
}

fn read(runtime: &Path) -> Result<Vec<u8>, BuildError> {
    use sha2::Digest;
    let path = runtime.join("python.wasm");
    let wasm = fs::read(&path).map_err(file_error(&path))?;
    let digest = sha2::Sha256::digest(&wasm);
    let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    if found != PYTHON_WASM_SHA256 {
        return Err(BuildError::Hash { path, found });
    }
    Ok(patch(wasm)?)
}

fn write(destination: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    use std::io::Write;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(destination).map_err(file_error(destination))?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(file_error(destination))
}

fn preload(
    engine: &Engine,
    module: &Module,
    mounts: &Mounts,
) -> Result<(Store<Guest>, wasmtime::Instance), BuildError> {
    let failed = |source| BuildError::Engine { step: Step::Preload, source };
    let limits =
        Limits { fuel: u64::MAX, wall_ms: 600_000, memory_bytes: 2 << 30, ..Limits::default() };
    let stop = Stop::new(Cancel::new(), limits.wall());
    let stream = || Stream::new(1 << 20, KEEP);
    // What the packages note down of the time when they are imported is in the image,
    // and every machine has to get the same one.
    let clock = GuestClock::new(Clock::Own { start: UNIX_EPOCH + PRELOAD_TIME }, limits.fuel);
    let wasi = Wasi::new(mounts.files(&[], &limits), stream(), stream(), 0, clock);
    let guest = Guest::new(wasi, Session::preload(), limits, stop);
    let mut linker = Linker::new(engine);
    drive::add_to_linker(&mut linker).map_err(failed)?;
    let mut store = drive::store(engine, guest).map_err(failed)?;
    let begun = async |store: &mut Store<Guest>| {
        let instance = linker.instantiate_async(&mut *store, module).await?;
        let initialize = instance.get_typed_func::<(), ()>(&mut *store, "_initialize")?;
        initialize.call_async(&mut *store, ()).await?;
        let status = drive::turn(store, &instance, PRELOAD).await?;
        Ok((instance, status))
    };
    let ended = drive::drive(&mut store, &mut NoOutputs, begun);
    let complaint = store.data().wasi_ref().stderr.captured().text;
    if let Some((wheel, problem)) = fault(&complaint) {
        return Err(BuildError::Wheel { wheel, problem });
    }
    match ended {
        Ok((instance, 0)) => Ok((store, instance)),
        Ok((_, status)) => Err(BuildError::Preload(format!("status {status}\n{complaint}"))),
        Err(Stopped::Halted(halt)) => Err(BuildError::Preload(format!("{halt:?}\n{complaint}"))),
        Err(Stopped::Failed(error)) => Err(BuildError::Preload(format!("{error:?}\n{complaint}"))),
    }
}

/// The wheel at fault, as `dataroom/_packages.py` says it.
fn fault(complaint: &str) -> Option<(String, String)> {
    let said = complaint.lines().find_map(|line| line.strip_prefix("dataroom-wheel: "))?;
    serde_json::from_str(said).ok()
}

/// The module without names and other custom sections, which nothing reads any more.
fn without_custom_sections(wasm: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(wasm.len());
    let mut from = 0;
    for payload in Parser::new(0).parse_all(wasm) {
        // The snapshot was written by a well-formed encoder.
        let Ok(Payload::CustomSection(section)) = payload else { continue };
        let body = section.range();
        // The section's id and length stand before its body.
        let mut start = body.start - 1;
        while wasm[start - 1] & 0x80 != 0 {
            start -= 1;
        }
        kept.extend_from_slice(&wasm[from..start - 1]);
        from = body.end;
    }
    kept.extend_from_slice(&wasm[from..]);
    kept
}

struct Bar<'a> {
    progress: &'a mut dyn FnMut(Progress),
}

impl Bar<'_> {
    /// Does `work` on a thread of its own and moves the bar meanwhile.
    fn during<T: Send>(
        &mut self,
        step: Step,
        work: impl FnOnce() -> Result<T, BuildError> + Send,
    ) -> Result<T, BuildError> {
        let before: f64 = Step::ALL.iter().take_while(|s| **s != step).map(|s| s.seconds()).sum();
        let whole: f64 = Step::ALL.iter().map(|s| s.seconds()).sum();
        let begun = Instant::now();
        std::thread::scope(|scope| {
            let worker = std::thread::Builder::new()
                .name("start-image".to_owned())
                .stack_size(64 << 20)
                .spawn_scoped(scope, work)
                .map_err(|source| BuildError::Engine { step, source: source.into() })?;
            while !worker.is_finished() {
                // Nears the step's end without ever passing it.
                let share = 1.0 - (-begun.elapsed().as_secs_f64() / step.seconds() * 1.5).exp();
                let fraction = (before + step.seconds() * share) / whole;
                (self.progress)(Progress { step, fraction });
                std::thread::sleep(Duration::from_millis(100));
            }
            (self.progress)(Progress { step, fraction: (before + step.seconds()) / whole });
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}
