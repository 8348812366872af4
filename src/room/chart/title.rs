//! What a chart is called if nobody says: what it shows, in the words of its columns.

use super::{ChartKind, ChartRequest};

/// Characters of a column's name.
const NAME: usize = 48;
/// Columns that are named one by one.
const NAMED: usize = 3;

/// The title that was asked for, or one of the chart's columns.
pub(super) fn of(request: &ChartRequest) -> String {
    if let Some(title) = request.title.as_deref().map(str::trim).filter(|title| !title.is_empty()) {
        return title.to_owned();
    }
    let name = |name: &Option<String>| name.as_deref().map(short).unwrap_or_default();
    let x = name(&request.x);
    let values: Vec<&String> = request.y.iter().chain(&request.lines).collect();
    let values = match values.as_slice() {
        [] => "Number of rows".to_owned(),
        all if all.len() > NAMED => format!("{} columns", all.len()),
        all => listed(&all.iter().map(|name| short(name)).collect::<Vec<_>>()),
    };
    let title = match request.kind {
        ChartKind::Scatter => format!("{values} against {x}"),
        ChartKind::Histogram => format!("Distribution of {x}"),
        ChartKind::Box if request.x.is_none() => format!("Distribution of {values}"),
        ChartKind::Heatmap => {
            let value = request.value.as_deref().map_or("Number of rows".to_owned(), short);
            let down = request.y.first().map(|name| short(name)).unwrap_or_default();
            format!("{value} by {x} and {down}")
        }
        _ => format!("{values} by {x}"),
    };
    match &request.series {
        Some(series) if title.contains(" by ") => format!("{title} and {}", short(series)),
        Some(series) => format!("{title} by {}", short(series)),
        None => title,
    }
}

fn short(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_says_what_the_chart_shows() {
        let asked = |kind, x: &str, y: &[&str], series: Option<&str>| {
            of(&ChartRequest {
                kind,
                x: (!x.is_empty()).then(|| x.to_owned()),
                y: y.iter().map(|&name| name.to_owned()).collect(),
                series: series.map(str::to_owned),
                ..ChartRequest::default()
            })
        };
        for (kind, x, y, series, expected) in [
            (ChartKind::Bar, "region", &[][..], None, "Number of rows by region"),
            (ChartKind::Bar, "region", &["amount"], None, "amount by region"),
            (ChartKind::Line, "day", &["a", "b"], None, "a and b by day"),
            (ChartKind::Line, "day", &["a", "b", "c", "d"], None, "4 columns by day"),
            (ChartKind::Area, "day", &["a"], Some("region"), "a by day and region"),
            (
                ChartKind::Scatter,
                "weight",
                &["height"],
                Some("sex"),
                "height against weight by sex",
            ),
            (ChartKind::Histogram, "age", &[], Some("sex"), "Distribution of age by sex"),
            (ChartKind::Box, "", &["age"], None, "Distribution of age"),
            (ChartKind::Heatmap, "hour", &["weekday"], None, "Number of rows by hour and weekday"),
        ] {
            assert_eq!(asked(kind, x, y, series), expected);
        }
        let long = "ä".repeat(60);
        assert_eq!(asked(ChartKind::Histogram, &long, &[], None).chars().count(), 16 + 48 + 1);
        let title = Some("  Mine ".to_owned());
        assert_eq!(of(&ChartRequest { title, ..ChartRequest::default() }), "Mine");
    }
}
