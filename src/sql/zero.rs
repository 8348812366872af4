//! Why a query gave no rows.
//!
//! An empty answer looks like a finding. Most often it is a filter that means something
//! else than its author: a year that is text, `eur` where the table has `EUR`, a Latin
//! letter for a Cyrillic one. So the filter at the top of the plan is taken apart: what
//! each condition alone leaves of the rows below it, and, where one alone leaves
//! none and compares a column with a constant, what there is in the column instead,
//! the nearest first. Values are told only where the policy shows them.

use std::collections::BTreeSet;

use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::{Column, Result as EngineResult, ScalarValue};
use datafusion::functions_aggregate::expr_fn::{count, max, min};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    BinaryExpr, Expr, LogicalPlan, LogicalPlanBuilder, Operator, lit, when,
};

use super::engine::Bound;
use super::error::SqlError;
use super::guard::Measure;
use super::sensitive::sensitive_column;
use super::translate::{Phase, translate};
use super::warn::shown;
use crate::nearest::nearest;
use crate::profile::{Kind, sensitive_kind};

/// Conditions that are looked at.
const CONDITIONS: usize = 8;
/// Different values of a column that are looked at for near ones.
const VALUES: usize = 5_000;
/// Near values that are told.
const TOLD: usize = 5;

/// What to say of a plan that gave no rows.
pub(super) async fn explain(
    plan: &LogicalPlan,
    may_show: bool,
    measure: &Measure<'_>,
) -> Result<Vec<String>, SqlError> {
    let Some(filter) = filter_of(plan) else { return Ok(empty_tables(plan, measure)) };
    let conditions: Vec<&Expr> =
        split_conjunction(&filter.predicate).into_iter().take(CONDITIONS).collect();
    let below = &filter.input;
    let mut counts = vec![count(lit(1)).alias("rows")];
    for (at, condition) in conditions.iter().enumerate() {
        let kept = when((*condition).clone(), lit(1)).end().map_err(|error| planning(&error))?;
        counts.push(count(kept).alias(format!("kept{at}")));
    }
    let plan = aggregated(below, counts).map_err(|error| planning(&error))?;
    let counted = measure.numbers(&plan).await?;
    let Some((rows, kept)) = counted.split_first() else { return Ok(Vec::new()) };
    let of = tables(below);
    let is_filtered = measure.tables.iter().any(|bound| bound.is_filtered);
    if *rows == 0 && is_filtered {
        return Ok(vec![asked_elsewhere(&conditions, &of)]);
    }
    if *rows == 0 {
        return Ok(vec![format!("no rows: {of} gives none, before any filter")]);
    }
    let mut told = Vec::new();
    let mut alone = false;
    for (condition, kept) in conditions.iter().zip(kept) {
        if *kept > 0 {
            continue;
        }
        alone = true;
        let mut sentence =
            format!("no rows: {} alone leaves none of the {rows} rows of {of}", shown(condition));
        if let Some(more) = instead(condition, below, may_show, measure).await? {
            sentence.push_str("; ");
            sentence.push_str(&more);
        }
        told.push(sentence);
    }
    if !alone {
        let each =
            conditions.iter().zip(kept).map(|(c, kept)| format!("{} leaves {kept}", shown(c)));
        let each: Vec<String> = each.collect();
        told.push(format!(
            "no rows: of the {rows} rows of {of} {}, but none satisfies all of them",
            each.join(", ")
        ));
    }
    Ok(told)
}

/// The database looked at conditions itself, so what each of them leaves is not known here.
fn asked_elsewhere(conditions: &[&Expr], of: &str) -> String {
    let all: Vec<String> = conditions.iter().map(|condition| shown(condition)).collect();
    format!(
        "no rows: no row of {of} satisfies {}, which its database looked at; without a part of it \
         the query says which part leaves none",
        all.join(" AND ")
    )
}

fn planning(error: &datafusion::common::DataFusionError) -> SqlError {
    translate(error, Phase::Planning)
}

