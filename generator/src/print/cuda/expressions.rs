//! Expressions as CUDA C++ or, with `IS_C`, as C with GNU's extensions.

use std::fmt::Write;

use super::super::expressions::{write_address, write_path};
use super::c;
use super::names::{instance, literal, name, prefixed};
use crate::ir::{
    Atomic, Binary, Builtin, BuiltinSignature, ExprId, ExprKind, ObjectType, Program, ScalarType,
    Swizzle, Ty, Unary, WorkItemId,
};

/// Writes an expression that can be an operand.
pub(in super::super) fn write<const IS_C: bool>(program: &Program, id: ExprId, out: &mut String) {
    let expr = program.expr(id);
    let ty = expr.ty;
    match &expr.kind {
        ExprKind::Literal(stored) => out.push_str(&literal::<IS_C>(*stored, ty)),
        ExprKind::Vector(parts) => vector::<IS_C>(program, parts, ty, out),
        ExprKind::Variable(variable) => out.push_str(&program.variable(*variable).name),
        ExprKind::Element(array, at) => {
            let _ = write!(out, "{}[", program.variable(*array).name);
            write::<IS_C>(program, *at, out);
            out.push(']');
        }
        ExprKind::Load(array, at) => {
            let _ = write!(out, "{}(", instance::<IS_C>("vload", &[ty], &[]));
            write::<IS_C>(program, *at, out);
            let _ = write!(out, ", {})", program.variable(*array).name);
        }
        ExprKind::Swizzle(of, swizzle) => swizzled::<IS_C>(program, *of, swizzle, out),
        ExprKind::Unary(Unary::Not, a) if IS_C && ty.is_vector() => {
            let _ = write!(out, "(({})(", name(ty));
            write::<IS_C>(program, *a, out);
            let _ = write!(out, " == {}))", c::zero(program.ty(*a)));
        }
        ExprKind::Unary(operator, a) => {
            let _ = write!(out, "({}", operator.texts().0);
            match operator {
                Unary::Complement => write_exact::<IS_C>(program, *a, out),
                Unary::Minus | Unary::Not => write::<IS_C>(program, *a, out),
            }
            out.push(')');
        }
        ExprKind::Binary(operator, a, b) => binary::<IS_C>(program, *operator, [*a, *b], ty, out),
        ExprKind::Conditional(a, b, c) if program.ty(*a).is_vector() => {
            let select = instance::<IS_C>("cl_select", &[], &[ty, program.ty(*a)]);
            call::<IS_C>(program, &select, &[*c, *b, *a], None, out);
        }
        ExprKind::Conditional(a, b, c) => {
            out.push('(');
            write::<IS_C>(program, *a, out);
            out.push_str(" ? ");
            write::<IS_C>(program, *b, out);
            out.push_str(" : ");
            write::<IS_C>(program, *c, out);
            out.push(')');
        }
        ExprKind::Convert(a) if ty.is_vector() => {
            converted::<IS_C>("convert", program, *a, ty, out);
        }
        ExprKind::Convert(a) => {
            let _ = write!(out, "({})", name(ty));
            write::<IS_C>(program, *a, out);
        }
        ExprKind::Saturate(a) => converted::<IS_C>("convert_sat", program, *a, ty, out),
        ExprKind::Reinterpret(a) => converted::<IS_C>("as", program, *a, ty, out),
        ExprKind::Call(function, count, arguments) => {
            builtin::<IS_C>(program, *function, &arguments[..usize::from(*count)], ty, out);
        }
        ExprKind::Invoke(function, arguments) => {
            call::<IS_C>(program, &program.function(*function).name, arguments, None, out);
        }
        ExprKind::Item(item) => out.push_str(&item_text(*item)),
        ExprKind::Part(path) => {
            // A bit-field has a type of its own, which languages and compilers promote in several ways.
            if let ObjectType::Bits(..) = program.shape_at(path) {
                let _ = write!(out, "({})", name(ty));
            }
            write_path(program, path, write::<IS_C>, out);
        }
        ExprKind::SameAddress(both) => {
            out.push('(');
            write_address(program, &both[0], write::<IS_C>, out);
            out.push_str(" == ");
            write_address(program, &both[1], write::<IS_C>, out);
            out.push(')');
        }
    }
}

