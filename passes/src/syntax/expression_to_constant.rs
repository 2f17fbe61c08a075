//! Replaces an expression by `0`, by `1` where that may make a difference, or in C++ by `{}`, which may be of any type.
//!
//! before:
//! ```c
//! int f(int x) { return g(x) + h(x); }
//! ```
//! after:
//! ```c
//! int f(int x) { return 0 + h(x); }
//! ```

use clreduce_language::{NodeField, NodeKind};
use clreduce_testcase::Feature;

use crate::analysis::{ExpressionPlace, Unit, is_condition, lanes_in_list, places};
use crate::pass::{PARSED, Pass, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass =
    Pass::new("expression-to-constant", "Replace an expression by 0, 1 or {}", PARSED, propose);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let places = places(unit);
        for (id, kind) in unit.sound() {
            if places[id.0 as usize] != ExpressionPlace::Value || is_condition(unit, id) {
                continue;
            }
            if lanes_in_list(snapshot, unit, id).is_some() {
                continue;
            }
            if zero_fits(unit, id) {
                proposals.extend(unit.shrink(id, b"0"));
            }
            if one_matters(unit, id, kind) {
                proposals.extend(unit.shrink(id, b"1").map(|proposal| proposal.in_list(1)));
            }
            if snapshot.language().has(Feature::Classes) && braces_fit(unit, id, kind) {
                proposals.extend(unit.shrink(id, b"{}").map(|proposal| proposal.in_list(2)));
            }
        }
    }
}

/// Returns true if the value of an expression goes anywhere. Removing a statement or one side of a
/// comma is for other passes, and a parenthesis is tried as a whole.
fn is_used(unit: Unit<'_>, id: NodeId) -> bool {
    let parent = unit.tree.node(id).parent;
    match unit.tree.kind(parent) {
        NodeKind::ExpressionStatement | NodeKind::CommaExpression => false,
        NodeKind::ParenthesizedExpression => is_condition(unit, parent),
        _ => true,
    }
}

fn zero_fits(unit: Unit<'_>, id: NodeId) -> bool {
    let node = unit.tree.node(id);
    is_used(unit, id)
        && match unit.tree.kind(node.parent) {
            NodeKind::BinaryExpression => {
                node.field != Some(NodeField::Right)
                    || unit
                        .tree
                        .field(node.parent, NodeField::Operator)
                        .is_none_or(|operator| !matches!(unit.text(operator), b"/" | b"%"))
            }
            parent => !(parent.is_array_declarator() || parent == NodeKind::BitfieldClause),
        }
}

/// Returns true if 1 is worth a try as well. For a name it is only where 0 cannot stand or ends a
/// loop, or behind a minus, since -1 sets all bits; literals have a pass of their own.
fn one_matters(unit: Unit<'_>, id: NodeId, kind: NodeKind) -> bool {
    let parent = unit.tree.node(id).parent;
    let is_negated = || {
        let operator = unit.tree.field(parent, NodeField::Operator);
        unit.tree.kind(parent) == NodeKind::UnaryExpression
            && operator.is_some_and(|operator| unit.text(operator) == b"-")
    };
    is_used(unit, id)
        && match kind {
            NodeKind::Identifier => {
                is_condition(unit, parent) || !zero_fits(unit, id) || is_negated()
            }
            NodeKind::NumberLiteral | NodeKind::CharLiteral => false,
            _ => true,
        }
}

/// Returns true if `{}` can stand for an expression: where a value is given to something that has a type.
fn braces_fit(unit: Unit<'_>, id: NodeId, kind: NodeKind) -> bool {
    let node = unit.tree.node(id);
    let is_given = match unit.tree.kind(node.parent) {
        NodeKind::ArgumentList | NodeKind::ReturnStatement | NodeKind::InitializerList => true,
        NodeKind::InitDeclarator => node.field == Some(NodeField::Value),
        NodeKind::AssignmentExpression => node.field == Some(NodeField::Right),
        _ => false,
    };
    is_given && !kind.is_literal()
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::{assert_reduces, reduce_with};

    fn check(before: &str, keep: &str, after: &str) {
        let wrap = |text: &str| format!("int f(void) {{ {text} }}");
        assert_reduces(&PASS, Language::C, &wrap(before), &[keep], &wrap(after));
    }

    #[test]
    fn values_become_zero() {
        check("g(a + b, s.x, p[i * 2]); return x;", "g(", "g(0, 0, 0); return 0;");
        check("if (a && b) ;", "if", "if (0) ;");
    }

    #[test]
    fn in_cpp_braces_stand_for_any_value() {
        let before = "S f() { S s = g(); s = h(2 + x); k(S(), 2); return S(s.x); }";
        let after = "S f() { S s = {}; s = {}; k({}, 2); return {}; }";
        let has_no_number = |text: &str| !text.contains(['0', '1']);
        let left = reduce_with(&PASS, before, Language::CPP, has_no_number);
        assert_eq!(left, after);
    }

    #[test]
    fn a_vector_among_the_values_of_a_list_stays_one() {
        let before =
            "kernel void k() { struct { int3 b; int c; } d = { (int3)(7), 8 + get_local_id(0) }; }";
        let after = "kernel void k() { struct { int3 b; int c; } d = { (int3)(0), 0 }; }";
        assert_reduces(&PASS, Language::OPENCL, before, &["(int3)"], after);
        let removed = reduce_with(&PASS, before, Language::OPENCL, |_| true);
        assert!(removed.contains("(int3)(0), 0"), "{removed}");
    }

    #[test]
    fn what_must_not_be_zero_becomes_one() {
        check("int a[n + 1]; x = 3 / (y - z);", "3 /", "int a[1]; x = 3 / 1;");
        check("while (a < b) ;", "while (1)", "while (1) ;");
        check("x = -y; z = -w;", "-1", "x = -1; z = 0;");
    }

    #[test]
    fn places_that_need_more_than_a_value_stay() {
        check("(*p)++; s.a = f.b; *q = &r;", "", "(*p)++; s.a = 0; *q = 0;");
    }
}
