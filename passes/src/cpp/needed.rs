//! Removes declarations of C++ that something else needs for certain: a name that stays leads to them and to nothing else, a
//! specialisation or a definition of a member stands on them, or the program begins there.
//!
//! Compilers refuse nearly all of that. But one that crashes may not read the rest of the program. So there are as many
//! proposals as in [`declarations`](super::declarations), and a run ends after a few refusals.
//!
//! before:
//! ```cpp
//! struct A { int f(); }; struct B { A a; };
//! ```
//! after:
//! ```cpp
//! struct B { A a; };
//! ```

use std::collections::HashMap;
use std::ops::Range;

use clreduce_language::{Entities, EntityId, ItemId, NodeField, NodeKind};

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

/// So many namespaces and classes around a declaration are looked at.
const MOST_LEVELS: usize = 64;

/// The needs of one file that are certain.
pub(super) struct Needs<'a> {
    unit: Unit<'a>,
    entities: &'a Entities,
    /// By entity, the places that need it.
    places: HashMap<EntityId, Vec<usize>>,
    /// By item, whether something outside of it needs what it declares.
    is_needed: Vec<bool>,
    /// By item, whether something outside of it needs what is declared inside it.
    holds_needed: Vec<bool>,
}

impl<'a> Needs<'a> {
    pub(super) fn new(unit: Unit<'a>, entities: &'a Entities) -> Self {
        let count = entities.ids().count();
        let (is_needed, holds_needed) = (vec![false; count], vec![false; count]);
        let places = HashMap::new();
        let mut needs = Self { unit, entities, places, is_needed, holds_needed };
        let mut are_in_templates: Vec<bool> = Vec::new();
        for id in entities.ids() {
            let item = entities.item(id);
            let is_around = |parent: ItemId| are_in_templates[parent.0 as usize];
            let in_template = item.is_template || item.parent.is_some_and(is_around);
            are_in_templates.push(in_template);
            for (at, entity) in entities.certain_mentions(id, in_template) {
                needs.places.entry(entity).or_default().push(at);
            }
            let (start, needs_another) = (needs.range(id).start, needs.needs_another(id));
            for &entity in &entities.item(id).declares {
                // Whatever else goes, the program begins with its main function.
                let place = needs.is_main(entity).then_some(usize::MAX);
                let place = place.or(needs_another.then_some(start));
                needs.places.entry(entity).or_default().extend(place);
            }
        }
        let places = std::mem::take(&mut needs.places);
        for (&entity, places) in
            places.iter().filter(|(entity, _)| !entities.is_namespace(**entity))
        {
            needs.spread(entity, places);
        }
        Self { places, ..needs }
    }

    /// Notes which items hold all that declares an entity but not all places that need it.
    fn spread(&mut self, entity: EntityId, places: &[usize]) {
        let all = self.entities.declarations(entity);
        let is_first = |id: &ItemId| !self.needs_another(*id);
        let first: Vec<ItemId> = all.iter().copied().filter(is_first).collect();
        let own = if first.is_empty() { all } else { &first };
        let (Some(&one), Some(from), Some(to)) =
            (own.first(), places.iter().min(), places.iter().max())
        else {
            return;
        };
        let holds = |id: ItemId, at: usize| self.range(id).contains(&at);
        let holds_own = |id: ItemId| own.iter().all(|&other| holds(id, self.range(other).start));
        let around = std::iter::successors(Some(one), |&id| self.entities.item(id).parent);
        let around = around.take(MOST_LEVELS).skip_while(|&id| !holds_own(id));
        let needed = around.take_while(|&id| !holds(id, *from) || !holds(id, *to));
        for id in needed.collect::<Vec<_>>() {
            let list = if id == one { &mut self.is_needed } else { &mut self.holds_needed };
            list[id.0 as usize] = true;
        }
    }

    /// Returns whether something that stays needs an item for certain.
    pub(super) fn is_needed(&self, id: ItemId) -> bool {
        self.is_needed[id.0 as usize] || self.holds_needed[id.0 as usize]
    }

    /// Returns whether something that stays needs what declares one entity for certain, if all of it goes.
    pub(super) fn are_needed(&self, together: &[ItemId]) -> bool {
        let ranges: Vec<Range<usize>> = together.iter().map(|&id| self.range(id)).collect();
        let is_left = |at: usize| {
            let next = ranges.partition_point(|range| range.end <= at);
            ranges.get(next).is_none_or(|range| at < range.start)
        };
        let entity = together.first().and_then(|&id| self.entities.item(id).declares.first());
        let places = entity.and_then(|entity| self.places.get(entity));
        places.is_some_and(|places| places.iter().any(|&at| is_left(at)))
            || together.iter().any(|id| self.holds_needed[id.0 as usize])
    }

    fn range(&self, id: ItemId) -> Range<usize> {
        self.unit.tree.range(self.entities.item(id).node)
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
