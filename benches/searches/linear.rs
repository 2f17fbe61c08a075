//! A search that tries each item alone, from the end of the list to its front.

use clreduce_reducer::search::{GroupSizes, OneByOne, ProposalSearch, Weighted};

/// The state of the search.
#[derive(Clone, Debug)]
pub struct Linear(OneByOne);

impl ProposalSearch for Linear {
    fn over(items: Vec<Weighted>, _sizes: GroupSizes) -> Self {
        Self(OneByOne::new(super::from_the_end(items)))
    }

    fn next(&self) -> &[u32] {
        self.0.next()
    }

    fn take_verdict(&mut self, interesting: bool) {
        self.0.take_verdict(interesting);
    }
}
