//! Lists and structs from JSON text, one type for all.
//!
//! A struct has a place for each of its fields in each row, so that a few rows with
//! thousands of keys take far more than their text: what they will take is counted
//! before they are read. A number that the type would change is refused.

use std::sync::Arc;

use arrow::array::{Array, StringArray, new_empty_array};
use arrow::datatypes::DataType;
use arrow::json::reader::{ReaderBuilder, infer_json_schema};
use arrow::record_batch::RecordBatch;
use serde_json::Value;

use super::{Refused, Sizes, Values};
use crate::guest::Stop;

/// Bytes of a place for a value.
const PLACE: u64 = 8;
/// The largest whole number up to which a double holds each.
const EXACT: u64 = 1 << 53;
/// Texts between two looks at the stop flag.
const STRIDE: usize = 256;

/// Values of one type from their JSON texts, if they take no more than `room`.
pub(super) fn values(text: &StringArray, room: u64, stop: &Stop) -> Result<Values, Refused> {
    if let Some(number) = text.iter().flatten().find_map(wide_integer) {
        return Err(Refused::Why(format!(
            "a nested value holds the whole number {number}, which 64 bits (int64) do not: make \
             such numbers text, for instance with str()"
        )));
    }
    let lines: String = text.iter().flatten().map(|value| format!("{{\"v\":{value}}}\n")).collect();
    if lines.is_empty() {
        let array = new_empty_array(&DataType::Null);
        return Ok(Values { array, sizes: Sizes::All(0) });
    }
    let (schema, _) = infer_json_schema(lines.as_bytes(), None).map_err(|_| mixed())?;
    let data_type = schema.field_with_name("v").map(|field| field.data_type().clone());
    let data_type = data_type.map_err(|_| mixed())?;
    let mut sizes = Vec::with_capacity(text.len());
    let mut whole = 0u64;
    for (i, value) in text.iter().enumerate() {
        if i % STRIDE == 0 && stop.reason().is_some() {
            return Err("the run was stopped".into());
        }
        let value = value.map(serde_json::from_str::<Value>).transpose();
        let value = value.map_err(|error| format!("its nested values are no JSON: {error}"))?;
        let bytes = places(&value.unwrap_or(Value::Null), &data_type)?.saturating_mul(PLACE);
        whole = whole.saturating_add(bytes);
        sizes.push(bytes);
    }
    if whole > room {
        return Err(Refused::TooBig);
    }
    let reader = ReaderBuilder::new(Arc::new(schema))
        .with_batch_size(text.len().max(1))
        .build(lines.as_bytes())
        .map_err(|error| error.to_string())?;
    let batches: Result<Vec<RecordBatch>, _> = reader.collect();
    match batches.map_err(|_| mixed())?.as_slice() {
        [batch] if batch.num_rows() == text.len() => {
            Ok(Values { array: batch.column(0).clone(), sizes: Sizes::Each(sizes) })
        }
        _ => Err(mixed()),
    }
}

fn mixed() -> Refused {
    Refused::Why(
        "its lists or dicts hold values of different kinds in the same place (a number in one \
         row, text or a list in another): make them one kind, or keep each as text with \
         .map(json.dumps)"
            .to_owned(),
    )
}

