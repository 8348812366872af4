//! How often each value comes, as long as there are not too many different ones.
//!
//! A value is a word of 64 bits: a number in an order-keeping form, or the hash of a text.
//! Up to [`MOST`] different words each has its count, from which distinct values, the most
//! frequent ones and quartiles follow exactly. Beyond, the words themselves are kept as
//! far as they are needed: all numbers, for their quartiles; hashes only if none has come
//! twice so far, because then the column may be a key. Distinct values that are not worth a
//! sort are estimated ([`Sketch`]).

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};

use super::Distinct;
use super::distinct::Sketch;

/// Different values that are counted.
const MOST: usize = 65_536;
/// Words that are kept; of more, every second, fourth … one.
const KEPT: usize = 16 << 20;

/// What is kept of values beyond [`MOST`] different ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// All, which are numbers.
    Numbers,
    /// All as long as none has come twice.
    Hashes,
}

/// What became of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// The first time.
    New,
    /// Again.
    Known,
    /// Nobody knows: there are too many.
    Beyond,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Counts {
    keep: Keep,
    counts: HashMap<u64, u64, BuildHasherDefault<Spread>>,
    values: u64,
    beyond: Option<Sketch>,
    /// Whether no word had come twice when counting ended.
    was_unique: bool,
    words: Vec<u64>,
    stride: u64,
    /// Whether each word was greater than the one before.
    ascends: bool,
    last: u64,
}

/// A place between two words: the one below, the one above, and how far between them.
pub(super) type Between = (u64, u64, f64);

impl Counts {
    pub(super) fn new(keep: Keep) -> Self {
        Self {
            keep,
            counts: HashMap::default(),
            values: 0,
            beyond: None,
            was_unique: false,
            words: Vec::new(),
            stride: 1,
            ascends: true,
            last: 0,
        }
    }

    pub(super) fn add(&mut self, word: u64) -> Seen {
        self.ascends &= self.values == 0 || word > self.last;
        self.last = word;
        self.values += 1;
        if let Some(sketch) = &mut self.beyond {
            sketch.hash(mixed(word));
            if (self.keep == Keep::Numbers || self.was_unique)
                && self.values.is_multiple_of(self.stride)
            {
                self.keep_word(word);
            }
            return Seen::Beyond;
        }
        let count = self.counts.entry(word).or_insert(0);
        *count += 1;
        if *count > 1 {
            return Seen::Known;
        }
        if self.counts.len() > MOST {
            self.overflow();
        }
        Seen::New
    }

    fn keep_word(&mut self, word: u64) {
        if self.words.len() == KEPT {
            let mut at = 0;
            self.words.retain(|_| {
                at += 1;
                at % 2 == 0
            });
            self.stride *= 2;
        }
        self.words.push(word);
    }

    fn overflow(&mut self) {
        let mut sketch = Sketch::new();
        self.was_unique = self.counts.len() as u64 == self.values;
        for (word, count) in std::mem::take(&mut self.counts) {
            sketch.hash(mixed(word));
            let times = if self.keep == Keep::Numbers { count } else { u64::from(self.was_unique) };
            for _ in 0..times {
                self.keep_word(word);
            }
        }
        self.beyond = Some(sketch);
    }

    /// Whether all words are kept.
    fn has_all(&self) -> bool {
        self.words.len() as u64 == self.values
    }

    /// Different words, while they are counted.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn distinct(&mut self) -> Distinct {
        let Some(sketch) = &self.beyond else {
            return Distinct { count: self.counts.len() as u64, exact: true };
        };
        if self.ascends {
            return Distinct { count: self.values, exact: true };
        }
        if self.was_unique && self.has_all() {
            self.words.sort_unstable();
            let doubles = self.words.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
            return Distinct { count: self.values - doubles, exact: true };
        }
        let Distinct { count, .. } = sketch.count();
        // An estimate may not be more than there are.
        Distinct { count: count.min(self.values), exact: false }
    }

    /// The most frequent words, with their counts; none if there are too many.
    pub(super) fn top(&self, most: usize) -> Vec<(u64, u64)> {
        let mut all: Vec<(u64, u64)> = self.counts.iter().map(|(w, n)| (*w, *n)).collect();
        all.sort_unstable_by_key(|(word, count)| (std::cmp::Reverse(*count), *word));
        all.truncate(most);
        all
    }

    /// All different words in order, with their counts; `None` if there are too many.
    pub(super) fn ordered(&self) -> Option<Vec<(u64, u64)>> {
        if self.beyond.is_some() {
            return None;
        }
        let mut all: Vec<(u64, u64)> = self.counts.iter().map(|(w, n)| (*w, *n)).collect();
        all.sort_unstable();
        Some(all)
    }

    /// Every word, if each was kept.
    pub(super) fn all(&self) -> Option<&[u64]> {
        (self.beyond.is_some() && self.has_all()).then_some(self.words.as_slice())
    }

    /// The quartiles, as pandas has them, and whether of all words.
    pub(super) fn quartiles(&mut self) -> Option<([Between; 3], bool)> {
        if self.keep != Keep::Numbers || self.values == 0 {
            return None;
        }
        if let Some(ordered) = self.ordered() {
            let at = |place: u64| {
                let mut before = 0;
                let found = ordered.iter().find(|(_, count)| {
                    before += count;
                    before > place
                });
                found.map_or(0, |(word, _)| *word)
            };
            return Some((
                places(self.values)
                    .map(|(low, part)| (at(low), at((low + 1).min(self.values - 1)), part)),
                true,
            ));
        }
        let exact = self.has_all();
        let words = self.words.as_mut_slice();
        Some((places(words.len() as u64).map(|(low, part)| between(words, low, part)), exact))
    }
}

