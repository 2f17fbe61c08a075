//! The note of a pass that a budget kept from looking at everything.

/// Something that a pass did not look at because there was too much of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// The things that were counted, as a person would say it: "calls of one function".
    pub of: &'static str,
    /// How many of them the pass looks at.
    pub most: usize,
}
