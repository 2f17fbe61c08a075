//! Removes what nothing needed reaches, in C++.
//!
//! What is needed is the file that was compiled, as long as line markers tell it from the headers that it includes; then what
//! the compiler makes code for by itself: functions that are neither templates nor inline, variables that are not constant, and
//! explicit instantiations. From there on, mentions of names are followed through the scopes of the program.
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

use std::ops::Range;

use clreduce_language::{Entities, Follow, ItemId, ItemKind, NodeField};
use clreduce_testcase::{Edit, Patch, tokens};

use crate::analysis::{Unit, main_file};
use crate::pass::{CPP, Pass, PassInfo, Proposal, Proposals};
use crate::snapshot::Snapshot;

/// The pass.
pub(crate) struct CppUnreachable;

/// Parts of what is not reached that are tried where all of it cannot go. Single declarations are for other passes.
const PARTS: usize = 16;

impl Pass for CppUnreachable {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "cpp-unreachable",
            "Remove all C++ that neither the main file nor any code that runs reaches",
            CPP,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        // Across files, names would have to be followed through #include.
        let Some(unit) = Unit::all(snapshot).next().filter(|_| snapshot.file_count() == 1) else {
            return;
        };
        let entities = snapshot.entities(0);
        let main = main_file(unit.bytes);
        let roots = roots(unit, entities, &main);
        if roots.is_empty() {
            return;
        }
        let removals = |is_strict: bool| {
            removals(unit, entities, &entities.reached(Follow { roots: &roots, is_strict }))
        };
        let strict = removals(true);
        let mut whole = vec![strict.clone(), removals(false)];
        whole.dedup();
        for (edits, list) in whole.into_iter().zip(0..) {
            let patch = Patch::new(edits).filter(|patch| !patch.is_empty());
            proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(list)));
        }
        let size = strict.len().div_ceil(PARTS).max(1);
        let parts = strict.chunks(size).filter_map(|part| Patch::new(part.to_vec()));
        proposals.extend(parts.map(|patch| Proposal::new(patch).in_list(2)));
    }
}

/// The items everything is followed from.
fn roots(unit: Unit<'_>, entities: &Entities, main: &[Range<usize>]) -> Vec<ItemId> {
    let is_root = |&id: &ItemId| {
        let item = entities.item(id);
        let start = unit.tree.range(item.node).start;
        let next = main.partition_point(|range| range.end <= start);
        match item.kind {
            ItemKind::Namespace | ItemKind::Linkage => false,
            _ if main.is_empty() => is_made_into_code(unit, entities, id),
            _ => main.get(next).is_some_and(|range| range.start <= start),
        }
    };
    entities.ids().filter(is_root).collect()
}

/// Returns whether the compiler makes code for an item, whether or not anything uses it.
fn is_made_into_code(unit: Unit<'_>, entities: &Entities, id: ItemId) -> bool {
    let tree = unit.tree;
    let item = entities.item(id);
    let head = || {
        let declarator = tree.field(item.inner, NodeField::Declarator);
        let end = declarator.map_or(tree.range(item.inner).end, |node| tree.range(node).start);
        let head = &unit.bytes[tree.range(item.node).start..end];
        tokens(head).map(move |token| &head[token.range()])
    };
    let has_none_of = |words: &[&[u8]]| !head().any(|word| words.contains(&word));
    match item.kind {
        ItemKind::Instantiation { is_extern } => !is_extern,
        _ if item.is_member || item.is_template => false,
        ItemKind::Function => {
            entities.body(unit.bytes, tree, id).is_some()
                && has_none_of(&[b"inline", b"__inline", b"constexpr", b"consteval", b"static"])
        }
        ItemKind::Variable => {
            has_none_of(&[b"extern", b"inline", b"constexpr", b"const", b"static"])
        }
        _ => false,
    }
}

/// The edits that remove what is not reached, in order.
fn removals(unit: Unit<'_>, entities: &Entities, reached: &[bool]) -> Vec<Edit> {
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
    use crate::harness::reduce_with;

    const HEADER: &str = "# 1 \"a.cc\"\n# 1 \"h.h\" 1\nstruct A { }; struct B { }; int f() { return 1; }\n\
                          template <class T> int g(T) { return f(); }\n";

    #[test]
    fn the_main_file_is_what_line_markers_say() {
        let source = format!("{HEADER}# 2 \"a.cc\" 2\nstatic int h(A) {{ return g(1); }}\n");
        let case = TestCase::single("a.ii", source.as_bytes()).unwrap();
        let snapshot = Snapshot::new(case.clone(), Language::Cpp);
        let proposals = Proposals::of(&CppUnreachable, &snapshot).list;
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
            reduce_with(&CppUnreachable, source, Language::Cpp, |_| true),
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
        let left = reduce_with(&CppUnreachable, source, Language::Cpp, |_| true);
        assert!(left.contains("V() { init(); } void init();"), "{left}");
        assert!(left.contains("void V<T>::init() { }"), "{left}");
        assert!(!left.contains("It") && !left.contains("at("), "{left}");
    }
}
