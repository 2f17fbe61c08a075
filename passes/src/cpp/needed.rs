//! Removes declarations of C++ that something else needs for certain: a name that stays leads to them and to nothing else, a
//! specialisation or a definition of a member stands on them, or the program begins there.
//!
//! Compilers refuse programs without them. But one that crashes may not read the rest of the program. So they are proposed as
//! those of [`declarations`](super::declarations) are, and a run ends after a few refusals.
//!
//! before:
//! ```cpp
//! struct A { int f(); }; struct B { A a; };
//! ```
//! after:
//! ```cpp
//! struct B { A a; };
//! ```

use super::declarations::propose_some;
use crate::pass::{CPP, Pass, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-needed",
    "Remove declarations of C++ that others need, which few compilers do without",
    CPP,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    propose_some(snapshot, true, proposals);
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;
    use crate::cpp::declarations;

    /// The parts of a program that are proposed one by one, by whether something needs them.
    fn proposed(source: &str) -> [String; 2] {
        let case = TestCase::single("a.cc", source.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case, Language::CPP);
        let passes = [declarations::PASS, PASS];
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
