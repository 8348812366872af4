//! The one place where every call of a tool or of the view is written down.

use rmcp::model::JsonObject;
use serde_json::{Map, Value};

use crate::audience::{Audience, Told as _};
use crate::audit::Through;
use crate::reply::Reply;
use crate::room::{Asked, Call, Ended, KnownNames, Room, RoomError};

/// What a tool answered, and by which code it refused.
pub(super) struct Answered {
    pub reply: Reply,
    pub code: Option<&'static str>,
}

/// The arguments of a tool, by its schema.
#[derive(Debug)]
pub(super) struct OfSchema<'a>(pub &'a JsonObject);

impl KnownNames for OfSchema<'_> {
    fn has(&self, name: &str) -> bool {
        self.0.get("properties").is_some_and(|properties| properties.get(name).is_some())
    }
}

/// Calls a tool and writes it down; a room whose audit cannot be written answers nothing.
pub(super) fn reply(
    room: &Room,
    tool: &str,
    schema: &JsonObject,
    arguments: JsonObject,
    call: &Call,
    work: impl FnOnce(JsonObject) -> Answered,
) -> Reply {
    let given = arguments.clone();
    let asked =
        Asked { tool, through: call.through(), arguments: &given, known: &OfSchema(schema) };
    match room.audited(asked, || work(arguments), ended) {
        Ok(answered) => answered.reply,
        Err(error) => Reply::refusal(&error.shown(room.policy()), room.policy().reply_bytes()),
    }
}

fn ended(answered: &Answered) -> Ended {
    let reply = &answered.reply;
    let code = answered.code.map(str::to_owned).or_else(|| {
        let ending = reply.structured().and_then(|value| value["ending"].as_str());
        reply.failed().then(|| ending.unwrap_or("failed").to_uppercase())
    });
    Ended { rows: reply.structured().map_or(0, rows), bytes: reply.bytes() as u64, code }
}

/// Answers the view and writes it down.
pub(super) fn shown(
    room: &Room,
    function: &str,
    schema: &JsonObject,
    arguments: JsonObject,
    work: impl FnOnce(JsonObject) -> Result<Value, RoomError>,
) -> Result<Value, String> {
    let given = arguments.clone();
    let known = OfSchema(schema);
    let asked = Asked { tool: function, through: Through::View, arguments: &given, known: &known };
    let told = |answer: &Result<Value, RoomError>| match answer {
        // What the person sees, the model does not.
        Ok(_) => Ended::default(),
        Err(error) => Ended { code: Some(error.code().to_owned()), ..Ended::default() },
    };
    let answer = room.audited(asked, || work(arguments), told).and_then(|answer| answer);
    answer.map_err(|error| error.told(Audience::Person))
}

/// Writes down that a tool was called which there is not. Its name can be anything.
pub(super) fn unknown(room: &Room, call: &Call) -> Result<(), RoomError> {
    let nothing = Map::new();
    let asked =
        Asked { tool: "unknown", through: call.through(), arguments: &nothing, known: &nothing };
    let ended = |(): &()| Ended { code: Some("TOOL".to_owned()), ..Ended::default() };
    room.audited(asked, || (), ended)
}

/// Rows of tables within an answer.
fn rows(value: &Value) -> u64 {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| match (name.as_str(), value) {
                ("sample" | "preview" | "rows", Value::Array(rows)) => rows.len() as u64,
                _ => rows(value),
            })
            .sum(),
        Value::Array(items) => items.iter().map(rows).sum(),
        _ => 0,
    }
}