/// A whole number outside of 64 bits with a sign, as JSON text has it.
fn wide_integer(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_text(bytes, at),
            b'-' | b'0'..=b'9' => {
                let length = bytes[at..]
                    .iter()
                    .take_while(|byte| {
                        matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')
                    })
                    .count();
                let number = &text[at..at + length];
                let digits = number.strip_prefix('-').unwrap_or(number);
                let whole = digits.bytes().all(|byte| byte.is_ascii_digit());
                if whole && digits.len() > 18 && number.parse::<i64>().is_err() {
                    return Some(&number[..number.len().min(80)]);
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    None
}

/// Where the text that begins at `at` has ended.
fn end_of_text(bytes: &[u8], mut at: usize) -> usize {
    at += 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// How many places a null of this type takes.
fn empty(data_type: &DataType) -> u64 {
    match data_type {
        DataType::Struct(fields) => fields.iter().map(|field| empty(field.data_type())).sum(),
        _ => 1,
    }
}

/// How many places a value takes that is read as this type.
fn places(value: &Value, data_type: &DataType) -> Result<u64, Refused> {
    match (value, data_type) {
        (Value::Array(items), DataType::List(item)) => {
            let mut sum = 1u64;
            for value in items {
                sum = sum.saturating_add(places(value, item.data_type())?);
            }
            Ok(sum)
        }
        (Value::Object(entries), DataType::Struct(fields)) => {
            let mut sum = empty(data_type);
            for (key, value) in entries {
                if let Some((_, field)) = fields.find(key) {
                    let data_type = field.data_type();
                    sum += places(value, data_type)?.saturating_sub(empty(data_type));
                }
            }
            Ok(sum)
        }
        (Value::String(text), _) => Ok(1 + text.len() as u64 / PLACE),
        (Value::Number(number), DataType::Float64) => {
            let whole = number.as_i64().map(i64::unsigned_abs).or(number.as_u64());
            match whole {
                Some(whole) if whole > EXACT => Err(Refused::Why(format!(
                    "a nested value holds the whole number {number} where others are floats, and \
                     a float would change it: make them all whole numbers, or text"
                ))),
                _ => Ok(1),
            }
        }
        _ => Ok(empty(data_type)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::run::Cancel;

    fn read(texts: &[&str], room: u64) -> Result<Values, Refused> {
        let stop = Stop::new(Cancel::new(), Duration::from_secs(60));
        values(&StringArray::from(texts.to_vec()), room, &stop)
    }

    fn why(texts: &[&str]) -> String {
        match read(texts, 1 << 30) {
            Err(Refused::Why(why)) => why,
            Err(Refused::TooBig) => "too big".to_owned(),
            Ok(_) => "taken".to_owned(),
        }
    }

    #[test]
    fn whole_numbers_over_64_bits_are_refused_by_name_and_others_kept() {
        for wide in ["9223372036854775808", "18446744073709551615", "-9223372036854775809"] {
            let error = why(&[&format!("[{wide}]"), "[1]"]);
            assert!(error.contains(wide) && error.contains("str()"), "{error}");
            assert_eq!(why(&[&format!("[\"{wide}\"]")]), "taken");
            assert_eq!(why(&[&format!("[\"\\\"{wide}\"]")]), "taken");
            assert_eq!(why(&[&format!("[{wide}.0]")]), "taken");
        }
        assert_eq!(why(&["[9223372036854775807, -9223372036854775808]"]), "taken");
    }

    #[test]
    fn a_whole_number_that_a_float_would_change_is_refused_by_name() {
        let error = why(&["[9007199254740993]", "[0.5]"]);
        assert!(error.contains("9007199254740993"), "{error}");
        assert_eq!(why(&["[9007199254740992]", "[0.5]"]), "taken");
        assert_eq!(why(&["{\"id\": 9007199254740993, \"x\": 0.5}"]), "taken");
    }

    #[test]
    fn values_of_several_kinds_are_told_what_to_do() {
        for texts in [["[1]", "[\"a\"]"], ["[1]", "{\"a\": 1}"], ["{\"a\": 1}", "{\"a\": [1]}"]] {
            let error = why(&texts);
            assert!(error == "taken" || error.contains("json.dumps"), "{error}");
        }
        assert!(why(&["[1]", "[\"a\"]"]).contains("different kinds"));
    }

    #[test]
    fn thousands_of_keys_in_thousands_of_rows_are_counted_before_they_are_read() {
        let keys: Vec<String> = (0..1000).map(|key| format!("\"k{key}\":1")).collect();
        let wide = format!("{{{}}}", keys.join(","));
        let mut texts = vec!["{\"k0\":1}"; 1000];
        texts[0] = &wide;
        // A million places of 8 bytes.
        assert!(matches!(read(&texts, 7_900_000), Err(Refused::TooBig)));
        assert!(read(&texts, 8_100_000).is_ok());
        assert!(read(&["[\"abcdefgh\"]", "[]"], 32).is_ok());
    }
}
