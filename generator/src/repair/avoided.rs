//! Replaces avoided features that the infrastructure of kernels and repairs have brought in nevertheless.

use super::ProgramRepair;
use crate::ir::constructs::construct;
use crate::ir::{ExprId, ExprKind, Place, StmtKind, Ty};

impl ProgramRepair<'_> {
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
                StmtKind::Call(call) => call.indices(),
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
            let ty = if is_index { Ty::INT } else { expr.ty };
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
        let (name, types) = construct(self.program, id);
        types.into_iter().any(|ty| {
            !self.features.allows(name, ty)
                || (ty.is_vector() && !self.features.allows("vector", ty))
        })
    }
}
