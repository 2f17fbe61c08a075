//! How a list of proposals is explored. Searches work on integers alone: which items to try together,
//! and what an answer means for the rest. They know nothing of patches or programs.

mod biggest_first;
mod ddmin;
mod groups;
mod probdd;

pub use biggest_first::BiggestFirst;
pub use ddmin::Ddmin;
pub use groups::{Groups, Sizes};
pub use probdd::Probdd;

/// How proposals are explored that may be tried together. All but the first are there to be measured
/// against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// See [`Groups`].
    #[default]
    Groups,
    /// One after the other.
    Linear,
    /// See [`Ddmin`].
    Ddmin,
    /// See [`Probdd`].
    Probdd,
}

/// A search over the items of one list.
#[derive(Clone, Debug)]
pub enum Search {
    /// See [`Groups`].
    Groups(Groups),
    /// See [`BiggestFirst`].
    BiggestFirst(BiggestFirst),
    /// See [`Ddmin`].
    Ddmin(Ddmin),
    /// See [`Probdd`].
    Probdd(Probdd),
}

impl Search {
    /// A search over items with their weights, in the order of the list.
    #[must_use]
    pub fn over(strategy: Strategy, items: impl Iterator<Item = (u32, u64)>, sizes: Sizes) -> Self {
        let backwards = |items: &mut dyn Iterator<Item = (u32, u64)>| -> Vec<u32> {
            let mut items: Vec<u32> = items.map(|(item, _)| item).collect();
            items.reverse();
            items
        };
        let mut items = items;
        match strategy {
            Strategy::Groups => Self::Groups(Groups::new(items, sizes)),
            Strategy::Linear => Self::BiggestFirst(BiggestFirst::new(backwards(&mut items))),
            Strategy::Ddmin => Self::Ddmin(Ddmin::new(backwards(&mut items))),
            Strategy::Probdd => Self::Probdd(Probdd::new(backwards(&mut items))),
        }
    }

    /// The items to try next, together; empty when the search is over. Says the same until answered.
    #[must_use]
    pub fn next(&self) -> &[u32] {
        match self {
            Self::Groups(search) => search.next(),
            Self::BiggestFirst(search) => search.next(),
            Self::Ddmin(search) => search.next(),
            Self::Probdd(search) => search.next(),
        }
    }

    /// Takes the verdict on the items of [`next`](Self::next).
    pub fn take_verdict(&mut self, interesting: bool) {
        match self {
            Self::Groups(search) => search.take_verdict(interesting),
            Self::BiggestFirst(search) => search.take_verdict(interesting),
            Self::Ddmin(search) => search.take_verdict(interesting),
            Self::Probdd(search) => search.take_verdict(interesting),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a search; `needed` items cannot go. Returns what is left and how often it asked.
    fn run(strategy: Strategy, count: u32, needed: &[u32]) -> (Vec<u32>, usize) {
        let mut search = Search::over(strategy, (0..count).map(|item| (item, 1)), Sizes::ALL);
        let (mut left, mut asked) = ((0..count).collect::<Vec<_>>(), 0);
        while !search.next().is_empty() {
            let group = search.next().to_vec();
            let interesting = !group.iter().any(|item| needed.contains(item));
            if interesting {
                left.retain(|item| !group.contains(item));
            }
            search.take_verdict(interesting);
            asked += 1;
            assert!(asked < 100_000, "it does not end");
        }
        (left, asked)
    }

    #[test]
    fn every_strategy_keeps_exactly_what_is_needed() {
        for strategy in [Strategy::Groups, Strategy::Linear, Strategy::Ddmin, Strategy::Probdd] {
            for needed in [&[][..], &[0], &[7, 8, 500], &[999], &[1, 2, 3, 4, 5, 6, 7, 8, 9]] {
                assert_eq!(run(strategy, 1000, needed).0, needed, "{strategy:?}");
            }
            assert_eq!(run(strategy, 0, &[]), (vec![], 0), "{strategy:?}");
            assert_eq!(run(strategy, 3, &[0, 1, 2]).0, [0, 1, 2], "{strategy:?}");
        }
    }

    #[test]
    fn no_group_is_smaller_than_the_least() {
        // Two that are large among many that are small.
        let weight = |item: u32| if item % 50 == 20 { 100 } else { 1 };
        let items = (0..100).map(|item| (item, weight(item)));
        let mut search = Search::over(Strategy::Groups, items, Sizes { least: 60, first: 4 });
        let mut asked = Vec::new();
        while !search.next().is_empty() {
            asked.push(search.next().to_vec());
            search.take_verdict(false);
        }
        assert!(
            asked.iter().all(|group| group.iter().map(|item| weight(*item)).sum::<u64>() >= 60)
        );
        let large = |asked: &[Vec<u32>], item: u32| asked.iter().any(|group| group.contains(&item));
        assert!(large(&asked, 20) && large(&asked, 70), "{asked:?}");
    }

    #[test]
    fn only_the_linear_one_asks_about_each() {
        assert_eq!(run(Strategy::Linear, 1000, &[500]).1, 1000);
        for (strategy, most) in
            [(Strategy::Groups, 30), (Strategy::Ddmin, 60), (Strategy::Probdd, 200)]
        {
            let asked = run(strategy, 1000, &[500]).1;
            assert!(asked <= most, "{strategy:?}: {asked}");
        }
    }
}
