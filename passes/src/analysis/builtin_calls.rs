//! Calls of what a file does not define, by name: built-ins.

use clreduce_language::{NodeField, NodeKind};

use super::unit::Unit;
use crate::{NodeId, Snapshot};

pub(crate) struct BuiltinCall<'a> {
    pub node: NodeId,
    pub name: &'a str,
    pub arguments: Vec<NodeId>,
}

/// The calls in a file of functions that it does not declare, in source order.
pub(crate) fn builtin_calls<'a>(snapshot: &'a Snapshot, unit: Unit<'a>) -> Vec<BuiltinCall<'a>> {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let calls = unit.sound().filter(|(_, kind)| *kind == NodeKind::CallExpression);
    calls
        .filter_map(|(node, _)| {
            let function = tree.field(node, NodeField::Function)?;
            let list = tree.field(node, NodeField::Arguments)?;
            let is_builtin =
                tree.kind(function) == NodeKind::Identifier && symbols.of(function).is_none();
            let name = std::str::from_utf8(unit.text(function)).ok()?;
            let arguments = tree.named_children(list).collect();
            is_builtin.then_some(BuiltinCall { node, name, arguments })
        })
        .collect()
}
