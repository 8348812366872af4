//! Whole numbers in JSON.

use serde_json::Value;

/// The largest whole number up to which every reader of JSON keeps each digit.
const EXACT: i128 = 1 << 53;

/// A whole number for the model: as a number where every reader of JSON keeps its
/// digits, as text beyond. Most clients parse numbers into doubles (RFC 8259,
/// section 6), and an id that changed its last digits looks as right as before.
#[must_use]
pub fn json_integer(value: impl Into<i128>) -> Value {
    let value = value.into();
    match i64::try_from(value) {
        Ok(small) if (-EXACT..=EXACT).contains(&value) => small.into(),
        _ => value.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn integers_beyond_a_double_are_text() {
        assert_eq!(json_integer(-9_007_199_254_740_992i64), json!(-9_007_199_254_740_992i64));
        assert_eq!(json_integer(9_007_199_254_740_993i64), json!("9007199254740993"));
        assert_eq!(json_integer(u64::MAX), json!("18446744073709551615"));
        assert_eq!(json_integer(i64::MIN), json!("-9223372036854775808"));
    }
}
