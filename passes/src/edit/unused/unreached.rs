//! Items of C++ that a patch leaves unreached.
//!
//! An item that nothing reached before stays, with everything that it needs: some test has refused to do without it.

use std::collections::BTreeSet;
use std::ops::Range;

use clreduce_language::{Entities, EntityId, Follow, ItemId, Reach};
use clreduce_testcase::{Edit, Patch, TokenKind, tokens};

use crate::analysis::{Unit, roots};
use crate::snapshot::Snapshot;

/// The items of one snapshot that everything else is reached from.
pub(super) struct UnreachedItems {
    roots: Vec<ItemId>,
}

impl UnreachedItems {
    /// Follows the mentions of a snapshot; `None` in several files, where they would have to be followed through `#include`, and
    /// where nothing is needed by itself.
    pub(super) fn new(snapshot: &Snapshot) -> Option<Self> {
        let unit = Unit::all(snapshot).next().filter(|_| snapshot.file_count() == 1)?;
        let entities = snapshot.entities(0);
        let mut roots = roots(unit, entities);
        if roots.is_empty() {
            return None;
        }
        let follow = Follow::from(&roots, Reach::Narrow);
        let reached = entities.reached(unit.tree, follow);
        roots.extend(entities.ids().filter(|id| !reached[id.0 as usize]));
        Some(Self { roots })
    }

    /// The patch, and with it what it leaves unreached.
    pub(super) fn follow(&self, snapshot: &Snapshot, patch: Patch, needed: &[ItemId]) -> Patch {
        let Some(unit) = Unit::all(snapshot).next() else { return patch };
        let roots = [&self.roots, needed].concat();
        let mut patch = patch;
        loop {
            let followed = with_unreached(snapshot, unit, &roots, &patch);
            let is_same = insertions(&followed) == insertions(&patch);
            patch = followed;
            // What was inserted in something that goes needs nothing.
            if is_same {
                return patch;
            }
        }
    }
}

fn with_unreached(snapshot: &Snapshot, unit: Unit<'_>, roots: &[ItemId], patch: &Patch) -> Patch {
    let entities = snapshot.entities(0);
    let without: Vec<Range<usize>> = patch.edits().iter().map(Edit::range).collect();
    let meant = named(entities, patch);
    let follow = Follow { without: &without, meant: &meant, ..Follow::from(roots, Reach::Narrow) };
    let mut edits = unreached(unit, entities, &entities.reached(unit.tree, follow));
    edits.extend(patch.edits().iter().cloned());
    Patch::new(edits).unwrap_or_else(|| patch.clone())
}

/// The number of edits that insert text.
fn insertions(patch: &Patch) -> usize {
    patch.edits().iter().filter(|edit| !edit.text.is_empty()).count()
}

/// The entities that words in the inserted text of a patch may name.
fn named(entities: &Entities, patch: &Patch) -> Vec<EntityId> {
    let texts = patch.edits().iter().map(|edit| &edit.text[..]);
    let words = texts.flat_map(|text| {
        tokens(text).filter(|it| it.kind == TokenKind::Word).map(|it| &text[it.range()])
    });
    let words: BTreeSet<&[u8]> = words.collect();
    words.into_iter().flat_map(|word| entities.named(word)).copied().collect()
}

/// The edits that remove what is not reached, in order.
pub(crate) fn unreached(unit: Unit<'_>, entities: &Entities, reached: &[bool]) -> Vec<Edit> {
    let is_gone = |&id: &ItemId| {
        let parent = entities.item(id).parent;
        !reached[id.0 as usize] && parent.is_none_or(|parent| reached[parent.0 as usize])
    };
    let gone = entities.ids().filter(is_gone).map(|id| entities.range(unit.tree, id));
    gone.filter(|range| !range.is_empty()).map(|range| unit.delete(range)).collect()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;

    /// The text that is left when `part` is removed.
    fn left(source: &str, part: &str) -> String {
        let case = TestCase::single("a.cc", source.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case.clone(), Language::CPP);
        let start = source.find(part).unwrap();
        let patch = Patch::single(Edit::delete(0, start..start + part.len()));
        let patch = UnreachedItems::new(&snapshot).unwrap().follow(&snapshot, patch, &[]);
        String::from_utf8(case.apply(&patch).files()[0].bytes.to_vec()).unwrap()
    }

    #[test]
    fn what_only_the_removed_part_mentions_goes_along() {
        let source = "struct A { int a; }; struct B : A { B(); };\n\
                      struct C { };\nint main() { C c; B b; return 0; }\n";
        assert_eq!(left(source, " B b;"), "struct C { };\nint main() { C c; return 0; }\n");
    }

    #[test]
    fn what_a_patch_inserts_is_needed() {
        let source =
            "struct A { int f(); };\nstruct B { A *a; };\nint main() { B b; return b.a->f(); }\n";
        let case = TestCase::single("a.cc", source.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case.clone(), Language::CPP);
        let edit = |before: &str, after: &'static str| {
            let start = source.find(before).unwrap();
            Edit::replace(0, start..start + before.len(), after.as_bytes())
        };
        let patch = Patch::new(vec![edit(" B b;", ""), edit("b.a->", "A().")]).unwrap();
        let patch = UnreachedItems::new(&snapshot).unwrap().follow(&snapshot, patch, &[]);
        let left = case.apply(&patch).files()[0].bytes.to_vec();
        assert_eq!(left, b"struct A { int f(); };\nint main() { return A(). f(); }\n");
    }

    #[test]
    fn what_nothing_reaches_stays_with_its_needs() {
        let source = "struct A { };\nstruct Unused : A { };\nint main() { A a; return 0; }\n";
        assert_eq!(left(source, " A a;"), source.replace(" A a;", ""));
    }
}
