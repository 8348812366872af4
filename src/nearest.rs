//! The known names nearest to one that is not known: every "unknown name" error
//! ends with them, because a model (or a person) that sees the right spelling
//! needs no second look at the list.
//!
//! The measure is the optimal string alignment distance (an insertion, a
//! deletion, a substitution or a swap of neighbours costs one), blind to case
//! and to the difference between ` `, `-` and `_`. A name that contains the
//! wanted one, or is contained in it, counts as near however long it is.

/// How many names are offered.
const OFFERED: usize = 3;

/// Longer names are compared by their beginning: the cost is quadratic.
const COMPARED: usize = 128;

/// Up to three of `known` that `wanted` may have meant, the nearest first; equal
/// ones in alphabetical order.
#[must_use]
pub fn nearest<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let folded = fold(wanted);
    let mut near: Vec<(usize, &str)> =
        known.filter_map(|name| Some((closeness(&folded, &fold(name))?, name))).collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(OFFERED);
    near.into_iter().map(|(_, name)| name).collect()
}

/// The names as the end of an error: `` (nearest: `a`, `b`) ``, or nothing.
#[must_use]
pub fn hint<S: AsRef<str>>(names: &[S]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = names.iter().map(|n| format!("`{}`", n.as_ref())).collect();
    format!(" (nearest: {})", quoted.join(", "))
}

fn fold(name: &str) -> Vec<char> {
    name.chars()
        .flat_map(char::to_lowercase)
        .map(|c| if c == '-' || c == ' ' { '_' } else { c })
        .take(COMPARED)
        .collect()
}

/// `None`: too far to be worth a mention.
fn closeness(wanted: &[char], name: &[char]) -> Option<usize> {
    let (short, long) = if wanted.len() < name.len() { (wanted, name) } else { (name, wanted) };
    if short.is_empty() {
        return None;
    }
    let allowed = (wanted.len() / 3).max(2).min(wanted.len().max(name.len()) - 1);
    let distance = distance(wanted, name);
    if distance <= allowed {
        return Some(distance);
    }
    // Containment ranks after every true near miss.
    let contained = short.len() >= 3 && long.windows(short.len()).any(|part| part == short);
    contained.then_some(COMPARED + long.len() - short.len())
}

fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut before: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    let mut row = vec![0; width];
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..width {
            let substitution = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substitution.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, hint, nearest};

    fn far(a: &str, b: &str) -> usize {
        distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
    }

    #[test]
    fn distances_known_from_the_literature() {
        assert_eq!(far("kitten", "sitting"), 3);
        assert_eq!(far("ca", "abc"), 3); // optimal string alignment, not full Damerau (2)
        assert_eq!(far("teh", "the"), 1);
        assert_eq!(far("", "abc"), 3);
        assert_eq!(far("рейс", "рейсы"), 1);
    }

    #[test]
    fn a_misspelt_name_finds_its_own() {
        let known = ["airlines", "airports", "flights", "planes", "weather"];
        assert_eq!(nearest("flihgts", known.into_iter()), ["flights"]);
        assert_eq!(nearest("airport", known.into_iter()), ["airports"]);
        assert_eq!(nearest("WEATHER", known.into_iter()), ["weather"]);
        assert_eq!(nearest("dep time", ["dep_time", "arr_time"].into_iter())[0], "dep_time");
        assert_eq!(nearest("flights_2013.csv", known.into_iter()), ["flights"]);
    }

    #[test]
    fn what_is_far_is_not_offered() {
        assert!(nearest("orders", ["planes", "weather"].into_iter()).is_empty());
        assert!(nearest("x", ["y"].into_iter()).is_empty());
        assert!(nearest("", ["a"].into_iter()).is_empty());
    }

    #[test]
    fn at_most_three_and_always_in_the_same_order() {
        let known = ["q4", "q3", "q2", "q1", "q11"];
        assert_eq!(nearest("q0", known.into_iter()), ["q1", "q2", "q3"]);
    }

    #[test]
    fn a_hint_is_empty_or_names_them() {
        assert_eq!(hint::<&str>(&[]), "");
        assert_eq!(hint(&["a", "b"]), " (nearest: `a`, `b`)");
    }
}
