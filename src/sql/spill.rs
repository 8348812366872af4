//! Where a query puts what does not fit into its memory.
//!
//! A file of one query, in the room's own folder, without a name: it is unlinked as
//! soon as it is open, so nothing is left of it when the query ends, however it
//! ends, a killed process included. Where the system does not let an open file be
//! unlinked, it goes when it is closed.

use std::fs::File;
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use cap_std::fs::{Dir, OpenOptions};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::{SpillFile, SpillWriter, TempFileFactory};
use dataroom_sandbox::Positioned;
use futures::{Stream, stream};

use crate::store::temporary::random_hex;

/// Bytes that are read at once.
const CHUNK: u64 = 1 << 20;

/// A folder for files without names.
pub(super) struct Folder(pub Arc<Dir>);

impl TempFileFactory for Folder {
    fn create_temp_file(&self, _: &str) -> Result<Arc<dyn SpillFile>> {
        let name = format!("spill-{}", random_hex()?);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        let file = Arc::new(self.0.open_with(&name, &options)?.into_std());
        let named = self.0.remove_file(&name).is_err().then(|| (Arc::clone(&self.0), name));
        Ok(Arc::new(Spilled { file, written: Arc::default(), named }))
    }
}

struct Spilled {
    file: Arc<File>,
    written: Arc<AtomicU64>,
    /// What is left to remove.
    named: Option<(Arc<Dir>, String)>,
}

impl Drop for Spilled {
    fn drop(&mut self) {
        if let Some((folder, name)) = self.named.take() {
            // The sweep at the next start takes what stays.
            let _ = folder.remove_file(name);
        }
    }
}

impl SpillFile for Spilled {
    fn size(&self) -> Option<u64> {
        Some(self.written.load(Ordering::Acquire))
    }

    fn read_stream(&self) -> Result<Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>> {
        let file = Positioned::new(self.file.try_clone()?)?;
        let chunks = stream::unfold((file, 0u64), |(file, at)| async move {
            let length = CHUNK.min(file.length().saturating_sub(at));
            if length == 0 {
                return None;
            }
            let mut buffer = vec![0; usize::try_from(length).unwrap_or(0)];
            Some(match file.read_at(&mut buffer, at) {
                Ok(0) => (
                    Err(DataFusionError::IoError(io::ErrorKind::UnexpectedEof.into())),
                    (file, u64::MAX),
                ),
                Ok(read) => {
                    buffer.truncate(read);
                    (Ok(Bytes::from(buffer)), (file, at + read as u64))
                }
                Err(error) => (Err(DataFusionError::IoError(error)), (file, u64::MAX)),
            })
        });
        Ok(Box::pin(chunks))
    }

    fn open_writer(&self) -> Result<Box<dyn SpillWriter>> {
        Ok(Box::new(Writer { file: Arc::clone(&self.file), written: Arc::clone(&self.written) }))
    }
}

struct Writer {
    file: Arc<File>,
    written: Arc<AtomicU64>,
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let wrote = (&*self.file).write(bytes)?;
        self.written.fetch_add(wrote as u64, Ordering::AcqRel);
        Ok(wrote)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SpillWriter for Writer {
    fn finish(&mut self) -> Result<()> {
        // Nobody reads it after a power cut: there is nothing to sync.
        Ok(())
    }
}
