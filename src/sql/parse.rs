//! From text to one statement that only reads.
//!
//! This is the first of two gates. It looks at the statement as it is written, so it
//! can say at which line something stands that is not done here: a statement that
//! is no query, a clause that writes or locks, a function that is not on the list.
//! What it lets through is planned, and the second gate ([`gate`](super::gate)) looks
//! at the plan, in which nothing can hide behind a spelling.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, Function, ObjectName, ObjectNamePart, Query, Select, SetExpr, SetOperator, SetQuantifier,
    Spanned as _, Statement, TableFactor, Value, ValueWithSpan, Visit as _, Visitor,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::parser::{Parser, ParserError};
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};

use super::dialect;
use super::error::{Code, Place, SqlError};
use super::functions;
use super::labels;
use super::scan::{Scanned, place, scan};
use crate::audience::NextStep;

/// A statement that only reads, not yet bound to tables.
#[derive(Debug, Clone)]
pub struct Parsed {
    pub(super) statement: Statement,
    pub(super) comments: Vec<String>,
}

/// Parses a query.
///
/// # Errors
/// It is none, it is too large, or it would do something else than read.
pub fn parse(sql: &str, most_bytes: usize) -> Result<Parsed, SqlError> {
    let Scanned { tokens, comments } = scan(sql, most_bytes)?;
    first_word(&tokens)?;
    let mut parser = Parser::new(&GenericDialect {})
        .with_recursion_limit(1_000)
        .with_tokens_with_locations(tokens);
    let mut statement = parser.parse_statement().map_err(|error| syntax(&error))?;
    // A parser stops where a statement is whole; what follows must be nothing.
    let next = parser.peek_token();
    if next.token != Token::EOF {
        let message = format!("{} is not expected here", next.token);
        return Err(SqlError::new(Code::Syntax, message).at(place(next.span.start)));
    }
    labels::add(&mut statement);
    dialect::translate(&mut statement)?;
    let mut checker = Checker { refused: None };
    let _ = statement.visit(&mut checker);
    match checker.refused {
        Some(refused) => Err(refused),
        None => Ok(Parsed { statement, comments }),
    }
}

/// Statements are known by their first word, also those that this parser has never
/// heard of (`ATTACH`, `PRAGMA`), so that the refusal says what is wrong.
fn first_word(tokens: &[TokenWithSpan]) -> Result<(), SqlError> {
    let Some(first) = tokens.first() else { return Ok(()) };
    let at = place(first.span.start);
    let Token::Word(word) = &first.token else {
        return match first.token {
            Token::LParen => Ok(()),
            _ => Err(SqlError::new(Code::Syntax, format!("{} begins no query", first.token))
                .at(at)
                .next("write one SELECT")),
        };
    };
    match word.keyword {
        Keyword::SELECT | Keyword::WITH | Keyword::VALUES | Keyword::FROM | Keyword::TABLE => {
            Ok(())
        }
        Keyword::EXPLAIN => {
            let rest = tokens.iter().skip(1).position(|token| match &token.token {
                Token::Word(word) => !matches!(word.keyword, Keyword::ANALYZE | Keyword::VERBOSE),
                _ => true,
            });
            match rest {
                Some(skip) if !is_explain(&tokens[skip + 1]) => first_word(&tokens[skip + 1..]),
                _ => Err(not_a_query("EXPLAIN of EXPLAIN", at)),
            }
        }
        Keyword::SHOW => Err(not_a_query("SHOW", at).step(NextStep::ListAll)),
        Keyword::DESCRIBE | Keyword::DESC => {
            Err(not_a_query("DESCRIBE", at).step(NextStep::SeeTable))
        }
        _ => Err(not_a_query(&word.value.to_uppercase(), at)),
    }
}

fn is_explain(token: &TokenWithSpan) -> bool {
    matches!(&token.token, Token::Word(word) if word.keyword == Keyword::EXPLAIN)
}

fn not_a_query(what: &str, at: Option<Place>) -> SqlError {
    let what: String = what.chars().take(40).collect();
    SqlError::new(Code::Statement, format!("{what} is no query: a query only reads"))
        .at(at)
        .next("write one SELECT")
}

pub(super) const NO_AS_OF: &str = "there is no ASOF JOIN";
/// What is written for one; `tests/sql/corpus/joins.slt` holds it against DuckDB's.
pub(super) const AS_OF: &str = "join what came before and keep the last: SELECT * FROM (SELECT t.*, q.price, \
    row_number() OVER (PARTITION BY t.id ORDER BY q.at DESC) AS nth FROM trades AS t LEFT JOIN \
    quotes AS q ON q.symbol = t.symbol AND q.at <= t.at) WHERE nth = 1; of many rows, a \
    script's pandas.merge_asof is faster";

