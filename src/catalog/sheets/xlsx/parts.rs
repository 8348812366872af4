//! The parts of an XLSX file: which there are, and what is what.
//!
//! Nothing is where it is by name: the package says which part is the workbook, and the
//! workbook which are its sheets, texts and styles (ECMA-376, part 2). Names are compared
//! without case, and some writers separate folders by `\`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read as _, Take};

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use zip::ZipArchive;
use zip::read::ZipFile;

use crate::catalog::sheets::Fault;
use crate::catalog::sheets::names::attribute;

/// A part that lists others, unpacked.
const LIST: u64 = 16 << 20;
/// More sheets than that are not listed.
const SHEETS: usize = 1_000;

/// A part, as its elements. One that is empty (`<c/>`) comes as a start and an end.
pub(super) type Xml<'z, 'f> = Reader<BufReader<Take<ZipFile<'z, &'f File>>>>;

/// An open file.
pub(super) struct Parts<'f> {
    archive: ZipArchive<&'f File>,
    /// Names as they are compared, and as they are.
    names: HashMap<String, String>,
}

/// What the workbook says of itself.
#[derive(Debug, Default)]
pub(super) struct Workbook {
    /// Names and parts of the sheets that have cells.
    pub sheets: Vec<(String, String)>,
    pub texts: Option<String>,
    pub styles: Option<String>,
    /// Whether days count from 1904.
    pub from_1904: bool,
}

impl<'f> Parts<'f> {
    pub(super) fn open(file: &'f File) -> Result<Self, Fault> {
        let archive = ZipArchive::new(file)?;
        let names = archive.file_names().filter_map(Result::ok);
        let names = names.map(|name| (folded(&name), name.into_owned())).collect();
        Ok(Self { archive, names })
    }

    /// A part by its name; `None` if there is none.
    pub(super) fn xml(&mut self, name: &str, most: u64) -> Result<Option<Xml<'_, 'f>>, Fault> {
        let Some(name) = self.names.get(&folded(name)) else { return Ok(None) };
        let part = self.archive.by_name(name)?;
        let mut xml = Reader::from_reader(BufReader::new(part.take(most)));
        xml.config_mut().expand_empty_elements = true;
        Ok(Some(xml))
    }

    pub(super) fn workbook(&mut self) -> Result<Workbook, Fault> {
        let root = self.relations("")?;
        let main = root.into_iter().find(|of| of.kind == "officeDocument");
        let main = main.map_or_else(|| "xl/workbook.xml".to_owned(), |of| of.target);
        let related = self.relations(&main)?;
        let part = |kind| related.iter().find(|of| of.kind == kind).map(|of| of.target.clone());
        let mut book = Workbook {
            texts: part("sharedStrings"),
            styles: part("styles"),
            ..Workbook::default()
        };
        let sheet = |element: &BytesStart<'_>| {
            let id = element.attributes().flatten().find(|a| a.key.local_name().as_ref() == "id");
            let id = id.and_then(|a| a.normalized_value(XmlVersion::Explicit1_0).ok())?;
            // Charts have a sheet of their own, and no cells.
            let found = related.iter().find(|of| of.id == id && of.kind == "worksheet")?;
            Some((attribute(element, "name")?, found.target.clone()))
        };
        let is_there =
            self.each_element(&main, &mut |element| match element.local_name().as_ref() {
                "sheet" if book.sheets.len() < SHEETS => book.sheets.extend(sheet(element)),
                "workbookPr" => {
                    let from_1904 = attribute(element, "date1904");
                    book.from_1904 |= matches!(from_1904.as_deref(), Some("1" | "true" | "on"));
                }
                _ => {}
            })?;
        if !is_there {
            return Err(Fault::Damaged("it has no workbook in it; open and save it again".into()));
        }
        Ok(book)
    }

    /// What a part is related to.
    fn relations(&mut self, part: &str) -> Result<Vec<Relation>, Fault> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let mut found = Vec::new();
        self.each_element(&format!("{folder}/_rels/{name}.rels"), &mut |element| {
            let of = |name| attribute(element, name);
            let (Some(id), Some(kind), Some(target)) = (of("Id"), of("Type"), of("Target")) else {
                return;
            };
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            found.push(Relation { id, kind, target: resolved(folder, &target) });
        })?;
        Ok(found)
    }

    fn each_element(
        &mut self,
        part: &str,
        each: &mut dyn FnMut(&BytesStart<'_>),
    ) -> Result<bool, Fault> {
        let Some(mut xml) = self.xml(part, LIST)? else { return Ok(false) };
        let mut buffer = Vec::new();
        loop {
            match xml.read_event_into(&mut buffer).map_err(damaged)? {
                Event::Start(element) => each(&element),
                Event::Eof => return Ok(true),
                _ => {}
            }
            buffer.clear();
        }
    }
}

struct Relation {
    id: String,
    kind: String,
    target: String,
}

/// A name as it is compared.
fn folded(name: &str) -> String {
    name.replace('\\', "/").trim_start_matches('/').to_lowercase()
}

/// A part's name from where it is told: `../media/x`, `/xl/sheet.xml`, `sheet.xml`.
fn resolved(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let whole = match target.strip_prefix('/') {
        Some(whole) => whole.to_owned(),
        None => format!("{folder}/{target}"),
    };
    let mut steps: Vec<&str> = Vec::new();
    for step in whole.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

pub(super) fn damaged(error: impl std::fmt::Display) -> Fault {
    Fault::Damaged(format!("{error}; open and save it again"))
}

/// Adds what an event within a text stands for.
pub(super) fn add_text(event: &Event<'_>, to: &mut String) -> Result<(), Fault> {
    match event {
        Event::Text(text) => to.push_str(&text.xml10_content()),
        Event::CData(text) => to.push_str(&text.xml10_content()),
        Event::GeneralRef(name) => add_reference(name, to)?,
        _ => {}
    }
    Ok(())
}

fn add_reference(name: &BytesRef<'_>, to: &mut String) -> Result<(), Fault> {
    match name.resolve_char_ref().map_err(damaged)? {
        Some(character) => to.push(character),
        None => to.push_str(resolve_predefined_entity(&name.xml10_content()).unwrap_or_default()),
    }
    Ok(())
}
