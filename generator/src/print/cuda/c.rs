//! What C writes in another way than C++: it has no templates, so each function has the types of its instance in its name, and vectors
//! are GNU's, which have operators.

use super::names::{instance, name, prefixed};
use crate::ir::{Binary, Builtin, BuiltinSignature, Ty};

/// A vector of zeros.
pub(super) fn zero(ty: Ty) -> String {
    format!("({}){{0}}", name(ty))
}

/// The name of a function for some lanes.
pub(super) fn with_lanes(function: &str, lanes: &[u8]) -> String {
    lanes.iter().fold(function.to_owned(), |text, lane| format!("{text}_{lane}"))
}

/// The name of a built-in function for the types of its arguments and of its result.
pub(super) fn function(function: Builtin, arguments: &[Ty], ty: Ty) -> String {
    let of = |at: usize| arguments.get(at).copied().unwrap_or(ty);
    let types = match function.signature() {
        BuiltinSignature::Choice => vec![ty, of(2)],
        BuiltinSignature::Shuffle => vec![ty, of(0), of(1)],
        BuiltinSignature::Shuffle2 => vec![ty, of(0), of(2)],
        BuiltinSignature::Truth | BuiltinSignature::Magnitude(_) => vec![of(0)],
        _ => vec![ty],
    };
    instance::<true>(&prefixed(function), &types, &[])
}

/// A comparison or shift of vectors with a result of a type. Amounts of shifts count modulo the width.
pub(super) fn vectors(operator: Binary, [a, b]: [String; 2], (vector, ty): (Ty, Ty)) -> String {
    let (text, result, zero) = (operator.texts().0, name(ty), zero(vector));
    let most = vector.scalar.bits() - 1;
    match operator {
        Binary::ShiftLeft => {
            let unsigned = name(vector.of(vector.scalar.with_sign(false)));
            format!("(({result})(({unsigned}){a} << (({unsigned}){b} & splat_{unsigned}({most}))))")
        }
        Binary::ShiftRight => format!("({a} >> ({b} & splat_{result}({most})))"),
        _ if operator.is_logical() => {
            format!("(({result})(({a} != {zero}) {} ({b} != {zero})))", &text[..1])
        }
        _ => format!("(({result})({a} {text} {b}))"),
    }
}
