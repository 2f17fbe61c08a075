//! Removes what ties most of the program to the rest of it, in C++: a base class, the argument of a template, a constructor, an
//! operator. All that is reached by nothing else goes with it.
//!
//! These are the proposals of other passes, of all together those that remove most. Each success changes what the others
//! are worth, so that a run ends with it.
//!
//! before:
//! ```cpp
//! template <class T> struct is_small { enum { value = sizeof(T) < 4 }; }; template <class T, bool = is_small<T>::value> struct A { int f(); };
//! int main() { A<int> a; return a.f(); }
//! ```
//! after:
//! ```cpp
//! template <class T> struct A { int f(); };
//! int main() { A<int> a; return a.f(); }
//! ```

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use clreduce_language::{EntityId, ItemId, Weights};
use clreduce_testcase::{Edit, Patch};

use super::{
    bases, bodies, class_to_int, constraints, declarations, main_file, objects, pipes,
    template_parameters, traits,
};
use crate::analysis::{Unit, roots};
use crate::budget::Budget;
use crate::edit::UnusedDeclarations;
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;
use crate::syntax::{
    expression_to_constant, expression_to_operand, initializers, list_elements, specifiers,
    statements,
};

pub(crate) const PASS: Pass = Pass::new(
    "cpp-cuts",
    "Remove what ties most of a C++ program to the rest, and what becomes unreachable",
    CPP,
    propose,
)
// The proposals that are compared may let it grow.
.growing();

/// The passes whose proposals are compared.
const SOURCES: [Pass; 13] = [
    declarations::PASS,
    declarations::NEEDED,
    main_file::PASS,
    bodies::PASS,
    bases::PASS,
    class_to_int::PASS,
    initializers::PASS,
    specifiers::PASS,
    constraints::PASS,
    template_parameters::PASS,
    traits::PASS,
    objects::PASS,
    pipes::PASS,
];

/// The passes of whose proposals only the smallest one is compared that removes the name of something.
const PLACES: [Pass; 4] = [
    statements::PASS,
    list_elements::PASS,
    expression_to_operand::PASS,
    expression_to_constant::PASS,
];

/// A proposal removes at least one of this many bytes.
pub(super) const LEAST_GAIN: u64 = 64;
/// Proposals that are followed.
const MOST_CUTS: Budget = Budget::new("cuts that are compared", 128);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    if snapshot.file_count() != 1 {
        return;
    }
    let Some(unused) = UnusedDeclarations::new(snapshot) else { return };
    let (entities, tree) = (snapshot.entities(0), snapshot.tree(0));
    let roots: Vec<ItemId> = Unit::all(snapshot).flat_map(|unit| roots(unit, entities)).collect();
    let least = snapshot.bytes(0).len() as u64 / LEAST_GAIN;
    let cuts = Cuts { snapshot, least, weights: entities.weights(tree, &roots) };
    let found = SOURCES.iter().flat_map(|pass| Proposals::of(pass, snapshot).list);
    let weighed = found.map(|proposal| (cuts.weight(&proposal.patch), proposal.patch));
    let mut heavy: Vec<(u64, Patch)> = weighed.filter(|(weight, _)| *weight >= least).collect();
    heavy.extend(cuts.places());
    heavy.sort_by_key(|(weight, _)| Reverse(*weight));
    let half = snapshot.bytes(0).len() / 2;
    for (_, own) in proposals.limited(&MOST_CUTS, heavy) {
        let patch = unused.follow(snapshot, own.clone(), &[]);
        if !cuts.leaves_names(&own, &patch) {
            // What leads to most of the program leads to the bug as well.
            let removed: usize = ranges(&patch).iter().map(Range::len).sum();
            proposals.push(Proposal::new(patch).in_list(u32::from(removed > half)));
        }
    }
}

/// Looks at the proposals of other passes.
struct Cuts<'a> {
    snapshot: &'a Snapshot,
    least: u64,
    weights: Weights,
}

impl Cuts<'_> {
    /// An estimate of the bytes that go with a patch.
    fn weight(&self, patch: &Patch) -> u64 {
        let ranges = ranges(patch);
        let own: u64 = ranges.iter().map(|range| range.len() as u64).sum();
        // A large part counts by its own bytes: large parts hold each other, and what they mention would be read again and again.
        own + if own < self.least { self.weights.of(&ranges) } else { 0 }
    }

    /// Of each name that leads to much, what removes it with the least that stands around it.
    fn places(&self) -> impl Iterator<Item = (u64, Patch)> {
        let found = PLACES.iter().flat_map(|pass| Proposals::of(pass, self.snapshot).list);
        let mut smallest: BTreeMap<u32, (u64, Patch)> = BTreeMap::new();
        for patch in found.map(|proposal| proposal.patch) {
            let (weight, ranges) = (self.weight(&patch), ranges(&patch));
            let Some(node) = self.weights.heaviest(&ranges).filter(|_| weight >= self.least) else {
                continue;
            };
            match smallest.entry(node) {
                Entry::Vacant(entry) => {
                    entry.insert((weight, patch));
                }
                Entry::Occupied(mut entry) if weight < entry.get().0 => {
                    entry.insert((weight, patch));
                }
                Entry::Occupied(_) => {}
            }
        }
        smallest.into_values()
    }

    /// Returns whether names are left of something that a patch removes, given everything that goes with it.
    fn leaves_names(&self, own: &Patch, followed: &Patch) -> bool {
        let (entities, tree) = (self.snapshot.entities(0), self.snapshot.tree(0));
        let gone = ranges(followed);
        let is_gone = |id: ItemId| {
            let range = tree.range(entities.item(id).node);
            let next = gone.partition_point(|other| other.end <= range.start);
            gone.get(next).is_some_and(|it| it.start <= range.start && range.end <= it.end)
        };
        let deletions = own.edits().iter().filter(|edit| edit.text.is_empty()).map(Edit::range);
        let items = deletions.flat_map(|range| entities.ids_in(tree, range));
        let declared: BTreeSet<EntityId> =
            items.flat_map(|id| &entities.item(id).declares).copied().collect();
        declared.into_iter().any(|entity| {
            !entities.is_namespace(entity)
                && entities.declarations(entity).iter().all(|&id| is_gone(id))
                && self.weights.has_outside(entity, &gone)
        })
    }
}

fn ranges(patch: &Patch) -> Vec<Range<usize>> {
    patch.edits().iter().map(Edit::range).collect()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, Size, TestCase};

    use super::*;
    use crate::harness::check;

    #[test]
    fn a_parameter_of_a_template_may_be_shorter_than_what_stands_for_it() {
        let source = "template <class T, class U> struct P { T t; U u; };\n\
                      template <class T> struct A { T a, b; T f(T, T); T g(T, T); T h(T, T); T i(T, T); T k(T, T); };\n\
                      A<P<P<int, int>, P<int, int>>> a; int main() { return a.f(a.a, a.b); }";
        check(&PASS, source.as_bytes(), Language::CPP);
        let case = TestCase::single("a.cc", source.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case.clone(), Language::CPP);
        let larger = Proposals::of(&PASS, &snapshot).list.into_iter().filter(|proposal| {
            Size::of(&case.apply(&proposal.patch)).tokens > Size::of(&case).tokens
        });
        assert!(larger.count() > 0, "nothing grows: the program is no test of that");
    }
}
