//! Finding a Python that has pip.

use std::path::Path;
use std::process::{Command, Stdio};

use super::error::SetupError;

const CANDIDATES: &[&[&str]] = &[&["python3"], &["python"], &["py", "-3"]];

/// The first Python that can run pip.
pub(super) fn with_pip(empty_folder: &Path) -> Result<&'static [&'static str], SetupError> {
    let mut without = None;
    for candidate in CANDIDATES {
        let run = |arguments: &[&str]| {
            command(candidate, empty_folder)
                .args(arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        };
        if run(&["-m", "pip", "--version"]) {
            return Ok(candidate);
        }
        // A `python` that starts but is version 2, or a shop's stub, is none.
        if without.is_none() && run(&["-c", "import sys; sys.exit(sys.version_info < (3,))"]) {
            without = Some(candidate.join(" "));
        }
    }
    Err(match without {
        Some(python) => SetupError::NoPip { python },
        None => SetupError::NoPython,
    })
}

/// A command that runs `python` in `empty_folder`: `-m` looks for modules in the
/// current folder first, and that may be somebody's data with a `pip.py` in it.
pub(super) fn command(python: &[&str], empty_folder: &Path) -> Command {
    let mut command = Command::new(python[0]);
    command.args(&python[1..]).current_dir(empty_folder).stdin(Stdio::null());
    command
}
