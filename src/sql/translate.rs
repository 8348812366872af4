//! The engine's errors in the words of the room.
//!
//! The engine says what it did ("SchemaError: No field named …"); a reader needs what
//! is wrong with the query, where, and what to write instead. What it says while it
//! reads data may quote a cell and is marked so; what it says while it plans can
//! only quote the query.

use arrow::error::ArrowError;
use datafusion::common::{Column, DataFusionError, SchemaError, TableReference};
use datafusion::sql::sqlparser::parser::ParserError;

use super::aggregate::Overflow;
use super::bounded::TooLarge;
use super::error::{Code, Place, SqlError};
use super::parse::{AS_OF, NO_AS_OF};
use crate::audience::NextStep;
use crate::nearest::nearest;

/// Where a query was when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Before any data was read.
    Planning,
    /// While data was read.
    Running,
}

/// See the module.
pub(super) fn translate(error: &DataFusionError, phase: Phase) -> SqlError {
    let at = error
        .diagnostic()
        .and_then(|diagnostic| diagnostic.span)
        .map(|span| Place { line: span.start.line, column: span.start.column });
    let found = one(root(error), phase).at(at);
    match phase {
        Phase::Planning => SqlError { of_data: false, ..found },
        Phase::Running => found,
    }
}

/// The cause within all that was wrapped around it.
fn root(mut error: &DataFusionError) -> &DataFusionError {
    loop {
        error = match error {
            DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => inner,
            DataFusionError::Shared(inner) => inner,
            DataFusionError::Collection(all) if !all.is_empty() => &all[0],
            DataFusionError::External(inner) => match inner.downcast_ref::<DataFusionError>() {
                Some(inner) => inner,
                None => return error,
            },
            DataFusionError::ArrowError(inner, _) => match &**inner {
                ArrowError::ExternalError(inner) => match inner.downcast_ref::<DataFusionError>() {
                    Some(inner) => inner,
                    None => return error,
                },
                _ => return error,
            },
            _ => return error,
        };
    }
}

fn one(error: &DataFusionError, phase: Phase) -> SqlError {
    match error {
        DataFusionError::SchemaError(error, _) => schema(error),
        DataFusionError::External(error) => external(&**error),
        DataFusionError::ArrowError(error, _) => arrow(error),
        DataFusionError::ResourcesExhausted(message) => exhausted(message),
        DataFusionError::SQL(error, _) => match &**error {
            ParserError::RecursionLimitExceeded => {
                SqlError::new(Code::Nesting, "the query is nested too deeply")
            }
            ParserError::TokenizerError(message) | ParserError::ParserError(message) => {
                SqlError::new(Code::Syntax, message.clone())
            }
        },
        DataFusionError::NotImplemented(message) => not_done(message),
        DataFusionError::Plan(message) | DataFusionError::Configuration(message) => plan(message),
        DataFusionError::Execution(message) => {
            let code = if phase == Phase::Planning { Code::Type } else { Code::Value };
            SqlError::new(code, tidy(message)).of_data()
        }
        DataFusionError::ParquetError(_)
        | DataFusionError::ObjectStore(_)
        | DataFusionError::IoError(_) => SqlError::new(
            Code::Data,
            format!("a table cannot be read: {}", tidy(&error.to_string())),
        )
        .of_data(),
        other => {
            let message = other.strip_backtrace();
            let message = message.split("This issue was likely caused").next().unwrap_or_default();
            let message = message.trim_start_matches("Internal error: ").trim();
            SqlError::new(Code::Internal, format!("the engine failed: {}", tidy(message)))
                .next(
                    "write the query in another way; this is a fault of dataroom or of its engine",
                )
                .of_data()
        }
    }
}

