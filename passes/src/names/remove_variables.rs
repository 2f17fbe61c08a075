//! Removes variables together with everything that uses them.
//!
//! An assignment to the variable keeps its right side where that has an effect; any other use
//! becomes `0`.
//!
//! before:
//! ```c
//! int x[2], y; void f(void) { x[0] = y; y = x[1] = f2(); x[0]++; return x; }
//! ```
//! after:
//! ```c
//! int y; void f(void) { y = f2(); return 0; }
//! ```

use clreduce_language::{NodeField, NodeId, NodeKind, SymbolKind, declared_name};
use clreduce_testcase::Patch;

use crate::analysis::Unit;
use crate::edit::{for_each_symbol, remove_symbol, without};
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new(
    "remove-variables",
    "Remove variables, and put 0 where they were used",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    proposals.extend(for_each_symbol(snapshot, |file, symbol| {
        remove_symbol(snapshot, file, symbol, SymbolKind::Variable)
    }));
    let declarations =
        Unit::all_sound(snapshot).filter(|(_, _, kind)| *kind == NodeKind::Declaration);
    let whole = declarations.filter_map(|(unit, id, _)| whole(snapshot, unit, id));
    proposals.extend(whole.map(Proposal::new));
}

/// Removes all that a declaration of several variables declares, and the declaration with it: of the variables
/// one by one an `int;` would be left.
fn whole(snapshot: &Snapshot, unit: Unit<'_>, declaration: NodeId) -> Option<Patch> {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let declarators: Vec<NodeId> = tree.fields(declaration, NodeField::Declarator).collect();
    if declarators.len() < 2 {
        return None;
    }
    let parent = tree.kind(tree.node(declaration).parent);
    let nothing: &[u8] = if parent == NodeKind::ForStatement { b";" } else { b"" };
    let mut edits = vec![unit.replace(tree.range(declaration), nothing)];
    for declarator in declarators {
        let symbol = symbols.get(symbols.of(declared_name(tree, declarator)?)?);
        if symbol.kind != SymbolKind::Variable || symbol.opaque || symbol.declarations.len() > 1 {
            return None;
        }
        let outside = symbol
            .uses
            .iter()
            .filter(|&&name| !(declaration..tree.node(declaration).after).contains(&name));
        edits.extend(outside.map(|&name| without(snapshot, unit.file, name)));
    }
    Patch::new(edits)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn what_is_set_may_stand_in_parentheses_and_in_its_own_value() {
        crate::harness::assert_reduces(
            &PASS,
            Language::C,
            "void f(int *p) { int x; int *q = p; x = g((x)); (*q) = 1 + ((x)++); }",
            &["g("],
            "void f(int *p) { g((0)); 1 + (0); }",
        );
    }

    #[test]
    fn no_declaration_of_nothing_is_left() {
        crate::harness::assert_reduces(
            &PASS,
            Language::C,
            "int x, *y = &x, z; void f(void) { for (int i = 0, j = i; i < j; ) g(x); *y = z; }",
            &[],
            "void f(void) { for (; 0 < 0; ) g(0); }",
        );
    }

    #[test]
    fn no_structure_is_zero() {
        crate::harness::assert_reduces(
            &PASS,
            Language::C,
            "struct S { int a; }; struct S x; struct S y; void f(void) { x = y; }",
            &["S x"],
            "struct S { int a; }; struct S x; void f(void) { }",
        );
    }

    #[test]
    fn uses_become_right_sides_or_zero() {
        let source = "int x[2], y;\nvoid f(void) { x[0] = y; y = x[1] = g(); x[0]++; if (y) x[1] = 2; for (int i = 0; ; ) h(&x, y); }";
        assert_eq!(
            reduce_with(&PASS, source, Language::C, |text| text.contains(" y;")).trim(),
            "int  y;\nvoid f(void) {  y = g();  if (y) ; for (; ; ) h(0, y); }"
        );
    }
}
