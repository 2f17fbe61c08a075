//! Names of types and functions, and constants, in CUDA C++ or, with `IS_C`, in C.

use super::super::expressions::number_with;
use crate::ir::{Builtin, ScalarType, Ty};

/// The name of a type: of a fixed width, and, but for floating-point scalars, none that CUDA or a header has.
pub(in super::super) fn name(ty: Ty) -> String {
    let sign = if ty.scalar.is_signed() { "" } else { "u" };
    let name = match ty.scalar.is_float() {
        true => ty.scalar.name().to_owned(),
        false => format!("{sign}int{}", ty.scalar.bits()),
    };
    if ty.is_vector() { format!("{name}x{}", ty.lanes) } else { name }
}

/// The name of a function for these types: in C++, those that the arguments do not tell are a template's.
pub(in super::super) fn instance<const IS_C: bool>(
    function: &str,
    types: &[Ty],
    told_by_arguments: &[Ty],
) -> String {
    let names: Vec<_> = types.iter().map(|ty| name(*ty)).collect();
    if IS_C {
        let told = told_by_arguments.iter().map(|ty| name(*ty));
        let all = std::iter::once(function.to_owned()).chain(names).chain(told);
        return all.collect::<Vec<_>>().join("_");
    }
    if names.is_empty() { function.to_owned() } else { format!("{function}<{}>", names.join(", ")) }
}

/// The name of a built-in function of OpenCL C in the prelude: CUDA and the C library have some of the same names.
pub(super) fn prefixed(function: Builtin) -> String {
    format!("cl_{}", function.name())
}

/// A number that is the same in all lanes of a type.
pub(in super::super) fn literal<const IS_C: bool>(stored: i64, ty: Ty) -> String {
    let number = number(stored, ty.scalar);
    match (ty.is_vector(), ty.scalar.bits()) {
        (true, _) => {
            let splat = instance::<IS_C>("splat", &[ty], &[]);
            format!("{splat}({})", number.trim_matches(['(', ')']))
        }
        (false, 8 | 16) => format!("({}){number}", name(ty)),
        _ => number,
    }
}

/// A number with the suffix of its type; the narrow types have none.
pub(in super::super) fn number(stored: i64, scalar: ScalarType) -> String {
    let suffix = match scalar {
        ScalarType::Uint => "U",
        ScalarType::Long => "LL",
        ScalarType::Ulong => "ULL",
        ScalarType::Float | ScalarType::Double => {
            return super::super::expressions::number(stored, scalar);
        }
        _ => "",
    };
    number_with(suffix, stored, scalar)
}

/// The lanes of a constant in a table.
pub(in super::super) fn lanes<const IS_C: bool>(values: &[i64], ty: Ty) -> String {
    let numbers: Vec<_> = values.iter().map(|&value| number(value, ty.scalar)).collect();
    let numbers = numbers.join(", ");
    match (ty.is_vector(), IS_C) {
        (true, true) => format!("{{{numbers}}}"),
        (true, false) => format!("{{{{{numbers}}}}}"),
        (false, _) => numbers,
    }
}
