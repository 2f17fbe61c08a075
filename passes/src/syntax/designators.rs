//! Removes designators from initialiser lists, so that a value goes to the next member or element.
//!
//! before:
//! ```c
//! struct { int a, b; } s = { .b = 1 }; int t[4] = { [3] = 2, 5 };
//! ```
//! after:
//! ```c
//! struct { int a, b; } s = { 1 }; int t[4] = { 2, 5 };
//! ```

use clreduce_language::{NodeField, NodeId, NodeKind};
use clreduce_testcase::Edit;

use crate::Snapshot;
use crate::analysis::Unit;
use crate::pass::{PARSED, Pass, Proposal, Proposals};

pub(crate) const PASS: Pass =
    Pass::new("designators", "Remove designators from initialiser lists", PARSED, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let pairs = Unit::all_sound(snapshot)
        .filter(|(_, _, kind)| *kind == NodeKind::InitializerPair)
        .filter_map(|(unit, id, _)| without_designators(unit, id));
    proposals.extend(pairs.map(Proposal::edit));
}

/// Leaves the value of `.a = 1`, of `[3] = 1`, and of the old `a: 1`.
fn without_designators(unit: Unit<'_>, pair: NodeId) -> Option<Edit> {
    let value = unit.tree.field(pair, NodeField::Value)?;
    let (whole, value) = (unit.tree.range(pair), unit.tree.range(value));
    Some(unit.delete(whole.start..value.start))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn one_value_may_keep_its_place() {
        assert_reduces(
            &PASS,
            Language::C,
            "struct S s = { .a = { [1] = 2 }, .b.c = 3, d: 4 };",
            &[".b.c"],
            "struct S s = { { 2 }, .b.c = 3, 4 };",
        );
    }

    #[test]
    fn a_list_without_designators_stays() {
        let same = "int a[] = { 1, x = 2, b[3] }; void f(void) { s.a = 1; t[3] = x; }";
        assert_reduces(&PASS, Language::C, same, &[], same);
    }
}