fn syntax(error: &ParserError) -> SqlError {
    match error {
        ParserError::RecursionLimitExceeded => {
            SqlError::new(Code::Nesting, "the query is nested too deeply")
                .next("name the inner parts in a WITH")
        }
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => {
            let (message, at) = split_place(message);
            if message.contains("MATCH_CONDITION") {
                return SqlError::new(Code::Unsupported, NO_AS_OF).at(at).next(AS_OF);
            }
            SqlError::new(Code::Syntax, message).at(at)
        }
    }
}

/// The parser writes the place at the end of its message.
fn split_place(message: &str) -> (String, Option<Place>) {
    let parts = message.rsplit_once(" at Line: ").and_then(|(text, rest)| {
        let (line, column) = rest.split_once(", Column: ")?;
        Some((text, Place { line: line.trim().parse().ok()?, column: column.trim().parse().ok()? }))
    });
    match parts {
        Some((text, at)) => (text.to_owned(), Some(at)),
        None => (message.to_owned(), None),
    }
}

struct Checker {
    refused: Option<SqlError>,
}

type Flow = ControlFlow<()>;

impl Checker {
    fn refuse(&mut self, error: SqlError) -> Flow {
        self.refused.get_or_insert(error);
        ControlFlow::Break(())
    }

    fn refuse_if(&mut self, wrong: Option<(Code, &str)>, at: Option<Place>) -> Flow {
        match wrong {
            Some((code, message)) => self.refuse(SqlError::new(code, message).at(at)),
            None => ControlFlow::Continue(()),
        }
    }
}

