//! Calls what a value is piped into: `f(a, b)` takes the place of `a | f(b)`, and `f(a)` that of `a | f`.
//!
//! Both mean the same for the adaptors of `<ranges>`, and the second one needs no `operator|`. A chain goes as a whole, or one pipe
//! of it. What may be a sum of flags, because nothing in the chain is called, stays.
//!
//! before:
//! ```cpp
//! int f(R r) { return g(r | n::take(2) | n::keys); }
//! ```
//! after:
//! ```cpp
//! int f(R r) { return g(n::keys(n::take(r, 2))); }
//! ```

use clreduce_language::{NodeField, NodeId, NodeKind};
use clreduce_testcase::Edit;

use crate::analysis::Unit;
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

// Only together with an `operator|` that nothing needs any more.
pub(crate) const PASS: Pass =
    Pass::new("cpp-pipes", "Call what a value is piped into with |", CPP, propose).growing();

/// Pipes of one chain that are looked at, and bytes of it: chains may stand inside each other.
const LONGEST: usize = 16;
const LARGEST: usize = 2048;

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let tree = unit.tree;
        let binary = unit.sound().filter(|(_, kind)| *kind == NodeKind::BinaryExpression);
        for (id, _) in binary.filter(|(id, _)| tree.range(*id).len() <= LARGEST) {
            let is_last = pipe(unit, tree.node(id).parent).is_none();
            let Some(chain) = chain(unit, id).filter(|_| is_last && !tree.has_error(id)) else {
                continue;
            };
            let mut push = |pipe: NodeId, text: Option<Vec<u8>>, list| {
                let edit = text.map(|text| Edit::replace(unit.file, tree.range(pipe), text));
                proposals.extend(edit.map(|edit| Proposal::edit(edit).in_list(list)));
            };
            let first = chain.last().map(|&(_, left, _)| unit.text(left).to_vec());
            let rights = chain.iter().rev().map(|&(.., right)| right);
            let whole = rights.fold(first, |left, right| called(unit, &left?, right));
            push(id, whole, 0);
            for &(pipe, left, right) in chain.iter().filter(|_| chain.len() > 1) {
                push(pipe, called(unit, unit.text(left), right), 1);
            }
        }
    }
}

/// The pipes of a chain, the last one first, each with its operands. `None` for anything else.
fn chain(unit: Unit<'_>, id: NodeId) -> Option<Vec<(NodeId, NodeId, NodeId)>> {
    let mut pipes = Vec::new();
    let mut next = Some(id);
    while let Some((id, (left, right))) = next.and_then(|id| Some((id, pipe(unit, id)?))) {
        pipes.push((id, left, right));
        next = Some(left).filter(|_| pipes.len() < LONGEST);
    }
    let is_call = |&(_, _, right): &(NodeId, NodeId, NodeId)| {
        unit.tree.kind(right) == NodeKind::CallExpression
    };
    pipes.iter().any(is_call).then_some(pipes)
}

fn pipe(unit: Unit<'_>, id: NodeId) -> Option<(NodeId, NodeId)> {
    let tree = unit.tree;
    let operator = tree.field(id, NodeField::Operator)?;
    let is_pipe = tree.kind(id) == NodeKind::BinaryExpression && unit.text(operator) == b"|";
    is_pipe.then_some((tree.field(id, NodeField::Left)?, tree.field(id, NodeField::Right)?))
}

/// The call that takes the place of `left | right`.
fn called(unit: Unit<'_>, left: &[u8], right: NodeId) -> Option<Vec<u8>> {
    let tree = unit.tree;
    if tree.kind(right) != NodeKind::CallExpression {
        let is_name =
            matches!(tree.kind(right), NodeKind::Identifier | NodeKind::QualifiedIdentifier);
        return is_name.then(|| [unit.text(right), b"(", left, b")"].concat());
    }
    let function = unit.text(tree.field(right, NodeField::Function)?);
    let list = tree.range(tree.field(right, NodeField::Arguments)?);
    let given = &unit.bytes[list.start + 1..list.end - 1];
    let comma: &[u8] = if given.trim_ascii().is_empty() { b"" } else { b", " };
    Some([function, b"(", left, comma, given, b")"].concat())
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn flags_stay() {
        let flags = "int f() { return g(A | B | 2); }";
        assert_reduces(&PASS, Language::CPP, flags, &[], flags);
    }

    #[test]
    fn one_pipe_of_a_chain_may_go() {
        let before = "int f(R r) { return g( r | n::take(2) | n::keys() | n::values ); }";
        let after = "int f(R r) { return g( n::keys(n::take(r, 2)) | n::values ); }";
        assert_reduces(&PASS, Language::CPP, before, &["| n::values"], after);
    }
}
