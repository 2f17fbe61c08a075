//! Removes what nothing needed reaches, in C++.
//!
//! What is needed is the file that was compiled, as long as line markers tell it from the headers that it includes; then what
//! the compiler makes code for by itself: functions that are neither templates nor inline, variables that are not constant, and
//! explicit instantiations. Objects that are constructed before the program begins are needed in any case, as the one that makes
//! `std::cout` work. From there on, mentions of names are followed through the scopes of the program. Virtual functions come with
//! their class: a library calls them by their places in its table.
//!
//! Names alone tie a library together by its operators and overloads. So the first list follows to one of several overloads or
//! specialisations only if the classes in its parameters are reached as well. The second list, for where that is too much,
//! follows to all of them. Both are one proposal each; a third list has what the first one removes in parts.
//!
//! before:
//! ```cpp
//! namespace n { struct A { int f(); int g(); }; struct B { }; bool operator==(B, B); inline int x() { return 1; } }
//! int main() { n::A a; return a.f(); }
//! ```
//! after:
//! ```cpp
//! namespace n { struct A { int f(); }; }
//! int main() { n::A a; return a.f(); }
//! ```

use clreduce_language::{Follow, Reach};
use clreduce_testcase::Patch;

use crate::analysis::{Unit, roots};
use crate::edit::unreached;
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "cpp-unreachable",
    "Remove all C++ that neither the main file nor any code that runs reaches",
    CPP,
    propose,
);

/// Parts of what is not reached that are tried where all of it cannot go. Single declarations are for other passes.
const PARTS: usize = 16;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    // Across files, names would have to be followed through #include.
    let Some(unit) = Unit::all(snapshot).next().filter(|_| snapshot.file_count() == 1) else {
        return;
    };
    let entities = snapshot.entities(0);
    let roots = roots(unit, entities);
    if roots.is_empty() {
        return;
    }
    let removals = |reach: Reach| {
        let follow = Follow::from(&roots, reach);
        unreached(unit, entities, &entities.reached(unit.tree, follow))
    };
    let strict = removals(Reach::Narrow);
    let mut whole = vec![strict.clone(), removals(Reach::Wide)];
    whole.dedup();
    for (edits, list) in whole.into_iter().zip(0..) {
        let patch = Patch::new(edits).filter(|patch| !patch.is_empty());
        proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list)));
    }
    let size = strict.len().div_ceil(PARTS).max(1);
    let parts = strict.chunks(size).filter_map(|part| Patch::new(part.to_vec()));
    proposals.extend(parts.map(|patch| Proposal::new(patch).in_list(2)));
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::{Language, TestCase};

    use super::*;
    use crate::harness::reduce_with;

    const HEADER: &str = "# 1 \"a.cc\"\n# 1 \"h.h\" 1\nstruct A { }; struct B { }; int f() { return 1; }\n\
                          template <class T> int g(T) { return f(); }\n";

    #[test]
    fn the_main_file_is_what_line_markers_say() {
        let source = format!("{HEADER}# 2 \"a.cc\" 2\nstatic int h(A) {{ return g(1); }}\n");
        let case = TestCase::single("a.ii", source.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case.clone(), Language::CPP);
        let proposals = Proposals::of(&PASS, &snapshot).list;
        let first = case.apply(&proposals[0].patch);
        let left = String::from_utf8_lossy(&first.files()[0].bytes).into_owned();
        let lines = left.lines().filter(|line| !line.starts_with('#')).map(str::trim_end);
        let expected = [
            "struct A { };  int f() { return 1; }",
            "template <class T> int g(T) { return f(); }",
            "static int h(A) { return g(1); }",
        ];
        assert_eq!(lines.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn without_markers_code_is_followed() {
        let source = "struct A { }; struct B { }; inline int f() { return 1; }\n\
                      template <class T> int g(T) { return f(); }\nint h(A) { return g(1); } static int x;\n";
        assert_eq!(
            reduce_with(&PASS, source, Language::CPP, |_| true),
            "struct A { };  inline int f() { return 1; }\n\
             template <class T> int g(T) { return f(); }\nint h(A) { return g(1); } \n"
        );
    }

    #[test]
    fn a_class_template_comes_with_what_its_members_need() {
        let source = "namespace s { template <class T> struct V { typedef T t; V() { init(); } void init(); t at(int); \
                      struct It { int n; }; It begin(); }; template <class T> void V<T>::init() { } \
                      template <class T> typename V<T>::t V<T>::at(int) { return {}; } }\n\
                      int main() { s::V<int> v; }\n";
        let left = reduce_with(&PASS, source, Language::CPP, |_| true);
        assert!(left.contains("V() { init(); } void init();"), "{left}");
        assert!(left.contains("void V<T>::init() { }"), "{left}");
        assert!(!left.contains("It") && !left.contains("at("), "{left}");
    }

    /// A library that is already compiled calls virtual functions by their places, and needs the work of constructors.
    #[test]
    fn virtual_functions_come_with_their_class_and_objects_are_constructed() {
        let source = "# 1 \"a.cc\"\n# 1 \"h.h\" 1\n\
                      struct B { virtual int f(); int g(); }; struct C : B { int &f() override; int h(); }; struct D { virtual int i(); };\n\
                      struct Init { Init(); }; static Init init; static const Init other; static int n;\n\
                      # 2 \"a.cc\" 2\nint main() { C c; }\n";
        let left = reduce_with(&PASS, source, Language::CPP, |_| true);
        let expected = "struct B { virtual int f(); }; struct C : B { int &f() override; };\n\
                        struct Init { Init(); }; static Init init;\n";
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&left).contains(words(expected).as_str()), "{left}");
    }

    /// The name of such a parameter was taken to be that of its default.
    #[test]
    fn the_default_of_a_template_template_parameter_is_needed() {
        let source = "template <class T, class U = void> struct A; struct B { };\n\
                      template <template <class T, class U = void> class S = A> struct C { }; C<> c;\n";
        let left = reduce_with(&PASS, source, Language::CPP, |_| true);
        assert_eq!(left, source.replace("struct B { };", ""));
    }
}
