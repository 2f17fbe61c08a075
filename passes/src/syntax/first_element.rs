//! Replaces an element of an array by the first one: `a[i]` by `*a`.
//!
//! before:
//! ```c
//! void f(int *p) { p[g()] = p[1] + p[2].x; }
//! ```
//! after:
//! ```c
//! void f(int *p) { *p = *p + p->x; }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::{Edit, Patch};

use crate::analysis::Unit;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass =
    Pass::new("first-element", "Replace elements of arrays by the first one", PARSED, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let elements = unit.sound().filter(|(_, kind)| *kind == NodeKind::SubscriptExpression);
        let patches = elements.filter_map(|(id, _)| first(unit, id));
        proposals.extend(patches.map(Proposal::new));
    }
}

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
            "void f(void) { **a = -*b; c[0]++; d->e->g = &*h; }",
        );
    }
}
