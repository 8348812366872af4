//! What a text is in, if it is not UTF-8.
//!
//! UTF-16 says so with its mark, or by the zeros of its ASCII. Anything else is a
//! guess, made only where the file can be no UTF-8: by the detector of a browser,
//! over the lines that are not ASCII. What was guessed is always said, in a note.
//! A UTF-8 file with a broken byte is not taken for something else: then nearly all
//! of what is not ASCII in it is UTF-8.

use std::io::{BufRead as _, BufReader, Read};

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use super::packed::Unpacked;
use super::shown;

/// Looked at for the zeros of UTF-16.
const SAMPLE: u64 = 4096;
/// Text that is not ASCII, of which the guess is made.
const EVIDENCE: usize = 256 << 10;

/// UTF-16 without a mark: every other byte of most characters is zero.
pub(in crate::catalog) fn utf_16(
    mut bytes: Unpacked<'_>,
) -> std::io::Result<Option<&'static Encoding>> {
    let mut sample = Vec::new();
    bytes.by_ref().take(SAMPLE).read_to_end(&mut sample)?;
    let zeros = |odd: usize| sample.iter().skip(odd).step_by(2).filter(|b| **b == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let many = (sample.len() / 8).max(2);
    Ok(match (even, odd) {
        (0, odd) if odd >= many => Some(UTF_16LE),
        (even, 0) if even >= many => Some(UTF_16BE),
        _ => None,
    })
}

/// The guess; `None` if it is broken UTF-8, or nothing that letters are written in.
pub(in crate::catalog) fn guess(bytes: Unpacked<'_>) -> std::io::Result<Option<&'static Encoding>> {
    let mut lines = BufReader::with_capacity(1 << 18, bytes);
    let mut line = Vec::new();
    let mut evidence = Vec::new();
    let (mut whole, mut broken) = (0_u64, 0_u64);
    loop {
        line.clear();
        // A line without end is cut, and the rest of it is the next.
        if lines.by_ref().take(1 << 20).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.is_ascii() {
            continue;
        }
        for chunk in line.utf8_chunks() {
            whole += chunk.valid().chars().filter(|c| !c.is_ascii()).count() as u64;
            broken += u64::from(!chunk.invalid().is_empty());
        }
        if evidence.len() < EVIDENCE {
            evidence.extend_from_slice(&line);
        }
    }
    if broken == 0 || whole > broken / 4 {
        return Ok(None);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&evidence, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    Ok(reads_as_words(&shown(&evidence, encoding)).then_some(encoding))
}

/// No control characters, nothing that means nothing, and a word with a letter
/// that is not ASCII in it: a byte by itself between commas is no evidence.
fn reads_as_words(text: &str) -> bool {
    let odd =
        |c: char| c == char::REPLACEMENT_CHARACTER || (c.is_control() && !"\r\n\t".contains(c));
    if text.chars().any(odd) {
        return false;
    }
    let is_word = |word: &str| word.chars().nth(1).is_some() && !word.is_ascii();
    text.split(|c: char| !c.is_alphabetic()).any(is_word)
}
