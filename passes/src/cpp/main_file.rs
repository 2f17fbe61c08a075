//! Removes declarations, members and statements of the file that was compiled, as long as line markers tell it from its headers.
//!
//! It is a small part of a preprocessed program, and decides how much of the headers is needed. These proposals are among those
//! that [`cuts`](super::cuts) compares. The pass itself runs where line markers have to stay.
//!
//! before:
//! ```cpp
//! # 1 "a.cc"
//! # 1 "h.h" 1
//! struct H { int h; };
//! # 2 "a.cc" 2
//! struct A { int f(); H g(); };
//! int A::f() { H h; return 1; }
//! ```
//! after:
//! ```cpp
//! # 1 "a.cc"
//! # 1 "h.h" 1
//! struct H { int h; };
//! # 2 "a.cc" 2
//! struct A { int f(); };
//! int A::f() { return 1; }
//! ```

use std::collections::{HashMap, HashSet};

use clreduce_language::{EntityId, ItemId, ItemKind, NodeId, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Unit, is_in, main_file, with_semicolon};
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-main-file",
    "Remove declarations and statements that line markers say are from the main file",
    CPP,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let main = main_file(unit.bytes);
        let is_main = |node: NodeId| is_in(&main, unit.tree.range(node).start);
        if main.is_empty() {
            continue;
        }
        let declared_with = declared_with(snapshot, unit, &is_main);
        let levels = levels(unit);
        for id in unit.tree.ids().skip(1).filter(|&id| is_part(unit, id) && is_main(id)) {
            let alone = [id];
            let parts = declared_with.get(&id).map_or(&alone[..], Vec::as_slice);
            let edits = parts.iter().map(|&part| unit.delete(with_semicolon(unit.tree, part)));
            let patch = Patch::new(edits.collect::<Vec<Edit>>());
            let level = levels[id.0 as usize];
            proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(level)));
        }
    }
}

/// Returns whether a node stands in a list of declarations or statements.
pub(super) fn is_part(unit: Unit<'_>, id: NodeId) -> bool {
    let node = unit.tree.node(id);
    let is_code = !matches!(node.kind, NodeKind::Comment | NodeKind::AccessSpecifier);
    holds_parts(unit.tree.kind(node.parent))
        && node.named
        && is_code
        && !node.damaged
        && node.field.is_none()
        && node.start < node.end
}

fn holds_parts(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::TranslationUnit
            | NodeKind::DeclarationList
            | NodeKind::FieldDeclarationList
            | NodeKind::CompoundStatement
    )
}

/// The number of lists around each node.
fn levels(unit: Unit<'_>) -> Vec<u32> {
    let mut levels: Vec<u32> = Vec::with_capacity(unit.tree.len());
    for id in unit.tree.ids() {
        let parent = unit.tree.node(id).parent;
        let around = levels.get(parent.0 as usize).copied().unwrap_or(0);
        levels.push(around + u32::from(holds_parts(unit.tree.kind(id))));
    }
    levels
}

/// For the first declaration of something that is declared several times in the main file, all of them.
fn declared_with(
    snapshot: &Snapshot,
    unit: Unit<'_>,
    is_main: &dyn Fn(NodeId) -> bool,
) -> HashMap<NodeId, Vec<NodeId>> {
    let entities = snapshot.entities(unit.file);
    let mut seen: HashSet<EntityId> = HashSet::new();
    let mut found = HashMap::new();
    let node = |id: ItemId| entities.item(id).node;
    for id in entities.ids().filter(|&id| is_main(node(id))) {
        let item = entities.item(id);
        let Some(&entity) = item.declares.first() else { continue };
        let is_container = matches!(item.kind, ItemKind::Namespace | ItemKind::Using);
        if is_container || !seen.insert(entity) {
            continue;
        }
        let all = entities.declarations(entity).iter().map(|&id| node(id));
        let all: Vec<NodeId> = all.filter(|&node| is_main(node)).collect();
        if all.len() > 1 {
            found.insert(item.node, all);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn headers_are_left_alone() {
        let before = "# 1 \"a.cc\"\n# 1 \"h.h\" 1\nint h; int g() { return 1; }\n# 2 \"a.cc\" 2\n\
                      int x; int f() { { g(); h = 1; } return 2; } int f(int) { return 3; }\n";
        let after = "# 1 \"a.cc\"\n# 1 \"h.h\" 1\nint h; int g() { return 1; }\n# 2 \"a.cc\" 2\n\
                     int f() { { h = 1; } }\n";
        assert_reduces(&PASS, Language::CPP, before, &["int f() {", "h = 1"], after);
        assert_reduces(&PASS, Language::CPP, "int x;\n", &[], "int x;\n");
    }
}