/// Writes a value that a function brings to another type.
fn converted<const IS_C: bool>(
    function: &str,
    program: &Program,
    value: ExprId,
    ty: Ty,
    out: &mut String,
) {
    let function = instance::<IS_C>(function, &[ty], &[program.ty(value)]);
    call::<IS_C>(program, &function, &[value], None, out);
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
fn binary<const IS_C: bool>(
    program: &Program,
    operator: Binary,
    [a, b]: [ExprId; 2],
    ty: Ty,
    out: &mut String,
) {
    let vector = [a, b].map(|id| program.ty(id)).into_iter().find(|ty| ty.is_vector());
    let text = operator.texts().0;
    if is_float_division(operator, ty) && !IS_C {
        return call::<IS_C>(program, "divide", &[a, b], vector, out);
    }
    if let Some(vector) = vector {
        if IS_C && (operator.is_relational() || operator.is_shift()) {
            let both = [a, b].map(|id| {
                let mut text = String::new();
                write_as::<IS_C>(program, id, vector, &mut text);
                text
            });
            return out.push_str(&c::vectors(operator, both, (vector, ty)));
        }
        out.push('(');
        write_as::<IS_C>(program, a, vector, out);
        let _ = write!(out, " {text} ");
        write_as::<IS_C>(program, b, vector, out);
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
    write::<IS_C>(program, a, out);
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
            write::<IS_C>(program, b, out);
            let _ = write!(out, " & {})", bits - 1);
        }
        _ => write::<IS_C>(program, b, out),
    }
    out.push(')');
}

/// True for the division that has a function of its own: with options for fast arithmetic, `/` is not exact for `float`.
pub(in super::super) fn is_float_division(operator: Binary, ty: Ty) -> bool {
    operator == Binary::Divide && ty.scalar == ScalarType::Float
}

/// Writes an operand; a scalar beside a vector is the same in each of its lanes.
fn write_as<const IS_C: bool>(program: &Program, id: ExprId, vector: Ty, out: &mut String) {
    if program.ty(id).is_vector() {
        return write::<IS_C>(program, id, out);
    }
    let _ = write!(out, "{}(", instance::<IS_C>("splat", &[vector], &[]));
    write::<IS_C>(program, id, out);
    out.push(')');
}

fn vector<const IS_C: bool>(program: &Program, parts: &[ExprId], ty: Ty, out: &mut String) {
    let function = instance::<IS_C>(if parts.len() == 1 { "splat" } else { "join" }, &[ty], &[]);
    if IS_C && parts.len() > 1 {
        let lanes: Vec<u8> = parts.iter().map(|part| program.ty(*part).lanes).collect();
        return call::<IS_C>(program, &c::with_lanes(&function, &lanes), parts, None, out);
    }
    call::<IS_C>(program, &function, parts, None, out);
}

fn swizzled<const IS_C: bool>(program: &Program, of: ExprId, swizzle: &Swizzle, out: &mut String) {
    if let [lane] = swizzle.lanes() {
        write::<IS_C>(program, of, out);
        let _ = write!(out, "{}[{lane}]", if IS_C { "" } else { ".s" });
        return;
    }
    if IS_C {
        let from = program.ty(of);
        let ty = Ty { lanes: swizzle.lanes().len() as u8, ..from };
        let pick = c::with_lanes(&instance::<IS_C>("pick", &[ty], &[from]), swizzle.lanes());
        return call::<IS_C>(program, &pick, &[of], None, out);
    }
    let _ = write!(out, "pick<{}>(", numbers(swizzle));
    write::<IS_C>(program, of, out);
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

fn builtin<const IS_C: bool>(
    program: &Program,
    function: Builtin,
    arguments: &[ExprId],
    ty: Ty,
    out: &mut String,
) {
    match function.signature() {
        // The other bits of the selector are reserved.
        BuiltinSignature::Exactly(..) if function == Builtin::BytePerm => {
            let _ = write!(out, "{}(", function.name());
            for id in &arguments[..2] {
                write::<IS_C>(program, *id, out);
                out.push_str(", ");
            }
            write::<IS_C>(program, arguments[2], out);
            out.push_str(" & 0x7777U)");
        }
        BuiltinSignature::Exactly(..) => {
            call::<IS_C>(program, function.name(), arguments, None, out)
        }
        _ if IS_C => {
            let types: Vec<Ty> = arguments.iter().map(|id| program.ty(*id)).collect();
            let name = c::function(function, &types, ty);
            let all_are = matches!(function.signature(), BuiltinSignature::SameOrScalar(_));
            let vector = (all_are && ty.is_vector()).then_some(ty);
            call::<IS_C>(program, &name, arguments, vector, out);
        }
        BuiltinSignature::SameOrScalar(_) if ty.is_vector() => {
            call::<IS_C>(program, &prefixed(function), arguments, Some(ty), out);
        }
        // The type of the result is that of no parameter.
        BuiltinSignature::Halves => {
            let function = format!("{}<{}>", prefixed(function), name(ty));
            call::<IS_C>(program, &function, arguments, None, out);
        }
        _ => call::<IS_C>(program, &prefixed(function), arguments, None, out),
    }
}

/// A call with arguments of exactly their types, so that templates get these. With a vector type, scalars become vectors.
fn call<const IS_C: bool>(
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
            Some(vector) => write_as::<IS_C>(program, *id, vector, out),
            None => write_exact::<IS_C>(program, *id, out),
        }
    }
    out.push(')');
}

/// Writes a value that has its type in C++ as well, where comparisons are `bool`.
fn write_exact<const IS_C: bool>(program: &Program, id: ExprId, out: &mut String) {
    if !IS_C && is_bool(program, id) {
        out.push_str("(int32)");
    }
    write::<IS_C>(program, id, out);
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
