//! Replaces atomic operations by plain ones.
//!
//! before:
//! ```cl
//! void f(__global int *p) { atomic_add(p, 2); p[1] = atomic_inc(&p[2]); }
//! ```
//! after:
//! ```cl
//! void f(__global int *p) { *p += 2; p[1] = ++p[2]; }
//! ```

use clreduce_language::{NodeField, NodeKind, Shape};
use clreduce_testcase::{Edit, Feature, Patch};

use crate::Snapshot;
use crate::analysis::{BuiltinCall, Unit, builtin_calls, is_primary};
use crate::edit::rewritten;
use crate::pass::{Pass, Proposal, Proposals};

pub(crate) const PASS: Pass = Pass::new(
    "atomics",
    "Replace atomic operations by plain ones",
    &[Feature::Syntax, Feature::CheckedKernels],
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        for call in builtin_calls(snapshot, unit) {
            if Shape::of(call.name) != Some(Shape::Atomic) {
                continue;
            }
            proposals.extend(plain(unit, &call).and_then(Patch::new).map(Proposal::new));
        }
    }
}

/// A plain operation on what the first argument points to.
fn plain(unit: Unit<'_>, call: &BuiltinCall<'_>) -> Option<Vec<Edit>> {
    let tree = unit.tree;
    let (&pointer, operands) = call.arguments.split_first()?;
    let (sign, operand) = match operation(call.name, operands.len())? {
        Operation::Step(sign) => (sign, None),
        Operation::Assignment(sign) => (sign, Some(*operands.last()?)),
    };
    // `*&x` is `x`.
    let address =
        tree.field(pointer, NodeField::Argument).filter(|_| unit.text(pointer).starts_with(b"&"));
    let (object, star) = address.map_or((pointer, "*"), |object| (object, ""));
    let (open, close) = if is_primary(tree.kind(object)) { ("", "") } else { ("(", ")") };
    let Some(operand) = operand else {
        return rewritten(unit, call.node, &[&[sign, star, open].concat(), close], &[object]);
    };
    let alone = tree.parent(call.node).is_some_and(|parent| {
        matches!(
            tree.kind(parent),
            NodeKind::ExpressionStatement
                | NodeKind::ParenthesizedExpression
                | NodeKind::ArgumentList
        )
    });
    let (begin, end) = if alone { ("", "") } else { ("(", ")") };
    let begin = [begin, star, open].concat();
    let middle = [close, " ", sign, " "].concat();
    rewritten(unit, call.node, &[&begin, &middle, end], &[object, operand])
}

/// What a plain operation does with the object.
#[derive(Clone, Copy)]
enum Operation {
    /// A sign in front of the object.
    Step(&'static str),
    /// A sign between the object and the last argument.
    Assignment(&'static str),
}

/// The plain operation in the place of an atomic function. One that compares or exchanges becomes an assignment.
fn operation(name: &str, operands: usize) -> Option<Operation> {
    let start = name.find('_').map_or("atomic".len(), |at| at + 1);
    let operation = name.get(start..)?.to_ascii_lowercase();
    Some(match (operation.as_str(), operands) {
        ("inc", _) => Operation::Step("++"),
        ("dec", _) => Operation::Step("--"),
        ("load", 0) => Operation::Step(""),
        ("add", 1) => Operation::Assignment("+="),
        ("sub", 1) => Operation::Assignment("-="),
        ("and", 1) => Operation::Assignment("&="),
        ("or", 1) => Operation::Assignment("|="),
        ("xor", 1) => Operation::Assignment("^="),
        ("xchg" | "exch" | "min" | "max" | "store" | "init" | "cmpxchg" | "cas", 1..) => {
            Operation::Assignment("=")
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    #[test]
    fn every_kind() {
        assert_reduces(
            &PASS,
            Language::OPENCL,
            "x = atomic_xor(p, 1); atom_cmpxchg(p, 1, 2); atomic_unknown(p); atomic_dec(&a.b);",
            &[],
            "x = (*p ^= 1); *p = 2; atomic_unknown(p); --a.b;",
        );
    }

    #[test]
    fn what_would_be_longer_stays() {
        let same = "x = atom_xor(p + 1, 3);";
        assert_reduces(&PASS, Language::OPENCL, same, &[], same);
    }

    #[test]
    fn of_cuda_too() {
        assert_reduces(
            &PASS,
            Language::CUDA,
            "void f(int *p) { atomicAdd(p, 1); atomicCAS(p, 2, 3); }",
            &[],
            "void f(int *p) { *p += 1; *p = 3; }",
        );
    }
}
