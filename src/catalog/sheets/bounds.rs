//! Unpacks a workbook without keeping anything, to know what it takes.

use std::fs::File;
use std::io::Read;

use zip::ZipArchive;

use super::Fault;
use crate::catalog::error::CatalogError;

/// Bytes that any workbook may unpack to.
const FREE: u64 = 256 << 20;
/// Beyond that, how many times its own size. XML of numbers reaches 20.
const RATIO: u64 = 100;
/// The part with a workbook's shared texts, which is held in memory.
const TEXTS: u64 = 256 << 20;
const ENTRIES: usize = 100_000;

impl From<zip::result::ZipError> for Fault {
    fn from(error: zip::result::ZipError) -> Self {
        match error {
            zip::result::ZipError::Io(cause) if cause.raw_os_error().is_some() => Self::Read(cause),
            zip::result::ZipError::UnsupportedArchive(what) => {
                Self::Damaged(format!("{what}; save it without a password"))
            }
            other => Self::Damaged(format!("{other}; open and save it again")),
        }
    }
}

/// Refuses a workbook that unpacks to more than it may, or not at all.
pub(super) fn check(
    file: &File,
    go_on: &dyn Fn() -> Result<(), CatalogError>,
) -> Result<(), Fault> {
    let length = file.metadata().map_err(Fault::Read)?.len();
    let most = length.saturating_mul(RATIO).max(FREE);
    let mut archive = ZipArchive::new(file)?;
    if archive.len() > ENTRIES {
        return Err(Fault::Damaged(format!("it has more than {ENTRIES} parts")));
    }
    let mut chunk = vec![0; 256 << 10];
    let mut all = 0_u64;
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at)?;
        let is_texts = entry.name()?.ends_with("sharedStrings.xml");
        let limit = if is_texts { TEXTS } else { most };
        let mut unpacked = 0_u64;
        loop {
            go_on()?;
            let read = entry.read(&mut chunk).map_err(|e| match e.raw_os_error() {
                Some(_) => Fault::Read(e),
                None => Fault::Damaged(format!("{e}; copy or save it again")),
            })?;
            if read == 0 {
                break;
            }
            unpacked += read as u64;
            all += read as u64;
            if unpacked > limit || all > most {
                let most = limit.min(most) >> 20;
                return Err(Fault::Damaged(format!(
                    "it unpacks to more than {most} MiB: it may be made to fill the memory"
                )));
            }
        }
    }
    Ok(())
}
