//! Parameters of functions, in definitions and in prototypes.

use clreduce_language::{NodeField, NodeId, NodeKind, SymbolKind, Symbols, SyntaxTree};

use super::functions::{Function, functions};
use crate::snapshot::Snapshot;

/// The parameters of all functions that are defined: the function, the place in its list, the declaration.
pub(crate) fn all_parameters(
    snapshot: &Snapshot,
) -> impl Iterator<Item = (Function, usize, NodeId)> {
    functions(snapshot).into_iter().flat_map(|function| {
        let tree = snapshot.tree(function.file);
        let list = parameter_list(tree, function.name);
        let parameters = list.map(|list| parameters(tree, list)).unwrap_or_default();
        parameters.into_iter().enumerate().map(move |(index, node)| (function, index, node))
    })
}

/// The parameter list behind a declaring identifier, which may stand in parentheses.
pub(crate) fn parameter_list(tree: &SyntaxTree, name: NodeId) -> Option<NodeId> {
    let declarator = |&node: &NodeId| tree.kind(node) != NodeKind::ParenthesizedDeclarator;
    tree.field(tree.ancestors(name).find(declarator)?, NodeField::Parameters)
}

/// The parameters of a list; `void` alone counts as one, since it can go too.
pub(crate) fn parameters(tree: &SyntaxTree, list: NodeId) -> Vec<NodeId> {
    tree.named_children(list)
        .filter(|&child| tree.kind(child) != NodeKind::VariadicParameter)
        .collect()
}

/// The identifier that a parameter's declaration names.
pub(crate) fn parameter_name(
    symbols: &Symbols,
    tree: &SyntaxTree,
    declaration: NodeId,
) -> Option<NodeId> {
    tree.subtree(declaration).find(|&node| {
        symbols.of(node).is_some_and(|id| {
            let symbol = symbols.get(id);
            symbol.kind == SymbolKind::Parameter && symbol.declarations.contains(&node)
        })
    })
}
