//! `dataroom triage init`: writes the triage pack into a folder.

use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use dataroom::gateway::triage::{FOLDERS, PackFile, Shape, files};

/// Writes all files or, where one is there already and may not be replaced, none.
pub(super) fn init(shape: Shape, folder: &Path, force: bool) -> anyhow::Result<ExitCode> {
    let named = || format!("{}", folder.display());
    let ambient = ambient_authority();
    Dir::create_ambient_dir_all(folder, ambient).with_context(named)?;
    #[allow(clippy::disallowed_methods, reason = "the person named this folder to be written to")]
    let dir = Dir::open_ambient_dir(folder, ambient).with_context(named)?;
    let files = files(shape);
    let there: Vec<&str> =
        files.iter().filter(|file| dir.exists(file.path)).map(|file| file.path).collect();
    anyhow::ensure!(
        force || there.is_empty(),
        "{} has {} already: nothing was written; choose another --dir, or replace them with --force",
        folder.display(),
        there.join(", ")
    );
    for name in FOLDERS {
        dir.create_dir_all(name).with_context(|| format!("{}/{name}", folder.display()))?;
    }
    let mut out = std::io::stdout().lock();
    for file in &files {
        write(&dir, file, force).with_context(|| format!("{}/{}", folder.display(), file.path))?;
        writeln!(out, "{}", folder.join(file.path).display())?;
    }
    writeln!(out, "README.md says how to try it, and how to use it.")?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn write(dir: &Dir, file: &PackFile, force: bool) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true);
    // A file that appeared since we looked is not ours to replace.
    if force {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    match dir.open_with(file.path, &options) {
        Ok(mut open) => open.write_all(file.text.as_bytes()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(std::io::Error::new(error.kind(), "it appeared meanwhile; try again with --force"))
        }
        Err(error) => Err(error),
    }
}
