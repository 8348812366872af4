//! Texts of a picture: what of them may be shown, how wide they are, where they break.
//!
//! Widths are those of the embedded faces, so that a label is known to fit before it is
//! placed. A character that no face has counts as one em: a browser finds it elsewhere, and
//! the scripts concerned (Chinese, Japanese, Korean) are set in squares.

use std::sync::OnceLock;

use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, MetadataProvider as _};

/// What stands for what was cut.
const ELLIPSIS: char = '…';

/// Characters of a text that are looked at; nobody reads more on a chart.
const MOST: usize = 2000;

/// A typeface that is in the binary.
struct Face {
    charmap: Charmap<'static>,
    metrics: GlyphMetrics<'static>,
    em: f64,
}

impl Face {
    fn new(data: &'static [u8]) -> Option<Self> {
        let font = FontRef::new(data).ok()?;
        let em = f64::from(font.metrics(Size::unscaled(), LocationRef::default()).units_per_em);
        let metrics = font.glyph_metrics(Size::unscaled(), LocationRef::default());
        Some(Self { charmap: font.charmap(), metrics, em })
    }

    /// The width of a character in ems.
    fn advance(&self, c: char) -> Option<f64> {
        let glyph = self.charmap.map(c)?;
        Some(f64::from(self.metrics.advance_width(glyph)?) / self.em)
    }
}

/// The embedded faces: regular, bold, and one for emoji.
pub(super) fn faces() -> [&'static [u8]; 3] {
    [
        dejavu::sans_condensed::regular(),
        dejavu::sans_condensed::bold(),
        epaint_default_fonts::NOTO_EMOJI_REGULAR,
    ]
}

fn advance(c: char, bold: bool) -> Option<f64> {
    static FACES: OnceLock<[Option<Face>; 3]> = OnceLock::new();
    let [regular, strong, emoji] = FACES.get_or_init(|| faces().map(Face::new));
    let first = if bold { strong } else { regular };
    let of = |face: &Option<Face>| face.as_ref().and_then(|face| face.advance(c));
    of(first).or_else(|| of(regular)).or_else(|| of(emoji))
}

/// Whether an embedded face has the character.
pub(super) fn has_glyph(c: char) -> bool {
    advance(c, false).is_some()
}

/// How wide a cleaned text is, in pixels.
pub(super) fn width(text: &str, size: f64, bold: bool) -> f64 {
    text.chars().map(|c| advance(c, bold).unwrap_or(1.0)).sum::<f64>() * size
}

/// Marks that are written over the character before.
fn combines(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Characters that show nothing, or change what others show: directions, joins, tags,
/// variants, fillers, and what XML does not allow.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180b}'..='\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e0fff}'
        | '\u{fdd0}'..='\u{fdef}')
        || (c as u32 & 0xfffe) == 0xfffe
        || c.is_control()
}

/// A text as it may be shown: one line, without what is not seen. A joiner stays between
/// two pictographs, which it makes one.
pub(super) fn clean(text: &str) -> String {
    let mut cleaned = String::new();
    let mut marks = 0;
    let mut chars = text.chars().take(MOST).peekable();
    while let Some(c) = chars.next() {
        marks = if combines(c) { marks + 1 } else { 0 };
        let pictograph = |c: Option<char>| c.is_some_and(|c| c >= '\u{2190}' && !is_unseen(c));
        let joins = c == '\u{200d}'
            && pictograph(cleaned.chars().next_back())
            && pictograph(chars.peek().copied());
        if c.is_whitespace() && c != '\u{a0}' && c != '\u{202f}' {
            if !cleaned.is_empty() && !cleaned.ends_with(' ') {
                cleaned.push(' ');
            }
        } else if joins || (!is_unseen(c) && marks <= 2) {
            cleaned.push(c);
        }
    }
    cleaned.truncate(cleaned.trim_end().len());
    cleaned
}

