//! Removes base classes: all of a class, then single ones.
//!
//! before:
//! ```cpp
//! struct A { }; struct B { }; struct C : A { }; struct D : private A, public virtual B { };
//! ```
//! after:
//! ```cpp
//! struct A { }; struct B { }; struct C { }; struct D : private A { };
//! ```

use std::ops::Range;

use clreduce_language::{NodeId, NodeKind};
use clreduce_testcase::Edit;

use crate::analysis::Unit;
use crate::pass::{CPP, Pass, Proposal, Proposals};
use crate::snapshot::Snapshot;

pub(crate) const PASS: Pass = Pass::new("cpp-bases", "Remove base classes", CPP, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for (unit, id, kind) in Unit::all_sound(snapshot) {
        if kind != NodeKind::BaseClassClause {
            continue;
        }
        proposals.push(Proposal::edit(unit.delete(unit.tree.range(id))));
        let bases = bases(unit, id);
        if bases.len() > 1 {
            // With the first one in a list of its own, a group of bases never leaves a colon alone.
            for (index, base) in bases.into_iter().enumerate() {
                let edit = Edit::delete_element(unit.file, base);
                let list = if index == 0 { 2 } else { 1 };
                proposals.push(Proposal::edit(edit).in_list(list));
            }
        }
    }
}

/// The bases in a clause, each with `public` and `virtual`.
fn bases(unit: Unit<'_>, clause: NodeId) -> Vec<Range<usize>> {
    let tree = unit.tree;
    let mut bases = Vec::new();
    let mut open: Option<Range<usize>> = None;
    for child in tree.children(clause) {
        match tree.kind(child) {
            NodeKind::Colon => {}
            NodeKind::Comma => bases.extend(open.take()),
            _ => {
                let range = tree.range(child);
                open = Some(open.map_or(range.start, |open| open.start)..range.end);
            }
        }
    }
    bases.extend(open);
    bases
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn any_base_may_stay() {
        let before = "struct D : private A, B<int, 2>, virtual public n::C { };";
        for (keep, after) in [
            ("A", "struct D : private A { };"),
            ("B<int, 2>", "struct D : B<int, 2> { };"),
            ("C", "struct D : virtual public n::C { };"),
        ] {
            assert_reduces(&PASS, Language::CPP, before, &[keep], after);
        }
    }
}
