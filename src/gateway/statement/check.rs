//! Looks at each node of a statement, and lets through what is on a list.
//!
//! A node that this reader has never heard of is refused, so that a newer parser or a
//! dialect's odd corner cannot open a door. What is looked at is the text that the server
//! is sent, with its placeholders in it.

use std::ops::ControlFlow;

use super::functions;
use super::lexer::Rewritten;
use super::lists::{columns, folded, is_listed, is_the_servers};
use crate::gateway::Dialect;
use crate::gateway::fault::{Cause, FaultCode};
use crate::sql::sqlparser::ast::{
    ArrayElemTypeDef, BinaryOperator, DataType, Expr, FunctionArguments, ObjectName,
    ObjectNamePart, Query, Select, SetExpr, Spanned as _, Statement, TableFactor, UnaryOperator,
    Value, ValueWithSpan, Visit as _, Visitor,
};
use crate::sql::sqlparser::dialect::{
    Dialect as Grammar, MySqlDialect, PostgreSqlDialect, SQLiteDialect,
};
use crate::sql::sqlparser::parser::{Parser, ParserError};
use crate::sql::sqlparser::tokenizer::{Span, Token};

/// How deep a statement may be nested.
const DEPTH: usize = 50;

/// What a statement was found to be made of.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub columns: Option<Vec<String>>,
    pub functions: Vec<String>,
    pub listed: Vec<String>,
    pub relations: Vec<String>,
}

/// A cause and its line in the text.
type Placed = (Cause, Option<u64>);

pub(super) fn check(
    rewritten: &Rewritten,
    dialect: Dialect,
    may_call: &[String],
) -> Result<Seen, Placed> {
    let grammar: &dyn Grammar = match dialect {
        Dialect::Postgres => &PostgreSqlDialect {},
        Dialect::MySql => &MySqlDialect {},
        Dialect::Sqlite => &SQLiteDialect {},
    };
    let statement = one_statement(&rewritten.sql, grammar)?;
    let mut looker = Looker {
        dialect,
        may_call,
        seen: Seen::default(),
        ctes: Vec::new(),
        unqualified: Vec::new(),
        called: None,
        placeholders: 0,
        refused: None,
    };
    let _ = statement.visit(&mut looker);
    looker.settle_unqualified();
    if let Some(refused) = looker.refused {
        return Err(refused);
    }
    if looker.placeholders != rewritten.placeholders.len() {
        let message = "a parameter stands where no value can stand";
        return Err((
            Cause::new(FaultCode::Undeclared, message)
                .next("a parameter is a value, and never a name, a type or a part of a text"),
            None,
        ));
    }
    let mut seen = looker.seen;
    if let Statement::Query(query) = &statement {
        seen.columns = columns(&query.body);
    }
    for list in [&mut seen.functions, &mut seen.listed, &mut seen.relations] {
        list.sort();
        list.dedup();
    }
    Ok(seen)
}

fn one_statement(sql: &str, grammar: &dyn Grammar) -> Result<Statement, Placed> {
    let syntax = |error: &ParserError| {
        let (message, line) = match error {
            ParserError::RecursionLimitExceeded => ("it is nested too deeply".to_owned(), None),
            ParserError::TokenizerError(message) | ParserError::ParserError(message) => {
                split_line(message)
            }
        };
        (Cause::new(FaultCode::Syntax, message), line)
    };
    let parser = Parser::new(grammar).with_recursion_limit(DEPTH);
    let mut parser = parser.try_with_sql(sql).map_err(|error| syntax(&error))?;
    if parser.peek_token().token == Token::EOF {
        return Err((Cause::new(FaultCode::Statement, "there is no statement"), None));
    }
    let statement = parser.parse_statement().map_err(|error| syntax(&error))?;
    let mut is_ended = false;
    while parser.consume_token(&Token::SemiColon) {
        is_ended = true;
    }
    let rest = parser.peek_token();
    let line = line_of(rest.span);
    match (&rest.token, is_ended) {
        (Token::EOF, _) => Ok(statement),
        (_, true) => Err((
            Cause::new(FaultCode::Statements, "there is more than one statement")
                .next("a tool has one SELECT"),
            line,
        )),
        (token, false) => {
            let token: String = token.to_string().chars().take(40).collect();
            Err((Cause::new(FaultCode::Syntax, format!("{token} is not expected here")), line))
        }
    }
}

