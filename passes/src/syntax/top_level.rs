//! Removes functions, declarations, type definitions and directives without understanding them.
//!
//! before:
//! ```c
//! struct S { int a; }; int x; void f(void) { }
//! ```
//! after:
//! ```c
//! struct S { int a; }; void f(void) { }
//! ```

use std::collections::HashSet;

use clreduce_language::{ItemId, ItemKind, NodeKind};
use clreduce_testcase::Feature;

use crate::analysis::{Unit, with_semicolon};
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot, Symbol, SymbolKind};

pub(crate) const PASS: Pass = Pass::new(
    "top-level",
    "Remove functions, declarations, types and directives outside functions",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let holders = holders(unit);
        let mut needed = needed(snapshot, unit, &holders);
        // In C++, another pass removes each of them, together with all other declarations of its entity.
        if snapshot.language().has(Feature::Classes) {
            let entities = snapshot.entities(unit.file);
            let is_opaque = |id: &ItemId| entities.item(*id).kind == ItemKind::Opaque;
            let known = entities.ids().filter(|id| !is_opaque(id));
            needed.extend(known.map(|id| entities.item(id).node));
        }
        for list in unit.tree.ids().filter(|id| holders[id.0 as usize]) {
            for item in unit.tree.children(list).filter(|&item| is_item(unit, item)) {
                if needed.contains(&item) {
                    continue;
                }
                let range = with_semicolon(unit.tree, item);
                let level = unit.tree.node(list).depth;
                proposals.push(Proposal::edit(unit.delete(range)).in_list(level));
            }
        }
    }
}

/// Which nodes hold items: the file, `extern "C"` and the conditionals of the preprocessor in them.
fn holders(unit: Unit<'_>) -> Vec<bool> {
    let mut holders: Vec<bool> = Vec::with_capacity(unit.tree.len());
    for id in unit.tree.ids() {
        let kind = unit.tree.kind(id);
        let conditional = kind.is_preproc_conditional();
        let parent = unit.tree.node(id).parent;
        let holds = id.0 == 0
            || kind == NodeKind::DeclarationList
            || conditional && holders.get(parent.0 as usize) == Some(&true);
        holders.push(holds);
    }
    holders
}

/// The items without which a use elsewhere would be left undeclared. C lets functions be undeclared.
fn needed(snapshot: &Snapshot, unit: Unit<'_>, holders: &[bool]) -> HashSet<NodeId> {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let may_be_undeclared = |symbol: &Symbol| {
        symbol.opaque
            || symbol.kind == SymbolKind::Function
                && snapshot.language().has(Feature::ImplicitDeclarations)
    };
    let is_item = |&node: &NodeId| holders[tree.node(node).parent.0 as usize];
    let items = tree.nearest_ancestors(|node| is_item(&node));
    let mut needed = HashSet::new();
    for symbol in symbols.ids().map(|id| symbols.get(id)) {
        if symbol.scope != NodeId(0) || may_be_undeclared(symbol) {
            continue;
        }
        // A use behind several declarations could do without any one of them, but not a use of a type.
        let is_type = matches!(symbol.kind, SymbolKind::Tag | SymbolKind::Typedef);
        let [first, second @ ..] = &symbol.declarations[..] else { continue };
        let end = second.first().filter(|_| !is_type).map_or(NodeId(u32::MAX), |&second| second);
        let mut uses = symbol.uses.clone();
        uses.sort_unstable();
        for name in if is_type { &symbol.declarations[..] } else { std::slice::from_ref(first) } {
            let Some((item, _)) = items[name.0 as usize] else { continue };
            let inside = item..tree.node(item).after;
            // The uses in the item stand side by side.
            let before = uses.first().is_some_and(|&node| node < inside.start.min(end));
            let behind = uses.partition_point(|&node| node < inside.end);
            if before || uses.get(behind).is_some_and(|&node| node < end) {
                needed.insert(item);
            }
        }
    }
    needed
}

/// Returns true if a child of such a node can be deleted. An error can, unless the whole file is one: it stands
/// where an item would.
fn is_item(unit: Unit<'_>, id: NodeId) -> bool {
    let node = unit.tree.node(id);
    let is_part_of_a_directive = node.field.is_some() || node.kind.is_preproc_alternative();
    let in_place = !node.damaged || node.error && !unit.tree.node(node.parent).damaged;
    in_place
        && node.named
        && node.start < node.end
        && node.kind != NodeKind::Comment
        && !is_part_of_a_directive
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn what_is_declared_goes_with_its_semicolon_and_qualifiers() {
        let before = "struct S { int a; };\n__constant int c = 1;\n__kernel void entry(void) { }\n";
        assert_reduces(&PASS, Language::OPENCL, before, &[], "");
    }

    #[test]
    fn what_is_used_elsewhere_stays() {
        let same = "typedef int t;\nint f(t);\n__kernel void entry(void) { f(1); }\n";
        assert_reduces(&PASS, Language::OPENCL, same, &["entry"], same);
        let after = "typedef int t;\nvoid entry(t x) { f(x); }\n";
        let before = "typedef int t;\nint f(t);\nvoid entry(t x) { f(x); }\n";
        assert_reduces(&PASS, Language::C, before, &["entry"], after);
    }

    #[test]
    fn items_of_a_conditional_are_a_level_of_their_own() {
        assert_reduces(
            &PASS,
            Language::C,
            "#if X\nint a;\nint b;\n#else\nint c;\n#endif\n",
            &["#else", "int a"],
            "#if X\nint a;\n#else\n#endif",
        );
    }
}
