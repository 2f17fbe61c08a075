//! What the uses of a symbol do with it.

use crate::kind::{NodeField, NodeKind};
use crate::tree::{NodeId, SyntaxTree};

/// The largest expression that is nothing but access to what `name` names: `(*x[i]).f`, `&x`, and
/// for functions the call.
#[must_use]
pub fn access_path(tree: &SyntaxTree, name: NodeId) -> NodeId {
    let mut at = name;
    while let Some(parent) = tree.parent(at) {
        let field = tree.node(at).field;
        let is_access = match tree.kind(parent) {
            NodeKind::SubscriptExpression
            | NodeKind::FieldExpression
            | NodeKind::PointerExpression => field == Some(NodeField::Argument),
            NodeKind::CallExpression => field == Some(NodeField::Function),
            NodeKind::ParenthesizedExpression => {
                tree.parent(parent).is_some_and(|above| is_access_base(tree, above, parent))
            }
            _ => false,
        };
        if !is_access {
            break;
        }
        at = parent;
    }
    at
}

fn is_access_base(tree: &SyntaxTree, above: NodeId, node: NodeId) -> bool {
    matches!(
        (tree.kind(above), tree.node(node).field),
        (
            NodeKind::SubscriptExpression | NodeKind::FieldExpression | NodeKind::PointerExpression,
            Some(NodeField::Argument)
        ) | (NodeKind::CallExpression, Some(NodeField::Function))
    )
}

/// Whether a parameter is set, counted up or pointed to by this use of it.
#[must_use]
pub fn is_changed(tree: &SyntaxTree, name: NodeId) -> bool {
    let path = access_path(tree, name);
    let direct = |node: NodeId| {
        tree.parent(node).is_some_and(|parent| match tree.kind(parent) {
            NodeKind::AssignmentExpression => tree.node(node).field == Some(NodeField::Left),
            NodeKind::UpdateExpression => true,
            NodeKind::PointerExpression => tree
                .field(parent, NodeField::Operator)
                .is_some_and(|op| tree.kind(op) == NodeKind::Ampersand),
            _ => false,
        })
    };
    direct(name) || (path != name && direct(path) && !reaches_through_pointer(tree, name, path))
}

fn reaches_through_pointer(tree: &SyntaxTree, name: NodeId, path: NodeId) -> bool {
    tree.ancestors(name).take_while(|&node| node >= path).any(|node| {
        tree.kind(node) == NodeKind::PointerExpression
            || tree.kind(node) == NodeKind::SubscriptExpression
            || tree.children(node).any(|child| tree.kind(child) == NodeKind::Arrow)
    })
}
