//! Edits that remove a parameter of a function, and its argument from every call.

use clreduce_language::{NodeField, NodeId, NodeKind, SymbolId, SymbolKind};
use clreduce_testcase::Edit;

use crate::analysis::{parameter_list, parameters};
use crate::snapshot::Snapshot;

/// The parameters and arguments of one function by their place. All lists are read once: a function may have
/// many parameters, many declarations and many calls.
pub(crate) struct ParameterTable {
    file: usize,
    /// By place in the list, the parameter there in each declaration that has one.
    parameters: Vec<Vec<NodeId>>,
    /// By place in the list, the argument there of each call that has one, in the order of the calls.
    arguments: Vec<Vec<NodeId>>,
}

impl ParameterTable {
    /// Reads the lists; `None` where a declaration or call cannot be seen or does not fit.
    pub(crate) fn new(snapshot: &Snapshot, file: usize, function: SymbolId) -> Option<Self> {
        let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
        let symbol = symbols.get(function);
        if symbol.opaque {
            return None;
        }
        let (mut by_parameter, mut arguments) = (Vec::new(), Vec::new());
        for &declaring in &symbol.declarations {
            // What did not parse may be no parameter at all.
            let list = parameter_list(tree, declaring).filter(|&list| tree.is_sound(list))?;
            add(&mut by_parameter, parameters(tree, list));
        }
        for &name in &symbol.uses {
            let call = tree.parent(name)?;
            if tree.kind(call) != NodeKind::CallExpression
                || tree.node(name).field != Some(NodeField::Function)
            {
                continue; // its address is taken: the call through it cannot be seen
            }
            add(&mut arguments, tree.named_children(tree.field(call, NodeField::Arguments)?));
        }
        Some(Self { file, parameters: by_parameter, arguments })
    }

    /// The edits that remove the parameter at a place everywhere, its uses treated one by one.
    pub(crate) fn without(
        &self,
        snapshot: &Snapshot,
        index: usize,
        mut at_use: impl FnMut(NodeId) -> Option<Edit>,
    ) -> Vec<Edit> {
        let (tree, symbols) = (snapshot.tree(self.file), snapshot.symbols(self.file));
        let mut edits = Vec::new();
        // A prototype without parameters says nothing about them.
        for &parameter in self.parameters.get(index).into_iter().flatten() {
            edits.push(Edit::delete_element(self.file, tree.range(parameter)));
            for node in tree.subtree(parameter) {
                let Some(id) = symbols.of(node) else { continue };
                let entry = symbols.get(id);
                if entry.kind == SymbolKind::Parameter && entry.declarations.contains(&node) {
                    edits.extend(entry.uses.iter().filter_map(|&name| at_use(name)));
                }
            }
        }
        let arguments = self.arguments.get(index).into_iter().flatten();
        edits.extend(arguments.map(|&node| Edit::delete_element(self.file, tree.range(node))));
        edits
    }
}

/// Adds the elements of a list to those of other lists at the same places.
fn add(by_place: &mut Vec<Vec<NodeId>>, list: impl IntoIterator<Item = NodeId>) {
    for (index, element) in list.into_iter().enumerate() {
        if by_place.len() == index {
            by_place.push(Vec::new());
        }
        by_place[index].push(element);
    }
}
