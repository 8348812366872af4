//! A column in one line, for a reader who pays for each character.
//!
//! ```text
//! dep_delay float64: 2.45% null, 527 distinct, -43 to 1301, mean 12.6391, quartiles -5 -2 11
//! ```
//!
//! What is true of most columns is not said: no nulls, no unit, nothing sensitive.

use serde_json::Value;

use crate::profile::{ColumnProfile, Gaps, Sensitive, UnitFound};

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Detail {
    /// Type, nulls, different values, what is sensitive or mixed.
    Least,
    /// And the range and the mean.
    Range,
    /// And quartiles and the most frequent value.
    Shape,
    /// And the evidence, and three frequent values.
    All,
}

impl Detail {
    /// The most first.
    pub(super) const ALL: [Self; 4] = [Self::All, Self::Shape, Self::Range, Self::Least];

    fn top(self) -> usize {
        match self {
            Self::All => 3,
            Self::Shape => 1,
            Self::Range | Self::Least => 0,
        }
    }
}

/// Characters of a text in a line.
const TEXT: usize = 32;

/// See the module. `name` and `data_type` are as they may be shown.
pub(super) fn line(
    name: &str,
    data_type: &str,
    column: &ColumnProfile,
    rows: u64,
    detail: Detail,
) -> String {
    let mut parts: Vec<String> = Vec::new();
    if column.is_key {
        parts.push("key".to_owned());
    }
    parts.extend(nulls(column.nulls, rows));
    if let Some(distinct) = column.distinct.filter(|_| !column.is_key && column.nulls < rows) {
        let about = if distinct.exact { "" } else { "~" };
        parts.push(format!("{about}{} distinct", distinct.count));
    }
    let top = &column.top[..column.top.len().min(detail.top())];
    let is_text = column.min.as_ref().is_some_and(Value::is_string) && column.gaps.is_none();
    if detail >= Detail::Range && (top.is_empty() || !is_text || data_type != "text") {
        parts.extend(range(column));
        parts.extend(column.mean.map(|mean| format!("mean {}", short(mean))));
    }
    if let Some(quartiles) = column.quartiles.filter(|_| detail >= Detail::Shape) {
        let about = if quartiles.exact { "" } else { "~" };
        let values = quartiles.values.map(short).join(" ");
        parts.push(format!("{about}quartiles {values}"));
    }
    // A number's own distribution says more than its three most frequent values.
    if !top.is_empty()
        && (column.quartiles.is_none() || column.distinct.is_some_and(|d| d.count <= 10))
    {
        let top: Vec<String> =
            top.iter().map(|(value, count)| format!("{} {count}", shown(value))).collect();
        parts.push(format!("top {}", top.join(", ")));
    }
    parts.extend(column.gaps.as_ref().filter(|_| detail >= Detail::Range).map(gaps));
    parts.extend(column.unit.as_ref().map(|found| unit(found, detail)));
    parts.extend(column.sensitive.as_ref().map(|found| sensitive(found, detail)));
    let name = if name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty() {
        name.to_owned()
    } else {
        format!("`{name}`")
    };
    match parts.is_empty() {
        true => format!("{name} {data_type}"),
        false => format!("{name} {data_type}: {}", parts.join(", ")),
    }
}

fn nulls(nulls: u64, rows: u64) -> Option<String> {
    if nulls == 0 {
        return None;
    }
    if nulls == rows {
        return Some("all null".to_owned());
    }
    #[allow(clippy::cast_precision_loss, reason = "a share of two digits")]
    let share = nulls as f64 / rows as f64 * 100.0;
    Some(if share < 0.01 {
        format!("{nulls} null")
    } else {
        format!("{}% null", rounded(share, 2))
    })
}

fn range(column: &ColumnProfile) -> Option<String> {
    let (min, max) = (column.min.as_ref()?, column.max.as_ref()?);
    let (least, most) = (shown_end(min, &column.data_type), shown_end(max, &column.data_type));
    // Days that are kept as moments.
    let day = |text: &str| text.strip_suffix("T00:00:00").map(str::to_owned);
    let (least, most) = day(&least).zip(day(&most)).unwrap_or((least, most));
    Some(if least == most { format!("always {least}") } else { format!("{least} to {most}") })
}

