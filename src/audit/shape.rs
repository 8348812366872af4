//! What is said of a call's arguments: their names and what they are like.

use serde_json::{Map, Value};

use super::normal::normal_sql;
use crate::redact::Redactor;
use crate::store::DataRef;

/// Digits of a reference that are told: enough to find it, too few to use it.
const DIGITS: usize = 8;

/// Names that are told at most.
const NAMES: usize = 50;

/// What is said of a call's arguments.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shapes {
    /// By name, what it is like.
    pub arguments: Map<String, Value>,
    /// The query without its values.
    pub sql: Option<String>,
    /// References, shortened.
    pub references: Vec<String>,
    /// Other names of data, to be told only if there is such data.
    pub names: Vec<String>,
}

/// The shapes of a call's arguments. `is_known` says of a name whether the tool has such an
/// argument: what it has not was made up, and can be a value.
pub fn shapes(arguments: &Map<String, Value>, is_known: impl Fn(&str) -> bool) -> Shapes {
    let mut shapes = Shapes::default();
    let mut unknown: u64 = 0;
    for (name, value) in arguments {
        if !is_known(name) || shapes.arguments.len() >= NAMES {
            unknown += 1;
            continue;
        }
        shapes.arguments.insert(name.clone(), shape(value).into());
        if name == "sql"
            && let Some(sql) = value.as_str()
        {
            shapes.sql = Some(Redactor::all().redact(&normal_sql(sql)).text);
        }
        let named = matches!(name.as_str(), "data" | "chart" | "inputs");
        collect(value, named, 0, &mut shapes);
    }
    if unknown > 0 {
        shapes.arguments.insert("unknown".to_owned(), unknown.into());
    }
    shapes
}

/// A value in words that do not tell it.
fn shape(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "bool".to_owned(),
        Value::Number(number) if number.is_f64() => "number".to_owned(),
        Value::Number(_) => "integer".to_owned(),
        Value::String(text) if text.parse::<DataRef>().is_ok() => "dataRef".to_owned(),
        Value::String(text) => format!("text of {}", text.chars().count()),
        Value::Array(items) => format!("list of {}", items.len()),
        Value::Object(fields) => format!("object of {}", fields.len()),
    }
}

fn collect(value: &Value, named: bool, depth: usize, shapes: &mut Shapes) {
    if depth > 4 || shapes.references.len() + shapes.names.len() >= NAMES {
        return;
    }
    match value {
        Value::String(text) if text.parse::<DataRef>().is_ok() => {
            shapes.references.push(short(text));
        }
        Value::String(text) if named && text.len() <= 200 => shapes.names.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|v| collect(v, named, depth + 1, shapes)),
        Value::Object(fields) => {
            fields.values().for_each(|v| collect(v, named, depth + 1, shapes));
        }
        _ => {}
    }
}

/// A reference's beginning.
fn short(reference: &str) -> String {
    let end = (DataRef::PREFIX.len() + DIGITS).min(reference.len());
    format!("{}…", &reference[..end])
}
