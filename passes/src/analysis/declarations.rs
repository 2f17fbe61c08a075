//! Parts of declarations other than their declarators.

use std::ops::Range;

use clreduce_language::{NodeField, NodeId, NodeKind, SyntaxTree};

use super::nodes::with_semicolon;
use super::unit::Unit;

/// The declaration that consists of a type's definition: `struct s { int a; };`, which some places read as a
/// specifier and an empty statement.
pub(crate) fn alone(tree: &SyntaxTree, definition: NodeId) -> Option<Range<usize>> {
    let parent = tree.parent(definition)?;
    let declares = matches!(tree.kind(parent), NodeKind::Declaration | NodeKind::FieldDeclaration);
    match tree.kind(parent) {
        NodeKind::TranslationUnit | NodeKind::CompoundStatement => {
            Some(with_semicolon(tree, definition))
        }
        _ if declares && tree.named_children(parent).count() == 1 => Some(tree.range(parent)),
        _ => None,
    }
}

/// Returns the words before the declarators; `None` where a structure with a body is among them, which declares
/// something itself.
pub(crate) fn words(unit: Unit<'_>, id: NodeId) -> Option<Vec<&[u8]>> {
    let tree = unit.tree;
    let kind = tree.field(id, NodeField::Type)?;
    let first = tree.field(id, NodeField::Declarator)?;
    let is_plain = tree.field(kind, NodeField::Body).is_none();
    let start = tree.range(id).start;
    let head = &unit.bytes[start..tree.range(first).start];
    let words = clreduce_testcase::tokens(head).map(|token| &head[token.range()]);
    is_plain.then(|| words.collect())
}
