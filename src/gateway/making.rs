//! Reads one `[[tool]]`, and finds all that is wrong with it.

use std::ops::Range;
use std::time::Duration;

use toml::Spanned;

use super::Dialect;
use super::fault::{Cause, Fault, FaultCode};
use super::parameter::{self, Parameter};
use super::section::{Returns, ToolSection};
use super::statement::Statement;
use super::tool::{Limits, Tool};
use crate::database::TableName;
use crate::database::config::{SourceSection, Sources};

/// Characters of a tool's name and of its description.
const NAME: usize = 48;
const DESCRIPTION: usize = 1_200;

fn line_at(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}

pub(super) fn fault(text: &str, section: &ToolSection, at: usize, cause: Cause) -> Fault {
    let Cause { code, message, next } = cause;
    Fault { line: line_at(text, at), code, tool: section.name.get_ref().clone(), message, next }
}

/// A tool on its way from the file.
pub(super) struct Making<'a> {
    text: &'a str,
    section: &'a ToolSection,
    faults: Vec<Fault>,
}

impl<'a> Making<'a> {
    /// `text` is the whole file's.
    pub(super) fn of(text: &'a str, section: &'a ToolSection) -> Self {
        Self { text, section, faults: Vec::new() }
    }

    /// The tool, unless something is wrong with it.
    pub(super) fn make(mut self, sources: &Sources) -> (Option<Tool>, Vec<Fault>) {
        self.names();
        let limits = self.limits();
        let (parameters, wrong) = parameter::parameters(self.section);
        let all_made = wrong.is_empty();
        for (cause, span) in wrong {
            self.wrong(span.start, cause);
        }
        let source = self.source(sources);
        let statement = source.and_then(|source| self.statement(source));
        if let (Some(statement), true) = (&statement, all_made) {
            self.match_parameters(statement, &parameters);
        }
        if let Some(statement) = &statement {
            self.match_columns(statement);
        }
        let made = match (source, statement) {
            (Some(source), Some(statement)) if self.faults.is_empty() => Some(Tool {
                section: self.section.clone(),
                line: line_at(self.text, self.section.name.span().start),
                dialect: Dialect::of(&source.place),
                parameters,
                statement,
                limits,
            }),
            _ => None,
        };
        (made, self.faults)
    }

    fn wrong(&mut self, at: usize, cause: Cause) {
        self.faults.push(fault(self.text, self.section, at, cause));
    }

    fn names(&mut self) {
        let (name, description) = (&self.section.name, &self.section.description);
        if !parameter::is_name(name.get_ref(), NAME) {
            let message = format!("{:?} is no tool's name", name.get_ref());
            let next = format!(
                "a name has at most {NAME} small letters, digits and _, and begins with a letter"
            );
            self.wrong(name.span().start, Cause::new(FaultCode::Name, message).next(next));
        }
        let texts = [Some(description), self.section.title.as_ref(), self.section.empty.as_ref()];
        for text in texts.into_iter().flatten() {
            let long = text.get_ref().chars().count() > DESCRIPTION;
            let hidden = text.get_ref().chars().any(|c| c.is_control() && c != '\n');
            if text.get_ref().trim().is_empty() || long || hidden {
                let message =
                    "a text for the model is empty, has control characters, or is too long";
                let next =
                    format!("say in at most {DESCRIPTION} characters what it gives and of what");
                let cause = Cause::new(FaultCode::Description, message).next(next);
                self.wrong(text.span().start, cause);
            }
        }
    }

    fn limits(&mut self) -> Limits {
        let section = self.section;
        let (rows, bytes) = match section.returns.get_ref() {
            Returns::Rows => ((50, 1_000), (8 << 10, 256, 64 << 10)),
            Returns::Artifact => ((1_000_000, 100_000_000), (256 << 20, 1 << 10, 4 << 30)),
        };
        let rows = self.limit("rows", section.rows.as_ref(), rows.0, (1, rows.1));
        let bytes = self.limit("bytes", section.bytes.as_ref(), bytes.0, (bytes.1, bytes.2));
        let time = self.limit("time_ms", section.time_ms.as_ref(), 5_000, (1, 600_000));
        Limits { rows, bytes, time: Duration::from_millis(time) }
    }

    fn limit(
        &mut self,
        key: &str,
        set: Option<&Spanned<i64>>,
        usual: u64,
        (least, most): (u64, u64),
    ) -> u64 {
        let Some(set) = set else { return usual };
        match u64::try_from(*set.get_ref()).ok().filter(|set| (least..=most).contains(set)) {
            Some(number) => number,
            None => {
                let message =
                    format!("{key} = {} is out of its bounds, {least} to {most}", set.get_ref());
                self.wrong(set.span().start, Cause::new(FaultCode::Limit, message));
                usual
            }
        }
    }

