//! Nodes of syntax trees.

use std::ops::Range;

use crate::kind::{NodeField, NodeKind};

/// Index of a node. The root is 0; every descendant has a larger index than its ancestor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// One node of a syntax tree.
#[derive(Clone, Copy, Debug)]
pub struct SyntaxNode {
    /// The grammar's name for it, or the token itself for unnamed nodes such as `","`.
    pub kind: NodeKind,
    /// The name of the field that it fills in its parent, if any.
    pub field: Option<NodeField>,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The parent; the root is its own.
    pub parent: NodeId,
    /// One past the last descendant.
    pub after: NodeId,
    /// Distance from the root.
    pub depth: u32,
    /// True if the grammar names it: tokens like `","` and `"if"` are unnamed.
    pub named: bool,
    /// True if the parser failed here or invented the node.
    pub error: bool,
    /// True if the node is an error or lies inside one, so that its place in the tree is a guess.
    pub damaged: bool,
}

impl SyntaxNode {
    /// The node's bytes.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
