//! Removes declarations of C++, level by level: namespaces, then what they hold, then members of classes.
//!
//! All that declares one thing goes together: a class with its specialisations and the members that are defined outside, the
//! overloads of a function. A second list for each level has them one by one. What something else needs for certain is left to
//! [`cuts`](super::cuts): a name that stays leads to it and to nothing else, a specialisation or a definition of a member stands
//! on it, or the program begins there. Compilers refuse programs without it, but one that crashes may not read the rest of the program.
//!
//! before:
//! ```cpp
//! namespace n { template <class T> struct A { int f(); int g(); }; template <> struct A<int> { }; int x; }
//! template <class T> int n::A<T>::f() { return 1; }
//! ```
//! after:
//! ```cpp
//! namespace n { template <class T> struct A { int g(); }; int x; }
//! ```

use std::ops::Range;

use clreduce_language::{Entities, ItemId, ItemKind};
use clreduce_testcase::Patch;

use crate::analysis::{Needs, Unit};
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-declarations",
    "Remove namespaces, classes, functions and members with all their declarations",
    CPP,
    propose,
);

/// The declarations that something else needs for certain.
pub(super) const NEEDED: Pass = Pass::new(PASS.name, PASS.about, CPP, |snapshot, proposals| {
    propose_some(snapshot, true, proposals);
});

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    propose_some(snapshot, false, proposals);
}

/// Proposes to remove the declarations that something else needs for certain, or else the others.
fn propose_some(snapshot: &Snapshot, are_needed: bool, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let entities = snapshot.entities(unit.file);
        let needs = Needs::new(unit, entities);
        let mut levels: Vec<u32> = Vec::new();
        for id in entities.ids() {
            let parent = entities.item(id).parent;
            let level = parent.map_or(0, |parent| levels[parent.0 as usize] + 1);
            levels.push(level);
            let edit = |id: ItemId| unit.delete(entities.range(unit.tree, id));
            if is_none(unit.bytes, edit(id).range()) {
                continue;
            }
            let together = together(entities, id);
            let is_wanted = needs.is_needed(id) == are_needed;
            let single = Some(Proposal::edit(edit(id))).filter(|_| is_wanted);
            let list = 2 * level + u32::from(!together.is_empty());
            proposals.extend(single.map(|proposal| proposal.in_list(list)));
            if together.first() == Some(&id) && needs.are_needed(together) == are_needed {
                let all = Patch::new(together.iter().map(|&id| edit(id)).collect());
                proposals.extend(all.map(|patch| Proposal::new(patch).in_list(2 * level)));
            }
        }
    }
}

/// Returns true if a range is no declaration: it is blank, or begins or ends within a word. A parser that has lost its way takes
/// single letters for declarations.
fn is_none(bytes: &[u8], range: Range<usize>) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let cuts = |at: usize| {
        let around = at.checked_sub(1).and_then(|before| bytes.get(before..=at));
        around.is_some_and(|around| around.iter().all(is_part))
    };
    bytes[range.clone()].trim_ascii().is_empty() || cuts(range.start) || cuts(range.end)
}

/// The items that declare the same as one of them, if there are others.
fn together(entities: &Entities, id: ItemId) -> &[ItemId] {
    let item = entities.item(id);
    let has_name = matches!(
        item.kind,
        ItemKind::Type | ItemKind::Function | ItemKind::Variable | ItemKind::Alias
    );
    match item.declares.first() {
        Some(&entity) if has_name && entities.declarations(entity).len() > 1 => {
            entities.declarations(entity)
        }
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;
    use crate::harness::{assert_reduces, check};

    #[test]
    fn letters_that_a_parser_takes_for_declarations_stay() {
        let text =
            b"#if a\n#if a\n#include \"x.h\"\nclamp [ T struct __shared__ long8 < 'c' + # f 'c' char";
        check(&PASS, text, Language::CPP);
    }

    #[test]
    fn members_go_with_their_definitions() {
        let before = "struct A { A(); ~A(); int f(), x; typedef int t; friend int g(A); };\nA::A() { }\nA::~A() { }\n\
                      int A::f() { return 1; }\nint g(A) { return 0; }\n";
        let after = "struct A { A(); int f(), x; };\nA::A() { }\n";
        let keep = ["struct A { A()", "f(), x", "A::A()"];
        assert_reduces(&PASS, Language::CPP, before, &keep, after);
    }

    #[test]
    fn a_namespace_goes_as_a_whole_or_in_parts() {
        let before = "namespace a { int x; namespace b { int y; } }\nnamespace a { int z; }\nextern \"C\" { int w; int v; }\n";
        let after = "namespace a { namespace b { int y; } }\nextern \"C\" { int v; }\n";
        assert_reduces(&PASS, Language::CPP, before, &["int y", "int v"], after);
    }

    /// The parts of a program that are proposed one by one, by whether something needs them.
    fn proposed(source: &str) -> [String; 2] {
        let case = TestCase::single("a.cc", source.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case, Language::CPP);
        let passes = [PASS, NEEDED];
        passes.map(|pass| {
            let proposals = Proposals::of(&pass, &snapshot);
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
