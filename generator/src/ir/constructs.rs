//! The constructs that expressions and statements are, by the names of an avoid list.

use super::{ExprId, ExprKind, Jump, Program, StmtKind, Storage, Ty};

/// Returns the name of the feature that an expression uses, and the types of its value and operands. The name is empty if the
/// expression uses none. The operands of an access to memory are indices, which count as expressions of their own.
pub(crate) fn construct(program: &Program, id: ExprId) -> (&'static str, Vec<Ty>) {
    let expr = program.expr(id);
    let name = match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Variable(_) => "",
        ExprKind::Vector(_) => "vector",
        ExprKind::Element(array, _) => match program.variable(*array).space {
            Storage::Private => "array",
            Storage::Constant(_) => "constant",
            Storage::Local | Storage::Global(_) | Storage::Argument(_) | Storage::Object(_) => "",
        },
        ExprKind::Load(..) => "vload",
        ExprKind::Swizzle(..) => "swizzle",
        ExprKind::Unary(operator, _) => operator.texts().1,
        ExprKind::Binary(operator, ..) => operator.texts().1,
        ExprKind::Conditional(..) => "conditional",
        ExprKind::Convert(_) => "convert",
        ExprKind::Saturate(_) => "convert_sat",
        ExprKind::Reinterpret(_) => "reinterpret",
        ExprKind::Call(function, ..) => function.name(),
        ExprKind::Invoke(..) => "function",
        ExprKind::Item(_) => "id",
        ExprKind::Part(_) => "",
        ExprKind::SameAddress(_) => "pointer",
    };
    let operands = if expr.kind.has_indices() { Vec::new() } else { expr.kind.operands() };
    let types = operands.into_iter().map(|operand| program.ty(operand));
    (name, types.chain([expr.ty]).collect())
}

/// The name of the feature that a statement is, for those that a kernel can do without; empty for the others.
pub(crate) fn statement(kind: &StmtKind) -> &'static str {
    match kind {
        StmtKind::If(..) => "if",
        StmtKind::Switch(_) => "switch",
        StmtKind::For(_) => "loop",
        StmtKind::Barrier => "barrier",
        StmtKind::Section(_) => "atomic_section",
        StmtKind::Call(_) => "procedure",
        StmtKind::Jump(Jump::Goto(_), _) => "goto",
        _ => "",
    }
}
