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

use clreduce_testcase::{Edit, Language};

use super::context::{Place, is_condition, places};
use super::unit::Unit;
use crate::pass::{PARSED, Pass, Proposal};
use crate::smaller::is_smaller;
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct SmallerElsewhere;

/// Names offered for each expression.
const OFFERS: usize = 3;
/// Proposals in all: this pass is for what is left when all else has stopped.
const LIMIT: usize = 1000;

impl Pass for SmallerElsewhere {
    fn name(&self) -> &'static str {
        "smaller-elsewhere"
    }

    fn about(&self) -> &'static str {
        "Replace an expression by a name that its function uses elsewhere"
    }

    fn languages(&self) -> &'static [Language] {
        PARSED
    }

    fn propose(&self, snapshot: &Snapshot) -> Vec<Proposal> {
        let mut proposals = Vec::new();
        for unit in Unit::all(snapshot) {
            let places = places(unit);
            let mut end = NodeId(0);
            for function in unit.tree.ids() {
                // A function inside another is part of it.
                if function < end || unit.tree.kind(function) != "function_definition" {
                    continue;
                }
                end = unit.tree.node(function).after;
                let names = names(unit, function, &places);
                for id in unit.tree.subtree(function) {
                    let place = places[id.0 as usize];
                    let whole = unit.tree.kind(unit.tree.node(id).parent) == "expression_statement";
                    if place == Place::Fixed || whole || is_condition(unit, id) {
                        continue;
                    }
                    // Names of one token for names of one token: renaming is not this pass's task.
                    let composed = unit.tree.node(id).after.0 > id.0 + 1;
                    let offers = names.iter().filter(|name| is_smaller(name, unit.text(id)));
                    for (name, list) in offers.take(OFFERS).zip(0..).filter(|_| composed) {
                        let range = unit.tree.range(id);
                        let edit = Edit::replace(unit.file, range, name.clone());
                        proposals.push(Proposal::edit(edit).in_list(list));
                        if proposals.len() == LIMIT {
                            return proposals;
                        }
                    }
                }
            }
        }
        proposals
    }
}

/// The names that a function uses as values, first used first.
fn names(unit: Unit<'_>, function: NodeId, places: &[Place]) -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = Vec::new();
    for id in unit.tree.subtree(function) {
        if unit.tree.kind(id) == "identifier" && places[id.0 as usize] != Place::Fixed {
            let name = unit.text(id).to_vec();
            if !names.contains(&name) {
                names.push(name);
            }
            if names.len() == OFFERS + 1 {
                break;
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn a_name_in_scope_stands_in() {
        assert_reduces(
            &SmallerElsewhere,
            Language::C,
            "void f(int *p, int i) { q(i); r(p[i + 1].x); }",
            &[],
            "void f(int *p, int i) { q(i); r(i); }",
        );
    }
}
