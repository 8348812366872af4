//! From an argument to the value that is bound.

use serde_json::{Map, Value as Json};

use super::moment::{day, day_in_words, moment, moment_in_words, within_days, within_moments};
use super::{Kind, Parameter, TextKind, Window};
use crate::database::Value;
use crate::gateway::error::{Refusal, ToolError};

impl Parameter {
    /// The values of its arguments. What was given has the type that the schema says.
    ///
    /// # Errors
    /// Names the argument and what it takes. A value is not repeated.
    pub(in crate::gateway) fn values(
        &self,
        given: &Map<String, Json>,
    ) -> Result<Vec<(String, Value)>, ToolError> {
        if let Kind::Window(window) = &self.kind {
            return window.values(given);
        }
        let value = match given.get(&self.name).or(self.default.as_ref()) {
            Some(value) => self.kind.value(&self.name, value)?,
            None if self.required => return Err(missing(&self.name)),
            None => Value::Null,
        };
        Ok(vec![(self.name.clone(), value)])
    }
}

fn missing(name: &str) -> ToolError {
    ToolError::of(Refusal::Argument, format!("{name:?} is missing"))
}

fn wrong(name: &str, takes: &str) -> ToolError {
    ToolError::of(Refusal::Argument, format!("{name:?} has to be {takes}"))
}

fn out_of_range(name: &str, takes: &str) -> ToolError {
    ToolError::of(Refusal::Range, format!("{name:?} has to be {takes}"))
}

impl Kind {
    /// The value that an argument is.
    pub(super) fn value(&self, name: &str, given: &Json) -> Result<Value, ToolError> {
        match self {
            Self::Integer(least, most) => {
                let takes = format!("a whole number from {least} to {most}");
                // A number that only an unsigned integer holds is out of any range here.
                let number = match (given.as_i64(), given.is_u64()) {
                    (Some(number), _) => number,
                    (None, true) => return Err(out_of_range(name, &takes)),
                    (None, false) => return Err(wrong(name, &takes)),
                };
                match (least..=most).contains(&&number) {
                    true => Ok(Value::Integer(number)),
                    false => Err(out_of_range(name, &takes)),
                }
            }
            other => {
                let text = given.as_str().ok_or_else(|| wrong(name, "a text"))?;
                other.of_text(name, text)
            }
        }
    }

    fn of_text(&self, name: &str, text: &str) -> Result<Value, ToolError> {
        match self {
            Self::Uuid => uuid(text)
                .map(Value::Uuid)
                .ok_or_else(|| wrong(name, "a UUID, 8-4-4-4-12 hex digits")),
            Self::Enum(values) => match values.iter().any(|value| value == text) {
                true => Ok(Value::Text(text.to_owned())),
                false => Err(wrong(name, &format!("one of {}", values.join(", ")))),
            },
            Self::Date(least, most) => {
                let days = day(text).ok_or_else(|| wrong(name, "a date like 2026-01-31"))?;
                match least.is_none_or(|least| least <= days)
                    && most.is_none_or(|most| days <= most)
                {
                    true => Ok(Value::Date(days)),
                    false => {
                        Err(out_of_range(name, &format!("a date{}", within_days(*least, *most))))
                    }
                }
            }
            Self::Timestamp(least, most) => {
                let micros = moment(text).ok_or_else(|| wrong(name, super::MOMENT))?;
                match least.is_none_or(|least| least <= micros)
                    && most.is_none_or(|most| micros <= most)
                {
                    true => Ok(Value::Timestamp { micros, utc: true }),
                    false => {
                        let takes = format!("a moment{}", within_moments(*least, *most));
                        Err(out_of_range(name, &takes))
                    }
                }
            }
            Self::Text(kind) => kind.value(name, text),
            Self::Integer(..) | Self::Window(_) => Err(wrong(name, "another type")),
        }
    }
}

