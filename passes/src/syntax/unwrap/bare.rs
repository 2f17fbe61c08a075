//! Statements without their braces, where their names are free.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use clreduce_language::NodeKind;

use crate::analysis::{Unit, is_statement_list};
use crate::{NodeId, Snapshot, SymbolKind, SyntaxTree};

/// The names that are declared in each scope.
pub(super) struct NamesByNode<'a>(HashMap<NodeId, HashSet<&'a [u8]>>);

impl<'a> NamesByNode<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, unit: Unit<'a>) -> Self {
        let symbols = snapshot.symbols(unit.file);
        let mut names: HashMap<NodeId, HashSet<&[u8]>> = HashMap::new();
        for symbol in symbols.ids().map(|id| symbols.get(id)) {
            if !matches!(symbol.kind, SymbolKind::Label | SymbolKind::Function) {
                names.entry(symbol.scope).or_default().insert(unit.text(symbol.declarations[0]));
            }
        }
        Self(names)
    }

    /// Returns true if something that a scope declares would meet another of its name in the block
    /// around.
    pub(super) fn clash(&self, tree: &SyntaxTree, scope: NodeId) -> bool {
        let Some(inner) = self.0.get(&scope) else { return false };
        let is_block = |&node: &NodeId| tree.kind(node) == NodeKind::CompoundStatement;
        let block = tree.ancestors(scope).find(is_block);
        // A block that is all of a function shares its names with the parameters.
        let function = block.and_then(|block| tree.parent(block));
        let function = function.filter(|&node| tree.kind(node) == NodeKind::FunctionDefinition);
        let mut around = block.into_iter().chain(function).filter_map(|outer| self.0.get(&outer));
        around.any(|outer| !inner.is_disjoint(outer))
    }
}

/// Returns true if a statement is one of a list.
pub(super) fn in_list(unit: Unit<'_>, id: NodeId) -> bool {
    is_statement_list(unit.tree.kind(unit.tree.node(id).parent))
}

/// The range of a statement that is to stand in the place of `whole`: without its braces where a list
/// of statements can stand and its names are free.
pub(super) fn bare(
    unit: Unit<'_>,
    names: &NamesByNode<'_>,
    whole: NodeId,
    part: NodeId,
) -> Range<usize> {
    let range = unit.tree.range(part);
    let is_block = unit.tree.kind(part) == NodeKind::CompoundStatement;
    if is_block && in_list(unit, whole) && !names.clash(unit.tree, part) {
        range.start + 1..range.end - 1
    } else {
        range
    }
}
