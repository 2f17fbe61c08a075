//! A call that the body of a function may take the place of.

use clreduce_language::{NodeField, NodeId, NodeKind};

use crate::analysis::Unit;

/// A call, or the use of an operator.
pub(super) struct CallSite {
    /// The expression that is replaced if the function returns a value.
    pub(super) node: NodeId,
    /// The statement that is nothing but the call. It is replaced if the function does more than return a value.
    pub(super) statement: Option<NodeId>,
    pub(super) object: CalledObject,
    pub(super) arguments: Vec<NodeId>,
}

/// The object that a member is called for.
#[derive(Clone, Copy)]
pub(super) enum CalledObject {
    /// The object of the caller, which is a member of the same class.
    Same,
    /// An object.
    Value(NodeId),
    /// The object that a pointer points to.
    Pointer(NodeId),
}

impl CallSite {
    /// The call with this name; `None` if it is not called.
    pub(super) fn of_member(unit: Unit<'_>, name: NodeId) -> Option<Self> {
        let tree = unit.tree;
        let (function, object) = match tree.kind(name) {
            NodeKind::FieldIdentifier => {
                let access = tree.parent(name)?;
                let object = tree.field(access, NodeField::Argument)?;
                let between = tree.range(object).end..tree.range(name).start;
                let object = match unit.bytes[between].trim_ascii() {
                    b"." => CalledObject::Value(object),
                    b"->" => CalledObject::Pointer(object),
                    _ => return None,
                };
                (access, object)
            }
            _ => (name, CalledObject::Same),
        };
        let node = tree.parent(function)?;
        let is_called = tree.kind(node) == NodeKind::CallExpression
            && tree.node(function).field == Some(NodeField::Function);
        let arguments = tree.field(node, NodeField::Arguments).filter(|_| is_called)?;
        let arguments = tree.named_children(arguments).collect();
        Some(Self { node, statement: statement(unit, node), object, arguments })
    }

    /// The use of an operator. Its operands are its arguments: a member takes the first one for its object.
    pub(super) fn of_operator(unit: Unit<'_>, node: NodeId) -> Option<Self> {
        let tree = unit.tree;
        let mut arguments: Vec<NodeId> = match tree.kind(node) {
            NodeKind::SubscriptExpression => {
                let list = tree.field(node, NodeField::Indices)?;
                [tree.field(node, NodeField::Argument)?]
                    .into_iter()
                    .chain(tree.named_children(list))
                    .collect()
            }
            _ => tree.named_children(node).collect(),
        };
        arguments.retain(|&it| tree.kind(it) != NodeKind::Comment);
        // Between numbers, it is never a function.
        let is_number = |&it: &NodeId| tree.kind(it) == NodeKind::NumberLiteral;
        let is_class = !arguments.iter().all(is_number);
        is_class.then_some(Self {
            node,
            statement: statement(unit, node),
            object: CalledObject::Same,
            arguments,
        })
    }
}

fn statement(unit: Unit<'_>, node: NodeId) -> Option<NodeId> {
    let statement = unit.tree.parent(node)?;
    (unit.tree.kind(statement) == NodeKind::ExpressionStatement).then_some(statement)
}
