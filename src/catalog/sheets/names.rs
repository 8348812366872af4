//! The names of a workbook's sheets, without reading them.

use std::fs::File;

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

use super::{ods, xlsx};
use crate::catalog::folder::Format;

/// More sheets than that are not listed.
const SHEETS: usize = 1_000;

/// The names, in the workbook's order; `None` if they cannot be read.
pub(in crate::catalog) fn names(file: &File, format: Format) -> Option<Vec<String>> {
    let mut names = match format {
        Format::Xlsx => xlsx::names(file)?,
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
