//! Gaps in time: days without rows, where rows come in a rhythm.
//!
//! The rhythm is the median of the steps between two days that have rows: 1 for daily
//! data, 7 for weekly, 28 to 31 for monthly. A step more than half as long again is a gap.

use serde::{Deserialize, Serialize};

/// Fewer days with rows have no rhythm.
const DAYS: usize = 4;

/// Days without rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gaps {
    /// The usual step from one day with rows to the next, in days.
    pub step: i64,
    /// Longer steps.
    pub count: usize,
    /// The longest of them: the days before and after it, counted from 1970-01-01.
    pub longest: Option<(i64, i64)>,
}

/// The gaps between days, which are in order and each once.
pub(super) fn gaps(days: &[i64]) -> Option<Gaps> {
    if days.len() < DAYS {
        return None;
    }
    let mut steps: Vec<i64> = days.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_unstable();
    let step = steps[steps.len() / 2];
    let longer = days.windows(2).filter(|pair| (pair[1] - pair[0]) * 2 > step * 3);
    let mut found = Gaps { step, count: 0, longest: None };
    for pair in longer {
        found.count += 1;
        let longest = found.longest.map_or(0, |(from, to)| to - from);
        if pair[1] - pair[0] > longest {
            found.longest = Some((pair[0], pair[1]));
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_a_step_longer_than_the_rhythm() {
        let longest = |from, to| Some((from, to));
        for (days, want) in [
            ((0..30).collect::<Vec<_>>(), Gaps { step: 1, count: 0, longest: None }),
            (
                (0..10).chain(12..20).chain(25..30).collect(),
                Gaps { step: 1, count: 2, longest: longest(19, 25) },
            ),
            ((0..20).map(|week| week * 7).collect(), Gaps { step: 7, count: 0, longest: None }),
            (
                vec![0, 31, 59, 90, 120, 181, 212],
                Gaps { step: 31, count: 1, longest: longest(120, 181) },
            ),
        ] {
            assert_eq!(gaps(&days), Some(want), "{days:?}");
        }
        assert_eq!(gaps(&[0, 1, 9]), None, "no rhythm");
    }
}
