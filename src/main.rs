//! The command line of `dataroom`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
