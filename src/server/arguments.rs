//! Checks a call's arguments against the tool's schema, in words.
//!
//! The schema that the model was shown is the one that it is held to; every
//! problem is told at once, with the field, what was expected and what is known.

use serde_json::{Map, Value};

use crate::nearest::{hint, nearest};

/// Gives the arguments back when they fit the schema. `null` for an argument that
/// may be left out counts as left out: some hosts write all of them.
pub(super) fn check(
    tool: &str,
    schema: &Map<String, Value>,
    mut arguments: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let empty = Map::new();
    let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    arguments.retain(|name, value| !value.is_null() || required.contains(&name.as_str()));
    let mut problems = Vec::new();
    for name in &required {
        if !arguments.contains_key(*name) {
            problems.push(format!("{name:?} is missing"));
        }
    }
    for (name, value) in &arguments {
        match known.get(name) {
            Some(schema) => mismatch(name, schema, value, &mut problems),
            None => {
                let near = nearest(name, known.keys().map(String::as_str));
                problems.push(format!("{:?} is not an argument{}", short(name), hint(&near)));
            }
        }
    }
    if problems.is_empty() {
        return Ok(arguments);
    }
    problems.truncate(10);
    let takes: Vec<String> = known
        .iter()
        .map(|(name, schema)| {
            let optional = if required.contains(&name.as_str()) { "" } else { "?" };
            format!("{name}{optional}: {}", expected(schema))
        })
        .collect();
    Err(format!("{tool}: {}; it takes {{{}}}", problems.join("; "), takes.join(", ")))
}

fn mismatch(name: &str, schema: &Value, value: &Value, problems: &mut Vec<String>) {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        if !choices.contains(value) {
            let near = value
                .as_str()
                .map(|v| nearest(v, choices.iter().filter_map(Value::as_str)))
                .unwrap_or_default();
            problems.push(format!(
                "{name:?} has to be {} and not {}{}",
                expected(schema),
                short(&value.to_string()),
                hint(&near)
            ));
        }
        return;
    }
    let fits = match schema.get("type").and_then(Value::as_str) {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    };
    if !fits {
        problems.push(format!("{name:?} has to be {} and is {}", expected(schema), kind(value)));
        return;
    }
    if let (Some(item), Some(values)) = (schema.get("items"), value.as_array()) {
        for (at, value) in values.iter().enumerate() {
            mismatch(&format!("{name}[{at}]"), item, value, problems);
        }
    }
    if let (Some(item @ Value::Object(_)), Some(values)) =
        (schema.get("additionalProperties"), value.as_object())
    {
        for (key, value) in values {
            mismatch(&format!("{name}.{}", short(key)), item, value, problems);
        }
    }
}

fn expected(schema: &Value) -> String {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let choices: Vec<_> = choices.iter().filter_map(Value::as_str).collect();
        return format!("one of {}", choices.join(", "));
    }
    let of = |key: &str| schema.get(key).filter(|s| s.is_object()).map(expected);
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => format!("a list of {}", of("items").as_deref().unwrap_or("values")),
        Some("object") => match of("additionalProperties") {
            Some(item) => format!("an object of name: {item}"),
            None => "an object".to_owned(),
        },
        Some("string") => "string".to_owned(),
        Some(other) => other.to_owned(),
        None => "value".to_owned(),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn try_it(arguments: Value) -> Result<Value, String> {
        let schema = json!({
            "type": "object",
            "properties": {
                "code": {"type": "string"},
                "inputs": {"type": "object", "additionalProperties": {"type": "string"}},
                "columns": {"type": "array", "items": {"type": "string"}},
                "format": {"type": "string", "enum": ["csv", "xlsx"]},
            },
            "required": ["code"],
        });
        let (Value::Object(schema), Value::Object(arguments)) = (schema, arguments) else {
            unreachable!()
        };
        check("tool", &schema, arguments).map(Value::Object)
    }

    #[test]
    fn right_arguments_pass_and_null_is_left_out() {
        let right = json!({"code": "1", "inputs": {"a": "b"}, "columns": ["x"], "format": "csv"});
        assert_eq!(try_it(right.clone()), Ok(right));
        assert_eq!(try_it(json!({"code": "1", "inputs": null})), Ok(json!({"code": "1"})));
    }

    #[test]
    fn every_problem_names_the_field_what_was_expected_and_the_known_ones() {
        for (arguments, parts) in [
            (json!({}), vec!["\"code\" is missing"]),
            (json!({"code": null}), vec!["\"code\" has to be string and is null"]),
            (json!({"code": "1", "input": {}}), vec!["\"input\" is not an argument", "inputs"]),
            (json!({"code": 1}), vec!["\"code\" has to be string and is a number"]),
            (
                json!({"code": "1", "inputs": "a"}),
                vec!["an object of name: string and is a string"],
            ),
            (json!({"code": "1", "inputs": {"a": 1}}), vec!["\"inputs.a\" has to be string"]),
            (json!({"code": "1", "columns": ["x", 2]}), vec!["\"columns[1]\" has to be string"]),
            (json!({"code": "1", "format": "xslx"}), vec!["one of csv, xlsx", "not \"xslx\""]),
            (json!({"x": 1, "y": 2}), vec!["\"code\" is missing", "\"x\" is", "\"y\" is"]),
        ] {
            let problem = try_it(arguments.clone()).unwrap_err();
            for part in parts {
                assert!(problem.contains(part), "{part:?} of {arguments} in {problem}");
            }
            assert!(problem.contains("inputs?: an object of name: string"), "{problem}");
        }
    }
}
