//! The data folders, read anew for every question.
//!
//! A folder is opened once, with ambient authority; from then on everything goes
//! through its [`Dir`], which cannot be led outside by `..`, an absolute path or
//! a symbolic link, wherever in the path it stands. What is not listed is
//! remembered with its reason, so that asking for it by name says why.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_fs_ext::OpenOptionsSyncExt as _;
use cap_std::fs::{Dir, DirEntry, File, Metadata, OpenOptions};

use super::error::{CatalogError, Refusal};
use super::fingerprint::Fingerprint;
use super::partitions::Parts;
use super::text::packed::Packing;

/// Folders below a data folder.
const DEPTH: usize = 16;

/// Files and folders in all below one data folder.
const ENTRIES: usize = 100_000;

/// How a file's rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Csv,
    Tsv,
    Parquet,
    Json,
    Ndjson,
    /// Arrow IPC, as a file or a stream.
    Arrow,
    Xlsx,
    Ods,
}

impl Format {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Arrow => "arrow",
            Self::Xlsx => "xlsx",
            Self::Ods => "ods",
        }
    }

    /// Whether a file holds several tables.
    pub(super) fn has_sheets(self) -> bool {
        matches!(self, Self::Xlsx | Self::Ods)
    }

    fn is_text(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv | Self::Json | Self::Ndjson)
    }

    /// By the file's ending, or the two of a packed text.
    fn of(path: &str) -> Option<(Self, Packing)> {
        let (rest, ending) = path.rsplit_once('.')?;
        if let Some(packing) = packing(ending) {
            let (_, inner) = rest.rsplit_once('.')?;
            return Self::named(inner).filter(|f| f.is_text()).map(|format| (format, packing));
        }
        Some((Self::named(ending)?, Packing::None))
    }

    fn named(ending: &str) -> Option<Self> {
        match ending.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "parquet" | "pq" => Some(Self::Parquet),
            "json" => Some(Self::Json),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            "arrow" | "arrows" | "feather" | "ipc" => Some(Self::Arrow),
            "xlsx" | "xlsm" => Some(Self::Xlsx),
            "ods" => Some(Self::Ods),
            _ => None,
        }
    }
}

/// The endings of what is read, for who asks for another.
pub(crate) const ENDINGS: &str = ".csv, .tsv, .json, .ndjson, .jsonl (or one of these and .gz or \
     .zst), .parquet, .arrow, .feather, .xlsx, .ods";

fn packing(ending: &str) -> Option<Packing> {
    match ending.to_ascii_lowercase().as_str() {
        "gz" | "gzip" => Some(Packing::Gzip),
        "zst" | "zstd" => Some(Packing::Zstd),
        _ => None,
    }
}

/// One dataset's file, or a sheet of it.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Which data folder.
    pub folder: usize,
    /// Below it, with `/` on every platform.
    pub file: String,
    /// The sheet's place in the workbook, and its name.
    pub sheet: Option<(usize, String)>,
    /// What it is asked for by: the file's path, and a sheet's name where there are several.
    pub path: String,
    /// The same, short: without folders and ending.
    pub stem: String,
    pub format: Format,
    pub packing: Packing,
    pub fingerprint: Fingerprint,
    /// The files of a dataset that has several, by values in their folders' names.
    pub parts: Option<Arc<Parts>>,
}

impl Found {
    fn file(
        folder: usize,
        path: String,
        format: Format,
        packing: Packing,
        metadata: &Metadata,
    ) -> Self {
        Self {
            folder,
            file: path.clone(),
            sheet: None,
            stem: stem(&path).to_owned(),
            path,
            format,
            packing,
            fingerprint: Fingerprint::of(metadata),
            parts: None,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.parts.as_ref().map_or_else(|| self.fingerprint.bytes(), |parts| parts.bytes())
    }

    /// The sheets of a workbook, each as it is asked for. One that cannot be looked into
    /// stays one, so that asking for it says why.
    pub(super) fn sheets(self, names: Option<Vec<String>>) -> Vec<Self> {
        let names = names.unwrap_or_default();
        if names.len() < 2 {
            let sheet = names.into_iter().next().map(|name| (0, name));
            return vec![Self { sheet, ..self }];
        }
        let of = |(at, name): (usize, String)| Self {
            path: format!("{}/{name}", self.path),
            stem: format!("{}/{name}", self.stem),
            sheet: Some((at, name)),
            ..self.clone()
        };
        names.into_iter().enumerate().map(of).collect()
    }
}

/// The file's name without folders and ending, or the two endings of a packed text.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    match name.rsplit_once('.') {
        Some((rest, ending)) if packing(ending).is_some() => {
            rest.rsplit_once('.').map_or(rest, |(stem, _)| stem)
        }
        Some((stem, _)) => stem,
        None => name,
    }
}

/// A file that is left out.
#[derive(Debug, Clone)]
pub(super) struct LeftOut {
    pub folder: usize,
    pub path: String,
    pub reason: Refusal,
}

/// What a look at the folders found.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub found: Vec<Found>,
    pub left_out: Vec<LeftOut>,
}

/// One data folder.
#[derive(Debug)]
pub(super) struct Folder {
    dir: Dir,
    /// Unlike that of any other data folder.
    pub label: String,
}

