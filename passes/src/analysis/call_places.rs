//! The places of calls: the statement around a call, and whether the call happens whenever the statement does.

use std::cell::OnceCell;

use clreduce_language::{NodeField, NodeId, NodeKind, SyntaxTree};

/// The places of the calls in a file. A call may lie deep, and there may be many.
pub(crate) struct CallPlaces<'a> {
    tree: &'a SyntaxTree,
    known: OnceCell<Around>,
}

struct Around {
    statements: Vec<Option<(NodeId, NodeId)>>,
    /// For each node: true if it is reached only under a condition.
    may_not_happen: Vec<bool>,
}

impl<'a> CallPlaces<'a> {
    pub(crate) fn new(tree: &'a SyntaxTree) -> Self {
        Self { tree, known: OnceCell::new() }
    }

    fn around(&self) -> &Around {
        self.known.get_or_init(|| {
            let tree = self.tree;
            let is_statement = |node: NodeId| {
                tree.kind(node).is_statement() || tree.kind(node) == NodeKind::Declaration
            };
            let mut may_not_happen: Vec<bool> = Vec::with_capacity(tree.len());
            for id in tree.ids() {
                let above = tree.parent(id).is_some_and(|parent| {
                    may_not_happen[parent.0 as usize] || is_conditional(tree, id, parent)
                });
                may_not_happen.push(above);
            }
            Around { statements: tree.nearest_ancestors(is_statement), may_not_happen }
        })
    }

    /// The statement or declaration that a call is part of.
    pub(crate) fn statement(&self, call: NodeId) -> Option<NodeId> {
        self.around().statements[call.0 as usize].map(|(statement, _)| statement)
    }

    /// Returns true if a call stands where it is reached only if something else is so: on the right of `&&` or `||`,
    /// behind a `?`.
    pub(crate) fn may_not_happen(&self, call: NodeId) -> bool {
        self.around().may_not_happen[call.0 as usize]
    }
}

/// Returns true if a part of an expression is evaluated only if another part of it is so.
fn is_conditional(tree: &SyntaxTree, part: NodeId, whole: NodeId) -> bool {
    let field = tree.node(part).field;
    match tree.kind(whole) {
        NodeKind::BinaryExpression => {
            let operator = tree.field(whole, NodeField::Operator).map(|id| tree.kind(id));
            field == Some(NodeField::Right)
                && matches!(operator, Some(NodeKind::AmpersandAmpersand | NodeKind::PipePipe))
        }
        NodeKind::ConditionalExpression => field != Some(NodeField::Condition),
        _ => false,
    }
}
