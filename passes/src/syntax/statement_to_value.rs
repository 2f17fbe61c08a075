//! Replaces a declaration or a `return` by the value in it, and a `return` of a value by one without.
//!
//! before:
//! ```c
//! int f(void) { int x = g(1); return h(x); }
//! ```
//! after:
//! ```c
//! int f(void) { g(1); return h(x); }
//! ```

use clreduce_testcase::{Language, Patch};

use super::unit::{Unit, has_effect, is_expression, is_statement_list};
use crate::pass::{PARSED, Pass, Proposal};
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct StatementToValue;

impl Pass for StatementToValue {
    fn name(&self) -> &'static str {
        "statement-to-value"
    }

    fn about(&self) -> &'static str {
        "Keep of a declaration or return only the value, or of a return only the word"
    }

    fn languages(&self) -> &'static [Language] {
        PARSED
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let proposals = Unit::all_sound(snapshot).flat_map(|(unit, id, kind)| match kind {
            "declaration" => declaration(unit, id).into_iter().collect(),
            "return_statement" => returned(unit, id),
            _ => Vec::new(),
        });
        proposals.collect()
    }
}

/// `T x = e;` becomes `e;`, when `e` does something.
fn declaration(unit: Unit<'_>, id: NodeId) -> Option<Proposal> {
    let tree = unit.tree;
    let mut declarators = tree.fields(id, "declarator");
    let (first, more) = (declarators.next()?, declarators.next());
    let value = tree.field(first, "value")?;
    let acts = has_effect(tree, value);
    let in_list = is_statement_list(tree.kind(tree.node(id).parent));
    let usable = more.is_none() && in_list && acts && is_expression(tree.kind(value));
    let whole = tree.range(id);
    let part = tree.range(value).start..whole.end;
    usable.then(|| Proposal::new(unit.keep(whole, part)))
}

/// `return e;` becomes `e;` and `return;`.
fn returned(unit: Unit<'_>, id: NodeId) -> Vec<Proposal> {
    let tree = unit.tree;
    let Some(value) = tree.named_children(id).next() else { return Vec::new() };
    let (whole, value) = (tree.range(id), tree.range(value));
    let keyword = whole.start..whole.start + b"return".len();
    let plain = Patch::single(unit.replace(keyword.end..value.end, b" "));
    vec![
        Proposal::new(unit.keep(whole.clone(), value.start..whole.end)),
        Proposal::new(plain).in_list(1),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &str, after: &str) {
        assert_reduces(&StatementToValue, Language::C, before, &[keep], after);
    }

    #[test]
    fn only_the_value_stays() {
        check("void f(void) { int *x = g(); int y = 1; }", "", "void f(void) { g(); int y = 1; }");
        check("int f(void) { return g(); }", "g()", "int f(void) { g(); }");
    }

    #[test]
    fn or_only_the_return() {
        check("int f(void) { return g(); }", "return", "int f(void) { return ; }");
    }
}
