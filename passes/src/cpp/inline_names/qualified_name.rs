//! Names with their qualifiers and arguments.

use clreduce_language::{NodeField, NodeId, NodeKind};

use crate::analysis::Unit;

/// A name with what stands around it and belongs to it: `typename a::b<int>::name<char>`.
pub(super) struct QualifiedName {
    /// All of it.
    pub node: NodeId,
    /// The arguments of the name.
    pub arguments: Option<NodeId>,
    /// What stands before the last `::`.
    pub scope: Option<NodeId>,
    /// The place where the qualifier begins.
    start: Option<usize>,
    /// True if `typename` stands before it.
    is_dependent: bool,
}

impl QualifiedName {
    pub(super) fn around(unit: Unit<'_>, name: NodeId) -> Self {
        let tree = unit.tree;
        let is_in = |node: NodeId, field| tree.node(node).field == Some(field);
        let parent_is = |node: NodeId, kind| tree.kind(tree.node(node).parent) == kind;
        let mut node = name;
        let mut arguments = None;
        if is_in(node, NodeField::Name)
            && (parent_is(node, NodeKind::TemplateType)
                || parent_is(node, NodeKind::TemplateFunction))
        {
            node = tree.node(node).parent;
            arguments = tree.field(node, NodeField::Arguments);
        }
        if parent_is(node, NodeKind::DependentName) {
            node = tree.node(node).parent;
        }
        let (mut scope, mut start) = (None, None);
        while is_in(node, NodeField::Name) && parent_is(node, NodeKind::QualifiedIdentifier) {
            node = tree.node(node).parent;
            let outer = tree.field(node, NodeField::Scope);
            scope = scope.or(outer);
            start = outer.map(|outer| tree.range(outer).start);
        }
        let is_dependent = parent_is(node, NodeKind::DependentType);
        if is_dependent {
            node = tree.node(node).parent;
        }
        Self { node, arguments, scope, start, is_dependent }
    }

    /// The text before the name.
    pub(super) fn prefix(&self, unit: Unit<'_>) -> Option<Vec<u8>> {
        let word: &[u8] = if self.is_dependent { b"typename " } else { b"" };
        let scope = self.start?..unit.tree.range(self.scope?).end;
        Some([word, &unit.bytes[scope], b"::"].concat())
    }
}
