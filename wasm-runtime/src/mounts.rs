//! What the guest finds in its folders.
//!
//! | path | what | guest may |
//! |---|---|---|
//! | `/usr/local/lib/python315.zip` | the standard library and packages | read |
//! | `…/python315.zip/matplotlib/mpl-data` | matplotlib's data, a preopen of its own | read |
//! | `/usr/local/lib/room` | our own package | read |
//! | `/usr/local/lib/packages` | the packages that the runtime lacks ([`crate::packages`]) | read |
//! | `/in` | this run's input Parquet files, `NAME.parquet` | read |
//! | `/work` (where a script starts), `/out`, `/tmp` | scratch, in host memory | write |
//! | `/mnt/NAME` | a folder that the embedder shows ([`crate::Sandbox::show`]) | read |

#![expect(
    clippy::disallowed_methods,
    reason = "opens the runtime's and the embedder's own folders; no guest path comes here"
)]

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::limits::Limits;
use crate::packages::{Key, Packages};
use crate::positioned::Positioned;
use crate::run::Input;
use crate::wasi::files::Files;
use crate::wasi::tree::{Content, NodeId, ROOT, Tree};

const LIBRARY: &str = "/usr/local/lib";
const PACKAGES: &str = "/usr/local/lib/packages";
const MPL_DATA: &str = "/usr/local/lib/python315.zip/matplotlib/mpl-data";

/// Our guest package: file name and source, in the order of import.
pub(crate) const PACKAGE: &[(&str, &str)] = &[
    ("__init__.py", include_str!("../../python-stdlib/dataroom/__init__.py")),
    ("_as_on_64_bits.py", include_str!("../../python-stdlib/dataroom/_as_on_64_bits.py")),
    ("_beyond_memory.py", include_str!("../../python-stdlib/dataroom/_beyond_memory.py")),
    ("_categories.py", include_str!("../../python-stdlib/dataroom/_categories.py")),
    ("_draws.py", include_str!("../../python-stdlib/dataroom/_draws.py")),
    ("_errors.py", include_str!("../../python-stdlib/dataroom/_errors.py")),
    ("_figures.py", include_str!("../../python-stdlib/dataroom/_figures.py")),
    ("_group_corr.py", include_str!("../../python-stdlib/dataroom/_group_corr.py")),
    ("_host_calls.py", include_str!("../../python-stdlib/dataroom/_host_calls.py")),
    ("_hypergeometric.py", include_str!("../../python-stdlib/dataroom/_hypergeometric.py")),
    ("_int32.py", include_str!("../../python-stdlib/dataroom/_int32.py")),
    ("_layout.py", include_str!("../../python-stdlib/dataroom/_layout.py")),
    ("_libraries.py", include_str!("../../python-stdlib/dataroom/_libraries.py")),
    ("_many_texts.py", include_str!("../../python-stdlib/dataroom/_many_texts.py")),
    ("_memory.py", include_str!("../../python-stdlib/dataroom/_memory.py")),
    ("_merge_watch.py", include_str!("../../python-stdlib/dataroom/_merge_watch.py")),
    ("_narrowing.py", include_str!("../../python-stdlib/dataroom/_narrowing.py")),
    ("_nesting.py", include_str!("../../python-stdlib/dataroom/_nesting.py")),
    ("_notices.py", include_str!("../../python-stdlib/dataroom/_notices.py")),
    ("_objects.py", include_str!("../../python-stdlib/dataroom/_objects.py")),
    ("_packages.py", include_str!("../../python-stdlib/dataroom/_packages.py")),
    ("_pandas.py", include_str!("../../python-stdlib/dataroom/_pandas.py")),
    ("_parquet.py", include_str!("../../python-stdlib/dataroom/_parquet.py")),
    ("_patterns.py", include_str!("../../python-stdlib/dataroom/_patterns.py")),
    ("_plotly.py", include_str!("../../python-stdlib/dataroom/_plotly.py")),
    ("_pruning.py", include_str!("../../python-stdlib/dataroom/_pruning.py")),
    ("_reading.py", include_str!("../../python-stdlib/dataroom/_reading.py")),
    ("_results.py", include_str!("../../python-stdlib/dataroom/_results.py")),
    ("_run.py", include_str!("../../python-stdlib/dataroom/_run.py")),
    ("_snapshot.py", include_str!("../../python-stdlib/dataroom/_snapshot.py")),
    ("_sql.py", include_str!("../../python-stdlib/dataroom/_sql.py")),
    ("_text.py", include_str!("../../python-stdlib/dataroom/_text.py")),
    ("_ufuncs.py", include_str!("../../python-stdlib/dataroom/_ufuncs.py")),
    ("_widening.py", include_str!("../../python-stdlib/dataroom/_widening.py")),
    ("_writing.py", include_str!("../../python-stdlib/dataroom/_writing.py")),
];

/// The folders that every run begins with. Each gets a copy of the tree, whose nodes are
/// shared until the run changes one.
#[derive(Debug, Clone)]
pub(crate) struct Mounts {
    tree: Tree,
    input: NodeId,
    mpl_data: NodeId,
    /// Names taken in `/mnt`.
    shown: Vec<String>,
}

