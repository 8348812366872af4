//! From `[tool.parameters.NAME]` to a [`Parameter`], or to what is wrong with it.

use std::ops::Range;

use regex::RegexBuilder;
use toml::{Spanned, Value as Toml};

use super::moment::{Span, day, moment};
use super::{CHOICES, Kind, Parameter, TEXT, TextKind, Window};
use crate::gateway::fault::{Cause, FaultCode};
use crate::gateway::section::{KindName, ParameterSection, ToolSection};

/// A cause and where in the file it stands.
type Placed = (Cause, Range<usize>);

/// Characters of an argument's name.
const NAME: usize = 60;

/// A tool's parameters in their order in the file, and what is wrong with them.
pub(in crate::gateway) fn parameters(section: &ToolSection) -> (Vec<Parameter>, Vec<Placed>) {
    let (mut made, mut faults) = (Vec::new(), Vec::new());
    let mut written: Vec<_> = section.parameters.iter().collect();
    written.sort_by_key(|(_, section)| section.span().start);
    let mut taken: Vec<String> = Vec::new();
    for (name, spanned) in written {
        match parameter(name, spanned) {
            Ok(parameter) => {
                for argument in parameter.arguments() {
                    if taken.iter().any(|known| known == argument) {
                        let message = format!("there are two arguments called {argument:?}");
                        faults.push((Cause::new(FaultCode::Collision, message), spanned.span()));
                    }
                    taken.push(argument.to_owned());
                }
                made.push(parameter);
            }
            Err(fault) => faults.push(fault),
        }
    }
    (made, faults)
}

/// Whether something can be called so: `run_id`.
pub(in crate::gateway) fn is_name(name: &str, longest: usize) -> bool {
    name.len() <= longest
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

const NAME_LIKE: &str = "a name has small letters, digits and _, and begins with a letter";

fn parameter(name: &str, spanned: &Spanned<ParameterSection>) -> Result<Parameter, Placed> {
    let section = spanned.get_ref();
    let said = Said { name, section, span: spanned.span() };
    if !is_name(name, NAME) {
        return Err(said.at(
            None,
            Cause::new(FaultCode::Name, format!("{name:?} is no parameter's name")).next(NAME_LIKE),
        ));
    }
    said.only_its_own()?;
    let kind = said.kind()?;
    let default = said.default(&kind)?;
    let required =
        section.required.as_ref().map_or(default.is_none(), |required| *required.get_ref());
    if required && default.is_some() {
        let cause =
            Cause::new(FaultCode::Parameter, format!("{name:?} is required and has a default"));
        return Err(
            said.at(section.required.as_ref().map(Spanned::span), cause.next("leave one out"))
        );
    }
    if !required && matches!(kind, Kind::Window(_)) {
        let cause =
            Cause::new(FaultCode::Parameter, format!("the window {name:?} has to be required"));
        return Err(said.at(section.required.as_ref().map(Spanned::span), cause));
    }
    let description = section.description.clone();
    Ok(Parameter { name: name.to_owned(), description, required, default, kind })
}

/// A parameter as it is written.
struct Said<'a> {
    name: &'a str,
    section: &'a ParameterSection,
    span: Range<usize>,
}

