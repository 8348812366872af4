//! A text as it may be meant: without what nobody sees, and with escapes as what they stand
//! for.
//!
//! A view's bytes know where in the text they come from. The text as it is (`Plain`) is its
//! own view where nothing in it has to be taken away.

use std::ops::Range;

/// A text, or what was made of it.
#[derive(Debug)]
pub(super) enum View<'a> {
    Plain(&'a str),
    Made(Made),
}

/// A text with the place that each of its bytes comes from.
#[derive(Debug, Default)]
pub(super) struct Made {
    text: String,
    /// Of each byte, where its source begins.
    starts: Vec<usize>,
    /// Of each byte, where its source ends.
    ends: Vec<usize>,
}

impl Made {
    fn push(&mut self, c: char, source: Range<usize>) {
        self.text.push(c);
        self.starts.resize(self.text.len(), source.start);
        self.ends.resize(self.text.len(), source.end);
    }
}

impl View<'_> {
    pub(super) fn text(&self) -> &str {
        match self {
            View::Plain(text) => text,
            View::Made(made) => &made.text,
        }
    }

    /// Where in the text the byte at `at` comes from.
    pub(super) fn origin(&self, at: usize) -> usize {
        match self {
            View::Plain(_) => at,
            View::Made(made) => made.starts.get(at).copied().unwrap_or(0),
        }
    }

    /// Where in the text that ends which ends here at `end`.
    pub(super) fn origin_end(&self, end: usize) -> usize {
        match self {
            View::Plain(_) => end,
            View::Made(made) => {
                end.checked_sub(1).and_then(|last| made.ends.get(last)).copied().unwrap_or(0)
            }
        }
    }

    fn source(&self, range: Range<usize>) -> Range<usize> {
        self.origin(range.start)..self.origin_end(range.end)
    }
}

/// All views of a text: at least the text.
pub(super) fn views(text: &str) -> Vec<View<'_>> {
    let mut views = Vec::with_capacity(3);
    if text.chars().any(|c| seen_as(c) != Some(c)) {
        views.push(View::Made(seen(text, false)));
        // What a terminal would take for a command is, for other readers, text.
        if text.contains(['\u{1b}', '\u{9b}']) {
            views.push(View::Made(seen(text, true)));
        }
    } else {
        views.push(View::Plain(text));
    }
    // Escapes of escapes, as they are in logs of logs.
    for _ in 0..3 {
        match views.last().and_then(unescaped) {
            Some(made) => views.push(View::Made(made)),
            None => break,
        }
    }
    views
}

/// What a reader takes a character for; `None`: for nothing.
fn seen_as(c: char) -> Option<char> {
    let ascii = |code: u32| char::from_u32(code);
    match c {
        '\n' | '\t' | '\r' => Some(c),
        c if c.is_control() => None,
        c if c.is_ascii() => Some(c),
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0100}'..='\u{e01ef}' => None,
        // Tags are ASCII that nobody sees, and models read.
        '\u{e0020}'..='\u{e007e}' => ascii(c as u32 - 0xe0000),
        '\u{e0000}'..='\u{e007f}' => None,
        '\u{ff01}'..='\u{ff5e}' => ascii(c as u32 - 0xff01 + 0x21),
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => Some(' '),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => Some('-'),
        '\u{1d400}'..='\u{1d6a3}' => {
            let letter = (c as u32 - 0x1d400) % 52;
            ascii(if letter < 26 { 0x41 + letter } else { 0x61 + letter - 26 })
        }
        '\u{1d7ce}'..='\u{1d7ff}' => ascii(0x30 + (c as u32 - 0x1d7ce) % 10),
        c => Some(digit(c).unwrap_or(c)),
    }
}

/// Zeros of the scripts whose digits people type.
const ZEROS: &[u32] = &[
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50,
    0xed0, 0xf20, 0x1040, 0x17e0, 0x1810,
];

fn digit(c: char) -> Option<char> {
    let code = c as u32;
    let zero = ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&code))?;
    char::from_u32(0x30 + code - zero)
}

/// The text as a reader sees it; with `commands`, what a terminal takes for commands is left
/// out whole.
fn seen(text: &str, commands: bool) -> Made {
    let mut made = Made::default();
    let mut from = 0;
    while let Some(c) = text[from..].chars().next() {
        let length = match commands && matches!(c, '\u{1b}' | '\u{9b}') {
            true => command(&text[from..]),
            false => c.len_utf8(),
        };
        if length == c.len_utf8()
            && let Some(seen) = seen_as(c)
        {
            made.push(seen, from..from + length);
        }
        from += length;
    }
    made
}

/// The length of the command that begins a text (ECMA-48), at least of its first character.
fn command(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    let body = &text[first..];
    let (skip, kind) = match (text.starts_with('\u{9b}'), body.chars().next()) {
        (true, _) => (0, '['),
        (false, Some(c)) => (c.len_utf8(), c),
        (false, None) => return first,
    };
    let rest = &body[skip..];
    let length = match kind {
        '[' => {
            let end = rest.find(|c: char| !(' '..='?').contains(&c));
            end.filter(|end| rest[*end..].starts_with(|c: char| ('@'..='~').contains(&c)))
                .map(|end| end + 1)
        }
        // Titles and links: until a bell or the end of a string.
        ']' | 'P' | '_' | '^' | 'X' => {
            let bell = rest.find('\u{7}').map(|at| at + 1);
            let string = rest.find("\u{1b}\\").map(|at| at + 2);
            bell.into_iter().chain(string).min()
        }
        '(' | ')' | '#' | '%' | ' ' => rest.chars().next().map(char::len_utf8),
        _ => Some(0),
    };
    length.map_or(first, |length| first + skip + length)
}

