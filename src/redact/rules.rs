//! The rules as data: what a rule is, and how it is read.

use regex::Regex;
use serde::Deserialize;

use super::checks::Check;

/// What a rule finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Who has it can do something with it.
    Secret,
    /// It tells of a person.
    Personal,
    /// It tells where a machine is.
    Network,
}

/// The rules that are built in cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// The file is none.
    #[error("the rules for redaction cannot be read: {0}")]
    File(#[from] toml::de::Error),
    /// One pattern is none.
    #[error("the rule {name:?} for redaction has a bad pattern: {cause}")]
    Pattern {
        /// Its name.
        name: String,
        /// Why.
        cause: Box<regex::Error>,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Written>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    kind: Kind,
    pattern: String,
    check: Option<Check>,
}

/// One rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub name: String,
    pub kind: Kind,
    pub pattern: Regex,
    pub check: Option<Check>,
    /// The groups of which one is hidden; none: all that matched is.
    pub hide: Vec<usize>,
}

/// All rules, the more certain first.
#[derive(Debug)]
pub(super) struct Rules(Vec<Rule>);

impl Rules {
    /// Those that are built in.
    pub(super) fn embedded() -> Result<Self, RuleError> {
        let file: File = toml::from_str(include_str!("rules.toml"))?;
        file.rule.into_iter().map(Rule::of).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Rule)> {
        self.0.iter().enumerate()
    }

    pub(super) fn name(&self, rule: usize) -> &str {
        self.0.get(rule).map_or("", |rule| &rule.name)
    }

    pub(super) fn kind(&self, rule: usize) -> Option<Kind> {
        self.0.get(rule).map(|rule| rule.kind)
    }
}

impl Rule {
    fn of(written: Written) -> Result<Self, RuleError> {
        let Written { name, kind, pattern, check } = written;
        let pattern = Regex::new(&pattern)
            .map_err(|cause| RuleError::Pattern { name: name.clone(), cause: Box::new(cause) })?;
        let named = pattern.capture_names().enumerate();
        let hide = named.filter(|(_, name)| name.is_some()).map(|(group, _)| group).collect();
        Ok(Self { name, kind, pattern, check, hide })
    }
}
