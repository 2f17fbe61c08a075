//! Removes barriers and fences, all of them or one, and simplifies their flags; where one has to stay, takes
//! it out of the block around it and removes the rest of the block.
//!
//! before:
//! ```cl
//! void f(void) { g(); barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); for (;;) { h(); mem_fence(1); } }
//! ```
//! after:
//! ```cl
//! void f(void) { g(); barrier(CLK_LOCAL_MEM_FENCE); mem_fence(1); }
//! ```

use clreduce_language::{NodeKind, Shape};
use clreduce_testcase::{Edit, Feature, Patch};

use crate::analysis::{Unit, builtin_calls};
use crate::budget::Budget;
use crate::edit::remove_statement;
use crate::pass::{Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "barriers",
    "Remove barriers and fences, simplify their flags, take them out of blocks",
    &[Feature::Syntax, Feature::CheckedKernels],
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        for_file(snapshot, unit, proposals);
    }
}

/// The number of blocks around a fence that are tried.
const MOST_BLOCKS: Budget = Budget::new("blocks around one barrier", 16);
/// The number of flags of a fence that are tried.
const MOST_FLAGS: Budget = Budget::new("flags of one barrier", 4);

fn for_file(snapshot: &Snapshot, unit: Unit<'_>, proposals: &mut Proposals) {
    let tree = unit.tree;
    let (mut removals, mut blocks, mut flags) = (Vec::new(), Vec::new(), Vec::new());
    for call in builtin_calls(snapshot, unit) {
        let Some(statement) = tree.parent(call.node) else { continue };
        if Shape::of(call.name) != Some(Shape::Fence)
            || tree.kind(statement) != NodeKind::ExpressionStatement
        {
            continue;
        }
        removals.push(remove_statement(tree, unit.file, statement));
        blocks.extend(out_of_blocks(unit, statement, proposals));
        if let [flag] = call.arguments[..] {
            flags.extend(simpler_flags(unit, flag, proposals));
        }
    }
    if removals.len() > 1 {
        proposals.extend(Patch::new(removals.clone()).map(Proposal::new));
    }
    proposals.extend(removals.into_iter().map(|edit| Proposal::edit(edit).in_list(1)));
    proposals.extend(blocks.into_iter().map(|patch| Proposal::new(patch).in_list(2)));
    proposals.extend(flags.into_iter().map(|edit| Proposal::edit(edit).in_list(3)));
}

/// The fence alone in place of each statement around it.
fn out_of_blocks(unit: Unit<'_>, fence: NodeId, proposals: &mut Proposals) -> Vec<Patch> {
    let tree = unit.tree;
    let inside = |&node: &NodeId| tree.kind(node) != NodeKind::FunctionDefinition;
    let around = proposals.limited(&MOST_BLOCKS, tree.ancestors(fence).take_while(inside));
    let is_statement = |&node: &NodeId| {
        let is_body =
            tree.parent(node).is_some_and(|above| tree.kind(above) == NodeKind::FunctionDefinition);
        tree.kind(node).is_statement() && !is_body && tree.is_sound(node)
    };
    let kept = |node| unit.keep(tree.range(node), tree.range(fence));
    around.into_iter().filter(is_statement).map(kept).filter(|patch| !patch.is_empty()).collect()
}

/// Each flag of several alone.
fn simpler_flags(unit: Unit<'_>, flags: NodeId, proposals: &mut Proposals) -> Vec<Edit> {
    let tree = unit.tree;
    let names = tree.subtree(flags).filter(|&node| tree.kind(node) == NodeKind::Identifier);
    let names = proposals.limited(&MOST_FLAGS, names).into_iter();
    let whole = tree.range(flags);
    let names = names.filter(|&name| tree.range(name) != whole);
    names.map(|name| Edit::replace(unit.file, whole.clone(), unit.text(name).to_vec())).collect()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        let wrap = |text: &str| format!("kernel void f(void) {{ {text} }}");
        assert_reduces(&PASS, Language::OPENCL, &wrap(before), keep, &wrap(after));
    }

    #[test]
    fn all_or_one() {
        let source = "barrier(1); if (x) mem_fence(2); else { write_mem_fence(1 | 2); g(); }";
        check(source, &["if", "g"], "if (x) ; else { g(); }");
        check(source, &["if (x) mem_fence(2)", "g"], "if (x) mem_fence(2); else { g(); }");
        check(source, &["write"], "write_mem_fence(1 | 2);");
    }

    #[test]
    fn one_flag_is_enough() {
        let source = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);";
        check(source, &["barrier", "GLOBAL"], "barrier(CLK_GLOBAL_MEM_FENCE);");
    }

    #[test]
    fn functions_of_that_name_are_none() {
        let source = "void barrier(int x) { } void f(void) { barrier(1); }";
        assert_reduces(&PASS, Language::OPENCL, source, &[], source);
    }
}