/// The first filter below what keeps an empty input empty.
fn filter_of(plan: &LogicalPlan) -> Option<&datafusion::logical_expr::Filter> {
    match plan {
        LogicalPlan::Filter(filter) => Some(filter),
        LogicalPlan::Aggregate(aggregate) if aggregate.group_expr.is_empty() => None,
        LogicalPlan::Projection(_)
        | LogicalPlan::Sort(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Aggregate(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::Distinct(_) => plan.inputs().first().and_then(|input| filter_of(input)),
        _ => None,
    }
}

fn aggregated(below: &LogicalPlan, counts: Vec<Expr>) -> EngineResult<LogicalPlan> {
    LogicalPlanBuilder::from(below.clone()).aggregate(Vec::<Expr>::new(), counts)?.build()
}

/// The tables below, by name.
fn tables(plan: &LogicalPlan) -> String {
    let mut names = BTreeSet::new();
    names_of(plan, &mut names);
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    if names.is_empty() { "the subquery".to_owned() } else { names.join(" with ") }
}

fn names_of(plan: &LogicalPlan, names: &mut BTreeSet<String>) {
    if let LogicalPlan::TableScan(scan) = plan {
        names.insert(scan.table_name.table().to_owned());
    }
    plan.inputs().into_iter().for_each(|input| names_of(input, names));
}

/// Tables without rows are known without counting.
fn empty_tables(plan: &LogicalPlan, measure: &Measure<'_>) -> Vec<String> {
    let mut names = BTreeSet::new();
    names_of(plan, &mut names);
    let empty = measure.tables.iter().filter(|bound| bound.table.rows() == 0);
    let empty = empty.filter(|bound| names.contains(&bound.name));
    let told = |bound: &Bound| match bound.is_filtered {
        true => format!(
            "no rows: no row of {:?} satisfies the query's conditions on it, which its database \
             looked at",
            bound.name
        ),
        false => format!("no rows: the table {:?} is empty", bound.name),
    };
    empty.map(told).collect()
}

/// What there is in the column that a condition compares with a constant.
async fn instead(
    condition: &Expr,
    below: &LogicalPlan,
    may_show: bool,
    measure: &Measure<'_>,
) -> Result<Option<String>, SqlError> {
    let Some((column, wanted)) = compared(condition) else { return Ok(None) };
    let of = Expr::Column(column.clone());
    let hidden = |kind: Kind| format!("{:?} holds {}: none is shown", column.name, kind.name());
    if let Some(kind) = sensitive_column(&column, below, measure.tables).filter(|_| may_show) {
        return Ok(Some(hidden(kind)));
    }
    if !may_show {
        let different = count(of).alias("n");
        let plan = aggregated(below, vec![different]).map_err(|error| planning(&error))?;
        let values = measure.numbers(&plan).await?;
        let has = values.first().copied().unwrap_or(0);
        return Ok(Some(format!(
            "{:?} has {has} values, which this room's policy hides",
            column.name
        )));
    }
    let Some(wanted) = wanted else {
        let ends = vec![min(of.clone()).alias("lo"), max(of).alias("hi")];
        let plan = aggregated(below, ends).map_err(|error| planning(&error))?;
        let row = measure.texts(&plan, 1).await?;
        let ends = row.first().filter(|row| row.len() == 2 && !row[0].is_empty());
        let values = ends.into_iter().flatten().map(String::as_str);
        if let Some(kind) = sensitive_kind(&column.name, values) {
            return Ok(Some(hidden(kind)));
        }
        return Ok(
            ends.map(|ends| format!("{:?} goes from {} to {}", column.name, ends[0], ends[1]))
        );
    };
    let plan = LogicalPlanBuilder::from(below.clone())
        .filter(of.clone().is_not_null())
        .and_then(|plan| plan.aggregate(vec![of], vec![count(lit(1)).alias("n")]))
        .and_then(|plan| plan.limit(0, Some(VALUES)))
        .and_then(LogicalPlanBuilder::build)
        .map_err(|error| planning(&error))?;
    let rows = measure.texts(&plan, VALUES).await?;
    let known: Vec<&str> = rows.iter().filter_map(|row| row.first()).map(String::as_str).collect();
    if let Some(kind) = sensitive_kind(&column.name, known.iter().copied()) {
        return Ok(Some(hidden(kind)));
    }
    Ok(Some(format!("{:?}: {}", column.name, nearby(&wanted, &known))))
}

/// The values of a column that are near to the one that was asked for, or some.
fn nearby(wanted: &str, known: &[&str]) -> String {
    let mut near: Vec<&str> = alike(wanted, known);
    near.extend(
        nearest(wanted, known.iter().copied())
            .into_iter()
            .filter(|n| !near.contains(n))
            .collect::<Vec<_>>(),
    );
    let why = if near.is_empty() { "it has" } else { "near it there is" };
    if near.is_empty() {
        near = known.iter().copied().take(TOLD).collect();
    }
    near.truncate(TOLD);
    let near: Vec<String> = near.into_iter().map(|value| format!("{:?}", short(value))).collect();
    format!("{why} {}", near.join(", "))
}

fn short(value: &str) -> String {
    value.chars().take(60).collect()
}

/// Values that a reader would take for the wanted one.
fn alike<'a>(wanted: &str, known: &[&'a str]) -> Vec<&'a str> {
    let folded = skeleton(wanted);
    known.iter().copied().filter(|value| skeleton(value) == folded).take(TOLD).collect()
}

