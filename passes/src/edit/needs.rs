//! Keeps parts of a program with everything that they need, and removes the rest.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use clreduce_language::{NodeField, NodeId, SymbolId, SyntaxTree};
use clreduce_testcase::{Edit, Patch};

use super::stub_of;
use crate::analysis::{TopLevelItem, functions, is_declaration, items, providers, with_semicolon};
use crate::pass::Proposals;
use crate::snapshot::Snapshot;

/// The parts of the program that are kept for their own sake.
pub(crate) struct KeptParts {
    /// By item, the statements that are not kept.
    pub(crate) items: BTreeMap<usize, Vec<NodeId>>,
    /// True if functions that are called must have a body.
    pub(crate) is_linked: bool,
}

/// The items of a program, and what they need.
pub(crate) struct ItemNeeds<'a> {
    snapshot: &'a Snapshot,
    tree: &'a SyntaxTree,
    pub(crate) items: Vec<TopLevelItem>,
    /// By symbol of file scope, the items that declare it.
    pub(crate) providers: HashMap<SymbolId, Vec<usize>>,
    /// The bodies of the items that are functions.
    pub(crate) bodies: BTreeMap<usize, FunctionBody>,
    /// Items whose purpose is not known. They always stay.
    unknown: Vec<usize>,
}

pub(crate) struct FunctionBody {
    pub(crate) node: NodeId,
    /// The body that takes its place where the function must have one.
    stub: Cow<'static, [u8]>,
}

impl<'a> ItemNeeds<'a> {
    /// The items of the first file of a snapshot.
    pub(crate) fn of(snapshot: &'a Snapshot, proposals: &mut Proposals) -> Self {
        let (tree, symbols) = (snapshot.tree(0), snapshot.symbols(0));
        let items = items(snapshot);
        let providers = providers(snapshot, &items);
        let of_definition: HashMap<NodeId, usize> =
            items.iter().enumerate().map(|(index, item)| (item.whole, index)).collect();
        let mut bodies = BTreeMap::new();
        for function in functions(snapshot, proposals) {
            if let Some(&item) = of_definition.get(&function.definition)
                && !tree.has_error(function.definition)
            {
                let stub = stub_of(snapshot, &function);
                bodies.insert(item, FunctionBody { node: function.body, stub });
            }
        }
        let opaque = symbols.ids().filter(|&symbol| symbols.get(symbol).opaque);
        let opaque = opaque.filter_map(|symbol| providers.get(&symbol)).flatten().copied();
        let unknown = (0..items.len()).filter(|&item| !is_declaration(tree, &items[item]));
        let unknown = unknown.chain(opaque).collect();
        Self { snapshot, tree, items, providers, bodies, unknown }
    }

    /// The nodes of an item without some of its parts, which are in source order.
    pub(crate) fn nodes<'b>(
        &'b self,
        item: usize,
        without: &'b [NodeId],
    ) -> impl Iterator<Item = NodeId> + 'b {
        let TopLevelItem { node, whole } = self.items[item];
        let specifiers = self.tree.children(whole).filter(move |&child| {
            node != whole && self.tree.node(child).field != Some(NodeField::Declarator)
        });
        let nodes = specifiers.flat_map(|child| self.tree.subtree(child));
        let mut gone = without.to_vec();
        gone.sort_unstable();
        let mut gone = gone.into_iter().peekable();
        let mut skipped_to = NodeId(0);
        nodes.chain(self.tree.subtree(node)).filter(move |&node| {
            while gone.next_if(|part| *part < node).is_some() {}
            if gone.peek() == Some(&node) {
                skipped_to = self.tree.node(node).after;
            }
            node >= skipped_to
        })
    }

    /// The items that provide what an item uses, without some of its parts.
    pub(crate) fn used_by<'b>(
        &'b self,
        item: usize,
        without: &'b [NodeId],
    ) -> impl Iterator<Item = usize> + 'b {
        let symbols = self.snapshot.symbols(0);
        let used = self.nodes(item, without).filter_map(|node| symbols.of(node));
        let mut seen = HashSet::new();
        let used = used.filter(move |&symbol| seen.insert(symbol));
        used.filter_map(|symbol| self.providers.get(&symbol)).flatten().copied()
    }

    /// Keeps the given parts with everything that they need, and removes the rest; `None` if nothing goes.
    pub(crate) fn patch(&self, mut kept: KeptParts) -> Option<Patch> {
        for &item in &self.unknown {
            kept.items.insert(item, Vec::new());
        }
        let mut is_kept = vec![false; self.items.len()];
        let mut work: Vec<usize> = kept.items.keys().copied().collect();
        while let Some(item) = work.pop() {
            if std::mem::replace(&mut is_kept[item], true) {
                continue;
            }
            let body = self.bodies.get(&item).map(|body| body.node);
            let without = match kept.items.get(&item) {
                Some(gone) => gone.clone(),
                None => body.into_iter().collect(),
            };
            work.extend(self.used_by(item, &without).filter(|&used| !is_kept[used]));
        }
        let mut edits = self.removals(&is_kept);
        for (item, body) in self.bodies.iter().filter(|(item, _)| is_kept[**item]) {
            let Some(gone) = kept.items.get(item) else {
                let text = if kept.is_linked { body.stub.clone() } else { b";".as_slice().into() };
                edits.push(Edit::replace(0, self.tree.range(body.node), text));
                continue;
            };
            let ranges = gone.iter().map(|&node| with_semicolon(self.tree, node));
            edits.extend(ranges.map(|range| Edit::delete(0, range)));
        }
        Patch::new(edits).filter(|patch| !patch.is_empty())
    }

    fn removals(&self, is_kept: &[bool]) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut start = 0;
        // The items of one declaration stand side by side.
        for parts in self.items.chunk_by(|a, b| a.whole == b.whole) {
            let indices: Range<usize> = start..start + parts.len();
            start = indices.end;
            if !is_kept[indices.clone()].contains(&true) {
                edits.push(Edit::delete(0, with_semicolon(self.tree, parts[0].whole)));
                continue;
            }
            let gone = indices.filter(|&index| !is_kept[index]);
            let ranges = gone.map(|index| self.tree.range(self.items[index].node));
            edits.extend(ranges.map(|range| Edit::delete_element(0, range)));
        }
        edits
    }
}
