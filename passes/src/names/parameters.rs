//! Removes parameters together with the arguments that calls give for them.
//!
//! before:
//! ```c
//! int f(int a, int b) { return a + b; } int g(void) { return f(1, 2); }
//! ```
//! after:
//! ```c
//! int f(int a) { return a + 0; } int g(void) { return f(1); }
//! ```

use clreduce_language::{NodeField, NodeId, NodeKind, SymbolId, SymbolKind, Symbols, SyntaxTree};
use clreduce_testcase::{Edit, Patch};

use super::functions::{Function, MOST_DECLARATIONS, functions};
use super::uses::without;
use crate::pass::{PARSED, Pass, PassInfo, Proposal};
use crate::snapshot::Snapshot;

/// See the [module](self).
pub struct RemoveParameters;

impl Pass for RemoveParameters {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "remove-parameters",
            "Remove parameters with their arguments, and put 0 where they were used",
            PARSED,
        )
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let removal = |(file, symbol, index): (usize, SymbolId, usize)| {
            let mut is_used = false;
            let edits = remove_parameter(snapshot, file, symbol, index, |name| {
                is_used = true;
                Some(without(snapshot, file, name))
            });
            // Most of those that nothing uses can go together.
            Some(Proposal::new(Patch::new(edits?)?).in_list(u32::from(is_used)))
        };
        let defined = all_parameters(snapshot)
            .map(|(function, index, _)| (function.file, function.symbol, index));
        defined.chain(declared_parameters(snapshot)).filter_map(removal).collect()
    }
}

/// The parameters of functions that are declared and not defined: the file, the function, the place.
fn declared_parameters(snapshot: &Snapshot) -> impl Iterator<Item = (usize, SymbolId, usize)> {
    (0..snapshot.file_count()).flat_map(|file| {
        let (tree, symbols) = (snapshot.tree(file), snapshot.symbols(file));
        let functions = symbols.ids().filter(|&id| {
            let symbol = symbols.get(id);
            symbol.kind == SymbolKind::Function
                && symbol.declarations.len() <= MOST_DECLARATIONS
                && !symbol.is_defined(tree)
        });
        functions.flat_map(move |id| {
            let lists = symbols.get(id).declarations.iter();
            let counts =
                lists.filter_map(|&name| Some(parameters(tree, parameter_list(tree, name)?).len()));
            (0..counts.max().unwrap_or(0)).map(move |index| (file, id, index))
        })
    })
}

/// The parameters of all functions that are defined: the function, the place in its list, the declaration.
pub(super) fn all_parameters(
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

/// Edits that remove one parameter everywhere, its uses treated one by one; `None` where a declaration
/// or call cannot be seen or does not fit.
pub(super) fn remove_parameter(
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

/// The identifier that a parameter's declaration names.
pub(super) fn parameter_name(
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

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn arguments_go_with_their_parameter() {
        let source = "int f(int, int);\nint f(int a, int b) { return a + b; }\nint g(void) { return f(1, 2); }";
        let reduced =
            reduce_with(&RemoveParameters, source, Language::C, |text| text.contains("int a"));
        assert_eq!(
            reduced,
            "int f(int);\nint f(int a) { return a + 0; }\nint g() { return f(1); }"
        );
    }
}
