//! The search for launches with a solver, a program that reads SMT-LIB: the conditions on the way to a branch, where they are
//! expressions over arguments, and what it answers becomes the arguments of a launch.

mod terms;

use std::collections::BTreeMap;
use std::ops::Range;

use clreduce_host::{HostKernel, sizes};
use clreduce_kernel::KernelLaunch;
use clreduce_language::{NodeField, NodeId, NodeKind};
use clreduce_process::{Cancel, ToolRunner};
use clreduce_testcase::{Feature, TestCase};
use clreduce_tools::SOLVER;

use terms::{Terms, integer};

const FILE: &str = "query.smt2";
/// The effort of a solver, so that its answers do not depend on time.
const EFFORT: u32 = 3_000_000;
/// The bound of the numbers that are asked for first.
const SMALL: i64 = 4096;

/// A solver, and the ranges of conditions by their places.
pub(super) struct Solver {
    program: String,
    conditions: BTreeMap<u32, Range<usize>>,
}

impl Solver {
    /// `None` if there is none.
    pub(super) fn find(
        kernel: &HostKernel,
        conditions: BTreeMap<u32, Range<usize>>,
    ) -> Option<Self> {
        let program = SOLVER.find()?.to_str()?.to_owned();
        kernel.language.has(Feature::OpenClWords).then_some(Self { program, conditions })
    }

    /// A launch like this one under which a condition has a truth; `None` if the solver finds none, or nothing is known of
    /// the condition.
    pub(super) fn launch(
        &self,
        kernel: &HostKernel,
        base: &KernelLaunch,
        (condition, wanted): (u32, bool),
        tools: &ToolRunner,
        cancel: &Cancel,
    ) -> Option<KernelLaunch> {
        let range = self.conditions.get(&condition)?;
        let mut terms = Terms::of(kernel);
        let node = terms.tree().ids().find(|&id| terms.tree().range(id) == *range)?;
        let mut asserted = vec![holds(&mut terms, node, wanted)?];
        for (node, wanted) in way_to(&terms, node) {
            asserted.extend(holds(&mut terms, node, wanted));
        }
        asserted.extend(terms.conditions.iter().cloned());
        let files = TestCase::single(FILE, query(&terms, base, &asserted)?.into_bytes()).ok()?;
        let effort = match self.program.ends_with("cvc5") {
            true => format!("--rlimit={EFFORT}"),
            false => format!("rlimit={EFFORT}"),
        };
        let args = [effort.as_str(), FILE].map(Into::into).into();
        let ran = tools.run(&self.program, args, &files, cancel);
        let mut launch = base.clone();
        for (name, value) in answer(&ran.stdout) {
            let (number, Some(is)) = terms.variables.get(name)? else { continue };
            let (bits, is_signed) = integer(*number)?;
            let unused = 64 - bits;
            let value = match is_signed {
                true => ((value << unused).cast_signed() >> unused) as f64,
                false => value as f64,
            };
            if is.of(&launch) != Some(value) {
                launch = is.with(&launch, value)?;
            }
        }
        (launch != *base).then_some(launch)
    }
}

/// That a condition has a truth.
fn holds(terms: &mut Terms<'_>, node: NodeId, wanted: bool) -> Option<String> {
    let truth = terms.term(node)?.is_true();
    Some(if wanted { truth } else { format!("(not {truth})") })
}

/// The conditions around a node, with the truth that they have where it runs.
fn way_to(terms: &Terms<'_>, node: NodeId) -> Vec<(NodeId, bool)> {
    let tree = terms.tree();
    let mut way = Vec::new();
    let mut inner = node;
    while let Some(outer) = tree.parent(inner) {
        let field = tree.node(inner).field;
        let condition =
            tree.field(outer, NodeField::Condition).map(|condition| match tree.kind(condition) {
                NodeKind::ParenthesizedExpression => {
                    tree.named_children(condition).next().unwrap_or(condition)
                }
                NodeKind::ConditionClause => {
                    tree.field(condition, NodeField::Value).unwrap_or(condition)
                }
                _ => condition,
            });
        match (tree.kind(outer), field, condition) {
            (_, Some(NodeField::Consequence | NodeField::Body), Some(condition)) => {
                way.push((condition, true));
            }
            (_, Some(NodeField::Alternative), Some(condition)) => way.push((condition, false)),
            (NodeKind::BinaryExpression, Some(NodeField::Right), _) => {
                let operator = tree.field(outer, NodeField::Operator).map(|id| terms.text(id));
                let left = tree.field(outer, NodeField::Left);
                match (operator, left) {
                    (Some("&&"), Some(left)) => way.push((left, true)),
                    (Some("||"), Some(left)) => way.push((left, false)),
                    _ => {}
                }
            }
            // `if (id >= n) return;` before it.
            (NodeKind::CompoundStatement, ..) => {
                let before = tree.named_children(outer).take_while(|&id| id < inner);
                way.extend(before.filter_map(|id| Some((left_behind(terms, id)?, false))));
            }
            _ => {}
        }
        inner = outer;
    }
    way
}

