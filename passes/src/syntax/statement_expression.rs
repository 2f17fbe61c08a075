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

use std::collections::BTreeMap;

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::Patch;

use crate::analysis::{Unit, is_expression};
use crate::edit::without;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot, Symbols};

pub(crate) const PASS: Pass = Pass::new(
    "statement-expression",
    "Replace a statement expression by its value or by an initialiser in it",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let uses = uses_by_scope(snapshot.symbols(unit.file));
        for (id, kind) in unit.sound() {
            let body = unit.tree.named_children(id).next();
            let is_block = |body: &NodeId| unit.tree.kind(*body) == NodeKind::CompoundStatement;
            if let Some(body) = body.filter(is_block)
                && kind == NodeKind::ParenthesizedExpression
            {
                let inner = uses.get(&body).map_or(&[][..], Vec::as_slice);
                let values = values(unit, body).into_iter();
                let patches = values.filter_map(|part| replaced(snapshot, unit, id, part, inner));
                proposals.extend(patches.map(Proposal::new));
            }
        }
    }
}

/// By scope, the uses of the symbols that it declares, in source order.
fn uses_by_scope(symbols: &Symbols) -> BTreeMap<NodeId, Vec<NodeId>> {
    let mut uses: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for symbol in symbols.ids().map(|id| symbols.get(id)) {
        uses.entry(symbol.scope).or_default().extend(&symbol.uses);
    }
    uses.values_mut().for_each(|uses| uses.sort_unstable());
    uses
}

/// The patch that keeps `part` of the statement expression `id`, and replaces the names in it that the statement expression
/// declares. `inner` are the uses of these names in source order.
fn replaced(
    snapshot: &Snapshot,
    unit: Unit<'_>,
    id: NodeId,
    part: NodeId,
    inner: &[NodeId],
) -> Option<Patch> {
    let tree = unit.tree;
    let (whole, kept) = (tree.range(id), tree.range(part));
    let mut edits =
        vec![unit.replace(whole.start..kept.start, b"("), unit.replace(kept.end..whole.end, b")")];
    let first = inner.partition_point(|&name| name < part);
    let inside = inner[first..].iter().take_while(|&&name| name < tree.node(part).after);
    edits.extend(inside.map(|&name| without(snapshot, unit.file, name)));
    Patch::new(edits)
}

/// The expressions that can replace a whole statement expression, in source order: those of its statements, and initialisers.
fn values(unit: Unit<'_>, body: NodeId) -> Vec<NodeId> {
    let tree = unit.tree;
    let value = |statement: NodeId| match tree.kind(statement) {
        NodeKind::ExpressionStatement => tree.named_children(statement).next(),
        NodeKind::Declaration => {
            tree.field(tree.field(statement, NodeField::Declarator)?, NodeField::Value)
        }
        _ => None,
    };
    let usable = |&node: &NodeId| is_expression(tree.kind(node));
    tree.named_children(body).filter_map(value).filter(usable).collect()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn a_value_or_an_initialiser_stays() {
        let before = "int f(int a) { return ({ int x = g(a); x ? x : h(x); }) + 1; }";
        let check = |keep: &str, after: &str| {
            assert_reduces(&PASS, Language::C, before, &[keep], after);
        };
        check("g(a)", "int f(int a) { return (g(a)) + 1; }");
        check("h(", "int f(int a) { return (0 ? 0 : h(0)) + 1; }");
    }
}
