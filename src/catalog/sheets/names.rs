//! The names of a workbook's sheets, without reading them.

use std::fs::File;
use std::io::{BufReader, Read as _};

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use super::ods;
use crate::catalog::folder::Format;

/// The part of an XLSX file that lists its sheets, unpacked.
const LIST: u64 = 16 << 20;
/// More sheets than that are not listed.
const SHEETS: usize = 1_000;

/// The names, in the workbook's order; `None` if they cannot be read.
pub(in crate::catalog) fn names(file: &File, format: Format) -> Option<Vec<String>> {
    let mut names = match format {
        Format::Xlsx => of_xlsx(file)?,
        _ => ods::names(file)?,
    };
    names.truncate(SHEETS);
    Some(names)
}

/// An attribute's value.
pub(super) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.try_get_attribute(name).ok()??;
    found.normalized_value(XmlVersion::Explicit1_0).ok().map(std::borrow::Cow::into_owned)
}

/// Charts have a sheet of their own, and no cells.
fn of_xlsx(file: &File) -> Option<Vec<String>> {
    let mut archive = ZipArchive::new(file).ok()?;
    let mut charts = Vec::new();
    each_element(&mut archive, "xl/_rels/workbook.xml.rels", &mut |element| {
        let is_sheet = |kind: &str| kind.ends_with("/worksheet");
        if attribute(element, "Type").is_some_and(|kind| !is_sheet(&kind)) {
            charts.extend(attribute(element, "Id"));
        }
    })?;
    let mut names = Vec::new();
    each_element(&mut archive, "xl/workbook.xml", &mut |element| {
        if element.local_name().as_ref() != "sheet" {
            return;
        }
        let target = element.attributes().flatten().find(|a| a.key.local_name().as_ref() == "id");
        let target = target.and_then(|a| a.normalized_value(XmlVersion::Explicit1_0).ok());
        let is_chart = target.is_some_and(|id| charts.iter().any(|chart| *chart == id));
        if !is_chart && names.len() <= SHEETS {
            names.extend(attribute(element, "name"));
        }
    })?;
    Some(names)
}

fn each_element(
    archive: &mut ZipArchive<&File>,
    part: &str,
    each: &mut dyn FnMut(&BytesStart<'_>),
) -> Option<()> {
    let entry = archive.by_name(part).ok()?;
    let mut reader = Reader::from_reader(BufReader::new(entry.take(LIST)));
    let mut buffer = Vec::new();
    loop {
        match reader.read_event_into(&mut buffer).ok()? {
            Event::Start(element) | Event::Empty(element) => each(&element),
            Event::Eof => return Some(()),
            _ => {}
        }
        buffer.clear();
    }
}