/// A file that the guest should see cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum MountError {
    /// One of the runtime's own.
    #[error("cannot read the runtime's {}: {source}; `dataroom setup` mends it", path.display())]
    Runtime {
        /// Where it should be.
        path: PathBuf,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// A folder given to [`crate::Sandbox::show`].
    #[error("cannot show {} in the sandbox: {source}", path.display())]
    Shown {
        /// The folder.
        path: PathBuf,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// A name that is no folder's below `/mnt`, or is taken.
    #[error(
        "{0:?} cannot name a folder in /mnt: use ASCII letters, digits, _ and -, each name once"
    )]
    Name(String),
}

impl Mounts {
    /// Opens the files in the runtime folder, and the packages, and tells which they are.
    pub(crate) fn open(runtime: &Path, packages: &Path) -> Result<(Self, Key), MountError> {
        let named = |path: &Path| {
            let path = path.to_owned();
            move |source| MountError::Runtime { path, source }
        };
        let zip = runtime.join("python315.zip");
        let stdlib = File::open(&zip).and_then(Positioned::new).map_err(named(&zip))?;
        let folder = runtime.join("mpl-data");
        let mut mpl_data = Vec::new();
        read_folder(&folder, "", &mut mpl_data).map_err(named(&folder))?;
        let packed = File::open(packages).and_then(Positioned::new).map_err(named(packages))?;
        let Packages { key, files } = Packages::open(&packed).map_err(named(packages))?;
        let mut tree = Tree::new(0, 0);
        let grown = grow(&mut tree, stdlib, mpl_data)
            .and_then(|grown| fill_folder(&mut tree, PACKAGES, files).map(|_| grown));
        let (input, mpl_data) = grown.map_err(|errno| MountError::Runtime {
            path: folder,
            source: io::Error::other(format!("{errno:?}")),
        })?;
        tree.freeze();
        Ok((Self { tree, input, mpl_data, shown: Vec::new() }, key))
    }

    /// Reads the folder and everything below it, for `/mnt/NAME`.
    pub(crate) fn show(&mut self, name: &str, folder: &Path) -> Result<(), MountError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let taken = self.shown.iter().any(|shown| shown == name);
        if name.is_empty() || !name.chars().all(plain) || taken {
            return Err(MountError::Name(name.chars().take(80).collect()));
        }
        let unreadable = |source| MountError::Shown { path: folder.to_owned(), source };
        let mut files = Vec::new();
        read_folder(folder, "", &mut files).map_err(unreadable)?;
        fill_folder(&mut self.tree, &format!("/mnt/{name}"), files)
            .map_err(|errno| unreadable(io::Error::other(format!("{errno:?}"))))?;
        self.tree.freeze();
        self.shown.push(name.to_owned());
        Ok(())
    }

    /// The folders of one run. The preopens are the same ones in the same order
    /// every time.
    pub(crate) fn files(&self, inputs: &[Input], limits: &Limits) -> Files {
        let mut tree = self.tree.with_quotas(limits.scratch_bytes, limits.scratch_files);
        for Input { name, file } in inputs {
            let name = format!("{}.parquet", name.as_str());
            // `/in` is a folder, which is all that this could fail for.
            let _ = tree.host_file(self.input, &name, Content::Host(file.clone()));
        }
        Files::new(tree, &[("/", ROOT), (MPL_DATA, self.mpl_data)], limits.open_files)
    }
}

/// What every run sees: the input folder, still empty, and matplotlib's data.
fn grow(
    tree: &mut Tree,
    stdlib: Positioned,
    mpl_data: Vec<(String, Arc<[u8]>)>,
) -> crate::wasi::errno::Result<(NodeId, NodeId)> {
    let library = tree.host_folder(LIBRARY, false)?;
    tree.host_file(library, "python315.zip", Content::Host(stdlib))?;
    let package = tree.host_folder("/usr/local/lib/room/dataroom", false)?;
    for (name, text) in PACKAGE {
        tree.host_file(package, name, Content::Bytes(text.as_bytes().into()))?;
    }
    let mpl_data = fill_folder(tree, "/usr/local/lib/mpl-data", mpl_data)?;
    for scratch in ["/work", "/out", "/tmp"] {
        tree.host_folder(scratch, true)?;
    }
    Ok((tree.host_folder("/in", false)?, mpl_data))
}

/// Puts files into a read-only folder of the guest's, by their paths below it.
fn fill_folder<C: Into<Content>>(
    tree: &mut Tree,
    at: &str,
    files: Vec<(String, C)>,
) -> crate::wasi::errno::Result<NodeId> {
    // Files of a folder come together, and its path is walked once.
    let mut last = (String::new(), tree.host_folder(at, false)?);
    for (path, content) in files {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
        if folder != last.0 {
            last = (folder.to_owned(), tree.host_folder(&format!("{at}/{folder}"), false)?);
        }
        tree.host_file(last.1, name, content.into())?;
    }
    tree.host_folder(at, false)
}

/// Reads every file below `folder`, as paths with `/`.
fn read_folder(
    folder: &Path,
    prefix: &str,
    files: &mut Vec<(String, Arc<[u8]>)>,
) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let path = format!("{prefix}{}", name.to_string_lossy());
        if entry.file_type()?.is_dir() {
            read_folder(&entry.path(), &(path + "/"), files)?;
        } else {
            files.push((path, fs::read(entry.path())?.into()));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "mounts_tests.rs"]
mod tests;