impl Visitor for Checker {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> Flow {
        match statement {
            Statement::Query(_) => ControlFlow::Continue(()),
            Statement::Explain {
                statement,
                options: None,
                query_plan: false,
                estimate: false,
                ..
            } if matches!(**statement, Statement::Query(_)) => ControlFlow::Continue(()),
            Statement::Explain { .. } => self.refuse(
                SqlError::new(Code::Statement, "EXPLAIN is done of one query, without options")
                    .next("write EXPLAIN SELECT … or EXPLAIN ANALYZE SELECT …"),
            ),
            Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) => self.refuse(
                SqlError::new(Code::Write, "the query would write: a query only reads")
                    .at(place(statement.span().start)),
            ),
            other => {
                let text = other.to_string();
                let word = text.split_whitespace().next().unwrap_or("this").to_uppercase();
                self.refuse(not_a_query(&word, place(other.span().start)))
            }
        }
    }

    fn pre_visit_query(&mut self, query: &Query) -> Flow {
        let writes = matches!(
            *query.body,
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_)
        );
        let wrong = if keeps_doubles(&query.body) {
            Some((
                Code::Unsupported,
                "INTERSECT ALL and EXCEPT ALL are done of columns that have names: write them in place \
                 of *, each once",
            ))
        } else if query.fetch.is_some() {
            Some((
                Code::Unsupported,
                "FETCH … WITH TIES and PERCENT are not done here: write rank() and QUALIFY",
            ))
        } else if writes {
            Some((Code::Write, "the query would write: a query only reads"))
        } else if !query.locks.is_empty() {
            Some((Code::Write, "FOR UPDATE and FOR SHARE lock rows: a query only reads"))
        } else if query.for_clause.is_some() || query.format_clause.is_some() {
            Some((Code::Unsupported, "FOR XML, FOR JSON and FORMAT are not done here"))
        } else if query.settings.is_some() {
            Some((Code::Statement, "SETTINGS changes settings: a query only reads"))
        } else if !query.pipe_operators.is_empty() {
            Some((Code::Unsupported, "pipes (|>) are not done here: write SELECT … FROM …"))
        } else {
            None
        };
        self.refuse_if(wrong, place(query.span().start))
    }

    fn pre_visit_select(&mut self, select: &Select) -> Flow {
        let wrong = if select.into.is_some() {
            Some((Code::Write, "SELECT INTO makes a table: a query only reads"))
        } else if !select.lateral_views.is_empty() {
            Some((
                Code::Unsupported,
                "LATERAL VIEW is not done here: write CROSS JOIN LATERAL UNNEST(…)",
            ))
        } else if select.top.is_some() {
            Some((Code::Unsupported, "TOP is not done here: write LIMIT at the end"))
        } else if select.prewhere.is_some()
            || !select.connect_by.is_empty()
            || !select.cluster_by.is_empty()
            || !select.distribute_by.is_empty()
            || !select.sort_by.is_empty()
            || select.value_table_mode.is_some()
        {
            Some((
                Code::Unsupported,
                "a clause of another dialect is not done here: write plain SELECT",
            ))
        } else {
            None
        };
        self.refuse_if(wrong, place(select.span().start))
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> Flow {
        match factor {
            TableFactor::Table { name, args: Some(_), .. } | TableFactor::Function { name, .. } => {
                let called = last_part(name);
                if functions::is_table_function(&called) {
                    return ControlFlow::Continue(());
                }
                let error = SqlError::new(
                    Code::TableFunction,
                    format!("{} cannot be read from", quoted(&called)),
                );
                self.refuse(error.at(of_name(name)).next(
                    "name a dataset or a dataRef; generate_series, range and unnest make rows",
                ))
            }
            TableFactor::Table { sample: Some(_), .. }
            | TableFactor::Derived { sample: Some(_), .. } => self.refuse_if(
                Some((
                    Code::Unsupported,
                    "TABLESAMPLE is not done here: a sample gives other numbers each time",
                )),
                None,
            ),
            TableFactor::Table { version, with_hints, partitions, json_path, .. } => {
                let odd = version.is_some()
                    || !with_hints.is_empty()
                    || !partitions.is_empty()
                    || json_path.is_some();
                let wrong = odd.then_some((
                    Code::Unsupported,
                    "a table is named by its name alone, without versions, hints or partitions",
                ));
                self.refuse_if(wrong, None)
            }
            TableFactor::Derived { .. }
            | TableFactor::UNNEST { .. }
            | TableFactor::NestedJoin { .. } => ControlFlow::Continue(()),
            TableFactor::Pivot { .. } | TableFactor::Unpivot { .. } => self.refuse_if(
                Some((
                    Code::Unsupported,
                    "PIVOT and UNPIVOT are not done here: write sum(CASE WHEN … THEN … END)",
                )),
                None,
            ),
            _ => self.refuse_if(
                Some((
                    Code::TableFunction,
                    "only datasets, dataRefs, subqueries and unnest can be read from",
                )),
                None,
            ),
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> Flow {
        match expr {
            Expr::Function(function) => self.function(function),
            Expr::Identifier(name) if name.value.starts_with('@') && name.quote_style.is_none() => {
                self.refuse(variable(&name.value, place(name.span.start)))
            }
            Expr::CompoundIdentifier(parts)
                if parts
                    .first()
                    .is_some_and(|p| p.value.starts_with('@') && p.quote_style.is_none()) =>
            {
                self.refuse(variable(&parts[0].value, place(parts[0].span.start)))
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_value(&mut self, value: &ValueWithSpan) -> Flow {
        match &value.value {
            Value::Placeholder(name) => self.refuse(variable(name, place(value.span.start))),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Checker {
    fn function(&mut self, function: &Function) -> Flow {
        let name = last_part(&function.name);
        let at = of_name(&function.name);
        if function.name.0.len() > 1 {
            let message = format!("{} is in a schema: functions are named alone", quoted(&name));
            return self.refuse(SqlError::new(Code::Function, message).at(at));
        }
        if functions::is_known(&name) {
            return ControlFlow::Continue(());
        }
        let mut error = SqlError::new(
            Code::Function,
            format!("the function {} is not available", quoted(&name)),
        )
        .at(at)
        .near(functions::nearest(&name));
        if let Some(instead) = functions::instead(&name) {
            error = error.next(instead);
        }
        self.refuse(error)
    }
}

/// Whether a set operation has to count doubles, which the engine does by a semi-join.
fn keeps_doubles(body: &SetExpr) -> bool {
    let SetExpr::SetOperation { op, set_quantifier, left, right } = body else { return false };
    let counts = matches!(op, SetOperator::Intersect | SetOperator::Except | SetOperator::Minus)
        && matches!(set_quantifier, SetQuantifier::All | SetQuantifier::AllByName);
    counts || keeps_doubles(left) || keeps_doubles(right)
}

fn variable(name: &str, at: Option<Place>) -> SqlError {
    SqlError::new(
        Code::Variable,
        format!("{} is a variable or a parameter, and there are none", quoted(name)),
    )
    .at(at)
    .next("write the value")
}

/// A name as a message shows it: short, and with nothing that hides.
pub(super) fn quoted(name: &str) -> String {
    let short: String = name.chars().take(60).collect();
    format!("{short:?}")
}

/// The last part of a name, as it counts: what is not quoted, in lower case.
pub(super) fn last_part(name: &ObjectName) -> String {
    match name.0.last() {
        Some(ObjectNamePart::Identifier(ident)) if ident.quote_style.is_some() => {
            ident.value.clone()
        }
        Some(ObjectNamePart::Identifier(ident)) => ident.value.to_lowercase(),
        _ => String::new(),
    }
}

/// Where a name stands.
pub(super) fn of_name(name: &ObjectName) -> Option<Place> {
    match name.0.first() {
        Some(ObjectNamePart::Identifier(ident)) => place(ident.span.start),
        _ => None,
    }
}
