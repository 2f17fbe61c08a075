//! The constructs that expressions and statements are, by the names of an avoid list.

use super::{ExprId, ExprKind, Jump, Program, StmtId, StmtKind, Storage, Ty};

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
        ExprKind::Invoke(..) if program.calls_itself(id) => "recursion",
        ExprKind::Invoke(..) => "function",
        ExprKind::Item(_) => "id",
        ExprKind::Part(_) => "",
        ExprKind::SameAddress(_) => "pointer",
    };
    let operands = if expr.kind.has_indices() { Vec::new() } else { expr.kind.operands() };
    let types = operands.into_iter().map(|operand| program.ty(operand));
    (name, types.chain([expr.ty]).collect())
}

/// The names of the features that a statement is, for those that a kernel can do without.
pub(crate) fn statement(program: &Program, id: StmtId) -> Vec<&'static str> {
    let kind = &program.stmt(id).kind;
    let more = match kind {
        StmtKind::Switch(switch) if switch.has_ranges() => Some("case_range"),
        StmtKind::Barrier if program.is_in_function(id) => Some("called_barrier"),
        _ => None,
    };
    let name = match kind {
        StmtKind::If(..) => Some("if"),
        StmtKind::Switch(_) => Some("switch"),
        StmtKind::For(_) => Some("loop"),
        StmtKind::Barrier => Some("barrier"),
        StmtKind::Section(_) => Some("atomic_section"),
        StmtKind::Call(_) => Some("procedure"),
        StmtKind::Jump(Jump::Goto(_), _) => Some("goto"),
        StmtKind::Merged(merge, block) => program.pair(*merge, block).map(|_| merge.name()),
        _ => None,
    };
    name.into_iter().chain(more).collect()
}
