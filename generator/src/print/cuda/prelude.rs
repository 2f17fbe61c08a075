//! The declarations before a CUDA kernel: types, vectors, and the functions of OpenCL C that the kernel uses. They are the
//! parts of `prelude.cuh` that it needs.

use std::collections::BTreeSet;

use super::super::kernel::uses;
use super::expressions::is_float_division;
use super::names::name;
use crate::ir::{Binary, BuiltinSignature, ExprId, ExprKind, Program, ScalarType, StmtKind, Ty};

/// Devices below a compute capability lack some functions of warps: there, those of `warps.cuh` ask the lanes of the mask one
/// after the other.
pub(super) const PARTS: &str =
    concat!(include_str!("prelude.cuh"), include_str!("tensors.cuh"), include_str!("warps.cuh"));
/// The begin of a part; its names follow.
pub(super) const MARK: &str = "//: ";

/// Before this part of the prelude are names of types.
pub(super) const FIRST_AFTER_TYPES: &str = "//: vec\n";

/// The prelude of the text of a program, of the parts that there are.
pub(super) fn text(program: &Program, text: &str, parts: &str) -> String {
    let mut needed = String::new();
    let scalars = ScalarType::ALL.into_iter().chain(ScalarType::FLOATS);
    let vectors = scalars.flat_map(|s| Ty::LANES.map(|lanes| Ty { scalar: s, lanes }));
    for ty in vectors.filter(|ty| uses(text, &name(*ty))) {
        let (scalar, name) = (name(ty.lane()), name(ty));
        needed += &format!("typedef vec<{scalar}, {}> {name};\n", ty.lanes);
    }
    let for_vectors = for_vectors(program);
    // From the last one on, as a part may need those before it.
    for part in parts.split(MARK).skip(1).collect::<Vec<_>>().into_iter().rev() {
        let (names, declarations) = part.split_once('\n').unwrap_or((part, ""));
        let is_needed =
            |name| for_vectors.contains(name) || uses(text, name) || uses(&needed, name);
        if names.split(' ').any(is_needed) {
            needed.insert_str(0, declarations);
        }
    }
    needed
}

/// The parts for vectors, which have no names of their own in the text: the operators and overloaded functions.
fn for_vectors(program: &Program) -> BTreeSet<String> {
    let mut needs = BTreeSet::new();
    let mut need = |name: &str| needs.insert(format!("vec.{name}"));
    for id in program.statements() {
        if let StmtKind::Hash(value) = program.stmt(id).kind
            && program.ty(value).is_vector()
        {
            need("note");
            if program.ty(value).scalar.is_float() {
                need("multiply");
            }
        }
    }
    let mut seen = BTreeSet::new();
    let mut pending: Vec<ExprId> = program.roots();
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        let expr = program.expr(id);
        pending.extend(expr.kind.operands());
        let is_vector = expr.ty.is_vector();
        match &expr.kind {
            ExprKind::Unary(operator, _) if is_vector => drop(need(operator.texts().1)),
            ExprKind::Binary(operator, a, b) if is_vector => {
                let is_apart = is_float_division(*operator, expr.ty);
                need(if is_apart { "divide.float" } else { operator.texts().1 });
                let scalar = operator.operands(program.ty(*a), program.ty(*b)).0;
                if *operator == Binary::Multiply && scalar == ScalarType::Ushort {
                    need("multiply.ushort");
                }
            }
            ExprKind::Conditional(condition, ..) if program.ty(*condition).is_vector() => {
                need("select");
            }
            ExprKind::Saturate(_) if is_vector => drop(need("convert_sat")),
            ExprKind::Call(builtin, _, [first, ..]) => {
                let is_truth = builtin.signature() == BuiltinSignature::Truth;
                if is_vector || is_truth && program.ty(*first).is_vector() {
                    need(builtin.name());
                }
            }
            _ => {}
        }
    }
    needs
}
