//! Searches: ways to explore a list of proposals.
//!
//! A search works on integers alone. It says which items to try together, and takes the verdict on them. It knows
//! nothing of patches or programs.

mod groups;
mod halves;
mod one_by_one;

pub use groups::{GroupSizes, Groups};
pub use halves::Halves;
pub use one_by_one::OneByOne;

/// An item of a list and its weight: how many tokens would go with it.
pub type Weighted = (u32, u64);

/// A way to explore a list of proposals. A clone is cheap, because large data are shared.
pub trait ProposalSearch: Clone + Send {
    /// Begins a search over items in the order of the list.
    #[must_use]
    fn over(items: Vec<Weighted>, sizes: GroupSizes) -> Self;

    /// Returns the items to try next, together. When the search is over, there are none. The items stay the same
    /// until [`take_verdict`](Self::take_verdict) is called.
    #[must_use]
    fn next(&self) -> &[u32];

    /// Takes the verdict on the items of [`next`](Self::next): whether the program is still interesting without them.
    fn take_verdict(&mut self, interesting: bool);
}
