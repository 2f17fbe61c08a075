//! Leaves out the semicolon before the brace that closes a structure: compilers of C take it for granted.
//!
//! before:
//! ```c
//! struct S { int a; int b; };
//! ```
//! after:
//! ```c
//! struct S { int a; int b };
//! ```

use clreduce_language::NodeKind;
use clreduce_testcase::Language;

use crate::analysis::Unit;
use crate::pass::{Pass, PassInfo, Proposal, Proposals};
use crate::{NodeId, Snapshot};

/// The pass.
pub(crate) struct LastSemicolon;

impl Pass for LastSemicolon {
    fn info(&self) -> PassInfo {
        PassInfo::new(
            "last-semicolon",
            "Leave out the last semicolon of a structure",
            &[Language::C],
        )
    }

    fn propose(&self, snapshot: &Snapshot, proposals: &mut Proposals) {
        let bodies = Unit::all_sound(snapshot)
            .filter(|(_, _, kind)| *kind == NodeKind::FieldDeclarationList)
            .filter_map(|(unit, body, _)| Some((unit, last_semicolon(unit, body)?)));
        proposals.extend(bodies.map(|(unit, id)| Proposal::edit(unit.delete(unit.tree.range(id)))));
    }
}

fn last_semicolon(unit: Unit<'_>, body: NodeId) -> Option<NodeId> {
    let member = unit.tree.named_children(body).last()?;
    unit.tree.children(member).last().filter(|&last| unit.tree.kind(last) == NodeKind::Semicolon)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn only_the_last_one() {
        assert_reduces(
            &LastSemicolon,
            Language::C,
            "struct S { int a; union { int b : 3; } c; int d[2]; }; enum E { A }; struct T { };",
            &[],
            "struct S { int a; union { int b : 3 } c; int d[2] }; enum E { A }; struct T { };",
        );
    }
}
