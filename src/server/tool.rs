//! What a tool is, and the one way to call one.
//!
//! A tool is a type with a name, a description, its arguments and its answer as
//! types, and a function. From that one definition come its schemas, its checks,
//! its place in the list and its call; nothing is written twice. A tool returns
//! its answer or a [`RoomError`]; [`Registered::call`] makes the
//! [`Reply`] of either, so no tool can reach the model in another way.

use std::sync::{Arc, LazyLock};

use rmcp::model::{JsonObject, Tool as Definition, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::audited::{self, Answered};
use super::{arguments, declared, screen};
use crate::gateway::Tool as DeclaredTool;
use crate::reply::{Answer, Reply};
use crate::room::{Call, Room, RoomError};

/// What a tool does to the world, for a host that asks its user.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// Calling it again with the same arguments changes nothing more.
    pub idempotent: bool,
}

/// See the module.
pub(super) trait Tool {
    const NAME: &'static str;
    const TITLE: &'static str;
    const DESCRIPTION: &'static str;
    const HINTS: Hints;
    /// Whether the view shows what it made.
    const VIEWED: bool = false;
    /// Whether its answers may come with a picture.
    const PICTURED: bool = false;
    type Arguments: DeserializeOwned + JsonSchema;
    type Answer: Answer + JsonSchema;

    fn call(
        room: &Room,
        arguments: Self::Arguments,
        call: &Call,
    ) -> Result<Self::Answer, RoomError>;
}

/// A tool in the list.
pub(super) struct Registered {
    pub definition: Definition,
    pictured: bool,
    call: fn(&Room, &JsonObject, JsonObject, &Call) -> Answered,
}

impl Registered {
    pub(super) fn of<T: Tool>() -> Self {
        // No tool here destroys: artifacts and exports are new files. None reaches
        // out: the sandbox has no network.
        let annotations = ToolAnnotations::with_title(T::TITLE)
            .read_only(T::HINTS.read_only)
            .destructive(false)
            .idempotent(T::HINTS.idempotent)
            .open_world(false);
        let definition =
            Definition::new(T::NAME, T::DESCRIPTION, Arc::new(schema::<T::Arguments>(false)))
                .with_title(T::TITLE)
                .with_annotations(annotations)
                .with_raw_output_schema(Arc::new(schema::<T::Answer>(true)));
        let definition = match T::VIEWED {
            // The second is the name that older hosts know.
            true => definition.with_meta(screen::meta(json!({
                "ui": { "resourceUri": screen::VIEW, "visibility": ["model", "app"] },
                "ui/resourceUri": screen::VIEW,
            }))),
            false => definition,
        };
        Self { definition, pictured: T::PICTURED, call: call::<T> }
    }

    pub(super) fn has_images(&self) -> bool {
        self.pictured
    }

    pub(super) fn name(&self) -> &str {
        &self.definition.name
    }

    /// Calls it, which is written down.
    pub(super) fn call(&self, room: &Room, arguments: JsonObject, call: &Call) -> Reply {
        let schema = &self.definition.input_schema;
        audited::reply(room, self.name(), schema, arguments, call, |arguments| {
            (self.call)(room, schema, arguments, call)
        })
    }
}

fn call<T: Tool>(room: &Room, schema: &JsonObject, arguments: JsonObject, call: &Call) -> Answered {
    let cap = room.policy().reply_bytes();
    let refused =
        |message: &str, code| Answered { reply: Reply::refusal(message, cap), code: Some(code) };
    let arguments = match arguments::check(T::NAME, schema, arguments) {
        Ok(arguments) => arguments,
        Err(problem) => return refused(&problem, "ARGUMENTS"),
    };
    match serde_json::from_value(Value::Object(arguments)) {
        Ok(arguments) => match T::call(room, arguments, call) {
            Ok(answer) => Answered { reply: Reply::answer(answer, cap), code: None },
            Err(error) => refused(&error.shown(room.policy()), error.code()),
        },
        Err(error) => refused(&format!("{}: {error}", T::NAME), "ARGUMENTS"),
    }
}

/// What can be called by a name: a tool of the room's own, or one that its configuration
/// declares. Both end in a [`Reply`].
#[derive(Clone)]
pub(super) enum Door {
    Own(&'static Registered),
    Declared(Arc<DeclaredTool>),
}

impl Door {
    pub(super) fn find(room: &Room, name: &str) -> Option<Self> {
        let own = TOOLS.iter().find(|tool| tool.name() == name).map(Self::Own);
        own.or_else(|| room.settings().tools.get(name).map(|tool| Self::Declared(Arc::clone(tool))))
    }

    pub(super) fn names(room: &Room) -> Vec<&str> {
        let declared = room.settings().tools.iter().map(|tool| tool.name());
        TOOLS.iter().map(Registered::name).chain(declared).collect()
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Own(tool) => tool.name(),
            Self::Declared(tool) => tool.name(),
        }
    }

