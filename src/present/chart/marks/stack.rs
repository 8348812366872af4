//! Values on top of each other: what is positive upwards from zero, what is negative downwards.

use super::super::figure::Arranged;

/// From where to where each value of each series goes, position by position.
pub(super) fn spans(
    series: &[Vec<Option<f64>>],
    shown: &[bool],
    arranged: Arranged,
) -> Vec<Vec<Option<(f64, f64)>>> {
    let count = series.iter().map(Vec::len).max().unwrap_or(0);
    let mut spans = vec![vec![None; count]; series.len()];
    for i in 0..count {
        let value = |s: usize| series[s].get(i).copied().flatten().filter(|_| shown[s]);
        let whole: f64 = (0..series.len()).filter_map(value).map(f64::abs).sum();
        let (mut up, mut down) = (0.0, 0.0);
        for (s, of) in spans.iter_mut().enumerate() {
            let Some(value) = value(s) else { continue };
            let value = match arranged {
                Arranged::Shares if whole > 0.0 && whole.is_finite() => value / whole,
                Arranged::Shares => continue,
                _ => value,
            };
            let from = match arranged {
                Arranged::Apart => 0.0,
                _ if value < 0.0 => down,
                _ => up,
            };
            let to = (from + value).clamp(-f64::MAX, f64::MAX);
            if value < 0.0 {
                down = to;
            } else {
                up = to;
            }
            of[i] = Some((from, to));
        }
    }
    spans
}
