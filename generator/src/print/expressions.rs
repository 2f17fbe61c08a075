//! Expressions and paths to objects as text. Every operator has parentheses around it and its operands.

use std::fmt::Write;

use crate::ir::{
    Address, Exact, ExprId, ExprKind, Path, Program, Root, ScalarType, Step, Ty, WorkItemId,
};

/// Writes an expression in a language.
pub(super) type Writer = fn(&Program, ExprId, &mut String);

/// Writes an expression that can be an operand.
pub(super) fn write(program: &Program, id: ExprId, out: &mut String) {
    let expr = program.expr(id);
    let ty = expr.ty;
    match &expr.kind {
        ExprKind::Literal(stored) => out.push_str(&literal(*stored, ty)),
        ExprKind::Vector(parts) => {
            let _ = write!(out, "({ty})");
            list(program, parts, out);
        }
        ExprKind::Variable(variable) => out.push_str(&program.variable(*variable).name),
        ExprKind::Element(array, at) => {
            let _ = write!(out, "{}[", program.variable(*array).name);
            write(program, *at, out);
            out.push(']');
        }
        ExprKind::Load(array, at) => {
            let _ = write!(out, "vload{}(", ty.lanes);
            write(program, *at, out);
            let _ = write!(out, ", {})", program.variable(*array).name);
        }
        ExprKind::Swizzle(of, swizzle) => {
            postfix(program, *of, out);
            let _ = write!(out, ".{}", swizzle.text(program.ty(*of).lanes));
        }
        ExprKind::Unary(operator, a) => {
            let _ = write!(out, "({}", operator.texts().0);
            write(program, *a, out);
            out.push(')');
        }
        ExprKind::Binary(operator, a, b) => {
            infix(program, *a, &[(operator.texts().0, *b)], out);
        }
        ExprKind::Conditional(a, b, c) => infix(program, *a, &[("?", *b), (":", *c)], out),
        ExprKind::Convert(a) if !ty.is_vector() => {
            let _ = write!(out, "({ty})");
            write(program, *a, out);
        }
        ExprKind::Convert(a) => call(&format!("convert_{ty}"), program, &[*a], out),
        ExprKind::Saturate(a) => call(&format!("convert_{ty}_sat"), program, &[*a], out),
        ExprKind::Reinterpret(a) => call(&format!("as_{ty}"), program, &[*a], out),
        ExprKind::Call(function, count, arguments) => {
            call(function.name(), program, &arguments[..usize::from(*count)], out);
        }
        ExprKind::Invoke(function, arguments) => {
            call(&program.function(*function).name, program, arguments, out);
        }
        ExprKind::Item(item) => write_item(*item, out),
        ExprKind::Part(path) => write_path(program, path, write, out),
        ExprKind::SameAddress(both) => write_comparison(program, both, out),
    }
}

fn call(name: &str, program: &Program, arguments: &[ExprId], out: &mut String) {
    out.push_str(name);
    list(program, arguments, out);
}

/// Writes whether two addresses are the same.
fn write_comparison(program: &Program, both: &[Address; 2], out: &mut String) {
    out.push('(');
    write_address(program, &both[0], write, out);
    out.push_str(" == ");
    write_address(program, &both[1], write, out);
    out.push(')');
}

fn write_item(item: WorkItemId, out: &mut String) {
    match item {
        WorkItemId::Global(d) => drop(write!(out, "(int)get_global_id({d})")),
        WorkItemId::Local(d) => drop(write!(out, "(int)get_local_id({d})")),
        WorkItemId::Group(d) => drop(write!(out, "(int)get_group_id({d})")),
        WorkItemId::LinearGlobal => out.push_str("gid"),
        WorkItemId::LinearLocal => out.push_str("lid"),
        WorkItemId::LinearGroup => out.push_str("group"),
    }
}

/// Writes operands in parentheses, with an operator before each but the first.
fn infix(program: &Program, first: ExprId, others: &[(&str, ExprId)], out: &mut String) {
    out.push('(');
    write(program, first, out);
    for (operator, id) in others {
        let _ = write!(out, " {operator} ");
        write(program, *id, out);
    }
    out.push(')');
}

