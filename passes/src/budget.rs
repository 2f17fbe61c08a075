//! Limits on what a pass looks at, so that a large program does not cost the square of its size.

/// A limit of one pass. A pass that leaves something out because of it says so with
/// [`Proposals`](crate::Proposals).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget {
    /// The things that are counted, as a person would say it: "calls of one function".
    pub of: &'static str,
    /// The number of them that the pass looks at.
    pub most: usize,
}

impl Budget {
    pub(crate) const fn new(of: &'static str, most: usize) -> Self {
        Self { of, most }
    }
}
