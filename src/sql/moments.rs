//! What a moment looks like as text: `2024-03-31 10:00:00`, as in PostgreSQL and DuckDB.
//!
//! The engine writes a `T` between day and time, so that `CAST(ts AS VARCHAR) LIKE
//! '2024-03-31 1%'` finds nothing, and all digits of a second's fraction by threes. Here the
//! fraction has the digits that it needs, and a moment with a zone the zone's hours (`+00`).
//! The other way round, a time may come without seconds.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray as _, StringArray};
use arrow::compute::cast as cast_array;
use arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    Cast, ColumnarValue, Expr, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, TryCast, Volatility, cast,
};
use datafusion::optimizer::AnalyzerRule;

use super::checked::{of_one, rewrite_plan, type_of};

/// See the module. It comes right after the engine has made types alike.
#[derive(Debug)]
pub(super) struct MomentsAsText;

impl AnalyzerRule for MomentsAsText {
    fn name(&self) -> &'static str {
        "moments_as_text"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up_with_subqueries(|plan| rewrite_plan(plan, settled))?.data)
    }
}

fn settled(mut expr: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let (Expr::Cast(Cast { expr: inner, field }) | Expr::TryCast(TryCast { expr: inner, field })) =
        &mut expr
    else {
        return Transformed::no(expr);
    };
    let way = match (type_of(inner, schema), field.data_type()) {
        (Some(DataType::Timestamp(..)), to) if to.is_string() => Way::ToText,
        (Some(from), DataType::Timestamp(..)) if from.is_string() => {
            // The function takes one kind of text.
            **inner = cast(std::mem::take(inner.as_mut()), DataType::Utf8);
            Way::FromText
        }
        _ => return Transformed::no(expr),
    };
    **inner = way.of(std::mem::take(inner.as_mut()));
    Transformed::yes(expr)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Way {
    ToText,
    FromText,
}

impl Way {
    fn of(self, expr: Expr) -> Expr {
        let signature = Signature::any(1, Volatility::Immutable);
        let func = ScalarUDF::new_from_impl(Moment { way: self, signature });
        Expr::ScalarFunction(ScalarFunction { func: Arc::new(func), args: vec![expr] })
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Moment {
    way: Way,
    signature: Signature,
}

impl ScalarUDFImpl for Moment {
    fn name(&self) -> &str {
        match self.way {
            Way::ToText => "moment_as_text",
            Way::FromText => "text_with_seconds",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let written = match self.way {
            Way::ToText => as_people_write,
            Way::FromText => with_seconds,
        };
        of_one(args.args[0].clone(), |array| {
            let texts = cast_array(&array, &DataType::Utf8)?;
            let texts: StringArray =
                texts.as_string::<i32>().iter().map(|text| text.map(written)).collect();
            Ok(Arc::new(texts) as ArrayRef)
        })
    }
}

/// `2024-01-02T03:04:05.500Z` as `2024-01-02 03:04:05.5+00`.
fn as_people_write(text: &str) -> String {
    let Some((day, time)) = text.split_once('T') else { return text.to_owned() };
    let zone_at = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at(zone_at);
    let clock = match clock.split_once('.') {
        Some((seconds, fraction)) => match fraction.trim_end_matches('0') {
            "" => seconds.to_owned(),
            digits => format!("{seconds}.{digits}"),
        },
        None => clock.to_owned(),
    };
    let zone = if zone == "Z" { "+00" } else { zone.strip_suffix(":00").unwrap_or(zone) };
    format!("{day} {clock}{zone}")
}

/// `2024-01-02 03:04` as `2024-01-02 03:04:00`.
fn with_seconds(text: &str) -> String {
    let trimmed = text.trim();
    let shape: Vec<bool> = trimmed.bytes().map(|byte| byte.is_ascii_digit()).collect();
    let digits =
        |from: usize, to: usize| shape.get(from..to).is_some_and(|all| all.iter().all(|is| *is));
    let bytes = trimmed.as_bytes();
    let is_short = trimmed.len() == 16
        && digits(0, 4)
        && digits(5, 7)
        && digits(8, 10)
        && digits(11, 13)
        && digits(14, 16)
        && bytes[13] == b':'
        && matches!(bytes[10], b' ' | b'T');
    if is_short { format!("{trimmed}:00") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_as_people_write_it() {
        for (engine, ours) in [
            ("2024-01-02T03:04:05", "2024-01-02 03:04:05"),
            ("2024-01-02T03:04:05.500", "2024-01-02 03:04:05.5"),
            ("2024-01-02T03:04:05.000", "2024-01-02 03:04:05"),
            ("2024-01-02T03:04:05.123456", "2024-01-02 03:04:05.123456"),
            ("2024-01-02T03:04:05Z", "2024-01-02 03:04:05+00"),
            ("2024-01-02T03:04:05+05:30", "2024-01-02 03:04:05+05:30"),
            ("2024-01-02T03:04:05-05:00", "2024-01-02 03:04:05-05"),
        ] {
            assert_eq!(as_people_write(engine), ours);
        }
    }

    #[test]
    fn only_a_time_without_seconds_gets_them() {
        for (text, with) in [
            ("2024-01-02 03:04", "2024-01-02 03:04:00"),
            (" 2024-01-02T03:04 ", "2024-01-02T03:04:00"),
            ("2024-01-02 03:04:05", "2024-01-02 03:04:05"),
            ("2024-01-02", "2024-01-02"),
            ("2024-01-02 3:04pm", "2024-01-02 3:04pm"),
            ("zwölf Uhr dreißig", "zwölf Uhr dreißig"),
        ] {
            assert_eq!(with_seconds(text), with);
        }
    }
}
