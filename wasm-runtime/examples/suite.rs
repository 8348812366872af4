//! Runs one long script, with folders of yours to read, almost without limits. The
//! libraries' own test suites run so (`scripts/suites`).
//!
//! ```text
//! cargo run -p dataroom-sandbox --example suite -- RUNTIME IMAGES SCRIPT [NAME=FOLDER]… <TEXT
//! ```
//!
//! The script sees each folder as `/mnt/NAME` and what stands on stdin in the global
//! `TEXT`. What it prints comes out whole when it has ended, however that was; the
//! last line of stderr is the ending as JSON. RUNTIME and IMAGES are as for the
//! example `embed`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows its result")]
#![allow(clippy::disallowed_methods, reason = "an example has paths, a library gets open files")]

use std::error::Error;
use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use dataroom_sandbox::packages::Key;
use dataroom_sandbox::{Cancel, Limits, NoOutputs, Run, Sandbox, image};

/// A file of pandas' suite takes minutes; one that hangs must not take for ever.
const LONGEST: Duration = Duration::from_secs(3600);

const GIB: u64 = 1 << 30;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [runtime, images, script, folders @ ..] = arguments.as_slice() else {
        return Err(
            "usage: suite RUNTIME IMAGES SCRIPT [NAME=FOLDER]… (see the top of this file)".into()
        );
    };
    let (key, images) = (Key::locked(), Path::new(images));
    let image = images.join(image::file_name(&key));
    let mut sandbox = Sandbox::open(Path::new(runtime), &key.file(images), &image)?;
    for folder in folders {
        let (name, path) =
            folder.split_once('=').ok_or(format!("{folder:?} is not NAME=FOLDER"))?;
        sandbox.show(name, Path::new(path))?;
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    // A JSON string is a Python string too.
    let code =
        format!("TEXT = {}\n{}", serde_json::to_string(&text)?, std::fs::read_to_string(script)?);
    let run = Run { code, limits: limits(), keep_bytes: Some(512 << 20), ..Run::default() };
    let outcome = sandbox.run(run, &mut NoOutputs, &Cancel::new());
    print!("{}", outcome.stdout.text);
    eprintln!("{}", outcome.stderr.text);
    let ending = serde_json::json!({
        "ending": outcome.ending, "error": outcome.error, "usage": outcome.usage,
    });
    eprintln!("{ending}");
    Ok(())
}

fn limits() -> Limits {
    Limits {
        fuel: u64::MAX,
        wall_ms: u64::try_from(LONGEST.as_millis()).unwrap_or(u64::MAX),
        memory_bytes: 4 * GIB,
        stdout_bytes: GIB,
        stderr_bytes: GIB,
        scratch_bytes: 2 * GIB,
        scratch_files: 100_000,
        open_files: 1024,
        host_calls: u64::MAX,
        ..Limits::default()
    }
}
