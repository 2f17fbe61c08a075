//! Removes everything that the clues about the original do not need.
//!
//! The output of a test may say which statement or function of the program the bug is about. Three proposals keep more
//! and more of what is around it: the statements alone, their functions, and the functions on the way to them from an
//! entry with all that they call. What a proposal keeps needs declarations; other functions become prototypes or stubs.
//!
//! before:
//! ```c
//! // clue: g
//! typedef int T; int x, y; int f(int a) { return a + y; }
//! T g(void) { return f(x); } int main(void) { f(2); return g(); }
//! ```
//! after:
//! ```c
//! // clue: g
//! typedef int T; int x; int f(int a) ;
//! T g(void) { return f(x); }
//! ```

use std::collections::{BTreeMap, BTreeSet, HashSet};

use clreduce_language::{NodeId, NodeKind, SymbolId, SyntaxTree, is_entry};
use clreduce_testcase::Mention;

use crate::analysis::{PresumedLines, TopLevelItem, is_statement};
use crate::edit::{ItemNeeds, KeptParts};
use crate::pass::{C_LIKE, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "clues",
    "Keep what the output of the test mentions and what that needs, and nothing else",
    C_LIKE,
    propose,
);

/// A proposal removes one in this number of bytes of the program at least. Otherwise the other passes do as well.
pub(crate) const WORTH_A_TEST: usize = 8;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    // Across files, names would have to be followed through #include: one file at a time only.
    if snapshot.clues().mentions.is_empty()
        || snapshot.file_count() != 1
        || snapshot.tree(0).is_empty()
    {
        return;
    }
    let needs = ItemNeeds::of(snapshot, proposals);
    let program = ClueReader { snapshot, tree: snapshot.tree(0), needs };
    let anchors = program.anchors();
    if anchors.is_empty() {
        return;
    }
    let enough = snapshot.bytes(0).len() / WORTH_A_TEST;
    let kept =
        [program.statements(&anchors), program.bodies(&anchors), program.surroundings(&anchors)];
    let mut last = None;
    for patch in kept.into_iter().filter_map(|kept| program.needs.patch(kept)) {
        let removed: usize = patch.edits().iter().map(|edit| edit.range().len()).sum();
        if removed >= enough && last.as_ref() != Some(&patch) {
            last = Some(patch.clone());
            proposals.push(Proposal::new(patch));
        }
    }
}

/// A part of the program that a clue is about.
#[derive(Clone, Copy)]
struct Anchor {
    item: usize,
    /// The statement, if the clue names one.
    statement: Option<NodeId>,
}

/// Reads the clues about a program.
struct ClueReader<'a> {
    snapshot: &'a Snapshot,
    tree: &'a SyntaxTree,
    needs: ItemNeeds<'a>,
}

