//! Replaces a statement expression (a GNU extension that CLsmith makes much use of) by its value, or
//! by what initialises a variable in it.
//!
//! before:
//! ```c
//! int f(int a) { return ({ int x = g(a); x ? x : h(x); }); }
//! ```
//! after:
//! ```c
//! int f(int a) { return (g(a)); }
//! ```

use clreduce_testcase::{Language, Patch};

use super::unit::{Unit, is_expression};
use crate::names::uses::without;
use crate::pass::{PARSED, Pass, Proposal};
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct StatementExpression;

impl Pass for StatementExpression {
    fn name(&self) -> &'static str {
        "statement-expression"
    }

    fn about(&self) -> &'static str {
        "Replace a statement expression by its value or by an initialiser in it"
    }

    fn languages(&self) -> &'static [Language] {
        PARSED
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let values = Unit::all_sound(snapshot)
            .filter(|&(_, _, kind)| kind == "parenthesized_expression")
            .flat_map(|(unit, id, _)| {
                values(unit, id).into_iter().map(move |part| (unit, id, part))
            });
        let patches = values.filter_map(|(unit, id, part)| replaced(snapshot, unit, id, part));
        patches.map(Proposal::new).collect()
    }
}

/// Keeps one expression, which does without what is declared around it.
fn replaced(snapshot: &Snapshot, unit: Unit<'_>, id: NodeId, part: NodeId) -> Option<Patch> {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let body = tree.named_children(id).next()?;
    let (whole, kept) = (tree.range(id), tree.range(part));
    let mut edits =
        vec![unit.replace(whole.start..kept.start, b"("), unit.replace(kept.end..whole.end, b")")];
    let is_inner =
        |&node: &NodeId| symbols.of(node).is_some_and(|id| symbols.get(id).scope == body);
    let inner = tree.subtree(part).filter(is_inner);
    edits.extend(inner.map(|name| without(snapshot, unit.file, name)));
    Patch::new(edits)
}

/// The expressions that could stand for a whole statement expression.
fn values(unit: Unit<'_>, id: NodeId) -> Vec<NodeId> {
    let tree = unit.tree;
    let Some(body) = tree.named_children(id).next() else { return Vec::new() };
    if tree.kind(body) != "compound_statement" {
        return Vec::new();
    }
    let value = |statement: NodeId| match tree.kind(statement) {
        "expression_statement" => tree.named_children(statement).next(),
        "declaration" => tree.field(tree.field(statement, "declarator")?, "value"),
        _ => None,
    };
    let usable = |&node: &NodeId| is_expression(tree.kind(node));
    tree.named_children(body).filter_map(value).filter(usable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn a_value_or_an_initialiser_stays() {
        let before = "int f(int a) { return ({ int x = g(a); x ? x : h(x); }) + 1; }";
        let check = |keep: &str, after: &str| {
            assert_reduces(&StatementExpression, Language::C, before, &[keep], after);
        };
        check("g(a)", "int f(int a) { return (g(a)) + 1; }");
        check("h(", "int f(int a) { return (0 ? 0 : h(0)) + 1; }");
    }
}
