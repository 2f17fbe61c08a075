//! Removes everything that the clues about the original do not need, in C++.
//!
//! The output of a test may say at which places of the program the bug is. The first proposal keeps the declarations at these
//! places, and what they need. Each further one also keeps the declarations of the main file that mention what is kept already:
//! templates are instantiated only where they are used.
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

use clreduce_language::{Entities, Follow, ItemId, ItemKind, Reach};
use clreduce_testcase::{Mention, Patch};

use crate::analysis::{PresumedLines, Unit, main_file};
use crate::edit::unreached;
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppClues;

/// A proposal removes one in so many bytes of the program at least. Otherwise the other passes do as well.
const WORTH_A_TEST: usize = 8;
/// What is further away from the clues than so many mentions has nothing to do with them.
const MOST_STEPS: usize = 6;

impl Pass for CppClues {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "cpp-clues",
            "Keep the C++ that the output of the test mentions and what that needs, and nothing else",
            CPP,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        let one_file = Unit::all(snapshot).next().filter(|_| snapshot.file_count() == 1);
        let Some(unit) = one_file.filter(|_| !snapshot.clues().mentions.is_empty()) else { return };
        let entities = snapshot.entities(0);
        let mut roots = anchors(snapshot, unit, entities);
        let enough = unit.bytes.len() / WORTH_A_TEST;
        let mut last = None;
        for _ in 0..MOST_STEPS {
            let follow = Follow { roots: &roots, reach: Reach::Narrow, without: &[] };
            let edits = unreached(unit, entities, &entities.reached(unit.tree, follow));
            let removed: usize = edits.iter().map(|edit| edit.range().len()).sum();
            if roots.is_empty() || removed < enough {
                return;
            }
            let patch = Patch::new(edits).filter(|patch| last.as_ref() != Some(patch));
            last = patch.clone().or(last);
            proposals.extend(patch.map(Proposal::new));
            let before = roots.len();
            with_users(unit, entities, &mut roots);
            if roots.len() == before {
                return;
            }
        }
    }
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
        let next = main.partition_point(|range| range.end <= start);
        main.is_empty() || main.get(next).is_some_and(|range| range.start <= start)
    };
    let mentioning = entities.mentioning(items);
    let users = entities.ids().filter(|&id| mentioning[id.0 as usize] && is_main(id));
    items.extend(users.filter(|&id| !is_container(entities, id)));
    items.sort_unstable();
    items.dedup();
}
