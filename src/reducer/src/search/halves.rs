//! A search that keeps one half of a list at a time, as long as one half is enough.
//!
//! Most crashes need one function of many. Where one item of a list is needed, this search finds it with about one test for each
//! halving. It ends when both halves turn out to be needed; what is left then is for a search in groups.

use std::sync::Arc;

use crate::search::Weighted;

/// Refusals in a row after which the search asks whether what it supposes is true.
const DOUBTS: usize = 2;

/// The state of the search: the items of `left` are undecided, the others are not needed.
#[derive(Clone, Debug)]
pub struct Halves {
    items: Arc<[Weighted]>,
    left: (usize, usize),
    /// What is supposed to hold everything that is needed.
    supposed: (usize, usize),
    /// What the current test keeps.
    kept: (usize, usize),
    refusals: usize,
    /// The items that the current test removes.
    group: Vec<u32>,
}

impl Halves {
    /// Begins a search over items in the order of the list.
    #[must_use]
    pub fn new(items: Vec<Weighted>) -> Self {
        let all = (0, items.len());
        let mut search = Self {
            items: items.into(),
            left: all,
            supposed: all,
            kept: all,
            refusals: 0,
            group: Vec::new(),
        };
        search.keep_half();
        search
    }

    /// The items to try next, together; none at the end.
    #[must_use]
    pub fn next(&self) -> &[u32] {
        &self.group
    }

    /// Takes the verdict on the items of [`next`](Self::next).
    pub fn take_verdict(&mut self, interesting: bool) {
        if interesting {
            self.left = self.kept;
            self.supposed = self.kept;
            self.refusals = 0;
            self.keep_half();
        } else if self.kept == self.supposed {
            // More is needed than was supposed.
            self.end();
        } else {
            self.supposed.1 = self.kept.0;
            self.refusals += 1;
            if self.refusals >= DOUBTS || self.supposed.1 - self.supposed.0 == 1 {
                self.keep(self.supposed);
            } else {
                self.keep_half();
            }
        }
    }

    /// The items that are undecided, in the order of the list.
    #[must_use]
    pub fn left(&self) -> &[Weighted] {
        &self.items[self.left.0..self.left.1]
    }

    /// Tries to keep the second half, by weight, of what is supposed to be enough.
    fn keep_half(&mut self) {
        let (from, to) = self.supposed;
        if to - from < 2 {
            self.end();
            return;
        }
        let weight: u64 = self.items[from..to].iter().map(|(_, weight)| weight).sum();
        let mut before = 0;
        let half = self.items[from..to].iter().take_while(|(_, of_item)| {
            before += of_item;
            before * 2 <= weight
        });
        let middle = (from + half.count()).clamp(from + 1, to - 1);
        self.keep((middle, to));
    }

    fn keep(&mut self, kept: (usize, usize)) {
        self.kept = kept;
        let (before, behind) = (self.left.0..kept.0, kept.1..self.left.1);
        self.group = before.chain(behind).map(|index| self.items[index].0).collect();
        if self.group.is_empty() {
            self.end();
        }
    }

    fn end(&mut self) {
        self.group = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The items that are undecided at the end, and the tests.
    fn search(count: u32, needed: &[u32]) -> (Vec<u32>, usize) {
        let mut search =
            Halves::new((0..count).map(|item| (item, 1 + u64::from(item % 3))).collect());
        let mut tests = 0;
        while !search.next().is_empty() {
            tests += 1;
            let interesting = !search.next().iter().any(|item| needed.contains(item));
            search.take_verdict(interesting);
        }
        (search.left().iter().map(|(item, _)| *item).collect(), tests)
    }

    #[test]
    fn one_needed_item_of_many_takes_one_test_for_a_halving() {
        let tests: Vec<usize> = (0..256)
            .map(|needed| {
                let (left, tests) = search(256, &[needed]);
                assert_eq!(left, [needed]);
                tests
            })
            .collect();
        assert!(tests.iter().sum::<usize>() <= 11 * 256, "{}", tests.iter().sum::<usize>());
        assert!(tests.iter().all(|&tests| tests <= 16), "{:?}", tests.iter().max());
    }

    #[test]
    fn it_ends_soon_where_both_halves_are_needed() {
        for needed in [[0, 255], [3, 128], [100, 200]] {
            let (left, tests) = search(256, &needed);
            assert!(needed.iter().all(|item| left.contains(item)));
            assert!(tests <= 12, "{tests}");
        }
        assert_eq!(search(1, &[0]).0, [0]);
        assert_eq!(search(0, &[]).1, 0);
    }
}
