//! Expressions as CUDA C++.

use std::fmt::Write;

use super::super::expressions::{number_with, write_address, write_path};
use crate::ir::{
    Atomic, Binary, Builtin, BuiltinSignature, ExprId, ExprKind, Program, ScalarType, Swizzle, Ty,
    Unary, WorkItemId,
};

/// The name of a type: of a fixed width, and, but for floating-point scalars, none that CUDA or a header has.
pub(in super::super) fn name(ty: Ty) -> String {
    let sign = if ty.scalar.is_signed() { "" } else { "u" };
    let name = match ty.scalar.is_float() {
        true => ty.scalar.name().to_owned(),
        false => format!("{sign}int{}", ty.scalar.bits()),
    };
    if ty.is_vector() { format!("{name}x{}", ty.lanes) } else { name }
}

/// Writes an expression that can be an operand.
pub(in super::super) fn write(program: &Program, id: ExprId, out: &mut String) {
    let expr = program.expr(id);
    let ty = expr.ty;
    match &expr.kind {
        ExprKind::Literal(stored) => out.push_str(&literal(*stored, ty)),
        ExprKind::Vector(parts) => vector(program, parts, ty, out),
        ExprKind::Variable(variable) => out.push_str(&program.variable(*variable).name),
        ExprKind::Element(array, at) => {
            let _ = write!(out, "{}[", program.variable(*array).name);
            write(program, *at, out);
            out.push(']');
        }
        ExprKind::Load(array, at) => {
            let _ = write!(out, "vload<{}>(", name(ty));
            write(program, *at, out);
            let _ = write!(out, ", {})", program.variable(*array).name);
        }
        ExprKind::Swizzle(of, swizzle) => swizzled(program, *of, swizzle, out),
        ExprKind::Unary(operator, a) => {
            let _ = write!(out, "({}", operator.texts().0);
            match operator {
                Unary::Complement => write_exact(program, *a, out),
                Unary::Minus | Unary::Not => write(program, *a, out),
            }
            out.push(')');
        }
        ExprKind::Binary(operator, a, b) => binary(program, *operator, [*a, *b], ty, out),
        ExprKind::Conditional(a, b, c) if program.ty(*a).is_vector() => {
            call(program, "cl_select", &[*c, *b, *a], None, out);
        }
        ExprKind::Conditional(a, b, c) => {
            out.push('(');
            write(program, *a, out);
            out.push_str(" ? ");
            write(program, *b, out);
            out.push_str(" : ");
            write(program, *c, out);
            out.push(')');
        }
        ExprKind::Convert(a) if ty.is_vector() => {
            call(program, &format!("convert<{}>", name(ty)), &[*a], None, out);
        }
        ExprKind::Convert(a) => {
            let _ = write!(out, "({})", name(ty));
            write(program, *a, out);
        }
        ExprKind::Saturate(a) => {
            call(program, &format!("convert_sat<{}>", name(ty)), &[*a], None, out);
        }
        ExprKind::Reinterpret(a) => call(program, &format!("as<{}>", name(ty)), &[*a], None, out),
        ExprKind::Call(function, count, arguments) => {
            builtin(program, *function, &arguments[..usize::from(*count)], ty, out);
        }
        ExprKind::Invoke(function, arguments) => {
            call(program, &program.function(*function).name, arguments, None, out);
        }
        ExprKind::Item(item) => out.push_str(&item_text(*item)),
        ExprKind::Part(path) => write_path(program, path, write, out),
        ExprKind::SameAddress(both) => {
            out.push('(');
            write_address(program, &both[0], write, out);
            out.push_str(" == ");
            write_address(program, &both[1], write, out);
            out.push(')');
        }
    }
}

fn item_text(item: WorkItemId) -> String {
    let part = |d: u8| char::from(b"xyz"[usize::from(d)]);
    match item {
        WorkItemId::Global(d) => {
            let d = part(d);
            format!("(int32)(blockIdx.{d} * blockDim.{d} + threadIdx.{d})")
        }
        WorkItemId::Local(d) => format!("(int32)threadIdx.{}", part(d)),
        WorkItemId::Group(d) => format!("(int32)blockIdx.{}", part(d)),
        WorkItemId::LinearGlobal => "gid".to_owned(),
        WorkItemId::LinearLocal => "lid".to_owned(),
        WorkItemId::LinearGroup => "group".to_owned(),
    }
}

/// Shifts take their amount modulo the width, and shift unsigned numbers to the left; the operand of a vector that is a
/// scalar becomes a vector.
fn binary(program: &Program, operator: Binary, [a, b]: [ExprId; 2], ty: Ty, out: &mut String) {
    let vector = [a, b].map(|id| program.ty(id)).into_iter().find(|ty| ty.is_vector());
    let text = operator.texts().0;
    if is_float_division(operator, ty) {
        return call(program, "divide", &[a, b], vector, out);
    }
    if let Some(vector) = vector {
        out.push('(');
        write_as(program, a, vector, out);
        let _ = write!(out, " {text} ");
        write_as(program, b, vector, out);
        out.push(')');
        return;
    }
    let shifts_signed = operator == Binary::ShiftLeft && ty.scalar.is_signed();
    if shifts_signed {
        let unsigned = name(ty.of(ty.scalar.with_sign(false)));
        let _ = write!(out, "({})(({unsigned})", name(ty));
    } else {
        out.push('(');
    }
    write(program, a, out);
    let _ = write!(out, " {text} ");
    let bits = ty.scalar.bits();
    match program.expr(b).kind {
        ExprKind::Literal(amount)
            if operator.is_shift() && (0..i64::from(bits)).contains(&amount) =>
        {
            let _ = write!(out, "{amount}");
        }
        _ if operator.is_shift() => {
            out.push('(');
            write(program, b, out);
            let _ = write!(out, " & {})", bits - 1);
        }
        _ => write(program, b, out),
    }
    out.push(')');
}

