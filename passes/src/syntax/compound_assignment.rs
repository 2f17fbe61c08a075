//! Makes an assignment that uses what it sets a compound one.
//!
//! before:
//! ```c
//! void f(int *p) { *p = *p >> (1 + g()); }
//! ```
//! after:
//! ```c
//! void f(int *p) { *p >>= (1 + g()); }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::Edit;

use crate::analysis::{Unit, has_effect};
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "compound-assignment",
    "Make assignments that use what they set compound ones",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    let of_unit = |unit: Unit<'_>| {
        let assignments = unit
            .sound()
            .filter(|(_, kind)| *kind == NodeKind::AssignmentExpression)
            .map(|(id, _)| id);
        assignments.filter_map(|id| compound(unit, id)).collect::<Vec<Edit>>()
    };
    proposals.extend(Unit::all(snapshot).flat_map(of_unit).map(Proposal::edit));
}

/// The edit that writes `x op= y` for `x = x op y` (C99 6.5.16.2).
fn compound(unit: Unit<'_>, assignment: NodeId) -> Option<Edit> {
    let tree = unit.tree;
    let part = |of: NodeId, name| tree.field(of, name);
    let (left, right) = (part(assignment, NodeField::Left)?, part(assignment, NodeField::Right)?);
    let is_plain = unit.text(part(assignment, NodeField::Operator)?) == b"=";
    if !is_plain || tree.kind(right) != NodeKind::BinaryExpression || has_effect(tree, left) {
        return None;
    }
    let operator = unit.text(part(right, NodeField::Operator)?);
    let has_compound =
        matches!(operator, b"+" | b"-" | b"*" | b"/" | b"%" | b"&" | b"|" | b"^" | b"<<" | b">>");
    if !has_compound || unit.text(part(right, NodeField::Left)?) != unit.text(left) {
        return None;
    }
    let between = tree.range(left).end..tree.range(part(right, NodeField::Right)?).start;
    let text = [b" ", operator, b"= "].concat();
    Some(Edit::replace(unit.file, between, text))
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, after: &str) {
        let wrap = |text: &str| format!("int f(void) {{ {text} }}");
        assert_reduces(&PASS, Language::C, &wrap(before), &[], &wrap(after));
    }

    #[test]
    fn only_where_the_first_operand_is_what_is_set() {
        check("a[i] = a[i] << b + 1;", "a[i] <<= b + 1;");
        for kept in
            ["a = b + a;", "a[i++] = a[i++] + 1;", "a = a < b;", "a = a - b - c;", "a += a + 1;"]
        {
            check(kept, kept);
        }
    }
}
