//! How a list of proposals is explored. Searches work on integers alone: which items to try together,
//! and what an answer means for the rest. They know nothing of patches or programs.

mod biggest_first;
mod groups;

pub use biggest_first::BiggestFirst;
pub use groups::Groups;

/// A search over the items of one list.
#[derive(Clone, Debug)]
pub enum Search {
    /// See [`Groups`].
    Groups(Groups),
    /// See [`BiggestFirst`].
    BiggestFirst(BiggestFirst),
}

impl Search {
    /// The items to try next, together; empty when the search is over. Says the same until answered.
    #[must_use]
    pub fn next(&self) -> &[u32] {
        match self {
            Self::Groups(search) => search.next(),
            Self::BiggestFirst(search) => search.next(),
        }
    }

    /// Takes the answer for what [`next`](Self::next) said.
    pub fn answer(&mut self, interesting: bool) {
        match self {
            Self::Groups(search) => search.answer(interesting),
            Self::BiggestFirst(search) => search.answer(interesting),
        }
    }
}