/// The parser writes the place at the end of its message.
fn split_line(message: &str) -> (String, Option<u64>) {
    let place = message.rsplit_once(" at Line: ").and_then(|(text, rest)| {
        let line = rest.split(',').next()?.trim().parse().ok()?;
        Some((text.to_owned(), Some(line)))
    });
    place.unwrap_or_else(|| (message.to_owned(), None))
}

fn line_of(span: Span) -> Option<u64> {
    (span.start.line > 0).then_some(span.start.line)
}

struct Looker<'a> {
    dialect: Dialect,
    may_call: &'a [String],
    seen: Seen,
    ctes: Vec<String>,
    unqualified: Vec<(String, Option<u64>)>,
    /// A table function's name, which the parser is about to show as a relation.
    called: Option<ObjectName>,
    placeholders: usize,
    refused: Option<Placed>,
}

type Flow = ControlFlow<()>;
const ON: Flow = ControlFlow::Continue(());

impl Looker<'_> {
    fn refuse(&mut self, cause: Cause, line: Option<u64>) -> Flow {
        self.refused.get_or_insert((cause, line));
        ControlFlow::Break(())
    }

    fn unsupported(&mut self, what: &str, line: Option<u64>) -> Flow {
        self.refuse(
            Cause::new(
                FaultCode::Unsupported,
                format!("{what} is not on the list of what is done"),
            )
            .next("write it otherwise, or put it into a view"),
            line,
        )
    }

    fn body(&mut self, body: &SetExpr) -> Flow {
        match body {
            SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::Values(_) => ON,
            SetExpr::SetOperation { left, right, .. } => {
                self.body(left)?;
                self.body(right)
            }
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                self.writes(None)
            }
            SetExpr::Table(_) => self.unsupported("TABLE", None),
        }
    }

    fn writes(&mut self, line: Option<u64>) -> Flow {
        let cause = Cause::new(FaultCode::Write, "the statement would write");
        self.refuse(cause.next("a tool only reads"), line)
    }

    /// The parts of a name, folded as the server folds them.
    fn parts(&self, name: &ObjectName) -> Option<Vec<String>> {
        let part = |part: &ObjectNamePart| match part {
            ObjectNamePart::Identifier(ident) if self.dialect == Dialect::Postgres => {
                Some(folded(ident))
            }
            ObjectNamePart::Identifier(ident) => Some(ident.value.to_lowercase()),
            ObjectNamePart::Function(_) => None,
        };
        name.0.iter().map(part).collect()
    }

    fn function(&mut self, name: &ObjectName) -> Flow {
        let line = line_of(name.span());
        let Some(parts) = self.parts(name) else { return self.unsupported("such a name", line) };
        let whole = parts.join(".");
        let own = match parts.as_slice() {
            [schema, name] if schema == "pg_catalog" && self.dialect == Dialect::Postgres => {
                Some(name)
            }
            [name] => Some(name),
            _ => None,
        };
        if let Some(own) = own.filter(|own| functions::is_listed(self.dialect, own)) {
            self.seen.listed.push(own.clone());
            return ON;
        }
        if parts.len() == 2 && parts[0] != "pg_catalog" && self.may_call.contains(&whole) {
            self.seen.functions.push(whole);
            return ON;
        }
        let shown: String = whole.chars().take(80).collect();
        self.refuse(
            Cause::new(FaultCode::Function, format!("the function {shown:?} is not on the list"))
                .next(
                    "a stable function of the database's own can be named in `functions`, with its \
                     schema; what else it would do, a view can do",
                ),
            line,
        )
    }

    fn relation(&mut self, name: &ObjectName) -> Flow {
        let line = line_of(name.span());
        let Some(parts) = self.parts(name) else { return self.unsupported("such a name", line) };
        if parts.iter().any(|part| is_the_servers(self.dialect, part)) {
            return self.refuse(
                Cause::new(
                    FaultCode::Relation,
                    format!("{:?} is a table of the server's own", parts.join(".")),
                )
                .next("a tool reads tables and views of the database"),
                line,
            );
        }
        match parts.as_slice() {
            [only] => self.unqualified.push((only.clone(), line)),
            [_, _] => self.seen.relations.push(parts.join(".")),
            _ => return self.unsupported("a table of another database", line),
        }
        ON
    }

    /// A name without a schema is a CTE's, or a table of a database that has no schemas.
    fn settle_unqualified(&mut self) {
        for (name, line) in std::mem::take(&mut self.unqualified) {
            if self.ctes.contains(&name) {
                continue;
            }
            if self.dialect == Dialect::Postgres {
                let cause = Cause::new(FaultCode::Relation, format!("{name:?} has no schema"));
                let next = format!("write it with its schema, as in public.{name}");
                let _ = self.refuse(cause.next(next), line);
            }
            self.seen.relations.push(name);
        }
    }

    fn data_type(&mut self, data_type: &DataType, line: Option<u64>) -> Flow {
        let listed = match data_type {
            DataType::Array(
                ArrayElemTypeDef::SquareBracket(inner, _) | ArrayElemTypeDef::Parenthesis(inner),
            ) => return self.data_type(inner, line),
            DataType::Custom(name, _) => {
                self.parts(name).is_some_and(|parts| match parts.as_slice() {
                    [one] => functions::TYPES.contains(&one.as_str()),
                    [schema, one] => {
                        schema == "pg_catalog" && functions::TYPES.contains(&one.as_str())
                    }
                    _ => false,
                })
            }
            DataType::Table(_)
            | DataType::NamedTable { .. }
            | DataType::Regclass
            | DataType::Trigger
            | DataType::AnyType
            | DataType::Struct(..)
            | DataType::Tuple(_)
            | DataType::Nested(_)
            | DataType::Map(..)
            | DataType::Union(_) => false,
            _ => true,
        };
        if listed {
            return ON;
        }
        let shown: String = data_type.to_string().chars().take(80).collect();
        let cause = Cause::new(FaultCode::Type, format!("the type {shown} is not on the list"));
        self.refuse(cause.next("cast to a type of the server's own"), line)
    }

    fn value(&mut self, value: &ValueWithSpan) -> Flow {
        match &value.value {
            Value::Placeholder(_) => self.placeholders += 1,
            Value::Number(..)
            | Value::SingleQuotedString(_)
            | Value::DollarQuotedString(_)
            | Value::NationalStringLiteral(_)
            | Value::HexStringLiteral(_)
            | Value::Boolean(_)
            | Value::Null => {}
            // A text to MySQL, a name to others; MySQL's sql_mode decides.
            Value::DoubleQuotedString(_) => {
                return self.unsupported("a text in double quotes", line_of(value.span));
            }
            _ => return self.unsupported("such a literal", line_of(value.span)),
        }
        ON
    }
}

