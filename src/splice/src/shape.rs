//! The effects of the code in a node, as far as they decide where the code can stand.

use clreduce_language::{NodeId, NodeKind};

use crate::program::ParsedKernels;

/// Starts of the names of built-in functions whose arguments have a meaning that types do not tell, or whose effect depends on
/// what other work-items do: positions, memory, events, images.
const DELICATE: [&str; 17] = [
    "get_",
    "barrier",
    "work_group",
    "sub_group",
    "mem_fence",
    "read_",
    "write_",
    "atomic",
    "atom_",
    "vload",
    "vstore",
    "async_",
    "wait_",
    "prefetch",
    "printf",
    "intel_",
    "ndrange",
];

/// Returns true if the call of a built-in function is not an operation on values alone.
pub(crate) fn is_delicate(name: &str) -> bool {
    DELICATE.iter().any(|start| name.starts_with(start))
}

/// Returns true if a call asks for the position of a work-item or the size of a range.
pub(crate) fn is_position(name: &str) -> bool {
    name.starts_with("get_") && !name.starts_with("get_image")
}

/// Returns true if work-items wait or work together in a node.
pub(crate) fn synchronises(program: &ParsedKernels, node: NodeId) -> bool {
    let mut calls = program.tree().subtree(node).filter_map(|id| program.built_in_call(id));
    calls.any(|name| {
        is_delicate(name)
            && !is_position(name)
            && !name.starts_with("vload")
            && !name.starts_with("vstore")
            && !name.starts_with("printf")
    })
}

/// Returns true if the code leaves a node other than at its end, or is entered in the middle.
pub(crate) fn jumps_out(program: &ParsedKernels, node: NodeId) -> bool {
    let tree = program.tree();
    tree.subtree(node).any(|id| match tree.kind(id) {
        NodeKind::ReturnStatement | NodeKind::GotoStatement | NodeKind::LabeledStatement => true,
        NodeKind::BreakStatement => !is_inside(program, node, id, true),
        NodeKind::ContinueStatement => !is_inside(program, node, id, false),
        _ => false,
    })
}

/// Returns true if a `break` or `continue` ends something inside the node.
fn is_inside(program: &ParsedKernels, node: NodeId, jump: NodeId, with_switch: bool) -> bool {
    let tree = program.tree();
    let mut around = tree.ancestors(jump).take_while(|&id| id >= node);
    around.any(|id| match tree.kind(id) {
        NodeKind::SwitchStatement => with_switch,
        kind => is_loop(kind),
    })
}

pub(crate) fn is_loop(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::ForStatement | NodeKind::WhileStatement | NodeKind::DoStatement)
}

/// Returns true for statements that can take each other's place; blocks are apart.
pub(crate) fn is_statement(kind: NodeKind) -> bool {
    is_loop(kind)
        || matches!(
            kind,
            NodeKind::ExpressionStatement | NodeKind::IfStatement | NodeKind::SwitchStatement
        )
}

/// Returns true for expressions that can take each other's place.
pub(crate) fn is_expression(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::BinaryExpression
            | NodeKind::UnaryExpression
            | NodeKind::CallExpression
            | NodeKind::SubscriptExpression
            | NodeKind::FieldExpression
            | NodeKind::ConditionalExpression
            | NodeKind::CastExpression
            | NodeKind::ParenthesizedExpression
            | NodeKind::Identifier
            | NodeKind::NumberLiteral
    )
}
