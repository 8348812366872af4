//! What the guest finds in its folders.
//!
//! | path | what | guest may |
//! |---|---|---|
//! | `/usr/local/lib/python315.zip` | the standard library and packages | read |
//! | `…/python315.zip/matplotlib/mpl-data` | matplotlib's data, a preopen of its own | read |
//! | `/usr/local/lib/room` | our own package | read |
//! | `/in` | this run's input Parquet files, `NAME.parquet` | read |
//! | `/work` (where a script starts), `/out`, `/tmp` | scratch, in host memory | write |

#![expect(
    clippy::disallowed_methods,
    reason = "opens the runtime's own files, whose folder the embedder names; no guest path comes here"
)]

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::limits::Limits;
use crate::positioned::Positioned;
use crate::run::Input;
use crate::wasi::files::Files;
use crate::wasi::tree::{Content, NodeId, ROOT, Tree};

const LIBRARY: &str = "/usr/local/lib";
const MPL_DATA: &str = "/usr/local/lib/python315.zip/matplotlib/mpl-data";

/// Our guest package: file name and source, in the order of import.
pub(crate) const PACKAGE: &[(&str, &str)] = &[
    ("__init__.py", include_str!("../../python-stdlib/dataroom/__init__.py")),
    ("_host_calls.py", include_str!("../../python-stdlib/dataroom/_host_calls.py")),
    ("_integers.py", include_str!("../../python-stdlib/dataroom/_integers.py")),
    ("_nesting.py", include_str!("../../python-stdlib/dataroom/_nesting.py")),
    ("_categories.py", include_str!("../../python-stdlib/dataroom/_categories.py")),
    ("_layout.py", include_str!("../../python-stdlib/dataroom/_layout.py")),
    ("_reading.py", include_str!("../../python-stdlib/dataroom/_reading.py")),
    ("_writing.py", include_str!("../../python-stdlib/dataroom/_writing.py")),
    ("_parquet.py", include_str!("../../python-stdlib/dataroom/_parquet.py")),
    ("_results.py", include_str!("../../python-stdlib/dataroom/_results.py")),
    ("_errors.py", include_str!("../../python-stdlib/dataroom/_errors.py")),
    ("_pruning.py", include_str!("../../python-stdlib/dataroom/_pruning.py")),
    ("_run.py", include_str!("../../python-stdlib/dataroom/_run.py")),
];

/// The read-only files that every run shares, open.
#[derive(Debug, Clone)]
pub(crate) struct Mounts {
    stdlib: Positioned,
    package: Vec<(&'static str, Arc<[u8]>)>,
    mpl_data: Arc<Vec<(String, Arc<[u8]>)>>,
}

/// A file of the runtime cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the runtime's {}: {source}; `dataroom setup` mends it", path.display())]
pub struct MountError {
    path: PathBuf,
    source: io::Error,
}

impl Mounts {
    /// Opens the files in the runtime folder.
    pub(crate) fn open(runtime: &Path) -> Result<Self, MountError> {
        let named = |path: &Path| {
            let path = path.to_owned();
            move |source| MountError { path, source }
        };
        let zip = runtime.join("python315.zip");
        let stdlib = File::open(&zip).and_then(Positioned::new).map_err(named(&zip))?;
        let folder = runtime.join("mpl-data");
        let mut mpl_data = Vec::new();
        read_folder(&folder, "", &mut mpl_data).map_err(named(&folder))?;
        let package =
            PACKAGE.iter().map(|(name, text)| (*name, Arc::from(text.as_bytes()))).collect();
        Ok(Self { stdlib, package, mpl_data: Arc::new(mpl_data) })
    }

    /// The folders of one run. The preopens are the same ones in the same order
    /// every time.
    pub(crate) fn files(&self, inputs: &[Input], limits: &Limits) -> Files {
        let mut tree = Tree::new(limits.scratch_bytes, limits.scratch_files);
        let built = self.fill(&mut tree, inputs);
        // The host side's own tree takes no quota and repeats no name.
        let mpl_data = built.unwrap_or(ROOT);
        Files::new(tree, &[("/", ROOT), (MPL_DATA, mpl_data)], limits.open_files)
    }

    fn fill(&self, tree: &mut Tree, inputs: &[Input]) -> crate::wasi::errno::Result<NodeId> {
        let library = tree.host_folder(LIBRARY, false)?;
        tree.host_file(library, "python315.zip", Content::Host(self.stdlib.clone()))?;
        let package = tree.host_folder("/usr/local/lib/room/dataroom", false)?;
        for (name, text) in &self.package {
            tree.host_file(package, name, Content::Bytes(text.clone()))?;
        }
        let mpl_data = tree.host_folder("/usr/local/lib/mpl-data", false)?;
        for (path, bytes) in self.mpl_data.iter() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let folder = tree.host_folder(&format!("/usr/local/lib/mpl-data/{folder}"), false)?;
            tree.host_file(folder, name, Content::Bytes(bytes.clone()))?;
        }
        let input = tree.host_folder("/in", false)?;
        for Input { name, file } in inputs {
            let name = format!("{}.parquet", name.as_str());
            tree.host_file(input, &name, Content::Host(file.clone()))?;
        }
        for scratch in ["/work", "/out", "/tmp"] {
            tree.host_folder(scratch, true)?;
        }
        Ok(mpl_data)
    }
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