/// A value at the end of a range: numbers and times need no quotes.
fn shown_end(value: &Value, data_type: &str) -> String {
    match value {
        Value::String(text) if data_type != "text" && data_type != "category" => cut(text),
        other => shown(other),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{:?}", cut(text)),
        Value::Number(number) => {
            let text = number.to_string();
            text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
        }
        other => other.to_string(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn gaps(found: &Gaps) -> String {
    let rhythm = found.rhythm();
    match &found.longest {
        Some((from, to)) => {
            let Gaps { count, .. } = found;
            let (s, missing) = (if *count == 1 { "" } else { "s" }, found.missing_words());
            format!("{rhythm} with {count} gap{s} ({missing} missing), longest {from} to {to}")
        }
        None => format!("{rhythm} without gaps"),
    }
}

fn unit(found: &UnitFound, detail: Detail) -> String {
    let evidence = match detail {
        Detail::All => format!(" ({})", found.evidence),
        _ => String::new(),
    };
    let named = |key: &String| if key == "?" { "blank".to_owned() } else { key.clone() };
    let units: Vec<String> = match found.units.as_slice() {
        [(one, _)] => vec![named(one)],
        many => many.iter().take(5).map(|(key, count)| format!("{} {count}", named(key))).collect(),
    };
    let more = if found.units.len() > 5 { " …" } else { "" };
    match (found.mixed, units.is_empty()) {
        (true, false) => format!("MIXED UNITS {}{more}{evidence}", units.join(", ")),
        (true, true) => format!("MIXED UNITS{evidence}"),
        (false, false) => format!("unit {}{evidence}", units.join(", ")),
        (false, true) => format!("one unit{evidence}"),
    }
}

fn sensitive(found: &Sensitive, detail: Detail) -> String {
    let by = match (found.by_values, found.by_name) {
        (true, true) => " (by values and name)",
        (true, false) => " (by values)",
        (false, true) => " (by name)",
        (false, false) => " (by what it was made of)",
    };
    let by = if detail == Detail::All { by } else { "" };
    format!("SENSITIVE {}{by}", found.kind.name())
}

fn rounded(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A number in six digits.
fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e15).contains(&size) {
        return format!("{value:.5e}");
    }
    #[allow(clippy::cast_possible_truncation, reason = "between -4 and 15")]
    let whole = size.log10().floor() as i32;
    let text = rounded(value, usize::try_from(5 - whole).unwrap_or(0));
    if text == "-0" { "0".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::profile::{Beat, Distinct, Kind, Quartiles};

    fn column() -> ColumnProfile {
        ColumnProfile {
            name: "x".into(),
            data_type: "float64".into(),
            null_share: 0.0245,
            nulls: 245,
            distinct: Some(Distinct { count: 527, exact: false }),
            is_key: false,
            min: Some(json!(-43.0)),
            max: Some(json!(1301.5)),
            mean: Some(12.639_07),
            quartiles: Some(Quartiles { values: [-5.0, -2.0, 11.25], exact: true }),
            top: Vec::new(),
            gaps: None,
            unit: None,
            sensitive: None,
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_line_says_what_there_is_and_less_where_there_is_less_room() {
        let said =
            |column: &ColumnProfile, detail| line("x", &column.data_type, column, 10_000, detail);
        let number = column();
        assert_eq!(
            said(&number, Detail::All),
            "x float64: 2.45% null, ~527 distinct, -43 to 1301.5, mean 12.6391, quartiles -5 -2 11.25"
        );
        assert_eq!(said(&number, Detail::Least), "x float64: 2.45% null, ~527 distinct");
        let units = vec![("EUR".to_owned(), 2), ("?".to_owned(), 1)];
        let evidence = "by column currency".to_owned();
        let unit = Some(UnitFound { units, evidence, of_cells: true, mixed: true });
        let mixed = ColumnProfile { unit, ..column() };
        assert!(
            said(&mixed, Detail::All).ends_with("MIXED UNITS EUR 2, blank 1 (by column currency)")
        );
        let text = ColumnProfile {
            data_type: "text".into(),
            nulls: 0,
            min: Some(json!("a")),
            max: Some(json!("b")),
            mean: None,
            quartiles: None,
            top: vec![(json!("b"), 7), (json!("a"), 3)],
            ..column()
        };
        assert_eq!(said(&text, Detail::All), "x text: ~527 distinct, top \"b\" 7, \"a\" 3");
        assert_eq!(said(&text, Detail::Range), "x text: ~527 distinct, \"a\" to \"b\"");
        let sensitive = Some(Sensitive { kind: Kind::Mail, by_values: true, by_name: true });
        let mail = ColumnProfile {
            sensitive,
            nulls: 10_000,
            min: None,
            max: None,
            mean: None,
            quartiles: None,
            ..text
        };
        assert_eq!(
            line("e mail", "text", &mail, 10_000, Detail::Shape),
            "`e mail` text: all null, top \"b\" 7, SENSITIVE mail addresses"
        );
    }

    #[test]
    fn gaps_say_the_step_what_is_missing_and_the_longest() {
        let days = ColumnProfile {
            data_type: "date".into(),
            nulls: 0,
            distinct: Some(Distinct { count: 9, exact: true }),
            min: Some(json!("2024-01-01")),
            max: Some(json!("2024-01-20")),
            mean: None,
            quartiles: None,
            gaps: Some(Gaps {
                step: (1, Beat::Day),
                by_day: false,
                count: 2,
                missing: 5,
                longest: Some(("2024-01-03".into(), "2024-01-08".into())),
            }),
            ..column()
        };
        assert_eq!(
            line("x", &days.data_type, &days, 10_000, Detail::All),
            "x date: 9 distinct, 2024-01-01 to 2024-01-20, daily with 2 gaps (5 days missing), longest 2024-01-03 to 2024-01-08"
        );
    }

    #[test]
    fn a_number_has_six_digits() {
        for (value, want) in [
            (0.0, "0"),
            (12.639_07, "12.6391"),
            (168_388.5, "168388"),
            (1_234_567.8, "1234568"),
            (0.000_123_456_7, "0.000123457"),
            (1e-9, "1.00000e-9"),
            (-2.5, "-2.5"),
            (100.0, "100"),
            (0.1 + 0.2, "0.3"),
        ] {
            assert_eq!(short(value), want, "{value}");
        }
    }
}
