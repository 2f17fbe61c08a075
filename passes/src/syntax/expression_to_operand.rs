//! Replaces an expression by one of its operands: a sum by a term, a call by an argument, a
//! conditional by a branch, a cast, element or member by what it is taken of. A call of which several arguments
//! matter becomes their comma expression, and in C++ a call of a member may become the object.
//!
//! before:
//! ```c
//! int f(int x) { return g(x, x + 1) * 2; }
//! ```
//! after:
//! ```c
//! int f(int x) { return g(x, x + 1); }
//! ```

use clreduce_language::{NodeField, NodeKind, converts, vector_literal};
use clreduce_testcase::{Edit, Feature};

use crate::analysis::{
    ExpressionPlace, Unit, binding, demand, has_effect, is_condition, is_expression, is_lvalue,
    lanes_in_list, places,
};
use crate::budget::Budget;
use crate::pass::{PARSED, Pass, Proposal, Proposals};
use crate::{NodeId, Snapshot};

pub(crate) const PASS: Pass = Pass::new(
    "expression-to-operand",
    "Replace an expression by one of its operands or arguments",
    PARSED,
    propose,
);

fn propose(snapshot: &Snapshot, proposals: &mut Proposals) {
    for unit in Unit::all(snapshot) {
        let places = places(unit);
        for (id, _) in unit.sound() {
            let place = places[id.0 as usize];
            if place == ExpressionPlace::Fixed || is_condition(unit, id) {
                continue;
            }
            let whole = unit.tree.range(id);
            let mut operands = operands(unit, id, proposals);
            if snapshot.language().has(Feature::Classes) {
                operands.extend(operands_of_cpp(unit, id));
            }
            let lanes = lanes_in_list(snapshot, unit, id);
            if lanes.is_some() {
                let types = snapshot.types(unit.file);
                operands.retain(|operand| types.of(*operand).number().map(|of| of.lanes) == lanes);
            }
            proposals.extend(
                operands
                    .into_iter()
                    .filter(|&operand| fits(unit, place, id, operand))
                    .map(|part| bare(unit, id, part))
                    .map(|part| unit.keep(whole.clone(), unit.tree.range(part)))
                    .map(Proposal::new),
            );
            if place == ExpressionPlace::Value && lanes.is_none() {
                proposals.extend(without_callee(snapshot, unit, id).map(Proposal::edit));
            }
        }
    }
}

/// The operands of an expression, in source order.
fn operands(unit: Unit<'_>, id: NodeId, proposals: &mut Proposals) -> Vec<NodeId> {
    let tree = unit.tree;
    let fields: &[NodeField] = match tree.kind(id) {
        NodeKind::BinaryExpression | NodeKind::CommaExpression => {
            &[NodeField::Left, NodeField::Right]
        }
        NodeKind::AssignmentExpression => &[NodeField::Left, NodeField::Right],
        NodeKind::ConditionalExpression => {
            &[NodeField::Condition, NodeField::Consequence, NodeField::Alternative]
        }
        NodeKind::UnaryExpression | NodeKind::PointerExpression | NodeKind::UpdateExpression => {
            &[NodeField::Argument]
        }
        NodeKind::FieldExpression => &[NodeField::Argument],
        NodeKind::SubscriptExpression => &[NodeField::Argument, NodeField::Index],
        NodeKind::CastExpression | NodeKind::SizeofExpression => &[NodeField::Value],
        NodeKind::CallExpression => return arguments(unit, id, proposals),
        _ => return Vec::new(),
    };
    let expression = |&node: &NodeId| is_expression(tree.kind(node));
    fields.iter().filter_map(|&field| tree.field(id, field)).filter(expression).collect()
}

/// The operands that only expressions of C++ have: the object of a member that is called, the only value of `T{value}`.
fn operands_of_cpp(unit: Unit<'_>, id: NodeId) -> Option<NodeId> {
    let tree = unit.tree;
    let operand = match tree.kind(id) {
        NodeKind::CallExpression => {
            let member = tree.field(id, NodeField::Function)?;
            tree.field(member, NodeField::Argument)
                .filter(|_| tree.kind(member) == NodeKind::FieldExpression)
        }
        NodeKind::CompoundLiteralExpression => {
            let mut values = tree.named_children(tree.field(id, NodeField::Value)?);
            values.next().filter(|_| values.next().is_none())
        }
        NodeKind::SubscriptExpression => {
            tree.named_children(tree.field(id, NodeField::Indices)?).next()
        }
        _ => None,
    };
    operand.filter(|&node| is_expression(tree.kind(node)))
}

/// The number of arguments that take the place of their call.
const MOST_ARGUMENTS: Budget = Budget::new("arguments of one call", 16);

/// The first arguments of a call.
fn arguments(unit: Unit<'_>, id: NodeId, proposals: &mut Proposals) -> Vec<NodeId> {
    let tree = unit.tree;
    let Some(list) = tree.field(id, NodeField::Arguments) else { return Vec::new() };
    let arguments = tree.named_children(list).filter(|&node| is_expression(tree.kind(node)));
    proposals.limited(&MOST_ARGUMENTS, arguments)
}

