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

use clreduce_testcase::Language;

use super::uses::{for_each_symbol, remove_symbol};
use crate::pass::{PARSED, Pass, Proposal};
use crate::snapshot::Snapshot;
use crate::views::SymbolKind;

/// See the [module](self).
pub struct RemoveVariables;

impl Pass for RemoveVariables {
    fn name(&self) -> &'static str {
        "remove-variables"
    }

    fn about(&self) -> &'static str {
        "Remove variables, and put 0 where they were used"
    }

    fn languages(&self) -> &'static [Language] {
        PARSED
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        for_each_symbol(snapshot, |file, symbol| {
            remove_symbol(snapshot, file, symbol, SymbolKind::Variable)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::reduce_with;

    #[test]
    fn what_is_set_may_stand_in_parentheses_and_in_its_own_value() {
        crate::harness::assert_reduces(
            &RemoveVariables,
            Language::C,
            "void f(int *p) { int x; int *q = p; x = g((x)); (*q) = 1 + ((x)++); }",
            &["g("],
            "void f(int *p) { g((0)); 1 + (0); }",
        );
    }

    #[test]
    fn no_structure_is_zero() {
        crate::harness::assert_reduces(
            &RemoveVariables,
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
            reduce_with(&RemoveVariables, source, Language::C, |text| text.contains(" y;")).trim(),
            "int  y;\nvoid f(void) {  y = g();  if (y) ; for (; ; ) h(0, y); }"
        );
    }
}
