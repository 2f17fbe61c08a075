//! Probabilistic delta debugging (Wang et al., ESEC/FSE 2021), on integers.
//!
//! Each item has a probability that it must stay. The group whose removal gains most on average is tried;
//! a refusal makes every item of it more suspect. It is kept to measure other searches against.

use std::sync::Arc;

use clreduce_reducer::search::{GroupSizes, ProposalSearch, Weighted};

/// Probabilities are in millionths.
const ONE: u64 = 1_000_000;

/// Of every item before anything is known, as in the paper.
const INITIAL: u64 = ONE / 10;

/// State of the search.
#[derive(Clone, Debug)]
pub struct Probdd {
    /// Undecided items with the probability that they must stay.
    undecided: Arc<Vec<(u32, u64)>>,
    /// The proposals that are tried now.
    group: Arc<Vec<u32>>,
}

impl ProposalSearch for Probdd {
    fn over(items: Vec<Weighted>, _sizes: GroupSizes) -> Self {
        let items = super::from_the_end(items);
        let undecided = items.into_iter().map(|item| (item, INITIAL)).collect();
        let mut search = Self { undecided: Arc::new(undecided), group: Arc::default() };
        search.choose();
        search
    }

    fn next(&self) -> &[u32] {
        &self.group
    }

    fn take_verdict(&mut self, interesting: bool) {
        let group = Arc::clone(&self.group);
        let undecided = Arc::make_mut(&mut self.undecided);
        let is_tried = |item: &u32| group.binary_search(item).is_ok();
        if interesting || group.len() == 1 {
            undecided.retain(|(item, _)| !is_tried(item));
        } else {
            // Bayes: at least one of them must stay.
            let all_can_go = undecided
                .iter()
                .filter(|(item, _)| is_tried(item))
                .fold(ONE, |product, (_, stays)| product * (ONE - stays) / ONE);
            let one_must_stay = (ONE - all_can_go).max(1);
            for (_, stays) in undecided.iter_mut().filter(|(item, _)| is_tried(item)) {
                *stays = (*stays * ONE / one_must_stay).min(ONE - 1);
            }
        }
        self.choose();
    }
}

impl Probdd {
    /// The least suspect items, as many as gain most on average: number times the chance of success.
    fn choose(&mut self) {
        let mut order: Vec<(u32, u64)> = self.undecided.to_vec();
        order.sort_by_key(|(_, stays)| *stays);
        let (mut can_go, mut best, mut length) = (ONE, 0, 0);
        for (at, (_, stays)) in order.iter().enumerate() {
            can_go = can_go * (ONE - stays) / ONE;
            let gain = can_go * (at as u64 + 1);
            if gain > best {
                (best, length) = (gain, at + 1);
            }
        }
        let length = length.max(usize::from(!order.is_empty()));
        let mut group: Vec<u32> = order[..length].iter().map(|(item, _)| *item).collect();
        group.sort_unstable();
        self.group = Arc::new(group);
    }
}
