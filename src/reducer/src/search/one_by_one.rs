//! A search that tries one item after the other, in a given order.
//!
//! It is for proposals that exclude or contain each other (an expression to `0`, to its operand, its operand to `0`).
//! With the largest first, a success settles the small ones inside it.

use std::sync::Arc;

use crate::search::{GroupSizes, ProposalSearch, Weighted};

/// The state of the search: the items before `at` are decided.
#[derive(Clone, Debug)]
pub struct OneByOne {
    items: Arc<[u32]>,
    at: usize,
}

impl OneByOne {
    /// Begins a search over these items, in this order.
    #[must_use]
    pub fn new(items: Vec<u32>) -> Self {
        Self { items: items.into(), at: 0 }
    }
}

impl ProposalSearch for OneByOne {
    fn over(items: Vec<Weighted>, _sizes: GroupSizes) -> Self {
        Self::new(items.into_iter().map(|(item, _)| item).collect())
    }

    fn next(&self) -> &[u32] {
        &self.items[self.at..self.items.len().min(self.at + 1)]
    }

    fn take_verdict(&mut self, _interesting: bool) {
        self.at += 1;
    }
}
