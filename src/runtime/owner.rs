//! Who else could change a file or folder that we execute from, and how much
//! room there is. Unix only: on Windows the profile's folders are private by
//! their inherited access lists, and free space is not asked for.

use std::path::Path;

use super::error::SetupError;

/// Refuses a path that is a link, or that another user owns or may write to.
#[cfg(unix)]
pub(super) fn check_private(path: &Path) -> Result<(), SetupError> {
    use std::os::unix::fs::MetadataExt;

    let refuse = |problem: String, mend: String| {
        Err(SetupError::NotPrivate { path: path.to_owned(), problem, mend })
    };
    let metadata =
        std::fs::symlink_metadata(path).map_err(|e| SetupError::io("look at", path, e))?;
    if metadata.is_symlink() {
        return refuse("is a symbolic link".into(), "replace it by the real thing".into());
    }
    let me = rustix::process::geteuid().as_raw();
    // What root made for everybody (a cache baked into a machine image) is as
    // trustworthy as the system itself.
    if metadata.uid() != me && metadata.uid() != 0 {
        let problem = format!("belongs to user {} and not to you (user {me})", metadata.uid());
        return refuse(problem, "remove it".into());
    }
    if metadata.mode() & 0o022 != 0 {
        let mend = format!("run chmod go-w {}", path.display());
        return refuse("may be changed by other users".into(), mend);
    }
    Ok(())
}

/// Refuses a path that is a link.
#[cfg(not(unix))]
pub(super) fn check_private(path: &Path) -> Result<(), SetupError> {
    let metadata =
        std::fs::symlink_metadata(path).map_err(|e| SetupError::io("look at", path, e))?;
    if metadata.is_symlink() {
        return Err(SetupError::NotPrivate {
            path: path.to_owned(),
            problem: "is a symbolic link".into(),
            mend: "replace it by the real thing".into(),
        });
    }
    Ok(())
}

/// Makes a file readable and writable by its owner only.
pub(super) fn make_private(path: &Path) -> Result<(), SetupError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(path, mode)
            .map_err(|e| SetupError::io("set the permissions of", path, e))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Makes a folder, and the folders above it, for its owner only. One that is
/// there already is left as it is.
pub(super) fn make_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Bytes that this user may still write to the disk of `path`, where known.
pub(super) fn free_space(path: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let disk = rustix::fs::statvfs(path).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}
