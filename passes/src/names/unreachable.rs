//! Removes what nothing needed reaches.
//!
//! A use graph over the items of file scope (declarations, definitions, single declarators of a
//! list) is followed from the kernels or `main`; without either, from the functions that other files can call, then from
//! every function, and without functions from every variable. What it does not reach is proposed, so that it goes in one
//! question where the graph is complete.
//!
//! before:
//! ```c
//! struct S { int a; }; int x, y; static int f(void) { return x; } int main(void) { return y; }
//! ```
//! after:
//! ```c
//! int y; int main(void) { return y; }
//! ```

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use clreduce_language::{NodeField, NodeId, NodeKind, SymbolId, SyntaxTree, is_entry};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{TopLevelItem, is_declaration, items, providers, with_semicolon};
use crate::budget::Budget;
use crate::pass::{C_LIKE, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "unreachable",
    "Remove everything that neither a kernel nor main reaches",
    C_LIKE,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    // Across files, names would have to be followed through #include: one file at a time only.
    if snapshot.file_count() != 1 {
        return;
    }
    let tree = snapshot.tree(0);
    if tree.is_empty() {
        return;
    }
    let items = items(snapshot);
    let providers = providers(snapshot, &items);
    let reached = reached(snapshot, &items, &providers, &[]);
    let removals = removals(tree, &items, &reached);
    let users = users(snapshot, &items, &removals, &providers, proposals);
    for index in 0..removals.len() {
        let together = with_users(index, &users, proposals);
        let edits = together.into_iter().map(|at| removals[at].1.clone()).collect();
        proposals.extend(Patch::new(edits).map(Proposal::new));
    }
}

/// The edits that remove what nothing needed reaches without the ranges that other edits remove, which are in order.
pub(crate) fn unreachable_without(snapshot: &Snapshot, other: &[Edit]) -> Vec<Edit> {
    if snapshot.file_count() != 1 || snapshot.tree(0).is_empty() {
        return Vec::new();
    }
    let items = items(snapshot);
    let reached = reached(snapshot, &items, &providers(snapshot, &items), other);
    removals(snapshot.tree(0), &items, &reached).into_iter().map(|(_, edit)| edit).collect()
}

/// The items that are not reached, with the edit that removes them: those of one declaration together,
/// or where something else in it is reached one by one.
fn removals(
    tree: &SyntaxTree,
    items: &[TopLevelItem],
    reached: &[bool],
) -> Vec<(Range<usize>, Edit)> {
    let mut removals = Vec::new();
    let mut start = 0;
    // The items of one declaration stand side by side.
    for parts in items.chunk_by(|a, b| a.whole == b.whole) {
        let indices = start..start + parts.len();
        start = indices.end;
        if !reached[indices.clone()].contains(&true) {
            removals.push((indices, Edit::delete(0, with_semicolon(tree, parts[0].whole))));
            continue;
        }
        for index in indices.filter(|&index| !reached[index]) {
            let edit = Edit::delete_element(0, tree.range(items[index].node));
            removals.push((index..index + 1, edit));
        }
    }
    removals
}

/// For each removal, those of what uses something that it removes.
fn users(
    snapshot: &Snapshot,
    items: &[TopLevelItem],
    removals: &[(Range<usize>, Edit)],
    providers: &HashMap<SymbolId, Vec<usize>>,
    proposals: &mut Proposals,
) -> Vec<BTreeSet<usize>> {
    let (tree, symbols) = (snapshot.tree(0), snapshot.symbols(0));
    let mut removal_of = vec![None; items.len()];
    for (removal, (indices, _)) in removals.iter().enumerate() {
        removal_of[indices.clone()].fill(Some(removal));
    }
    let mut users = vec![BTreeSet::new(); removals.len()];
    for (user, (indices, _)) in removals.iter().enumerate() {
        let nodes = items[indices.clone()].iter().flat_map(|item| tree.subtree(item.node));
        let used = nodes.filter_map(|node| providers.get(&symbols.of(node)?));
        let used = used.filter(|items| proposals.allow(&MOST_USERS, items.len())).flatten();
        for provider in used.filter_map(|&item| removal_of[item]) {
            users[provider].insert(user);
        }
    }
    users
}

/// Most removals in one patch. What more than that uses goes alone: together with all else that is not
/// reached, the order does not matter.
const MOST_USERS: Budget = Budget::new("declarations that go together", 16);

/// A removal, with those of everything that needs what it removes.
fn with_users(
    removal: usize,
    users: &[BTreeSet<usize>],
    proposals: &mut Proposals,
) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([removal]);
    let mut work = vec![removal];
    while let Some(at) = work.pop() {
        work.extend(users[at].iter().filter(|&&user| found.insert(user)));
        if !proposals.allow(&MOST_USERS, found.len()) {
            return BTreeSet::from([removal]);
        }
    }
    found
}

