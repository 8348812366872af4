//! Texts of a workbook: the ones that cells share, and how any is written.

use quick_xml::events::{BytesStart, Event};

use super::parts::{Parts, Xml, add_text, damaged};
use crate::catalog::sheets::Fault;
use crate::catalog::sheets::names::attribute;

/// The part with the shared texts, which is held in memory.
const BYTES: u64 = 256 << 20;

/// The shared texts, one after another.
#[derive(Debug, Default)]
pub(super) struct Texts {
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Texts {
    pub(super) fn read(parts: &mut Parts<'_>, part: Option<&str>) -> Result<Self, Fault> {
        let mut texts = Self::default();
        let Some(part) = part else { return Ok(texts) };
        let Some(mut xml) = parts.xml(part, BYTES)? else { return Ok(texts) };
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match xml.read_event_into(&mut buffer).map_err(damaged)? {
                Event::Start(element) if element.local_name().as_ref() == "si" => {
                    rich(&mut xml, "si", &mut texts.text)?;
                    texts.ends.push(texts.text.len());
                }
                Event::End(element) if element.local_name().as_ref() == "sst" => return Ok(texts),
                Event::Eof => return Err(Fault::Damaged("its texts have no end".into())),
                _ => {}
            }
        }
    }

    pub(super) fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(begin..end)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }
}

/// Reads a text, in one piece or in runs of different fonts, up to the end of `within`. How
/// it is pronounced (`rPh`) is not part of it.
pub(super) fn rich(xml: &mut Xml<'_, '_>, within: &str, to: &mut String) -> Result<(), Fault> {
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(damaged)? {
            Event::Start(element) => match element.local_name().as_ref() {
                "t" => {
                    let keeps = keeps_blanks(&element);
                    let mut piece = String::new();
                    plain(xml, &mut Vec::new(), "t", &mut piece)?;
                    let blank = |c| matches!(c, ' ' | '\t' | '\r' | '\n');
                    let piece = if keeps { &piece } else { piece.trim_matches(blank) };
                    unescape(piece, to);
                }
                "rPh" => skip(xml)?,
                _ => {}
            },
            Event::End(element) if element.local_name().as_ref() == within => return Ok(()),
            Event::Eof => return Err(Fault::Damaged("a text has no end".into())),
            _ => {}
        }
    }
}

fn keeps_blanks(element: &BytesStart<'_>) -> bool {
    attribute(element, "xml:space").as_deref() == Some("preserve")
}

/// Goes to the end of the element that was just begun.
pub(super) fn skip(xml: &mut Xml<'_, '_>) -> Result<(), Fault> {
    let (mut depth, mut buffer) = (1_u32, Vec::new());
    while depth > 0 {
        buffer.clear();
        match xml.read_event_into(&mut buffer).map_err(damaged)? {
            Event::Start(_) => depth = depth.saturating_add(1),
            Event::End(_) => depth -= 1,
            Event::Eof => return Err(Fault::Damaged("an element has no end".into())),
            _ => {}
        }
    }
    Ok(())
}

/// Reads the text of an element without others in it.
pub(super) fn plain(
    xml: &mut Xml<'_, '_>,
    buffer: &mut Vec<u8>,
    within: &str,
    to: &mut String,
) -> Result<(), Fault> {
    loop {
        buffer.clear();
        match xml.read_event_into(buffer).map_err(damaged)? {
            Event::End(element) if element.local_name().as_ref() == within => return Ok(()),
            Event::Eof => return Err(Fault::Damaged("a text has no end".into())),
            event => add_text(&event, to)?,
        }
    }
}

/// `_x000D_` stands for the character of that number, as UTF-16 has it.
pub(super) fn unescape(text: &str, to: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        let (before, from) = rest.split_at(at);
        to.push_str(before);
        let Some(first) = unit(from) else {
            to.push_str("_x");
            rest = &from[2..];
            continue;
        };
        let second = unit(&from[7..]).filter(|_| (0xD800..0xDC00).contains(&first));
        let pair: Vec<u16> = std::iter::once(first).chain(second).collect();
        let mut decoded = char::decode_utf16(pair.iter().copied());
        to.push(decoded.next().and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER));
        // What did not make a pair stands for itself.
        let taken = if decoded.next().is_none() { pair.len() } else { 1 };
        rest = &from[7 * taken..];
    }
    to.push_str(rest);
}

/// The number of `_xHHHH_` at the beginning.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("_x")?.get(..5)?.strip_suffix('_')?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_xml_cannot_hold_are_read_from_their_numbers() {
        for (text, want) in [
            ("a_x000D_b", "a\rb"),
            ("_x005F_x000D_", "_x000D_"),
            ("_xD83D__xDE00_!", "😀!"),
            ("_xD83D_!", "\u{fffd}!"),
            ("_xD83D__x0041_", "\u{fffd}A"),
            ("_x00", "_x00"),
            ("_xя000_", "_xя000_"),
            ("max_x", "max_x"),
        ] {
            let mut got = String::new();
            unescape(text, &mut got);
            assert_eq!(got, want, "{text}");
        }
    }
}