/// What the engine has not: in words, where it would show what it made of the query.
fn not_done(message: &str) -> SqlError {
    const WORDS: &[(&str, &str, &str)] = &[
        ("JOIN operator AsOf", NO_AS_OF, AS_OF),
        (
            "operator DIV",
            "there is no operator //",
            "write a / b, which of whole numbers is whole, or floor(a / b)",
        ),
        (
            "logical expression WindowFunction",
            "a window function cannot stand here",
            "compute it in a subquery or a WITH, and filter or group that",
        ),
        (
            "logical expression ScalarSubquery",
            "a subquery that is compared with its outer row otherwise than by =, or has a LIMIT of its own, is not done here",
            "write a join with GROUP BY, or row_number() in a subquery and the row that has 1",
        ),
        (
            "logical expression OuterReferenceColumn",
            "a LATERAL subquery that reads a table row by row is not done here",
            "write a join with GROUP BY, or row_number() in a subquery and the row that has 1",
        ),
        (
            "logical expression Exists",
            "EXISTS cannot stand here",
            "write it in WHERE, or give it a name in a subquery's list of columns",
        ),
        (
            "logical expression InSubquery",
            "IN (SELECT …) cannot stand here",
            "write it in WHERE, or give it a name in a subquery's list of columns",
        ),
    ];
    match WORDS.iter().find(|(theirs, _, _)| message.contains(theirs)) {
        Some((_, what, next)) => SqlError::new(Code::Unsupported, *what).next(*next),
        None => {
            // Behind the first words comes the engine's own form of the query.
            let told = tidy(message);
            let told = told.split([':', '{', '(']).next().unwrap_or_default().trim().to_owned();
            SqlError::new(Code::Unsupported, told)
                .next("write it in another way")
                .step(NextStep::TakePython)
        }
    }
}

fn external(error: &(dyn std::error::Error + Send + Sync + 'static)) -> SqlError {
    if let Some(error) = error.downcast_ref::<SqlError>() {
        return error.clone();
    }
    if let Some(error) = error.downcast_ref::<Overflow>() {
        return SqlError::new(Code::Overflow, error.to_string())
            .next("compute with more room: CAST(… AS DECIMAL(38,0)), or CAST(… AS DOUBLE) where a rounded number will do");
    }
    if let Some(error) = error.downcast_ref::<TooLarge>() {
        return SqlError::new(Code::Cost, error.to_string()).next("make it smaller");
    }
    SqlError::new(Code::Value, tidy(&error.to_string())).of_data()
}

fn arrow(error: &ArrowError) -> SqlError {
    match error {
        ArrowError::DivideByZero => SqlError::new(Code::Division, "a division by zero")
            .next("write x / nullif(y, 0), which gives NULL where y is 0"),
        ArrowError::ArithmeticOverflow(_) => {
            SqlError::new(Code::Overflow, "a result is out of the range of its type")
                .next("compute with more room: CAST(… AS DECIMAL(38,0)) or CAST(… AS DOUBLE)")
        }
        ArrowError::CastError(message) | ArrowError::ParseError(message) => {
            SqlError::new(Code::Value, tidy(message))
                .next("TRY_CAST gives NULL where a value cannot be read")
                .of_data()
        }
        other => SqlError::new(Code::Value, tidy(&other.to_string())).of_data(),
    }
}

fn exhausted(message: &str) -> SqlError {
    if message.contains("disk space") || message.contains("max_temp_directory_size") {
        return SqlError::new(
            Code::Spill,
            "the query needs more of the disk than queries may have",
        )
        .next("select fewer columns and rows first, or aggregate");
    }
    let who = if message.contains("HashJoin") || message.contains("NestedLoopJoin") {
        " for a join"
    } else if message.contains("Sort") {
        " for a sort"
    } else if message.contains("GroupedHashAggregate") || message.contains("Aggregate") {
        " for its groups"
    } else if message.contains("Window") {
        " for a window"
    } else {
        ""
    };
    SqlError::new(Code::Memory, format!("the query needs more memory{who} than a query may have"))
        .next(
            "select fewer columns and filter before joining or grouping, or raise [query] \
             memory_bytes in dataroom.toml",
        )
}

fn schema(error: &SchemaError) -> SqlError {
    match error {
        SchemaError::FieldNotFound { field, valid_fields } => {
            let of = field.relation.as_ref().map(|relation| relation.table().to_owned());
            let same_table = |column: &&Column| match (&of, &column.relation) {
                (Some(of), Some(relation)) => relation.table() == of,
                _ => true,
            };
            let known = valid_fields.iter().filter(same_table).map(Column::name);
            let mut near: Vec<String> =
                nearest(&field.name, known).into_iter().map(str::to_owned).collect();
            let has_table = valid_fields
                .iter()
                .any(|column| column.relation.as_ref().map(TableReference::table) == of.as_deref());
            let message = match &of {
                Some(table) if !has_table => {
                    let tables = valid_fields.iter().filter_map(|c| c.relation.as_ref());
                    near = nearest(table, tables.map(TableReference::table))
                        .into_iter()
                        .map(str::to_owned)
                        .collect();
                    format!("there is no table or alias {table:?} here")
                }
                Some(table) => format!("{table:?} has no column {:?}", field.name),
                None => format!("there is no column {:?}", field.name),
            };
            let quotes = valid_fields.is_empty() || near.is_empty();
            let error = SqlError::new(Code::Column, message).near(near);
            if quotes {
                error.next("text stands in single quotes").step(NextStep::SeeTable)
            } else {
                error
            }
        }
        SchemaError::AmbiguousReference { field } => {
            let message = format!("the column {:?} is in more than one table", field.name);
            SqlError::new(Code::Column, message).next("write table.column")
        }
        SchemaError::DuplicateQualifiedField { qualifier, name } => {
            let message = format!("{:?} has two columns {name:?}", qualifier.table());
            SqlError::new(Code::Column, message).next("give each its own alias")
        }
        SchemaError::DuplicateUnqualifiedField { name } => {
            SqlError::new(Code::Column, format!("two columns are named {name:?}"))
                .next("give each its own alias with AS")
        }
    }
}

fn plan(message: &str) -> SqlError {
    let lower = message.to_lowercase();
    let message = tidy(message);
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["projections require unique expression names"]) {
        let name = message.split('"').nth(1).unwrap_or_default();
        return SqlError::new(Code::Column, format!("two columns are named {name:?}"))
            .next("give each its own alias with AS");
    }
    if has(&["duplicate"]) {
        return SqlError::new(Code::Column, message).next("give each its own alias with AS");
    }
    if has(&[
        "coerce",
        "coercion",
        "argument types",
        "cannot infer common",
        "not supported type",
        "user-defined",
    ]) {
        return SqlError::new(Code::Type, our_types(&message))
            .next("CAST one side to the type of the other");
    }
    if has(&[
        "must appear in the group by",
        "must be in the group by",
        "could not be resolved from available columns",
    ]) {
        return SqlError::new(Code::Column, message)
            .next("put it into GROUP BY, or take min(…), max(…) or any_value(…) of it");
    }
    if has(&["table", "not found"]) && lower.contains("not found") {
        return SqlError::new(Code::Table, message);
    }
    SqlError::new(Code::Plan, message)
}

