//! Makes indirection shorter: an element of an array becomes the first one, and an address that is followed at once becomes
//! the thing itself.
//!
//! before:
//! ```c
//! void f(int *p, struct S s) { p[g()] = p[1] + *&*p; (&s)->a = p[2].x; }
//! ```
//! after:
//! ```c
//! void f(int *p, struct S s) { *p = *p + *p; s.a = p->x; }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Binding, Unit, demand};
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass =
    Pass::new("indirection", "Make x[i] *x, *&x x, and (&x)->f x.f", PARSED, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let patches = Unit::all_sound(snapshot).filter_map(|(unit, id, kind)| match kind {
        NodeKind::SubscriptExpression => first(unit, id),
        NodeKind::PointerExpression => undone(unit, id),
        NodeKind::FieldExpression => member(unit, id),
        _ => None,
    });
    proposals.extend(patches.map(Proposal::new));
}

/// The first element in place of any.
fn first(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let argument = tree.field(id, NodeField::Argument)?;
    let (whole, base) = (tree.range(id), tree.range(argument));
    let parent = tree.parent(id)?;
    let is_base = matches!(tree.node(id).field, Some(NodeField::Argument | NodeField::Function));
    let suffix = base.end..whole.end;
    let edits = match tree.kind(parent) {
        // `a[i].f` is `a->f`.
        NodeKind::FieldExpression if is_base => {
            let dot = tree.children(parent).find(|&child| tree.kind(child) == NodeKind::Dot)?;
            let dot = tree.range(dot);
            vec![Edit::delete(unit.file, suffix), Edit::replace(unit.file, dot, b"->".as_slice())]
        }
        // `a[i][j]` is `(*a)[j]`, which is no smaller than `a[0][j]`.
        NodeKind::SubscriptExpression | NodeKind::CallExpression | NodeKind::UpdateExpression
            if is_base =>
        {
            return None;
        }
        _ => vec![
            Edit::replace(unit.file, base.start..base.start, b"*".as_slice()),
            Edit::delete(unit.file, suffix),
        ],
    };
    Patch::new(edits)
}

/// `*&x` and `&*x` become `x`.
fn undone(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let operator = unit.text(tree.field(id, NodeField::Operator)?);
    let inside = within_parentheses(unit, tree.field(id, NodeField::Argument)?)?;
    let is_undone = tree.kind(inside) == NodeKind::PointerExpression
        && unit.text(tree.field(inside, NodeField::Operator)?) != operator;
    let kept = tree.field(inside, NodeField::Argument).filter(|_| is_undone)?;
    // What stands behind the operators binds as tightly as they do, at least.
    demand(unit, id).filter(|&demand| demand <= Binding::UNARY)?;
    Some(unit.keep(tree.range(id), tree.range(kept)))
}

/// `(*x).f` becomes `x->f`, and `(&x)->f` `x.f`.
fn member(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let outer = tree.field(id, NodeField::Argument)?;
    let pointer = within_parentheses(unit, outer).filter(|&pointer| pointer != outer)?;
    let inside = tree.field(pointer, NodeField::Argument)?;
    let is_postfix = [
        NodeKind::Identifier,
        NodeKind::FieldExpression,
        NodeKind::SubscriptExpression,
        NodeKind::CallExpression,
        NodeKind::ParenthesizedExpression,
    ]
    .contains(&tree.kind(inside));
    if tree.kind(pointer) != NodeKind::PointerExpression || !is_postfix {
        return None;
    }
    let is_access = |&child: &NodeId| matches!(tree.kind(child), NodeKind::Dot | NodeKind::Arrow);
    let access = tree.children(id).find(is_access)?;
    let operator = unit.text(tree.field(pointer, NodeField::Operator)?);
    let new: &'static [u8] = match (operator, tree.kind(access)) {
        (b"*", NodeKind::Dot) => b"->",
        (b"&", NodeKind::Arrow) => b".",
        _ => return None,
    };
    let kept = tree.range(inside);
    Patch::new(vec![
        Edit::delete(unit.file, tree.range(id).start..kept.start),
        Edit::replace(unit.file, kept.end..tree.range(access).end, new),
    ])
}

/// The expression inside any parentheses around it.
fn within_parentheses(unit: Unit<'_>, mut id: NodeId) -> Option<NodeId> {
    while unit.tree.kind(id) == NodeKind::ParenthesizedExpression {
        id = unit.tree.named_children(id).next()?;
    }
    Some(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::assert_reduces;
    use clreduce_testcase::Language;

    #[test]
    fn only_where_it_is_smaller() {
        assert_reduces(
            &PASS,
            Language::C,
            "void f(void) { a[1][2] = -b[i]; c[0]++; d[x].e[3].g = &h[4]; }",
            &[],
            "void f(void) { **a = -*b; c[0]++; d->e->g = h; }",
        );
    }

    #[test]
    fn what_is_followed_at_once_is_the_thing_itself() {
        assert_reduces(
            &PASS,
            Language::C,
            "int f(void) { *&x = *(&y); &*p; (&x)->a = (*p).b; (&(&x)->b)->c = 1; }",
            &[],
            "int f(void) { x = y; p; x.a = p->b; x.b.c = 1; }",
        );
    }
}