/// Writes an expression that something can follow which binds tighter than a cast.
fn postfix(program: &Program, id: ExprId, out: &mut String) {
    let expr = program.expr(id);
    let is_cast = match expr.kind {
        ExprKind::Literal(_) | ExprKind::Vector(_) | ExprKind::Item(_) => true,
        ExprKind::Convert(_) => !expr.ty.is_vector(),
        _ => false,
    };
    if is_cast {
        out.push('(');
    }
    write(program, id, out);
    if is_cast {
        out.push(')');
    }
}

fn list(program: &Program, ids: &[ExprId], out: &mut String) {
    out.push('(');
    for (index, id) in ids.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        write(program, *id, out);
    }
    out.push(')');
}

/// A number that is the same in all lanes of a type.
pub(super) fn literal(stored: i64, ty: Ty) -> String {
    let number = number(stored, ty.scalar);
    match (ty.is_vector(), ty.scalar.bits()) {
        (true, _) => format!("({ty})({})", number.trim_matches(['(', ')'])),
        (false, 8 | 16) => format!("({ty}){number}"),
        _ => number,
    }
}

/// A number with the suffix of its type; the narrow types have none.
pub(super) fn number(stored: i64, scalar: ScalarType) -> String {
    if scalar.is_float() {
        let (value, suffix) =
            (Exact::of_stored(stored), if scalar == ScalarType::Float { "f" } else { "" });
        let digits = value.digits();
        return if value.is_negative() { format!("(-{digits}{suffix})") } else { digits + suffix };
    }
    let suffix = match scalar {
        ScalarType::Uint => "U",
        ScalarType::Long => "L",
        ScalarType::Ulong => "UL",
        _ => "",
    };
    number_with(suffix, stored, scalar)
}

pub(super) fn number_with(suffix: &str, stored: i64, scalar: ScalarType) -> String {
    let value = scalar.value(stored);
    if scalar.bits() >= 32 && scalar.is_signed() && value == scalar.least() {
        // The literal without its sign does not fit.
        return format!("(-{}{suffix} - 1)", scalar.greatest());
    }
    if value < 0 { format!("({value}{suffix})") } else { format!("{value}{suffix}") }
}

/// Writes the way to a part of an object.
pub(super) fn write_path(program: &Program, path: &Path, write: Writer, out: &mut String) {
    let mut steps = path.steps.as_slice();
    match &path.root {
        Root::Variable(variable) => out.push_str(&program.variable(*variable).name),
        Root::Pointer(pointer, Some(at)) => {
            write_path(program, pointer, write, out);
            out.push('[');
            write(program, *at, out);
            out.push(']');
        }
        Root::Pointer(pointer, None) => {
            let member = match steps.split_first() {
                Some((Step::Member(member), rest)) => Some((member, rest)),
                _ => None,
            };
            if let Some((member, rest)) = member {
                write_path(program, pointer, write, out);
                out.push_str(&format!("->m{member}"));
                steps = rest;
            } else {
                out.push_str("(*");
                write_path(program, pointer, write, out);
                out.push(')');
            }
        }
    }
    for step in steps {
        match step {
            Step::Member(member) => out.push_str(&format!(".m{member}")),
            Step::Index(at) => {
                out.push('[');
                write(program, *at, out);
                out.push(']');
            }
        }
    }
}

/// Writes the value of a pointer.
pub(super) fn write_address(program: &Program, address: &Address, write: Writer, out: &mut String) {
    match address {
        Address::Null => out.push('0'),
        Address::Of(path) => {
            out.push('&');
            write_path(program, path, write, out);
        }
        Address::Value(path) => write_path(program, path, write, out),
        Address::Moved(path, by) => {
            out.push('(');
            write_path(program, path, write, out);
            out.push_str(" + ");
            write(program, *by, out);
            out.push(')');
        }
    }
}
