//! Replaces features that are to be avoided and are there all the same: operators of infrastructure and of repairs.

use super::Repair;
use crate::ir::{ExprId, ExprKind, Place, Space, StmtKind, Type};

impl Repair<'_> {
    /// Replaces every expression by a number that has a feature to be avoided.
    pub(super) fn leave_out(&mut self) {
        for id in self.program.statements() {
            let kind = self.program.stmt(id).kind.clone();
            // The type of these is free.
            let indices = match &kind {
                StmtKind::Assign(Place::Element(_, at) | Place::Store(_, at), _) => vec![*at],
                StmtKind::Assign(Place::Part(path), _) => path.indices(),
                StmtKind::DeclareObject(..) | StmtKind::Copy(..) | StmtKind::Point(..) => {
                    kind.expressions()
                }
                StmtKind::If(condition, ..) | StmtKind::Jump(_, condition) => vec![*condition],
                StmtKind::Switch(switch) => vec![switch.value],
                StmtKind::For(details) => vec![details.start, details.limit],
                StmtKind::GroupCopy(copy) => vec![copy.into.1, copy.from.1],
                StmtKind::Collective(collective) => collective.at.into_iter().collect(),
                _ => Vec::new(),
            };
            for root in kind.expressions() {
                self.leave_out_of(root, indices.contains(&root));
            }
        }
        for id in self.program.functions_in_use() {
            self.leave_out_of(self.program.function(id).value, false);
        }
    }

    fn leave_out_of(&mut self, id: ExprId, is_index: bool) {
        if self.is_avoided(id) {
            let expr = &mut self.program.exprs[id.0 as usize];
            let ty = if is_index { Type::INT } else { expr.ty };
            let number = 1 + expr.key.named("avoided").stream().below(7);
            (expr.kind, expr.ty) = (ExprKind::Literal(ty.scalar.wrap(number.into())), ty);
            return;
        }
        let kind = &self.program.expr(id).kind;
        let is_access = kind.has_indices();
        for operand in kind.operands() {
            self.leave_out_of(operand, is_access);
        }
    }

    /// True if the construct of a node, or a type of its value or its operands, is to be avoided. An index stands for
    /// itself.
    fn is_avoided(&self, id: ExprId) -> bool {
        let expr = self.program.expr(id);
        let name = match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Variable(_) => "",
            ExprKind::Vector(_) => "vector",
            ExprKind::Element(array, _) => match self.program.variable(*array).space {
                Space::Private => "array",
                Space::Constant(_) => "constant",
                Space::Local | Space::Global(_) | Space::Argument(_) | Space::Object(_) => "",
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
        let types = operands.into_iter().map(|operand| self.program.ty(operand));
        types.chain([expr.ty]).any(|ty| {
            !self.features.allows(name, ty)
                || (ty.is_vector() && !self.features.allows("vector", ty))
        })
    }
}