/// The view with its escapes as what they stand for; `None` if there are none.
fn unescaped(view: &View<'_>) -> Option<Made> {
    let text = view.text();
    if !text.contains(['%', '\\', '&']) {
        return None;
    }
    let mut made = Made::default();
    let (mut from, mut changed) = (0, false);
    while let Some(c) = text[from..].chars().next() {
        let escape = matches!(c, '%' | '\\' | '&').then(|| escape(&text[from..])).flatten();
        let (meant, length) = escape.clone().unwrap_or_else(|| (c.to_string(), c.len_utf8()));
        changed |= escape.is_some();
        let source = view.source(from..from + length);
        for seen in meant.chars().filter_map(seen_as) {
            made.push(seen, source.clone());
        }
        from += length;
    }
    changed.then_some(made)
}

/// What the escape that begins a text stands for, and its length.
fn escape(text: &str) -> Option<(String, usize)> {
    match text.as_bytes().first()? {
        b'%' => bytes(text, "%"),
        b'\\' => backslash(text),
        _ => entity(text),
    }
}

/// Bytes in hexadecimal, each after `mark`, as the text that they are.
fn bytes(text: &str, mark: &str) -> Option<(String, usize)> {
    let step = mark.len() + 2;
    let byte = |at: usize| {
        let part = text.get(at..at + step)?;
        let digits = part.strip_prefix(mark)?;
        let hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        hex.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
    };
    let first = byte(0)?;
    let wanted = match first {
        0..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let all: Option<Vec<u8>> = (0..wanted).map(|n| byte(n * step)).collect();
    String::from_utf8(all?).ok().map(|meant| (meant, wanted * step))
}

fn backslash(text: &str) -> Option<(String, usize)> {
    let simple = |meant: &str| Some((meant.to_owned(), 2));
    match text.as_bytes().get(1)? {
        b'n' => simple("\n"),
        b'r' => simple("\r"),
        b't' => simple("\t"),
        b'"' => simple("\""),
        b'\'' => simple("'"),
        b'/' => simple("/"),
        b'\\' => simple("\\"),
        b'x' => bytes(text, "\\x"),
        b'u' => unicode(text),
        _ => None,
    }
}

/// `\u0041`, with pairs for what is beyond 16 bits, and `\u{41}`.
fn unicode(text: &str) -> Option<(String, usize)> {
    if let Some(rest) = text.strip_prefix("\\u{") {
        let digits = &rest[..rest.find('}').filter(|end| (1..=6).contains(end))?];
        let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
        return Some((c.to_string(), digits.len() + 4));
    }
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        let hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    };
    let first = unit(0)?;
    if let Some(Ok(c)) = char::decode_utf16([first]).next() {
        return Some((c.to_string(), 6));
    }
    let c = char::decode_utf16([first, unit(6)?]).next()?.ok()?;
    Some((c.to_string(), 12))
}

/// `&#64;`, `&#x40;` and those that have names in every document.
fn entity(text: &str) -> Option<(String, usize)> {
    let end = text.as_bytes().iter().take(12).position(|byte| *byte == b';')?;
    let name = text.get(1..end)?;
    let meant = match name {
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "lt" => '<',
        "gt" => '>',
        "nbsp" => ' ',
        "commat" => '@',
        "colon" => ':',
        "period" => '.',
        "equals" => '=',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((meant.to_string(), end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(text: &str) -> String {
        views(text).last().map(|view| view.text().to_owned()).unwrap_or_default()
    }

    #[test]
    fn a_text_with_nothing_to_take_away_is_its_own_view() {
        assert!(matches!(views("plain text, é").as_slice(), [View::Plain(_)]));
    }

    #[test]
    fn a_view_reads_as_it_is_meant() {
        for (text, meant) in [
            ("to\u{200b}k\u{202e}en", "token"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("a\u{1b}]0;title\u{7}b", "ab"),
            ("１２３\u{3000}ＡＢ", "123 AB"),
            ("٣٤", "34"),
            ("a%40b.c", "a@b.c"),
            ("a%2540b", "a@b"),
            ("%d0%bf", "п"),
            (r"\u0061\u{62}\x63\n", "abc\n"),
            (r"\ud83d\ude00", "😀"),
            ("a&#64;b&#x2e;c&amp;", "a@b.c&"),
            ("100% of %zz &nothing; \\q", "100% of %zz &nothing; \\q"),
        ] {
            assert_eq!(last(text), meant, "{text:?}");
        }
    }

    #[test]
    fn what_is_found_in_a_view_is_a_piece_of_the_text() {
        let text = "é\u{200b}%41%42\u{200b}x";
        let views = views(text);
        let view = views.last().unwrap();
        assert_eq!(view.text(), "éABx");
        let range = view.source(2..4);
        assert_eq!(&text[range], "%41%42");
    }
}
