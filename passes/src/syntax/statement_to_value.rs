//! Replaces a declaration, a `return` or a `throw` by the value in it.
//!
//! before:
//! ```c
//! int f(void) { int x = g(1); return h(x); }
//! ```
//! after:
//! ```c
//! int f(void) { g(1); return h(0); }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::Patch;

use crate::analysis::{Unit, has_effect, is_expression, is_statement_list};
use crate::edit::without;
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct StatementToValue;

impl Pass for StatementToValue {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "statement-to-value",
            "Keep of a declaration or return only the value",
            PARSED,
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        let found = Unit::all_sound(snapshot).flat_map(|(unit, id, kind)| match kind {
            NodeKind::Declaration => declaration(snapshot, unit, id),
            NodeKind::ReturnStatement | NodeKind::ThrowStatement => returned(unit, id),
            _ => None,
        });
        proposals.extend(found);
    }
}

/// `T x = e;` becomes `e;`, when `e` does something, and what uses `x` does without it.
fn declaration(snapshot: &Snapshot, unit: Unit<'_>, id: NodeId) -> Option<Proposal> {
    let tree = unit.tree;
    let mut declarators = tree.fields(id, NodeField::Declarator);
    let (first, more) = (declarators.next()?, declarators.next());
    let value = tree.field(first, NodeField::Value)?;
    let symbols = snapshot.symbols(unit.file);
    let declares = |node: &NodeId| symbols.of(*node).is_some();
    let name = tree.subtree(tree.field(first, NodeField::Declarator)?).find(declares)?;
    let symbol = symbols.get(symbols.of(name)?);
    let acts = has_effect(tree, value) && !symbol.opaque;
    let in_list = is_statement_list(tree.kind(tree.node(id).parent));
    let usable = more.is_none() && in_list && acts && is_expression(tree.kind(value));
    let whole = tree.range(id);
    let part = tree.range(value).start..whole.end;
    let mut edits = unit.keep_parts(whole, &[part]);
    edits.extend(symbol.uses.iter().map(|&name| without(snapshot, unit.file, name)));
    Some(Proposal::new(Patch::new(edits).filter(|_| usable)?))
}

/// `return e;` becomes `e;`.
fn returned(unit: Unit<'_>, id: NodeId) -> Option<Proposal> {
    let value = unit.tree.named_children(id).next()?;
    let (whole, value) = (unit.tree.range(id), unit.tree.range(value));
    let part = value.start..whole.end;
    Some(Proposal::new(unit.keep(whole, part)))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

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
}