/// `f(a++, b)` becomes `(a++, b)`, where more than the last argument counts.
fn without_callee(snapshot: &Snapshot, unit: Unit<'_>, id: NodeId) -> Option<Edit> {
    let tree = unit.tree;
    let callee = tree.field(id, NodeField::Function)?;
    let arguments: Vec<NodeId> =
        tree.named_children(tree.field(id, NodeField::Arguments)?).collect();
    let (&last, others) = arguments.split_last()?;
    let types = snapshot.types(unit.file);
    let counts = others.iter().any(|&argument| has_effect(tree, argument))
        && arguments.iter().all(|&argument| is_expression(tree.kind(argument)))
        && vector_literal(tree, id).is_none()
        && converts(types.of(last), types.of(id)) != Some(false);
    counts.then(|| unit.delete(tree.range(callee)))
}

/// An operand without the parentheses that it does not need in the place of `whole`.
fn bare(unit: Unit<'_>, whole: NodeId, operand: NodeId) -> NodeId {
    let Some(demand) = demand(unit, whole) else { return operand };
    let mut inside = operand;
    // A chain of parentheses is as long as the input makes it.
    for _ in 0..8 {
        if unit.tree.kind(inside) != NodeKind::ParenthesizedExpression {
            break;
        }
        let Some(next) = unit.tree.named_children(inside).next() else { break };
        inside = next;
    }
    let fits = binding(unit, inside).is_some_and(|binding| binding >= demand);
    if fits { inside } else { operand }
}

/// Returns true if an operand can stand where the expression stood.
fn fits(unit: Unit<'_>, place: ExpressionPlace, whole: NodeId, operand: NodeId) -> bool {
    let tree = unit.tree;
    let kind = tree.kind(operand);
    let literal = matches!(kind, NodeKind::NumberLiteral | NodeKind::CharLiteral);
    let is_statement = tree.kind(tree.node(whole).parent) == NodeKind::ExpressionStatement;
    if is_statement && !has_effect(tree, operand) {
        return false; // removing the statement is for another pass
    }
    match place {
        ExpressionPlace::Lvalue => {
            let field = tree.node(operand).field;
            is_lvalue(kind)
                && field != Some(NodeField::Index)
                && tree.kind(whole) != NodeKind::CallExpression
        }
        // `a[i].f` is not `i.f` as a rule, but a vector cast or a call may well be its argument.
        ExpressionPlace::Composite => {
            !literal && tree.node(operand).field != Some(NodeField::Index)
        }
        // `c ? a, b : d` is no `a, b` among arguments.
        _ => kind != NodeKind::CommaExpression,
    }
}

#[cfg(test)]
mod tests {
    use clreduce_testcase::Language;

    use super::*;
    use crate::harness::assert_reduces;

    fn check(before: &str, keep: &str, after: &str) {
        let wrap = |text: &str| format!("int f(void) {{ {text} }}");
        assert_reduces(&PASS, Language::C, &wrap(before), &[keep], &wrap(after));
    }

    #[test]
    fn down_to_the_operand_that_counts() {
        check("return (int)(a ? g(1, -b[2].c) : 3) + 4;", "b", "return (b);");
        check("x = (y, z());", "z", "z();");
    }

    #[test]
    fn a_vector_among_the_values_of_a_list_stays_one() {
        assert_reduces(
            &PASS,
            Language::OPENCL,
            "struct { int3 b; int c; } d = { (int3)(7) + (int3)(8), (int)9 };",
            &[],
            "struct { int3 b; int c; } d = { (int3)(7), 9 };",
        );
    }

    #[test]
    fn what_is_assigned_to_can_be_assigned_to() {
        check("p->a[i + 1] = 0;", "= 0", "p = 0;");
        check("(a + b)[0] = 0;", "[0] = 0", "(a)[0] = 0;");
    }

    #[test]
    fn a_call_of_which_several_arguments_count() {
        check("return f(a++, b(), 3);", "++, b(), 3", "return (a++, b(), 3);");
        check("return g(a, b++);", "g(a, b++)", "return g(a, b++);");
        check("g(a++, *q)->c = 1;", "a++, *q)->c = 1", "g(a++, *q)->c = 1;");
    }

    #[test]
    fn operands_of_cpp_stay() {
        let wrap = |text: &str| format!("int f() {{ {text} }}");
        let check = |before: &str, keep: &str, after: &str| {
            let (before, after) = (wrap(before), wrap(after));
            assert_reduces(&PASS, Language::CPP, &before, &[keep], &after);
        };
        check("return std::move(x.f(y));", "return x", "return x;");
        check("return static_cast<T>(y) + T{z()};", "y", "return y;");
        check("return a[T{z()}];", "z()", "return z();");
        check("return g(n::x, *this);", "n::x", "return n::x;");
    }

    #[test]
    fn conditions_keep_their_parentheses() {
        check("if (sizeof(x) > 1) ;", "if", "if (x) ;");
        check("x = (a, b) + (c * d);", "*", "x = c * d;");
    }
}