/// Where the quartiles of `count` values lie: a place from 0, and the part of the way to
/// the next.
#[allow(clippy::cast_precision_loss, reason = "the part of a way is a float")]
fn places(count: u64) -> [(u64, f64); 3] {
    [1, 2, 3].map(|quarter| {
        let quarters = (count - 1) * quarter;
        (quarters / 4, (quarters % 4) as f64 / 4.0)
    })
}

fn between(words: &mut [u64], low: u64, part: f64) -> Between {
    let at = usize::try_from(low).unwrap_or(0);
    let (_, below, after) = words.select_nth_unstable(at);
    let below = *below;
    (below, after.iter().copied().min().unwrap_or(below), part)
}

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014): different words stay different.
pub(super) fn mixed(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The hash of any other value. Short ones, which are most, are two words.
pub(super) fn hashed(value: &[u8]) -> u64 {
    if value.len() <= 16 {
        let mut bytes = [0u8; 16];
        bytes[..value.len()].copy_from_slice(value);
        let both = u128::from_le_bytes(bytes);
        #[allow(clippy::cast_possible_truncation, reason = "the two halves")]
        let (low, high) = (both as u64, (both >> 64) as u64);
        return mixed(mixed(low ^ value.len() as u64).rotate_left(29) ^ high);
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(value);
    hasher.finish()
}

/// A signed number as a word that keeps its order.
pub(super) fn word_of(value: i64) -> u64 {
    value.cast_unsigned() ^ (1 << 63)
}

/// The number of a word.
pub(super) fn number_of(word: u64) -> i64 {
    (word ^ (1 << 63)).cast_signed()
}

/// A float as a word that keeps its order.
pub(super) fn float_word(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The float of a word.
pub(super) fn float_of(word: u64) -> f64 {
    f64::from_bits(if word >> 63 == 1 { word & !(1 << 63) } else { !word })
}

/// Words are spread by one multiplication.
#[derive(Debug, Default)]
pub(super) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, value: u64) {
        let both = u128::from(value) * 0x9E37_79B9_7F4A_7C15;
        #[allow(clippy::cast_possible_truncation, reason = "folded together")]
        let folded = (both >> 64) as u64 ^ both as u64;
        self.0 = folded;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl Iterator<Item = i64>) -> Counts {
        let mut counts = Counts::new(Keep::Numbers);
        values.for_each(|value| {
            counts.add(word_of(value));
        });
        counts
    }

    fn quartiles(mut counts: Counts) -> [f64; 3] {
        counts.quartiles().unwrap().0.map(|(low, high, part)| {
            let (low, high) = (number_of(low) as f64, number_of(high) as f64);
            low + (high - low) * part
        })
    }

    #[test]
    fn quartiles_are_those_of_pandas_few_and_many() {
        // pd.Series([...]).quantile([.25, .5, .75])
        assert_eq!(quartiles(of([7].into_iter())), [7.0, 7.0, 7.0]);
        assert_eq!(quartiles(of([4, 1, 3, 2].into_iter())), [1.75, 2.5, 3.25]);
        assert_eq!(quartiles(of([-5, -5, 0, 10, 100].into_iter())), [-5.0, 0.0, 10.0]);
        // 200,000 different numbers in no order: (n - 1) * p of 0 … 199,999.
        let many = of((0..200_000).map(|n| n * 7_919 % 200_000));
        assert_eq!(quartiles(many), [49_999.75, 99_999.5, 149_999.25]);
    }

    #[test]
    fn a_key_is_counted_exactly_and_one_double_is_found() {
        let mut key = of((0..200_000).map(|n| n * 7_919 % 200_000));
        assert_eq!(key.distinct(), Distinct { count: 200_000, exact: true });
        let mut ascending = of(0..200_000);
        assert_eq!(ascending.distinct(), Distinct { count: 200_000, exact: true });
        let mut one = of((0..200_000).map(|n| n * 7_919 % 200_000).chain([17]));
        assert_eq!(one.distinct(), Distinct { count: 200_000, exact: true });
        let mut many = of((0..400_000).map(|n| n * 7_919 % 200_000 / 2));
        let found = many.distinct();
        assert!(!found.exact && found.count.abs_diff(100_000) < 3_000, "{found:?}");
    }

    #[test]
    fn words_keep_the_order_of_their_numbers() {
        let floats = [f64::NEG_INFINITY, -1e300, -2.5, -0.0, 0.0, 1e-300, 2.5, f64::INFINITY];
        assert!(floats.windows(2).all(|pair| float_word(pair[0]) <= float_word(pair[1])));
        assert!(floats.iter().all(|value| float_of(float_word(*value)) == *value));
        let whole = [i64::MIN, -1, 0, 1, i64::MAX];
        assert!(whole.windows(2).all(|pair| word_of(pair[0]) < word_of(pair[1])));
        assert!(whole.iter().all(|value| number_of(word_of(*value)) == *value));
    }
}
