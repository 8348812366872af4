//! Letters, as Python knows them.
//!
//! Python and Rust both follow Unicode, but perhaps not of the same version, and Python has
//! rules of its own (`str.title`). So only letters of long-settled blocks are changed, each
//! of which becomes a single other one; a text with any other letter is declined. That these
//! are as in Python is tested for each character there is, with Python itself as the judge
//! (`tests/test_texts.py`).

use super::Declined;

/// Which letters a text is to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in super::super) enum Case {
    Lower,
    Upper,
    /// Each word begins with a capital.
    Title,
    /// The text begins with a capital.
    Capitalized,
}

/// Whether `str.isspace` is true of the character.
pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// How many characters a text has.
pub(super) fn count(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

/// The text with other letters.
pub(super) fn changed(text: &str, case: Case, out: &mut String) -> Result<(), Declined> {
    out.clear();
    // Whether the character before is a letter: of a word, or of the text.
    let mut inside = false;
    for c in text.chars() {
        let upper = match case {
            Case::Lower => false,
            Case::Upper => true,
            Case::Title | Case::Capitalized => !inside,
        };
        out.push(if c.is_ascii() {
            if upper { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
        } else {
            other(c, upper)?
        });
        inside = match case {
            Case::Capitalized => true,
            _ => c.is_lowercase() || c.is_uppercase(),
        };
    }
    Ok(())
}

/// Another one in the place of a letter that is not ASCII.
fn other(c: char, upper: bool) -> Result<char, Declined> {
    if has_no_case(c) {
        return Ok(c);
    }
    if !is_settled(c) {
        return Err(Declined);
    }
    if upper {
        return single(c.to_uppercase());
    }
    // It becomes one or another letter, by where it stands.
    if c == 'Σ' { Err(Declined) } else { single(c.to_lowercase()) }
}

fn single(mut letters: impl Iterator<Item = char>) -> Result<char, Declined> {
    let first = letters.next().ok_or(Declined)?;
    if letters.next().is_some() { Err(Declined) } else { Ok(first) }
}

/// Latin, Greek and Cyrillic, without the letters that are two in one.
fn is_settled(c: char) -> bool {
    let two_in_one = matches!(c, '\u{1c4}'..='\u{1cc}' | '\u{1f1}'..='\u{1f3}');
    !two_in_one && matches!(c, '\u{c0}'..='\u{24f}' | '\u{386}'..='\u{3ce}' | '\u{400}'..='\u{52f}')
}

/// Signs, and letters of scripts without capitals.
fn has_no_case(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{a9}' | '\u{ab}'..='\u{b4}' | '\u{b6}'..='\u{b9}' | '\u{bb}'..='\u{bf}'
        | '\u{2000}'..='\u{205f}' | '\u{20a0}'..='\u{20bf}' | '\u{2190}'..='\u{22ff}'
        | '\u{3000}'..='\u{3029}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{1f300}'..='\u{1faff}')
}

/// Whether a letter of another script is taken for this one, whatever its case.
pub(super) fn is_like_ascii(c: char) -> bool {
    matches!(c, '\u{130}' | '\u{131}' | '\u{17f}' | '\u{212a}')
}
