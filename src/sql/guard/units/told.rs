//! What is said of units that do not go together.

use datafusion::sql::sqlparser::ast::Statement;

use super::ask::Units;
use super::corrected::{converted, grouped_by};
use super::facts::listed;
use super::finding::{About, Finding, Verb};
use super::mark::Origin;
use crate::sql::error::{Code, SqlError};
use crate::units::Unit;

/// All that a message needs.
pub(super) struct Told<'a> {
    pub finding: &'a Finding,
    pub units: &'a Units,
    pub may_show: bool,
}

impl Told<'_> {
    pub(super) fn message(&self) -> String {
        let Finding { expr, verb, of, about } = self.finding;
        let origins = of.iter().map(|origin| self.origin(origin)).collect::<Vec<_>>().join(", ");
        let what = match about {
            About::Known(one, other) | About::Unclear(one, other) => {
                let shown = self.may_show || of.iter().all(|origin| !origin.of_cells);
                if shown { format!("{one} and {other}") } else { "two units".to_owned() }
            }
            About::Rows { .. } if self.may_show => {
                format!("different units, {}", listed(self.units))
            }
            About::Rows { .. } => format!("{} different units", self.units.len()),
            About::Pair { .. } if self.may_show => {
                let (pair, rows) = &self.units[0];
                format!("{pair} in {rows} row{}", if *rows == 1 { "" } else { "s" })
            }
            About::Pair { .. } => "different units".to_owned(),
        };
        format!("{expr} {} {what}: {origins}", verb.word())
    }

    fn origin(&self, origin: &Origin) -> String {
        let Origin { table, column, evidence, .. } = origin;
        match origin.unit {
            Some(unit) if unit.is_told() && (self.may_show || !origin.of_cells) => {
                format!("{column:?} of {table:?} is {unit} ({evidence})")
            }
            Some(unit) if !unit.is_told() => {
                format!("{column:?} of {table:?} is whole units of money ({evidence})")
            }
            _ => format!("{column:?} of {table:?} has its unit {evidence}"),
        }
    }

    pub(super) fn refusal(&self, statement: &Statement) -> SqlError {
        let table = self.finding.of.first().map_or("table", |origin| origin.table.as_str());
        SqlError::new(Code::Unit, self.message()).next(format!(
            "{}; or, if it is meant, write /* allow: units({table}) */",
            self.instead(statement)
        ))
    }

    /// What to write instead.
    fn instead(&self, statement: &Statement) -> String {
        let told =
            self.finding.of.iter().find_map(|origin| Some((origin, origin.teller.as_deref()?)));
        match (&self.finding.about, self.finding.verb, told) {
            (About::Known(one, other), ..) => self.convert(statement, *one, *other),
            (About::Unclear(..), ..) => {
                "its constant can be a rate or a tax, a discount, a share, \
                and nothing says which: if it is the rate, call the product by its unit in a \
                subquery, as in amount * 1.08 AS amount_usd, or multiply by (SELECT 1.08 AS rate); \
                if it is none, convert by a rate as well"
                    .to_owned()
            }
            (About::Rows { .. }, Verb::Adds, Some((origin, teller))) => {
                let query = grouped_by(statement, origin, teller).unwrap_or_else(|| {
                    let (table, column) = (quoted(&origin.table), quoted(&origin.column));
                    let teller = quoted(teller);
                    format!("SELECT {teller}, sum({column}) FROM {table} GROUP BY {teller}")
                });
                format!("write {query}; or keep one unit with WHERE {} = …", quoted(teller))
            }
            (About::Rows { .. }, Verb::Blends, _) => {
                "give the result a column that says the unit, as in 'USD' AS currency, or convert \
                 to one unit"
                    .to_owned()
            }
            (About::Pair { .. }, _, Some((origin, teller))) => format!(
                "keep the rows whose units are the same with AND {}.{} = …, or convert one of them \
                 by a rate",
                quoted(origin.alias.as_deref().unwrap_or(&origin.table)),
                quoted(teller)
            ),
            _ => "take one unit at a time, or convert to one".to_owned(),
        }
    }

    fn convert(&self, statement: &Statement, one: Unit, other: Unit) -> String {
        let column = |unit: Unit| self.finding.of.iter().find(|origin| origin.unit == Some(unit));
        // Cents become whole units, not the other way round.
        let (one, other) = match one.factor_to(other) {
            Some(factor) if factor > 1.0 && other.is_money() => (other, one),
            _ => (one, other),
        };
        if let (Some(from), Some(_)) = (column(one), column(other))
            && let Some(factor) = one.factor_to(other)
            && let Some(query) = converted(statement, from, factor)
        {
            return format!("write {query}");
        }
        if let (Some(from), Some(to)) = (column(one), column(other))
            && from.table == to.table
        {
            let (a, b, table) = (quoted(&from.column), quoted(&to.column), quoted(&from.table));
            return format!(
                "keep them apart, as in SELECT sum({a}), sum({b}) FROM {table}, or convert one by a \
                 rate, as in {a} * rate"
            );
        }
        "convert one of them first, as in amount * rate, or keep them apart".to_owned()
    }
}

/// A name as it can stand in a query.
pub(super) fn quoted(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}
