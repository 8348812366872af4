//! Runs of base64 and of hexadecimal digits, and what they hold.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Fewer characters hold no secret.
const LEAST: usize = 12;

/// Runs of letters, digits and the signs of both alphabets; lines of a wrapped text are one.
static RUN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?:[A-Za-z0-9+/]{60,100}\r?\n)+[A-Za-z0-9+/]{2,100}={0,2}|[A-Za-z0-9+/_-]{12,}={0,2}",
    )
    .ok()
});

/// Each run with what it holds, and whether that is a text. A run that holds no text in any
/// reading comes with the readings that may have one within.
pub(super) fn runs(text: &str) -> Vec<(Range<usize>, String, bool)> {
    let Some(run) = RUN.as_ref() else { return Vec::new() };
    let mut held = Vec::new();
    for found in run.find_iter(text) {
        let bytes: Vec<u8> = found.as_str().bytes().filter(|b| !b"\r\n=".contains(b)).collect();
        for decoded in readings(&bytes) {
            let share = printable(&decoded);
            // A third of chance's bytes are printable ASCII.
            if share >= 50 {
                let text = String::from_utf8_lossy(&decoded).into_owned();
                held.push((found.range(), text, share >= 90));
            }
        }
    }
    held
}

/// The bytes that a run can stand for, wherever in it the encoding begins.
fn readings(run: &[u8]) -> Vec<Vec<u8>> {
    let mut readings = Vec::new();
    if run.iter().all(u8::is_ascii_hexdigit) {
        readings.extend((0..2).map(|skip| hex(&run[skip..])));
    }
    if run.len() >= LEAST {
        readings.extend((0..4).map(|skip| base64(&run[skip..])));
    }
    readings
}

fn hex(digits: &[u8]) -> Vec<u8> {
    let value = |digit: u8| (digit as char).to_digit(16).unwrap_or(0);
    let pairs = digits.chunks_exact(2);
    pairs.filter_map(|pair| u8::try_from(value(pair[0]) * 16 + value(pair[1])).ok()).collect()
}

/// Both alphabets; what is over at the end is left out.
fn base64(letters: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(letters.len() * 3 / 4);
    let (mut bits, mut held) = (0u32, 0u32);
    for letter in letters {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            _ => 63,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    bytes
}

/// How many in a hundred bytes are letters, digits, signs or blanks of a text. Zeros count
/// as such: they are every second byte of a text in UTF-16.
fn printable(bytes: &[u8]) -> usize {
    if bytes.is_empty() {
        return 0;
    }
    let good: usize = bytes
        .utf8_chunks()
        .map(|chunk| {
            let valid = chunk.valid();
            let bad = valid.chars().filter(|c| c.is_control() && !"\n\r\t\0".contains(*c)).count();
            valid.len() - bad
        })
        .sum();
    good * 100 / bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        runs(text).into_iter().filter(|(_, _, is_text)| *is_text).map(|(_, held, _)| held).collect()
    }

    #[test]
    fn what_others_encoded_is_read() {
        // From the `base64` and `xxd` of coreutils and vim.
        assert_eq!(texts("x cGFzc3dvcmQ9aHVudGVyMg== y"), ["password=hunter2"]);
        assert!(texts("70617373776f72643d68756e74657232").contains(&"password=hunter2".into()));
        assert!(texts("XcGFzc3dvcmQ9aHVudGVyMg").contains(&"password=hunter2".into()));
        assert_eq!(texts("4b825dc642cb6eb9a060e54bf8d69288fbee4904"), Vec::<String>::new());
    }
}
