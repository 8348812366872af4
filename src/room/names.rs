//! Which names of columns and outputs say nothing of values.
//!
//! A script can make a column's name from a value: a pivot does nothing else.
//! Where the policy hides values, a name is shown only if it was there before the
//! script looked: written in the code, or a column of a dataset.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef};

use super::{Call, Found, Room};
use crate::store::{ArtifactMeta, Origin};
use crate::type_name::type_name;

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
            let meta = found.meta.as_ref();
            // What was read of a database is called as it is there.
            let made = meta.filter(|meta| !matches!(meta.origin, Origin::Remote(_)));
            let Some(meta) = made else {
                names.columns.extend(found.columns().map(str::to_owned));
                let fields = found.table.schema().fields();
                fields.iter().for_each(|field| names.add_inner(field.data_type()));
                continue;
            };
            if let Origin::Python { code, .. } | Origin::Sql { sql: code } = &meta.origin {
                names.code.push('\n');
                names.code.push_str(code);
            }
            // An ancestor that is gone leaves its names unknown: hidden.
            let inputs: Vec<Option<Found>> =
                meta.inputs.iter().map(|input| room.find(&input.data, call).ok()).collect();
            if matches!(meta.origin, Origin::Tool { .. }) {
                // Its author's, as a dataset's are.
                names.columns.extend(found.columns().map(str::to_owned));
            }
            if matches!(meta.origin, Origin::Sql { .. }) {
                names.add_of_query(&found, &inputs);
            }
            for input in inputs.into_iter().flatten() {
                if seen.insert(input.data.clone()) && seen.len() < 200 {
                    to_see.push(input);
                }
            }
        }
        names
    }

    /// The names that may be shown of an artifact by its own record: its name.
    pub(crate) fn of_origin(room: &Room, meta: &ArtifactMeta) -> Self {
        let code = match &meta.origin {
            Origin::Python { code, .. } | Origin::Sql { sql: code } => code.clone(),
            Origin::Chart { .. } | Origin::Tool { .. } | Origin::Import { .. } => String::new(),
            Origin::Remote(_) => format!("{:?}", meta.name.as_deref().unwrap_or_default()),
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

    /// The name of a type, without what could be a value in it: the names of a
    /// struct's fields, and a time zone that is none.
    pub(crate) fn show_type(&self, data_type: &DataType) -> String {
        if self.all { type_name(data_type) } else { type_name(&self.without_values(data_type)) }
    }

    /// The same for a column of `found`, whose type has this name.
    pub(crate) fn type_of(&self, found: &Found, column: &str, name: &str) -> String {
        match found.table.schema().field_with_name(column) {
            Ok(field) if !self.all => self.show_type(field.data_type()),
            _ => name.to_owned(),
        }
    }

    fn without_values(&self, data_type: &DataType) -> DataType {
        let item = |field: &FieldRef| {
            let data_type = self.without_values(field.data_type());
            Arc::new(field.as_ref().clone().with_data_type(data_type))
        };
        match data_type {
            DataType::Timestamp(unit, Some(zone)) if !is_zone(zone) => {
                DataType::Timestamp(*unit, Some("zone hidden".into()))
            }
            DataType::Struct(fields) => {
                let hidden = |(place, field): (usize, &FieldRef)| {
                    let name = self.show(field.name(), place);
                    Field::new(name, self.without_values(field.data_type()), true)
                };
                DataType::Struct(fields.iter().enumerate().map(hidden).collect())
            }
            DataType::List(field) => DataType::List(item(field)),
            DataType::LargeList(field) => DataType::LargeList(item(field)),
            DataType::FixedSizeList(field, size) => DataType::FixedSizeList(item(field), *size),
            DataType::Map(field, sorted) => DataType::Map(item(field), *sorted),
            other => other.clone(),
        }
    }

    /// A query makes no name from a value: a column is called as its text says, or as
    /// the column of a table is that it was taken from.
    fn add_of_query(&mut self, found: &Found, inputs: &[Option<Found>]) {
        let Some(inputs) = inputs.iter().map(Option::as_ref).collect::<Option<Vec<_>>>() else {
            return;
        };
        let taken: HashSet<&str> = inputs.iter().flat_map(|input| input.columns()).collect();
        // A name that has a name in it says as much: `max(t.Smith)`.
        let says = |name: &str| taken.iter().any(|taken| name.contains(taken));
        let own = found.columns().filter(|name| !says(name)).map(str::to_owned);
        self.columns.extend(own.collect::<Vec<_>>());
    }

    /// Adds the names that the fields within a type have.
    fn add_inner(&mut self, data_type: &DataType) {
        match data_type {
            DataType::Struct(fields) => {
                for field in fields {
                    self.columns.insert(field.name().clone());
                    self.add_inner(field.data_type());
                }
            }
            DataType::List(field)
            | DataType::LargeList(field)
            | DataType::FixedSizeList(field, _)
            | DataType::Map(field, _) => self.add_inner(field.data_type()),
            _ => {}
        }
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

/// Whether this is a time zone's name or an offset, and not a text made from values.
fn is_zone(zone: &str) -> bool {
    let offset = zone.len() == 6
        && zone.starts_with(['+', '-'])
        && zone[1..].bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    offset || zone.parse::<chrono_tz::Tz>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_type_holds_no_value() {
        let names =
            Names { all: false, columns: HashSet::from(["lat".to_owned()]), ..Names::default() };
        let inner = |name: &str| Field::new(name, DataType::Int64, true);
        let place = DataType::Struct(vec![inner("lat"), inner("Smith")].into());
        let shown = names.show_type(&DataType::new_list(place.clone(), true));
        assert_eq!(shown, "list<struct<lat: int64, [name 2 hidden]: int64>>");
        let zoned = |zone: &str| {
            DataType::Timestamp(arrow::datatypes::TimeUnit::Nanosecond, Some(zone.into()))
        };
        assert_eq!(names.show_type(&zoned("Smith/123-45-6789")), "timestamp[ns, zone hidden]");
        assert_eq!(names.show_type(&zoned("Europe/Berlin")), "timestamp[ns, Europe/Berlin]");
        assert_eq!(names.show_type(&zoned("+05:30")), "timestamp[ns, +05:30]");
        let all = Names { all: true, ..Names::default() };
        assert_eq!(all.show_type(&place), type_name(&place));
    }

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
