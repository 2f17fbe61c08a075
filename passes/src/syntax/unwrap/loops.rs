//! Loops that become their bodies or an `if`, and the jumps that then have no loop to belong to.

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::{Edit, Patch};

use super::bare::{NamesByNode, bare, in_list};
use crate::NodeId;
use crate::analysis::Unit;
use crate::edit::is_smaller;

/// `while (c) body` becomes `body`.
pub(super) fn body_once(unit: Unit<'_>, names: &NamesByNode<'_>, id: NodeId) -> Option<Patch> {
    let body = unit.tree.field(id, NodeField::Body)?;
    let mut edits = unit.keep_parts(unit.tree.range(id), &[bare(unit, names, id, body)]);
    edits.extend(without_jumps(unit, body, true));
    Patch::new(edits)
}

/// `for (init; ...) body` becomes `init; body`.
pub(super) fn body_of_for(unit: Unit<'_>, names: &NamesByNode<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let (whole, body) = (tree.range(id), tree.field(id, NodeField::Body)?);
    let Some(init) = tree.field(id, NodeField::Initializer) else {
        return body_once(unit, names, id);
    };
    let semicolon = tree.children(id).find(|&child| child >= init && unit.text(child) == b";");
    let init_end = match tree.kind(init) {
        NodeKind::Declaration => tree.range(init).end,
        _ => tree.range(semicolon?).end,
    };
    let mut edits;
    if in_list(unit, id) && !names.clash(tree, id) {
        let init = tree.range(init).start..init_end;
        edits = unit.keep_parts(whole, &[init, bare(unit, names, id, body)]);
    } else if tree.kind(body) == NodeKind::CompoundStatement {
        let inside = tree.range(body).start + 1..whole.end;
        edits = vec![
            unit.replace(whole.start..tree.range(init).start, b"{"),
            unit.replace(init_end..inside.start, b" "),
            // Says that this brace is taken, so that no other patch removes it.
            unit.replace(whole.end - 1..whole.end, b"}"),
        ];
    } else {
        return None;
    }
    edits.extend(without_jumps(unit, body, true));
    Patch::new(edits)
}

/// `while (c) body` and `for (; c; ...) body` become `if (c) body`.
pub(super) fn once_if(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    if tree.field(id, NodeField::Initializer).is_some() {
        return None;
    }
    let (condition, body) =
        (tree.field(id, NodeField::Condition)?, tree.field(id, NodeField::Body)?);
    let (whole, range) = (tree.range(id), tree.range(condition));
    let mut edits = if tree.kind(id) == NodeKind::WhileStatement {
        vec![unit.replace(whole.start..range.start, b"if ")]
    } else {
        let to_body = range.end..tree.range(body).start;
        vec![unit.replace(whole.start..range.start, b"if ("), unit.replace(to_body, b") ")]
    };
    edits.extend(without_jumps(unit, body, true));
    Patch::new(edits)
}

/// A loop is longer than its body twice only if the body is short.
const LARGEST_TWICE: usize = 256;

/// `for (T x : a) body` becomes `body body`, where the body does not mention `x`.
pub(super) fn body_twice(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    if tree.range(id).len() > LARGEST_TWICE {
        return None;
    }
    let (body, declarator) =
        (tree.field(id, NodeField::Body)?, tree.field(id, NodeField::Declarator)?);
    let is_name = |&it: &NodeId| tree.kind(it) == NodeKind::Identifier;
    let name = tree.subtree(declarator).find(is_name)?;
    let mut inside = tree.subtree(body);
    let is_tied = inside.any(|it| match tree.kind(it) {
        NodeKind::BreakStatement | NodeKind::ContinueStatement => true,
        _ => is_name(&it) && unit.text(it) == unit.text(name),
    });
    let twice = [unit.text(body), b" ", unit.text(body)].concat();
    let is_smaller = is_smaller(&twice, unit.text(id));
    (in_list(unit, id) && !is_tied && is_smaller)
        .then(|| Patch::single(Edit::replace(unit.file, tree.range(id), twice)))
}

/// `for (T x : a) body` becomes `T x; body`, and where the type is deduced, `auto x = a; body`.
pub(super) fn body_of_range(unit: Unit<'_>, names: &NamesByNode<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let body = tree.field(id, NodeField::Body)?;
    let (kind, name) = (tree.field(id, NodeField::Type)?, tree.field(id, NodeField::Declarator)?);
    let range = tree.field(id, NodeField::Right)?;
    let colon = tree.children(id).find(|&child| tree.kind(child) == NodeKind::Colon)?;
    let open = tree.children(id).find(|&child| tree.kind(child) == NodeKind::LeftParenthesis)?;
    if !in_list(unit, id) || names.clash(tree, id) {
        return None;
    }
    let (whole, bare) = (tree.range(id), bare(unit, names, id, body));
    let mut edits = vec![unit.replace(whole.start..tree.range(open).end, b" ")];
    if tree.kind(kind) == NodeKind::PlaceholderTypeSpecifier {
        edits.push(unit.replace(tree.range(colon), b"="));
        edits.push(unit.replace(tree.range(range).end..bare.start, b"; "));
    } else {
        edits.push(unit.replace(tree.range(name).end..bare.start, b"; "));
    }
    edits.push(unit.replace(bare.end..whole.end, b" "));
    edits.extend(without_jumps(unit, body, true));
    Patch::new(edits)
}

/// Empties the jumps in a body that would have no loop (or switch) to belong to any more.
pub(super) fn without_jumps(unit: Unit<'_>, body: NodeId, of_loop: bool) -> Vec<Edit> {
    let tree = unit.tree;
    let mut edits = Vec::new();
    let mut at = body;
    let mut switch_ends = body;
    while at < tree.node(body).after {
        let next = tree.node(at).after;
        at = match tree.kind(at) {
            NodeKind::WhileStatement
            | NodeKind::DoStatement
            | NodeKind::ForStatement
            | NodeKind::ForRangeLoop => next,
            NodeKind::SwitchStatement if !of_loop => next,
            NodeKind::SwitchStatement => {
                switch_ends = switch_ends.max(next);
                NodeId(at.0 + 1)
            }
            NodeKind::BreakStatement | NodeKind::ContinueStatement => {
                let is_break = tree.kind(at) == NodeKind::BreakStatement;
                if (is_break && at >= switch_ends) || (!is_break && of_loop) {
                    edits.push(unit.replace(tree.range(at), b";"));
                }
                next
            }
            _ => NodeId(at.0 + 1),
        };
    }
    edits
}