/// True for the division that has a function of its own: with options for fast arithmetic, `/` is not exact for `float`.
pub(in super::super) fn is_float_division(operator: Binary, ty: Ty) -> bool {
    operator == Binary::Divide && ty.scalar == ScalarType::Float
}

/// Writes an operand; a scalar beside a vector is the same in each of its lanes.
fn write_as(program: &Program, id: ExprId, vector: Ty, out: &mut String) {
    if program.ty(id).is_vector() {
        return write(program, id, out);
    }
    let _ = write!(out, "splat<{}>(", name(vector));
    write(program, id, out);
    out.push(')');
}

fn vector(program: &Program, parts: &[ExprId], ty: Ty, out: &mut String) {
    let function = match parts {
        [_] => format!("splat<{}>", name(ty)),
        _ => format!("join<{}>", name(ty)),
    };
    call(program, &function, parts, None, out);
}

fn swizzled(program: &Program, of: ExprId, swizzle: &Swizzle, out: &mut String) {
    if let [lane] = swizzle.lanes() {
        write(program, of, out);
        let _ = write!(out, ".s[{lane}]");
        return;
    }
    let _ = write!(out, "pick<{}>(", numbers(swizzle));
    write(program, of, out);
    out.push(')');
}

fn numbers(swizzle: &Swizzle) -> String {
    let lanes: Vec<_> = swizzle.lanes().iter().map(u8::to_string).collect();
    lanes.join(", ")
}

/// An assignment to several lanes of a variable.
pub(in super::super) fn assignment_to_lanes(
    variable: &str,
    swizzle: &Swizzle,
    value: &str,
) -> String {
    format!("assign<{}>({variable}, {value});", numbers(swizzle))
}

fn builtin(program: &Program, function: Builtin, arguments: &[ExprId], ty: Ty, out: &mut String) {
    match function.signature() {
        // The other bits of the selector are reserved.
        BuiltinSignature::Exactly(..) if function == Builtin::BytePerm => {
            let _ = write!(out, "{}(", function.name());
            for id in &arguments[..2] {
                write(program, *id, out);
                out.push_str(", ");
            }
            write(program, arguments[2], out);
            out.push_str(" & 0x7777U)");
        }
        BuiltinSignature::Exactly(..) => call(program, function.name(), arguments, None, out),
        BuiltinSignature::SameOrScalar(_) if ty.is_vector() => {
            call(program, &prefixed(function), arguments, Some(ty), out);
        }
        // The type of the result is that of no parameter.
        BuiltinSignature::Halves => {
            let function = format!("{}<{}>", prefixed(function), name(ty));
            call(program, &function, arguments, None, out);
        }
        _ => call(program, &prefixed(function), arguments, None, out),
    }
}

/// The name of a built-in function of OpenCL C in the prelude: CUDA and the C library have some of the same names.
fn prefixed(function: Builtin) -> String {
    format!("cl_{}", function.name())
}

/// A call with arguments of exactly their types, so that templates get these. With a vector type, scalars become vectors.
fn call(
    program: &Program,
    function: &str,
    arguments: &[ExprId],
    vector: Option<Ty>,
    out: &mut String,
) {
    let _ = write!(out, "{function}(");
    for (index, id) in arguments.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        match vector {
            Some(vector) => write_as(program, *id, vector, out),
            None => write_exact(program, *id, out),
        }
    }
    out.push(')');
}

/// Writes a value that has its type in C++ as well, where comparisons are `bool`.
fn write_exact(program: &Program, id: ExprId, out: &mut String) {
    if is_bool(program, id) {
        out.push_str("(int32)");
    }
    write(program, id, out);
}

fn is_bool(program: &Program, id: ExprId) -> bool {
    let expr = program.expr(id);
    match &expr.kind {
        ExprKind::Binary(operator, ..) => operator.is_relational() && !expr.ty.is_vector(),
        ExprKind::Unary(operator, _) => *operator == Unary::Not && !expr.ty.is_vector(),
        ExprKind::Conditional(_, b, c) => is_bool(program, *b) && is_bool(program, *c),
        ExprKind::SameAddress(_) => true,
        _ => false,
    }
}

/// A number that is the same in all lanes of a type.
pub(in super::super) fn literal(stored: i64, ty: Ty) -> String {
    let number = number(stored, ty.scalar);
    match (ty.is_vector(), ty.scalar.bits()) {
        (true, _) => format!("splat<{}>({})", name(ty), number.trim_matches(['(', ')'])),
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
pub(in super::super) fn lanes(values: &[i64], ty: Ty) -> String {
    let numbers: Vec<_> = values.iter().map(|&value| number(value, ty.scalar)).collect();
    let numbers = numbers.join(", ");
    if ty.is_vector() { format!("{{{{{numbers}}}}}") } else { numbers }
}

/// The name of an atomic function.
pub(in super::super) fn atomic(function: Atomic) -> &'static str {
    match function {
        Atomic::Add => "atomicAdd",
        Atomic::Sub => "atomicSub",
        Atomic::Min => "atomicMin",
        Atomic::Max => "atomicMax",
        Atomic::And => "atomicAnd",
        Atomic::Or => "atomicOr",
        Atomic::Xor => "atomicXor",
    }
}
