//! The places of expressions: which other expressions may stand there.

use clreduce_language::{NodeField, NodeKind};

use super::nodes::is_expression;
use super::unit::Unit;
use crate::NodeId;

/// The kind of expression that a place asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Any value will do.
    Value,
    /// Something with an address is needed: the left side of an assignment, what `&` or `++` act on.
    Lvalue,
    /// A pointer, array, structure or vector is needed: what `*`, `[]`, `.` or `->` act on.
    Composite,
    /// Not a place for anything else: a callee, a label, a name that is being declared.
    Fixed,
}

/// The places of all nodes of a tree; `Fixed` for what is no expression.
pub(crate) fn places(unit: Unit<'_>) -> Vec<Place> {
    let mut frozen = Vec::with_capacity(unit.tree.len());
    unit.tree
        .ids()
        .map(|id| {
            let node = unit.tree.node(id);
            let outer_is_frozen = frozen.get(node.parent.0 as usize).copied().unwrap_or(false);
            frozen.push(outer_is_frozen || freezes(node.kind));
            let usable = id.0 > 0
                && !outer_is_frozen
                && node.named
                && is_expression(node.kind)
                && unit.is_usable(id);
            if usable { place(unit, id) } else { Place::Fixed }
        })
        .collect()
}

/// Inside these, what looks like an expression follows rules of its own.
fn freezes(kind: NodeKind) -> bool {
    kind.is_attribute()
        || matches!(
            kind,
            NodeKind::PreprocInclude
                | NodeKind::PreprocDef
                | NodeKind::PreprocFunctionDef
                | NodeKind::PreprocCall
                | NodeKind::GenericExpression
                | NodeKind::OffsetofExpression
                | NodeKind::MsDeclspecModifier
                | NodeKind::LaunchBounds
        )
}

fn place(unit: Unit<'_>, id: NodeId) -> Place {
    let tree = unit.tree;
    let node = tree.node(id);
    let field = node.field;
    match (tree.kind(node.parent), field) {
        (NodeKind::CallExpression, Some(NodeField::Function)) => Place::Fixed,
        (NodeKind::AssignmentExpression, Some(NodeField::Left))
        | (NodeKind::UpdateExpression, _) => Place::Lvalue,
        (NodeKind::PointerExpression, _) if unit.text(node.parent).starts_with(b"&") => {
            Place::Lvalue
        }
        (NodeKind::PointerExpression, _) => Place::Composite,
        (NodeKind::FieldExpression, Some(NodeField::Argument))
        | (NodeKind::SubscriptExpression, Some(NodeField::Argument)) => Place::Composite,
        (NodeKind::ForRangeLoop, Some(NodeField::Right)) | (NodeKind::DeleteExpression, _) => {
            Place::Composite
        }
        // A parenthesis passes on what is asked of it; its parent's place decides.
        (NodeKind::ParenthesizedExpression, _) => place_of_parenthesis(unit, node.parent),
        (
            parent,
            Some(
                NodeField::Value
                | NodeField::Condition
                | NodeField::Size
                | NodeField::Index
                | NodeField::Initializer
                | NodeField::Update
                | NodeField::Right
                | NodeField::DefaultValue,
            ),
        ) if parent != NodeKind::LinkageSpecification => Place::Value,
        (
            NodeKind::InitializerList
            | NodeKind::ArgumentList
            | NodeKind::ExpressionStatement
            | NodeKind::ReturnStatement,
            _,
        )
        | (
            NodeKind::BitfieldClause | NodeKind::SubscriptDesignator | NodeKind::KernelCallSyntax,
            _,
        )
        | (NodeKind::ConditionClause | NodeKind::SizeofExpression, _)
        | (
            NodeKind::SubscriptArgumentList
            | NodeKind::TemplateArgumentList
            | NodeKind::ThrowStatement
            | NodeKind::SimpleRequirement
            | NodeKind::CompoundRequirement,
            _,
        ) => Place::Value,
        (
            NodeKind::BinaryExpression
            | NodeKind::UnaryExpression
            | NodeKind::CommaExpression
            | NodeKind::ConditionalExpression
            | NodeKind::CastExpression
            | NodeKind::AssignmentExpression,
            _,
        ) => Place::Value,
        _ => Place::Fixed,
    }
}

/// Returns the place of an expression in parentheses, which is that of the parentheses.
fn place_of_parenthesis(unit: Unit<'_>, parenthesis: NodeId) -> Place {
    let mut at = parenthesis;
    // A chain of parentheses is as long as the input makes it; beyond a few nobody writes them.
    for _ in 0..8 {
        let parent = unit.tree.node(at).parent;
        match unit.tree.kind(parent) {
            NodeKind::ParenthesizedExpression => at = parent,
            kind if kind.is_statement() => return Place::Value,
            _ => return place(unit, at),
        }
    }
    Place::Fixed
}

/// Returns whether an expression of this kind can stand on the left of an assignment.
pub(crate) fn is_lvalue(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Identifier
            | NodeKind::FieldExpression
            | NodeKind::SubscriptExpression
            | NodeKind::PointerExpression
            | NodeKind::ParenthesizedExpression
    )
}

/// Returns whether a parenthesis belongs to the statement around it.
pub(crate) fn is_condition(unit: Unit<'_>, id: NodeId) -> bool {
    unit.tree.node(id).field == Some(NodeField::Condition)
        && unit.tree.kind(unit.tree.node(id).parent).is_statement()
        && unit.tree.kind(id) == NodeKind::ParenthesizedExpression
}
