//! Stores a value straight to where a kernel's result goes, in place of what was made of it.
//!
//! before:
//! ```cl
//! kernel void f(global int *r) { int x; int *p = &x; *p = clamp(r[1], 2, 3); x += 5; *r = x; }
//! ```
//! after:
//! ```cl
//! kernel void f(global int *r) { int x; int *p = &x; x += 5; *r = clamp(r[1], 2, 3); }
//! ```

use clreduce_language::{NodeField, NodeKind, is_kernel};
use clreduce_testcase::{Edit, Feature, Patch};

use crate::analysis::Unit;
use crate::budget::Budget;
use crate::edit::{is_smaller, remove_statement};
use crate::pass::{Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot, SymbolKind};

pub(crate) const PASS: Pass = Pass::new(
    "to-result",
    "Store a value straight to the result of a kernel",
    &[Feature::Syntax, Feature::CheckedKernels],
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let tree = unit.tree;
        let kernels = tree.ids().filter(|&id| tree.kind(id) == NodeKind::FunctionDefinition);
        for kernel in kernels.filter(|&id| is_kernel(tree, unit.bytes, id) && tree.is_sound(id)) {
            for_kernel(snapshot, unit, kernel, proposals);
        }
    }
}

/// The number of stores that are looked at, the last ones of a kernel.
const MOST_STORES: Budget = Budget::new("stores of results in one kernel", 16);
/// The number of values that are tried for each of them, the last ones before it.
const MOST_VALUES: Budget = Budget::new("values before one store of a result", 50);

struct Assignment {
    statement: NodeId,
    value: NodeId,
    /// True if it stores to what a parameter of the kernel points to.
    is_result: bool,
}

fn for_kernel(snapshot: &Snapshot, unit: Unit<'_>, kernel: NodeId, proposals: &mut Proposals) {
    let tree = unit.tree;
    let statements =
        tree.subtree(kernel).filter(|&id| tree.kind(id) == NodeKind::ExpressionStatement);
    let assignments: Vec<Assignment> =
        statements.filter_map(|id| assignment(snapshot, unit, kernel, id)).collect();
    let stores = assignments.iter().enumerate().filter(|(_, assignment)| assignment.is_result);
    for (at, store) in proposals.limited(&MOST_STORES, stores.rev()) {
        for source in proposals.limited(&MOST_VALUES, assignments[..at].iter().rev()) {
            let (old, new) = (unit.text(store.value), unit.text(source.value));
            // The statement goes, its value stays: smaller unless the old value was shorter still.
            if !is_smaller(new, &[old, unit.text(source.statement)].join(&b' '))
                || !is_visible(snapshot, unit, source.value, store.statement)
            {
                continue;
            }
            let edits = vec![
                remove_statement(tree, unit.file, source.statement),
                Edit::replace(unit.file, tree.range(store.value), new.to_vec()),
            ];
            proposals.extend(Patch::new(edits).map(Proposal::new));
        }
    }
}

fn assignment(
    snapshot: &Snapshot,
    unit: Unit<'_>,
    kernel: NodeId,
    statement: NodeId,
) -> Option<Assignment> {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let types = snapshot.types(unit.file);
    let expression = tree.named_children(statement).next()?;
    if tree.kind(expression) != NodeKind::AssignmentExpression {
        return None;
    }
    let (target, value) =
        (tree.field(expression, NodeField::Left)?, tree.field(expression, NodeField::Right)?);
    let is_through =
        matches!(tree.kind(target), NodeKind::PointerExpression | NodeKind::SubscriptExpression);
    let name = tree.subtree(target).find(|&node| tree.kind(node) == NodeKind::Identifier);
    let symbol = name.and_then(|name| symbols.of(name)).map(|id| symbols.get(id));
    let is_parameter = symbol.is_some_and(|symbol| {
        symbol.kind == SymbolKind::Parameter && symbol.scope == kernel && !symbol.opaque
    });
    let (stored, target) = (types.of(value).number()?, types.of(target).number());
    let is_result = is_through && is_parameter && target.is_some();
    // A scalar is stored to anything, a vector only to one like it.
    (stored.lanes == 1 || target == Some(stored)).then_some(Assignment {
        statement,
        value,
        is_result,
    })
}

/// Returns true if everything that a value names means the same at another place.
fn is_visible(snapshot: &Snapshot, unit: Unit<'_>, value: NodeId, at: NodeId) -> bool {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let names = tree.subtree(value).filter_map(|node| symbols.of(node));
    names.map(|id| symbols.get(id)).all(|symbol| {
        let scope = symbol.scope;
        let declared_inside = value <= scope && scope < tree.node(value).after;
        !symbol.opaque && (declared_inside || scope <= at && at < tree.node(scope).after)
    })
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        let wrap =
            |text: &str| format!("int g(int); kernel void f(global int *r, int n) {{ {text} }}");
        assert_reduces(&PASS, Language::OPENCL, &wrap(before), keep, &wrap(after));
    }

    #[test]
    fn the_value_that_counts() {
        check(
            "int a, b; a = g(1); b = g(2); a += g(3); r[n] = a + b;",
            &["r[n] = g(2)", "g(1)", "g(3)"],
            "int a, b; a = g(1); a += g(3); r[n] = g(2);",
        );
    }

    #[test]
    fn names_that_are_not_visible_stay() {
        let source = "int a; { int b = 1; a = g(b); } n = g(4); *r = a;";
        check(source, &["g(b)", "*r"], "int a; { int b = 1; a = g(b); } *r = g(4);");
    }
}
