//! A search in groups that grow and shrink, from the end of the list to its front.
//!
//! Later code uses earlier code, so what stands last goes first. A group that can go makes the next one
//! twice as large; one that cannot is cut to a quarter. Size is weight: the tokens that would go. Asked least, or no
//! more than the least, of all searches measured on lists of declarations and statements (`notes/search.md`).

use std::sync::Arc;

use crate::search::{ProposalSearch, Weighted};

/// The bounds of the weights of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupSizes {
    /// No group of less weight is tried.
    pub least: u64,
    /// The first group has the weight of all items divided by this.
    pub first: u64,
}

impl GroupSizes {
    /// From everything to single items.
    pub const ALL: Self = Self { least: 0, first: 1 };
}

/// State of the search: items before `end` are undecided.
#[derive(Clone, Debug)]
pub struct Groups {
    items: Arc<[u32]>,
    /// Weight of all items before each, and of all.
    weight_before: Arc<[u64]>,
    end: usize,
    start: usize,
    /// No group of less weight is tried.
    least: u64,
}

impl Groups {
    /// Begins the longest group before `end` of at most a weight, but one item at least. Items are left out that together
    /// are too small to be tried and stand behind one that is too large to go with them.
    fn begin(&mut self, weight: u64) {
        loop {
            let lowest = self.weight_before[self.end].saturating_sub(weight.max(self.least));
            let start = self.weight_before.partition_point(|&before| before < lowest);
            self.start = start.min(self.end.saturating_sub(1));
            if self.end == 0
                || self.weight_before[self.end] - self.weight_before[self.start] >= self.least
            {
                return;
            }
            self.end = self.start;
        }
    }
}

impl ProposalSearch for Groups {
    fn over(items: Vec<Weighted>, sizes: GroupSizes) -> Self {
        let mut weight_before = vec![0];
        let items: Vec<u32> = items
            .into_iter()
            .map(|(item, weight)| {
                weight_before.push(weight_before[weight_before.len() - 1] + weight.max(1));
                item
            })
            .collect();
        let mut groups = Self {
            end: items.len(),
            start: 0,
            least: sizes.least,
            items: items.into(),
            weight_before: weight_before.into(),
        };
        let all = groups.weight_before[groups.end];
        groups.begin(all / sizes.first);
        groups
    }

    fn next(&self) -> &[u32] {
        &self.items[self.start..self.end]
    }

    fn take_verdict(&mut self, interesting: bool) {
        let tried = self.end - self.start;
        let weight = self.weight_before[self.end] - self.weight_before[self.start];
        let next = if interesting {
            self.end = self.start;
            weight * 2
        } else if tried > 1 && weight / 4 >= self.least {
            weight / 4
        } else {
            self.end = self.start;
            weight
        };
        self.begin(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_group_is_smaller_than_the_least() {
        // Two that are large among many that are small.
        let weight = |item: u32| if item % 50 == 20 { 100 } else { 1 };
        let items = (0..100).map(|item| (item, weight(item))).collect();
        let mut search = Groups::over(items, GroupSizes { least: 60, first: 4 });
        let mut tried_groups = Vec::new();
        while !search.next().is_empty() {
            tried_groups.push(search.next().to_vec());
            search.take_verdict(false);
        }
        assert!(
            tried_groups
                .iter()
                .all(|group| group.iter().map(|item| weight(*item)).sum::<u64>() >= 60)
        );
        let large = |tried_groups: &[Vec<u32>], item: u32| {
            tried_groups.iter().any(|group| group.contains(&item))
        };
        assert!(large(&tried_groups, 20) && large(&tried_groups, 70), "{tried_groups:?}");
    }
}
