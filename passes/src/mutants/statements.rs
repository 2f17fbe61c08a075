//! Faults in statements: loops that end too early or too late, variables without a value.

use clreduce_language::{NodeField, NodeId, NodeKind};

use super::{FoundMutants, MutationOperator};

pub(super) static NO_ITERATION: MutationOperator =
    MutationOperator { name: "no-iteration", summary: "a loop whose condition is false" };
pub(super) static LOOP_BOUND: MutationOperator =
    MutationOperator { name: "loop-bound", summary: "the bound of a loop plus or minus one" };
pub(super) static NO_INITIALISER: MutationOperator =
    MutationOperator { name: "no-initialiser", summary: "a variable without its first value" };

pub(super) fn find(found: &mut FoundMutants<'_>) {
    let unit = found.unit;
    let nodes: Vec<(NodeId, NodeKind)> = unit.sound().collect();
    for (node, kind) in nodes {
        match kind {
            NodeKind::ForStatement | NodeKind::WhileStatement => loop_faults(found, node),
            NodeKind::InitDeclarator => no_initialiser(found, node),
            _ => {}
        }
    }
}

fn loop_faults(found: &mut FoundMutants<'_>, node: NodeId) {
    let (unit, tree) = (found.unit, found.unit.tree);
    let Some(condition) = tree.field(node, NodeField::Condition) else { return };
    // The parentheses of `while` are part of its condition.
    let inner = match tree.kind(condition) {
        NodeKind::ParenthesizedExpression => tree.named_children(condition).next(),
        _ => Some(condition),
    };
    let Some(inner) = inner else { return };
    found.replace(&NO_ITERATION, inner, "0");
    let operator = tree.field(inner, NodeField::Operator);
    let is_bounded = tree.kind(inner) == NodeKind::BinaryExpression
        && operator.is_some_and(|operator| {
            matches!(unit.text(operator), b"<" | b">" | b"<=" | b">=" | b"!=")
        });
    if let Some(bound) = tree.field(inner, NodeField::Right).filter(|_| is_bounded) {
        for change in [b" - 1", b" + 1"] {
            found.replace(&LOOP_BOUND, bound, [b"(", unit.text(bound), b")", &change[..]].concat());
        }
    }
}

fn no_initialiser(found: &mut FoundMutants<'_>, node: NodeId) {
    let (unit, tree) = (found.unit, found.unit.tree);
    let Some(declaration) = tree.parent(node) else { return };
    let is_local = tree.parent(declaration).is_some_and(|around| {
        matches!(tree.kind(around), NodeKind::CompoundStatement | NodeKind::ForStatement)
    });
    let declarator = tree.field(node, NodeField::Declarator);
    let plain = declarator.filter(|&name| tree.kind(name) == NodeKind::Identifier);
    let words = unit.text(declaration);
    // A constant without a value does not compile, and a static one is zero.
    let is_fixed = [&b"const"[..], b"static"]
        .iter()
        .any(|word| words.windows(word.len()).any(|window| window == *word));
    if let Some(name) = plain.filter(|_| is_local && !is_fixed) {
        found.replace(&NO_INITIALISER, node, unit.text(name));
    }
}
