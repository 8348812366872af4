//! Floats: sums that lose nothing, and what is no number.

use serde_json::Value;

use super::show::finite;

#[derive(Default)]
pub(super) struct Floats {
    least: Option<f64>,
    most: Option<f64>,
    sum: f64,
    /// What `sum` has lost (Neumaier).
    lost: f64,
    nan: u64,
    infinite: u64,
}

impl Floats {
    /// Adds a value; the value to be counted, unless it is no number.
    pub(super) fn add(&mut self, value: f64) -> Option<f64> {
        if value.is_nan() {
            self.nan += 1;
            return None;
        }
        // 0.0 and -0.0 are one value.
        let value = value + 0.0;
        self.least = Some(self.least.map_or(value, |l| l.min(value)));
        self.most = Some(self.most.map_or(value, |m| m.max(value)));
        if value.is_infinite() {
            self.infinite += 1;
            return Some(value);
        }
        let sum = self.sum + value;
        self.lost += if self.sum.abs() >= value.abs() {
            (self.sum - sum) + value
        } else {
            (value - sum) + self.sum
        };
        self.sum = sum;
        Some(value)
    }

    pub(super) fn extremes(
        &self,
        name: &str,
        values: u64,
        notes: &mut Vec<String>,
    ) -> (Option<Value>, Option<Value>, Option<f64>) {
        if self.nan > 0 {
            notes.push(format!(
                "{name} holds {} NaN (not a number, not missing), left out of its statistics",
                self.nan
            ));
        }
        let count = values - self.nan;
        let mut mean = None;
        if self.infinite > 0 {
            notes.push(format!("{name} holds {} infinite values: no mean", self.infinite));
        } else if count > 0 {
            #[allow(clippy::cast_precision_loss, reason = "the mean is a float")]
            let value = (self.sum + self.lost) / count as f64;
            mean = value.is_finite().then_some(value);
            if mean.is_none() {
                notes.push(format!("{name}: the sum is too large for a mean"));
            }
        }
        (self.least.map(finite), self.most.map(finite), mean)
    }
}
