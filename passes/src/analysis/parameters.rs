//! Parameters of functions, in definitions and in prototypes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use clreduce_language::{NodeField, NodeId, NodeKind, SymbolKind, Symbols, SyntaxTree};
use clreduce_testcase::step;

use super::functions::Function;
use crate::snapshot::Snapshot;

/// The parameters in the definition of a function.
pub(crate) fn parameters_of(snapshot: &Snapshot, function: &Function) -> Vec<NodeId> {
    let tree = snapshot.tree(function.file);
    let list = parameter_list(tree, function.name);
    list.map(|list| parameters(tree, list)).unwrap_or_default()
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

/// Lists of named children that are read once, however often they are looked at.
pub(crate) struct Lists<'a> {
    tree: &'a SyntaxTree,
    read: fn(&SyntaxTree, NodeId) -> Vec<NodeId>,
    known: RefCell<HashMap<NodeId, Rc<[NodeId]>>>,
}

impl<'a> Lists<'a> {
    /// Lists of parameters, as [`parameters`] reads them.
    pub(crate) fn of_parameters(tree: &'a SyntaxTree) -> Self {
        Self { tree, read: parameters, known: RefCell::default() }
    }

    /// Lists of any elements.
    pub(crate) fn of_elements(tree: &'a SyntaxTree) -> Self {
        Self {
            tree,
            read: |tree, list| tree.named_children(list).collect(),
            known: RefCell::default(),
        }
    }

    /// The elements of a list.
    pub(crate) fn get(&self, list: NodeId) -> Rc<[NodeId]> {
        step();
        let mut known = self.known.borrow_mut();
        let elements = known.entry(list).or_insert_with(|| (self.read)(self.tree, list).into());
        Rc::clone(elements)
    }

    /// The place of an element in its list, from 0; `None` if it is not in the list.
    pub(crate) fn place(&self, list: NodeId, element: NodeId) -> Option<usize> {
        self.get(list).binary_search(&element).ok()
    }
}
