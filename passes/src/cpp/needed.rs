//! Removes declarations of C++ that something else needs for certain: a name that stays leads to them and to nothing else, a
//! specialisation or a definition of a member stands on them, or the program begins there.
//!
//! Compilers refuse nearly all of that. But one that crashes may not read the rest of the program. So there are as many
//! proposals as in [`declarations`](super::declarations), and a run ends after a few refusals.
//!
//! before:
//! ```cpp
//! struct A { int f(); }; struct B { A a; };
//! int A::f() { return 1; }
//! ```
//! after:
//! ```cpp
//! struct B { A a; };
//! ```

use std::collections::HashMap;
use std::ops::Range;

use clreduce_language::{Entities, EntityId, ItemId, NodeField, NodeKind};
use clreduce_testcase::{Edit, Patch};

use super::declarations::propose;
use crate::analysis::Unit;
use crate::pass::{CPP, Pass, PassInfo, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppNeeded;

impl Pass for CppNeeded {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "cpp-needed",
            "Remove declarations of C++ that others need, which few compilers do without",
            CPP,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        propose(snapshot, true, proposals);
    }
}

/// The needs of one file that are certain.
pub(super) struct Needs<'a> {
    unit: Unit<'a>,
    entities: &'a Entities,
    /// By entity, where it is mentioned.
    places: HashMap<EntityId, Vec<usize>>,
}

impl<'a> Needs<'a> {
    pub(super) fn new(unit: Unit<'a>, entities: &'a Entities) -> Self {
        let mut places: HashMap<EntityId, Vec<usize>> = HashMap::new();
        for id in entities.ids() {
            for (at, entity) in entities.certain_mentions(id) {
                places.entry(entity).or_default().push(at);
            }
        }
        Self { unit, entities, places }
    }

    /// Returns whether something that a patch leaves needs what it removes.
    pub(super) fn are_certain(&self, patch: &Patch) -> bool {
        let (tree, entities) = (self.unit.tree, self.entities);
        let ranges: Vec<Range<usize>> = patch.edits().iter().map(Edit::range).collect();
        let is_gone = |at: usize| {
            let next = ranges.partition_point(|range| range.end <= at);
            ranges.get(next).is_some_and(|range| range.start <= at)
        };
        let start = |id: ItemId| tree.range(entities.item(id).node).start;
        let gone = ranges.iter().flat_map(|range| entities.ids_in(tree, range.clone()));
        let mut declared = gone.flat_map(|id| &entities.item(id).declares);
        declared.any(|&entity| {
            let mut left = entities.declarations(entity).iter().filter(|&&id| !is_gone(start(id)));
            let is_used = || {
                let places = self.places.get(&entity);
                places.is_some_and(|places| places.iter().any(|&at| !is_gone(at)))
            };
            match left.next() {
                None if entities.is_namespace(entity) => false,
                None => self.is_main(entity) || is_used(),
                Some(&first) => self.needs_another(first) && left.all(|&id| self.needs_another(id)),
            }
        })
    }

    /// Returns whether a declaration is one only beside another of the same entity: a member outside of its class, a
    /// specialisation.
    fn needs_another(&self, id: ItemId) -> bool {
        let (tree, item) = (self.unit.tree, self.entities.item(id));
        let name = tree.field(item.inner, NodeField::Name);
        item.is_outside || name.is_some_and(|name| tree.kind(name) == NodeKind::TemplateType)
    }

    /// Returns whether an entity is the function that a program begins with.
    fn is_main(&self, entity: EntityId) -> bool {
        let scope = self.entities.scope(entity);
        self.entities.name(entity) == b"main" && scope == Some(EntityId(0))
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;
    use crate::cpp::declarations::CppDeclarations;

    /// The parts of a program that are proposed one by one, by whether something needs them.
    fn proposed(source: &str) -> [String; 2] {
        let case = TestCase::single("a.cc", source.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case, Language::Cpp);
        let passes: [&dyn Pass; 2] = [&CppDeclarations, &CppNeeded];
        passes.map(|pass| {
            let proposals = Proposals::of(pass, &snapshot);
            let single = proposals.list.iter().filter(|it| it.patch.edits().len() == 1);
            let mut texts: Vec<&str> =
                single.map(|it| source[it.patch.edits()[0].range()].trim()).collect();
            texts.sort_unstable();
            texts.dedup();
            texts.join(" | ")
        })
    }

    #[test]
    fn what_a_name_leads_to_is_needed() {
        let source = "struct A { int f(); int h(); }; int g(A); int g(int);\n\
                      int k() { A a; return a.f() + g(1); }\n";
        let [free, needed] = proposed(source);
        assert_eq!(
            free,
            "int g(A); | int g(int); | int h(); | int k() { A a; return a.f() + g(1); }"
        );
        assert_eq!(needed, "int f(); | struct A { int f(); int h(); };");
        assert_eq!(proposed("namespace n { struct A { }; } n::A a;")[0], "n::A a;");
    }

    #[test]
    fn specialisations_and_definitions_of_members_need_what_they_belong_to() {
        let source = "template <class T> struct A { int f(); };\ntemplate <> struct A<int> { };\n\
                      template <class T> int A<T>::f() { return 1; }\nint main() { }\n";
        let [free, needed] = proposed(source);
        assert_eq!(
            free,
            "template <> struct A<int> { }; | template <class T> int A<T>::f() { return 1; }"
        );
        assert_eq!(needed, "int f(); | int main() { } | template <class T> struct A { int f(); };");
    }

    #[test]
    fn templates_find_functions_by_their_arguments_later() {
        let source = "int g(int); template <class T> int f(T t) { return g(t) + t.g(); }\n\
                      struct B { int i(); }; int h(B b) { return b.i() + g(1); }\n";
        let [free, _] = proposed(&source.replace(" + g(1)", ""));
        assert!(free.contains("int g(int);") && !free.contains("int i();"), "{free}");
        let [_, needed] = proposed(source);
        assert!(needed.contains("int g(int);") && needed.contains("int i();"), "{needed}");
    }
}
