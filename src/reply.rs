//! The only thing that the model receives.
//!
//! Every tool's answer and every refusal becomes a [`Reply`], and a `Reply` is made
//! in [`Reply::build`] alone: it scrubs text that a reader would not see as it
//! is, keeps the whole under a byte cap, and knows its size. Hosts show the model
//! either the text or the structured content, so both say the same: the text
//! *is* the structured content, as JSON.
//!
//! A picture goes with an answer only where the policy says `chart_images`, at most one and of
//! at most [`IMAGE_BYTES`]; its bytes count as those of the text do.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::present::view::base64;

/// Bytes of a picture, as it is sent (in base64).
pub const IMAGE_BYTES: usize = 256 << 10;

/// A tool's answer, before it becomes a [`Reply`].
pub trait Answer: Serialize {
    /// Leaves a good part of the answer out and says so in it. `false` when
    /// there is nothing left to leave out. Called until the reply fits.
    fn shrink(&mut self) -> bool;

    /// Whether the answer tells of a failure.
    fn failed(&self) -> bool {
        false
    }

    /// The picture (PNG) that goes with the answer. A tool has one only where the policy says so.
    fn take_image(&mut self) -> Option<Vec<u8>> {
        None
    }
}

/// What the model receives: capped, scrubbed and counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    structured: Option<Value>,
    text: String,
    image: Option<String>,
    failed: bool,
}

impl Reply {
    /// Makes the reply of an answer, in at most `cap` bytes.
    #[allow(clippy::needless_pass_by_value, reason = "shrinking an answer uses it up")]
    pub fn answer(mut answer: impl Answer, cap: usize) -> Self {
        let image = answer.take_image().map(|png| base64(&png));
        let image = image.filter(|image| image.len() <= IMAGE_BYTES);
        loop {
            let failed = answer.failed();
            let value = match serde_json::to_value(&answer) {
                Ok(value) => value,
                Err(error) => {
                    return Self::refusal(&format!("the answer cannot be written: {error}"), cap);
                }
            };
            let reply = Self::build(Some(value), "", failed);
            if reply.bytes() <= cap {
                return Self { image, ..reply };
            }
            if !answer.shrink() {
                return Self::refusal(
                    &format!(
                        "the answer has {} bytes and a reply may have {cap}: ask for less of it",
                        reply.bytes()
                    ),
                    cap,
                );
            }
        }
    }

    /// Makes the reply of a refusal: a cause and the next step.
    #[must_use]
    pub fn refusal(message: &str, cap: usize) -> Self {
        Self::build(None, &head_and_tail(message, cap.min(4_000)), true)
    }

    fn build(structured: Option<Value>, text: &str, failed: bool) -> Self {
        let structured = structured.map(scrub_value);
        let text = match &structured {
            Some(value) => value.to_string(),
            None => scrub(text),
        };
        Self { structured, text, image: None, failed }
    }

    /// The bytes that reach the model.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len() + self.image.as_ref().map_or(0, String::len)
    }

    /// The picture that goes with the answer: PNG, in base64.
    #[must_use]
    pub fn image(&self) -> Option<&str> {
        self.image.as_deref()
    }

    /// The answer as JSON; a refusal has none.
    #[must_use]
    pub fn structured(&self) -> Option<&Value> {
        self.structured.as_ref()
    }

    /// The same as text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether this tells of a failure.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.failed
    }
}

/// Characters that a reader does not see but a model does, or that turn text
/// around: controls, bidirectional overrides, and the tag block.
fn is_hidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// Writes hidden characters as their numbers, so that everybody reads the same.
#[must_use]
pub fn scrub(text: &str) -> String {
    if !text.contains(is_hidden) {
        return text.to_owned();
    }
    let mut clean = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            clean.extend(c.escape_unicode());
        } else {
            clean.push(c);
        }
    }
    clean
}

fn scrub_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(scrub(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(scrub_value).collect()),
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(key, value)| (scrub(&key), scrub_value(value)))
                .collect::<Map<_, _>>(),
        ),
        other => other,
    }
}

