//! The folder that a room keeps its state in.
//!
//! The only place where a room turns a path into a folder. It is for its owner's
//! eyes only: artifacts are the data itself.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder};

use super::RoomError;

/// An open state folder.
#[derive(Debug)]
pub(super) struct Home {
    path: PathBuf,
    dir: Dir,
}

impl Home {
    /// Opens the folder, and makes it if it is not there.
    pub(super) fn open(path: &Path) -> Result<Self, RoomError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        match open_or_make(&path, true) {
            Ok(dir) => Ok(Self { path, dir }),
            Err(cause) => Err(RoomError::Folder { what: "the state folder", path, cause }),
        }
    }

    /// Opens a folder in it, and makes it if it is not there.
    pub(super) fn folder(&self, name: &str) -> Result<Dir, RoomError> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        cap_std::fs::DirBuilderExt::mode(&mut builder, 0o700);
        #[cfg(not(unix))]
        let _ = &mut builder;
        let made = match self.dir.create_dir_with(name, &builder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => self.dir.open_dir(name),
        };
        made.map_err(|cause| RoomError::Folder {
            what: "the state folder",
            path: self.path.join(name),
            cause,
        })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// Opens the folder that a person wants exports in.
pub(super) fn export_folder(path: &Path) -> Result<(PathBuf, Dir), RoomError> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match open_or_make(&path, false) {
        Ok(dir) => Ok((path, dir)),
        Err(cause) => Err(RoomError::Folder { what: "the export folder", path, cause }),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the home and the export folder are named by the person who starts the room"
)]
fn open_or_make(path: &Path, private: bool) -> io::Result<Dir> {
    match Dir::open_ambient_dir(path, ambient_authority()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => return other,
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    if private {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    }
    #[cfg(not(unix))]
    let _ = private;
    // cap-std has no recursive make with a mode.
    builder.create(path)?;
    Dir::open_ambient_dir(path, ambient_authority())
}

#[cfg(all(test, unix))]
#[expect(clippy::disallowed_methods, reason = "tests make folders of their own")]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_new_home_is_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(&folder.path().join("a/b")).unwrap();
        let mode = folder.path().join("a/b").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        home.folder("artifacts").unwrap();
        home.folder("artifacts").unwrap();
        let inner = folder.path().join("a/b/artifacts").metadata().unwrap();
        assert!(inner.is_dir() && inner.permissions().mode() & 0o777 == 0o700);
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "x").unwrap();
        let error = Home::open(&path).unwrap_err().to_string();
        assert!(error.contains("the state folder") && error.contains("file"), "{error}");
    }
}
