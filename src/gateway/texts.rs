//! Texts of a database on their way to a model: cleaned, blacked out, then cut.
//!
//! In this order, because each step would blind the next: a token with a zero-width character
//! in it is no token to a pattern, and half of one is none either. What a terminal would
//! obey and a reader would not see is left out; what it was is of no use to a model.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayData, ArrayRef, AsArray, GenericStringBuilder, OffsetSizeTrait, StringViewBuilder,
    make_array,
};
use arrow::datatypes::DataType;
use arrow::error::ArrowError;

use crate::redact::Redactor;
use crate::reply::head_and_tail;

/// Bytes of one text that leaves.
pub const TEXT_BYTES: usize = 1_000;

/// See the module. Counts what it blacks out.
#[derive(Debug)]
pub struct Texts {
    redactor: Option<Redactor>,
    /// What was blacked out, by the rule's name.
    pub redacted: BTreeMap<String, u64>,
    /// Texts that had characters nobody sees.
    pub hidden: u64,
    /// Texts that were cut.
    pub cut: u64,
}

impl Texts {
    /// Texts that this redactor looks at; `None` if they are left as they are.
    #[must_use]
    pub fn new(redactor: Option<Redactor>) -> Self {
        Self { redactor, redacted: BTreeMap::new(), hidden: 0, cut: 0 }
    }

    /// A text as it may leave.
    pub fn shown(&mut self, text: &str) -> String {
        let clean = cleaned(text);
        self.hidden += u64::from(clean.len() != text.len());
        let out = self.blacked_out(&clean);
        self.cut += u64::from(out.len() > TEXT_BYTES);
        head_and_tail(&out, TEXT_BYTES)
    }

    /// A text without what nobody should be shown; whole.
    pub fn blacked_out(&mut self, text: &str) -> String {
        let Some(redactor) = self.redactor else { return text.to_owned() };
        let done = redactor.redact(text);
        for (rule, count) in done.counts {
            *self.redacted.entry(rule).or_default() += count;
        }
        done.text
    }

    /// A column without what nobody should be shown, wherever in it there are texts.
    ///
    /// # Errors
    /// The column cannot be put together again.
    pub fn column(&mut self, column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        if self.redactor.is_none() || !has_texts(column.data_type()) {
            return Ok(Arc::clone(column));
        }
        match column.data_type() {
            DataType::Utf8 => Ok(Arc::new(self.strings::<i32>(column))),
            DataType::LargeUtf8 => Ok(Arc::new(self.strings::<i64>(column))),
            DataType::Utf8View => {
                let mut builder = StringViewBuilder::with_capacity(column.len());
                for text in column.as_string_view() {
                    builder.append_option(text.map(|text| self.blacked_out(text)));
                }
                Ok(Arc::new(builder.finish()))
            }
            _ => {
                let data = column.to_data();
                let parts: Result<Vec<ArrayData>, ArrowError> = data
                    .child_data()
                    .iter()
                    .map(|part| Ok(self.column(&make_array(part.clone()))?.to_data()))
                    .collect();
                Ok(make_array(data.into_builder().child_data(parts?).build()?))
            }
        }
    }

    fn strings<O: OffsetSizeTrait>(
        &mut self,
        column: &ArrayRef,
    ) -> arrow::array::GenericStringArray<O> {
        let mut builder = GenericStringBuilder::<O>::new();
        for text in column.as_string::<O>() {
            builder.append_option(text.map(|text| self.blacked_out(text)));
        }
        builder.finish()
    }
}

/// Whether a value of this type is a text or has one in it.
#[must_use]
pub fn has_texts(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView => true,
        DataType::Dictionary(_, inner) => has_texts(inner),
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => has_texts(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_texts(field.data_type())),
        _ => false,
    }
}

/// A text without terminal sequences and characters that nobody sees.
#[must_use]
pub fn cleaned(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => skip_sequence(&mut rest),
            '\u{9b}' => skip_until_final(&mut rest),
            '\n' | '\t' => clean.push(c),
            c if c.is_control() || is_unseen(c) => {}
            c => clean.push(c),
        }
    }
    clean
}

