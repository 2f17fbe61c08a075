//! One proposal after the other, in a given order.
//!
//! For proposals that exclude or contain each other (an expression to `0`, to its operand, its
//! operand to `0`): a large success settles the small ones inside it.

use std::sync::Arc;

/// State of the search: items before `at` are decided.
#[derive(Clone, Debug)]
pub struct BiggestFirst {
    items: Arc<[u32]>,
    at: usize,
}

impl BiggestFirst {
    /// A search over these items, in this order.
    #[must_use]
    pub fn new(items: Vec<u32>) -> Self {
        Self { items: items.into(), at: 0 }
    }

    /// The item to try next.
    #[must_use]
    pub fn next(&self) -> &[u32] {
        &self.items[self.at..self.items.len().min(self.at + 1)]
    }

    /// Takes the verdict on the items of [`next`](Self::next).
    pub fn take_verdict(&mut self, _interesting: bool) {
        self.at += 1;
    }
}
