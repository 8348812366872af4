//! What a tool can be asked: a few values, each of a narrow type.
//!
//! There is no type whose value is SQL, a table, a column or a condition. A value is checked
//! here before anything runs, and is bound to a placeholder, never written into a text.

mod made;
mod moment;
mod value;

use regex::Regex;
use serde_json::{Map, Value as Json, json};

pub(super) use self::made::{is_name, parameters};
use self::moment::Span;
pub(super) use self::value::recorded;

/// Characters of a text that was given.
pub(super) const TEXT: u64 = 1_000;
/// Choices of an enum.
pub(super) const CHOICES: usize = 100;

/// A parameter of a tool.
#[derive(Debug, Clone)]
pub(super) struct Parameter {
    /// Its name; of a window, only its author's word for it.
    pub name: String,
    /// What a model reads of it.
    pub description: Option<String>,
    /// Whether it has to be given.
    pub required: bool,
    /// What it is if it is not given.
    pub default: Option<Json>,
    /// What it takes.
    pub kind: Kind,
}

/// What a parameter takes.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// A UUID.
    Uuid,
    /// A whole number from the first to the second.
    Integer(i64, i64),
    /// One of these.
    Enum(Vec<String>),
    /// A day, in days since 1970, within these.
    Date(Option<i32>, Option<i32>),
    /// A moment, in microseconds since 1970, within these.
    Timestamp(Option<i64>, Option<i64>),
    /// Two moments, the first before the second.
    Window(Window),
    /// A text.
    Text(TextKind),
}

/// A bounded window of time.
#[derive(Debug, Clone)]
pub(super) struct Window {
    /// The name of its beginning, which is in it.
    pub since: String,
    /// The name of its end, which is not.
    pub until: String,
    /// How long it can be.
    pub longest: Span,
}

/// A short text.
#[derive(Debug, Clone)]
pub(super) struct TextKind {
    /// What it looks like, as it was written.
    pub written: String,
    /// The same, from its first character to its last.
    pub pattern: Regex,
    /// Its characters.
    pub longest: u64,
}

impl Parameter {
    /// The arguments that it is: two of a window.
    pub(super) fn arguments(&self) -> Vec<&str> {
        match &self.kind {
            Kind::Window(window) => vec![&window.since, &window.until],
            _ => vec![&self.name],
        }
    }

    /// The schema of each of its arguments.
    fn schemas(&self) -> Vec<(&str, Json)> {
        let own = |mut schema: Json, about: String| {
            let about = match &self.description {
                Some(said) if about.is_empty() => said.clone(),
                Some(said) => format!("{}; {about}", said.trim_end_matches('.')),
                None => about,
            };
            if !about.is_empty() {
                schema["description"] = about.into();
            }
            if let Some(default) = &self.default {
                schema["default"] = default.clone();
            }
            schema
        };
        let string = || json!({ "type": "string" });
        match &self.kind {
            Kind::Uuid => vec![(
                &self.name,
                own(json!({ "type": "string", "pattern": UUID }), "a UUID".to_owned()),
            )],
            Kind::Integer(least, most) => vec![(
                &self.name,
                own(json!({ "type": "integer", "minimum": least, "maximum": most }), String::new()),
            )],
            Kind::Enum(values) => {
                vec![(&self.name, own(json!({ "type": "string", "enum": values }), String::new()))]
            }
            Kind::Date(least, most) => {
                let about = format!("a date like 2026-01-31{}", moment::within_days(*least, *most));
                vec![(&self.name, own(string(), about))]
            }
            Kind::Timestamp(least, most) => {
                let about = format!("{MOMENT}{}", moment::within_moments(*least, *most));
                vec![(&self.name, own(string(), about))]
            }
            Kind::Window(window) => {
                let longest = window.longest;
                let since = format!("{MOMENT}; the window begins here");
                let until = format!(
                    "{MOMENT}; the window ends before this, at most {longest} after {}",
                    window.since
                );
                vec![(&window.since, own(string(), since)), (&window.until, own(string(), until))]
            }
            Kind::Text(text) => vec![(
                &self.name,
                own(
                    json!({ "type": "string", "pattern": format!("^(?:{})$", text.written),
                            "maxLength": text.longest }),
                    String::new(),
                ),
            )],
        }
    }
}

const UUID: &str = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";
const MOMENT: &str = "a moment with its zone, like 2026-01-31T09:00:00Z";

/// The schema that a tool's arguments are held to.
pub(super) fn schema(parameters: &[Parameter]) -> Map<String, Json> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for parameter in parameters {
        for (name, schema) in parameter.schemas() {
            properties.insert(name.to_owned(), schema);
            if parameter.required {
                required.push(Json::from(name));
            }
        }
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), required.into());
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}
