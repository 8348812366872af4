//! The files of a run, kept as artifacts beside its tables.

use std::sync::Arc;

use dataroom_sandbox::WrittenFile;

use super::RoomError;
use super::run::Outputs;
use crate::store::{Artifact, file};

/// A file that was kept.
#[derive(Debug)]
pub struct KeptFile {
    /// Its path below the script's folders.
    pub path: String,
    /// Its bytes.
    pub bytes: u64,
    /// The artifact.
    pub artifact: Artifact,
}

/// Keeps a file that the script left.
pub(super) fn keep(
    sink: &Outputs<'_>,
    WrittenFile { path, bytes }: WrittenFile,
    fuel: u64,
) -> Result<KeptFile, (String, String)> {
    match write(sink, &path, &bytes, fuel) {
        Ok(artifact) => Ok(KeptFile { path, bytes: bytes.len() as u64, artifact }),
        Err(error) => Err((path, error.to_string())),
    }
}

fn write(
    sink: &Outputs<'_>,
    path: &str,
    bytes: &Arc<Vec<u8>>,
    fuel: u64,
) -> Result<Artifact, RoomError> {
    let draft = sink.draft(path, file::kind(path));
    let mut writer = sink.room.store()?.create(draft, file::schema())?;
    for batch in file::batches(bytes) {
        writer.write(&batch)?;
    }
    writer.burnt(fuel);
    Ok(writer.finish()?)
}
