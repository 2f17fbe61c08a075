//! Removes parameters of templates together with their arguments in every use.
//!
//! A parameter that the template uses is replaced there by its default argument, else by `int` or `0`; the elements that a
//! parameter pack expands to are removed. Without parameters, a template is a plain class, function, alias or variable, and its
//! specialisations go: that is the first list. The next ones have single parameters, those first that the template does not
//! use. The last one has all parameters again, with the arguments of the first use that names no other parameter.
//!
//! before:
//! ```cpp
//! template <class T, bool B = true> struct A { T t; static const bool b = B; };
//! template <class T> struct A<T, false> { T u; };
//! template <class T> void f(A<T, true> a) { }
//! ```
//! after:
//! ```cpp
//! struct A { int t; static const bool b = true; };
//! void f(A a) { }
//! ```

mod deduction;
mod file;
mod parameter;
mod template;

use std::collections::HashSet;

use clreduce_language::{EntityId, NodeKind};
use clreduce_testcase::Patch;

use self::deduction::deduced;
use self::file::TemplateFile;
use self::template::Template;
use crate::analysis::{Spelling, Unit};
use crate::budget::Budget;
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-template-parameters",
    "Remove parameters of templates with their arguments",
    CPP,
    propose,
)
.growing();

/// The parameters of one template that are looked at: for each, all uses of the template are.
const MOST: Budget = Budget::new("parameters of one template", 16);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let entities = snapshot.entities(unit.file);
        let file = TemplateFile::new(unit, entities);
        let symbols = snapshot.symbols(unit.file);
        let spelling = Spelling { unit, entities, symbols };
        let mut seen: HashSet<EntityId> = HashSet::new();
        for id in entities.ids() {
            let item = entities.item(id);
            let Some(&entity) = item.declares.first() else { continue };
            let is_concept = unit.tree.kind(item.inner) == NodeKind::ConceptDefinition;
            let is_first = item.is_template && !item.is_outside && seen.insert(entity);
            if !is_first || is_concept {
                continue;
            }
            let mut template = Template::new(&file, entity);
            let count = template.count();
            if let Some((edits, _)) = template.without(0..count) {
                proposals.extend(Patch::new(edits).map(Proposal::new));
            }
            let indices = proposals.limited(&MOST, 0..count);
            for index in indices.into_iter().filter(|_| count > 1) {
                let Some((edits, is_used)) = template.without(index..index + 1) else {
                    continue;
                };
                // With the first one in a list of its own, a group never leaves an empty list.
                let list = if index == 0 { 3 } else { 1 + u32::from(is_used) };
                let patch = Patch::new(edits);
                proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list)));
            }
            let calls = file.calls.get(&entity).map_or(&[][..], Vec::as_slice);
            let written = template.arguments_of_use().into_iter();
            for given in written.chain(deduced(&spelling, entity, calls)) {
                template.given = given;
                if let Some((edits, true)) = template.without(0..count) {
                    let patch = Patch::new(edits).map(|patch| Proposal::new(patch).in_list(4));
                    proposals.extend(patch);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn arguments_go_from_every_use() {
        let before = "template <class, class T> struct A { T t; };\nA<int, A<char, long>> a;\n\
                      template <int N, class... Ts> int f(A<int, Ts>... ts) { return N; }\n";
        let after = "template <class T> struct A { T t; };\nA<A<long>> a;\nint f() { return 0; }\n";
        let keep = ["T t", "long", "f("];
        assert_reduces(&PASS, Language::CPP, before, &keep, after);
    }

    #[test]
    fn what_a_pack_expands_to_and_explicit_instantiations_go() {
        let before = "template <class T> T *f(T t) { return 0; } template int *f<int>(int);\n\
                      template <class T> struct A { T t; }; template struct A<long>;\n\
                      template <class... Ts> int g(Ts... ts) { return h(1, ts...); }\n\
                      template <class T, class U> struct B { T t; };\n\
                      template <class T> struct B<T, int> { T *t; };\n";
        let after = "int *f(int t) { return 0; }\nstruct A { int t; };\nint g() { return h(1); }\n\
                     template <class T> struct B { T t; };\n";
        assert_reduces(&PASS, Language::CPP, before, &["class T> struct B {"], after);
    }

    #[test]
    fn constraints_go_with_the_head_but_concepts_stay_templates() {
        let before = "template <class T> concept C = true;\n\
                      template <C T> requires C<T> struct A { T t; };\n\
                      template <C T> T f(T t) requires C<T> { return t; }\n\
                      template <class T> struct B : T { typename T::U u; };\n\
                      template <class T> struct D { typename T::U u; };\n\
                      struct E { using U = int; }; B<E> b; D<E> d; A<int> a;\n";
        let after = "template <class T> concept C = true;\nstruct A { int t; };\nint f(int t) { return t; }\n\
                     struct B : E { typename E::U u; };\nstruct D { typename E::U u; };\n\
                     struct E { using U = int; }; B b; D d; A a;\n";
        assert_reduces(&PASS, Language::CPP, before, &["concept"], after);
    }

    #[test]
    fn calls_give_the_types_of_their_arguments() {
        let before = "struct A { char *c; short g() const; } v;\nusing L = long; typedef L *P; P p();\n\
                      template <class T> int a(T x) { return sizeof(T); }\n\
                      template <class T, class U> int b(const T *x, U &&y) { return sizeof(T) + sizeof(U); }\n\
                      template <class T> int c(T x) { return a(x); }\n\
                      template <class T> int d(T x) { return sizeof(T); }\n\
                      int f(unsigned u) { return a(*p()) + b(&v, v.c) + c(u + 1) + d(v.g()); }\n";
        let case = TestCase::single("a.cc", before.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case.clone(), Language::CPP);
        let proposals = Proposals::of(&PASS, &snapshot).list;
        let deduced = proposals.iter().filter(|proposal| proposal.list == 4);
        let texts: Vec<String> = deduced
            .map(|proposal| {
                let bytes = case.apply(&proposal.patch).files()[0].bytes.to_vec();
                String::from_utf8(bytes).unwrap()
            })
            .collect();
        for expected in [
            "int a(long x) { return sizeof(long); }",
            "int b(const A *x, char* &&y) { return sizeof(A) + sizeof(char*); }",
            "int d(short x) { return sizeof(short); }",
        ] {
            assert!(texts.iter().any(|text| text.contains(expected)), "{expected}: {texts:#?}");
        }
        assert_eq!(texts.len(), 3, "the sum of a variable and a number is not known");
    }
}
