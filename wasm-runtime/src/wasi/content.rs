//! What a file of the guest's holds.

use std::sync::Arc;

use crate::positioned::Positioned;

/// What a file holds.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// A file of the host or a part of one, read by position; never written.
    Host(Positioned),
    /// Bytes that are part of this program or were read before; never written.
    Bytes(Arc<[u8]>),
    /// The guest's own. Whoever reads it shares it; a write then copies it.
    Scratch(Arc<Vec<u8>>),
}

impl From<Positioned> for Content {
    fn from(file: Positioned) -> Self {
        Self::Host(file)
    }
}

impl From<Arc<[u8]>> for Content {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::Bytes(bytes)
    }
}

impl Content {
    pub(crate) fn length(&self) -> u64 {
        match self {
            Content::Host(file) => file.length(),
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::Scratch(bytes) => bytes.len() as u64,
        }
    }
}
