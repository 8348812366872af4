//! From what was counted to what is said of a column.

use arrow::datatypes::{DataType, TimeUnit};
use serde_json::{Value, json};

use super::column::{Column, State};
use super::counts::{float_of, number_of};
use super::gaps::{Gaps, gaps};
use super::sensitive::by_name;
use super::show::{cut, decimal, whole};
use super::{ColumnProfile, Quartiles};
use crate::json_integer::json_integer;
use crate::units::words;

/// Frequent values that are kept.
const TOP: usize = 5;
/// Of more different values, none is worth showing by its frequency.
const MANY: u64 = 1_000;

impl Column {
    pub(super) fn finish(mut self, data_type: String, rows: u64) -> ColumnProfile {
        let counted =
            !matches!(self.state, State::Opaque) || matches!(self.data_type, DataType::Null);
        let mut notes = Vec::new();
        let (mut min, mut max, mut mean) = (None, None, None);
        if self.values > 0 {
            (min, max, mean) = self.extremes(&mut notes);
        }
        let may_be_key = matches!(
            self.state,
            State::Int { .. } | State::UInt { .. } | State::Text(_) | State::Decimal { .. }
        );
        // Floats are no keys, and not worth a sort.
        let distinct = counted.then(|| self.counts.distinct(may_be_key));
        let is_key = may_be_key
            && rows > 1
            && distinct.is_some_and(|distinct| distinct.exact && distinct.count == rows);
        let may_be_sensitive = matches!(self.state, State::Text(_))
            || (matches!(self.state, State::Int { .. } | State::UInt { .. })
                && self.data_type.is_integer());
        let named = may_be_sensitive.then(|| by_name(&words(&self.name))).flatten();
        let is_few = distinct.is_some_and(|d| d.exact && d.count <= MANY && d.count < rows);
        ColumnProfile {
            quartiles: self.quartiles(),
            top: if is_few { self.top() } else { Vec::new() },
            gaps: self.gaps(),
            sensitive: may_be_sensitive.then(|| self.judge.verdict(named)).flatten(),
            unit: None,
            name: self.name,
            data_type,
            null_share: if rows == 0 { 0.0 } else { quotient(self.nulls, rows) },
            nulls: self.nulls,
            distinct,
            is_key,
            min,
            max,
            mean,
            notes,
        }
    }

    fn extremes(&self, notes: &mut Vec<String>) -> (Option<Value>, Option<Value>, Option<f64>) {
        match &self.state {
            State::Int { least, most, sum } => {
                let mean = self.data_type.is_integer().then(|| mean(*sum, self.values));
                let shown = |value| Some(whole(value, &self.data_type));
                (shown(*least), shown(*most), mean)
            }
            #[allow(clippy::cast_precision_loss, reason = "the mean is a float")]
            State::UInt { least, most, sum } => {
                let mean = *sum as f64 / self.values as f64;
                (Some(json_integer(*least)), Some(json_integer(*most)), Some(mean))
            }
            State::Float(floats) => floats.extremes(&self.name, self.values, notes),
            State::Decimal { least, most, sum, scale, .. } => {
                let mean = sum.and_then(|sum| decimal(sum, *scale).parse::<f64>().ok());
                #[allow(clippy::cast_precision_loss, reason = "the mean is a float")]
                let mean = mean.map(|sum| sum / self.values as f64).filter(|m| m.is_finite());
                let shown = |value| Some(json!(decimal(value, *scale)));
                (shown(*least), shown(*most), mean)
            }
            State::Text(texts) => {
                (texts.least.as_deref().map(cut), texts.most.as_deref().map(cut), None)
            }
            _ => (None, None, None),
        }
    }

    fn quartiles(&mut self) -> Option<Quartiles> {
        let is_number = match &self.state {
            State::Int { .. } => self.data_type.is_integer(),
            State::UInt { .. } | State::Float(_) => true,
            State::Decimal { fits, .. } => *fits,
            _ => false,
        };
        let (between, exact) = is_number.then(|| self.counts.quartiles()).flatten()?;
        let values = between.map(|(low, high, part)| {
            let (low, high) = (self.float(low), self.float(high));
            if low == high { low } else { low + (high - low) * part }
        });
        values.iter().all(|value| value.is_finite()).then_some(Quartiles { values, exact })
    }

    /// The number that a word stands for.
    #[allow(clippy::cast_precision_loss, reason = "quartiles are floats")]
    fn float(&self, word: u64) -> f64 {
        match &self.state {
            State::Float(_) => float_of(word),
            State::UInt { .. } => word as f64,
            State::Decimal { scale, .. } => number_of(word) as f64 / 10f64.powi(i32::from(*scale)),
            _ => number_of(word) as f64,
        }
    }

    fn top(&self) -> Vec<(Value, u64)> {
        let words = || self.counts.top(TOP).into_iter();
        match &self.state {
            State::Text(texts) => {
                texts.top(&self.counts, TOP).into_iter().map(|(text, n)| (cut(text), n)).collect()
            }
            State::Bool => words().map(|(word, n)| (json!(word == 1), n)).collect(),
            State::Int { .. } if self.data_type.is_integer() => {
                words().map(|(word, n)| (json_integer(number_of(word)), n)).collect()
            }
            State::UInt { .. } => words().map(|(word, n)| (json_integer(word), n)).collect(),
            _ => Vec::new(),
        }
    }

    /// Moments without rows, of dates and moments.
    fn gaps(&self) -> Option<Gaps> {
        let per_second: i64 = match &self.data_type {
            DataType::Date32 => 0,
            DataType::Date64 => 1_000,
            DataType::Timestamp(unit, _) => match unit {
                TimeUnit::Second => 1,
                TimeUnit::Millisecond => 1_000,
                TimeUnit::Microsecond => 1_000_000,
                TimeUnit::Nanosecond => 1_000_000_000,
            },
            _ => return None,
        };
        let mut moments: Vec<i64> = match self.counts.ordered() {
            Some(ordered) => ordered.into_iter().map(|(word, _)| number_of(word)).collect(),
            None => {
                let mut all: Vec<i64> =
                    self.counts.all()?.iter().map(|word| number_of(*word)).collect();
                all.sort_unstable();
                all
            }
        };
        moments.dedup();
        let shown = |value, data_type| match whole(value, data_type) {
            Value::String(text) => Some(text),
            _ => None,
        };
        let show = |value| shown(value, &self.data_type);
        gaps(&moments, per_second, &show, &|day| shown(day, &DataType::Date32))
    }
}

#[allow(clippy::cast_precision_loss, reason = "the mean is a float")]
fn mean(sum: i128, count: u64) -> f64 {
    sum as f64 / count as f64
}

#[allow(clippy::cast_precision_loss, reason = "the share is a float")]
fn quotient(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}
