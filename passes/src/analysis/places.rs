//! The places of expressions: which other expressions may stand there.

use clreduce_language::{NodeField, NodeKind};

use super::nodes::is_expression;
use super::unit::Unit;
use crate::NodeId;

/// The kind of expression that a place asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpressionPlace {
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
pub(crate) fn places(unit: Unit<'_>) -> Vec<ExpressionPlace> {
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
            if usable { place(unit, id) } else { ExpressionPlace::Fixed }
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

fn place(unit: Unit<'_>, id: NodeId) -> ExpressionPlace {
    let node = unit.tree.node(id);
    let parent = unit.tree.kind(node.parent);
    match (parent, node.field) {
        (NodeKind::CallExpression, Some(NodeField::Function)) => ExpressionPlace::Fixed,
        (NodeKind::AssignmentExpression, Some(NodeField::Left))
        | (NodeKind::UpdateExpression, _) => ExpressionPlace::Lvalue,
        (NodeKind::PointerExpression, _) if unit.text(node.parent).starts_with(b"&") => {
            ExpressionPlace::Lvalue
        }
        (NodeKind::FieldExpression | NodeKind::SubscriptExpression, Some(NodeField::Argument))
        | (NodeKind::ForRangeLoop, Some(NodeField::Right))
        | (NodeKind::PointerExpression | NodeKind::DeleteExpression, _) => {
            ExpressionPlace::Composite
        }
        // A parenthesis passes on what is asked of it; its parent's place decides.
        (NodeKind::ParenthesizedExpression, _) => place_of_parenthesis(unit, node.parent),
        (_, Some(field)) if is_value(field) && parent != NodeKind::LinkageSpecification => {
            ExpressionPlace::Value
        }
        _ if holds_values(parent) => ExpressionPlace::Value,
        _ => ExpressionPlace::Fixed,
    }
}

fn is_value(field: NodeField) -> bool {
    matches!(
        field,
        NodeField::Value
            | NodeField::Condition
            | NodeField::Size
            | NodeField::Index
            | NodeField::Initializer
            | NodeField::Update
            | NodeField::Right
            | NodeField::DefaultValue
    )
}

/// Returns whether every expression directly below a node of this kind is a value.
fn holds_values(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::InitializerList
            | NodeKind::ArgumentList
            | NodeKind::ExpressionStatement
            | NodeKind::ReturnStatement
            | NodeKind::BitfieldClause
            | NodeKind::SubscriptDesignator
            | NodeKind::KernelCallSyntax
            | NodeKind::ConditionClause
            | NodeKind::SizeofExpression
            | NodeKind::SubscriptArgumentList
            | NodeKind::TemplateArgumentList
            | NodeKind::ThrowStatement
            | NodeKind::SimpleRequirement
            | NodeKind::CompoundRequirement
            | NodeKind::BinaryExpression
            | NodeKind::UnaryExpression
            | NodeKind::CommaExpression
            | NodeKind::ConditionalExpression
            | NodeKind::CastExpression
            | NodeKind::AssignmentExpression
    )
}

/// Returns the place of an expression in parentheses, which is that of the parentheses.
fn place_of_parenthesis(unit: Unit<'_>, parenthesis: NodeId) -> ExpressionPlace {
    let mut at = parenthesis;
    // The input decides how long a chain of parentheses is; programs have no more than a few.
    for _ in 0..8 {
        let parent = unit.tree.node(at).parent;
        match unit.tree.kind(parent) {
            NodeKind::ParenthesizedExpression => at = parent,
            kind if kind.is_statement() => return ExpressionPlace::Value,
            _ => return place(unit, at),
        }
    }
    ExpressionPlace::Fixed
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
