//! Removes, empties or lifts blocks that never run because of their guard: the equivalence-modulo-inputs
//! blocks of CLsmith, which compare two elements of one array, as in `if (p->emi[3] < p->emi[1])`.
//!
//! All of them at once, then one by one.
//!
//! before:
//! ```cl
//! void f(__global int *e) { if (e[3] < e[1]) { g(); } h(); if (e[2] < e[0]) { k(); l(); } }
//! ```
//! after:
//! ```cl
//! void f(__global int *e) { h(); k(); l(); }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::Unit;
use crate::edit::remove_statement;
use crate::pass::{DEVICE, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "emi",
    "Remove, lift or empty blocks guarded by two elements of one array",
    DEVICE,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    proposals.extend(Unit::all(snapshot).flat_map(for_file));
}

fn for_file(unit: Unit<'_>) -> Vec<Proposal> {
    let guarded: Vec<NodeId> = unit
        .sound()
        .filter(|(id, kind)| *kind == NodeKind::IfStatement && is_guarded(unit, *id))
        .map(|(id, _)| id)
        .collect();
    let remove = |&block: &NodeId| remove_statement(unit.tree, unit.file, block);
    let mut proposals = Vec::new();
    if guarded.len() > 1 {
        proposals.extend(Patch::new(guarded.iter().map(remove).collect()).map(Proposal::new));
    }
    proposals.extend(guarded.iter().map(|block| Proposal::edit(remove(block)).in_list(1)));
    let lifted = guarded.iter().filter_map(|&block| lifted(unit, block));
    proposals.extend(lifted.map(|patch| Proposal::new(patch).in_list(2)));
    let emptied = guarded.iter().filter_map(|&block| emptied(unit, block));
    proposals.extend(emptied.map(|edit| Proposal::edit(edit).in_list(3)));
    proposals
}

/// Returns true if the condition compares two elements of one array at fixed places.
fn is_guarded(unit: Unit<'_>, statement: NodeId) -> bool {
    let tree = unit.tree;
    let compared = || {
        let mut condition = tree.field(statement, NodeField::Condition)?;
        // CLsmith writes two parentheses.
        for _ in 0..3 {
            if tree.field(condition, NodeField::Operator).is_none() {
                condition = tree.named_children(condition).next()?;
            }
        }
        let operator = tree.field(condition, NodeField::Operator)?;
        let (left, right) =
            (tree.field(condition, NodeField::Left)?, tree.field(condition, NodeField::Right)?);
        let is_order = matches!(
            tree.kind(operator),
            NodeKind::Less | NodeKind::Greater | NodeKind::LessEqual | NodeKind::GreaterEqual
        );
        is_order.then_some((left, right))
    };
    let array = |element: NodeId| {
        let index = tree.field(element, NodeField::Index).or_else(|| {
            // The grammar of CUDA has a list of indices.
            tree.named_children(tree.field(element, NodeField::Indices)?).next()
        })?;
        let is_fixed = tree.kind(index) == NodeKind::NumberLiteral;
        (is_fixed && tree.kind(element) == NodeKind::SubscriptExpression)
            .then(|| tree.field(element, NodeField::Argument))?
    };
    let arrays = compared().and_then(|(left, right)| array(left).zip(array(right)));
    arrays.is_some_and(|(left, right)| unit.text(left) == unit.text(right))
}

/// The statements of the block in place of the guarded one.
fn lifted(unit: Unit<'_>, statement: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let body = tree.field(statement, NodeField::Consequence)?;
    let in_list = tree.kind(tree.parent(statement)?) == NodeKind::CompoundStatement;
    let mut kept = tree.range(body);
    if in_list && tree.kind(body) == NodeKind::CompoundStatement {
        kept = kept.start + 1..kept.end - 1;
    }
    (kept.start < kept.end).then(|| unit.keep(tree.range(statement), kept))
}

/// The guard with nothing behind it.
fn emptied(unit: Unit<'_>, statement: NodeId) -> Option<Edit> {
    let body = unit.tree.range(unit.tree.field(statement, NodeField::Consequence)?);
    let rest = body.start..unit.tree.range(statement).end;
    (unit.bytes.get(body) != Some(b";")).then(|| unit.replace(rest, b";"))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        assert_reduces(&PASS, Language::OPENCL, before, keep, after);
    }

    const SOURCE: &str =
        "void f(struct S *p) { if ((p->e[3] < p->e[1])) { g(); if (p->e[7] <= p->e[2]) h(); } }";

    #[test]
    fn removed_lifted_or_emptied() {
        check(SOURCE, &[], "void f(struct S *p) { }");
        check(SOURCE, &["h"], "void f(struct S *p) { g(); h(); }");
        check(SOURCE, &["e[3]"], "void f(struct S *p) { if ((p->e[3] < p->e[1])) ; }");
    }

    #[test]
    fn other_conditions_are_no_guards() {
        for source in ["if (a[1] < b[0]) g();", "if (a[i] < a[0]) g();", "if (a[1] == a[0]) g();"] {
            check(source, &[], source);
        }
    }
}
