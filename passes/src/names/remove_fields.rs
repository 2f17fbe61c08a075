//! Removes members of structures and unions together with what initialises them.
//!
//! First members that nothing accesses; then others, for which every access becomes `0`.
//!
//! before:
//! ```c
//! struct S { int a; short b; long c; }; struct S s = { 1, 2, 3 }; int f(void) { return s.b + s.c; }
//! ```
//! after:
//! ```c
//! struct S { long c; }; struct S s = { 3 }; int f(void) { return 0 + s.c; }
//! ```

use clreduce_language::{Accesses, Member, NodeField, NodeId, NodeKind, SyntaxTree};
use clreduce_testcase::{Edit, Patch};

use crate::edit::without;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "remove-fields",
    "Remove members of structures and their initialisers, and put 0 where they were used",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for file in 0..snapshot.file_count() {
        let aggregates = snapshot.aggregates(file);
        let accesses = snapshot.accesses(file);
        for (index, aggregate) in aggregates.all.iter().enumerate() {
            let of_union =
                snapshot.tree(file).kind(aggregate.specifier) == NodeKind::UnionSpecifier;
            let members = aggregate.members.iter().enumerate().filter(|_| !aggregate.unclear);
            let mut removals: Vec<Proposal> = members
                .filter(|(_, member)| can_go(snapshot.tree(file), member, of_union))
                .filter_map(|(place, member)| {
                    removal(snapshot, file, member, (index, place), accesses)
                })
                .collect();
            // A structure keeps one member: the last one that is accessed, or the last of all.
            if removals.len() == aggregate.members.len() {
                let last = (0..removals.len()).max_by_key(|&at| (removals[at].list, at));
                last.map(|last| removals.remove(last));
            }
            proposals.extend(removals);
        }
    }
}

/// Returns true if the other members keep their initial values without this one. In a union, the value would go to another
/// member. Behind a designator, the next value belongs to the next member, so a member with a designator has to stay.
fn can_go(tree: &SyntaxTree, member: &Member, of_union: bool) -> bool {
    let carries_on = |&element: &NodeId| {
        tree.field(element, NodeField::Designator).is_some() && {
            let next = tree.next_named(element);
            next.is_some_and(|next| tree.field(next, NodeField::Designator).is_none())
        }
    };
    let mut values = member.initialisers.iter();
    if of_union { values.next().is_none() } else { !values.any(carries_on) }
}

fn removal(
    snapshot: &Snapshot,
    file: usize,
    member: &Member,
    index: (usize, usize),
    accesses: &Accesses,
) -> Option<Proposal> {
    let (tree, bytes) = (snapshot.tree(file), snapshot.bytes(file));
    // A member without a name stays: the members of an anonymous structure belong to the one around it.
    let name = member.name?;
    let accesses = accesses.of(index, &bytes[tree.range(name)])?;
    let mut edits = vec![remove_declaration(tree, file, member)?];
    let initialisers = member.initialisers.iter();
    edits.extend(initialisers.map(|&element| Edit::delete_element(file, tree.range(element))));
    edits.extend(accesses.iter().map(|&access| without(snapshot, file, access)));
    let list = u32::from(!accesses.is_empty());
    Some(Proposal::new(Patch::new(edits)?).in_list(list))
}

fn remove_declaration(tree: &SyntaxTree, file: usize, member: &Member) -> Option<Edit> {
    if !member.shared {
        return Some(Edit::delete(file, tree.range(member.declaration)));
    }
    // The width of a bit-field stands behind its declarator.
    let declarator = member.declarator?;
    let next = tree.node(declarator).after;
    let is_width =
        next < tree.node(member.declaration).after && tree.kind(next) == NodeKind::BitfieldClause;
    let end = tree.range(if is_width { next } else { declarator }).end;
    Some(Edit::delete_element(file, tree.range(declarator).start..end))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    fn reduce(source: &str, keep: &[&str]) -> String {
        let all = |text: &str| keep.iter().all(|part| text.contains(part));
        let reduced = reduce_with(&PASS, source, Language::C, all);
        reduced.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn initialisers_go_with_their_member() {
        assert_eq!(
            reduce(
                "struct S { int a; short b : 3, c; long d; }; struct S s = { 1, 2, 3, 4 };\n\
                 struct S t[2] = { { 1, 2, 3 }, { .d = 5, .b = 6 }, };\n\
                 int f(void) { s.b = 1; return s.b + s.d; }",
                &["return s.b + s.d"],
            ),
            "struct S { short b : 3; long d; }; struct S s = { 2, 4 }; \
             struct S t[2] = { { 2 }, { .d = 5, .b = 6 }, }; \
             int f(void) { s.b = 1; return s.b + s.d; }"
        );
    }

    #[test]
    fn nested_structures_typedefs_and_literals() {
        assert_eq!(
            reduce(
                "typedef struct { int a, b; } P; struct Q { P p; int *q; P r[2]; };\n\
                 struct Q x = { { 1, 2 }, 0, { { 3, 4 }, { 5, 6 } } };\n\
                 int f(void) { return x.r[1].b + ((P) { 7, 8 }).b; }",
                &["x.r[1].b + ((P)"],
            ),
            "typedef struct { int b; } P; struct Q { P r[2]; }; \
             struct Q x = { { { 4 }, { 6 } } }; int f(void) { return x.r[1].b + ((P) { 8 }).b; }"
        );
    }

    #[test]
    fn no_list_ends_up_empty() {
        assert_eq!(
            reduce("struct S { int a; int b; } s = { 1, }; int f(void) { return s.b; }", &["s.b"]),
            "struct S { int b; } s = { 0 }; int f(void) { return s.b; }"
        );
    }

    #[test]
    fn a_structure_may_have_no_member() {
        let source = "struct S { }; struct S s;";
        assert_eq!(reduce(source, &[]), source);
    }

    #[test]
    fn one_member_stays() {
        let source = "struct S { int a; int b; } s = { 1, 2 };";
        assert_eq!(reduce(source, &[]), "struct S { int b; } s = { 2 };");
        let source = "struct S { int a; int b; int c; } s; int f(void) { return s.b + s.c; }";
        let after = "struct S { int c; } s; int f(void) { return 0 + s.c; }";
        assert_eq!(reduce(source, &[]), after);
    }

    #[test]
    fn values_that_would_move_to_another_member_stay() {
        let source = "union U { int a; char b; } u = { 1 }; int f(void) { return u.b; }";
        assert_eq!(reduce(source, &["u.b"]), source);
        let source = "struct S { int a, b, c; } s = { .b = 1, 2 }; int f(void) { return s.a; }";
        assert_eq!(
            reduce(source, &["s.a", "1"]),
            "struct S { int a, b; } s = { .b = 1 }; int f(void) { return s.a; }"
        );
    }

    #[test]
    fn nothing_initialises_a_bit_field_without_a_name() {
        let source =
            "struct S { int a; int : 3; int b; } s = { 1, 2 }; int f(void) { return s.b; }";
        assert_eq!(
            reduce(source, &["s.b"]),
            "struct S { int : 3; int b; } s = { 2 }; int f(void) { return s.b; }"
        );
    }

    #[test]
    fn what_leaves_out_braces_stays() {
        let source = "struct P { int a, b; }; struct Q { struct P p; int c; } q = { 1, 2, 3 };";
        assert_eq!(reduce(source, &[]), source);
    }
}