    fn source<'s>(&mut self, sources: &'s Sources) -> Option<&'s SourceSection> {
        let wanted = &self.section.source;
        let found = sources.iter().find(|source| source.name.0 == *wanted.get_ref());
        if found.is_none() {
            let known: Vec<&str> = sources.iter().map(|source| source.name.0.as_str()).collect();
            let message = format!("there is no source {:?}", wanted.get_ref());
            let next = match known.is_empty() {
                true => "write a [[source]] with this name".to_owned(),
                false => format!("the sources are {}", known.join(", ")),
            };
            self.wrong(wanted.span().start, Cause::new(FaultCode::Source, message).next(next));
        }
        found
    }

    fn statement(&mut self, source: &SourceSection) -> Option<Statement> {
        let dialect = Dialect::of(&source.place);
        let may_call: Vec<String> = self.may_call();
        let statement = match Statement::of(self.section.sql.get_ref(), dialect, &may_call) {
            Ok(statement) => statement,
            Err((cause, offset)) => {
                let at = self.place_in_sql(offset);
                self.wrong(at, cause);
                return None;
            }
        };
        for relation in &statement.relations {
            let (schema, table) = relation.split_once('.').unwrap_or(("main", relation));
            let table = TableName { schema: schema.to_owned(), table: table.to_owned() };
            if !source.allowed.has(&table) {
                let message =
                    format!("{relation:?} is not among the tables of source {}", source.name);
                let cause = Cause::new(FaultCode::Relation, message)
                    .next("add it to `tables` of the [[source]], or its schema to `schemas`");
                self.wrong(self.section.sql.span().start, cause);
            }
        }
        Some(statement)
    }

    /// The functions of the database's own, each with its schema.
    fn may_call(&mut self) -> Vec<String> {
        let mut may_call = Vec::new();
        for function in &self.section.functions {
            let name = function.get_ref();
            let parts: Vec<&str> = name.split('.').collect();
            let fits = parts.len() == 2
                && parts.iter().all(|part| parameter::is_name(part, 63))
                && !parts[0].starts_with("pg_");
            if fits {
                may_call.push(name.clone());
            } else {
                let message = format!("{name:?} is no function of the database's own");
                let cause = Cause::new(FaultCode::Function, message).next("write schema.name");
                self.wrong(function.span().start, cause);
            }
        }
        may_call
    }

    /// Where a place in the statement is in the file, by its line.
    fn place_in_sql(&self, offset: usize) -> usize {
        let Range { start, end } = self.section.sql.span();
        let raw = self.text.get(start..end).unwrap_or_default();
        let before = self.section.sql.get_ref().get(..offset).unwrap_or_default();
        // A first line break right behind the opening quotes is not part of the text.
        let opening = ["\"\"\"\n", "'''\n", "\"\"\"\r\n", "'''\r\n"];
        let skipped = usize::from(opening.iter().any(|opening| raw.starts_with(opening)));
        let lines = before.matches('\n').count() + skipped;
        start + raw.split_inclusive('\n').take(lines).map(str::len).sum::<usize>()
    }

    /// Each placeholder is a parameter, and each parameter a placeholder.
    fn match_parameters(&mut self, statement: &Statement, parameters: &[Parameter]) {
        let known: Vec<&str> = parameters.iter().flat_map(Parameter::arguments).collect();
        let mut told: Vec<&str> = Vec::new();
        for name in &statement.bound {
            if known.contains(&name.as_str()) || told.contains(&name.as_str()) {
                continue;
            }
            told.push(name);
            let near = crate::nearest::nearest(name, known.iter().copied());
            let message = format!(":{name} is no parameter{}", crate::nearest::hint(&near));
            let offset = self.section.sql.get_ref().find(&format!(":{name}")).unwrap_or(0);
            let at = self.place_in_sql(offset);
            let next = format!("write [tool.parameters.{name}]");
            self.wrong(at, Cause::new(FaultCode::Undeclared, message).next(next));
        }
        for parameter in parameters {
            for argument in parameter.arguments().into_iter().filter(|name| !statement.uses(name)) {
                let written = self.section.parameters.get(&parameter.name);
                let at = written.map_or(0, |written| written.span().start);
                let cause = Cause::new(
                    FaultCode::Unused,
                    format!("the statement does not use :{argument}"),
                )
                .next("leave it out, or use it");
                self.wrong(at, cause);
            }
        }
    }

    /// The columns that leave are columns of the statement, as far as its text says.
    fn match_columns(&mut self, statement: &Statement) {
        if let Some(given) = &statement.columns {
            let mut sorted: Vec<&String> = given.iter().collect();
            sorted.sort();
            if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                let message = format!("the statement gives two columns called {:?}", twice[0]);
                let at = self.section.sql.span().start;
                self.wrong(
                    at,
                    Cause::new(FaultCode::Column, message).next("call them otherwise (AS)"),
                );
            }
        }
        for list in [&self.section.columns, &self.section.totals].into_iter().flatten() {
            let at = list.span().start;
            if list.get_ref().is_empty() {
                self.wrong(at, Cause::new(FaultCode::Column, "no column is named"));
            }
            for (place, name) in list.get_ref().iter().enumerate() {
                let message = match &statement.columns {
                    _ if list.get_ref()[..place].contains(name) => "is named twice",
                    Some(given) if !given.contains(name) => "is no column of the statement",
                    _ => continue,
                };
                self.wrong(at, Cause::new(FaultCode::Column, format!("{name:?} {message}")));
            }
        }
        let both = self.columns_in_both();
        if let Some((name, at)) = both {
            let message = format!("{name:?} is told once, and in each row");
            let cause = Cause::new(FaultCode::Column, message);
            self.wrong(at, cause.next("leave it out of `columns`"));
        }
        if let (Some(totals), Returns::Artifact) =
            (&self.section.totals, self.section.returns.get_ref())
        {
            let cause = Cause::new(FaultCode::Column, "a kept table has no `totals`");
            self.wrong(totals.span().start, cause.next("leave `totals` out"));
        }
    }

    fn columns_in_both(&self) -> Option<(String, usize)> {
        let (columns, totals) = (self.section.columns.as_ref()?, self.section.totals.as_ref()?);
        let name = totals.get_ref().iter().find(|name| columns.get_ref().contains(name))?;
        Some((name.clone(), columns.span().start))
    }
}
