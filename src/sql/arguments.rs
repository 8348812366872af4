//! Which argument a function cannot take, and what to write instead.
//!
//! The engine lists the signatures that it tried; who asked needs the column, its type and
//! the cast. The function's name is in the engine's message, the column in the statement.

use std::ops::ControlFlow;

use arrow::datatypes::DataType;
use datafusion::common::DataFusionError;
use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Statement, Visit as _, Visitor,
};

use super::engine::Bound;
use super::error::{Code, Place, SqlError};
use super::names::same;
use super::parse::{last_part, of_name};
use super::translate::{Phase, translate};
use crate::type_name::{holds_numbers, type_name};

/// What the engine says before and after the name of a function.
const SAID: &[(&str, &str)] = &[
    ("Function '", "' failed to match any signature"),
    ("satisfy a call to '", "' function"),
    ("Function '", "' expects"),
    ("Function '", "' requires"),
];

/// An error of planning in the room's words; that of a function that cannot take an argument
/// names the column.
pub(super) fn planning(
    error: &DataFusionError,
    statement: &Statement,
    tables: &[Bound],
) -> SqlError {
    let text = error.strip_backtrace();
    wrong_argument(&text, statement, tables).unwrap_or_else(|| translate(error, Phase::Planning))
}

fn wrong_argument(text: &str, statement: &Statement, tables: &[Bound]) -> Option<SqlError> {
    let name = SAID.iter().find_map(|(before, after)| {
        let (name, _) = text.split_once(before)?.1.split_once(after)?;
        name.chars().all(|c| c.is_alphanumeric() || c == '_').then_some(name)
    })?;
    let mut calls = Calls { name, found: Vec::new() };
    let _ = statement.visit(&mut calls);
    // The engine's own names for what its signatures take.
    let numbers = !["requires String", "expects String"].iter().any(|taken| text.contains(taken))
        || text.contains("Numeric")
        || text.contains("Float64");
    let unfit = |data_type: &DataType| (holds_numbers(data_type) == Some(true)) != numbers;
    let mut columns = Vec::new();
    for (at, arguments) in &calls.found {
        let known = |argument| Some((*at, argument, column(argument, tables)?));
        columns.extend(arguments.iter().filter_map(known));
    }
    let found = columns.iter().find(|(_, _, (_, data_type))| unfit(data_type));
    let Some((at, argument, (table, data_type))) = found else {
        return of_no_column(name, numbers, text, &calls);
    };
    let message = format!(
        "{name} cannot take the column {argument} of {table:?}, which is {}",
        type_name(data_type)
    );
    let next = instead(name, &argument.to_string(), data_type, numbers);
    Some(SqlError::new(Code::Type, message).at(*at).next(next))
}

/// What is wrong with an argument that is no column.
fn of_no_column(name: &str, numbers: bool, text: &str, calls: &Calls<'_>) -> Option<SqlError> {
    let (at, argument) = match calls.found.first() {
        Some((at, arguments)) => (*at, arguments.first().map(ToString::to_string)),
        None => (None, None),
    };
    let wrong = |message| Some(SqlError::new(Code::Type, message).at(at));
    let Some(received) = received(text) else {
        let (takes, given) = counted(text)?;
        let arguments = if takes == 1 { "argument" } else { "arguments" };
        return Some(
            wrong(format!("{name} takes {takes} {arguments}, and was given {given}"))?
                .next(format!("give it {takes}")),
        );
    };
    let kind = if numbers { "DOUBLE" } else { "VARCHAR" };
    let argument = argument.unwrap_or_else(|| "an argument".to_owned());
    Some(wrong(format!("{name} cannot take {argument}, which is {received}"))?.next(format!(
        "write TRY_CAST({} AS {kind}) in its place",
        if argument == "an argument" { "…" } else { &argument }
    )))
}

/// `expects 1 arguments but received 2`.
fn counted(text: &str) -> Option<(u32, u32)> {
    let (takes, rest) = text.split_once("' expects ")?.1.split_once(" arguments but received ")?;
    let given: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some((takes.parse().ok()?, given.parse().ok()?))
}

/// What to write.
fn instead(name: &str, column: &str, data_type: &DataType, numbers: bool) -> String {
    match data_type {
        _ if !numbers => format!("write CAST({column} AS VARCHAR) in its place"),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Dictionary(..) => {
            format!(
                "write CAST({column} AS DOUBLE) in its place if all its texts are numbers, or \
                 TRY_CAST({column} AS DOUBLE), which takes the others for NULL; clean signs and \
                 spaces off before, as in replace({column}, ',', '')"
            )
        }
        DataType::Boolean => format!(
            "write CAST({column} AS INT) in its place, or count(*) FILTER (WHERE {column}) for how \
             many are true"
        ),
        _ if data_type.is_temporal() => format!(
            "a date is no number: take min({column}) and max({column}), or a number of it, as in \
             {name}(date_part('epoch', {column}))"
        ),
        _ if data_type.is_nested() => format!(
            "its values are several numbers or none: take one row for each with UNNEST({column}), or \
             one field of it"
        ),
        _ => format!("write CAST({column} AS DOUBLE) in its place"),
    }
}

/// The type that the engine says it was given, in our words.
fn received(text: &str) -> Option<&'static str> {
    let words = [
        ("String", "text"),
        ("Utf8", "text"),
        ("Boolean", "bool"),
        ("Date", "a date"),
        ("Timestamp", "a timestamp"),
        ("Time", "a time"),
        ("List", "a list"),
        ("Struct", "a struct"),
        ("Int", "a whole number"),
        ("UInt", "a whole number"),
        ("Float", "a number"),
        ("Decimal", "a number"),
        ("Binary", "binary"),
        ("Interval", "an interval"),
        ("Duration", "a duration"),
    ];
    // Of a count of arguments it says the same.
    let mut given =
        ["received ", "coercion from "].iter().flat_map(|said| text.split(said).skip(1));
    given.find_map(|given| {
        words.iter().find(|(theirs, _)| given.starts_with(theirs)).map(|(_, ours)| *ours)
    })
}

/// The one table that has this column, and its type.
fn column<'t>(argument: &Expr, tables: &'t [Bound]) -> Option<(&'t str, DataType)> {
    let name = match argument {
        Expr::Identifier(name) => &name.value,
        Expr::CompoundIdentifier(parts) => &parts.last()?.value,
        Expr::Nested(inner) => return column(inner, tables),
        _ => return None,
    };
    tables.iter().find_map(|bound| {
        let schema = bound.table.schema();
        let field = schema.fields().iter().find(|field| same(field.name(), name))?;
        Some((bound.asked.as_str(), field.data_type().clone()))
    })
}

/// The calls of one function, with their arguments.
struct Calls<'n> {
    name: &'n str,
    found: Vec<(Option<Place>, Vec<Expr>)>,
}

impl Visitor for Calls<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::Function(function) = expr
            && last_part(&function.name) == self.name
            && let FunctionArguments::List(list) = &function.args
        {
            let arguments = list.args.iter().filter_map(|argument| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
                _ => None,
            });
            let ordered = function.within_group.iter().map(|key| key.expr.clone());
            self.found.push((of_name(&function.name), arguments.chain(ordered).collect()));
        }
        ControlFlow::Continue(())
    }
}