impl ClueReader<'_> {
    /// For each clue, the part of the program that it may be about: of several, the smallest.
    fn anchors(&self) -> Vec<Anchor> {
        let lines = PresumedLines::of(self.snapshot, 0);
        let smallest = |places: &Vec<Mention>| {
            let anchors = places.iter().filter_map(|place| self.anchor(&lines, place));
            anchors.min_by_key(|anchor| {
                self.tree
                    .range(anchor.statement.unwrap_or(self.needs.items[anchor.item].node))
                    .len()
            })
        };
        self.snapshot.clues().mentions.iter().filter_map(smallest).collect()
    }

    fn anchor(&self, lines: &PresumedLines, mention: &Mention) -> Option<Anchor> {
        match mention {
            Mention::Name(name) => {
                let mut found = self.snapshot.symbols(0).named(name.as_bytes()).iter();
                let items = found.find_map(|symbol| self.needs.providers.get(symbol))?;
                // A function is where its body is.
                let defined = items.iter().find(|item| self.needs.bodies.contains_key(item));
                let item = *defined.or(items.first())?;
                Some(Anchor { item, statement: None })
            }
            Mention::Place { file, line, column } => {
                let at = lines.offset(file, *line, *column)?;
                let before = |item: &TopLevelItem| self.tree.range(item.node).end <= at;
                let item = self.needs.items.partition_point(before);
                let node = self.needs.items.get(item)?.node;
                if !self.tree.range(node).contains(&at) {
                    return None;
                }
                Some(Anchor { item, statement: self.statement_at(item, at) })
            }
        }
    }

    /// The innermost statement of a function at an offset.
    fn statement_at(&self, item: usize, at: usize) -> Option<NodeId> {
        let body = self.needs.bodies.get(&item)?.node;
        let mut node = body;
        let mut statement = None;
        while let Some(child) =
            self.tree.children(node).find(|&child| self.tree.range(child).contains(&at))
        {
            let kind = self.tree.kind(child);
            if is_statement(kind) && kind != NodeKind::CompoundStatement {
                statement = Some(child);
            }
            node = child;
        }
        statement
    }

    /// Nothing of a function but the statements that clues are about, with the statements around them.
    fn statements(&self, anchors: &[Anchor]) -> KeptParts {
        let mut by_item: BTreeMap<usize, Vec<Option<NodeId>>> = BTreeMap::new();
        for anchor in anchors {
            by_item.entry(anchor.item).or_default().push(anchor.statement);
        }
        let cut = |(item, statements): (usize, Vec<Option<NodeId>>)| {
            // A clue about the whole function adds nothing to one about a statement in it.
            let known: Vec<NodeId> = statements.into_iter().flatten().collect();
            let is_whole = known.is_empty() || !self.needs.bodies.contains_key(&item);
            (item, if is_whole { Vec::new() } else { self.all_but(item, &known) })
        };
        KeptParts { items: by_item.into_iter().map(cut).collect(), is_linked: false }
    }

    /// The statements of a function beside the given ones and those around them. Declarations that these use are no part
    /// of them, nor is the `return` at the end.
    fn all_but(&self, item: usize, statements: &[NodeId]) -> Vec<NodeId> {
        let tree = self.tree;
        let body = self.needs.bodies[&item].node;
        let mut around: HashSet<NodeId> = HashSet::from([body]);
        for &statement in statements {
            around.insert(statement);
            around.extend(tree.ancestors(statement).take_while(|&node| node != body));
        }
        let last = tree.named_children(body).last();
        let last = last.filter(|&node| tree.kind(node) == NodeKind::ReturnStatement);
        let (mut gone, mut declarations) = (Vec::new(), Vec::new());
        let mut nodes = tree.subtree(body);
        let mut next = nodes.next();
        while let Some(node) = next {
            next = nodes.next();
            let parent = tree.node(node).parent;
            let is_listed =
                tree.kind(parent) == NodeKind::CompoundStatement && is_statement(tree.kind(node));
            // A statement that is an expression is left alone.
            let holder = tree.kind(tree.node(parent).parent);
            let is_block = parent == body || is_statement(holder) || holder == NodeKind::ElseClause;
            if !is_listed || !is_block || around.contains(&node) || last == Some(node) {
                continue;
            }
            if matches!(tree.kind(node), NodeKind::Declaration | NodeKind::TypeDefinition) {
                declarations.push(node);
            } else {
                gone.push(node);
            }
            while next.is_some_and(|next| next < tree.node(node).after) {
                next = nodes.next();
            }
        }
        self.unused(item, &declarations, &mut gone);
        gone
    }

    /// Adds the declarations that nothing uses besides what goes.
    fn unused(&self, item: usize, declarations: &[NodeId], gone: &mut Vec<NodeId>) {
        let symbols = self.snapshot.symbols(0);
        let mut without = gone.clone();
        without.extend(declarations);
        let mut used: HashSet<SymbolId> =
            self.needs.nodes(item, &without).filter_map(|node| symbols.of(node)).collect();
        // What a declaration uses is declared before it.
        for &declaration in declarations.iter().rev() {
            let mentioned = || {
                let nodes = self.tree.subtree(declaration);
                nodes.filter_map(|node| Some((node, symbols.of(node)?)))
            };
            let is_used = mentioned().any(|(node, symbol)| {
                used.contains(&symbol) && symbols.get(symbol).declarations.contains(&node)
            });
            if is_used {
                used.extend(mentioned().map(|(_, symbol)| symbol));
            } else {
                gone.push(declaration);
            }
        }
        gone.sort_unstable();
    }

    /// The functions that clues are about.
    fn bodies(&self, anchors: &[Anchor]) -> KeptParts {
        let items = anchors.iter().map(|anchor| (anchor.item, Vec::new())).collect();
        KeptParts { items, is_linked: false }
    }

    /// The functions that clues are about, the functions that they call, and what lies on the way to them from an entry.
    fn surroundings(&self, anchors: &[Anchor]) -> KeptParts {
        let is_entry = |item: &usize| {
            let (whole, bytes) = (self.needs.items[*item].whole, self.snapshot.bytes(0));
            is_entry(self.tree, bytes, whole)
        };
        let entries: Vec<usize> = self.needs.bodies.keys().copied().filter(is_entry).collect();
        let mentioned: Vec<usize> = anchors.iter().map(|anchor| anchor.item).collect();
        let mut calls: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut callers: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for &item in self.needs.bodies.keys() {
            for used in self.needs.used_by(item, &[]).filter(|used| *used != item) {
                calls.entry(item).or_default().insert(used);
                callers.entry(used).or_default().insert(item);
            }
        }
        let leading = reachable(&mentioned, &callers);
        let from_entries = reachable(&entries, &calls);
        let mut kept = reachable(&mentioned, &calls);
        kept.extend(leading.intersection(&from_entries));
        kept.extend(entries.iter().copied());
        kept.retain(|item| self.needs.bodies.contains_key(item) || mentioned.contains(item));
        let items = kept.into_iter().map(|item| (item, Vec::new())).collect();
        KeptParts { items, is_linked: !entries.is_empty() }
    }
}

