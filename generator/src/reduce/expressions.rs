//! Expressions of a kernel that is reduced: they become one of their operands, or a number.

use super::{KernelReducer, with_declarations};
use crate::ir::{ExprId, ExprKind, Program};

impl KernelReducer<'_> {
    /// Replaces expressions by one of their operands, or by a number: first the whole, then its parts.
    pub(super) fn expressions(&mut self) {
        let mut pending = self.best.program.roots();
        loop {
            let best = self.best.program.clone();
            // What comes next as long as nothing is taken. Beside each program is what is pending with it.
            let mut rest = pending.clone();
            let visited = std::iter::from_fn(|| {
                let id = rest.pop()?;
                let with_it = [&rest[..], &[id]].concat();
                rest.extend(best.expr(id).kind.operands());
                Some((id, with_it))
            });
            let programs = visited.flat_map(|(id, with_it)| {
                let best = &best;
                replacements(best, id).into_iter().map(move |kind| {
                    let mut program = best.clone();
                    program.exprs[id.0 as usize].kind = kind;
                    (with_it.clone(), with_declarations(program, best))
                })
            });
            match self.first_of(programs) {
                Some(with_it) => pending = with_it,
                None => return,
            }
        }
    }
}

/// The replacements that are tried for an expression: a number, or one of its operands.
fn replacements(program: &Program, id: ExprId) -> Vec<ExprKind> {
    let expr = program.expr(id);
    let is_number = matches!(expr.kind, ExprKind::Literal(_));
    let children = expr.kind.operands();
    let number = [1, 0].map(|number| ExprKind::Literal(expr.ty.scalar.wrap(number)));
    let number = number.into_iter().filter(|_| !is_number);
    let same = children.iter().filter(|child| program.ty(**child) == expr.ty);
    let same = same.map(|child| program.expr(*child).kind.clone());
    let converted = children.iter().filter(|child| {
        let ty = program.ty(**child);
        ty.lanes == expr.ty.lanes && ty != expr.ty && !matches!(expr.kind, ExprKind::Convert(_))
    });
    let converted = converted.map(|child| ExprKind::Convert(*child));
    number.chain(same).chain(converted).collect()
}
