//! Makes indirection shorter: elements become what is pointed to, and an address that is followed at
//! once becomes the thing itself.
//!
//! before:
//! ```c
//! int f(int *p, struct S *s) { *&x = p[g()]; (*s).a = s[0].b + &*p; }
//! ```
//! after:
//! ```c
//! int f(int *p, struct S *s) { x = *p; s->a = s->b + p; }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::{Binding, Unit, demand};
use crate::pass::{PARSED, Pass, PassInfo, Proposal, Proposals};
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct Dereference;

impl Pass for Dereference {
    fn info(&self) -> PassInfo {
        PassInfo::new("dereference", "Make x[i] *x, (*x).f x->f, and *&x x", PARSED)
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        let patches = Unit::all_sound(snapshot).filter_map(|(unit, id, kind)| match kind {
            NodeKind::SubscriptExpression => element(unit, id),
            NodeKind::PointerExpression => undone(unit, id),
            NodeKind::FieldExpression => member(unit, id),
            _ => None,
        });
        proposals.extend(patches.map(Proposal::new));
    }
}

/// `x[i]` becomes `*x`, and `x[i].f` `x->f`.
fn element(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let array = tree.range(tree.field(id, NodeField::Argument)?);
    let index = array.end..tree.range(id).end;
    let above = tree.node(id).parent;
    if tree.kind(above) == NodeKind::FieldExpression {
        let dot = tree.children(above).find(|&child| tree.kind(child) == NodeKind::Dot)?;
        let rest = array.end..tree.range(dot).end;
        return Some(Patch::single(unit.replace(rest, b"->")));
    }
    let binds = demand(unit, id).is_some_and(|demand| demand <= Binding::UNARY);
    let star = unit.replace(array.start..array.start, b"*");
    let is_smaller = binds && crate::edit::is_smaller(b"*", &unit.bytes[index.clone()]);
    is_smaller.then(|| Patch::new(vec![star, unit.delete(index)])).flatten()
}

/// `*&x` and `&*x` become `x`, `&x[i]` becomes `x`.
fn undone(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let operator = unit.text(tree.field(id, NodeField::Operator)?);
    let mut inside = tree.field(id, NodeField::Argument)?;
    for _ in 0..8 {
        if tree.kind(inside) != NodeKind::ParenthesizedExpression {
            break;
        }
        inside = tree.named_children(inside).next()?;
    }
    let undoes = match tree.kind(inside) {
        NodeKind::PointerExpression => {
            unit.text(tree.field(inside, NodeField::Operator)?) != operator
        }
        NodeKind::SubscriptExpression => operator == b"&",
        _ => false,
    };
    let kept = tree.field(inside, NodeField::Argument).filter(|_| undoes)?;
    // What stands behind the operators binds as tightly as they do, at least.
    demand(unit, id).filter(|&demand| demand <= Binding::UNARY)?;
    Some(unit.keep(tree.range(id), tree.range(kept)))
}

/// `(*x).f` becomes `x->f`, and `(&x)->f` `x.f`.
fn member(unit: Unit<'_>, id: NodeId) -> Option<Patch> {
    let tree = unit.tree;
    let outer = tree.field(id, NodeField::Argument)?;
    if tree.kind(outer) != NodeKind::ParenthesizedExpression {
        return None;
    }
    let pointer = tree.named_children(outer).next()?;
    let operator = tree.field(pointer, NodeField::Operator)?;
    let inside = tree.field(pointer, NodeField::Argument)?;
    let postfix = [
        NodeKind::Identifier,
        NodeKind::FieldExpression,
        NodeKind::SubscriptExpression,
        NodeKind::CallExpression,
        NodeKind::ParenthesizedExpression,
    ];
    if tree.kind(pointer) != NodeKind::PointerExpression || !postfix.contains(&tree.kind(inside)) {
        return None;
    }
    let access = tree
        .children(id)
        .find(|&child| matches!(tree.kind(child), NodeKind::Dot | NodeKind::Arrow))?;
    let (start, kept) = (tree.range(id).start, tree.range(inside));
    let new: &'static [u8] = match (unit.text(operator), tree.kind(access)) {
        (b"*", NodeKind::Dot) => b"->",
        (b"&", NodeKind::Arrow) => b".",
        _ => return None,
    };
    Patch::new(vec![
        Edit::delete(unit.file, start..kept.start),
        unit.replace(kept.end..tree.range(access).end, new),
    ])
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, after: &str) {
        let wrap = |text: &str| format!("int f(void) {{ {text} }}");
        assert_reduces(&Dereference, Language::C, &wrap(before), &[], &wrap(after));
    }

    #[test]
    fn elements_become_what_is_pointed_to() {
        check("x[i] = a[1][2] + b[0].c;", "*x = **a + b->c;");
        check("g(&x[3], s.a[1]);", "g(x, *s.a);");
    }

    #[test]
    fn what_is_followed_at_once_is_the_thing_itself() {
        check("*&x = *(&y); &*p; (&x)->a = (*p).b;", "x = y; p; x.a = p->b;");
    }

    #[test]
    fn what_would_bind_otherwise_stays() {
        check("x[1]++; y[2](3);", "x[1]++; y[2](3);");
    }
}
