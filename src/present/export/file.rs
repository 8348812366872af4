//! A file of the store as a file for a person.

use std::io::Write;

use super::capped::Capped;
use super::{ExportError, Exported, TEMPORARY_PREFIX, Target, fingerprint, name};
use crate::store::file::portions;
use crate::store::temporary::{Temporary, sweep_temporaries};
use crate::table::Table;

/// Endings under which a system shows a file and does not run it. A script chose the
/// name, so another ending gets `.bin` behind it.
const SHOWN: &[&str] = &[
    "csv", "docx", "gif", "gz", "html", "jpeg", "jpg", "json", "jsonl", "log", "md", "ndjson",
    "npy", "npz", "ods", "parquet", "pdf", "png", "pptx", "rtf", "svg", "tex", "toml", "tsv",
    "txt", "webp", "xlsx", "xml", "yaml", "yml", "zip",
];

/// Writes the file that this table holds to the target, under its name or the first
/// free variation of it, with this ending.
///
/// # Errors
/// As [`super::export`].
pub fn export_file(
    table: &Table,
    ending: Option<&str>,
    target: Target<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<Exported, ExportError> {
    let Target { folder, name: asked, bytes: most, .. } = target;
    let _ = sweep_temporaries(folder, TEMPORARY_PREFIX);
    let temporary = Temporary::create(folder, TEMPORARY_PREFIX).map_err(ExportError::io)?;
    let file = temporary.file().try_clone().map_err(ExportError::io)?;
    let mut out = Capped::new(file, most);
    for portion in portions(table)? {
        if stop() {
            return Err(ExportError::Stopped);
        }
        let written = out.write_all(&portion?).map_err(ExportError::io);
        written.map_err(|error| error.limited_to(most))?;
    }
    let (bytes, blake3) = fingerprint(temporary.file(), stop)?;
    temporary.sync().map_err(ExportError::io)?;
    let ending = ending.map(str::to_ascii_lowercase);
    let (ending, notes) = match ending {
        Some(ending) if SHOWN.contains(&ending.as_str()) => (ending, Vec::new()),
        _ => {
            let note = "the file is named .bin: its own ending is none that only shows a file";
            ("bin".to_owned(), vec![note.to_owned()])
        }
    };
    let base = asked.map(|asked| asked.rsplit(['/', '\\']).next().unwrap_or(asked));
    let stem = name::stem(base, &ending);
    let file = target.publish(temporary, &stem, &ending).map_err(ExportError::io)?;
    Ok(Exported { file, rows: 0, bytes, blake3, notes })
}

/// Writes a page or a picture with this ending to the target.
///
/// # Errors
/// As [`super::export`].
pub fn export_page(
    page: &[u8],
    ending: &str,
    target: Target<'_>,
    stop: &dyn Fn() -> bool,
) -> Result<Exported, ExportError> {
    let _ = sweep_temporaries(target.folder, TEMPORARY_PREFIX);
    let temporary = Temporary::create(target.folder, TEMPORARY_PREFIX).map_err(ExportError::io)?;
    let file = temporary.file().try_clone().map_err(ExportError::io)?;
    let written = Capped::new(file, target.bytes).write_all(page).map_err(ExportError::io);
    written.map_err(|error| error.limited_to(target.bytes))?;
    let (bytes, blake3) = fingerprint(temporary.file(), stop)?;
    temporary.sync().map_err(ExportError::io)?;
    let stem = name::stem(target.name, ending);
    let file = target.publish(temporary, &stem, ending).map_err(ExportError::io)?;
    Ok(Exported { file, rows: 0, bytes, blake3, notes: Vec::new() })
}
