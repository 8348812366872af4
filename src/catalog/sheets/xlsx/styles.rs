//! What the styles of a workbook show numbers as.

use std::collections::HashMap;

use quick_xml::events::Event;

use super::parts::{Parts, damaged};
use crate::catalog::sheets::Fault;
use crate::catalog::sheets::format::{Shown, built_in, read};
use crate::catalog::sheets::names::attribute;

/// The part with the styles, unpacked.
const BYTES: u64 = 64 << 20;

/// By a cell's style, what its number is shown as.
pub(super) fn styles(parts: &mut Parts<'_>, part: Option<&str>) -> Result<Vec<Shown>, Fault> {
    let plain = vec![Shown::Number(None)];
    let Some(part) = part else { return Ok(plain) };
    let Some(mut xml) = parts.xml(part, BYTES)? else { return Ok(plain) };
    let mut formats: HashMap<u32, Shown> = HashMap::new();
    let (mut styles, mut of_cells) = (Vec::new(), false);
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(damaged)? {
            Event::Start(element) => {
                let number = || attribute(&element, "numFmtId")?.trim().parse::<u32>().ok();
                match element.local_name().as_ref() {
                    "numFmt" => {
                        if let (Some(id), Some(code)) =
                            (number(), attribute(&element, "formatCode"))
                        {
                            formats.insert(id, read(&code));
                        }
                    }
                    "cellXfs" => of_cells = true,
                    "xf" if of_cells => {
                        let id = number().unwrap_or(0);
                        styles.push(formats.get(&id).copied().unwrap_or_else(|| built_in(id)));
                    }
                    _ => {}
                }
            }
            Event::End(element) if element.local_name().as_ref() == "cellXfs" => of_cells = false,
            Event::Eof => return Ok(if styles.is_empty() { plain } else { styles }),
            _ => {}
        }
    }
}