/// At most about `most` bytes of a text: its head and its tail, with a note of
/// what was left out between them.
#[must_use]
pub fn head_and_tail(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let note = format!("\n[… {} bytes left out …]\n", text.len() - most.min(text.len()));
    let room = most.saturating_sub(note.len());
    let head = text.floor_char_boundary(room * 2 / 3);
    let tail = text.ceil_char_boundary(text.len() - room / 3);
    let left_out = tail - head;
    format!("{}\n[… {left_out} bytes left out …]\n{}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Lines {
        lines: Vec<String>,
        left_out: usize,
    }

    impl Answer for Lines {
        fn shrink(&mut self) -> bool {
            let keep = self.lines.len() / 2;
            self.left_out += self.lines.len() - keep;
            let shrinks = !self.lines.is_empty();
            self.lines.truncate(keep);
            shrinks
        }
    }

    #[test]
    fn text_and_structure_say_the_same() {
        let reply = Reply::answer(Lines { lines: vec!["a".into()], left_out: 0 }, 1_000);
        assert_eq!(reply.text(), r#"{"lines":["a"],"left_out":0}"#);
        assert_eq!(reply.structured().unwrap().to_string(), reply.text());
        assert_eq!(reply.bytes(), 28);
        assert!(!reply.failed());
    }

    #[test]
    fn an_answer_shrinks_until_it_fits_and_not_before() {
        let lines = || Lines { lines: vec!["x".repeat(96); 8], left_out: 0 };
        let whole = Reply::answer(lines(), 10_000).bytes();
        assert_eq!(Reply::answer(lines(), whole).structured().unwrap()["left_out"], 0);
        let cut = Reply::answer(lines(), whole - 1);
        assert_eq!(cut.structured().unwrap()["left_out"], 4);
        assert!(cut.bytes() < whole);
    }

    /// A line, and a picture of so many bytes.
    #[derive(Serialize)]
    struct Picture {
        line: &'static str,
        #[serde(skip)]
        bytes: usize,
    }

    impl Answer for Picture {
        fn shrink(&mut self) -> bool {
            false
        }

        fn take_image(&mut self) -> Option<Vec<u8>> {
            Some(vec![0; self.bytes])
        }
    }

    #[test]
    fn a_picture_is_counted_and_left_out_where_it_is_too_large() {
        let of = |bytes| Reply::answer(Picture { line: "a", bytes }, 1_000);
        let small = of(3);
        assert_eq!((small.image(), small.bytes()), (Some("AAAA"), r#"{"line":"a"}"#.len() + 4));
        let largest = IMAGE_BYTES / 4 * 3;
        assert_eq!(of(largest).image().unwrap().len(), IMAGE_BYTES);
        let cut = of(largest + 1);
        assert_eq!((cut.image(), cut.text()), (None, r#"{"line":"a"}"#));
    }

    #[test]
    fn what_cannot_shrink_is_refused() {
        let reply = Reply::answer(Lines { lines: vec![], left_out: 0 }, 5);
        assert!(reply.failed() && reply.structured().is_none());
    }

    #[test]
    fn hidden_characters_become_visible_in_keys_and_values() {
        let value = serde_json::json!({"a\u{202e}": ["\u{1b}[31m", "tab\tline\n", "é \u{e0041}"]});
        let reply = Reply::build(Some(value), "", false);
        assert_eq!(
            reply.structured().unwrap(),
            &serde_json::json!({"a\\u{202e}": ["\\u{1b}[31m", "tab\tline\n", "é \\u{e0041}"]})
        );
    }

    #[test]
    fn head_and_tail_keep_the_limit_and_the_characters() {
        assert_eq!(head_and_tail("abc", 3), "abc");
        let text = "é".repeat(5_000);
        let cut = head_and_tail(&text, 1_000);
        assert!(cut.len() <= 1_000, "{}", cut.len());
        assert!(cut.starts_with("éé") && cut.ends_with("éé") && cut.contains("bytes left out"));
    }
}
