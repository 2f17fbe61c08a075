//! Questions about single nodes: what kind of code they are, what they do, where they end.

use std::ops::Range;

use clreduce_language::{NodeId, NodeKind, SyntaxTree};

/// The number of nodes or scopes around or inside of something that are looked at. A walk from each of many deep nodes would
/// take the square of their number.
pub(crate) const DEEPEST: usize = 16;

/// Returns whether evaluating a node may do more than give a value.
pub(crate) fn has_effect(tree: &SyntaxTree, node: NodeId) -> bool {
    tree.subtree(node).any(|node| {
        matches!(
            tree.kind(node),
            NodeKind::CallExpression
                | NodeKind::AssignmentExpression
                | NodeKind::UpdateExpression
                | NodeKind::GnuAsmExpression
                | NodeKind::NewExpression
                | NodeKind::DeleteExpression
        )
    })
}

/// The bytes of a declaration or statement, the semicolon that the grammar keeps apart included.
pub(crate) fn with_semicolon(tree: &SyntaxTree, node: NodeId) -> Range<usize> {
    let range = tree.range(node);
    let next = tree.node(node).after;
    let parent = tree.node(node).parent;
    let follows = next < tree.node(parent).after && tree.kind(next) == NodeKind::Semicolon;
    range.start..if follows { tree.range(next).end } else { range.end }
}

/// Returns whether nodes of this kind hold a list of statements.
pub(crate) fn is_statement_list(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::CompoundStatement | NodeKind::CaseStatement)
}

/// Returns whether nodes of this kind are statements (declarations included).
pub(crate) fn is_statement(kind: NodeKind) -> bool {
    kind.is_statement() || matches!(kind, NodeKind::Declaration | NodeKind::TypeDefinition)
}

/// Returns whether nodes of this kind are expressions.
pub(crate) fn is_expression(kind: NodeKind) -> bool {
    kind.is_expression_form()
        && !matches!(
            kind,
            NodeKind::GnuAsmExpression
                | NodeKind::GenericExpression
                | NodeKind::ExtensionExpression
        )
        || matches!(
            kind,
            NodeKind::Identifier
                | NodeKind::NumberLiteral
                | NodeKind::CharLiteral
                | NodeKind::StringLiteral
                | NodeKind::ConcatenatedString
                | NodeKind::True
                | NodeKind::False
                | NodeKind::Null
                // Only C++ has these.
                | NodeKind::QualifiedIdentifier
                | NodeKind::This
                | NodeKind::UserDefinedLiteral
                | NodeKind::RawStringLiteral
        )
}

/// Returns whether an argument binds tightly enough to stand beside any operator.
pub(crate) fn is_primary(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Identifier
            | NodeKind::NumberLiteral
            | NodeKind::CharLiteral
            | NodeKind::CallExpression
            | NodeKind::ParenthesizedExpression
            | NodeKind::SubscriptExpression
            | NodeKind::FieldExpression
    )
}
