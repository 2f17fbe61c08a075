//! Faults in expressions: another operator, a missing sign, a zero in the place of a divisor.

use clreduce_language::{NodeField, NodeId, NodeKind, Number, Scalar};

use super::{FoundMutants, MutationOperator};
use crate::Snapshot;

pub(super) static ARITHMETIC: MutationOperator =
    MutationOperator { name: "arithmetic", summary: "another of + - * / %" };
pub(super) static RELATIONAL: MutationOperator =
    MutationOperator { name: "relational", summary: "another of < > <= >=, or of == !=" };
pub(super) static LOGICAL: MutationOperator =
    MutationOperator { name: "logical", summary: "&& and || exchanged" };
pub(super) static BITWISE: MutationOperator =
    MutationOperator { name: "bitwise", summary: "& | ^ or << >> exchanged" };
pub(super) static ASSIGNMENT: MutationOperator =
    MutationOperator { name: "assignment", summary: "another assignment with an operation" };
pub(super) static INCREMENT: MutationOperator =
    MutationOperator { name: "increment", summary: "++ and -- exchanged" };
pub(super) static SIGN: MutationOperator =
    MutationOperator { name: "sign", summary: "no unary - ! ~" };
pub(super) static ZERO_DIVISION: MutationOperator =
    MutationOperator { name: "zero-division", summary: "a divisor that is zero" };
pub(super) static NARROW: MutationOperator =
    MutationOperator { name: "narrow", summary: "no cast to a wider type" };

/// An operator, the kind of fault, and the operators that take its place.
type Replacement = (&'static MutationOperator, &'static str, &'static [&'static str]);

const REPLACEMENTS: [Replacement; 32] = [
    (&ARITHMETIC, "+", &["-", "*", "/"]),
    (&ARITHMETIC, "-", &["+", "*", "/"]),
    (&ARITHMETIC, "*", &["+", "-", "/"]),
    (&ARITHMETIC, "/", &["+", "-", "*"]),
    (&ARITHMETIC, "%", &["*", "+", "-", "/"]),
    (&RELATIONAL, "<", &[">", "<=", ">="]),
    (&RELATIONAL, ">", &["<", "<=", ">="]),
    (&RELATIONAL, "<=", &["<", ">", ">="]),
    (&RELATIONAL, ">=", &["<", ">", "<="]),
    (&RELATIONAL, "==", &["!="]),
    (&RELATIONAL, "!=", &["=="]),
    (&LOGICAL, "&&", &["||"]),
    (&LOGICAL, "||", &["&&"]),
    (&BITWISE, "&", &["|"]),
    (&BITWISE, "|", &["&"]),
    (&BITWISE, "^", &["&"]),
    (&BITWISE, "<<", &[">>"]),
    (&BITWISE, ">>", &["<<"]),
    (&ASSIGNMENT, "+=", &["-=", "*=", "/="]),
    (&ASSIGNMENT, "-=", &["+=", "*=", "/="]),
    (&ASSIGNMENT, "*=", &["+=", "-=", "/="]),
    (&ASSIGNMENT, "/=", &["+=", "-=", "*="]),
    (&ASSIGNMENT, "%=", &["+=", "-=", "*=", "/="]),
    (&ASSIGNMENT, "<<=", &[">>="]),
    (&ASSIGNMENT, ">>=", &["<<="]),
    (&ASSIGNMENT, "&=", &["|="]),
    (&ASSIGNMENT, "|=", &["&="]),
    (&ASSIGNMENT, "^=", &["&="]),
    (&INCREMENT, "++", &["--"]),
    (&INCREMENT, "--", &["++"]),
    (&SIGN, "!", &[""]),
    (&SIGN, "~", &[""]),
];

/// The faults of an operator, as the texts that take its place. The unary `-` is told from the other by its place.
pub(super) fn replacements(
    text: &[u8],
) -> impl Iterator<Item = (&'static MutationOperator, &'static str)> {
    let row = REPLACEMENTS.iter().find(|(_, operator, _)| operator.as_bytes() == text);
    row.into_iter().flat_map(|(kind, _, others)| others.iter().map(|other| (*kind, *other)))
}

pub(super) fn find(snapshot: &Snapshot, found: &mut FoundMutants<'_>) {
    let unit = found.unit;
    let nodes: Vec<(NodeId, NodeKind)> = unit.sound().collect();
    let types = snapshot.types(unit.file);
    let number = |node: Option<NodeId>| node.and_then(|node| types.of(node).number());
    for (node, kind) in nodes {
        let field = |field| unit.tree.field(node, field);
        match kind {
            NodeKind::BinaryExpression | NodeKind::AssignmentExpression => {
                let Some(operator) = field(NodeField::Operator) else { continue };
                let sides = [number(field(NodeField::Left)), number(field(NodeField::Right))];
                let is_floating = sides.into_iter().flatten().any(is_floating);
                // `%` of floating-point numbers does not compile.
                let fits = |other: &str| !(is_floating && other.starts_with('%'));
                for (kind, other) in
                    replacements(unit.text(operator)).filter(|(_, other)| fits(other))
                {
                    found.replace(kind, operator, other);
                }
                let divides = matches!(unit.text(operator), b"/" | b"%" | b"/=" | b"%=");
                if let Some(divisor) = field(NodeField::Right).filter(|_| divides && !is_floating) {
                    let text = unit.text(divisor);
                    found.replace(
                        &ZERO_DIVISION,
                        divisor,
                        [b"((", text, b") - (", text, b"))"].concat(),
                    );
                }
            }
            NodeKind::UnaryExpression | NodeKind::UpdateExpression => {
                let Some(operator) = field(NodeField::Operator) else { continue };
                match unit.text(operator) {
                    b"-" => found.replace(&SIGN, operator, ""),
                    // Unary `+` does nothing, and `&` and `*` are no signs.
                    b"+" | b"&" | b"*" => {}
                    text => {
                        for (kind, other) in replacements(text) {
                            found.replace(kind, operator, other);
                        }
                    }
                }
            }
            NodeKind::CastExpression => {
                let Some(value) = field(NodeField::Value) else { continue };
                if let (Some(to), Some(from)) = (number(Some(node)), number(Some(value)))
                    && !is_floating(to)
                    && !is_floating(from)
                    && to.lanes == 1
                    && to.bytes() > from.bytes()
                {
                    found.replace(&NARROW, node, [b"(", unit.text(value), b")"].concat());
                }
            }
            _ => {}
        }
    }
}

fn is_floating(number: Number) -> bool {
    matches!(number.scalar, Scalar::Half | Scalar::Float | Scalar::Double)
}