impl Said<'_> {
    fn at(&self, span: Option<Range<usize>>, cause: Cause) -> Placed {
        (cause, span.unwrap_or_else(|| self.span.clone()))
    }

    fn wrong(&self, span: Option<Range<usize>>, message: &str) -> Placed {
        let kind = self.section.kind.get_ref().name();
        self.at(
            span,
            Cause::new(FaultCode::Parameter, format!("{:?} ({kind}) {message}", self.name)),
        )
    }

    /// A key that this type has no use for is a misunderstanding.
    fn only_its_own(&self) -> Result<(), Placed> {
        let section = self.section;
        let own: &[&str] = match section.kind.get_ref() {
            KindName::Uuid => &[],
            KindName::Integer | KindName::Date | KindName::Timestamp => &["min", "max"],
            KindName::Enum => &["values"],
            KindName::Text => &["pattern", "longest"],
            KindName::Window => &["since", "until", "longest"],
        };
        let given = [
            ("min", section.min.as_ref().map(Spanned::span)),
            ("max", section.max.as_ref().map(Spanned::span)),
            ("values", section.values.as_ref().map(Spanned::span)),
            ("pattern", section.pattern.as_ref().map(Spanned::span)),
            ("longest", section.longest.as_ref().map(Spanned::span)),
            ("since", section.since.as_ref().map(Spanned::span)),
            ("until", section.until.as_ref().map(Spanned::span)),
        ];
        match given.into_iter().find(|(key, span)| span.is_some() && !own.contains(key)) {
            Some((key, span)) => Err(self.wrong(span, &format!("has no {key:?}"))),
            None => Ok(()),
        }
    }

    fn kind(&self) -> Result<Kind, Placed> {
        match self.section.kind.get_ref() {
            KindName::Uuid => Ok(Kind::Uuid),
            KindName::Integer => self.integer(),
            KindName::Enum => self.choices(),
            KindName::Date => {
                let (least, most) =
                    self.range("a date like \"2026-01-31\"", |value| match value {
                        Toml::String(text) => day(text),
                        Toml::Datetime(date) if date.time.is_none() => day(&date.to_string()),
                        _ => None,
                    })?;
                Ok(Kind::Date(least, most))
            }
            KindName::Timestamp => {
                let (least, most) =
                    self.range("a moment like \"2026-01-31T09:00:00Z\"", |value| match value {
                        Toml::String(text) => moment(text),
                        Toml::Datetime(at) => moment(&at.to_string()),
                        _ => None,
                    })?;
                Ok(Kind::Timestamp(least, most))
            }
            KindName::Window => self.window(),
            KindName::Text => self.text(),
        }
    }

    fn integer(&self) -> Result<Kind, Placed> {
        let (least, most) = self.range("a whole number", Toml::as_integer)?;
        match (least, most) {
            (Some(least), Some(most)) => Ok(Kind::Integer(least, most)),
            _ => Err(self.wrong(None, "needs \"min\" and \"max\"")),
        }
    }

    /// `min` and `max`, the one not above the other.
    fn range<T: PartialOrd>(
        &self,
        like: &str,
        read: impl Fn(&Toml) -> Option<T>,
    ) -> Result<(Option<T>, Option<T>), Placed> {
        let one =
            |key: &str, written: &Option<Spanned<Toml>>| match written {
                None => Ok(None),
                Some(written) => match read(written.get_ref()) {
                    Some(value) => Ok(Some(value)),
                    None => Err(self
                        .wrong(Some(written.span()), &format!("has a {key:?} that is not {like}"))),
                },
            };
        let (least, most) = (one("min", &self.section.min)?, one("max", &self.section.max)?);
        match (&least, &most) {
            (Some(low), Some(high)) if low > high => {
                let span = self.section.max.as_ref().map(Spanned::span);
                Err(self.wrong(span, "has a \"min\" above its \"max\""))
            }
            _ => Ok((least, most)),
        }
    }

    fn choices(&self) -> Result<Kind, Placed> {
        let Some(values) = &self.section.values else {
            return Err(self.wrong(None, "needs \"values\""));
        };
        let (span, values) = (Some(values.span()), values.get_ref());
        if values.is_empty() || values.len() > CHOICES {
            return Err(self.wrong(span, &format!("needs 1 to {CHOICES} values")));
        }
        let mut sorted: Vec<&String> = values.iter().collect();
        sorted.sort();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(self.wrong(span, "has a value twice"));
        }
        if values.iter().any(|value| value.is_empty() || value.chars().any(char::is_control)) {
            return Err(self.wrong(span, "has a value that is empty or has a control character"));
        }
        Ok(Kind::Enum(values.clone()))
    }

    fn window(&self) -> Result<Kind, Placed> {
        let section = self.section;
        let like = "needs \"longest\", its span, like \"7d\", \"12h\" or \"30m\"";
        let Some(longest) = &section.longest else { return Err(self.wrong(None, like)) };
        let span = longest.get_ref().as_str().and_then(Span::parse);
        let longest = span.ok_or_else(|| self.wrong(Some(longest.span()), like))?;
        let name = |written: &Option<Spanned<String>>, usual: &str| match written {
            None => Ok(usual.to_owned()),
            Some(written) if is_name(written.get_ref(), NAME) => Ok(written.get_ref().clone()),
            Some(written) => Err(self.at(
                Some(written.span()),
                Cause::new(
                    FaultCode::Name,
                    format!("{:?} is no argument's name", written.get_ref()),
                )
                .next(NAME_LIKE),
            )),
        };
        let (since, until) = (name(&section.since, "since")?, name(&section.until, "until")?);
        if since == until {
            return Err(self.wrong(None, "has one name for both of its ends"));
        }
        Ok(Kind::Window(Window { since, until, longest }))
    }

    fn text(&self) -> Result<Kind, Placed> {
        let (Some(pattern), Some(longest)) = (&self.section.pattern, &self.section.longest) else {
            return Err(self.wrong(None, "needs \"pattern\" and \"longest\""));
        };
        let most = longest.get_ref().as_integer().and_then(|most| u64::try_from(most).ok());
        let Some(most) = most.filter(|most| (1..=TEXT).contains(most)) else {
            let message = format!("has a \"longest\" that is not from 1 to {TEXT} characters");
            return Err(self.wrong(Some(longest.span()), &message));
        };
        let written = pattern.get_ref();
        let whole = RegexBuilder::new(&format!(r"\A(?:{written})\z")).size_limit(1 << 20).build();
        // Parsed alone first: `a)|(b` would be whole only between our own brackets.
        let alone = RegexBuilder::new(written).size_limit(1 << 20).build();
        match (whole, alone) {
            (Ok(pattern), Ok(_)) => {
                Ok(Kind::Text(TextKind { written: written.clone(), pattern, longest: most }))
            }
            _ => {
                Err(self.wrong(Some(pattern.span()), "has a pattern that is no regular expression"))
            }
        }
    }

    /// The default as JSON, which the parameter itself has to take.
    fn default(&self, kind: &Kind) -> Result<Option<serde_json::Value>, Placed> {
        let Some(written) = &self.section.default else { return Ok(None) };
        let fault = |message: String| {
            self.at(Some(written.span()), Cause::new(FaultCode::Default, message))
        };
        if matches!(kind, Kind::Window(_)) {
            return Err(fault(format!("the window {:?} can have no default", self.name)));
        }
        let value = match written.get_ref() {
            Toml::String(text) => text.clone().into(),
            Toml::Integer(number) => (*number).into(),
            Toml::Datetime(date) => date.to_string().into(),
            _ => {
                return Err(fault(format!(
                    "the default of {:?} is of no type it takes",
                    self.name
                )));
            }
        };
        match kind.value(self.name, &value) {
            Ok(_) => Ok(Some(value)),
            Err(error) => Err(fault(format!("the default: {}", error.message))),
        }
    }
}
