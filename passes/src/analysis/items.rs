//! The items of file scope: declarations and definitions, or single declarators of a list, and what each provides.

use std::collections::HashMap;

use clreduce_language::{NodeField, NodeId, NodeKind, SymbolId, SyntaxTree};

use crate::snapshot::Snapshot;

/// Something of file scope that can go on its own.
pub(crate) struct TopLevelItem {
    /// The declarator, or the whole.
    pub(crate) node: NodeId,
    /// The declaration or definition that it is part of.
    pub(crate) whole: NodeId,
}

/// The items of the first file of a snapshot, in source order.
pub(crate) fn items(snapshot: &Snapshot) -> Vec<TopLevelItem> {
    let tree = snapshot.tree(0);
    let mut items = Vec::new();
    for whole in tree.named_children(NodeId(0)) {
        let declarators: Vec<NodeId> = match tree.kind(whole) {
            NodeKind::Declaration | NodeKind::TypeDefinition => {
                tree.fields(whole, NodeField::Declarator).collect()
            }
            _ => Vec::new(),
        };
        if declarators.len() > 1 {
            items.extend(declarators.into_iter().map(|node| TopLevelItem { node, whole }));
        } else {
            items.push(TopLevelItem { node: whole, whole });
        }
    }
    items
}

/// The items that provide each symbol of file scope: all its declarations, and for what a specifier
/// declares (tags, enumerators), every declarator behind it.
pub(crate) fn providers(
    snapshot: &Snapshot,
    items: &[TopLevelItem],
) -> HashMap<SymbolId, Vec<usize>> {
    let (tree, symbols) = (snapshot.tree(0), snapshot.symbols(0));
    let item_at = |node: NodeId| -> std::ops::Range<usize> {
        let after = |item: &TopLevelItem| tree.node(item.whole).after <= node;
        let first = items.partition_point(after);
        let of_whole = first..first + items[first..].partition_point(|item| item.whole <= node);
        // The items of one declaration stand side by side, in order.
        let before = |item: &TopLevelItem| tree.node(item.node).after <= node;
        let exact = first + items[of_whole.clone()].partition_point(before);
        let found = items.get(exact).is_some_and(|item| item.node <= node);
        if found { exact..exact + 1 } else { of_whole }
    };
    let mut providers: HashMap<SymbolId, Vec<usize>> = HashMap::new();
    for symbol in symbols.ids().filter(|&symbol| symbols.get(symbol).scope == NodeId(0)) {
        let declarations = &symbols.get(symbol).declarations;
        let mut provided: Vec<usize> =
            declarations.iter().flat_map(|&node| item_at(node)).collect();
        provided.dedup();
        providers.insert(symbol, provided);
    }
    providers
}

/// Returns whether an item is known to do nothing but declare or define something.
pub(crate) fn is_declaration(tree: &SyntaxTree, item: &TopLevelItem) -> bool {
    matches!(
        tree.kind(item.whole),
        NodeKind::Declaration
            | NodeKind::FunctionDefinition
            | NodeKind::TypeDefinition
            | NodeKind::StructSpecifier
            | NodeKind::UnionSpecifier
            | NodeKind::EnumSpecifier
    ) && !tree.has_error(item.whole)
}