/// The condition of an `if` that leaves the function or the loop.
fn left_behind(terms: &Terms<'_>, id: NodeId) -> Option<NodeId> {
    let tree = terms.tree();
    let is_left = tree.kind(id) == NodeKind::IfStatement
        && tree.field(id, NodeField::Alternative).is_none()
        && tree.subtree(tree.field(id, NodeField::Consequence)?).any(|inner| {
            matches!(tree.kind(inner), NodeKind::ReturnStatement | NodeKind::ContinueStatement)
        });
    is_left.then(|| tree.field(id, NodeField::Condition)).flatten()
}

/// The text for the solver: with small numbers first.
fn query(terms: &Terms<'_>, launch: &KernelLaunch, asserted: &[String]) -> Option<String> {
    let mut text = String::from("(set-option :produce-models true)\n(set-logic QF_BV)\n");
    let [global, local] = sizes(launch);
    let mut small = String::new();
    let mut names = Vec::new();
    for (name, (number, is)) in &terms.variables {
        let (bits, is_signed) = integer(*number)?;
        text += &format!("(declare-const {name} (_ BitVec {bits}))\n");
        if is.is_some() {
            names.push(name.as_str());
            let bound = SMALL.min(1 << (bits - 2));
            let below = if is_signed { "bvsle" } else { "bvule" };
            small += &format!("(assert ({below} {name} (_ bv{bound} {bits})))\n");
            if is_signed {
                small += &format!("(assert (bvsge {name} (bvneg (_ bv{bound} {bits}))))\n");
            }
            continue;
        }
        let (function, dimension) = name.rsplit_once('_')?;
        let dimension: usize = dimension.parse().ok()?;
        let (global, local) = (*global.get(dimension)?, *local.get(dimension)?);
        let groups = global / local.max(1);
        text += &match function {
            "get_global_id" => format!("(assert (bvult {name} (_ bv{global} 64)))\n"),
            "get_local_id" => format!("(assert (bvult {name} (_ bv{local} 64)))\n"),
            "get_group_id" => format!("(assert (bvult {name} (_ bv{groups} 64)))\n"),
            "get_global_size" => format!("(assert (= {name} (_ bv{global} 64)))\n"),
            "get_local_size" => format!("(assert (= {name} (_ bv{local} 64)))\n"),
            _ => format!("(assert (= {name} (_ bv{groups} 64)))\n"),
        };
    }
    if names.is_empty() {
        return None;
    }
    for one in asserted {
        text += &format!("(assert {one})\n");
    }
    let ask = format!("(check-sat)\n(get-value ({}))\n", names.join(" "));
    Some(format!("{text}(push 1)\n{small}{ask}(pop 1)\n{ask}"))
}

/// The values of the first answer that has some: `((a0 #x00000001) (a1 #b1))`.
fn answer(printed: &str) -> Vec<(&str, u64)> {
    let mut lines = printed.lines().skip_while(|line| line.trim() != "sat").skip(1);
    let mut open = 0_i64;
    let values: Vec<&str> = lines
        .by_ref()
        .take_while(|line| {
            let is_open = open >= 0 && !matches!(line.trim(), "sat" | "unsat" | "unknown");
            open += line.matches('(').count() as i64 - line.matches(')').count() as i64;
            is_open
        })
        .collect();
    let words = values.iter().flat_map(|line| line.split(['(', ')', ' ']));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let number = |word: &str| match (word.strip_prefix("#x"), word.strip_prefix("#b")) {
        (Some(digits), _) => u64::from_str_radix(digits, 16).ok(),
        (_, Some(digits)) => u64::from_str_radix(digits, 2).ok(),
        _ => None,
    };
    words.chunks(2).filter_map(|pair| Some((pair[0], number(pair.get(1)?)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answer_counts() {
        let printed = "unsat\n(error \"no model\")\nsat\n((a0 #x000003e8)\n (b1_0 #b1))\n";
        assert_eq!(answer(printed), [("a0", 1000), ("b1_0", 1)]);
        let printed = "sat\n((a0 #x01))\nsat\n((a0 #x02))\n";
        assert_eq!(answer(printed), [("a0", 1)]);
        assert_eq!(answer("unsat\n(error \"x\")\nunknown\n(error \"y\")\n"), []);
    }
}
