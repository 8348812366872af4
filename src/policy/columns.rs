//! What of a column's description may be shown.

use super::{Policy, Values, capped_cell};
use crate::profile::ColumnProfile;

impl Policy {
    /// A column's description, as far as it may be shown. A sensitive column shows no value
    /// in any room; how many there are, it does.
    #[must_use]
    pub fn column(&self, mut column: ColumnProfile) -> ColumnProfile {
        let shown = column.sensitive.is_none();
        let extreme = |value| self.extreme(value, &column.data_type).filter(|_| shown);
        (column.min, column.max) = (extreme(column.min), extreme(column.max));
        column.mean = self.mean(column.mean).filter(|_| shown);
        column.quartiles = column.quartiles.filter(|_| shown && !self.hides_values());
        column.gaps = column.gaps.filter(|_| shown && !self.hides_values());
        if !shown || self.shown_values() != Values::Sample {
            column.top.clear();
        }
        let capped = |(value, count)| (capped_cell(value), count);
        column.top = column.top.into_iter().map(capped).collect();
        if let Some(unit) = column.unit.as_mut()
            && unit.of_cells
            && self.shown_values() != Values::Sample
        {
            unit.units.clear();
        }
        column
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::profile::{Beat, Distinct, Gaps, Kind, Quartiles, Sensitive, UnitFound};

    fn column() -> ColumnProfile {
        ColumnProfile {
            name: "amount".into(),
            data_type: "int64".into(),
            null_share: 0.0,
            nulls: 0,
            distinct: Some(Distinct { count: 2, exact: true }),
            is_key: false,
            min: Some(json!(101)),
            max: Some(json!(102)),
            mean: Some(103.0),
            quartiles: Some(Quartiles { values: [104.0; 3], exact: true }),
            top: vec![(json!(105), 9), (json!(106), 1)],
            gaps: Some(Gaps {
                step: (1, Beat::Day),
                by_day: false,
                count: 1,
                missing: 1,
                longest: Some(("107".into(), "109".into())),
            }),
            unit: Some(UnitFound {
                units: vec![("EUR".into(), 1)],
                evidence: "by column currency".into(),
                of_cells: true,
                mixed: false,
            }),
            sensitive: None,
            notes: Vec::new(),
        }
    }

    /// Which of the numbers above are still in it.
    fn left(policy: &Policy, column: ColumnProfile) -> String {
        let shown = format!("{:?}", policy.column(column));
        let numbers = (101..110).filter(|n| shown.contains(&n.to_string()));
        let numbers: Vec<String> = numbers.map(|n| (n % 10).to_string()).collect();
        numbers.concat() + if shown.contains("EUR") { " EUR" } else { "" }
    }

    #[test]
    fn each_policy_shows_what_it_may_and_a_sensitive_column_shows_no_value() {
        let with = |values, min_group| Policy { values, min_group, ..Policy::default() };
        assert_eq!(left(&with(Values::Sample, 0), column()), "12345679 EUR");
        // An extreme and a most frequent value can be one row's.
        assert_eq!(left(&with(Values::Sample, 5), column()), "");
        assert_eq!(left(&with(Values::Aggregates, 0), column()), "123479");
        assert_eq!(left(&with(Values::None, 0), column()), "");
        let kind = Kind::Phone;
        let sensitive = Some(Sensitive { kind, by_values: true, by_name: false });
        let column = ColumnProfile { sensitive, ..column() };
        assert_eq!(left(&with(Values::Sample, 0), column), " EUR");
    }
}