    /// Calls it.
    pub(super) fn call(&self, room: &Room, arguments: JsonObject, call: &Call) -> Reply {
        match self {
            Self::Own(tool) => tool.call(room, arguments, call),
            Self::Declared(tool) => declared::call(room, tool, arguments, call),
        }
    }
}

/// Every tool, in the order in which a newcomer needs them.
pub(super) static TOOLS: LazyLock<Vec<Registered>> = LazyLock::new(|| {
    vec![
        Registered::of::<super::list_data::ListData>(),
        Registered::of::<super::describe_data::DescribeData>(),
        Registered::of::<super::query_data::QueryData>(),
        Registered::of::<super::run_python::RunPython>(),
        Registered::of::<super::render_chart::RenderChart>(),
        Registered::of::<super::export_data::ExportData>(),
        Registered::of::<super::trace_result::TraceResult>(),
    ]
});

/// The schema of a type, as plain as hosts need it: no references, no type lists,
/// no formats that only Rust has.
pub(super) fn schema<T: JsonSchema>(written: bool) -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let settings = if written { settings.for_serialize() } else { settings };
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut schema);
    let Value::Object(mut schema) = schema else {
        return JsonObject::new();
    };
    schema.remove("title");
    schema.remove("description");
    schema
}

fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Array(types)) = fields.get_mut("type") {
                types.retain(|t| t != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    fields.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type").is_none_or(|t| t != "null"));
                if choices.len() == 1
                    && let Value::Object(only) = choices.remove(0)
                {
                    fields.remove("anyOf");
                    for (key, value) in only {
                        fields.entry(key).or_insert(value);
                    }
                }
            }
            if fields.get("default").is_some_and(Value::is_null) {
                fields.remove("default");
            }
            // A property may be called "format"; then its value is a schema.
            if fields.get("format").is_some_and(Value::is_string) {
                fields.remove("format");
            }
            fields.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(value: &Value, see: &mut impl FnMut(&JsonObject)) {
        match value {
            Value::Object(fields) => {
                see(fields);
                fields.values().for_each(|v| walk(v, see));
            }
            Value::Array(items) => items.iter().for_each(|v| walk(v, see)),
            _ => {}
        }
    }

    /// The contract of the design: these names do not change.
    #[test]
    fn tools_and_their_arguments_are_the_contract() {
        let contract = [
            ("list_data", "filter", ""),
            ("describe_data", "columns data", "data"),
            ("query_data", "save_as sql", "sql"),
            ("run_python", "code inputs", "code"),
            (
                "render_chart",
                "aggregate bins data horizontal kind lines log series shares sort stacked title top value x y",
                "data kind",
            ),
            ("export_data", "bom data decimal delimiter format items name", "data"),
            ("trace_result", "data replay", "data"),
        ];
        let have: Vec<_> = TOOLS
            .iter()
            .map(|tool| {
                let schema = &tool.definition.input_schema;
                let mut arguments: Vec<_> =
                    schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
                arguments.sort_unstable();
                let required: Vec<_> = schema
                    .get("required")
                    .and_then(Value::as_array)
                    .map(|r| r.iter().filter_map(Value::as_str).collect())
                    .unwrap_or_default();
                (tool.name(), arguments.join(" "), required.join(" "))
            })
            .collect();
        let want: Vec<_> =
            contract.map(|(n, a, r)| (n, a.to_owned(), r.to_owned())).into_iter().collect();
        assert_eq!(have, want);
    }

    #[test]
    fn no_declared_tool_can_be_called_like_one_of_these() {
        let screens = screen::SCREEN.iter().map(|screen| &*screen.definition.name);
        for name in TOOLS.iter().map(Registered::name).chain(screens) {
            assert!(crate::gateway::TAKEN.contains(&name), "{name}");
        }
    }

    #[test]
    fn schemas_are_plain_objects_that_every_host_reads() {
        for tool in TOOLS.iter() {
            let definition = &tool.definition;
            let output = definition.output_schema.as_deref().unwrap();
            assert_eq!(definition.input_schema["additionalProperties"], false, "{}", tool.name());
            for schema in [&*definition.input_schema, output] {
                assert_eq!(schema["type"], "object");
                walk(&Value::Object(schema.clone()), &mut |fields| {
                    assert!(!fields.get("type").is_some_and(Value::is_array), "{fields:?}");
                    assert!(!fields.contains_key("$ref") && !fields.contains_key("$schema"));
                    assert!(!fields.get("format").is_some_and(Value::is_string), "{fields:?}");
                });
            }
        }
    }

    #[test]
    fn descriptions_fit_and_do_not_command() {
        for tool in TOOLS.iter() {
            let description = tool.definition.description.as_deref().unwrap();
            assert!(description.len() < 1_500, "{}", tool.name());
            assert!(!description.to_lowercase().contains("must"), "{}", tool.name());
            assert!(tool.definition.title.is_some());
            let hints = tool.definition.annotations.as_ref().unwrap();
            assert!(hints.read_only_hint.is_some() && hints.destructive_hint == Some(false));
        }
    }
}
