//! Replaces an expression by a name or number that the same function uses elsewhere (the idea of
//! Vulcan's tree-based patterns: a subtree by a smaller one of its kind).
//!
//! before:
//! ```c
//! int f(int a, int *b) { return a + g(*b); }
//! ```
//! after:
//! ```c
//! int f(int a, int *b) { return a + a; }
//! ```

use std::ops::Range;

use clreduce_language::{NodeKind, Type, converts, vector_literal};
use clreduce_testcase::Edit;

use crate::analysis::{ExpressionPlace, Unit, is_condition, places};
use crate::budget::Budget;
use crate::edit::is_smaller;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "smaller-elsewhere",
    "Replace an expression by a name that its function uses elsewhere",
    PARSED,
    propose,
);

/// Names offered for each expression.
const OFFERS: Budget = Budget::new("names in the place of one expression", 3);
/// Names of a function that are looked at.
const NAMES: Budget = Budget::new("names that one function uses", 16);
/// Proposals in all: this pass is for what is left when all else has stopped.
const ALL: Budget = Budget::new("expressions with names in their place", 1000);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let places = places(unit);
        let types = snapshot.types(unit.file);
        let mut end = NodeId(0);
        for function in unit.tree.ids() {
            // A function inside another is part of it.
            if function < end || unit.tree.kind(function) != NodeKind::FunctionDefinition {
                continue;
            }
            end = unit.tree.node(function).after;
            let names = names(snapshot, unit, function, &places, proposals);
            for id in unit.tree.subtree(function) {
                let whole =
                    unit.tree.kind(unit.tree.node(id).parent) == NodeKind::ExpressionStatement;
                let place = places[id.0 as usize];
                let fixed = place == ExpressionPlace::Fixed || whole;
                // Names of one token for names of one token: renaming is not this pass's task.
                let composed = unit.tree.node(id).after.0 > id.0 + 1;
                if fixed || !composed || is_condition(unit, id) {
                    continue;
                }
                let of = types.of(id);
                let offers = names.iter().filter(|name| {
                    is_smaller(name.text, unit.text(id))
                        && name.visible.contains(&id)
                        && converts(name.of, of).unwrap_or(place != ExpressionPlace::Composite)
                });
                for (name, list) in proposals.limited(&OFFERS, offers).into_iter().zip(0..) {
                    if !proposals.allow(&ALL, proposals.list.len() + 1) {
                        return;
                    }
                    let range = unit.tree.range(id);
                    let edit = Edit::replace(unit.file, range, name.text.to_vec());
                    proposals.push(Proposal::edit(edit).in_list(list));
                }
            }
        }
    }
}

/// A name that a function uses as a value.
struct UsedName<'a> {
    text: &'a [u8],
    of: Type,
    /// The nodes for which it means the same.
    visible: Range<NodeId>,
}

/// The names that a function uses as values, first used first.
fn names<'a>(
    snapshot: &'a Snapshot,
    unit: Unit<'a>,
    function: NodeId,
    places: &[ExpressionPlace],
    proposals: &mut Proposals,
) -> Vec<UsedName<'a>> {
    let (tree, symbols) = (unit.tree, snapshot.symbols(unit.file));
    let mut names: Vec<UsedName<'_>> = Vec::new();
    for id in tree.subtree(function) {
        // The name in `(uint)(x)`, which is taken for a call.
        let is_type = || {
            let call = tree.parent(tree.node(id).parent);
            call.and_then(|call| vector_literal(tree, call)) == Some(id)
        };
        let is_value = tree.kind(id) == NodeKind::Identifier
            && places[id.0 as usize] != ExpressionPlace::Fixed
            && !is_type();
        let (text, of) = (unit.text(id), snapshot.types(unit.file).of(id));
        let visible = match symbols.of(id).map(|symbol| symbols.get(symbol)) {
            Some(symbol) => symbol.declarations[0]..tree.node(symbol.scope).after,
            None => function..tree.node(function).after,
        };
        let is_new = |name: &UsedName<'_>| name.text != text || name.visible != visible;
        if is_value && names.iter().all(is_new) {
            if !proposals.allow(&NAMES, names.len() + 1) {
                break;
            }
            names.push(UsedName { text, of, visible });
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn a_name_in_scope_stands_in() {
        assert_reduces(
            &PASS,
            Language::C,
            "void f(int *p, int i) { q(i); r(p[i + 1].x); }",
            &[],
            "void f(int *p, int i) { q(i); r(i); }",
        );
    }
}
