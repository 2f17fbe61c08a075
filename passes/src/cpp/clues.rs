//! Removes everything that the clues about the original do not need, in C++.
//!
//! The output of a test may say at which places of the program the bug is. The first proposal keeps the declarations at these
//! places, and what they need. Each further one also keeps the declarations of the main file that mention what is kept already:
//! templates are instantiated only where they are used. First of them, it keeps only the statements that mention it, and those that
//! declare what these mention.
//!
//! before:
//! ```cpp
//! // clue: 3:30
//! struct A { int f(); int g(); }; struct B { };
//! B b; template <class T> struct C { A a = T(); };
//! int main() { return 0; }
//! ```
//! after:
//! ```cpp
//! // clue: 3:30
//! struct A { };
//! template <class T> struct C { A a = T(); };
//! ```

use std::collections::BTreeSet;
use std::ops::Range;

use clreduce_language::{Entities, Follow, ItemId, ItemKind, Reach};
use clreduce_testcase::{Edit, Mention, Patch};

use super::slice::unrelated;
use super::uses::MainFile;
use crate::analysis::{PresumedLines, Unit, is_in, main_file};
use crate::edit::unreached;
use crate::names::clues::WORTH_A_TEST;
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-clues",
    "Keep the C++ that the output of the test mentions and what that needs, and nothing else",
    CPP,
    propose,
);

/// The most mentions from a clue to an item that can have something to do with it.
const MOST_STEPS: usize = 6;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let one_file = Unit::all(snapshot).next().filter(|_| snapshot.file_count() == 1);
    let Some(unit) = one_file.filter(|_| !snapshot.clues().mentions.is_empty()) else { return };
    let entities = snapshot.entities(0);
    let mut roots = anchors(snapshot, unit, entities);
    let anchors: Vec<Range<usize>> =
        roots.iter().map(|&id| entities.range(unit.tree, id)).collect();
    let ranges = main_or_all(unit);
    let main = MainFile::new(snapshot, unit, &ranges);
    let enough = unit.bytes.len() / WORTH_A_TEST;
    let (mut last, mut names) = (None, BTreeSet::new());
    for _ in 0..MOST_STEPS {
        if roots.is_empty() {
            return;
        }
        let statements = match names.is_empty() {
            true => Vec::new(),
            false => unrelated(&main, &names, &anchors),
        };
        let mut is_enough = false;
        for gone in [Vec::new(), statements] {
            let patch = all_but(unit, entities, &roots, gone);
            let size = |patch: &Patch| -> usize {
                patch.edits().iter().map(|edit| edit.range().len()).sum()
            };
            let patch = patch.filter(|patch| size(patch) >= enough);
            is_enough |= patch.is_some();
            let patch = patch.filter(|patch| last.as_ref() != Some(patch));
            last = patch.clone().or(last);
            proposals.extend(patch.map(Proposal::new));
        }
        let declared = roots.iter().flat_map(|&id| &entities.item(id).declares);
        names.extend(declared.map(|&entity| entities.name(entity)));
        let before = roots.len();
        with_users(unit, entities, &mut roots);
        if roots.len() == before || !is_enough {
            return;
        }
    }
}

/// The main file, or all of the program where line markers do not tell.
fn main_or_all(unit: Unit<'_>) -> Vec<Range<usize>> {
    let main = main_file(unit.bytes);
    if main.is_empty() { std::iter::once(0..unit.bytes.len()).collect() } else { main }
}

/// The patch that removes some statements, and everything that some items do not need then.
fn all_but(
    unit: Unit<'_>,
    entities: &Entities,
    roots: &[ItemId],
    statements: Vec<Range<usize>>,
) -> Option<Patch> {
    let statements = statements.into_iter().map(|range| unit.delete(range)).collect();
    let statements = Patch::new(statements)?;
    let without: Vec<Range<usize>> = statements.edits().iter().map(Edit::range).collect();
    let follow = Follow { without: &without, ..Follow::from(roots, Reach::Narrow) };
    let reached = entities.reached(unit.tree, follow);
    statements.union(&Patch::new(unreached(unit, entities, &reached))?)
}

/// The items at the places that clues name; if there are none, the functions that they name.
fn anchors(snapshot: &Snapshot, unit: Unit<'_>, entities: &Entities) -> Vec<ItemId> {
    let lines = PresumedLines::of(snapshot, 0);
    let mentions = || snapshot.clues().mentions.iter().flatten();
    let place = |mention: &Mention| match mention {
        Mention::Place { file, line, column } => {
            item_at(unit, entities, lines.offset(file, *line, *column)?)
        }
        Mention::Name(_) => None,
    };
    let mut found: Vec<ItemId> = mentions().filter_map(place).collect();
    if found.is_empty() {
        let named = mentions().filter_map(|mention| match mention {
            Mention::Name(name) => Some(name.as_bytes()),
            Mention::Place { .. } => None,
        });
        let items = named
            .flat_map(|name| entities.named(name))
            .flat_map(|&entity| entities.declarations(entity));
        found.extend(items.filter(|&&id| entities.body(unit.bytes, unit.tree, id).is_some()));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The innermost item at an offset, unless that is a namespace.
fn item_at(unit: Unit<'_>, entities: &Entities, at: usize) -> Option<ItemId> {
    let range = |id: ItemId| unit.tree.range(entities.item(id).node);
    let id = entities.ids().rfind(|&id| range(id).contains(&at))?;
    (!is_container(entities, id)).then_some(id)
}

fn is_container(entities: &Entities, id: ItemId) -> bool {
    matches!(entities.item(id).kind, ItemKind::Namespace | ItemKind::Linkage)
}

/// Adds the items of the main file that mention some items.
fn with_users(unit: Unit<'_>, entities: &Entities, items: &mut Vec<ItemId>) {
    let main = main_file(unit.bytes);
    let is_main = |id: ItemId| {
        let start = unit.tree.range(entities.item(id).node).start;
        main.is_empty() || is_in(&main, start)
    };
    let mentioning = entities.mentioning(items);
    let users = entities.ids().filter(|&id| mentioning[id.0 as usize] && is_main(id));
    items.extend(users.filter(|&id| !is_container(entities, id)));
    items.sort_unstable();
    items.dedup();
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use clreduce_testcase::{Clues, Language, TestCase};

    use super::*;

    #[test]
    fn of_functions_that_use_it_only_the_statements_that_do_stay() {
        let source = "struct A { int a() const { return 1; } int b() { int n = 2; return n; } };\n\
                      struct B { int c; };\nint main() {\n  A a;\n  B b;\n  b.c = 1;\n  int n = 2;\n  \
                      for (int i = a.a(); i < n; i++) { b.c++; }\n  return b.c;\n}\n";
        let case = TestCase::single("a.cc", source.as_bytes()).unwrap();
        let place = Mention::Place { file: "a.cc".to_owned(), line: 1, column: 12 };
        let clues = Clues { mentions: vec![vec![place]], ..Clues::default() };
        let snapshot = Snapshot::new(case.clone(), Language::CPP).with_clues(Arc::new(clues));
        let left = Proposals::of(&PASS, &snapshot).list.into_iter().map(|proposal| {
            let bytes = case.apply(&proposal.patch).files()[0].bytes.to_vec();
            let text = String::from_utf8(bytes).unwrap();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        });
        let left: Vec<String> = left.collect();
        let expected = "struct A { int a() const { return 1; } }; struct B { int c; }; int main() { A a; B b; \
                        int n = 2; for (int i = a.a(); i < n; i++) { } }";
        assert!(left.iter().any(|text| text == expected), "{left:#?}");
    }
}