/// The items that edges lead to from the given ones, which are among them.
fn reachable(from: &[usize], edges: &BTreeMap<usize, BTreeSet<usize>>) -> BTreeSet<usize> {
    let mut found: BTreeSet<usize> = from.iter().copied().collect();
    let mut work = from.to_vec();
    while let Some(at) = work.pop() {
        let next = edges.get(&at).into_iter().flatten();
        work.extend(next.filter(|&&next| found.insert(next)));
    }
    found
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;
    use crate::harness::original;

    /// The variants of a program, the smallest first.
    fn variants(source: &str) -> Vec<String> {
        let case = TestCase::single("a.c", source.as_bytes()).unwrap();
        let proposals = Proposals::of(&PASS, &original(case.clone(), Language::C)).list;
        let text = |proposal: &Proposal| {
            let bytes = case.apply(&proposal.patch).files()[0].bytes.to_vec();
            let text = String::from_utf8(bytes).unwrap();
            text.lines()
                .skip(1)
                .collect::<Vec<_>>()
                .concat()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        };
        proposals.iter().map(text).collect()
    }

    const PROGRAM: &str = "int a, b; static int leaf(int x) { return x + a; }\n\
        static int other(int x) { return x + b; }\n\
        static int far(int x) { x = x * 2 + 1; x = x * 3 + 1; x = x * 4 + 1; x = x * 5 + 1; return x; }\n\
        static int here(int x) {\n  int y = 1, z = 2;\n  other(z);\n  if (x) { z++;\n    y = leaf(x); }\n  return y;\n}\n\
        static int way(void) { far(3); return here(1); }\n\
        int main(void) { far(4); return way(); }\n";

    #[test]
    fn more_and_more_around_a_statement_is_kept() {
        assert_eq!(
            variants(&format!("// clue: 9:5\n{PROGRAM}")),
            [
                "static int leaf(int x) ;static int here(int x) { int y = 1, z = 2; if (x) { y = leaf(x); } return y;}",
                "static int leaf(int x) ;static int other(int x) ;static int here(int x) { int y = 1, z = 2; other(z); \
                 if (x) { z++; y = leaf(x); } return y;}",
                "int a, b; static int leaf(int x) { return x + a; }static int other(int x) { return x + b; }static int \
                 far(int x) { return 0; }static int here(int x) { int y = 1, z = 2; other(z); if (x) { z++; y = leaf(x); } \
                 return y;}static int way(void) { far(3); return here(1); }int main(void) { far(4); return way(); }",
            ]
        );
    }

    #[test]
    fn clues_about_nothing_propose_nothing() {
        for clue in ["nobody", "99:1", "1:1", "y", "leaf::x", "", "4294967295:4294967295", "0:0"] {
            assert_eq!(variants(&format!("// clue: {clue}\n{PROGRAM}")), [""; 0], "{clue}");
        }
    }

    /// Every place of a program may be in a message.
    #[test]
    fn every_place_gives_programs_that_parse() {
        let source = include_str!("../../fixtures/clues.c");
        let source = source.split_once("// keep:").unwrap().0;
        let mut count = 0;
        for line in 2..=source.lines().count() {
            for column in [1, 5, 20, 40] {
                let source = source.replacen("17:5", &format!("{line}:{column}"), 1);
                let case = TestCase::single("a.c", source.as_bytes()).unwrap();
                let proposals = Proposals::of(&PASS, &original(case.clone(), Language::C)).list;
                for proposal in proposals {
                    let variant = Snapshot::new(case.apply(&proposal.patch), Language::C);
                    let text = String::from_utf8_lossy(variant.bytes(0));
                    assert!(!variant.tree(0).has_error(NodeId(0)), "{line}:{column}: {text}");
                    count += 1;
                }
            }
        }
        assert!(count > 50, "{count}");
    }
}