/// Types as `describe` has them.
fn our_types(message: &str) -> String {
    const TYPES: &[(&str, &str)] = &[
        ("Utf8View", "text"),
        ("LargeUtf8", "text"),
        ("Utf8", "text"),
        ("Boolean", "bool"),
        ("Int64", "int64"),
        ("Float64", "float64"),
        ("Date32", "date"),
    ];
    TYPES.iter().fold(message.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours))
}

/// The engine's text without its names for itself.
fn tidy(message: &str) -> String {
    let message = message.split("\n\nbacktrace:").next().unwrap_or_default();
    let message = message.split(" No function matches the given name").next().unwrap_or_default();
    let mut text = message.replace("datafusion.public.", "").replace("DataFusion", "the engine");
    if let Some((_, cause)) = text.split_once("user-defined coercion failed with: ") {
        text = cause.to_owned();
    }
    for prefix in [
        "Error during planning: ",
        "Execution error: ",
        "Arrow error: ",
        "Parquet error: ",
        "External error: ",
        "Optimizer rule ",
    ] {
        while let Some(rest) = text.strip_prefix(prefix) {
            text = rest.to_owned();
        }
    }
    if text.chars().count() > 400 {
        text = text.chars().take(400).chain("…".chars()).collect();
    }
    let mut characters = text.trim_end_matches(['.', '\n', ' ']).chars();
    match characters.next() {
        // A word in capitals stays one.
        Some(first) if !characters.clone().next().is_some_and(char::is_uppercase) => {
            first.to_lowercase().chain(characters).collect()
        }
        Some(first) => std::iter::once(first).chain(characters).collect(),
        None => String::new(),
    }
}
