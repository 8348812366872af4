//! What the engine says of a chart's questions, in the chart's words.
//!
//! The questions are the room's own: their names (`k` for a place, `v` for a value, `data` for
//! the table) say nothing to who asked for a chart, and what to write instead is no SQL.

use crate::sql::{Code, SqlError};

/// A warning in the chart's words; none if it is of the question and not of the data.
pub(super) fn warning(of_question: &str) -> Option<String> {
    if let Some((_, units)) = of_question.split_once(" different units") {
        return Some(format!("different units are drawn together{}", without_table(units)));
    }
    let (_, spelling) = of_question.split_once("groups of k ")?;
    let what = spelling.split("; group by").next().unwrap_or_default();
    match of_question.starts_with("one of the ") {
        true => Some("one of the groups is blank: nobody named it".to_owned()),
        false => Some(format!("groups {what}")),
    }
}

/// Whether two warnings are about the same, so that one of them is enough.
pub(super) fn is_alike(one: &str, other: &str) -> bool {
    let kind = |text: &str| text.split([':', ',']).next().map(str::to_owned);
    kind(one) == kind(other)
}

/// A refusal in the chart's words.
pub(super) fn refusal(mut error: SqlError) -> SqlError {
    if error.code == Code::Unit
        && let Some((_, units)) = error.message.split_once(" different units")
    {
        error.message = format!("the chart would add up different units{}", without_table(units));
        error.next = Some(
            "chart what a query keeps of one unit, or take the column with the units as `x`"
                .to_owned(),
        );
    }
    error
}

fn without_table(text: &str) -> String {
    text.replace(" of \"data\"", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNITS: &str =
        "EUR in 2 rows, USD in 1 row: \"amount\" of \"data\" has its unit by column c";

    #[test]
    fn the_questions_names_do_not_reach_who_asked_for_a_chart() {
        let ranked = format!("max(data.amount) ranks different units, {UNITS}");
        assert_eq!(
            warning(&ranked).as_deref(),
            Some(
                "different units are drawn together, EUR in 2 rows, USD in 1 row: \"amount\" has \
                 its unit by column c"
            )
        );
        let spelled = "groups of k differ only in spelling and may be one: \"M\" and \"m\"; group \
                       by upper(trim(k)), or clean the column first";
        let told = "groups differ only in spelling and may be one: \"M\" and \"m\"";
        assert_eq!(warning(spelled).as_deref(), Some(told));
        assert!(is_alike(told, "groups differ only in spelling and may be one: \"A\" and \"a\""));
        assert_eq!(warning("LIMIT 31 cuts through a tie: 2 rows have the r of the last one"), None);
    }

    #[test]
    fn a_refusal_says_what_to_chart_instead() {
        let error = SqlError::new(Code::Unit, format!("sum(i.v) adds up different units, {UNITS}"));
        let told = refusal(error.next("write SELECT")).to_string();
        assert_eq!(
            told,
            "UNIT: the chart would add up different units, EUR in 2 rows, USD in 1 row: \"amount\" \
             has its unit by column c; chart what a query keeps of one unit, or take the column \
             with the units as `x`"
        );
        let other = SqlError::new(Code::Overflow, "sum(i.v) is too large");
        assert_eq!(refusal(other.clone()), other);
    }
}
