//! Removing a parameter of a function with the arguments that calls give for it.

use clreduce_language::{NodeField, NodeId, NodeKind, SymbolId, SymbolKind};
use clreduce_testcase::Edit;

use crate::analysis::{parameter_list, parameters};
use crate::snapshot::Snapshot;

/// Edits that remove one parameter everywhere, its uses treated one by one; `None` where a declaration
/// or call cannot be seen or does not fit.
pub(crate) fn remove_parameter(
    snapshot: &Snapshot,
    file: usize,
    function: SymbolId,
    index: usize,
    mut at_use: impl FnMut(NodeId) -> Option<Edit>,
) -> Option<Vec<Edit>> {
    let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
    let symbol = symbols.get(function);
    if symbol.opaque {
        return None;
    }
    let mut edits = Vec::new();
    for &declaring in &symbol.declarations {
        // What did not parse may be no parameter at all.
        let list = parameter_list(tree, declaring).filter(|&list| tree.is_sound(list))?;
        // A prototype without parameters says nothing about them.
        if let Some(&parameter) = parameters(tree, list).get(index) {
            edits.push(Edit::delete_element(file, tree.range(parameter)));
            for node in tree.subtree(parameter) {
                let Some(id) = symbols.of(node) else { continue };
                let entry = symbols.get(id);
                if entry.kind == SymbolKind::Parameter && entry.declarations.contains(&node) {
                    edits.extend(entry.uses.iter().filter_map(|&name| at_use(name)));
                }
            }
        }
    }
    for &name in &symbol.uses {
        let call = tree.parent(name)?;
        if tree.kind(call) != NodeKind::CallExpression
            || tree.node(name).field != Some(NodeField::Function)
        {
            continue; // its address is taken: the call through it cannot be seen
        }
        let arguments = tree.field(call, NodeField::Arguments)?;
        if let Some(argument) = tree.named_children(arguments).nth(index) {
            edits.push(Edit::delete_element(file, tree.range(argument)));
        }
    }
    Some(edits)
}
