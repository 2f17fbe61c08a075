//! Removes attributes, storage classes, qualifiers, bit-field widths, assembly labels, and all but
//! one word of types of several words.
//!
//! before:
//! ```c
//! static const unsigned long x __attribute__((aligned(8))) = 1;
//! ```
//! after:
//! ```c
//! const unsigned long x __attribute__((aligned(8))) = 1;
//! ```

use clreduce_language::NodeKind;
use clreduce_testcase::Edit;

use crate::analysis::Unit;
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct Specifiers;

impl Pass for Specifiers {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "specifiers",
            "Remove attributes, storage classes, qualifiers and words of long types",
            PARSED,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        for unit in Unit::all(snapshot) {
            for (id, kind) in unit.sound() {
                let edit = match kind {
                    NodeKind::StorageClassSpecifier
                    | NodeKind::TypeQualifier
                    | NodeKind::AttributeSpecifier
                    | NodeKind::AttributeDeclaration
                    | NodeKind::AlignasQualifier
                    | NodeKind::BitfieldClause
                    | NodeKind::MsDeclspecModifier
                    | NodeKind::MsCallModifier
                    | NodeKind::LaunchBounds
                    | NodeKind::GnuAsmQualifier => unit.delete(unit.tree.range(id)),
                    NodeKind::GnuAsmExpression if is_label(unit, id) => {
                        unit.delete(unit.tree.range(id))
                    }
                    _ if is_element_of_attribute(unit, id) => {
                        Edit::delete_element(unit.file, unit.tree.range(id))
                    }
                    NodeKind::SizedTypeSpecifier => {
                        proposals.extend(words(unit, id));
                        continue;
                    }
                    _ => continue,
                };
                proposals.push(Proposal::edit(edit));
            }
        }
    }
}

/// `int f(void) __asm__("g");`
fn is_label(unit: Unit<'_>, id: NodeId) -> bool {
    let parent = unit.tree.kind(unit.tree.node(id).parent);
    matches!(
        parent,
        NodeKind::FunctionDeclarator | NodeKind::Declaration | NodeKind::InitDeclarator
    )
}

/// The elements of `__attribute__((a, b))`; a single one goes with the whole attribute.
fn is_element_of_attribute(unit: Unit<'_>, id: NodeId) -> bool {
    let tree = unit.tree;
    let list = tree.node(id).parent;
    tree.node(id).named
        && tree.kind(list) == NodeKind::ArgumentList
        && tree.kind(tree.node(list).parent) == NodeKind::AttributeSpecifier
        && tree.named_children(list).take(2).count() > 1
}

/// `unsigned long int` becomes any one of its words. Removing words one by one could leave none, and
/// a declaration without a type is hard to read for every later pass.
fn words(unit: Unit<'_>, id: NodeId) -> impl Iterator<Item = Proposal> {
    let whole = unit.tree.range(id);
    let words = unit.tree.children(id).map(|word| unit.tree.range(word));
    words
        .filter(move |word| word.len() < unit.tree.range(id).len())
        .zip(0..)
        .map(move |(word, list)| Proposal::new(unit.keep(whole.clone(), word)).in_list(list))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &str, after: &str) {
        assert_reduces(&Specifiers, Language::C, before, &[keep], after);
    }

    #[test]
    fn everything_that_can_go_goes() {
        check(
            "static inline int f(const int *volatile p) __attribute__((noinline)) { return 0; }",
            "",
            "int f( int * p) { return 0; }",
        );
        check("struct S { int a : 3; };", "", "struct S { int a ; };");
    }

    #[test]
    fn one_word_of_a_type_stays() {
        check("unsigned long int x;", "unsigned", "unsigned x;");
        check("unsigned long int x;", "long", "long x;");
    }
}
