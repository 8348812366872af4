//! Excel's workbooks.
//!
//! Read here and by no library, because a library is lenient: it takes the first text for
//! an index that is none, loses which cells have a formula without a value, and reserves
//! what a file says that it will need. Here a cell that cannot be read rightly is an error
//! with its place.
//!
//! ```text
//!   parts    which part of the file is what
//!   texts    the texts that cells share
//!   styles   what a cell's style shows its number as
//!   cells    a sheet's cells as a stream
//!   moment   days since the workbook's first
//! ```

mod cells;
mod moment;
mod parts;
mod styles;
mod texts;

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};

use self::cells::Cells;
use self::parts::{Parts, Workbook};
use self::texts::Texts;
use super::format::Shown;
use super::{Fault, Take};

/// How an OLE file begins: an old `.xls`, or a workbook with a password.
const OLE: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// A part with cells, unpacked. What it takes was looked at before.
const SHEET: u64 = u64::MAX;

pub(super) struct Book<'f> {
    parts: Parts<'f>,
    workbook: Workbook,
    texts: Texts,
    styles: Vec<Shown>,
}

/// The names of the sheets; `None` if they cannot be read.
pub(super) fn names(file: &File) -> Option<Vec<String>> {
    let workbook = Parts::open(file).ok()?.workbook().ok()?;
    Some(workbook.sheets.into_iter().map(|(name, _)| name).collect())
}

/// Whether the file is one of Excel's that is no XLSX.
pub(super) fn is_ole(mut file: &File) -> bool {
    let mut begin = [0; 8];
    file.seek(SeekFrom::Start(0)).is_ok() && file.read_exact(&mut begin).is_ok() && begin == OLE
}

impl<'f> Book<'f> {
    pub(super) fn open(file: &'f File) -> Result<Self, Fault> {
        let mut parts = Parts::open(file)?;
        let workbook = parts.workbook()?;
        let texts = Texts::read(&mut parts, workbook.texts.as_deref())?;
        let styles = styles::styles(&mut parts, workbook.styles.as_deref())?;
        Ok(Self { parts, workbook, texts, styles })
    }

    pub(super) fn cells(&mut self, number: usize, take: &mut dyn Take) -> Result<(), Fault> {
        let gone = || Fault::Damaged("a sheet has no part in it; open and save it again".into());
        let (_, part) = self.workbook.sheets.get(number).ok_or_else(gone)?;
        let xml = self.parts.xml(part, SHEET)?.ok_or_else(gone)?;
        Cells::new(xml, &self.texts, &self.styles, self.workbook.from_1904).each(take)
    }
}
