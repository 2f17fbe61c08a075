//! Distances between sets of words and between shares, from 0 (alike) to 1.

use std::collections::BTreeMap;

use clreduce_testcase::ContentHash;

/// A multiset of runs of words, as sorted hashes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bag {
    grams: Vec<u64>,
}

impl Bag {
    /// All runs of one to `longest` words.
    pub(crate) fn of_grams<'a>(words: impl IntoIterator<Item = &'a str>, longest: usize) -> Self {
        let words: Vec<&str> = words.into_iter().collect();
        let runs = (1..=longest).flat_map(|length| words.windows(length));
        let mut grams: Vec<u64> =
            runs.map(|run| ContentHash::of(run.join("\0").as_bytes()).low_bits()).collect();
        grams.sort_unstable();
        Self { grams }
    }

    /// The Jaccard distance: 1 minus the common runs divided by all runs.
    pub(crate) fn distance(&self, other: &Self) -> Option<f64> {
        if self.grams.is_empty() || other.grams.is_empty() {
            return None;
        }
        let (mut a, mut b, mut common) = (0, 0, 0);
        while a < self.grams.len() && b < other.grams.len() {
            let order = self.grams[a].cmp(&other.grams[b]);
            a += usize::from(order.is_le());
            b += usize::from(order.is_ge());
            common += usize::from(order.is_eq());
        }
        let together = self.grams.len() + other.grams.len() - common;
        Some(1.0 - common as f64 / together as f64)
    }
}

/// The shares that named parts have in a whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shares {
    shares: BTreeMap<String, f64>,
}

impl Shares {
    /// The shares of parts.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = (&'a str, u64)>) -> Self {
        let mut shares = BTreeMap::<String, f64>::new();
        for (name, part) in parts {
            *shares.entry(name.to_owned()).or_default() += part as f64;
        }
        let whole: f64 = shares.values().sum();
        shares.values_mut().for_each(|share| *share /= whole.max(1.0));
        Self { shares }
    }

    /// The part of the whole that would have to move to make the shares equal.
    pub(crate) fn distance(&self, other: &Self) -> Option<f64> {
        if self.shares.is_empty() || other.shares.is_empty() {
            return None;
        }
        let of = |shares: &Self, name: &str| shares.shares.get(name).copied().unwrap_or(0.0);
        let more = self.shares.iter().map(|(name, share)| (share - of(other, name)).max(0.0));
        Some(more.sum::<f64>().min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_symmetric_and_between_nothing_and_one() {
        let bag = |text: &'static str| Bag::of_grams(text.split(' '), 2);
        let distance = bag("a b c d").distance(&bag("a b c e")).unwrap();
        assert_eq!(bag("a b c e").distance(&bag("a b c d")), Some(distance));
        assert!((distance - (1.0 - 5.0 / 9.0)).abs() < 1e-9, "{distance}");
        assert_eq!(bag("a b").distance(&bag("a b")), Some(0.0));
        assert_eq!(bag("a b").distance(&bag("c d")), Some(1.0));
        assert_eq!(bag("a b").distance(&Bag::default()), None);
        let shares = Shares::of([("x", 3), ("y", 1), ("z", 0)]);
        let others = Shares::of([("x", 1), ("w", 3)]);
        assert_eq!((shares.distance(&others), others.distance(&shares)), (Some(0.75), Some(0.75)));
    }
}
