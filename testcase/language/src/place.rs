//! What a parser knows of the place of a node.

/// What a parser knows of a node beyond its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The number of its kind in the tables. Two with one name may have different numbers.
    pub(crate) symbol: u16,
    /// The state of the parser before it; [`u16::MAX`] where it was of two minds.
    pub(crate) state: u16,
    /// True if it can stand anywhere, as a comment can.
    pub(crate) extra: bool,
}

impl Place {
    pub(crate) fn of(node: &tree_sitter::Node<'_>) -> Self {
        Self { symbol: node.grammar_id(), state: node.parse_state(), extra: node.is_extra() }
    }
}