/// For every item, whether it is reached other than from `gone`.
fn reached(
    snapshot: &Snapshot,
    items: &[TopLevelItem],
    providers: &HashMap<SymbolId, Vec<usize>>,
    gone: &[Edit],
) -> Vec<bool> {
    let (tree, symbols) = (snapshot.tree(0), snapshot.symbols(0));
    let opaque = symbols.ids().filter(|&symbol| symbols.get(symbol).opaque);
    let provided = opaque.filter_map(|symbol| providers.get(&symbol));
    let mut work: Vec<usize> = provided.flatten().copied().collect();
    work.extend(roots(snapshot, items));
    let mut reached = vec![false; items.len()];
    // Each symbol is followed once: one with many declarations leads to all of them from each.
    let mut followed = HashSet::new();
    // So are the specifiers that the items of one declaration share.
    let mut opened = HashSet::new();
    while let Some(index) = work.pop() {
        if std::mem::replace(&mut reached[index], true) {
            continue;
        }
        let item = &items[index];
        let shares = item.node != item.whole && opened.insert(item.whole);
        let specifiers = tree
            .children(item.whole)
            .take_while(|_| shares)
            .filter(|&child| tree.node(child).field != Some(NodeField::Declarator));
        let nodes = specifiers.flat_map(|child| tree.subtree(child)).chain(tree.subtree(item.node));
        let stays = |&node: &NodeId| {
            let at = tree.range(node).start;
            let next = gone.partition_point(|edit| edit.range().end <= at);
            gone.get(next).is_none_or(|edit| at < edit.range().start)
        };
        let used = nodes.filter(stays).filter_map(|node| symbols.of(node));
        let used = used.filter(|&id| followed.insert(id));
        let used = used.filter_map(|id| providers.get(&id));
        work.extend(used.flatten().copied().filter(|&index| !reached[index]));
    }
    reached
}

/// The items everything is followed from.
fn roots(snapshot: &Snapshot, items: &[TopLevelItem]) -> Vec<usize> {
    let tree = snapshot.tree(0);
    let indices = || 0..items.len();
    let kind = |index: usize| tree.kind(items[index].whole);
    let unknown = indices().filter(|&index| !is_declaration(tree, &items[index]));
    let entries: Vec<usize> = indices()
        .filter(|&index| {
            kind(index) == NodeKind::FunctionDefinition
                && is_entry(tree, snapshot.bytes(0), items[index].whole)
        })
        .collect();
    let functions: Vec<usize> =
        indices().filter(|&index| kind(index) == NodeKind::FunctionDefinition).collect();
    let is_static = |node| {
        tree.kind(node) == NodeKind::StorageClassSpecifier
            && &snapshot.bytes(0)[tree.range(node)] == b"static"
    };
    // Other files can call these.
    let external: Vec<usize> = functions
        .iter()
        .copied()
        .filter(|&index| !tree.children(items[index].whole).any(is_static))
        .collect();
    let variables = indices().filter(|&index| kind(index) == NodeKind::Declaration);
    let chosen = if !entries.is_empty() {
        entries
    } else if !external.is_empty() {
        external
    } else if !functions.is_empty() {
        functions
    } else {
        variables.collect()
    };
    unknown.chain(chosen).collect()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    fn reduce(source: &str) -> String {
        reduce_with(&PASS, source, Language::C, |_| true).trim().to_string()
    }

    #[test]
    fn follows_types_variables_and_functions() {
        assert_eq!(
            reduce(
                "typedef int int32_t; struct S { int a; };\nint x, y; static int f(void) { return x; }\n\
                 enum { A, B };\nint32_t main(void) { return y + B; }"
            ),
            "typedef int int32_t; \nint  y; \nenum { A, B };\nint32_t main(void) { return y + B; }"
        );
    }

    #[test]
    fn what_is_removed_alone_takes_its_users_along() {
        let source = "int f(int); int g(void) { return f(1); } int f(int x) { return 0; } int y;\n\
                      int main(void) { return 0; }";
        let case = clreduce_testcase::TestCase::single("a.c", source.as_bytes()).unwrap();
        let proposals = Proposals::of(&PASS, &Snapshot::new(case, Language::C)).list;
        let edits = proposals.iter().map(|proposal| proposal.patch.edits().len());
        // Both declarations of `f` with `g`; `g` alone; `y` alone.
        assert_eq!(edits.collect::<Vec<_>>(), [3, 1, 3, 1]);
    }

    #[test]
    fn kernels_are_entries() {
        let source = "void g(void) {}\n__kernel void entry(__global ulong *r) { *r = 1; }";
        let reduced = reduce_with(&PASS, source, Language::OPENCL, |_| true);
        assert_eq!(reduced.trim(), "__kernel void entry(__global ulong *r) { *r = 1; }");
    }

    #[test]
    fn without_an_entry_static_functions_are_needed_only_by_others() {
        let source = "static void f(void) {}\nstatic void g(void) {}\nvoid h(void) { f(); }";
        assert_eq!(reduce(source), "static void f(void) {}\nvoid h(void) { f(); }");
        let source = "static void f(void) {}\nstatic void g(void) { f(); }";
        assert_eq!(reduce(source), source);
    }

    #[test]
    fn what_macros_mention_stays() {
        let source = "#define M x\nint x; int y;\nint main(void) { return M; }";
        assert_eq!(reduce(source), "#define M x\nint x; \nint main(void) { return M; }");
    }
}
