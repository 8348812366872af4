//! Which names of columns and outputs say nothing of values.
//!
//! A script can make a column's name from a value: a pivot does nothing else.
//! Where the policy hides values, a name is shown only if it was there before the
//! script looked: written in the code, or a column of a dataset.

use std::collections::HashSet;

use super::{Call, Found, Room};
use crate::store::{ArtifactMeta, Origin};

/// Names that pandas gives by itself.
const COMMON: &[&str] = &[
    "25%",
    "50%",
    "75%",
    "count",
    "freq",
    "index",
    "level_0",
    "level_1",
    "level_2",
    "max",
    "mean",
    "median",
    "min",
    "proportion",
    "size",
    "std",
    "sum",
    "top",
    "unique",
    "value",
    "variable",
];

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Names {
    all: bool,
    columns: HashSet<String>,
    code: String,
}

impl Names {
    /// The names that may be shown of one table.
    pub(crate) fn of(room: &Room, found: &Found, call: &Call) -> Self {
        Self::of_run(room, "", std::slice::from_ref(found), call)
    }

    /// The names that may be shown of what `code` makes of `inputs`.
    pub(crate) fn of_run(room: &Room, code: &str, inputs: &[Found], call: &Call) -> Self {
        let mut names =
            Self { all: !room.policy().hides_values(), code: code.to_owned(), ..Self::default() };
        if names.all {
            return names;
        }
        let mut seen = HashSet::new();
        let mut to_see: Vec<Found> = inputs.to_vec();
        while let Some(found) = to_see.pop() {
            let Some(meta) = &found.meta else {
                names.columns.extend(found.columns().map(str::to_owned));
                continue;
            };
            if let Origin::Python { code, .. } | Origin::Sql { sql: code } = &meta.origin {
                names.code.push('\n');
                names.code.push_str(code);
            }
            for input in &meta.inputs {
                if seen.insert(input.data.clone()) && seen.len() < 200 {
                    // An ancestor that is gone leaves its names unknown: hidden.
                    to_see.extend(room.find(&input.data, call));
                }
            }
        }
        names
    }

    /// The names that may be shown of an artifact by its own record: its name.
    pub(crate) fn of_origin(room: &Room, meta: &ArtifactMeta) -> Self {
        let code = match &meta.origin {
            Origin::Python { code, .. } | Origin::Sql { sql: code } => code.clone(),
            Origin::Import { .. } => String::new(),
        };
        Self { all: !room.policy().hides_values(), columns: HashSet::new(), code }
    }

    /// Whether `name` may be shown.
    pub(crate) fn may_show(&self, name: &str) -> bool {
        self.all
            || self.columns.contains(name)
            || COMMON.contains(&name)
            || (!name.is_empty()
                && ["'", "\""].iter().any(|q| self.code.contains(&format!("{q}{name}{q}"))))
            || self.is_keyword_argument(name)
    }

    /// `name` as it may be shown, `place` being its place among its like.
    pub(crate) fn show(&self, name: &str, place: usize) -> String {
        if self.may_show(name) { name.to_owned() } else { format!("[name {} hidden]", place + 1) }
    }

    // `agg(total=("delay", "sum"))` names a column without quotes.
    fn is_keyword_argument(&self, name: &str) -> bool {
        let identifier = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        identifier
            && self.code.match_indices(name).any(|(at, _)| {
                let before = self.code[..at].chars().next_back();
                let after = self.code[at + name.len()..].trim_start();
                before.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '_')
                    && after.starts_with('=')
                    && !after.starts_with("==")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_from_before_the_run_are_shown() {
        let names = Names {
            all: false,
            columns: HashSet::from(["carrier".to_owned()]),
            code: "df['mean delay'] = 1\ng.agg(total=('x', 'sum'))\nif Smith == 3: pass".to_owned(),
        };
        for shown in ["carrier", "mean delay", "total", "x", "count"] {
            assert!(names.may_show(shown), "{shown}");
        }
        for hidden in ["Smith", "delay", "1", "3", ""] {
            assert!(!names.may_show(hidden), "{hidden}");
        }
        assert_eq!(names.show("Smith", 2), "[name 3 hidden]");
    }

    #[test]
    fn where_values_are_shown_so_is_every_name() {
        assert!(Names { all: true, ..Names::default() }.may_show("Smith"));
    }
}