impl Folder {
    /// Opens the folders; the same one given twice is opened once.
    pub(super) fn open_all(paths: &[PathBuf]) -> Result<Vec<Self>, CatalogError> {
        let mut folders: Vec<Self> = Vec::new();
        let mut seen = Vec::new();
        for path in paths {
            let failed = |cause| CatalogError::Folder { folder: path.display().to_string(), cause };
            #[expect(
                clippy::disallowed_methods,
                reason = "the data folders are named by the person who starts the room"
            )]
            let dir = Dir::open_ambient_dir(path, cap_std::ambient_authority()).map_err(failed)?;
            let identity = dir.dir_metadata().map_err(failed)?;
            let identity = {
                use cap_fs_ext::MetadataExt as _;
                (identity.dev(), identity.ino())
            };
            if seen.contains(&identity) {
                continue;
            }
            seen.push(identity);
            let label = unique_label(path, &folders);
            folders.push(Self { dir, label });
        }
        Ok(folders)
    }

    /// Opens a regular file below the folder. Never waits for a FIFO's writer.
    pub(super) fn open(&self, path: &str) -> std::io::Result<File> {
        let file = self.dir.open_with(path, OpenOptions::new().read(true).nonblock(true))?;
        if file.metadata()?.is_file() { Ok(file) } else { Err(ErrorKind::InvalidInput.into()) }
    }

    /// A file below the folder, by itself.
    pub(super) fn one(&self, at: usize, path: &str) -> Result<Found, Refusal> {
        let metadata = self.dir.metadata(path).map_err(|error| refusal(&error))?;
        if !metadata.is_file() {
            return Err(Refusal::Special);
        }
        let (format, packing) = Format::of(path).ok_or(Refusal::Format)?;
        Ok(Found::file(at, path.to_owned(), format, packing, &metadata))
    }

    /// Adds to `listing` what is below the folder.
    pub(super) fn list(&self, at: usize, listing: &mut Listing) -> Result<(), CatalogError> {
        Walk { folder: self, at, entries: 0, listing }.folder(&self.dir, "", 0)
    }
}

fn unique_label(path: &Path, others: &[Folder]) -> String {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("data");
    let taken = |label: &str| others.iter().any(|f| f.label == label);
    let mut label = name.to_owned();
    let mut number = 2;
    while taken(&label) {
        label = format!("{name}#{number}");
        number += 1;
    }
    label
}

/// Why a path cannot be followed.
pub(super) fn refusal(error: &std::io::Error) -> Refusal {
    match error.kind() {
        ErrorKind::NotFound => Refusal::Dangling,
        ErrorKind::InvalidInput => Refusal::Special,
        // cap-std's own verdict carries no errno; the system's "permission denied" does.
        ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Refusal::LeavesFolder,
        _ => Refusal::Unreadable,
    }
}

struct Walk<'a> {
    folder: &'a Folder,
    at: usize,
    entries: usize,
    listing: &'a mut Listing,
}

impl Walk<'_> {
    fn folder(&mut self, dir: &Dir, above: &str, depth: usize) -> Result<(), CatalogError> {
        let Ok(entries) = dir.entries() else {
            self.leave_out(above.trim_end_matches('/').to_owned(), Refusal::Unreadable);
            return Ok(());
        };
        for entry in entries {
            // The folder may shrink while it is read: a vanished entry is no error.
            let Ok(entry) = entry else { continue };
            self.entries += 1;
            if self.entries > ENTRIES {
                let folder = self.folder.label.clone();
                return Err(CatalogError::TooMany { folder, limit: ENTRIES });
            }
            let name = entry.file_name();
            let path = format!("{above}{}", name.to_string_lossy());
            if name.to_str().is_none_or(|n| n.chars().any(char::is_control)) {
                self.leave_out(path, Refusal::Name);
            } else if name.to_string_lossy().starts_with('.') {
                self.leave_out(path, Refusal::Hidden);
            } else {
                self.entry(&entry, path, depth)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, entry: &DirEntry, path: String, depth: usize) -> Result<(), CatalogError> {
        let Ok(kind) = entry.file_type() else { return Ok(()) };
        if kind.is_dir() {
            if depth == DEPTH {
                self.leave_out(path, Refusal::Deep);
                return Ok(());
            }
            return match entry.open_dir() {
                Ok(below) => self.folder(&below, &format!("{path}/"), depth + 1),
                Err(_) => {
                    self.leave_out(path, Refusal::Unreadable);
                    Ok(())
                }
            };
        }
        // A link is followed from the data folder's root, not from its own folder:
        // it may lead to a neighbour, but never outside.
        let metadata = if kind.is_symlink() {
            self.folder.dir.metadata(&path)
        } else if kind.is_file() {
            entry.metadata()
        } else {
            self.leave_out(path, Refusal::Special);
            return Ok(());
        };
        let reason = match (metadata, Format::of(&path)) {
            (Ok(file), Some((format, packing))) if file.is_file() => {
                self.listing.found.push(Found::file(self.at, path, format, packing, &file));
                return Ok(());
            }
            (Ok(file), None) if file.is_file() => Refusal::Format,
            (Ok(folder), _) if folder.is_dir() => Refusal::LinkedFolder,
            (Ok(_), _) => Refusal::Special,
            (Err(error), _) => refusal(&error),
        };
        self.leave_out(path, reason);
        Ok(())
    }

    fn leave_out(&mut self, path: String, reason: Refusal) {
        self.listing.left_out.push(LeftOut { folder: self.at, path, reason });
    }
}