/// Past an escape: `ESC [ … final`, `ESC ] … BEL`, `ESC ] … ESC \`, or `ESC` and one more.
fn skip_sequence(rest: &mut Peekable<Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_until_final(rest);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            // One that is never closed ends with its line, and hides no more than that.
            while let Some(c) = rest.next_if(|c| *c != '\n') {
                if c == '\u{7}' || (c == '\u{1b}' && rest.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        Some(c) if c.is_ascii() && !c.is_ascii_control() => {
            rest.next();
        }
        _ => {}
    }
}

fn skip_until_final(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|c| matches!(c, '\u{20}'..='\u{3f}')).is_some() {}
    rest.next_if(|c| matches!(c, '\u{40}'..='\u{7e}'));
}

/// Characters of no width, that turn text around, or that only machines read.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use arrow::array::{DictionaryArray, ListArray, StringArray};
    use arrow::datatypes::{Int8Type, Int32Type};

    use super::*;

    #[test]
    fn what_nobody_sees_is_left_out_and_what_is_seen_stays() {
        for (text, want) in [
            ("plain é текст 日本", "plain é текст 日本"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}]8;;https://x.example\u{7}link\u{1b}]8;;\u{7}", "link"),
            ("\u{1b}]0;title\u{1b}\\after", "after"),
            ("\u{1b}]0;open\nnext line", "\nnext line"),
            ("\u{9b}31mred", "red"),
            ("a\u{200b}b\u{feff}c\u{ad}d", "abcd"),
            ("\u{202e}txt\u{202c} \u{2066}x\u{2069}", "txt x"),
            ("a\rb\r\nc\td\u{0}\u{8}", "ab\nc\td"),
            ("\u{e0041}\u{e0042}tag", "tag"),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
        ] {
            assert_eq!(cleaned(text), want, "{text:?}");
        }
    }

    #[test]
    fn a_secret_is_blacked_out_in_a_column_however_it_is_nested() {
        let redactor = Redactor::all();
        let secret = "AKIAIOSFODNN7EXAMPLE and nothing else";
        let plain: ArrayRef = Arc::new(StringArray::from(vec![Some(secret), None, Some("plain")]));
        let keys = arrow::array::Int8Array::from(vec![Some(0), None, Some(0)]);
        let words = Arc::new(StringArray::from(vec![secret]));
        let category: ArrayRef =
            Arc::new(DictionaryArray::<Int8Type>::try_new(keys, words).unwrap());
        let list: ArrayRef =
            Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)])]));
        let mut texts = Texts::new(Some(redactor));
        for column in [&plain, &category] {
            let out = texts.column(column).unwrap();
            assert_eq!(out.data_type(), column.data_type());
            let first = crate::json_cell::json_cell(&out, 0).to_string();
            assert!(!first.contains("AKIA") && out.is_null(1), "{first}");
        }
        assert_eq!(&texts.column(&list).unwrap(), &list);
        assert_eq!(texts.redacted.values().sum::<u64>(), 2);
        let mut as_they_are = Texts::new(None);
        assert_eq!(&as_they_are.column(&plain).unwrap(), &plain);
    }

    #[test]
    fn a_text_is_blacked_out_before_it_is_cut() {
        let redactor = Redactor::all();
        let mut texts = Texts::new(Some(redactor));
        for at in 600..720 {
            let long = format!("{} AKIAIOSFODNN7EXAMPLE {}", "x".repeat(at), "y ".repeat(600));
            let shown = texts.shown(&long);
            assert!(shown.len() <= TEXT_BYTES && !shown.contains("AKIA"), "{at}");
        }
        assert_eq!((texts.cut, texts.hidden), (120, 0));
        assert!(!texts.shown("AKIA\u{200b}IOSFODNN7\u{200b}EXAMPLE").contains("EXAMPLE"));
    }
}
