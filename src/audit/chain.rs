//! What ties a line to the one before, and where the files are.

use cap_std::fs::Dir;
use serde::Deserialize;

use super::verify::Head;

/// What the hashes are of, so that none of them is one of anything else.
const CONTEXT: &str = "dataroom 2026 audit line";

/// Where the end of the chain is written.
pub(super) const HEAD: &str = "head.json";

/// The hash of a line, with its number.
pub(super) fn link(seq: u64, line: &[u8]) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    hasher.update(&seq.to_le_bytes());
    hasher.update(line);
    hasher.finalize().to_hex().to_string()
}

/// What of a line makes it a link.
#[derive(Debug, Deserialize)]
pub(super) struct Tied {
    pub seq: u64,
    pub prev: String,
}

pub(super) fn file_name(number: u64) -> String {
    format!("audit-{number:06}.jsonl")
}

/// The numbers of the files that are there, in order.
pub(super) fn files(dir: &Dir) -> std::io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in dir.entries()? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| {
            name.strip_prefix("audit-")?.strip_suffix(".jsonl")?.parse::<u64>().ok()
        });
        numbers.extend(number);
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// The head, if it is there and can be read.
pub(super) fn head(dir: &Dir) -> std::io::Result<Option<Head>> {
    match dir.read(HEAD) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