/// A text without what the eye does not tell apart: case, blanks, Cyrillic and Greek
/// letters that look like Latin ones.
pub(super) fn skeleton(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}'))
        .flat_map(char::to_lowercase)
        .map(|c| match c {
            'а' | 'α' => 'a',
            'в' | 'β' => 'b',
            'с' => 'c',
            'е' | 'ε' => 'e',
            'н' | 'η' => 'h',
            'і' | 'ι' => 'i',
            'к' | 'κ' => 'k',
            'м' | 'μ' => 'm',
            'ν' => 'v',
            'о' | 'ο' => 'o',
            'р' | 'ρ' => 'p',
            'т' | 'τ' => 't',
            'у' | 'υ' => 'y',
            'х' | 'χ' => 'x',
            other => other,
        })
        .collect()
}

/// A column that is compared with a constant, and the constant if it is a text.
fn compared(condition: &Expr) -> Option<(Column, Option<String>)> {
    let (column, value) = match condition {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) if compares(*op) => {
            let value = constant(right).or_else(|| constant(left))?;
            let column = column(left).or_else(|| column(right))?;
            let equals = matches!(op, Operator::Eq | Operator::LikeMatch | Operator::ILikeMatch);
            (column, value.filter(|_| equals))
        }
        Expr::Like(like) => (column(&like.expr)?, constant(&like.pattern)?),
        Expr::InList(list) => (column(&list.expr)?, constant(list.list.first()?)?),
        Expr::Between(between) => (column(&between.expr)?, None),
        _ => return None,
    };
    Some((column, value))
}

fn compares(op: Operator) -> bool {
    op.supports_propagation() || matches!(op, Operator::LikeMatch | Operator::ILikeMatch)
}

fn column(expr: &Expr) -> Option<Column> {
    match expr {
        Expr::Column(of) => Some(of.clone()),
        Expr::Cast(cast) => column(&cast.expr),
        _ => None,
    }
}

/// A constant; its text, if it is one.
fn constant(expr: &Expr) -> Option<Option<String>> {
    match expr {
        Expr::Literal(value, _) => Some(match value {
            ScalarValue::Utf8(text)
            | ScalarValue::LargeUtf8(text)
            | ScalarValue::Utf8View(text) => {
                text.as_ref().map(|text| text.trim_matches('%').to_owned())
            }
            _ => None,
        }),
        Expr::Cast(cast) => constant(&cast.expr),
        _ => None,
    }
}

impl Measure<'_> {
    /// The rows of a plan as texts; a null is empty.
    pub(super) async fn texts(
        &self,
        plan: &LogicalPlan,
        most: usize,
    ) -> Result<Vec<Vec<String>>, SqlError> {
        let mut rows = Vec::new();
        for batch in self.batches(plan).await? {
            let columns: Vec<_> = batch
                .columns()
                .iter()
                .filter_map(|column| {
                    ArrayFormatter::try_new(column, &FormatOptions::default()).ok()
                })
                .collect();
            for row in 0..batch.num_rows().min(most - rows.len()) {
                rows.push(columns.iter().map(|column| column.value(row).to_string()).collect());
            }
        }
        Ok(rows)
    }

    /// The first row of a plan, all of whose columns are counts.
    pub(super) async fn numbers(&self, plan: &LogicalPlan) -> Result<Vec<u64>, SqlError> {
        let rows = self.texts(plan, 1).await?;
        let first = rows.into_iter().next().unwrap_or_default();
        Ok(first.iter().map(|text| text.parse().unwrap_or(0)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Fixture;

    fn told(sql: &str) -> String {
        let room = Fixture::of_currencies(&["EUR", "EUR", "USD"]);
        let done = room.run(sql).unwrap();
        assert_eq!(done.rows, 0, "{sql}");
        done.planned.warnings.join("\n")
    }

    #[test]
    fn an_empty_answer_says_which_filter_emptied_it_and_what_there_is() {
        let said = told("SELECT * FROM orders WHERE currency = 'eur' AND total > 1");
        assert!(
            said.contains("leaves none of the 3 rows of \"orders\"") && said.contains("\"EUR\""),
            "{said}"
        );
        let said = told("SELECT * FROM orders WHERE currency = 'ЕUR'");
        assert!(said.contains("near it there is \"EUR\""), "a Cyrillic letter: {said}");
        let said = told("SELECT * FROM orders WHERE day > DATE '2030-01-01'");
        assert!(said.contains("goes from 2024-01-01 to 2024-03-01"), "{said}");
        let said = told("SELECT * FROM orders WHERE currency = 'EUR' AND total > 200");
        assert!(
            said.contains("leaves 2")
                && said.contains("leaves 1")
                && said.contains("none satisfies all"),
            "{said}"
        );
        let said =
            told("SELECT currency, count(*) FROM orders WHERE note = 'delta' GROUP BY currency");
        assert!(said.contains("alone leaves none"), "{said}");
    }
}
