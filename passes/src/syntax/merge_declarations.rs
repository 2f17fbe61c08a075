//! Merges declarations of one type that stand behind each other.
//!
//! before:
//! ```c
//! int a; int *b = &a; struct S { int c; int d; }; void f(void) { static int e; static int g; }
//! ```
//! after:
//! ```c
//! int a, *b = &a; struct S { int c, d; }; void f(void) { static int e, g; }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::Edit;

use crate::analysis::{Unit, words};
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "merge-declarations",
    "Merge declarations of one type that stand behind each other",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let declarations = Unit::all_sound(snapshot)
        .filter(|(_, _, kind)| matches!(*kind, NodeKind::Declaration | NodeKind::FieldDeclaration));
    proposals.extend(declarations.filter_map(|(unit, id, _)| merge(unit, id)).map(Proposal::edit));
}

/// Puts a comma between the declarators of a declaration and those of the next, where both begin with
/// the same words.
fn merge(unit: Unit<'_>, id: NodeId) -> Option<Edit> {
    let tree = unit.tree;
    let next = tree.node(id).after;
    let is_sibling = next.0 < tree.len() as u32
        && tree.node(next).parent == tree.node(id).parent
        && tree.kind(next) == tree.kind(id)
        && tree.is_sound(next);
    if !is_sibling || words(unit, id)? != words(unit, next)? {
        return None;
    }
    let semicolon =
        tree.children(id).last().filter(|&last| tree.kind(last) == NodeKind::Semicolon)?;
    let first = tree.field(next, NodeField::Declarator)?;
    let range = tree.range(semicolon).start..tree.range(first).start;
    Some(unit.replace(range, b","))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn only_of_one_type() {
        let check = |before: &str, after: &str| {
            assert_reduces(&PASS, Language::C, before, &[], after);
        };
        check("int a; int b = 1; int c, d; char e; int g;", "int a, b = 1, c, d; char e; int g;");
        for same in ["const int a; int b;", "int f(void) { } int g(void) { }", "int a; ; int b;"] {
            check(same, same);
        }
        check("struct S { int a : 1; int b : 2; };", "struct S { int a : 1, b : 2; };");
    }
}