impl TextKind {
    fn value(&self, name: &str, text: &str) -> Result<Value, ToolError> {
        if text.chars().count() as u64 > self.longest {
            return Err(out_of_range(name, &format!("at most {} characters long", self.longest)));
        }
        // A NUL ends a text for some readers; no name or key has a control character.
        if text.chars().any(char::is_control) || !self.pattern.is_match(text) {
            return Err(wrong(name, &format!("a text like {}", self.written)));
        }
        Ok(Value::Text(text.to_owned()))
    }
}

impl Window {
    fn values(&self, given: &Map<String, Json>) -> Result<Vec<(String, Value)>, ToolError> {
        let one = |name: &String| {
            let text = given.get(name).ok_or_else(|| missing(name))?;
            let text = text.as_str().ok_or_else(|| wrong(name, "a text"))?;
            moment(text).ok_or_else(|| wrong(name, super::MOMENT))
        };
        let (since, until) = (one(&self.since)?, one(&self.until)?);
        let span = until.saturating_sub(since);
        if span <= 0 {
            let takes = format!("later than {:?}", self.since);
            return Err(out_of_range(&self.until, &takes));
        }
        if span > self.longest.micros() {
            let message = format!(
                "the window from {:?} to {:?} is longer than {}",
                self.since, self.until, self.longest
            );
            return Err(ToolError::of(Refusal::Range, message).next("ask for a shorter one"));
        }
        let value = |micros| Value::Timestamp { micros, utc: true };
        Ok(vec![(self.since.clone(), value(since)), (self.until.clone(), value(until))])
    }
}

/// Groups of 8, 4, 4, 4 and 12 hex digits.
fn uuid(text: &str) -> Option<[u8; 16]> {
    let bytes = text.as_bytes();
    if bytes.len() != 36 {
        return None;
    }
    let mut digits = Vec::with_capacity(32);
    for (at, byte) in bytes.iter().enumerate() {
        match (at, byte) {
            (8 | 13 | 18 | 23, b'-') => {}
            (8 | 13 | 18 | 23, _) => return None,
            (_, byte) => digits.push(u8::try_from(char::from(*byte).to_digit(16)?).ok()?),
        }
    }
    let pairs: Vec<u8> = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    pairs.try_into().ok()
}

/// An argument as it is recorded.
pub(in crate::gateway) fn recorded(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(truth) => (*truth).into(),
        Value::Integer(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Decimal { unscaled, scale } => format!("{unscaled}e-{scale}").into(),
        Value::Text(text) => text.clone().into(),
        Value::Date(days) => day_in_words(*days).into(),
        Value::Timestamp { micros, .. } => moment_in_words(*micros).into(),
        Value::Uuid(bytes) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let groups = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
            groups.join("-").into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_read_and_written_alike() {
        let text = "0b9a7c1e-2f43-4d5a-8e61-00ff00ff00ff";
        let value = Kind::Uuid.value("run", &text.to_uppercase().into()).unwrap();
        assert_eq!(recorded(&value), text);
        for wrong in [
            "",
            "x",
            "0b9a7c1e2f434d5a8e6100ff00ff00ff",
            "' OR 1=1 --",
            &text[1..],
            "0b9a7c1e-2f43-4d5a-8e61-00ff00ff00f٣",
            "{0b9a7c1e-2f43-4d5a-8e61-00ff00ff00ff",
        ] {
            let error = Kind::Uuid.value("run", &wrong.into()).unwrap_err();
            assert_eq!(error.code, Refusal::Argument, "{wrong}");
            assert!(!error.to_string().contains("OR 1=1"));
        }
    }

    #[test]
    fn a_number_is_a_whole_one_in_its_range() {
        let kind = Kind::Integer(1, 5);
        assert_eq!(kind.value("depth", &5.into()).unwrap(), Value::Integer(5));
        for (given, code) in [
            (Json::from(0), Refusal::Range),
            (6.into(), Refusal::Range),
            (u64::MAX.into(), Refusal::Range),
            (1.5.into(), Refusal::Argument),
            ("3".into(), Refusal::Argument),
            (true.into(), Refusal::Argument),
        ] {
            assert_eq!(kind.value("depth", &given).unwrap_err().code, code, "{given}");
        }
    }
}