impl Visitor for Looker<'_> {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> Flow {
        let line = line_of(statement.span());
        match statement {
            Statement::Query(_) => ON,
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) => self.writes(line),
            other => {
                let text = other.to_string();
                let word: String =
                    text.split_whitespace().next().unwrap_or("this").chars().take(30).collect();
                let cause = Cause::new(
                    FaultCode::Statement,
                    format!("{} is no SELECT", word.to_uppercase()),
                );
                self.refuse(cause.next("a tool has one SELECT"), line)
            }
        }
    }

    fn pre_visit_query(&mut self, query: &Query) -> Flow {
        let line = line_of(query.span());
        if let Some(with) = &query.with {
            for cte in &with.cte_tables {
                let name = match self.dialect {
                    Dialect::Postgres => folded(&cte.alias.name),
                    Dialect::MySql | Dialect::Sqlite => cte.alias.name.value.to_lowercase(),
                };
                // Out of its scope the name would be the server's again.
                if is_the_servers(self.dialect, &name) {
                    let cause = Cause::new(
                        FaultCode::Relation,
                        format!("{name:?} is called like a table of the server's own"),
                    );
                    return self.refuse(cause.next("call it otherwise"), line);
                }
                if cte.from.is_some() {
                    return self.unsupported("FROM behind a CTE", line);
                }
                self.ctes.push(name);
            }
        }
        if !query.locks.is_empty() {
            let cause = Cause::new(FaultCode::Lock, "FOR UPDATE and FOR SHARE lock rows");
            return self.refuse(cause.next("a tool only reads"), line);
        }
        if query.for_clause.is_some()
            || query.format_clause.is_some()
            || query.settings.is_some()
            || !query.pipe_operators.is_empty()
        {
            return self.unsupported("a clause of another database", line);
        }
        self.body(&query.body)
    }

    fn pre_visit_select(&mut self, select: &Select) -> Flow {
        let line = line_of(select.span());
        if select.into.is_some() {
            return self.writes(line);
        }
        let odd = select.top.is_some()
            || select.exclude.is_some()
            || select.prewhere.is_some()
            || select.qualify.is_some()
            || select.value_table_mode.is_some()
            || !select.lateral_views.is_empty()
            || !select.connect_by.is_empty()
            || !select.cluster_by.is_empty()
            || !select.distribute_by.is_empty()
            || !select.sort_by.is_empty()
            || !select.optimizer_hints.is_empty()
            || select.select_modifiers.is_some();
        if odd {
            return self.unsupported("a clause of another database", line);
        }
        ON
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> Flow {
        match factor {
            TableFactor::Table { name, args, version, sample, json_path, with_hints, .. } => {
                let line = line_of(name.span());
                if version.is_some()
                    || sample.is_some()
                    || json_path.is_some()
                    || !with_hints.is_empty()
                {
                    return self.unsupported("a table with a clause after it", line);
                }
                if args.is_some() {
                    self.called = Some(name.clone());
                    return self.function(name);
                }
                ON
            }
            TableFactor::Function { name, .. } => self.function(name),
            TableFactor::Derived { sample: None, .. }
            | TableFactor::UNNEST { .. }
            | TableFactor::NestedJoin { .. } => ON,
            _ => self.unsupported("such a table", None),
        }
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> Flow {
        if self.called.take().is_some_and(|called| called == *relation) {
            return ON;
        }
        self.relation(relation)
    }

    fn pre_visit_value(&mut self, value: &ValueWithSpan) -> Flow {
        self.value(value)
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> Flow {
        let line = line_of(expr.span());
        match expr {
            Expr::Function(function) => {
                if function.uses_odbc_syntax
                    || !matches!(function.parameters, FunctionArguments::None)
                {
                    return self.unsupported("such a call", line);
                }
                self.function(&function.name)
            }
            Expr::Cast { data_type, format: None, .. } => self.data_type(data_type, line),
            Expr::TypedString(typed) => self.data_type(&typed.data_type, line),
            Expr::Convert { data_type: Some(data_type), .. } => self.data_type(data_type, line),
            Expr::BinaryOp { op, .. } => match op {
                BinaryOperator::Custom(_)
                | BinaryOperator::PGCustomBinaryOperator(_)
                | BinaryOperator::Assignment => self.unsupported("such an operator", line),
                _ => ON,
            },
            Expr::UnaryOp { op: UnaryOperator::DoubleAt | UnaryOperator::AtDashAt, .. } => {
                self.unsupported("such an operator", line)
            }
            other if is_listed(other) => ON,
            _ => self.unsupported("such an expression", line),
        }
    }
}
