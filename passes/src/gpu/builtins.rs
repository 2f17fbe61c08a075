//! Replaces calls of built-in functions by their first argument, or by an operator: `clamp(x, a, b)` by
//! `x`, `mad24(a, b, c)` by `a * b + c`.
//!
//! By the first argument only where it is of the type that the call has, as far as types are known.
//!
//! before:
//! ```cl
//! int4 f(int4 x, int a) { return clamp(x, 1, 2) + (int4)(mad24(a, 2, 3)); }
//! ```
//! after:
//! ```cl
//! int4 f(int4 x, int a) { return x + (int4)((a * 2 + 3)); }
//! ```

use clreduce_language::{Shape, Types};
use clreduce_testcase::Patch;

use crate::analysis::{BuiltinCall, Unit, builtin_calls, is_primary};
use crate::edit::rewritten;
use crate::pass::{OPENCL, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "builtins",
    "Replace built-in functions by an argument or an operator",
    OPENCL,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let types = snapshot.types(unit.file);
        for call in builtin_calls(snapshot, unit) {
            if let Some(argument) = alike(types, &call) {
                let patch = unit.keep(unit.tree.range(call.node), unit.tree.range(argument));
                proposals.push(Proposal::new(patch));
            }
            let patch = operator(unit, &call);
            proposals.extend(patch.map(|patch| Proposal::new(patch).in_list(1)));
        }
    }
}

/// The first argument that has the type of the call.
fn alike(types: &Types, call: &BuiltinCall<'_>) -> Option<NodeId> {
    match Shape::of(call.name)? {
        Shape::Elementwise | Shape::Mask | Shape::Converted(_) | Shape::Reinterpreted(_) => {}
        _ => return None,
    }
    let wanted = types.of(call.node).number()?;
    // Scalars convert to each other.
    let fits = |argument: &NodeId| {
        types
            .of(*argument)
            .number()
            .is_some_and(|of| of == wanted || of.lanes == 1 && wanted.lanes == 1)
    };
    call.arguments.iter().copied().find(fits)
}

/// An operator between the arguments, all of it in parentheses.
fn operator(unit: Unit<'_>, call: &BuiltinCall<'_>) -> Option<Patch> {
    let texts: &[&str] = match (call.name, call.arguments.len()) {
        ("add_sat" | "hadd" | "rhadd", 2) => &["(", " + ", ")"],
        ("sub_sat" | "abs_diff" | "fdim", 2) => &["(", " - ", ")"],
        ("mul24" | "mul_hi", 2) => &["(", " * ", ")"],
        ("mad24" | "mad_hi" | "mad_sat" | "mad" | "fma", 3) => &["(", " * ", " + ", ")"],
        ("native_divide", 2) => &["(", " / ", ")"],
        ("fmod" | "remainder", 2) => &["(", " / ", ")"],
        ("rotate", 2) => &["(", " << ", ")"],
        ("min" | "isless", 2) => &["(", " < ", ")"],
        ("max" | "isgreater", 2) => &["(", " > ", ")"],
        ("isequal", 2) => &["(", " == ", ")"],
        ("isnotequal", 2) => &["(", " != ", ")"],
        _ => return None,
    };
    let tight = |&argument: &NodeId| is_primary(unit.tree.kind(argument));
    if !call.arguments.iter().all(tight) {
        return None; // smaller it would hardly be
    }
    Patch::new(rewritten(unit, call.node, texts, &call.arguments)?)
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &[&str], after: &str) {
        let wrap = |text: &str| format!("void f(int4 v, char c, long4 w) {{ {text} }}");
        assert_reduces(&PASS, Language::OPENCL, &wrap(before), keep, &wrap(after));
    }

    #[test]
    fn the_argument_of_the_same_type() {
        check("v = min(1, max(v, 2)); c = abs(c);", &[], "v = v; c = c;");
        check("v = convert_int4(w) + convert_int4(v);", &[], "v = convert_int4(w) + v;");
        check("v = clamp(g(), v, v);", &[], "v = clamp(g(), v, v);");
    }

    #[test]
    fn operators() {
        check("c = mad_sat(c, (1 + 2), 3);", &["3"], "c = (c * (1 + 2) + 3);");
        check("c = mul24(c, 1 + 2);", &["2"], "c = mul24(c, 1 + 2);");
    }
}