/// The name of a category or a series; one that is empty says so.
pub(super) fn label(name: &str) -> String {
    let cleaned = clean(name);
    if cleaned.is_empty() { "(blank)".to_owned() } else { cleaned }
}

/// As much of a cleaned text as fits, with an ellipsis for the rest. Empty if nothing does.
pub(super) fn fit(text: &str, room: f64, size: f64, bold: bool) -> String {
    if width(text, size, bold) <= room {
        return text.to_owned();
    }
    let mut left = room - width("…", size, bold);
    let mut end = 0;
    for (at, c) in text.char_indices() {
        left -= advance(c, bold).unwrap_or(1.0) * size;
        if left < 0.0 {
            break;
        }
        end = at + c.len_utf8();
    }
    if end == 0 {
        return String::new();
    }
    let mut fitted = text[..end].trim_end().to_owned();
    fitted.push(ELLIPSIS);
    fitted
}

/// A cleaned text in lines, broken between words or, where a word is too long, inside it;
/// the last of at most `most` lines is cut.
pub(super) fn wrap(text: &str, room: f64, size: f64, bold: bool, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if lines.len() + 1 == most || width(rest, size, bold) <= room {
            lines.push(fit(rest, room, size, bold));
            break;
        }
        let end = break_at(rest, room, size, bold);
        lines.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start();
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// Where a line that is too long ends.
fn break_at(text: &str, room: f64, size: f64, bold: bool) -> usize {
    let (mut used, mut space, mut end) = (0.0, None, 0);
    for (at, c) in text.char_indices() {
        used += advance(c, bold).unwrap_or(1.0) * size;
        if c == ' ' {
            space = Some(at);
        }
        if used > room {
            break;
        }
        end = at + c.len_utf8();
        if matches!(c, '-' | '/' | '–') {
            space = Some(end);
        }
    }
    match space {
        Some(space) if space > 0 => space,
        _ => end.max(text.chars().next().map_or(1, char::len_utf8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_goes() {
        for (given, wanted) in [
            ("a\u{202e}b", "ab"),
            ("a\u{200b}\u{200d}b", "ab"),
            ("one\ttwo\r\nthree", "one two three"),
            ("\u{0}\u{8}x\u{7f}\u{85}", "x"),
            ("👩\u{200d}💻", "👩\u{200d}💻"),
            ("a\u{300}\u{301}\u{302}\u{303}", "a\u{300}\u{301}"),
            ("\u{ffff}\u{fffe}ok", "ok"),
            ("  Москва  北京 ", "Москва 北京"),
        ] {
            assert_eq!(clean(given), wanted, "{given:?}");
        }
        assert_eq!(label(" \u{200b}"), "(blank)");
    }

    #[test]
    fn a_cut_text_fits() {
        let long = "Bundesministerium für Verkehr und digitale Infrastruktur";
        for room in [0.0, 5.0, 20.0, 77.0, 200.0, 1000.0] {
            let cut = fit(long, room, 12.0, false);
            assert!(width(&cut, 12.0, false) <= room, "{room}: {cut}");
        }
        assert_eq!(fit(long, 1000.0, 12.0, false), long);
    }

    #[test]
    fn lines_break_between_words_and_the_last_is_cut() {
        let lines = wrap("alpha beta gamma delta epsilon zeta", 70.0, 12.0, false, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("alpha") && lines[1].ends_with('…'), "{lines:?}");
        let lines = wrap(&"x".repeat(10_000), 300.0, 16.0, true, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| width(line, 16.0, true) <= 300.0));
        assert!(wrap("", 100.0, 12.0, false, 2).is_empty());
    }

    #[test]
    fn the_faces_have_latin_cyrillic_greek_and_emoji() {
        for c in "AzÄßşŁЖяІїΩπ€£₽₸₹₺₴₩−×⁻¹°…–🚀😀".chars() {
            assert!(has_glyph(c), "{c}");
        }
        assert!(!has_glyph('北'));
        assert!((width("北京", 12.0, false) - 24.0).abs() < 1e-9);
    }
}
